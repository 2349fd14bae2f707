"""How an estimator reads its table: the table of a fit, and the columns that a prediction needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import _check_y, check_array, check_is_fitted, validate_data

from ._cells import columns_named, dense, is_annotated, matrix_of, names_of
from ._frame import cells_of, columns_of, is_frame, is_known, is_pandas, set_names
from ._rules import rules_of_fit, rules_of_prediction
from ._table import dense_columns, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ._fields import Asked, Samples, Table
    from ._found import Group, Needle
    from ._needlenet import Model


class ReadsTables:
    """Arrays are checked by scikit-learn; the compiled part looks into tables with named columns."""

    missing: str
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    groups_: list[Group]
    needles_: list[Needle]
    stand_ins_: list[Needle]
    always_: list[Needle]
    _model: Model
    # whether the model is from a file, which knows the names of the needles only
    _known_by_name = False

    def _asked(self, y: Any) -> Asked:
        """The outcome as the compiled part takes it."""
        raise NotImplementedError

    @property
    def _counts_from_zero(self) -> bool:
        """Whether the columns have no names, which the model then counts from 1 and scikit-learn from 0."""
        return not (self._known_by_name or hasattr(self, "feature_names_in_"))

    @property
    def _inputs(self) -> list[Needle]:
        """What predictions need, in the learner's order."""
        return self.needles_ + self.stand_ins_ + self.always_

    def _checked_fit(self, X: Any, y: Any = "no_validation", *, y_numeric: bool = False) -> Any:
        """A table, and its outcome if there is one, checked; sets `feature_names_in_` and `n_features_in_`.

        The compiled part looks into tables with named columns, as the program does; here only their names are checked.
        """
        self._known_by_name = False
        if is_annotated(X):
            names = np.array(names_of(X), dtype=object)
            checked = self._checked_fit(matrix_of(X), y, y_numeric=y_numeric)
            self.feature_names_in_ = names
            return checked
        if is_frame(X):
            set_names(self, X)
            return X if isinstance(y, str) else (X, _check_y(y, y_numeric=y_numeric, estimator=self))
        how = {"ensure_min_samples": 2, "accept_sparse": ["csc", "csr"], "ensure_all_finite": self._finite}
        try:
            if isinstance(y, str):
                return validate_data(self, X, **how)
            return validate_data(self, X, y, y_numeric=y_numeric, **how)
        except ValueError as error:
            if "X contains NaN" in str(error):
                error.add_note("needlenet has rules for missing cells: give missing='mean' or 'indicator'.")
            raise

    @property
    def _finite(self) -> bool | str:
        """What scikit-learn is to check of an array."""
        return True if self.missing == "error" else "allow-nan"

    def _table(self, X: Any, asked: Asked, samples: Samples) -> Table:
        """A checked table as the compiled part takes it; the names in the model are those the program would give."""
        names = getattr(self, "feature_names_in_", None)
        if self._known_by_name and is_frame(X):
            names = [str(name) for name in columns_of(X)]
        if names is None and is_frame(X):
            names = [f"x{at + 1}" for at in range(self.n_features_in_)]
        named = None if names is None else list(names)
        rules = rules_of_prediction(self) if self._known_by_name else rules_of_fit(self)
        return cells_of(X) if is_frame(X) else readable(X), named, asked, samples, rules

    def _values(self, X: Any) -> tuple[Any, Sequence[int]]:
        """A table of numbers, and its columns that predictions need, in the learner's order."""
        check_is_fitted(self)
        if is_annotated(X) and not self._counts_from_zero:
            needed = self._model.needed
            values = readable(dense(columns_named(X, needed)))
            values = self._model.read(values, needed, rules_of_prediction(self))
            return values, range(values.shape[1])
        X = matrix_of(X)
        if is_frame(X):
            part, names = self._part(X)
            values = self._model.read(cells_of(part), names, rules_of_prediction(self))
            return values, range(values.shape[1])
        X = self._checked(X)
        coded = any(group.kind != "given" for group in self.groups_)
        if not coded and self.missing == "error":
            values, columns = dense_columns(X, [needle.index for needle in self._inputs])
            return readable(values), columns
        needed = self._model.needed
        known = getattr(self, "feature_names_in_", None)
        places = [int(name[1:]) - 1 for name in needed] if known is None else [list(known).index(n) for n in needed]
        values, columns = dense_columns(X, places)
        values = self._model.read(readable(values[:, columns]), needed, rules_of_prediction(self))
        return values, range(values.shape[1])

    def _part(self, X: Any) -> tuple[Any, list[str]]:
        """What predictions need of a table with named columns, and how the model calls its columns.

        A model file knows the names of these columns only. A table with all columns of the fit goes through
        scikit-learn's own checks, which refuse another order and names that the fit did not have.
        """
        if self._counts_from_zero:
            self._checked_names(X)
            return X, [f"x{at + 1}" for at in range(len(columns_of(X)))]
        needed = self._model.needed
        missing = self._missing(X)
        if self._known_by_name and missing:
            raise ValueError(f"the model needs the column {missing[0]!r}, which the table does not have")
        if not self._known_by_name and (missing or not self._is_part_of_the_fit(X)):
            self._checked_names(X)
        part = X[needed] if is_pandas(X) and needed else X
        return part, [str(name) for name in columns_of(part)]

    def _missing(self, X: Any) -> list[str]:
        """Names of the columns that predictions need and a table with names does not have."""
        own = set(columns_of(X))
        return [name for name in self._model.needed if name not in own]

    def _is_part_of_the_fit(self, X: Any) -> bool:
        """Whether a table with names lacks columns of the fit."""
        names = getattr(self, "feature_names_in_", None)
        return names is not None and not set(names) <= set(columns_of(X))

    def _checked_names(self, X: Any) -> None:
        """Checks the names of a table; where a column is missing, the error also says which are needed."""
        if not is_known(X):
            # scikit-learn does not know this kind of table; the columns are found by name
            missing = self._missing(X)
            if missing:
                raise ValueError(f"the model needs the column {missing[0]!r}, which the table does not have")
            return
        try:
            validate_data(self, X, reset=False, skip_check_array=True)
        except ValueError as error:
            missing = self._missing(X) if self._is_part_of_the_fit(X) else []
            if not missing:
                raise
            needed = ", ".join(map(repr, self._model.needed))
            raise ValueError(
                f"{error}Predictions only need the columns {needed}; of these the table lacks "
                f"{', '.join(map(repr, missing))}."
            ) from error

    def _checked(self, X: Any) -> Any:
        """An array with all columns of the fit."""
        return validate_data(self, X, reset=False, accept_sparse=["csc", "csr"], ensure_all_finite=self._finite)

    def _table_of_fit(self, X: Any, y: Any, samples: Samples = (None, None)) -> Table:
        """The table of the fit, once more."""
        return self._table(self._again(X), self._asked(y), samples)

    def _again(self, X: Any) -> Any:
        """The inputs of the fit, once more, checked."""
        if is_annotated(X):
            if not self._counts_from_zero and names_of(X) != list(getattr(self, "feature_names_in_", names_of(X))):
                raise ValueError("the columns of the table are not those of the fit, or are in another order")
            X = matrix_of(X)
            return check_array(X, accept_sparse=["csc", "csr"], ensure_all_finite=self._finite)
        if not is_frame(X):
            return self._checked(X)
        if not self._known_by_name:
            self._checked_names(X)
            return X
        for needle in self._inputs if not self.groups_ else []:
            names = columns_of(X)
            if needle.index >= len(names) or names[needle.index] != needle.name:
                raise ValueError(f"column {needle.index} of X is not {needle.name!r}; give X in the order of the fit")
        return X
