"""LASSO with lambda by 10-fold cross-validation, as glmnet's default."""

import numpy as np

from . import REGRESSION, Learned, standardise

PACKAGE = "scikit-learn"
TASKS = {REGRESSION}


def learn(x: np.ndarray, y: np.ndarray, test_x: np.ndarray, seed: int) -> Learned:
    from sklearn.linear_model import LassoCV
    from sklearn.model_selection import KFold

    x, test_x = standardise(x, test_x)
    folds = KFold(10, shuffle=True, random_state=seed % 2**32)
    model = LassoCV(cv=folds, max_iter=100_000).fit(x, y)
    return Learned(np.flatnonzero(model.coef_), model.predict(test_x), f"alpha {model.alpha_:.3g}")
