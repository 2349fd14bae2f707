"""Survival, counts, weights and offsets."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import needlenet
from needlenet import NeedleClassifier, NeedleCounts, NeedleRegressor, NeedleSurvival


def table(n=200, p=15, seed=0):
    rng = np.random.default_rng(seed)
    return rng, rng.normal(size=(n, p))


def survival(ties=False, seed=0):
    rng, X = table(seed=seed)
    times = rng.exponential(np.exp(-1.5 * X[:, 3] + X[:, 5]))
    if ties:
        times = np.ceil(4 * times)
    return X, times, rng.random(len(X)) < 0.7


def partial_likelihood(times, events, risk, ties):
    """Minus the log, by its definition: a sum over times of sums over those at risk."""
    loss = 0.0
    for time in np.unique(times[events]):
        dying = events & (times == time)
        at_risk, of_dying = np.exp(risk[times >= time]).sum(), np.exp(risk[dying]).sum()
        d = dying.sum()
        shares = np.arange(d) / d if ties == "efron" else np.zeros(d)
        loss += np.log(at_risk - shares * of_dying).sum() - risk[dying].sum()
    return loss


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_the_loss_is_the_partial_likelihood(ties):
    X, times, events = survival(ties=True)
    model = NeedleSurvival(ties=ties, penalised=True, n_draws=500).fit(X, np.column_stack([times, events]))
    assert set(model.get_support(indices=True)) == {3, 5}
    loss = partial_likelihood(times, events, model.predict(X), ties)
    # the fit sees the inputs on a grid of 2^-26, a prediction does not
    assert model._model.certificate["loss"] == pytest.approx(loss, rel=1e-9)


def test_survival_takes_the_structured_outcome_and_predicts_curves(tmp_path):
    X, times, events = survival()
    y = np.array(list(zip(events, times, strict=True)), dtype=[("event", bool), ("time", float)])
    model = NeedleSurvival(n_draws=500).fit(X, y)
    same = NeedleSurvival(n_draws=500).fit(X, np.column_stack([times, events]))
    assert model.objective_ == same.objective_
    assert model.score(X, y) > 0.75
    assert np.all(np.diff(model.event_times_) > 0)
    curves = model.predict_survival_function(X)
    assert curves.shape == (200, len(model.event_times_))
    assert np.all(np.diff(curves, axis=1) <= 0) and curves.max() <= 1 and curves.min() >= 0
    riskiest, safest = np.argmax(model.predict(X)), np.argmin(model.predict(X))
    assert np.all(curves[riskiest] <= curves[safest])
    # the observed events are those that the cumulated hazards expect
    at_end = model.predict_survival_function(X, times=[0.0])
    assert np.all(at_end == 1)
    model.save(tmp_path / "model.json")
    again = needlenet.load(tmp_path / "model.json")
    assert isinstance(again, NeedleSurvival)
    assert np.array_equal(again.predict_survival_function(X), curves)
    model.report(tmp_path / "page.html", X, y)
    assert "by predicted risk" in (tmp_path / "page.html").read_text()


def test_the_concordance_is_the_share_of_known_pairs_in_the_right_order():
    X, times, events = survival(ties=True, seed=4)
    model = NeedleSurvival(n_draws=500).fit(X, np.column_stack([times, events]))
    risk = model.predict(X)
    known = right = 0.0
    for i in np.flatnonzero(events):
        later = (times > times[i]) | ((times == times[i]) & ~events)
        known += later.sum()
        right += (risk[later] < risk[i]).sum() + 0.5 * (risk[later] == risk[i]).sum()
    assert model.score(X, np.column_stack([times, events])) == pytest.approx(right / known, rel=1e-12)


def test_strata_have_baselines_of_their_own():
    X, times, events = survival()
    strata = np.arange(200) % 2
    y = np.column_stack([times * np.where(strata == 1, 10, 1), events])
    model = NeedleSurvival(n_draws=500).fit(X, y, strata=strata)
    assert set(model.get_support(indices=True)) == {3, 5}
    with pytest.raises(ValueError, match="strata"):
        model.predict_survival_function(X)
    curves = model.predict_survival_function(X, times=[1.0], strata=strata)
    other = model.predict_survival_function(X, times=[1.0], strata=1 - strata)
    assert np.all((curves > other) == (strata == 1)[:, None])
    with pytest.raises(ValueError, match="no stratum '7'"):
        model.predict_survival_function(X, strata=np.full(200, 7))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros((200, 3)), "two columns"),
        (np.column_stack([np.ones(200), np.full(200, 2)]), "the event of a sample is 2"),
        (np.column_stack([-np.ones(200), np.ones(200)]), "-1 is not a time"),
        (np.column_stack([np.arange(200.0), np.zeros(200)]), "0 of the 200 samples have an event"),
        (np.column_stack([np.ones(200), np.ones(200)]), "the time is 1 in every row"),
    ],
)
def test_outcomes_that_are_no_survival_are_refused(y, message):
    _, X = table()
    with pytest.raises(ValueError, match=message):
        NeedleSurvival().fit(X, y)


def counts(seed=1):
    rng, X = table(seed=seed)
    years = rng.uniform(1, 5, size=len(X))
    return X, years, rng.poisson(years * np.exp(0.8 * np.abs(X[:, 2]) - 0.5 * X[:, 7])).astype(float)


def test_counts_with_an_exposure(tmp_path):
    X, years, y = counts()
    model = NeedleCounts(n_draws=500).fit(X, y, offset=np.log(years))
    assert set(model.get_support(indices=True)) == {2, 7}
    assert 0.7 < model.dispersion_ < 1.3
    mean = model.predict(X, offset=np.log(years))
    assert mean == pytest.approx(years * model.predict(X, offset=0), rel=1e-12)
    assert model.score(X, y, offset=np.log(years)) > 0.5
    with pytest.raises(ValueError, match="offset"):
        model.predict(X)
    model.save(tmp_path / "model.json")
    assert np.array_equal(needlenet.load(tmp_path / "model.json").predict(X, offset=0), model.predict(X, offset=0))
    for bad in (0.5, -1.0):
        with pytest.raises(ValueError, match="is not a count"):
            NeedleCounts().fit(X, np.where(np.arange(200) == 3, bad, y))


def test_counts_that_vary_more_than_poisson_are_warned_of():
    rng, X = table()
    y = rng.negative_binomial(0.5, 0.1, size=200).astype(float)
    assert "vary" not in NeedleCounts(null="permutation", n_draws=500).fit(X, y).summary()
    model = NeedleCounts(n_draws=500).fit(X, y)
    assert model.dispersion_ > 2


@pytest.mark.parametrize("estimator", [NeedleRegressor(), NeedleClassifier(), NeedleCounts(), NeedleSurvival()])
def test_a_weight_of_two_is_the_row_twice_and_of_zero_no_row(estimator):
    rng, X = table(n=120, p=8)
    score = 1.5 * X[:, 0] - X[:, 1]
    y = {
        "NeedleRegressor": score + rng.normal(size=120),
        "NeedleClassifier": np.where(score + rng.normal(size=120) > 0, "b", "a"),
        "NeedleCounts": rng.poisson(np.exp(0.6 * score)).astype(float),
        "NeedleSurvival": np.column_stack([rng.exponential(np.exp(-score)), rng.random(120) < 0.8]),
    }[type(estimator).__name__]
    weights = np.array([1, 2, 0, 3])[np.arange(120) ** 2 % 4]
    repeated = np.repeat(np.arange(120), weights)
    estimator = clone(estimator).set_params(lam=3.5 if isinstance(estimator, NeedleRegressor) else 45.0, n_draws=100)
    weighted = clone(estimator).fit(X, y, sample_weight=weights)
    rows = clone(estimator).fit(X[repeated], y[repeated])
    assert np.array_equal(weighted.support_, rows.support_)
    assert weighted.objective_ == pytest.approx(rows.objective_, rel=1e-9)


def test_class_weights_are_weights():
    rng, X = table(n=300)
    y = (X[:, 4] + rng.normal(size=300) > 1.3).astype(int)
    balanced = NeedleClassifier(class_weight="balanced", n_draws=500).fit(X, y)
    by_hand = NeedleClassifier(n_draws=500).fit(X, y, sample_weight=300 / (2 * np.bincount(y)[y]))
    assert balanced.objective_ == by_hand.objective_
    assert balanced.predict(X).mean() > NeedleClassifier(n_draws=500).fit(X, y).predict(X).mean()


def test_weights_of_classes_are_no_counts_of_rows():
    rng, X = table(n=100)
    y = (rng.random(100) < 0.2).astype(int)
    weights = np.where(y == 1, 4.0, 1.0)
    model = NeedleClassifier(class_weight={0: 1, 1: 4}, n_draws=500).fit(X, y)
    importances = NeedleClassifier(null="permutation", n_draws=500).fit(X, y, sample_weight=10 * weights)
    counts = NeedleClassifier(n_draws=500).fit(X, y, sample_weight=weights)
    assert model.lambda_qut_ == pytest.approx(importances.lambda_qut_, rel=1e-9)
    assert model._model.choices["null"] == importances._model.choices["null"] == "permutation"
    assert counts._model.choices["null"] == "law"
    # as counts of rows the same weights promise more samples than there are
    assert model.lambda_zero_ / model.lambda_qut_ < counts.lambda_zero_ / counts.lambda_qut_


def test_cross_validation_scores_survival():
    X, times, events = survival()
    scores = cross_val_score(NeedleSurvival(n_draws=200), X, np.column_stack([times, events]), cv=3)
    assert scores.mean() > 0.7


def test_permutation_serves_any_noise():
    rng, X = table()
    y = rng.standard_t(2, size=200)
    drawn = {null: NeedleRegressor(null=null, n_draws=2000).fit(X, y).lambda_qut_ for null in ("law", "permutation")}
    assert drawn["law"] == pytest.approx(drawn["permutation"], rel=0.1)
    assert drawn["law"] != drawn["permutation"]
    with pytest.raises(ValueError, match="law or permutation"):
        NeedleRegressor(null="bootstrap").fit(X, y)
