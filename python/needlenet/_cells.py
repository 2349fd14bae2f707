"""Single cells as anndata has them: a matrix of cells and genes with the names of both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse


def is_annotated(X: Any) -> bool:
    """Whether a table is an AnnData object, or has its attributes."""
    return all(hasattr(X, part) for part in ("var_names", "obs_names", "X"))


def matrix_of(X: Any) -> Any:
    """The matrix of an annotated table, read into memory if it is in a file; any other table itself."""
    if not is_annotated(X):
        return X
    return X.to_memory().X if getattr(X, "isbacked", False) else X.X


def names_of(X: Any) -> list[str]:
    """The names of the columns of an annotated table."""
    names = [str(name) for name in X.var_names]
    if len(set(names)) < len(names):
        raise ValueError("two columns of the table have the same name; call X.var_names_make_unique() first")
    return names


def columns_named(X: Any, wanted: list[str]) -> Any:
    """Some columns of the matrix of an annotated table, by name, kept as they are."""
    place = {name: at for at, name in enumerate(names_of(X))}
    missing = [name for name in wanted if name not in place]
    if missing:
        raise ValueError(f"the model needs the column {missing[0]!r}, which the table does not have")
    return matrix_of(X)[:, [place[name] for name in wanted]]


def dense(values: Any) -> NDArray[Any]:
    """A matrix as an array."""
    return np.asarray(values.toarray() if issparse(values) else values)
