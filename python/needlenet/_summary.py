"""The report for a person, from the fields of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._base import NeedleBase

# longer lists are cut here, and say by how much
MOST_ROWS = 30


def summary_of(estimator: NeedleBase) -> str:
    """Problem, threshold, needles, neurons, end."""
    lines = [*_problem(estimator), "", *_threshold(estimator), ""]
    lines += _needles(estimator) if estimator.needles_ else _nothing(estimator)
    return "\n".join([*lines, "", *_end(estimator)])


def _problem(estimator: NeedleBase) -> list[str]:
    model = estimator._model
    choices = model.choices
    lines = [f"{model.n_samples} samples, {model.n_features} inputs, {model.task}"]
    if model.constant_inputs:
        lines.append(f"{len(model.constant_inputs)} inputs left out: no variation")
    if model.classes:
        lines.append(f"classes {', '.join(model.classes[:MOST_ROWS])}; link {choices['link']}")
    used = model.used
    if used["hidden"] != choices["hidden"]:
        lines.append("the linear model is reported: a network is not clearly better")
    hidden = ",".join(map(str, used["hidden"])) or "none"
    lines.append(f"hidden layers {hidden}, penalty {used['penalty']}, activation {choices['activation']}")
    if model.task == "regression" and not choices["scale_outcome"]:
        lines.append("the outcome kept its unit: it was centred, not scaled")
    return lines


def _threshold(estimator: NeedleBase) -> list[str]:
    model = estimator._model
    lines = [
        f"lambda_QUT  {model.lambda_qut:<10.6g} Monte Carlo standard error {model.standard_error:.3g}, "
        f"level {model.choices['alpha']:g}",
        f"lambda_0    {model.lambda_zero:<10.6g} of the data, p-value {model.p_value:.3g}",
    ]
    if model.choices["lambda"] is not None:
        lines.append(f"lambda      {model.lambda_:<10.6g} was given, so the level does not apply")
    return lines


def _nothing(estimator: NeedleBase) -> list[str]:
    if estimator._model.choices["lambda"] is not None:
        return ["No input is selected at this lambda."]
    level = estimator._model.choices["alpha"]
    return [f"No input is found to matter at level {level:g}: what these samples show could be chance."]


def _needles(estimator: NeedleBase) -> list[str]:
    needles = estimator.needles_
    unit = "outcome" if estimator._model.task == "regression" else "log odds"
    width = max(5, *(len(needle.name) for needle in needles[:MOST_ROWS]))
    lines = [
        f"{len(needles)} of {estimator.n_features_in_} inputs found to matter, strongest first",
        f"(slopes in units of the {unit} per standard deviation of the input)",
        f"      {'input':<{width}}  {'strength':>10}  {'mean slope':>10}  effect",
    ]
    for rank, needle in enumerate(needles[:MOST_ROWS], start=1):
        of = "" if needle.label is None else f": {needle.label}"
        lines.append(
            f"{rank:>4}  {needle.name:<{width}}  {needle.strength:>10.6g}  {needle.mean_slope:>+10.6g}  "
            f"{needle.shape}{of}"
        )
    if len(needles) > MOST_ROWS:
        lines.append(f"      and {len(needles) - MOST_ROWS} more; needles_ has them all")
    if estimator.stand_ins_:
        names = ", ".join(stand_in.name for stand_in in estimator.stand_ins_[:MOST_ROWS])
        more = len(estimator.stand_ins_) - MOST_ROWS
        lines += [
            "",
            f"{len(estimator.stand_ins_)} stand-ins, found when the needles are left out; predictions use them too:",
            f"      {names}" + (f" and {more} more" if more > 0 else ""),
        ]
    if estimator.neurons_:
        lines += ["", f"{len(estimator.neurons_)} of {estimator._model.used['hidden'][0]} neurons in use"]
        for rank, neuron in enumerate(estimator.neurons_[:MOST_ROWS], start=1):
            joined = zip(neuron.names, neuron.weights, strict=True)
            lines.append(f"{rank:>4}  " + " ".join(f"{weight:+.4g}*{name}" for name, weight in joined))
    verdict = "A linear model would do." if estimator.linear_ else "A linear model would not do: the function bends."
    return [*lines, verdict]


def _end(estimator: NeedleBase) -> list[str]:
    model = estimator._model
    lines = [] if model.noise is None else [f"noise scale {model.noise:.6g}"]
    for what, end in (("fit", model.certificate), ("refit", model.refit)):
        lines.append(
            f"{what:<6}{end['stop']}; objective {end['objective']:.6g}, KKT violation {end['kkt_violation']:.1e}, "
            f"{end['iterations']} iterations"
        )
    if model.held_out is not None:
        by = "the refit" if model.predictor is None else f"a smooth network of {model.predictor[0]} neurons"
        smooth, refit = model.held_out
        lines.append(
            f"predictions by {by}; held-out loss, of that of the empty model: smooth network {smooth:.3g}, refit {refit:.3g}"
        )
    seed = f"seed {model.choices['seed']}"
    lines.append(seed if model.seconds is None else f"{seed}, {model.seconds:.2f} seconds")
    return lines
