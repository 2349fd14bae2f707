"""Accuracy against the number of inputs used, and how often each input is selected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.model_selection import cross_validate

from ._axis import DARK, LIGHT, MARKERS, colours, drawing_axis, legend_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._stability import Stability


def accuracy_by_size(
    candidates: BaseEstimator | Mapping[str, BaseEstimator],
    X: ArrayLike,
    y: ArrayLike,
    ax: Axes | None = None,
    *,
    cv: Any = 5,
    scoring: Any = None,
    n_jobs: int | None = None,
) -> Axes:
    """Draw the score on unseen samples against the number of inputs a model uses.

    Parameters
    ----------
    candidates : estimator or mapping of str to estimator
        One model, or several by name. Inputs are counted by `get_support`, `coef_` or `feature_importances_`, in a
        pipeline by the first step that selects.
    X : array-like of shape (n_samples, n_features)
        The inputs.
    y : array-like of shape (n_samples,)
        The outcome.
    ax : Axes or None, default=None
        Where to draw; None makes a new figure.
    cv, scoring, n_jobs
        As in `sklearn.model_selection.cross_validate`.

    Returns
    -------
    ax : Axes
        The axis: a small mark for each fold, a large one for their mean.
    """
    if not isinstance(candidates, Mapping):
        candidates = {type(candidates).__name__: candidates}
    own, ax = ax is None, drawing_axis(ax)
    counted: list[int] = []
    for at, (name, estimator) in enumerate(candidates.items()):
        folds = cross_validate(estimator, X, y, cv=cv, scoring=scoring, n_jobs=n_jobs, return_estimator=True)
        sizes = np.array([inputs_used(fitted) for fitted in folds["estimator"]])
        scores = folds["test_score"]
        counted.extend(sizes)
        style: dict[str, Any] = {"color": colours(at + 1)[at], "marker": MARKERS[at % len(MARKERS)]}
        ax.scatter(sizes, scores, s=22, alpha=0.45, linewidth=0, **style)
        mean: dict[str, Any] = {"s": 90, "edgecolor": "white", "linewidth": 0.8, "zorder": 3, "label": name}
        ax.scatter(sizes.mean(), scores.mean(), **mean, **style)
    _scale_sizes(ax, min(counted), max(counted))
    ax.set_xlabel("inputs used")
    ax.set_ylabel("score on unseen samples" if scoring is None else str(scoring))
    legend_beside(ax, own=own)
    return ax


def _scale_sizes(ax: Axes, smallest: int, largest: int) -> None:
    """An axis for a few to thousands of inputs, with plain numbers at its ticks."""
    if largest <= 30:
        ax.set_xlim(0, largest + 1)
        ax.locator_params(axis="x", integer=True)
        return
    ax.set_xscale("symlog", linthresh=1, linscale=0.3)
    ticks = [0, *(digit * 10**power for power in range(7) for digit in (1, 2, 5))]
    shown = [tick for tick in ticks if smallest / 2 <= tick <= 2 * largest]
    ax.set_xticks(shown, [str(tick) for tick in shown])
    ax.set_xticks([], minor=True)
    # a mark at zero is not cut in half
    ax.set_xlim(smallest / 2 if smallest > 0 else -0.3, 1.3 * largest)


def inputs_used(fitted: Any) -> int:
    """How many inputs a fitted model uses."""
    steps = [step for _, step in getattr(fitted, "steps", [])]
    for step in steps:
        if hasattr(step, "get_support"):
            return int(np.count_nonzero(step.get_support()))
    last = steps[-1] if steps else fitted
    if hasattr(last, "get_support"):
        return int(np.count_nonzero(last.get_support()))
    for weights in ("coef_", "feature_importances_"):
        if hasattr(last, weights):
            return int(np.count_nonzero(np.atleast_2d(getattr(last, weights)).any(axis=0)))
    return int(last.n_features_in_)


def frequencies(stability: Stability, ax: Axes | None = None, *, most: int = 20) -> Axes:
    """Draw how often each input was selected, most frequent first.

    Parameters
    ----------
    stability : Stability
        What `needlenet.stability` returned.
    ax : Axes or None, default=None
        Where to draw; None makes a new figure.
    most : int, default=20
        Inputs to show.

    Returns
    -------
    ax : Axes
        The axis.
    """
    ax = drawing_axis(ax)
    shown = stability.ever[:most]
    rows = np.arange(len(shown))
    ax.hlines(rows, 0, stability.frequencies[shown], color=LIGHT, linewidth=2)
    ax.plot(stability.frequencies[shown], rows, "o", color=DARK)
    ax.set_yticks(rows, [str(name) for name in stability.feature_names[shown]])
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(0, 1.02)
    ax.set_xlabel(f"share of {stability.n_resamples} replicates that select the input")
    return ax
