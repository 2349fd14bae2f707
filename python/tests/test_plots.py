"""Pictures: each takes an axis and returns it, and shows the numbers of the fit."""

import subprocess
import sys

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.linear_model import LassoCV, LinearRegression
from sklearn.pipeline import make_pipeline

from needlenet import (
    NeedleClassifier,
    NeedleCounts,
    NeedleRegressor,
    NeedleSurvival,
    plot,
    quantile_universal_threshold,
    stability,
)
from needlenet.plot._outcomes import kaplan_meier


@pytest.fixture(scope="module")
def model(bent):
    return NeedleRegressor().fit(*bent)


@pytest.fixture(scope="module")
def classifier(three_classes):
    return NeedleClassifier().fit(*three_classes)


@pytest.fixture(scope="module")
def empty():
    random = np.random.default_rng(3)
    return NeedleRegressor(n_draws=200).fit(random.normal(size=(60, 8)), random.normal(size=60))


@pytest.fixture(autouse=True)
def close():
    yield
    pyplot.close("all")


@pytest.mark.parametrize("draw", [plot.effects, plot.neurons, plot.null_distribution, plot.path])
def test_every_picture_takes_and_returns_an_axis(draw, model, classifier, empty):
    for fitted in (model, classifier, empty):
        ax = pyplot.subplots()[1]
        assert draw(fitted, ax=ax) is ax
        assert isinstance(draw(fitted), matplotlib.axes.Axes)
        ax.figure.canvas.draw()


def test_an_effect_is_the_prediction_with_the_others_at_their_mean(model, bent):
    X, _ = bent
    ax = plot.effects(model, needles=["x11"])
    (line,) = ax.get_lines()
    table = np.tile(X.mean(axis=0), (len(line.get_xdata()), 1))
    table[:, 11] += line.get_xdata() * X[:, 11].std()
    # the means are summed in another order here
    np.testing.assert_allclose(line.get_ydata(), model.predict(table), rtol=1e-9)
    with pytest.raises(ValueError, match="'x5' is not among the needles"):
        plot.effects(model, needles=["x5"])


def test_an_effect_on_classes_is_the_probability_of_the_class_it_drives(classifier):
    ax = plot.effects(classifier)
    for line in ax.get_lines():
        assert line.get_ydata().min() >= 0 and line.get_ydata().max() <= 1
        # more of its own input makes a class likelier
        assert line.get_ydata()[-1] > line.get_ydata()[0]


def test_effects_of_many_needles_share_no_colour_and_no_curve_is_under_the_legend():
    X = np.random.default_rng(1).normal(size=(300, 10))
    model = NeedleRegressor(hidden=None, n_draws=200).fit(X, X.sum(axis=1))
    ax = plot.effects(model)
    assert len(ax.get_lines()) == 10
    assert len({line.get_color() for line in ax.get_lines()}) == 10
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1


def test_effects_on_several_classes_name_the_class_of_each_line(classifier):
    ax = plot.effects(classifier)
    named = {text.get_text() for text in ax.get_legend().get_texts()}
    assert named == {f"{needle.name}: {needle.label}" for needle in classifier.needles_}


def test_the_one_stage_of_a_linear_model_is_visible():
    X = np.random.default_rng(1).normal(size=(100, 10))
    model = NeedleRegressor(hidden=None, penalty="l1", n_draws=200).fit(X, X[:, 0] + X[:, 1])
    (line,) = plot.path(model).get_lines()
    assert len(model.path_) == 1
    assert line.get_marker() == "o"


def test_the_sizes_of_neurons_have_a_legend(model):
    ax = plot.neurons(model)
    largest = max(abs(weight) for neuron in model.neurons_ for weight in neuron.weights)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [f"{largest:.2g}", f"{largest / 4:.2g}"]


def test_a_pair_is_one_that_shares_a_neuron(model, empty):
    ax = plot.pairs(model)
    assert {ax.get_xlabel().split()[0], ax.get_ylabel().split()[0]} == {"x3", "x11"}
    assert plot.pairs(model, pair=("x11", "x3"), ax=pyplot.subplots()[1]).get_xlabel().startswith("x11")
    with pytest.raises(ValueError, match="no two needles share a neuron"):
        plot.pairs(empty)


def test_the_null_distribution_shows_both_lambdas(model, bent):
    for fitted in (model, quantile_universal_threshold(*bent, n_draws=500)):
        ax = plot.null_distribution(fitted)
        qut, zero = (line.get_xdata()[0] for line in ax.get_lines())
        assert zero == model.lambda_zero_
        assert qut == (model.lambda_qut_ if fitted is model else fitted.lambda_qut)


