"""Details of a fit: neurons, threshold, path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._found import Threshold
from ._axis import ACCENT, DARK, LIGHT, MIDDLE, drawing_axis, legend_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._classifier import NeedleClassifier
    from .._regressor import NeedleRegressor

# the largest number of rows and columns that can be read
MOST = 30


def neurons(model: NeedleRegressor | NeedleClassifier, ax: Axes | None = None) -> Axes:
    """Draw the weights of the needles into each neuron: full discs are positive, rings negative.

    Parameters
    ----------
    model : NeedleRegressor or NeedleClassifier
        A fitted model.
    ax : Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : Axes
        The axis.
    """
    check_is_fitted(model)
    ax = drawing_axis(ax)
    names = list(model.selected_features_)[:MOST]
    shown = model.neurons_[:MOST]
    if not shown:
        why = "the model is linear: it has no neurons" if names else "no input was found to matter"
        ax.text(0.5, 0.5, why, transform=ax.transAxes, ha="center", color=MIDDLE)
    largest = max((abs(weight) for neuron in shown for weight in neuron.weights), default=1.0)
    for row, neuron in enumerate(shown):
        for name, weight in zip(neuron.names, neuron.weights, strict=True):
            if name in names:
                size = _area(weight, largest)
                inside = DARK if weight > 0 else "white"
                mark: dict[str, Any] = {"facecolor": inside, "edgecolor": DARK, "linewidth": 1.4, "zorder": 3}
                ax.scatter(names.index(name), row, s=size, **mark)
    if shown:
        _size_legend(ax, largest)
    crowded = len(names) > 6 or max(map(len, names), default=0) > 8
    ax.set_xticks(range(len(names)), names, rotation=40 if crowded else 0, ha="right" if crowded else "center")
    ax.set_yticks(range(len(shown)), [str(row + 1) for row in range(len(shown))])
    ax.set_xlim(-0.6, max(len(names), 1) - 0.4)
    ax.set_ylim(max(len(shown), 1) - 0.4, -0.6)
    ax.grid(color=LIGHT, linewidth=0.6, zorder=0)
    ax.set_ylabel("neuron")
    ax.set_xlabel("needle, by its weight into the neuron: disc positive, ring negative")
    return ax


def _area(weight: float, largest: float) -> float:
    return 30 + 420 * abs(weight) / largest


def _size_legend(ax: Axes, largest: float) -> None:
    """The sizes of the largest weight and of a quarter of it, beside the axis."""
    handles = [
        ax.scatter([], [], s=_area(weight, largest), color=DARK, label=f"{weight:.2g}")
        for weight in (largest, largest / 4)
    ]
    legend_beside(ax, own=False, handles=handles, title="size of the weight", labelspacing=1.4)


def null_distribution(fitted: NeedleRegressor | NeedleClassifier | Threshold, ax: Axes | None = None) -> Axes:
    """Draw the null distribution with the threshold and lambda_0 of the data.

    Parameters
    ----------
    fitted : NeedleRegressor, NeedleClassifier or Threshold
        A fitted model, or what `quantile_universal_threshold` returned.
    ax : Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : Axes
        The axis.
    """
    ax = drawing_axis(ax)
    if isinstance(fitted, Threshold):
        draws, qut, zero, alpha = fitted.null_draws, fitted.lambda_qut, fitted.lambda_zero, fitted.alpha
    else:
        check_is_fitted(fitted)
        alpha = fitted._model.choices["alpha"]
        draws, qut, zero = fitted.null_draws_, fitted.lambda_qut_, fitted.lambda_zero_
    bins = min(60, len(draws) // 20 + 5)
    highest = np.max(ax.hist(draws, bins=bins, density=True, color=LIGHT, label="without signal")[0])
    top = 1.08 * highest
    ax.plot([qut, qut], [0, top], color=DARK, linewidth=1.6, label=rf"$\lambda_{{QUT}}$ = {qut:.3g}, level {alpha:g}")
    dashed: dict[str, Any] = {"color": ACCENT, "linewidth": 1.8, "linestyle": (0, (4, 2))}
    ax.plot([zero, zero], [0, top], label=rf"$\lambda_0$ of the data = {zero:.3g}", **dashed)
    # space for the legend at the top
    ax.set_ylim(0, 1.5 * highest)
    ax.set_xlabel("smallest penalty that finds nothing")
    ax.set_ylabel("density")
    ax.legend(frameon=False, loc="upper left")
    return ax


def path(model: NeedleRegressor | NeedleClassifier, ax: Axes | None = None) -> Axes:
    """Draw the inputs in use and the loss along the stages of the path.

    Parameters
    ----------
    model : NeedleRegressor or NeedleClassifier
        A fitted model.
    ax : Axes or None, default=None
        Where to draw; None makes a new figure. The loss has an axis of its own on the right.

    Returns
    -------
    ax : Axes
        The axis.
    """
    check_is_fitted(model)
    ax = drawing_axis(ax)
    stages: Any = model.path_
    at = np.arange(1, len(stages) + 1)
    # a linear model has one stage, so a line would show nothing
    mark = "o" if len(stages) < 3 else None
    ax.step(at, stages["n_selected"], where="mid", color=DARK, linewidth=1.8, marker=mark)
    ax.set_xlabel("stage")
    ax.set_ylabel("inputs in use")
    most = max(1, int(stages["n_selected"].max(initial=0)))
    if most > 50:
        ax.set_yscale("symlog", linthresh=10)
    ax.set_ylim(0, most * 1.05)
    right = ax.twinx()
    right.plot(at, stages["loss"], color=ACCENT, linewidth=1.4, linestyle=(0, (4, 2)), marker=mark and "s")
    right.set_ylabel("loss (dashed)", color=ACCENT)
    right.tick_params(axis="y", colors=ACCENT)
    right.spines["top"].set_visible(False)
    ax.locator_params(axis="x", integer=True)
    return ax
