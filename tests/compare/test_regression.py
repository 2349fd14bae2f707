"""The linear model in regression is the square-root LASSO: skglm solves the same convex problem.

min ||y - c - X b||_2 + lambda ||b||_1, in the same units in both. With centred columns the best c is the mean of y for
every b, so skglm gets centred data and no intercept.
"""

import numpy as np
import pytest
from conftest import assert_same
from scipy.optimize import linprog
from skglm.experimental.sqrt_lasso import SqrtLasso


def table(n, p, seed):
    """Inputs of any scale and shift, some correlated; five of them act on y."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, p))
    x[:, 1::3] = 0.6 * x[:, 0 : p - 1 : 3] + 0.8 * x[:, 1::3]
    y = x[:, :5] @ np.array([3.0, -2.0, 1.5, 1.0, -1.0]) + 2.0 * rng.standard_normal(n) + 40.0
    return x * rng.uniform(0.01, 100.0, p) + rng.uniform(-10.0, 10.0, p), y


# with p = 10 n the best fit has no residual below a share of about 0.57; its norm has no gradient there, and skglm gives
# up: there the problem is the linear program of the last test
CASES = [(n, p, share) for n, p in [(60, 10), (100, 40), (80, 200)] for share in [0.9, 0.5, 0.25]]
CASES += [(40, 400, share) for share in [0.9, 0.7, 0.6]]


@pytest.mark.parametrize(("n", "p", "share"), CASES)
def test_support_and_objective_are_those_of_the_square_root_lasso(needlenet, n, p, share):
    x, y = table(n, p, seed=n + p)
    report, support, x = needlenet(x, y, share)
    y = y - y.mean()
    peer = SqrtLasso(alpha=report["lambda"], tol=1e-9, max_iter=1000, fit_intercept=False)
    b = peer.fit(x, y).coef_
    objective = np.linalg.norm(y - x @ b) + report["lambda"] * np.abs(b).sum()
    assert_same(report, support, objective, b)
    assert 0 < len(support) < p


def test_nothing_is_selected_just_above_lambda_zero_and_something_just_below(needlenet):
    x, y = table(60, 30, seed=5)
    report, support, x = needlenet(x, y, 1.0001)
    assert support == []
    assert report["objective"] == pytest.approx(np.linalg.norm(y - y.mean()), rel=1e-9)
    _, support, _ = needlenet(x, y, 0.99)
    assert support == [np.abs(x.T @ (y - y.mean())).argmax()]


@pytest.mark.parametrize("share", [0.5, 0.25])
def test_a_perfect_fit_is_the_one_of_least_l1_norm(needlenet, share):
    x, y = table(40, 400, seed=440)
    report, support, x = needlenet(x, y, share)
    assert report["stop"] == "perfect_fit"
    halves = linprog(np.ones(800), A_eq=np.hstack([x, -x]), b_eq=y - y.mean(), method="highs")
    b = halves.x[:400] - halves.x[400:]
    b[np.abs(b) < 1e-9] = 0.0
    assert_same(report, support, report["lambda"] * np.abs(b).sum(), b)
