"""The regressor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from ._base import NeedleBase

if TYPE_CHECKING:
    from ._fields import Asked
    from ._needlenet import Model


class NeedleRegressor(RegressorMixin, NeedleBase):
    """Finds the few inputs that matter for a number, and predicts it from them.

    A neural network with a penalty that makes its first layer sparse. The weight of the penalty is derived from
    the level `alpha`, not tuned. As a transformer, it keeps the columns of the selected inputs.

    Parameters
    ----------
    hidden : int, tuple of int or None, default=(40,)
        Widths of the hidden layers; None or () is the linear model.
    penalty : {'harder', 'l1', 'group', 'scad', 'mcp'}, default='harder'
        The penalty on the first layer. 'l1' is LASSO; 'harder', 'scad' and 'mcp' are concave.
    alpha : float, default=0.05
        The level: the probability of finding anything if no input matters.
    lam : float or None, default=None
        The weight of the penalty; None derives it from `alpha`.
    activation : str, default='default'
        'default', 'softplus', 'smooth-relu', 'interactions', or constants 'M,u0,k' such as '20,1,1:2'.
    scale_outcome : bool, default=True
        Divide the outcome by its standard deviation. With False it is centred only and keeps its unit, as in the paper;
        the fit then depends on the unit. The concave penalties need True.
    penalised : bool, default=False
        Predict with the penalised weights instead of the refit or the committee.
    missing : {'error', 'mean', 'indicator', 'drop-rows', 'drop-columns'}, default='error'
        What to do with missing cells: NaN, None, pandas' NA, nulls of Arrow. 'mean' puts the mean of the fit, also in
        predictions; 'indicator' also marks them, and both columns are one input; the others leave out rows or columns.
    category : list of str or int, default=None
        Columns of numbers that are categories, by name (also a pattern such as 'site_*') or by position from 0.
        Columns of words and of a category type are categories without it.
    ordered : dict, default=None
        Categories with ordered levels, such as ``{'grade': ['low', 'mid', 'high']}``: they count as 0, 1, 2.
    unseen : {'error', 'mode', 'mean'}, default='error'
        What a prediction does with a level that the model does not know: refuse it, or read it as the most frequent
        level or as the mean of all levels.
    dates : {'error', 'days'}, default='error'
        What to do with columns of dates: refuse them, or read them as days since 1970-01-01.
    groups : dict, default=None
        Inputs that enter or leave together, such as ``{'pathway': ['gene1', 'gene2']}``.
    always_in : list of str or int, default=None
        Inputs that are always in the model, linearly and without penalty: what is found is found beyond them.
    null : {'law', 'permutation'}, default='law'
        How null outcomes (without needles) are drawn: from their law (Gaussian noise, classes of the observed shares,
        Poisson counts), or by permuting the outcome, which is valid for any noise. It also says what weights mean:
        see `fit`.
    n_draws : int, default=5000
        Number of null draws for the threshold.
    tol : float, default=1e-6
        Violation of the KKT conditions, relative to lambda, at which the fit counts as converged.
    max_iter : int, default=20000
        Largest number of iterations of the last solve; at the limit it stops with a `ConvergenceWarning`.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts (the null draws are fixed). An int gives the same bits as the program with that
        seed; None is the program's default seed, 1, so that a fit can always be repeated.
    n_jobs : int or None, default=None
        Threads of the fit: None is 1, -1 all cores. It does not change the result.
    verbose : bool or int, default=False
        Show a progress bar; 2 leaves it standing at the end.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features_in_,)
        Which inputs matter.
    selected_features_ : ndarray of object
        Their names, strongest first.
    coef_ : ndarray, shape (n_features_in_,)
        Signed strength of each input: the root mean square slope per standard deviation of the input, with the
        sign of the mean slope; zero outside the support.
    needles_ : list of Needle
        The inputs that matter, strongest first: how each acts.
    stand_ins_ : list of Needle
        Always empty: see `NeedleClassifier`.
    groups_ : list of Group
        The inputs of several columns, and the ordered ones, that matter or are always in, with the effects of levels.
    always_ : list of Needle
        The inputs that are always in, and how each acts.
    notes_ : list of str
        What was done to the table that you should know: columns read as categories, cells filled, rows left out.
    neurons_ : list of Neuron
        The neurons in use, and the needles of each.
    linear_ : bool
        Whether the fitted function is linear on the data.
    lambda_, lambda_qut_, lambda_zero_, p_value_ : float
        The penalty in use; the threshold of the level; the smallest penalty at which the empty model is a local
        minimum for these data, and the share of null draws at or above it.
    null_draws_ : ndarray, shape (n_draws,)
        The null draws of the threshold, sorted.
    objective_, kkt_violation_ : float
        How the penalised fit ended: loss plus penalty, and the distance from stationarity relative to lambda.
    converged_ : bool
        Whether fit and refit ended at a stationary point.
    n_iter_ : int
        Iterations over all stages of the path, at least 1.
    path_ : structured ndarray
        The stages of the path: 'lambda', 'tau', 'loss', 'objective', 'n_selected', 'n_iter'.
    noise_ : float
        Standard deviation of what the needles do not explain.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of str
        Their names, if the table had names.

    See Also
    --------
    NeedleClassifier : The same for classes.
    stability : How often each input is selected from parts of the samples.

    Notes
    -----
    The paper's own estimator, LASSO ANN, is
    `NeedleRegressor(hidden=20, penalty='l1', scale_outcome=False, penalised=True)`.

    Examples
    --------
    >>> import numpy as np
    >>> from needlenet import NeedleRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 30))
    >>> y = 3 * np.abs(X[:, 4] - X[:, 7])
    >>> model = NeedleRegressor().fit(X, y)
    >>> model.get_support(indices=True)
    array([4, 7])
    >>> sorted(model.selected_features_)
    ['x4', 'x7']
    >>> model.transform(X).shape
    (200, 2)
    >>> model.score(X, y) > 0.99
    True
    """

    def __init__(
        self,
        *,
        hidden: int | tuple[int, ...] | None = (40,),
        penalty: str = "harder",
        alpha: float = 0.05,
        lam: float | None = None,
        activation: str = "default",
        scale_outcome: bool = True,
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
        self.scale_outcome = scale_outcome

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, offset: ArrayLike | None = None
    ) -> Self:
        """Find the inputs that matter, and fit a model on them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs: a NumPy array, a sparse matrix, a table of pandas, polars, pyarrow or duckdb, or AnnData.
        y : array-like of shape (n_samples,)
            The outcome.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each sample; 0 is no sample. Whole numbers are counts: 2 is the sample twice. Other weights,
            and all with `null='permutation'`, are importances, whose unit does not matter.
        offset : array-like of shape (n_samples,) or float, default=None
            A known part of the outcome, which is added to the network's output.

        Returns
        -------
        self : NeedleRegressor
            The fitted estimator.
        """
        table, outcome = self._checked_fit(X, y, y_numeric=True)
        return self._learn(table, outcome, self._asked(outcome), sample_weight, offset)

    def predict(self, X: ArrayLike, offset: ArrayLike | None = None) -> NDArray[np.float64]:
        """Predict the outcome.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        offset : array-like of shape (n_samples,) or float, default=None
            The offset of each sample, for a model that was fitted with one.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The prediction of each sample.
        """
        return self._predict(X, offset)[:, 0]

    def _asked(self, y: NDArray[Any]) -> Asked:
        return np.asarray(column_or_1d(y), dtype=np.float64)

    @classmethod
    def _from_model(cls, model: Model) -> Self:
        estimator = super()._from_model(model)
        estimator.scale_outcome = model.choices["scale_outcome"]
        return estimator

    def _restore(self, model: Model) -> None:
        self._expose(model)
        self.noise_ = model.noise
