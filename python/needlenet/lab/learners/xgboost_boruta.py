"""BorutaPy with boosted trees of XGBoost; predictions come from XGBoost on what it keeps."""

import numpy as np

from . import CLASSIFICATION, REGRESSION, SURVIVAL, Learned, most_frequent
from .boruta import select

PACKAGE = "xgboost"
TASKS = {REGRESSION, CLASSIFICATION, SURVIVAL}


def learn(x: np.ndarray, y: np.ndarray, test_x: np.ndarray, seed: int) -> Learned:
    from xgboost import XGBClassifier, XGBRegressor

    classes = y.dtype.kind == "U"
    boosting = XGBClassifier if classes else XGBRegressor
    labels, numbers = np.unique(y, return_inverse=True) if classes else (y, y)
    options: dict[str, object] = {"n_jobs": 1}
    if y.dtype.names:
        # a censored time is a negative one
        options["objective"], numbers = "survival:cox", np.where(y["event"], y["time"], -y["time"])
    elif y.dtype.kind == "i":
        options["objective"] = "count:poisson"
    kept = select(boosting(max_depth=5, **options), x, y if classes else numbers, seed)
    if len(kept) == 0:
        return Learned(kept, most_frequent(y, len(test_x)), "nothing kept")
    model = boosting(n_estimators=200, max_depth=3, learning_rate=0.1, random_state=seed % 2**32, **options)
    predicted = model.fit(x[:, kept], numbers).predict(test_x[:, kept])
    return Learned(kept, labels[predicted] if classes else predicted)
