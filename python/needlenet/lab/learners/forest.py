"""Random forest of 500 trees; the needles are the inputs split on significantly often.

If splits fell on inputs at random, the number of splits on one input would be binomial; an input whose number has a
p-value below 0.05 / p is kept. That is the rule the paper took from the R package randomForestExplainer.
"""

from typing import Any

import numpy as np

from . import CLASSIFICATION, REGRESSION, Learned

PACKAGE = "scikit-learn"
TASKS = {REGRESSION, CLASSIFICATION}
ALPHA = 0.05


def learn(x: np.ndarray, y: np.ndarray, test_x: np.ndarray, seed: int) -> Learned:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    # as R's randomForest: a third of the inputs for a number, the root of them for classes
    if y.dtype.kind == "U":
        forest = RandomForestClassifier(500, max_features="sqrt", n_jobs=1, random_state=seed % 2**32)
    else:
        forest = RandomForestRegressor(500, max_features=1 / 3, min_samples_leaf=5, n_jobs=1, random_state=seed % 2**32)
    forest.fit(x, y)
    return Learned(significant(forest, x.shape[1]), forest.predict(test_x), "500 trees")


def significant(forest: Any, p: int) -> np.ndarray:
    """The inputs on which more splits fall than chance explains."""
    from scipy.stats import binom

    features = np.concatenate([tree.tree_.feature for tree in forest.estimators_])
    counts = np.bincount(features[features >= 0], minlength=p)
    return np.flatnonzero(binom.sf(counts - 1, counts.sum(), 1 / p) < ALPHA / p)
