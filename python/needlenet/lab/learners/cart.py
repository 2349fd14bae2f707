"""CART with the rules of R's rpart: at least 20 samples to split, 7 in a leaf, complexity 0.01.

The needles are the inputs that the tree splits on.
"""

import numpy as np

from . import CLASSIFICATION, REGRESSION, Learned

PACKAGE = "scikit-learn"
TASKS = {REGRESSION, CLASSIFICATION}


def learn(x: np.ndarray, y: np.ndarray, test_x: np.ndarray, seed: int) -> Learned:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if y.dtype.kind == "U":
        shares = np.unique(y, return_counts=True)[1] / len(y)
        tree, impurity = DecisionTreeClassifier, 1 - np.sum(shares**2)
    else:
        tree, impurity = DecisionTreeRegressor, np.var(y)
    # complexity is relative to the impurity of the root
    rules = dict(min_samples_split=20, min_samples_leaf=7, ccp_alpha=0.01 * impurity)
    model = tree(**rules, random_state=seed % 2**32).fit(x, y)
    used = np.unique(model.tree_.feature[model.tree_.feature >= 0])
    return Learned(used, model.predict(test_x), f"{model.get_n_leaves()} leaves")
