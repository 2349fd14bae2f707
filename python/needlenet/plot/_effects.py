"""How the fitted function changes with one needle, or with two that share a neuron."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._found import Needle
from ._axis import MIDDLE, drawing_axis, legend_beside, line_styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._classifier import NeedleClassifier
    from .._regressor import NeedleRegressor
    from .._sure import Sure

# more lines than this cannot be distinguished
MOST_LINES = 10


def effects(
    model: NeedleRegressor | NeedleClassifier,
    ax: Axes | None = None,
    *,
    needles: list[str] | None = None,
    span: float = 2.5,
) -> Axes:
    """Draw the prediction against each needle, the others at their mean.

    Parameters
    ----------
    model : NeedleRegressor or NeedleClassifier
        A fitted model.
    ax : Axes or None, default=None
        Where to draw; None makes a new figure.
    needles : list of str or None, default=None
        Names of the needles to draw; None draws the strongest, at most ten.
    span : float, default=2.5
        How far to go from the mean, in standard deviations of the input.

    Returns
    -------
    ax : Axes
        The axis.
    """
    check_is_fitted(model)
    chosen = model.needles_[:MOST_LINES] if needles is None else [_named(model, name) for name in needles]
    own, ax = ax is None, drawing_axis(ax)
    grid = np.linspace(-span, span, 161)
    several = len({needle.label for needle in chosen}) > 1
    for needle, style in zip(chosen, line_styles(len(chosen)), strict=True):
        values = _prediction(model, {needle: grid}, needle.label)
        ax.plot(grid, values, label=_line_name(needle, several), linewidth=1.8, **style)
    ax.set_xlabel("standard deviations of the input from its mean")
    ax.set_ylabel(_outcome(model, {needle.label for needle in chosen}))
    if chosen:
        legend_beside(ax, own=own, title="others at their mean")
    else:
        ax.text(0.5, 0.5, "no input was found to matter", transform=ax.transAxes, ha="center", color=MIDDLE)
    return ax


def bands(sure: Sure, ax: Axes | None = None, *, needle: str | None = None) -> Axes:
    """Draw the effect curve of a needle with its pointwise 95% confidence interval.

    Parameters
    ----------
    sure : Sure
        What `sure` of a fitted model returned, with pairs of halves.
    ax : Axes or None, default=None
        Where to draw; None makes a new figure.
    needle : str or None, default=None
        The name of the needle; None takes the strongest one that has a band.

    Returns
    -------
    ax : Axes
        The axis.
    """
    told = {own.name: own.effect_band for own in sure.needles if own.effect_band is not None}
    name = next(iter(told), "") if needle is None else needle
    if name not in told:
        raise ValueError(f"{name!r} has no band: ask sure() for pairs; with too few samples halves cannot tell one")
    band = told[name]
    ax = drawing_axis(ax)
    (line,) = ax.plot(band.values, band.effect, linewidth=1.8, label=name)
    ax.fill_between(band.values, band.low, band.high, alpha=0.2, color=line.get_color(), linewidth=0)
    ax.set_xlabel(name)
    ax.set_ylabel("effect, others as in the table")
    return ax


def _line_name(needle: Needle, several: bool) -> str:
    """The name of the needle and, if lines belong to different classes, the class whose probability its line shows."""
    return f"{needle.name}: {needle.label}" if several else needle.name


def pairs(
    model: NeedleRegressor | NeedleClassifier,
    ax: Axes | None = None,
    *,
    pair: tuple[str, str] | None = None,
    span: float = 2.5,
) -> Axes:
    """Draw the prediction over two needles, the others at their mean.

    Parameters
    ----------
    model : NeedleRegressor or NeedleClassifier
        A fitted model.
    ax : Axes or None, default=None
        Where to draw; None makes a new figure.
    pair : (str, str) or None, default=None
        Names of two needles; None takes the strongest two that share a neuron.
    span : float, default=2.5
        How far to go from the mean, in standard deviations of the inputs.

    Returns
    -------
    ax : Axes
        The axis.
    """
    check_is_fitted(model)
    first, second = (_named(model, name) for name in (pair or _strongest_pair(model)))
    ax = drawing_axis(ax)
    grid = np.linspace(-span, span, 81)
    across, up = np.meshgrid(grid, grid)
    values = _prediction(model, {first: across.ravel(), second: up.ravel()}, first.label)
    surface = values.reshape(across.shape)
    # a colour map whose lightness rises evenly, so that it can be read in grey
    filled = ax.contourf(across, up, surface, levels=14, cmap="cividis")
    ax.contour(across, up, surface, levels=7, colors="white", linewidths=0.5, alpha=0.6)
    ax.figure.colorbar(filled, ax=ax, label=_outcome(model, {first.label}))
    ax.set_aspect("equal")
    ax.set_xlabel(f"{first.name} (standard deviations)")
    ax.set_ylabel(f"{second.name} (standard deviations)")
    return ax


def _strongest_pair(model: Any) -> tuple[str, str]:
    """The two strongest needles that share a neuron; the names in a neuron are sorted, strongest first."""
    ranks = {needle.name: rank for rank, needle in enumerate(model.needles_)}
    joined = [neuron.names[:2] for neuron in model.neurons_ if len(neuron.names) > 1]
    if not joined:
        raise ValueError("no two needles share a neuron; name two with pair=(first, second)")
    first, second = min(joined, key=lambda names: sum(ranks[name] for name in names))
    return first, second


def _named(model: Any, name: str) -> Needle:
    for needle in model.needles_:
        if needle.name == name:
            return needle
    raise ValueError(f"{name!r} is not among the needles: {', '.join(model.selected_features_)}")


def _prediction(model: Any, moved: dict[Needle, NDArray[np.float64]], label: Any) -> NDArray[np.float64]:
    """Predictions with some needles moved by standard deviations, and all other inputs at their mean."""
    count = len(next(iter(moved.values())))
    means = [needle.mean for needle in model._inputs]
    table = np.tile(np.array(means), (count, 1))
    for needle, deviations in moved.items():
        table[:, model.needles_.index(needle)] += needle.scale * deviations
    predicted = model._predict_inputs(table)
    return predicted[:, 0 if label is None else list(model._labels).index(label)]


def _outcome(model: Any, labels: set[Any]) -> str:
    if not hasattr(model, "classes_"):
        return "prediction"
    return f"probability of {labels.pop()}" if len(labels) == 1 else "probability of the class named with each line"
