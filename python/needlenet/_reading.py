"""How an estimator reads its table: the table of a fit, and the columns that a prediction needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import (
    _check_y,
    check_array,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from ._cells import columns_named, dense, is_annotated, matrix_of, names_of
from ._frame import cells_of, columns_of, is_frame, is_known, is_pandas, set_names
from ._rules import rules_of_fit, rules_of_prediction
from ._shards import Shards, as_shards, is_sharded
from ._table import dense_columns, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ._fields import Asked, Samples, Table
    from ._found import Group, Needle
    from ._needlenet import Model


class ReadsTables:
    """scikit-learn checks arrays; the compiled part reads tables with named columns."""

    missing: str
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    groups_: list[Group]
    needles_: list[Needle]
    stand_ins_: list[Needle]
    always_: list[Needle]
    _model: Model
    # whether the model is from a file, which has only the names of the needles
    _known_by_name = False

    def _asked(self, y: Any) -> Asked:
        """The outcome in the form for the compiled part."""
        raise NotImplementedError

    @property
    def _counts_from_zero(self) -> bool:
        """Whether the columns have no names; then the model numbers them from 1, and scikit-learn from 0."""
        return not (self._known_by_name or hasattr(self, "feature_names_in_"))

    @property
    def _inputs(self) -> list[Needle]:
        """The inputs that predictions need, in the order of the learner."""
        return self.needles_ + self.stand_ins_ + self.always_

    def _checked_fit(self, X: Any, y: Any = "no_validation", *, y_numeric: bool = False) -> Any:
        """A table, and its outcome if there is one, checked; sets `feature_names_in_` and `n_features_in_`.

        The compiled part reads tables with named columns, as the program does; here only their names are checked.
        """
        self._known_by_name = False
        if is_sharded(X):
            table = self._checked_shards(as_shards(X))
            if isinstance(y, str):
                return table
            outcome = _check_y(y.compute() if is_sharded(y) else y, y_numeric=y_numeric, estimator=self)
            check_consistent_length(table, outcome)
            return table, outcome
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

    def _checked_shards(self, X: Shards) -> Shards:
        """A table in shards; sets `feature_names_in_` and `n_features_in_`."""
        unset = {"missing": "error", "category": None, "ordered": None, "groups": None}
        given = [name for name, default in unset.items() if getattr(self, name) != default]
        if given:
            raise ValueError(f"{given[0]} does not work with a table in shards; leave it out")
        self.n_features_in_ = X.shape[1]
        if X.feature_names is not None:
            self.feature_names_in_ = np.array(X.feature_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return X

    def _of_shards(self, X: Any) -> Any:
        """The columns of a table in shards that predictions need, in the learner's order."""
        X = as_shards(X)
        if self._known_by_name:
            places = {name: at for at, name in enumerate(X.names)}
            missing = [needle.name for needle in self._inputs if needle.name not in places]
            if missing:
                raise ValueError(f"the model needs the column {missing[0]!r}, which the table does not have")
            return X.columns([places[needle.name] for needle in self._inputs])
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but the fit had {self.n_features_in_}")
        return X.columns([needle.index for needle in self._inputs])

    @property
    def _finite(self) -> bool | str:
        """Which checks of finite values scikit-learn runs on an array."""
        return True if self.missing == "error" else "allow-nan"

    def _table(self, X: Any, asked: Asked, samples: Samples) -> Table:
        """A checked table for the compiled part; the names in the model are those that the program would use."""
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
        if is_sharded(X):
            values = self._of_shards(X)
            return values, range(values.shape[1])
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
        """The columns of a named table that predictions need, and their names in the model.

        A model file has only the names of these columns. A table with all columns of the fit is checked by
        scikit-learn, which refuses another order and names that the fit did not have.
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
        """Checks the names of a table; if a column is missing, the error also says which are needed."""
        if not is_known(X):
            # scikit-learn does not support this kind of table; the columns are found by name
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
        """The table of the fit, given again."""
        return self._table(self._again(X), self._asked(y), samples)

    def _again(self, X: Any) -> Any:
        """The inputs of the fit, given again and checked."""
        if is_sharded(X):
            raise ValueError("this does not work with a table in shards; give one in memory")
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
