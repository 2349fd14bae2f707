"""Tables in a form that the compiled part can read in place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

_READ_IN_PLACE = frozenset(np.dtype(kind) for kind in ("f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"))

SparseFields = tuple[bool, NDArray[Any], NDArray[Any], NDArray[Any], int]
"""Whether rows follow each other, where each line begins, places and values of the cells, and the number of columns."""


def readable(X: Any) -> Any:
    """`X` itself, or a copy if the compiled part cannot read its number type; for a sparse table its cells."""
    if issparse(X):
        return _cells(X)
    return X if X.dtype in _READ_IN_PLACE else X.astype(np.float64)


def dense_columns(X: Any, columns: list[int]) -> tuple[Any, list[int]]:
    """A table that contains the given columns, and their positions; of a sparse table only these are made dense."""
    if not issparse(X):
        return X, columns
    return np.asfortranarray(_by_lines(X)[:, columns].toarray()), list(range(len(columns)))


def _by_lines(X: Any) -> Any:
    """A sparse table whose cells follow each other by rows or by columns."""
    return X if X.format in ("csr", "csc") else X.tocsc()


def _cells(X: Any) -> SparseFields:
    X = _by_lines(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    n = X.shape[0]
    if n > np.iinfo(np.uint32).max:
        raise ValueError(f"{n} samples are more than a sparse table may have (4294967295)")
    values = X.data if X.data.dtype in (np.float32, np.float64) else X.data.astype(np.float64)
    return X.format == "csr", X.indptr, X.indices, values, X.shape[1]
