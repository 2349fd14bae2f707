"""The estimator of survival."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from . import _needlenet
from ._base import NeedleBase
from ._frame import is_frame
from ._sure import Sure

if TYPE_CHECKING:
    from ._fields import Asked
    from ._needlenet import Model


class NeedleSurvival(NeedleBase):
    """Finds the few inputs that matter for a time until an event, by Cox's partial likelihood.

    The parameters and fitted attributes are those of `NeedleRegressor`, without `scale_outcome` and `noise_`, and
    with `ties`; slopes are those of the log hazard. Null outcomes are permutations of time and event, which is exact.

    Parameters
    ----------
    ties : {'efron', 'breslow'}, default='efron'
        How events at the same time are counted.

    Attributes
    ----------
    event_times_ : ndarray
        The times of events, ascending.

    See Also
    --------
    NeedleRegressor : The same for a quantity; it describes the other parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from needlenet import NeedleSurvival
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 20))
    >>> times = rng.exponential(np.exp(-1.5 * X[:, 3]))
    >>> seen = rng.random(200) < 0.7
    >>> model = NeedleSurvival().fit(X, np.column_stack([times, seen]))
    >>> model.get_support(indices=True)
    array([3])
    >>> model.predict_survival_function(X[:2], times=[0.5, 1]).shape
    (2, 2)
    """

    def __init__(
        self,
        *,
        hidden: int | tuple[int, ...] | None = (40,),
        penalty: str = "harder",
        alpha: float = 0.05,
        lam: float | None = None,
        activation: str = "default",
        ties: str = "efron",
        penalised: bool = False,
        missing: str = "error",
        category: list[str | int] | None = None,
        ordered: dict[str, list[str]] | None = None,
        unseen: str = "error",
        dates: str = "error",
        groups: dict[str, list[str | int]] | None = None,
        always_in: list[str | int] | None = None,
        null: str = "law",
        n_draws: int = 5000,
        tol: float = 1e-6,
        max_iter: int = 20_000,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        super().__init__(
            hidden=hidden,
            penalty=penalty,
            alpha=alpha,
            lam=lam,
            activation=activation,
            penalised=penalised,
            missing=missing,
            category=category,
            ordered=ordered,
            unseen=unseen,
            dates=dates,
            groups=groups,
            always_in=always_in,
            null=null,
            n_draws=n_draws,
            tol=tol,
            max_iter=max_iter,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.ties = ties

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        strata: ArrayLike | None = None,
    ) -> Self:
        """Find the inputs that matter, and fit a model on them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs: a NumPy array, a sparse matrix, a table of pandas, polars, pyarrow or duckdb, or AnnData.
        y : structured array or array-like of shape (n_samples, 2)
            Time and event: a structured array with one field of truth values and one of numbers, as scikit-survival
            has it, or two columns, first the time and then 1 where the event was seen, 0 where the time is censored.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each sample; 0 is no sample. Whole numbers are counts: 2 is the sample twice. Other weights,
            and all with `null='permutation'`, are importances, whose unit does not matter.
        offset : array-like of shape (n_samples,) or float, default=None
            A known part of the log hazard.
        strata : array-like of shape (n_samples,), default=None
            The stratum of each sample, each with a baseline hazard of its own.

        Returns
        -------
        self : NeedleSurvival
            The fitted estimator.
        """
        table = self._checked_fit(X)
        times, events = times_and_events(y)
        names = [] if strata is None else [str(s) for s in column_or_1d(np.asarray(strata))]
        if not is_frame(table):
            check_consistent_length(table, times)
        if names:
            check_consistent_length(times, names)
        return self._learn(table, times, (times, events, names), sample_weight, offset)

    def predict(self, X: ArrayLike, offset: ArrayLike | None = None) -> NDArray[np.float64]:
        """Predict the log risk.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        offset : array-like of shape (n_samples,) or float, default=None
            The offset of each sample, for a model that was fitted with one.

        Returns
        -------
        risk : ndarray of shape (n_samples,)
            The log hazard of each sample, up to a constant: the higher, the earlier the event.
        """
        return self._predict(X, offset)[:, 0]

    def predict_survival_function(
        self,
        X: ArrayLike,
        times: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        strata: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """Predict the probability of no event over time, with Breslow's baseline hazard.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        times : array-like of shape (n_times,), default=None
            The times; `event_times_` if not given.
        offset : array-like of shape (n_samples,) or float, default=None
            The offset of each sample, for a model that was fitted with one.
        strata : array-like of shape (n_samples,), default=None
            The stratum of each sample, for a model that has strata.

        Returns
        -------
        survival : ndarray of shape (n_samples, n_times)
            One row for each sample.
        """
        risk = self.predict(X, offset)
        at = self.event_times_ if times is None else np.asarray(times, dtype=np.float64)
        baselines = {name: (steps, hazards) for name, steps, hazards in self._model.baselines}
        if strata is None and len(baselines) > 1:
            raise ValueError(f"the model has strata ({', '.join(baselines)}); give the stratum of each sample")
        names = [next(iter(baselines))] * len(risk) if strata is None else [str(s) for s in np.asarray(strata)]
        unknown = set(names) - set(baselines)
        if unknown:
            raise ValueError(f"the model has no stratum {min(unknown)!r}; it has {', '.join(baselines)}")
        cumulated = {
            name: np.concatenate([[0.0], hazards])[np.searchsorted(steps, at, side="right")]
            for name, (steps, hazards) in baselines.items()
        }
        return np.exp(-np.stack([cumulated[name] for name in names]) * np.exp(risk)[:, None])

    def score(self, X: ArrayLike, y: ArrayLike, offset: ArrayLike | None = None) -> float:
        """Harrell's concordance: the share of comparable pairs that the risk orders correctly.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        y : structured array or array-like of shape (n_samples, 2)
            Time and event, as for `fit`.
        offset : array-like of shape (n_samples,) or float, default=None
            The offset of each sample, for a model that was fitted with one.

        Returns
        -------
        concordance : float
            1 at best, 0.5 by chance.
        """
        times, events = times_and_events(y)
        return _needlenet.concordance(times, events, self.predict(X, offset))

    def _asked(self, y: Any) -> Asked:
        return *times_and_events(y), []

    def _check_page(self) -> None:
        if len(self._model.baselines) > 1 or self._model.has_offset:
            raise ValueError("a page with samples is not drawn for a model with strata or offset; leave X and y out")

    def sure(self, X: ArrayLike, y: ArrayLike, **options: Any) -> Sure:
        """Say how sure each needle is, as `NeedleRegressor.sure` does; not for a model with strata.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs of the fit.
        y : structured array or array-like of shape (n_samples, 2)
            Time and event of the fit.
        **options : dict
            As in `NeedleRegressor.sure`.

        Returns
        -------
        sure : Sure
            How sure each needle is, with `to_frame`.
        """
        check_is_fitted(self)
        if len(self._model.baselines) > 1:
            raise ValueError("sure does not take strata; the program does: needlenet fit --strata NAME --sure")
        return super().sure(X, y, **options)

    def _restore(self, model: Model) -> None:
        self.ties = model.choices["ties"]
        self._expose(model)
        self.event_times_ = np.unique(np.concatenate([times for _, times, _ in model.baselines]))


def times_and_events(y: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Time and event of each sample, from a structured array, a table or two columns."""
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    y = np.asarray(y)
    if y.dtype.names is not None:
        fields = [y[name] for name in y.dtype.names]
        truths = [field for field in fields if field.dtype == bool]
        numbers = [field for field in fields if field.dtype != bool]
        if len(truths) != 1 or len(numbers) != 1:
            raise ValueError(f"y has the fields {y.dtype}; one of truth values and one of numbers are needed")
        return np.ascontiguousarray(numbers[0], dtype=np.float64), np.ascontiguousarray(truths[0])
    if y.ndim != 2 or y.shape[1] != 2:
        raise ValueError(f"y has shape {y.shape}; two columns, time and event, or a structured array are needed")
    columns = y.astype(np.float64)
    events = columns[:, 1]
    strange = events[(events != 0) & (events != 1)]
    if strange.size:
        raise ValueError(f"the event of a sample is {strange[0]:g}; 1 is an event that was seen, 0 one that was not")
    return np.ascontiguousarray(columns[:, 0]), events == 1
