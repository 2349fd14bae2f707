"""What the estimators find, show and refuse."""

import pickle
import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import needlenet
from needlenet import NeedleClassifier, NeedleRegressor


def test_a_bend_of_two_inputs_is_found_and_explained(bent):
    X, y = bent
    model = NeedleRegressor().fit(X, y)
    assert model.get_support(indices=True).tolist() == [3, 11]
    assert set(model.selected_features_) == {"x3", "x11"}
    assert np.flatnonzero(model.coef_).tolist() == [3, 11]
    assert all(needle.shape == "valley" for needle in model.needles_)
    assert all(set(neuron.names) == {"x3", "x11"} for neuron in model.neurons_)
    assert not model.linear_
    assert model.converged_ and model.kkt_violation_ <= model.tol
    assert model.lambda_ == model.lambda_qut_
    assert model.path_["n_selected"][-1] == 2
    # the noise was drawn with standard deviation 1; 200 samples tell it to within a few percent
    assert 0.8 < model.noise_ < 1.2
    assert model.score(X, y) > 0.8


def test_coef_has_the_sign_of_the_effect():
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 6)) * [1, 1, 100, 1, 1, 1]
    y = 3 * X[:, 1] - 0.05 * X[:, 2] + random.normal(size=150)
    model = NeedleRegressor(hidden=None).fit(X, y)
    # per standard deviation of the input, so 3 and -5, from 150 samples with noise 1
    assert model.coef_[1] == pytest.approx(3, abs=0.5)
    assert model.coef_[2] == pytest.approx(-5, abs=0.5)
    assert model.linear_


def test_the_threshold_is_the_quantile_of_the_null_draws(bent):
    model = NeedleRegressor(alpha=0.1, n_draws=1000).fit(*bent)
    assert model.null_draws_.shape == (1000,)
    assert np.all(np.diff(model.null_draws_) >= 0)
    assert np.mean(model.null_draws_ > model.lambda_qut_) == pytest.approx(0.1, abs=0.002)
    above = np.mean(np.append(model.null_draws_, np.inf) >= model.lambda_zero_)
    assert model.p_value_ == pytest.approx(above)


def test_a_given_lambda_is_used(bent):
    X, y = bent
    assert NeedleRegressor(lam=1e3).fit(X, y).support_.sum() == 0
    assert NeedleRegressor(lam=2.5).fit(X, y).lambda_ == 2.5


def test_nothing_is_found_in_noise_and_the_selector_says_so():
    random = np.random.default_rng(3)
    X, y = random.normal(size=(80, 30)), random.normal(size=80)
    model = NeedleRegressor().fit(X, y)
    assert not model.support_.any()
    assert np.all(model.predict(X) == model.predict(X)[0])
    # the intercept is solved for, to the tolerance of the fit
    assert model.predict(X)[0] == pytest.approx(y.mean(), abs=model.tol * y.std())
    with pytest.warns(UserWarning, match="No features were selected"):
        assert model.transform(X).shape == (80, 0)
    assert "no input is found to matter" in model.summary()


@pytest.mark.parametrize("labels", [["a", "b", "c"], [3, 1, 2], [2.0, 1.0, 3.0], ["10", "9", "8"]])
def test_classes_keep_their_kind_and_their_columns(three_classes, labels):
    X, y = three_classes
    y = np.array(labels)[y]
    model = NeedleClassifier().fit(X, y)
    assert model.classes_.dtype == y.dtype
    assert model.classes_.tolist() == sorted(labels)
    assert model.get_support(indices=True).tolist() == [1, 5, 6]
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert np.array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    assert model.score(X, y) > 0.8
    # each input drives its own class, and the label says which
    assert {needle.index: needle.label for needle in model.needles_} == dict(zip([1, 5, 6], labels, strict=True))


def test_truth_values_are_classes(two_classes):
    X, y = two_classes
    model = NeedleClassifier(link="logit").fit(X, y == "ill")
    assert model.classes_.dtype == bool
    assert model.predict(X).dtype == bool
    # of two classes the log odds are those of the second: True, which input 2 makes likelier
    assert model.coef_[2] > 0 > model.coef_[9]


def test_threads_do_not_change_a_bit(bent):
    one, two = (NeedleRegressor(n_jobs=n_jobs).fit(*bent) for n_jobs in (None, 2))
    assert np.array_equal(one.predict(bent[0]), two.predict(bent[0]))
    assert one.objective_ == two.objective_
    assert np.array_equal(one.null_draws_, two.null_draws_)


def test_random_state_may_be_a_number_a_generator_or_nothing(bent):
    def draws(random_state):
        return NeedleRegressor(random_state=random_state, n_draws=200).fit(*bent).null_draws_

    assert np.array_equal(draws(None), draws(1))
    # the threshold is a function of the table: the seed is that of the starts of the search
    assert np.array_equal(draws(1), draws(2))
    assert np.array_equal(draws(np.random.RandomState(5)), draws(np.random.RandomState(5)))
    with pytest.raises(ValueError, match="random_state is -1"):
        draws(-1)


def test_a_fit_that_does_not_converge_warns(bent):
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        model = NeedleRegressor(max_iter=1, penalty="l1", lam=0.5).fit(*bent)
    assert not model.converged_


def test_no_warning_when_all_is_well(bent):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NeedleRegressor().fit(*bent)


