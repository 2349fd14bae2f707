"""The competitors that live in Python: one small file each, one interface.

A module of this folder has ``PACKAGE`` (whose version goes into the rows), ``TASKS`` (what it can learn) and
``learn(x, y, test_x, seed)``, which gives a :class:`Learned`. Classes are an array of text, a quantity one of
numbers, counts one of integers, and survival has the fields ``event`` and ``time``. Imports of the package stand
inside ``learn``, so that a competitor that is not installed is in nobody's way.
"""

import importlib
import importlib.metadata
from dataclasses import dataclass
from types import ModuleType

import numpy as np

REGRESSION, CLASSIFICATION, BINARY, SURVIVAL = "regression", "classification", "binary", "survival"

#: name of the learner -> module
NAMES = {
    "lasso-cv": "lasso_cv",
    "l1-logistic": "l1_logistic",
    "cart": "cart",
    "forest": "forest",
    "boruta": "boruta",
    "xgboost-boruta": "xgboost_boruta",
    "skglm-mcp": "skglm_mcp",
    "lassonet": "lassonet",
    "coxnet-cv": "coxnet_cv",
}


@dataclass(frozen=True)
class Learned:
    """The inputs that a learner kept (``None``: it does not select), and its predictions at the test samples."""

    selected: np.ndarray | None
    predicted: np.ndarray
    stop: str = ""


def module(name: str) -> ModuleType:
    """The module of a learner."""
    if name not in NAMES:
        raise SystemExit(f'"{name}" is no learner; in Python there are {", ".join(NAMES)}')
    return importlib.import_module(f"{__name__}.{NAMES[name]}")


def version(name: str) -> str:
    """The package a learner is from, with its version."""
    package = module(name).PACKAGE
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        raise SystemExit(f"{name} needs the package {package}: pip install needlenet[bench]") from None


def learns(name: str, y: np.ndarray) -> bool:
    """Whether a learner can learn such an outcome."""
    tasks = module(name).TASKS
    if y.dtype.names:
        return SURVIVAL in tasks
    if y.dtype.kind != "U":
        return REGRESSION in tasks
    return CLASSIFICATION in tasks or (BINARY in tasks and len(np.unique(y)) == 2)


def standardise(x: np.ndarray, test_x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Standardises inputs to mean 0 and standard deviation 1 on the training samples."""
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation = np.where(deviation > 1e-12 * (1 + np.abs(mean)), deviation, 1.0)
    return (x - mean) / deviation, (test_x - mean) / deviation


def most_frequent(y: np.ndarray, count: int) -> np.ndarray:
    """The prediction of a learner that kept nothing: the mean, the most frequent class, or equal risks."""
    if y.dtype.names:
        return np.zeros(count)
    if y.dtype.kind == "U":
        labels, counts = np.unique(y, return_counts=True)
        return np.full(count, labels[counts.argmax()])
    return np.full(count, y.mean())
