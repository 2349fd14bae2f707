"""Cox's model with the l1 penalty, its weight by the concordance of 5-fold cross-validation."""

import numpy as np

from . import SURVIVAL, Learned, standardise

PACKAGE = "scikit-survival"
TASKS = {SURVIVAL}


def learn(x: np.ndarray, y: np.ndarray, test_x: np.ndarray, seed: int) -> Learned:
    from sklearn.model_selection import GridSearchCV, KFold
    from sksurv.linear_model import CoxnetSurvivalAnalysis

    x, test_x = standardise(x, test_x)
    path = CoxnetSurvivalAnalysis(l1_ratio=1.0, alpha_min_ratio=0.01, n_alphas=50).fit(x, y)
    folds = KFold(5, shuffle=True, random_state=seed % 2**32)
    penalties = {"alphas": [[alpha] for alpha in path.alphas_]}
    model = GridSearchCV(CoxnetSurvivalAnalysis(l1_ratio=1.0), penalties, cv=folds).fit(x, y).best_estimator_
    return Learned(np.flatnonzero(model.coef_[:, 0]), model.predict(test_x), f"alpha {model.alphas_[0]:.3g}")
