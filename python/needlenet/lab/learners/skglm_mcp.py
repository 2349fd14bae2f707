"""skglm's linear model with MCP, its weight by 5-fold cross-validation."""

from typing import Any

import numpy as np

from . import BINARY, REGRESSION, Learned, most_frequent, standardise

PACKAGE = "skglm"
TASKS = {REGRESSION, BINARY}
GAMMA = 3.0


def learn(x: np.ndarray, y: np.ndarray, test_x: np.ndarray, seed: int) -> Learned:
    from sklearn.model_selection import KFold, StratifiedKFold

    x, test_x = standardise(x, test_x)
    classes = y.dtype.kind == "U"
    labels = np.unique(y)
    target = np.where(y == labels[1], 1.0, -1.0) if classes else y - y.mean()
    splitter = (StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=seed % 2**32)
    folds = list(splitter.split(x, y if classes else None))
    largest = np.abs(x.T @ (target - target.mean())).max() / len(target) / (2 if classes else 1)
    grid = largest * np.logspace(0, -2, 15)
    errors = [np.mean([error(x, target, alpha, fold, classes) for fold in folds]) for alpha in grid]
    model = fitted(x, target, grid[int(np.argmin(errors))], classes)
    kept = np.flatnonzero(model.coef_.ravel())
    stop = f"alpha {grid[int(np.argmin(errors))]:.3g}"
    if len(kept) == 0:
        return Learned(kept, most_frequent(y, len(test_x)), stop)
    linear = test_x @ model.coef_.ravel() + model.intercept_
    return Learned(kept, labels[(linear > 0).astype(int)] if classes else linear + y.mean(), stop)


def fitted(x: np.ndarray, target: np.ndarray, alpha: float, classes: bool) -> Any:
    """The model at one weight of the penalty."""
    from skglm import GeneralizedLinearEstimator
    from skglm.datafits import Logistic, Quadratic
    from skglm.penalties import MCPenalty
    from skglm.solvers import AndersonCD

    datafit = Logistic() if classes else Quadratic()
    solver = AndersonCD(fit_intercept=True, max_iter=100)
    return GeneralizedLinearEstimator(datafit, MCPenalty(alpha, GAMMA), solver).fit(x, target)


def error(x: np.ndarray, target: np.ndarray, alpha: float, fold: tuple, classes: bool) -> float:
    """The prediction error on this fold of the model of the other folds."""
    train, test = fold
    model = fitted(x[train], target[train], alpha, classes)
    linear = x[test] @ model.coef_.ravel() + model.intercept_
    if classes:
        return float(np.mean(np.logaddexp(0, -target[test] * linear)))
    return float(np.mean((linear - target[test]) ** 2))
