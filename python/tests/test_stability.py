"""Selection from parts of the samples: what is counted, and that it does not matter where it runs."""

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV
from sklearn.neighbors import KNeighborsRegressor

from needlenet import NeedleClassifier, NeedleRegressor, stability


@pytest.fixture(scope="module")
def linear() -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(2)
    X = pd.DataFrame(random.normal(size=(120, 8)), columns=list("abcdefgh"))
    # the effect of h is near what half of the samples can show
    y = 2 * X["b"] - 2 * X["e"] + 0.45 * X["h"] + random.normal(size=120)
    return X, y.to_numpy()


SELECTOR = NeedleRegressor(hidden=None, n_draws=300)


def assert_same(one, two):
    assert np.array_equal(one.frequencies, two.frequencies)
    assert np.array_equal(one.co_selection, two.co_selection)
    assert all(np.array_equal(a, b) for a, b in zip(one.supports, two.supports, strict=True))


def test_frequencies_and_pairs_are_counts_of_the_supports(linear):
    X, y = linear
    result = stability(SELECTOR, X, y, n_resamples=20)
    assert result.n_resamples == result.n_converged == len(result.supports) == 20
    counted = [np.mean([j in support for support in result.supports]) for j in range(8)]
    assert np.array_equal(result.frequencies, counted)
    assert result.frequencies[1] == result.frequencies[4] == 1
    assert 0 < result.frequencies[7] < 1
    assert result.together()[0] == ("b", "e", 1.0)
    for a, first in enumerate(result.ever):
        for b, second in enumerate(result.ever):
            together = np.mean([first in s and second in s for s in result.supports])
            assert result.co_selection[a, b] == together
    frame = result.to_frame()
    assert frame["input"].tolist()[:2] == ["b", "e"]
    assert frame["frequency"].is_monotonic_decreasing


def test_the_seed_decides_all(linear):
    X, y = linear
    assert_same(stability(SELECTOR, X, y, 6), stability(SELECTOR, X, y, 6, random_state=1))
    other = stability(SELECTOR, X, y, 6, random_state=2)
    assert not np.array_equal(other.supports[0], []) and other.frequencies[1] == 1


def test_a_classifier_keeps_the_share_of_each_class(two_classes):
    X, y = two_classes
    seen = []

    class Watched(NeedleClassifier):
        def fit(self, X, y):
            seen.append(np.mean(y == "ill"))
            return super().fit(X, y)

    result = stability(Watched(hidden=None, n_draws=200), X, y, 5, fraction=0.8)
    # 0.8 of each class, rounded to a sample
    assert np.allclose(seen, np.mean(y == "ill"), atol=1 / 120)
    assert result.frequencies[2] == 1


def test_workers_give_the_same_bits(linear):
    X, y = linear
    assert_same(stability(SELECTOR, X, y, 8, n_jobs=2), stability(SELECTOR, X, y, 8))


def test_a_dask_cluster_gives_the_same_bits(linear):
    distributed = pytest.importorskip("distributed")
    X, y = linear
    here = stability(SELECTOR, X, y, 12)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        with distributed.get_task_stream(client) as stream, joblib.parallel_config(backend="dask"):
            there = stability(SELECTOR, X, y, 12)
        assert len({task["worker"] for task in stream.data}) == 2
    assert_same(here, there)


def test_other_selectors_and_refusals(linear):
    X, y = linear
    assert stability(LassoCV(cv=3), X.to_numpy(), y, 3).frequencies[1] == 1
    with pytest.raises(TypeError, match="get_support or coef_ is needed"):
        stability(KNeighborsRegressor(), X, y, 2)
    with pytest.raises(ValueError, match="fraction 1.5"):
        stability(SELECTOR, X, y, 2, fraction=1.5)


def test_replicates_that_do_not_converge_are_counted(bent):
    with pytest.warns(ConvergenceWarning, match="2 of 2 replicates"):
        result = stability(NeedleRegressor(max_iter=1, penalty="l1", lam=0.5, n_draws=100), *bent, 2)
    assert result.n_converged == 0
