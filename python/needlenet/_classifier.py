"""The classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from ._base import NeedleBase
from ._labels import label_text, labels_of

if TYPE_CHECKING:
    from ._fields import Asked, Choices, Samples, Table
    from ._needlenet import Model


class NeedleClassifier(ClassifierMixin, NeedleBase):
    """Finds the few inputs that matter for a class, and predicts it from them.

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
    class_weight : dict or 'balanced', default=None
        The weight of each class, as scikit-learn has it: 'balanced' gives every class the same. Null outcomes are then
        permutations, whatever `null` says, since such weights are no counts of rows.
    link : {'softmax', 'logit'}, default='softmax'
        From network outputs to class probabilities: one output per class, or one per class but the last.
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
    classes_ : ndarray
        The labels, sorted.
    support_ : ndarray of bool, shape (n_features_in_,)
        Which inputs matter.
    selected_features_ : ndarray of object
        Their names, strongest first.
    coef_ : ndarray, shape (n_features_in_,)
        Signed strength of each input: the root mean square slope of the log odds per standard deviation of the
        input, with the sign of the mean slope; zero outside the support. Of two classes the log odds are those of
        the second; of many, those of the class the input affects most, which `needles_` names.
    needles_ : list of Needle
        The inputs that matter, strongest first: how each acts.
    stand_ins_ : list of Needle
        Inputs found when the needles are left out. Predictions use them if the linear model then predicts left-out
        samples better. They are not in the support.
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
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of str
        Their names, if the table had names.

    See Also
    --------
    NeedleRegressor : The same for a quantity.
    stability : How often each input is selected from parts of the samples.

    Examples
    --------
    >>> import numpy as np
    >>> from needlenet import NeedleClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 30))
    >>> y = np.where(X[:, 4] + X[:, 7] > 0, "tumour", "healthy")
    >>> model = NeedleClassifier().fit(X, y)
    >>> model.get_support(indices=True)
    array([4, 7])
    >>> model.predict(X[:2])
    array(['tumour', 'tumour'], dtype='<U7')
    >>> model.predict_proba(X[:2]).shape
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
        link: str = "softmax",
        class_weight: dict[Any, float] | str | None = None,
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
        self.link = link
        self.class_weight = class_weight

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, offset: ArrayLike | None = None
    ) -> Self:
        """Find the inputs that matter, and fit a model on them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs: a NumPy array, a sparse matrix, a table of pandas, polars, pyarrow or duckdb, or AnnData.
        y : array-like of shape (n_samples,)
            The class of each sample: text, numbers or truth values.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each sample; 0 is no sample. Whole numbers are counts: 2 is the sample twice. Other weights,
            and all with `null='permutation'`, are importances, whose unit does not matter.
        offset : array-like of shape (n_samples,) or float, default=None
            A known part of the outcome, which is added to the network's output: of two classes, the log odds of the
            second.

        Returns
        -------
        self : NeedleClassifier
            The fitted estimator.
        """
        table, outcome = self._checked_fit(X, y)
        check_classification_targets(outcome)
        weights = self._weights(outcome, sample_weight)
        model = self._fit(table, self._asked(outcome), self._samples(len(outcome), weights, offset))
        self._expose_classes(model, np.unique(outcome))
        self._warn_if_not_converged()
        return self

    def predict_proba(self, X: ArrayLike, offset: ArrayLike | None = None) -> NDArray[np.float64]:
        """Predict the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        offset : array-like of shape (n_samples,) or float, default=None
            The offset of each sample, for a model that was fitted with one.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            One column for each of `classes_`.
        """
        probabilities = self._predict(X, offset)
        return probabilities[:, self._columns]

    def predict(self, X: ArrayLike, offset: ArrayLike | None = None) -> NDArray[Any]:
        """Predict the likeliest class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        offset : array-like of shape (n_samples,) or float, default=None
            The offset of each sample, for a model that was fitted with one.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The likeliest of `classes_` for each sample.
        """
        # of equally likely classes the first in the order of the model, as in the program
        likeliest = np.argmax(self._predict(X, offset), axis=1)
        return self._labels[likeliest]

    def _asked(self, y: NDArray[Any]) -> Asked:
        labels, codes = np.unique(column_or_1d(y), return_inverse=True)
        return [label_text(label) for label in labels], codes.astype(np.int64)

    def _choices(self) -> Choices:
        choices = super()._choices()
        # the weight of a class is no count of rows
        return choices if self.class_weight is None else {**choices, "null": "permutation"}

    def _weights(self, y: Any, sample_weight: Any) -> Any:
        if self.class_weight is None:
            return sample_weight
        weights = compute_sample_weight(self.class_weight, y)
        if sample_weight is None:
            return weights
        return weights * _check_sample_weight(sample_weight, np.empty((len(y), 1)), dtype=np.float64)

    def _table_of_fit(self, X: Any, y: Any, samples: Samples = (None, None)) -> Table:
        unknown = set(np.unique(y)) ^ set(self.classes_)
        if unknown:
            raise ValueError(f"y and the fit do not have the same classes: {unknown.pop()!r} is in one of them only")
        return super()._table_of_fit(X, y, samples)

    def _expose_classes(self, model: Model, labels: NDArray[Any]) -> None:
        """Reorders the classes: the learner sorts texts that are numbers by value, scikit-learn all texts by letter."""
        order = {text: at for at, text in enumerate(model.classes)}
        # a class is absent if all its rows were dropped because of missing cells
        labels = np.array([label for label in labels if label_text(label) in order], dtype=labels.dtype)
        self._columns = np.array([order[label_text(label)] for label in labels])
        self._labels = labels[np.argsort(self._columns)]
        self.classes_ = labels
        self._expose(model, self._labels)

    def _restore(self, model: Model) -> None:
        self.link = model.choices["link"]
        self._expose_classes(model, np.unique(labels_of(model.classes)))
