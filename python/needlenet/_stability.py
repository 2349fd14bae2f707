"""How often each input is selected on subsamples, and which inputs are selected together."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing, check_consistent_length, indexable

from . import _needlenet
from ._choices import count, real, seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame


@dataclass(frozen=True)
class Stability:
    """Selections on many subsamples.

    Attributes
    ----------
    feature_names : ndarray of object
        Names of all inputs.
    frequencies : ndarray, shape (n_features,)
        The share of replicates that selected each input.
    supports : list of ndarray
        The columns that each replicate selected.
    ever : ndarray of int
        Inputs selected at least once, most frequent first.
    co_selection : ndarray, shape (len(ever), len(ever))
        The share of replicates that selected both of two inputs, in the order of `ever`.
    n_resamples, n_converged : int
        Replicates, and those whose fit converged.
    complementary : bool
        Whether each two replicates are the two halves of the samples.
    """

    feature_names: NDArray[np.object_]
    frequencies: NDArray[np.float64]
    supports: list[NDArray[np.intp]]
    ever: NDArray[np.intp]
    co_selection: NDArray[np.float64]
    n_resamples: int
    n_converged: int
    complementary: bool = False

    def to_frame(self) -> DataFrame:
        """Inputs selected at least once with their frequencies, as a table of pandas."""
        from pandas import DataFrame

        return DataFrame({"input": self.feature_names[self.ever], "frequency": self.frequencies[self.ever]})

    def together(self) -> list[tuple[str, str, float]]:
        """Pairs of inputs that were selected together, most frequent first.

        Returns
        -------
        pairs : list of (str, str, float)
            Two names and the share of replicates that selected both.
        """
        names = self.feature_names[self.ever]
        pairs = [
            (names[a], names[b], float(self.co_selection[a, b]))
            for a in range(len(names))
            for b in range(a + 1, len(names))
            if self.co_selection[a, b] > 0
        ]
        return sorted(pairs, key=lambda pair: -pair[2])

    def bounds(self, cut: float = 0.9) -> tuple[float | None, float | None]:
        """Bound the inputs that complementary pairs select by chance (Shah and Samworth, 2013).

        Of the inputs that a half selects with a chance of at most `q / n_features`, with `q` the mean number of inputs
        selected, this many are expected in a share of at least `cut` of the halves.

        Parameters
        ----------
        cut : float, default=0.9
            The share of halves.

        Returns
        -------
        worst_case, unimodal : float or None
            The bound whatever the law, and if the law of the share of pairs is unimodal; None where there is none.
        """
        if not self.complementary:
            raise ValueError("the bounds are those of complementary pairs: call stability with complementary=True")
        q = float(self.frequencies.sum())
        fields = _needlenet.selection_bounds(q, len(self.frequencies), real("cut", cut), self.n_resamples // 2)
        return fields["worst_case"], fields["unimodal"]

    def plot(self, ax: Axes | None = None, *, most: int = 20) -> Axes:
        """Draw the frequencies of the inputs selected most often.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a new figure.
        most : int, default=20
            Inputs to show.

        Returns
        -------
        ax : Axes
            The axis.
        """
        from .plot import frequencies

        return frequencies(self, ax=ax, most=most)


def stability(
    estimator: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike,
    n_resamples: int = 100,
    *,
    fraction: float = 0.5,
    complementary: bool = False,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Stability:
    """Fit subsamples, and count how often each input is selected.

    Each replicate fits a clone of the estimator, with one thread, on a subsample drawn without replacement, within
    each class for a classifier. Replicates run through joblib, so `joblib.parallel_config` decides where they run,
    also on Dask or Ray; the result does not depend on it.

    Parameters
    ----------
    estimator : estimator
        A selector with `get_support`, such as `NeedleRegressor`, or a model with `coef_`.
    X : array-like of shape (n_samples, n_features)
        The inputs.
    y : array-like of shape (n_samples,)
        The outcome.
    n_resamples : int, default=100
        Replicates.
    fraction : float, default=0.5
        The share of the samples in a replicate.
    complementary : bool, default=False
        Make every two consecutive replicates the two halves of the samples, as `Stability.bounds` requires; `fraction`
        must then be 0.5 and `n_resamples` even.
    random_state : int, RandomState instance or None, default=None
        Seed of the subsamples and of the fits; None is 1.
    n_jobs : int or None, default=None
        Replicates at once.
    verbose : int, default=0
        As in `joblib.Parallel`.

    Returns
    -------
    stability : Stability
        Frequencies, supports and joint selections.

    Examples
    --------
    >>> import numpy as np
    >>> from needlenet import NeedleRegressor, stability
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> y = 2 * X[:, 1] - X[:, 3] + np.random.default_rng(1).normal(size=200)
    >>> result = stability(NeedleRegressor(hidden=None), X, y, n_resamples=10)
    >>> result.frequencies[[1, 3]]
    array([1., 1.])
    >>> result.together()[0]
    ('x1', 'x3', 1.0)
    """
    replicates = count("n_resamples", n_resamples)
    part = real("fraction", fraction)
    if replicates < 1 or not 0 < part <= 1:
        raise ValueError(
            f"n_resamples is {replicates} and fraction {part}; at least 1, and above 0 up to 1, are needed"
        )
    if complementary and (part != 0.5 or replicates % 2):
        raise ValueError("complementary pairs need fraction=0.5 and an even n_resamples")
    X, y = indexable(X, y)
    check_consistent_length(X, y)
    strata = np.unique(np.asarray(y), return_inverse=True)[1] if is_classifier(estimator) else None
    n_samples = len(np.asarray(y))
    children = np.random.SeedSequence(seed(random_state)).spawn(replicates)
    parts = [_rows(child, n_samples, part, strata) for child in children]
    if complementary:
        # the second of each two replicates has the samples that the first does not have
        parts[1::2] = [np.setdiff1d(np.arange(n_samples), rows) for rows in parts[::2]]
    fits = Parallel(n_jobs=n_jobs, verbose=verbose)(
        delayed(_replicate)(estimator, X, y, rows, int(child.generate_state(1)[0]))
        for child, rows in zip(children, parts, strict=True)
    )
    return _counted(_names(X), fits, complementary)


def _rows(
    child: np.random.SeedSequence, n_samples: int, part: float, strata: NDArray[np.intp] | None
) -> NDArray[np.intp]:
    """The samples of a replicate, in their order."""
    generator = np.random.default_rng(child)
    if strata is None:
        strata = np.zeros(n_samples, dtype=np.intp)
    chosen = []
    for stratum in range(strata.max() + 1):
        members = np.flatnonzero(strata == stratum)
        size = max(1, round(part * len(members)))
        chosen.append(generator.choice(members, size, replace=False))
    return np.sort(np.concatenate(chosen))


def _replicate(
    estimator: BaseEstimator, X: Any, y: Any, rows: NDArray[np.intp], replicate_seed: int
) -> tuple[NDArray[np.intp], int, bool]:
    """The columns selected from some rows, the number of all columns, and whether the fit converged."""
    fitted = clone(estimator)
    known = fitted.get_params()
    fitted.set_params(**{name: value for name, value in _own_settings(known, replicate_seed)})
    with warnings.catch_warnings():
        # they are counted, and reported once
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted.fit(_safe_indexing(X, rows), _safe_indexing(y, rows))
    mask = _support(fitted)
    return np.flatnonzero(mask), len(mask), bool(getattr(fitted, "converged_", True))


def _own_settings(known: dict[str, Any], replicate_seed: int) -> list[tuple[str, int]]:
    """A seed and one thread for an estimator and for those inside it."""
    values = {"random_state": replicate_seed, "n_jobs": 1}
    return [(name, values[name.split("__")[-1]]) for name in known if name.split("__")[-1] in values]


def _support(fitted: Any) -> NDArray[np.bool_]:
    if hasattr(fitted, "get_support"):
        return np.asarray(fitted.get_support(), dtype=bool)
    if hasattr(fitted, "coef_"):
        return np.asarray(np.atleast_2d(fitted.coef_).any(axis=0))
    raise TypeError(f"{type(fitted).__name__} selects no inputs; get_support or coef_ is needed")


def _names(X: Any) -> list[str] | None:
    columns = list(getattr(X, "columns", []))
    return columns if columns and all(isinstance(name, str) for name in columns) else None


def _counted(names: list[str] | None, fits: list[tuple[NDArray[np.intp], int, bool]], complementary: bool) -> Stability:
    n_features = fits[0][1]
    counts = np.zeros(n_features, dtype=np.int64)
    for support, _, _ in fits:
        counts[support] += 1
    ever = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    place = np.full(n_features, -1)
    place[ever] = np.arange(len(ever))
    both = np.zeros((len(ever), len(ever)), dtype=np.int64)
    for support, _, _ in fits:
        both[np.ix_(place[support], place[support])] += 1
    n_converged = sum(converged for _, _, converged in fits)
    if n_converged < len(fits):
        warnings.warn(
            f"{len(fits) - n_converged} of {len(fits)} replicates did not converge; raise max_iter.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return Stability(
        feature_names=np.array(names or [f"x{j}" for j in range(n_features)], dtype=object),
        frequencies=counts / len(fits),
        supports=[support for support, _, _ in fits],
        ever=ever,
        co_selection=both / len(fits),
        n_resamples=len(fits),
        n_converged=n_converged,
        complementary=complementary,
    )
