"""Logistic regression with the l1 penalty, lambda by 10-fold cross-validation (the paper's LASSO GLM)."""

import numpy as np

from . import CLASSIFICATION, Learned, standardise

PACKAGE = "scikit-learn"
TASKS = {CLASSIFICATION}


def learn(x: np.ndarray, y: np.ndarray, test_x: np.ndarray, seed: int) -> Learned:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.multiclass import OneVsRestClassifier

    x, test_x = standardise(x, test_x)
    classes, counts = np.unique(y, return_counts=True)
    folds = StratifiedKFold(max(2, min(10, counts.min())), shuffle=True, random_state=seed % 2**32)
    # liblinear solves the binary problem exactly and fast; several classes are one problem each
    one = LogisticRegression(l1_ratio=1, solver="liblinear", max_iter=1000, random_state=0)
    several = len(classes) > 2
    grid = {("estimator__C" if several else "C"): np.logspace(-3, 2, 16)}
    search = GridSearchCV(OneVsRestClassifier(one) if several else one, grid, cv=folds).fit(x, y)
    best = search.best_estimator_
    coefficients = np.vstack([part.coef_ for part in best.estimators_]) if several else best.coef_
    kept = np.flatnonzero(np.any(coefficients != 0, axis=0))
    return Learned(kept, best.predict(test_x), f"C {next(iter(search.best_params_.values())):.3g}")
