"""The linear l1 model of survival against Coxnet at the same penalty, with heavy ties.

python agree.py    # needs needlenet and scikit-survival
"""

import numpy as np
from sksurv.linear_model import CoxnetSurvivalAnalysis

from needlenet import NeedleSurvival

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 6))
times = np.ceil(4 * rng.exponential(np.exp(-X[:, 0] + 0.5 * X[:, 1])))
events = rng.random(200) < 0.7
X = (X - X.mean(0)) / X.std(0)
y = np.array(list(zip(events, times)), dtype=[("event", bool), ("time", float)])
for lam in (10.0, 20.0, 30.0):
    ours = NeedleSurvival(hidden=None, penalty="l1", lam=lam, penalised=True, ties="breslow", n_draws=100, tol=1e-9).fit(X, y)
    slopes = ours.predict(np.eye(6)) - ours.predict(np.zeros((6, 6)))
    # Coxnet divides the loss by the number of samples
    theirs = CoxnetSurvivalAnalysis(l1_ratio=1.0, alphas=[lam / 200], tol=1e-14, max_iter=10**7).fit(X, y).coef_[:, 0]
    print(f"lambda {lam:g}: largest difference {np.abs(slopes - theirs).max():.1e}, coefficients {theirs.round(3)}")
