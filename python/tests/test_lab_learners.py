"""The competitors: each finds the needle of an easy law, and predicts better than by chance.

Those of the extra ``bench`` are left out where they are not installed: pip install Boruta xgboost skglm lassonet
"""

import importlib.util

import numpy as np
import pytest

from needlenet.lab import learners
from needlenet.lab.replicates import recovery, timed

REGRESSION = [name for name in learners.NAMES if learners.REGRESSION in learners.module(name).TASKS]
CLASSES = [name for name in learners.NAMES if name not in ("lasso-cv", "coxnet-cv")]
SURVIVAL = [name for name in learners.NAMES if learners.SURVIVAL in learners.module(name).TASKS]
IMPORTS = {"Boruta": "boruta", "scikit-learn": "sklearn", "scikit-survival": "sksurv"}


def needs(name):
    package = learners.module(name).PACKAGE
    modules = [IMPORTS.get(package, package)] + (["boruta"] if name == "xgboost-boruta" else [])
    if any(importlib.util.find_spec(module) is None for module in modules):
        pytest.skip(f"{package} is not installed")


def table(n=150, p=6, seed=0):
    """Input 2 alone matters, and linearly."""
    rng = np.random.default_rng(seed)
    x, test_x = rng.normal(size=(n, p)), rng.normal(size=(300, p))
    return x, 3 * x[:, 2] + 0.3 * rng.normal(size=n), test_x, 3 * test_x[:, 2]


@pytest.fixture(autouse=True)
def short_path_of_lassonet(monkeypatch):
    """Its path takes minutes otherwise; an easy law is as easy on a coarse one."""
    monkeypatch.setattr(learners.module("lassonet"), "PATH_MULTIPLIER", 2.0)
    monkeypatch.setattr(learners.module("lassonet"), "STEPS", (200, 20))


@pytest.mark.parametrize("name", REGRESSION)
def test_regression_finds_the_input_that_matters_and_predicts(name):
    needs(name)
    x, y, test_x, mean = table()
    learned, _, failure = timed(name, x, y, test_x, 1)
    assert failure is None
    assert 2 in learned.selected
    assert np.sqrt(np.mean((learned.predicted - mean) ** 2)) < 0.5 * mean.std()


@pytest.mark.parametrize("name", SURVIVAL)
def test_survival_finds_the_input_that_matters_and_orders_the_risks(name):
    needs(name)
    x, mean, test_x, risk = table()
    rng = np.random.default_rng(1)
    pairs = list(zip(rng.random(len(x)) < 0.7, rng.exponential(np.exp(-mean)), strict=True))
    y = np.array(pairs, dtype=[("event", bool), ("time", float)])
    learned, _, failure = timed(name, x, y, test_x, 1)
    assert failure is None
    assert 2 in learned.selected
    assert np.corrcoef(np.argsort(np.argsort(learned.predicted)), risk)[0, 1] > 0.8


@pytest.mark.parametrize("name", CLASSES)
def test_classification_finds_the_input_that_matters_and_predicts(name):
    needs(name)
    x, y, test_x, mean = table()
    labels, truth = np.where(y > 0, "up", "down"), np.where(mean > 0, "up", "down")
    learned, _, failure = timed(name, x, labels, test_x, 1)
    assert failure is None
    assert 2 in learned.selected
    assert np.mean(learned.predicted == truth) > 0.85


@pytest.mark.parametrize("name", ["l1-logistic", "cart", "forest"])
def test_three_classes_are_learnt(name):
    x, y, test_x, mean = table(n=300)
    cut = lambda v: np.array(["low", "middle", "high"])[np.digitize(v, [-1.5, 1.5])]  # noqa: E731
    learned, _, failure = timed(name, x, cut(y), test_x, 1)
    assert failure is None and 2 in learned.selected
    assert np.mean(learned.predicted == cut(mean)) > 0.75


def test_forest_keeps_nothing_when_splits_fall_evenly():
    """10 inputs with 30 splits each: no number is unusual for a binomial law of 300 and 1/10; 90 would be."""
    from needlenet.lab.learners.forest import significant

    class Tree:
        def __init__(self, feature):
            self.tree_ = self
            self.feature = np.array(feature)

    class Forest:
        def __init__(self, feature):
            self.estimators_ = [Tree(feature), Tree([-2, -2])]

    even = [j for j in range(10) for _ in range(30)]
    assert significant(Forest(even), 10).tolist() == []
    assert significant(Forest(even + [4] * 60), 10).tolist() == [4]


def test_recovery_counts_as_the_program_does():
    assert recovery([0, 1, 7], [0, 1]) == dict(selected=3, exact=0, tpr=1.0, fdr=1 / 3)
    assert recovery([], []) == dict(selected=0, exact=1, tpr=1.0, fdr=0.0)


def test_a_failure_is_told_in_the_row_and_does_not_end_the_study():
    # ten folds of three samples
    learned, _, failure = timed("lasso-cv", np.zeros((3, 2)), np.array([1.0, 3.0, 2.0]), np.zeros((1, 2)), 1)
    assert learned is None and failure.startswith("failed: ValueError")
