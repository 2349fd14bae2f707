"""The base class of the estimators: parameters, fit, selection, files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_array,
    check_is_fitted,
    column_or_1d,
)

from . import _needlenet
from ._cells import columns_named, is_annotated, matrix_of
from ._choices import as_choices, count, real
from ._found import Name, groups_of, needles_of, neurons_of, path_of
from ._frame import is_frame
from ._progress import progress_bar
from ._reading import ReadsTables
from ._rules import rules_of_fit
from ._shards import Shards, as_shards, is_sharded
from ._sure import Sure, frequencies_of, run_pieces, sure_of
from ._table import readable

if TYPE_CHECKING:
    from ._fields import Asked, Choices, Samples
    from ._needlenet import Model


class NeedleBase(ReadsTables, SelectorMixin, BaseEstimator):
    """A model of the few inputs that matter, which is also a selector of them."""

    # the regressor has no such parameter, and the learner ignores it there
    link = "softmax"
    # the classifier has no such parameter: classes have no unit
    scale_outcome = True
    # a parameter of survival only
    ties = "efron"

    def __init__(
        self,
        *,
        hidden: int | tuple[int, ...] | None = (40,),
        penalty: str = "harder",
        alpha: float = 0.05,
        lam: float | None = None,
        activation: str = "default",
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
        self.hidden = hidden
        self.penalty = penalty
        self.alpha = alpha
        self.lam = lam
        self.activation = activation
        self.penalised = penalised
        self.missing = missing
        self.category = category
        self.ordered = ordered
        self.unseen = unseen
        self.dates = dates
        self.groups = groups
        self.always_in = always_in
        self.null = null
        self.n_draws = n_draws
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def _choices(self) -> Choices:
        return as_choices(
            hidden=self.hidden,
            penalty=self.penalty,
            alpha=self.alpha,
            lam=self.lam,
            activation=self.activation,
            link=self.link,
            scale_outcome=self.scale_outcome,
            null=self.null,
            ties=self.ties,
            n_draws=self.n_draws,
            tol=self.tol,
            max_iter=self.max_iter,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )

    def _fit(self, X: Any, asked: Asked, samples: Samples = (None, None)) -> Model:
        """Fits a checked table."""
        with progress_bar(self.verbose) as show:
            if isinstance(X, Shards):
                always = rules_of_fit(self)["always"]
                model = _needlenet.fit_sharded(X, asked, samples, always, self._choices(), show)
                self.notes_ = list(X.notes)
                return model
            model, self.notes_ = _needlenet.fit(self._table(X, asked, samples), self._choices(), show)
        return model

    def _learn(self, X: Any, y: Any, asked: Asked, sample_weight: Any, offset: Any) -> Self:
        """Fits a checked table and sets the fitted attributes."""
        self._restore(self._fit(X, asked, self._samples(len(y), sample_weight, offset)))
        self._warn_if_not_converged(stacklevel=4)
        return self

    def _weights(self, y: Any, sample_weight: Any) -> Any:
        """The weights of a fit."""
        return sample_weight

    def _samples(self, n: int, sample_weight: Any, offset: Any) -> Samples:
        """Weights and offset of `n` samples as the compiled part takes them."""
        rows = np.empty((n, 1))
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, rows, dtype=np.float64)
        return weights, self._offset(n, offset)

    def _offset(self, n: int, offset: Any) -> NDArray[np.float64] | None:
        """An offset for each of `n` samples: one number serves all."""
        if offset is None:
            return None
        if np.ndim(offset) == 0:
            return np.full(n, float(offset))
        values = np.asarray(column_or_1d(np.asarray(offset, dtype=np.float64)))
        if len(values) != n:
            raise ValueError(f"there are {len(values)} offsets and {n} samples; give one for each sample")
        return values

    def _expose(self, model: Model, labels: NDArray[Any] | None = None) -> None:
        """Keeps a model and sets the fitted attributes; `labels` are in the model's order."""
        self._model = model
        if not hasattr(self, "n_features_in_"):
            # a model from a file has no names of the columns of its table, only of those that the learner used
            self.n_features_in_ = model.n_features
            self.notes_ = []
        names = self._names()
        self.needles_ = needles_of(model.needles, names, labels)
        self.stand_ins_ = needles_of(model.stand_ins, names, labels)
        self.always_ = needles_of(model.always, names, labels)
        unnamed = range(self.n_features_in_) if self._counts_from_zero else []
        self.groups_ = groups_of(model, {f"x{at + 1}": f"x{at}" for at in unnamed})
        self.selected_features_ = np.array(list(dict.fromkeys(needle.input for needle in self.needles_)), dtype=object)
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.coef_ = np.zeros(self.n_features_in_)
        for needle in reversed(self.needles_):
            self.support_[needle.index] = True
            self.coef_[needle.index] = np.copysign(needle.strength, needle.mean_slope)
        self.neurons_ = neurons_of(model, [needle.name for needle in self.needles_])
        self.linear_ = model.linear
        self.lambda_ = model.lambda_
        self.lambda_qut_ = model.lambda_qut
        self.lambda_zero_ = model.lambda_zero
        self.p_value_ = model.p_value
        self.null_draws_ = model.null_draws
        self.objective_ = model.certificate["objective"]
        self.kkt_violation_ = model.certificate["kkt_violation"]
        self.converged_ = model.converged
        self.path_ = path_of(model)
        # at least 1, also if the start was already the solution
        self.n_iter_ = max(1, int(self.path_["n_iter"].sum()))

    def _names(self) -> Callable[[str, str, int], Name]:
        """How the model's columns are called: as in scikit-learn (x0, x1, ... without names), and where they are."""
        known = getattr(self, "feature_names_in_", None)
        position = {} if known is None else {name: at for at, name in enumerate(known)}
        counts_from_zero = self._counts_from_zero

        def name_of(name: str, of: str, index: int) -> Name:
            if counts_from_zero:
                at = int(of[1:]) - 1
                return Name(f"x{at}{name.removeprefix(of)}", f"x{at}", at)
            return Name(name, of, position.get(of, index))

        return name_of

    def _warn_if_not_converged(self, stacklevel: int = 3) -> None:
        for what, end in (("fit", self._model.certificate), ("refit", self._model.refit)):
            if not end["converged"]:
                warnings.warn(
                    f"The {what} did not converge ({end['ended']}), so its result is not to be relied on; "
                    f"raise max_iter (now {self.max_iter}).",
                    ConvergenceWarning,
                    stacklevel=stacklevel,
                )

    def _predict(self, X: Any, offset: Any = None) -> NDArray[np.float64]:
        """The learner's prediction: one column of numbers, or one per class of the model."""
        values, columns = self._values(X)
        return self._model.predict(values, columns, self.penalised, self._offset(len(values), offset))

    def outside(self, X: Any) -> NDArray[np.bool_]:
        """Tell which samples lie outside the data of the fit.

        For such a sample a nonlinear prediction is held near the range of the fit, and a linear one extrapolates. Both
        are unreliable.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples,) of bool
            Whether any input that predictions use is outside its range in the samples of the fit.
        """
        outside = self._model.outside(*self._values(X))
        if outside is None:
            raise ValueError("the model file is from before ranges were kept: fit again to know them")
        return outside

    def _predict_inputs(self, values: NDArray[Any], offset: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The learner's prediction from one column for each needle and stand-in, strongest first."""
        return self._model.predict(readable(values), range(values.shape[1]), self.penalised, offset)

    def transform(self, X: ArrayLike) -> Any:
        """Keep the columns of the inputs that matter.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.

        Returns
        -------
        X_kept : ndarray or DataFrame of shape (n_samples, n_selected)
            The selected columns, in their order; a table of the kind that `set_output` asked for.
        """
        check_is_fitted(self)
        if is_sharded(X):
            return as_shards(X).columns(np.flatnonzero(self.support_).tolist())
        if is_annotated(X) and not self._counts_from_zero:
            return columns_named(X, list(self.get_feature_names_out()))
        table: Any = matrix_of(X)
        X = table
        by_name = self._known_by_name or self._is_part_of_the_fit(X) if is_frame(X) else False
        if not by_name:
            return super().transform(X)
        self._part(X)
        kept = table[list(self.get_feature_names_out())]
        return check_array(kept, dtype=None, ensure_all_finite=self._finite, ensure_min_features=0)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the selected inputs, in the order of the columns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of all inputs, for a model fitted without names.

        Returns
        -------
        names : ndarray of object
            One name for each column that `transform` returns.
        """
        check_is_fitted(self)
        if input_features is None and self._known_by_name:
            in_order = sorted(self.needles_, key=lambda needle: needle.index)
            return np.array(list(dict.fromkeys(needle.input for needle in in_order)), dtype=object)
        return super().get_feature_names_out(input_features)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file, which `needlenet.load` and the program read.

        Parameters
        ----------
        path : path-like
            The file. It is replaced atomically: a reader sees the old file or the whole new one.
        """
        check_is_fitted(self)
        self._model.save(os.fspath(path))

    def summary(self) -> str:
        """What was found, how sure it is and how the fit ended, in words.

        Returns
        -------
        text : str
            Several lines, for `print`.
        """
        check_is_fitted(self)
        return self._model.summary(self._counts_from_zero)

    def report(self, path: str | os.PathLike[str], X: ArrayLike | None = None, y: ArrayLike | None = None) -> None:
        """Write the answer as a page for a browser: one file, with pictures, without scripts.

        Parameters
        ----------
        path : path-like
            The file, such as ``report.html``. It is replaced atomically, like the file of `save`.
        X : array-like of shape (n_samples, n_features), default=None
            The inputs of the fit, which a model does not keep. With them the page also shows the samples, how
            good the fit is, and near copies of the needles.
        y : array-like of shape (n_samples,), default=None
            The outcome of the fit.
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise ValueError("a page with samples needs both X and y; give both or neither")
        if X is not None:
            self._check_page()
        table = None if X is None else self._table_of_fit(X, y)
        self._model.write_page(os.fspath(path), f"{self!r}.fit(X, y)", self._counts_from_zero, table)

    def _check_page(self) -> None:
        """Refuses a page with samples if it would be wrong."""
        if self._model.has_offset:
            raise ValueError("a page with samples is not drawn for a model with an offset; leave X and y out")

    def sure(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        pairs: int = 50,
        cut: float = 0.9,
        near_copy: float = 0.9,
        n_jobs: int | None = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> Sure:
        """Say how sure each needle is: a p-value, how often halves of the samples select it, an interval.

        The model keeps the answer: `summary`, `report` and `save` then have it too, and the attributes
        `p_values_`, `p_adjusted_` and `selection_frequencies_` are set.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs of the fit, which a model does not keep.
        y : array-like of shape (n_samples,)
            The outcome of the fit.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the fit.
        offset : array-like of shape (n_samples,) or float, default=None
            The offset of the fit.
        pairs : int, default=50
            Pairs of halves of the samples, each half fitted by itself; 0 for the p-values only.
        cut : float, default=0.9
            The share of halves to which the bounds on chance belong.
        near_copy : float, default=0.9
            An input that is correlated with a needle by as much is its near copy, and is tested with it.
        n_jobs : int or None, default=None
            Tests and halves at once through joblib, each on one thread: in processes, or wherever
            `joblib.parallel_config` says, also on Dask or Ray. None uses the threads of the model in this process.
            The answer is the same, bit for bit.
        resume : path-like or None, default=None
            A file to which each finished test and half is appended. A call that was stopped goes on from the file when
            it is made again with the same table and model. The file is that of ``needlenet fit --sure --out``.
            It stays; remove it once the model is saved.

        Returns
        -------
        sure : Sure
            How sure each needle is, with `to_frame`.
        """
        check_is_fitted(self)
        weights = self._weights(y, sample_weight)
        if self._model.has_offset != (offset is not None) or (self._model.weighted and weights is None):
            raise ValueError("the model was fitted with another offset or other weights; give those of the fit")
        table = self._table_of_fit(X, y, self._samples(_num_samples(y), weights, offset))
        options = (real("near_copy", near_copy), count("pairs", pairs), real("cut", cut))
        ledger = _needlenet.SureLedger(None if resume is None else os.fspath(resume), self._model)
        with progress_bar(self.verbose) as show:
            if n_jobs is not None:
                run_pieces(self._model, table, options, ledger, n_jobs, show)
            self._model = _needlenet.sure(self._model, table, options, ledger, show)
        return self._expose_sure(None if self._counts_from_zero else table[1])

    def _expose_sure(self, names: list[str] | None) -> Sure:
        """Sets the attributes that say how sure the needles are."""
        fields = self._model.sure
        if fields is None:
            raise ValueError("the model does not say how sure its needles are; call sure(X, y)")
        answer = sure_of(fields, self.needles_, names)
        self.p_values_ = np.ones(self.n_features_in_)
        self.p_adjusted_ = np.ones(self.n_features_in_)
        for needle in answer.needles:
            self.p_values_[needle.index] = needle.p_value
            self.p_adjusted_[needle.index] = needle.p_adjusted
        if self._model.n_features == self.n_features_in_:
            self.selection_frequencies_ = frequencies_of(fields, self.n_features_in_)
        else:
            # the learner used other columns than the table has: only those of the needles are known
            self.selection_frequencies_ = np.zeros(self.n_features_in_)
            for needle in answer.needles:
                self.selection_frequencies_[needle.index] = needle.frequency or 0.0
        return answer

    def _repr_html_inner(self) -> str:
        return self._with_answer(super()._repr_html_inner())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._with_answer(bundle["text/html"])
        return bundle

    def _with_answer(self, html: str) -> str:
        """scikit-learn's diagram of the parameters and, once fitted, what was found."""
        if not hasattr(self, "_model"):
            return html
        return html + self._model.compact_html(self._counts_from_zero)

    @classmethod
    def _from_model(cls, model: Model) -> Self:
        """An estimator with the parameters and the attributes of a model file."""
        choices = model.choices
        estimator = cls(
            hidden=tuple(choices["hidden"]),
            penalty=choices["penalty"],
            alpha=choices["alpha"],
            lam=choices["lambda"],
            activation=choices["activation"],
            null=choices["null"],
            n_draws=choices["draws"],
            tol=choices["tolerance"],
            max_iter=choices["max_iterations"],
            random_state=choices["seed"],
            n_jobs=choices["threads"] or -1,
        )
        # x1, x2, ... are positions in a table without names
        positions = all(needle["name"] == f"x{needle['index'] + 1}" for needle in model.needles + model.stand_ins)
        estimator._known_by_name = not positions
        estimator._restore(model)
        return estimator

    def _restore(self, model: Model) -> None:
        """Sets the fitted attributes from a model file."""
        raise NotImplementedError
