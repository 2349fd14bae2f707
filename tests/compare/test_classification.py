"""The linear model in classification is the l1 logistic regression: scikit-learn solves the same convex problem.

min sum_i -log p(y_i) + lambda ||W||_1 with free intercepts, where scikit-learn puts C = 1 / lambda before the loss.
For two classes scikit-learn has one weight per input where softmax has two; the least of |v| + |w| for a given
difference w - v = b is |b|, so both have the same minimum, and so has the logit link, whose second output is zero.
"""

import numpy as np
import pytest
from conftest import assert_same
from sklearn.linear_model import LogisticRegression


def table(n, p, classes, seed):
    """Inputs of any scale and shift; four of them act on the log odds of the classes, which are not balanced."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, p))
    odds = x[:, :4] @ rng.normal(0.0, 1.5, (4, classes)) + np.linspace(0.0, 1.0, classes)
    y = (odds + rng.gumbel(size=(n, classes))).argmax(axis=1)
    return x * rng.uniform(0.01, 100.0, p) + rng.uniform(-10.0, 10.0, p), y


def peer(x, y, penalty):
    """The coefficients of scikit-learn, and the objective they reach, computed here."""
    saga = LogisticRegression(
        l1_ratio=1.0, C=1.0 / penalty, solver="saga", tol=1e-11, max_iter=200_000, random_state=0
    )
    saga.fit(x, y)
    assert saga.n_iter_.max() < 200_000
    odds = x @ saga.coef_.T + saga.intercept_
    if odds.shape[1] == 1:
        odds = np.hstack([np.zeros_like(odds), odds])
    loss = (np.logaddexp.reduce(odds, axis=1) - odds[np.arange(len(y)), y]).sum()
    return loss + penalty * np.abs(saga.coef_).sum(), saga.coef_


@pytest.mark.parametrize("link", ["softmax", "logit"])
@pytest.mark.parametrize("share", [0.8, 0.4])
@pytest.mark.parametrize(("n", "p"), [(120, 15), (60, 100)])
def test_two_classes_agree_with_logistic_regression(needlenet, n, p, share, link):
    x, y = table(n, p, 2, seed=n + p)
    report, support, x = needlenet(x, y, share, "--link", link)
    assert report["classes"] == ["0", "1"]
    assert_same(report, support, *peer(x, y, report["lambda"]))
    assert 0 < len(support) < p


@pytest.mark.parametrize("share", [0.8, 0.4])
@pytest.mark.parametrize(("n", "p"), [(200, 12), (80, 90)])
def test_four_classes_agree_with_multinomial_regression(needlenet, n, p, share):
    x, y = table(n, p, 4, seed=n + p)
    report, support, x = needlenet(x, y, share)
    assert report["classes"] == ["0", "1", "2", "3"]
    assert_same(report, support, *peer(x, y, report["lambda"]))
    assert 0 < len(support) < p
