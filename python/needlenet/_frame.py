"""Passes tables with named columns to the compiled part, which decides the kind of each column as the program does."""

from __future__ import annotations

from datetime import date
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from ._labels import label_text
from ._table import readable

if TYPE_CHECKING:
    from ._fields import Cells

# milliseconds
DAY = 86_400_000


def is_frame(X: Any) -> bool:
    """Whether a table has named columns: pandas, or any object that exports Arrow columns (polars, pyarrow, duckdb)."""
    exports = hasattr(X, "__arrow_c_stream__") or is_pandas(X)
    return exports and len(getattr(X, "shape", (0, 0))) == 2


def is_pandas(X: Any) -> bool:
    """Whether a table is of pandas, which exports Arrow columns only if pyarrow is installed."""
    return hasattr(X, "iloc") and hasattr(X, "dtypes")


def is_known(X: Any) -> bool:
    """Whether every version of scikit-learn can read the names of such a table."""
    return type(X).__module__.partition(".")[0] in ("pandas", "polars")


def columns_of(X: Any) -> list[Any]:
    """The names of the columns of a table, in their order; those of pandas may be anything."""
    if hasattr(X, "column_names"):
        return list(X.column_names)
    return list(X.columns if hasattr(X, "columns") else X.schema.names)


def set_names(estimator: Any, X: Any) -> None:
    """Sets `feature_names_in_` and `n_features_in_`, by scikit-learn's rules if it supports the kind of table."""
    if is_known(X):
        validate_data(estimator, X, skip_check_array=True)
    else:
        estimator.feature_names_in_ = np.array(columns_of(X), dtype=object)
    estimator.n_features_in_ = len(columns_of(X))


def cells_of(X: Any) -> Any:
    """A table in the form for the compiled part.

    An object that exports Arrow columns is passed as it is, and its columns are read in place. A table of pandas
    is passed as one array if all its columns are numbers of NumPy, and otherwise as a list of columns.
    """
    if not is_pandas(X):
        return X
    kinds = set(X.dtypes)
    if kinds and all(isinstance(kind, np.dtype) and kind.kind in "fiub" for kind in kinds):
        return readable(X.to_numpy() if len(kinds) == 1 else X.to_numpy(dtype=np.float64))
    return [(str(name), _cells(column)) for name, column in X.items()]


def _cells(column: Any) -> Cells:
    """The cells of a column of pandas: numbers, a category, days, words, or a description of another type."""
    kind = column.dtype
    if hasattr(kind, "categories") and hasattr(kind, "ordered"):
        levels = [label_text(level) for level in kind.categories]
        return levels, column.cat.codes.to_numpy(dtype=np.int64), bool(kind.ordered)
    if kind.kind == "M":
        return (_days(column),)
    if kind.kind in "fiub":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind.kind not in "OUT":
        return f"values of type {kind}"
    return _of_objects(column)


def _days(column: Any) -> NDArray[np.float64]:
    """Dates and times as days since 1970-01-01, those with a zone in universal time."""
    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_convert(None)
    return _since_1970(column.to_numpy(dtype="datetime64[ms]"))


def _since_1970(times: NDArray[np.datetime64]) -> NDArray[np.float64]:
    return np.where(np.isnat(times), np.nan, times.astype(np.int64) / DAY)


def _of_objects(column: Any) -> Cells:
    """Words, or numbers that are stored as objects."""
    missing = column.isna().to_numpy()
    kinds = {type(value) for value, gone in zip(column, missing, strict=True) if not gone}
    if kinds and all(issubclass(kind, date) for kind in kinds):
        days = np.array(
            [None if gone else value for value, gone in zip(column, missing, strict=True)], dtype="datetime64[ms]"
        )
        return (_since_1970(days),)
    if all(issubclass(kind, Number | np.bool_) for kind in kinds):
        return np.array([np.nan if gone else float(value) for value, gone in zip(column, missing, strict=True)])
    strange = [kind for kind in kinds if not issubclass(kind, str | Number | np.bool_)]
    if strange:
        return f"values of type {strange[0].__name__}"
    return [None if gone else label_text(value) for value, gone in zip(column, missing, strict=True)]
