"""The linear l1 model of counts is the l1 Poisson regression: skglm solves the same convex problem.

min sum_i mu_i - y_i log mu_i + lambda ||w||_1 with a free intercept, where skglm divides the loss by the number of samples.
"""

import numpy as np
import pytest
from scipy.special import xlogy
from skglm import GeneralizedLinearEstimator
from skglm.datafits import Poisson
from skglm.penalties import L1
from skglm.solvers import ProxNewton


def table(n, p, seed):
    """Inputs of any scale and shift, of which three act on the log mean."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, p))
    y = rng.poisson(np.exp(0.5 + 0.6 * x[:, 0] - 0.4 * x[:, 1] + 0.3 * x[:, 2])).astype(float)
    return x * rng.uniform(0.01, 100.0, p) + rng.uniform(-10.0, 10.0, p), y


@pytest.mark.parametrize("share", [0.8, 0.4])
@pytest.mark.parametrize(("n", "p"), [(200, 10), (80, 100)])
def test_counts_agree_with_poisson_regression(needlenet, n, p, share):
    x, y = table(n, p, seed=n + p)
    report, support, x = needlenet(x, y, share, "--task", "counts")
    solver = ProxNewton(tol=1e-10, max_iter=200, max_pn_iter=10_000, fit_intercept=True)
    peer = GeneralizedLinearEstimator(Poisson(), L1(alpha=report["lambda"] / n), solver).fit(x, y)
    coefficients = np.ravel(peer.coef_)
    output = x @ coefficients + float(np.ravel(peer.intercept_)[0])
    # half the deviance: zero where the mean is the count
    loss = (np.exp(output) - y * output - y + xlogy(y, y)).sum()
    theirs = loss + report["lambda"] * np.abs(coefficients).sum()
    assert report["objective"] == pytest.approx(theirs, rel=1e-7)
    assert support == np.flatnonzero(coefficients).tolist()
    assert 0 < len(support) < p
