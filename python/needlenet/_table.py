"""Tables in a form that the compiled part can read in place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

_READ_IN_PLACE = frozenset(np.dtype(kind) for kind in ("f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"))

SparseFields = tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float64], int]
"""Starts of the columns, rows and values of the cells, and the number of samples."""


def readable(X: Any) -> Any:
    """`X` itself, or a copy if the compiled part cannot read its number type; for a sparse table its cells."""
    if issparse(X):
        return _cells(X)
    return X if X.dtype in _READ_IN_PLACE else X.astype(np.float64)


def dense_columns(X: Any, columns: list[int]) -> tuple[Any, list[int]]:
    """A table that contains the given columns, and their positions; of a sparse table only these are made dense."""
    if not issparse(X):
        return X, columns
    return np.asfortranarray(X.tocsc()[:, columns].toarray()), list(range(len(columns)))


def _cells(X: Any) -> SparseFields:
    X = X.tocsc()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    n = X.shape[0]
    if n > np.iinfo(np.uint32).max:
        raise ValueError(f"{n} samples are more than a sparse table may have (4294967295)")
    # a row is never negative, so 32 bits can be read as they are
    rows = X.indices.view(np.uint32) if X.indices.dtype == np.int32 else X.indices.astype(np.uint32)
    return X.indptr.astype(np.int64, copy=False), rows, X.data.astype(np.float64, copy=False), n
