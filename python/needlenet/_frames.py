"""Tables of pandas, polars, pyarrow, duckdb (by narwhals): what the compiled part reads by the program's own rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, TypedDict

import narwhals as nw
import numpy as np
from scipy.sparse import issparse

from ._labels import label_text

Ordered: TypeAlias = Mapping[str, Iterable[Any]] | Iterable[str] | None
Groups: TypeAlias = Mapping[str, Iterable[str]] | None

_EPOCH = np.datetime64("1970-01-01", "us")


class ReadingFields(TypedDict):
    missing: str
    ordered: list[tuple[str, list[str]]]


def frame_of(X: Any) -> nw.DataFrame[Any] | None:
    """`X` as a table with named columns that may differ in kind; none if it is an array."""
    table = nw.from_native(X, pass_through=True)
    if isinstance(table, nw.LazyFrame):
        return table.collect()
    if isinstance(table, nw.DataFrame):
        return table
    return None


def is_of_numbers(table: nw.DataFrame[Any]) -> bool:
    """Whether scikit-learn can make an array of numbers from a table."""
    kinds = table.schema.values()
    return table.implementation.is_pandas_like() | table.implementation.is_polars() and all(
        kind.is_numeric() or kind == nw.Boolean for kind in kinds
    )


def columns_of(X: Any, table: nw.DataFrame[Any] | None) -> list[dict[str, Any]]:
    """The columns as the compiled part reads them."""
    if table is not None:
        is_pandas = table.implementation.is_pandas_like()
        return [_column(name, table[:, at], is_pandas) for at, name in enumerate(table.columns)]
    if issparse(X):
        raise ValueError("a sparse table has no missing cells, groups or inputs that are always in; leave these out")
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead")
    return [_fields(f"x{j + 1}", numbers=np.asarray(array[:, j], dtype=np.float64)) for j in range(array.shape[1])]


def reading(table: nw.DataFrame[Any] | None, missing: str, ordered: Ordered) -> ReadingFields:
    """How to read a table; the levels of an ordered column are those that it declares if none are given."""
    if ordered is None:
        return {"missing": missing, "ordered": []}
    if isinstance(ordered, Mapping):
        pairs = [(name, [label_text(level) for level in levels]) for name, levels in ordered.items()]
    else:
        pairs = [(name, _levels(table, name)) for name in ordered]
    return {"missing": missing, "ordered": pairs}


def pairs_of_groups(groups: Groups) -> list[tuple[str, str]]:
    """Pairs of input and group."""
    return [(name, group) for group, names in (groups or {}).items() for name in names]


def _fields(name: str, **cells: Any) -> dict[str, Any]:
    return {"name": str(name), "numbers": None, "words": None, "levels": None, "dates": None, "other": None, **cells}


def _column(name: str, column: nw.Series[Any], is_pandas: bool) -> dict[str, Any]:
    kind = column.dtype
    if kind.is_numeric() or kind == nw.Boolean:
        return _fields(name, numbers=np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64))
    if isinstance(kind, (nw.Categorical, nw.Enum)):
        return _category(name, column, ordered=is_pandas and isinstance(kind, nw.Enum))
    if kind in (nw.Date, nw.Datetime):
        days = np.array(column.cast(nw.Datetime("us")).to_list(), dtype="datetime64[us]")
        whole = (days - _EPOCH) / np.timedelta64(86_400_000_000, "us")
        return _fields(name, dates=np.where(np.isnat(days), np.nan, whole))
    if kind in (nw.String, nw.Object):
        return _objects(name, column.to_list())
    return _fields(name, other=f"values of type {kind}")


def _category(name: str, column: nw.Series[Any], ordered: bool) -> dict[str, Any]:
    declared = getattr(column.dtype, "categories", None)
    cells = [None if cell is None else label_text(cell) for cell in column.to_list()]
    levels = [label_text(level) for level in declared or sorted({cell for cell in cells if cell is not None})]
    code = {level: at for at, level in enumerate(levels)}
    codes = np.array([-1 if cell is None else code[cell] for cell in cells], dtype=np.int64)
    return _fields(name, levels=(levels, codes, ordered))


def _objects(name: str, cells: list[Any]) -> dict[str, Any]:
    """A column of text, or of Python objects: numbers or words."""
    cells = [None if cell is None or cell != cell else cell for cell in cells]
    known = (str, int, float, np.number)
    if all(cell is None or isinstance(cell, known[1:]) for cell in cells):
        return _fields(name, numbers=np.array([np.nan if cell is None else float(cell) for cell in cells]))
    if all(cell is None or isinstance(cell, known) for cell in cells):
        return _fields(name, words=[None if cell is None else label_text(cell) for cell in cells])
    strange = next(cell for cell in cells if cell is not None and not isinstance(cell, known))
    return _fields(name, other=f"values of type {type(strange).__name__}")


def _levels(table: nw.DataFrame[Any] | None, name: str) -> list[str]:
    """The levels that a column declares: a category of pandas, an Enum of polars."""
    declared = None
    if table is not None and name in table.columns:
        column = table[name]
        declared = getattr(column.dtype, "categories", None)
        if declared is None and isinstance(column.dtype, nw.Categorical):
            declared = column.cat.get_categories().to_list()
    if declared is None:
        raise ValueError(f"the column {name!r} declares no levels; give ordered={{{name!r}: [lowest, ..., highest]}}")
    return [label_text(level) for level in declared]
