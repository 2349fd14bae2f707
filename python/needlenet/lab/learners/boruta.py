"""BorutaPy with a random forest; predictions come from a forest on what it keeps."""

import numpy as np

from . import CLASSIFICATION, REGRESSION, Learned, most_frequent

PACKAGE = "Boruta"
TASKS = {REGRESSION, CLASSIFICATION}


def learn(x: np.ndarray, y: np.ndarray, test_x: np.ndarray, seed: int) -> Learned:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    forest = RandomForestClassifier if y.dtype.kind == "U" else RandomForestRegressor
    kept = select(forest(max_depth=5, n_jobs=1), x, y, seed)
    if len(kept) == 0:
        return Learned(kept, most_frequent(y, len(test_x)), "nothing kept")
    model = forest(500, n_jobs=1, random_state=seed % 2**32).fit(x[:, kept], y)
    return Learned(kept, model.predict(test_x[:, kept]))


def select(estimator: object, x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """The inputs that Boruta confirms."""
    from boruta import BorutaPy

    selector = BorutaPy(estimator, n_estimators="auto", max_iter=100, random_state=seed % 2**32)
    selector.fit(x, np.unique(y, return_inverse=True)[1] if y.dtype.kind == "U" else y)
    return np.flatnonzero(selector.support_)