def test_the_path_shows_every_stage(model):
    (line,) = plot.path(model).get_lines()
    assert line.get_ydata().tolist() == model.path_["n_selected"].tolist()


def test_accuracy_by_size_counts_the_inputs_of_each_model(bent):
    X, y = bent
    candidates = {
        "needles": NeedleRegressor(n_draws=200),
        "needles, then least squares": make_pipeline(NeedleRegressor(n_draws=200), LinearRegression()),
        "LASSO": LassoCV(cv=3),
    }
    ax = plot.accuracy_by_size(candidates, X, y, cv=2)
    folds = [marks.get_offsets() for marks in ax.collections[::2]]
    assert all(len(points) == 2 for points in folds)
    assert np.all(folds[0][:, 0] == folds[1][:, 0])
    assert folds[0][:, 1].mean() > folds[2][:, 1].mean()
    assert isinstance(plot.accuracy_by_size(LassoCV(cv=3), X, y, cv=2), matplotlib.axes.Axes)


def test_frequencies_come_most_frequent_first(bent):
    result = stability(NeedleRegressor(n_draws=200, hidden=4), *bent, n_resamples=4)
    ax = result.plot()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == [result.feature_names[j] for j in result.ever]


def test_without_matplotlib_the_error_names_the_extra():
    code = (
        "import sys; sys.modules['matplotlib'] = None; import needlenet\n"
        "from needlenet import quantile_universal_threshold as q; import numpy as np\n"
        "t = q(np.eye(9), np.arange(9.0), n_draws=100)\n"
        "try: needlenet.plot.null_distribution(t)\nexcept ImportError as error: print(error)"
    )
    told = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert "pip install needlenet[plot]" in told


def test_band_of_a_needle_is_drawn_around_its_curve():
    random = np.random.default_rng(4)
    X = random.normal(size=(80, 4))
    y = 2 * X[:, 1] + random.normal(size=80)
    answer = NeedleRegressor(hidden=None, n_draws=300).fit(X, y).sure(X, y, pairs=3)
    band = answer.needles[0].effect_band
    assert all(low <= middle <= high for low, middle, high in zip(band.low, band.effect, band.high, strict=True))
    ax = plot.bands(answer)
    (line,) = ax.get_lines()
    np.testing.assert_array_equal(line.get_ydata(), band.effect)
    assert len(ax.collections) == 1
    with pytest.raises(ValueError, match="'x3' has no band"):
        plot.bands(answer, needle="x3")


def test_kaplan_meier_is_that_of_the_textbook():
    # the remission times of Freireich et al. (1963), treated group
    seen = [6, 6, 6, 7, 10, 13, 16, 22, 23]
    censored = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]
    times = np.array([*seen, *censored], dtype=float)
    steps, alive = kaplan_meier(times, np.arange(21) < len(seen))
    assert steps.tolist() == [0, 6, 7, 10, 13, 16, 22, 23, 35]
    known = [1, 0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448, 0.448]
    np.testing.assert_allclose(alive, known, atol=5e-4)


def test_survival_curves_fall_faster_with_risk():
    random = np.random.default_rng(5)
    X = random.normal(size=(300, 5))
    times = random.exponential(np.exp(-2 * X[:, 0]))
    y = np.column_stack([times, random.random(300) < 0.7])
    model = NeedleSurvival(n_draws=200).fit(X, y)
    ax = plot.survival_curves(model, X, y)
    low, predicted_low, _, _, high, predicted_high = ax.get_lines()
    middle = np.median(times)
    assert low.get_ydata()[np.searchsorted(low.get_xdata(), middle)] > 0.7
    assert high.get_ydata()[np.searchsorted(high.get_xdata(), middle)] < 0.3
    for seen, told in ((low, predicted_low), (high, predicted_high)):
        at = np.searchsorted(seen.get_xdata(), told.get_xdata(), side="right") - 1
        assert np.abs(seen.get_ydata()[at] - told.get_ydata()).mean() < 0.1
    with pytest.raises(ValueError, match="groups is 0"):
        plot.survival_curves(model, X, y, groups=0)


def test_observed_counts_lie_near_the_expected_ones():
    random = np.random.default_rng(6)
    X = random.normal(size=(400, 5))
    y = random.poisson(np.exp(1 + X[:, 1])).astype(float)
    model = NeedleCounts(n_draws=200).fit(X, y)
    ax = plot.observed_counts(model, X, y, groups=5)
    expected, observed = (ax.containers[0].lines[0].get_data(orig=False)[at].astype(float) for at in (0, 1))
    assert len(expected) == 5
    np.testing.assert_allclose(expected, observed, rtol=0.25, atol=0.15)
    assert observed.mean() == pytest.approx(y.mean())
