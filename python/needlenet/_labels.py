"""Converts class labels of any type to the texts of the program and of model files."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _needlenet


def is_classes(y: NDArray[Any]) -> bool:
    """Whether an outcome is classes by the program's rule; text and truth values are.

    >>> [is_classes(np.array(y)) for y in (["a", "b"], [True, False], [0, 1] * 3, [1, 2, 3] * 4, [1.5, 2.5, 3.5])]
    [True, True, True, False, False]
    """
    if y.dtype.kind not in "fiu":
        return True
    return _needlenet.numbers_are_classes(np.asarray(y, dtype=np.float64))[0]


def label_text(label: Any) -> str:
    """The program's text for a label: `1` for 1 and 1.0, `true` for True.

    >>> [label_text(label) for label in (1, 1.0, 0.5, True, "tumour")]
    ['1', '1', '0.5', 'true', 'tumour']
    """
    if isinstance(label, (bool, np.bool_)):
        return "true" if label else "false"
    if isinstance(label, (float, np.floating)):
        value = float(label)
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(label)


def labels_of(texts: list[str]) -> NDArray[Any]:
    """Labels from the texts of a model file: numbers where all are numbers, truth values, else text.

    >>> labels_of(["0", "1"]), labels_of(["0.5", "1"]), labels_of(["false", "true"]), labels_of(["a", "1"])
    (array([0, 1]), array([0.5, 1. ]), array([False,  True]), array(['a', '1'], dtype='<U1'))
    """
    if set(texts) == {"false", "true"}:
        return np.array([text == "true" for text in texts])
    for kind in (np.int64, np.float64):
        try:
            return np.array([kind(text) for text in texts])
        except (ValueError, OverflowError):
            continue
    return np.array(texts)
