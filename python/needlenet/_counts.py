"""The estimator of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import d2_tweedie_score
from sklearn.utils.validation import column_or_1d

from ._base import NeedleBase

if TYPE_CHECKING:
    from ._fields import Asked
    from ._needlenet import Model


class NeedleCounts(NeedleBase):
    """Finds the few inputs that matter for a count, by Poisson's law with the log link.

    The parameters and fitted attributes are those of `NeedleRegressor`, without `scale_outcome` and `noise_`; slopes
    are those of the log of the mean count.

    Attributes
    ----------
    dispersion_ : float
        The variance of the counts about their means, relative to Poisson's law: 1 if they follow it. If it is far
        above 1, the level holds only with ``null='permutation'``.

    See Also
    --------
    NeedleRegressor : The same for a quantity; it describes the parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from needlenet import NeedleCounts
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 20))
    >>> years = rng.uniform(1, 5, size=300)
    >>> y = rng.poisson(years * np.exp(0.7 * X[:, 3]))
    >>> model = NeedleCounts().fit(X, y, offset=np.log(years))
    >>> model.get_support(indices=True)
    array([3])
    >>> model.predict(X[:2], offset=0).shape
    (2,)
    """

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, offset: ArrayLike | None = None
    ) -> Self:
        """Find the inputs that matter, and fit a model on them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs: a NumPy array, a sparse matrix, a table of pandas, polars, pyarrow or duckdb, or AnnData.
        y : array-like of shape (n_samples,)
            The counts: 0, 1, 2, ...
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each sample; 0 is no sample. Whole numbers are counts: 2 is the sample twice. Other weights,
            and all with `null='permutation'`, are importances, whose unit does not matter.
        offset : array-like of shape (n_samples,) or float, default=None
            The log of the exposure.

        Returns
        -------
        self : NeedleCounts
            The fitted estimator.
        """
        table, outcome = self._checked_fit(X, y, y_numeric=True)
        return self._learn(table, outcome, self._asked(outcome), sample_weight, offset)

    def predict(self, X: ArrayLike, offset: ArrayLike | None = None) -> NDArray[np.float64]:
        """Predict the mean count.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        offset : array-like of shape (n_samples,) or float, default=None
            The log of the exposure, for a model that was fitted with one; 0 gives the rate.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            The mean count of each sample.
        """
        return self._predict(X, offset)[:, 0]

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, offset: Any = None) -> float:
        """Share of the Poisson deviance that is explained.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        y : array-like of shape (n_samples,)
            The counts.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        offset : array-like of shape (n_samples,) or float, default=None
            The log of the exposure, for a model that was fitted with one.

        Returns
        -------
        score : float
            1 at best; 0 for the mean count.
        """
        return float(d2_tweedie_score(y, self.predict(X, offset), sample_weight=sample_weight, power=1))

    def _asked(self, y: NDArray[Any]) -> Asked:
        return "counts", np.asarray(column_or_1d(y), dtype=np.float64)

    def _restore(self, model: Model) -> None:
        self._expose(model)
        self.dispersion_ = model.dispersion
