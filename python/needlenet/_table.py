"""Tables as the compiled part can read them in place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_READ_IN_PLACE = frozenset(np.dtype(kind) for kind in ("f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"))


def readable(X: NDArray[Any]) -> NDArray[Any]:
    """`X` itself, or a copy where its number type is not one the compiled part reads."""
    return X if X.dtype in _READ_IN_PLACE else X.astype(np.float64)
