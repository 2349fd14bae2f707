"""How a model agrees with the samples: survival by risk, counts by their expected number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .._survival import times_and_events
from ._axis import DARK, MIDDLE, drawing_axis, line_styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._counts import NeedleCounts
    from .._survival import NeedleSurvival

# standard errors on either side of a mean
BAND = 1.96


def survival_curves(
    model: NeedleSurvival,
    X: ArrayLike,
    y: ArrayLike,
    groups: int = 3,
    offset: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw Kaplan-Meier curves of samples by their predicted risk, and the mean curves that the model predicts, dotted.

    Parameters
    ----------
    model : NeedleSurvival
        A fitted model without strata.
    X : array-like of shape (n_samples, n_features)
        The inputs, best of samples that took no part in the fit.
    y : structured array or array-like of shape (n_samples, 2)
        Time and event, as for `fit`.
    groups : int, default=3
        Groups of as many samples each, from the lowest to the highest risk.
    offset : array-like of shape (n_samples,) or float, default=None
        The offset of each sample, for a model that was fitted with one.
    ax : Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : Axes
        The axis.
    """
    check_is_fitted(model)
    times, events = times_and_events(y)
    risk = model.predict(X, offset)
    check_consistent_length(risk, times)
    predicted = model.predict_survival_function(X, offset=offset)
    ax = drawing_axis(ax)
    parts = _parts(risk, groups)
    for at, (rows, style) in enumerate(zip(parts, line_styles(len(parts)), strict=True)):
        name = (
            "lowest risk" if at == 0 else "highest risk" if at == len(parts) - 1 else f"group {at + 1} of {len(parts)}"
        )
        name = "all samples" if len(parts) == 1 else name
        steps, alive = kaplan_meier(times[rows], events[rows])
        label = f"{name}: {len(rows)} samples, {np.count_nonzero(events[rows])} events"
        ax.step(steps, alive, where="post", linewidth=1.8, label=label, **style)
        reached = model.event_times_ <= times[rows].max()
        curve = predicted[rows][:, reached].mean(axis=0)
        ax.plot(model.event_times_[reached], curve, color=style["color"], linestyle=":", linewidth=1.4)
    ax.set_ylim(0, 1.03)
    ax.set_xlim(left=0)
    ax.set_xlabel("time")
    ax.set_ylabel("share without event (dotted: predicted)")
    ax.legend(frameon=False, loc="lower left")
    return ax


def observed_counts(
    model: NeedleCounts,
    X: ArrayLike,
    y: ArrayLike,
    groups: int = 10,
    offset: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the mean observed count against the mean expected count of samples, by groups of the expected count.

    Parameters
    ----------
    model : NeedleCounts
        A fitted model.
    X : array-like of shape (n_samples, n_features)
        The inputs, best of samples that took no part in the fit.
    y : array-like of shape (n_samples,)
        The counts.
    groups : int, default=10
        Groups of as many samples each, from the smallest to the largest expected count.
    offset : array-like of shape (n_samples,) or float, default=None
        The log of the exposure, for a model that was fitted with one.
    ax : Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : Axes
        The axis. A bar is 1.96 standard errors of the group's mean on either side.
    """
    check_is_fitted(model)
    expected, counts = model.predict(X, offset), np.asarray(y, dtype=np.float64)
    check_consistent_length(expected, counts)
    ax = drawing_axis(ax)
    parts = _parts(expected, groups)
    x = [expected[rows].mean() for rows in parts]
    means = [counts[rows].mean() for rows in parts]
    errors = [BAND * counts[rows].std() / np.sqrt(len(rows)) for rows in parts]
    top = 1.05 * max(max(x), max(np.add(means, errors)))
    ax.plot([0, top], [0, top], color=MIDDLE, linewidth=1.2, linestyle=(0, (4, 2)), label="as expected")
    style: dict[str, Any] = {"fmt": "o", "color": DARK, "markersize": 5, "capsize": 3, "linewidth": 1.4}
    ax.errorbar(x, means, yerr=errors, label="mean of a group of samples", **style)
    ax.set_xlim(0, top)
    ax.set_ylim(0, top)
    ax.set_xlabel("expected count")
    ax.set_ylabel("observed count")
    ax.legend(frameon=False, loc="upper left")
    return ax


def kaplan_meier(
    times: NDArray[np.float64], events: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The times at which the share without event falls, and that share, from 1 at time 0 to the last time."""
    steps = np.unique(times[events])
    at_risk = len(times) - np.searchsorted(np.sort(times), steps, side="left")
    died = np.array([np.count_nonzero(events & (times == step)) for step in steps])
    alive = np.cumprod(1.0 - died / at_risk)
    end = [] if len(steps) and steps[-1] == times.max() else [times.max()]
    return (
        np.concatenate([[0.0], steps, end]),
        np.concatenate([[1.0], alive, alive[-1:] if end and len(alive) else np.ones(len(end))]),
    )


def _parts(values: NDArray[np.float64], groups: int) -> list[NDArray[np.intp]]:
    """The rows of groups of about as many samples, by ascending value; equal values are never divided."""
    if groups < 1:
        raise ValueError(f"groups is {groups}; accepted: 1 or more")
    cuts = np.unique(np.quantile(values, np.arange(1, groups) / groups))
    place = np.searchsorted(cuts, values, side="right")
    return [np.flatnonzero(place == at) for at in np.unique(place)]