def test_before_any_other_model_in_a_pipeline(bent, two_classes):
    pipeline = make_pipeline(StandardScaler(), NeedleRegressor(), RandomForestRegressor(30, random_state=0))
    assert cross_val_score(pipeline, *bent, cv=3).mean() > 0.4
    pipeline = make_pipeline(NeedleClassifier(), LogisticRegression()).fit(*two_classes)
    assert pipeline[-1].n_features_in_ == 2
    assert list(pipeline[:-1].get_feature_names_out()) == ["x2", "x9"]


def test_grid_search_and_clone(bent):
    X, y = bent
    search = GridSearchCV(NeedleRegressor(), {"hidden": [None, (20,)], "penalty": ["l1", "harder"]}, cv=2).fit(X, y)
    assert search.best_params_["hidden"] == (20,)
    copy = clone(search.best_estimator_)
    assert copy.get_params() == search.best_estimator_.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(X)


def test_pickle_and_joblib_keep_every_bit(bent, two_classes, tmp_path):
    for model, X in (
        (NeedleRegressor().fit(*bent), bent[0]),
        (NeedleClassifier().fit(*two_classes), two_classes[0]),
    ):
        joblib.dump(model, tmp_path / "model.joblib")
        for again in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
            assert np.array_equal(again.predict(X), model.predict(X))
            assert np.array_equal(again.coef_, model.coef_)
            assert again.summary().splitlines()[:-1] == model.summary().splitlines()[:-1]


def test_the_penalised_fit_shrinks(bent):
    X, y = bent
    model = NeedleRegressor(penalty="l1").fit(X, y)
    refitted = model.predict(X)
    penalised = model.set_params(penalised=True).predict(X)
    assert penalised.std() < refitted.std()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 2.0}, "alpha is 2; accepted"),
        ({"alpha": "high"}, "alpha is 'high'; a number is needed"),
        ({"lam": -1.0}, "lambda is -1; accepted"),
        ({"penalty": "l0"}, "accepted: l1, group, harder, scad or mcp"),
        ({"activation": "relu"}, "accepted: default, softplus"),
        ({"hidden": "40"}, "hidden is '40'"),
        ({"hidden": (20, 0)}, "width of a hidden layer is 0"),
        ({"hidden": -3}, "hidden is -3"),
        ({"n_draws": 5}, "number of null draws is 5"),
        ({"max_iter": 1.5}, "max_iter is 1.5; a whole number is needed"),
        ({"tol": float("nan")}, "tolerance is NaN"),
        ({"scale_outcome": "no"}, "scale_outcome is 'no'; True or False is needed"),
        ({"scale_outcome": False}, "scale the outcome, or choose the penalty l1 or group"),
    ],
)
def test_a_bad_parameter_is_named_with_what_is_accepted(bent, parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        NeedleRegressor(**parameters).fit(*bent)


def test_a_bad_link_is_named(two_classes):
    with pytest.raises(ValueError, match="accepted: softmax or logit"):
        NeedleClassifier(link="probit").fit(*two_classes)


def test_the_outcome_must_vary(bent):
    with pytest.raises(ValueError, match="nothing to explain"):
        NeedleRegressor().fit(bent[0], np.ones(200))


def test_a_linear_prediction_that_overflows_is_an_error(bent):
    X = bent[0]
    model = NeedleRegressor(hidden=None).fit(X, 3 * X[:, 3] - 2 * X[:, 4])
    with pytest.raises(ValueError, match="row 0 overflows"):
        model.predict(np.full((1, 20), 1e308) * np.where(np.arange(20) == 3, 1, -1))


def test_samples_outside_the_data_are_flagged_and_a_bent_function_stays_near_the_outcomes(bent):
    X, y = bent
    model = NeedleRegressor().fit(X, y)
    assert not model.outside(X).any()
    far = np.full((1, 20), 1e308) * np.where(np.arange(20) == 3, 1, -1)
    assert model.outside(far).all()
    assert abs(model.predict(far)[0] - y.mean()) < 3 * np.ptp(y)


def test_the_summary_tells_what_was_found(bent):
    text = NeedleRegressor().fit(*bent).summary()
    assert "200 samples, 20 inputs, regression" in text
    assert "2 of 20 inputs found to matter" in text
    assert "x11" in text and "valley" in text and "KKT violation" in text


def test_verbose_shows_a_bar(bent, capsys):
    NeedleRegressor(verbose=2, n_draws=20_000).fit(*bent)
    assert "needlenet" in capsys.readouterr().err
    NeedleRegressor().fit(*bent)
    assert capsys.readouterr().err == ""


def test_stand_ins_predict_and_are_not_selected(tmp_path):
    """Ten inputs tell the story by whose sign the classes differ, each with an error of its own."""
    random = np.random.default_rng(5)
    story = random.normal(size=200)
    X = random.normal(size=(200, 30))
    X[:, :10] += story[:, None]
    model = NeedleClassifier(hidden=None, penalty="l1").fit(X[:60], story[:60] > 0)
    stand_ins = [stand_in.index for stand_in in model.stand_ins_]
    assert stand_ins
    assert set(stand_ins) <= set(range(10))
    assert not model.support_[stand_ins].any()
    assert "found when the needles are left out" in model.summary()
    moved = X.copy()
    moved[:, stand_ins[0]] += 3
    assert not np.array_equal(model.predict_proba(moved), model.predict_proba(X))
    model.save(tmp_path / "model.json")
    assert np.array_equal(needlenet.load(tmp_path / "model.json").predict_proba(X), model.predict_proba(X))
    assert model.set_params(penalised=True).score(X, story > 0) > 0.7
    assert np.array_equal(model.predict_proba(moved), model.predict_proba(X))
