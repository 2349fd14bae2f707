"""How sure each needle is: the fields in Python, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config

from needlenet import NeedleClassifier, NeedleRegressor, NeedleSurvival, load, stability
from needlenet._needlenet import selection_bounds

LINEAR = {"hidden": None, "n_draws": 300}


@pytest.fixture(scope="module")
def linear() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    X = random.normal(size=(100, 6))
    # column 4 is a near copy of column 1
    X[:, 4] = X[:, 1] + 0.1 * random.normal(size=100)
    return X, 2 * X[:, 1] - X[:, 3] + random.normal(size=100)


def test_needles_get_small_p_values_and_all_others_have_one(linear):
    X, y = linear
    model = NeedleRegressor(**LINEAR).fit(X, y)
    answer = model.sure(X, y, pairs=3)
    assert [needle.index for needle in answer.needles] == [needle.index for needle in model.needles_]
    assert np.all(model.p_values_[~model.support_] == 1)
    assert np.all(model.p_adjusted_ >= model.p_values_)
    assert model.p_adjusted_[3] < 0.001
    assert model.selection_frequencies_.shape == (6,)
    assert model.selection_frequencies_[3] == 1
    assert (answer.n_hypotheses, answer.pairs, answer.cut) == (6, 3, 0.9)
    low, high = answer.needles[1].strength_interval
    assert low < answer.needles[1].strength < high


def test_near_copies_are_counted_from_zero_as_other_columns_are(linear):
    X, y = linear
    answer = NeedleRegressor(**LINEAR).fit(X, y).sure(X, y, pairs=0)
    needle = answer.needles[0]
    (copy,) = needle.copies
    assert {needle.name, copy} == {"x1", "x4"}
    assert needle.group_p_adjusted < 1e-6 < needle.p_value
    assert needle.frequency is None and needle.strength_interval is None


def test_table_has_one_row_for_each_needle(linear):
    X, y = linear
    model = NeedleRegressor(**LINEAR).fit(X, y)
    table = model.sure(X, y, pairs=2).to_frame()
    assert list(table["input"]) == list(model.selected_features_)
    assert np.array_equal(table["p_value"], [model.p_values_[needle.index] for needle in model.needles_])


def test_summary_and_file_have_the_answer_too(linear, tmp_path):
    X, y = linear
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = NeedleRegressor(**LINEAR).fit(frame, y)
    assert "How sure each is" not in model.summary()
    first = model.sure(frame, y, pairs=0)
    assert "How sure each is" in model.summary()
    model.save(tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    assert "How sure each is" in again.summary()
    assert again.sure(frame, y, pairs=0) == first


def test_classes_and_survival_are_tested(two_classes):
    X, y = two_classes
    model = NeedleClassifier(**LINEAR).fit(X, y)
    model.sure(X, y, pairs=0)
    assert model.p_adjusted_[2] < 0.01 and model.p_adjusted_[9] < 0.01
    times = np.column_stack([np.exp(-2 * X[:, 2]) * np.random.default_rng(5).exponential(size=150), np.ones(150)])
    risk = NeedleSurvival(**LINEAR).fit(X, times)
    risk.sure(X, times, pairs=0)
    assert risk.p_adjusted_[2] < 0.01


def test_weights_of_the_fit_are_needed(linear):
    X, y = linear
    weights = np.tile([1.0, 2.0], 50)
    model = NeedleRegressor(**LINEAR).fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="weights"):
        model.sure(X, y, pairs=0)
    assert model.sure(X, y, sample_weight=weights, pairs=0).needles[1].p_adjusted < 0.01


def test_other_tables_and_options_are_refused(linear):
    X, y = linear
    model = NeedleRegressor(**LINEAR).fit(X, y)
    with pytest.raises(ValueError, match="samples"):
        model.sure(X[:50], y[:50])
    with pytest.raises(ValueError, match="cut"):
        model.sure(X, y, cut=0.4)
    with pytest.raises(ValueError, match="near copy"):
        model.sure(X, y, near_copy=2.0)


def test_bounds_are_those_of_the_published_example():
    bounds = selection_bounds(5.0, 4088, 0.9, 50)
    assert round(bounds["worst_case"], 4) == 0.0076
    assert round(bounds["unimodal"], 4) == 0.0026


def test_complementary_pairs_share_no_sample_and_have_bounds(linear, monkeypatch):
    X, y = linear
    seen = []
    import needlenet._stability as module

    real = module._replicate

    def remember(estimator, X, y, rows, seed):
        seen.append(rows)
        return real(estimator, X, y, rows, seed)

    monkeypatch.setattr(module, "_replicate", remember)
    result = stability(NeedleRegressor(**LINEAR), X, y, n_resamples=6, complementary=True)
    for first, second in zip(seen[::2], seen[1::2], strict=True):
        assert np.array_equal(np.sort(np.concatenate([first, second])), np.arange(100))
    worst, unimodal = result.bounds(0.9)
    q = result.frequencies.sum()
    assert worst == pytest.approx(q * q / 6 / 0.8)
    assert unimodal < worst
    with pytest.raises(ValueError, match="complementary"):
        stability(NeedleRegressor(**LINEAR), X, y, n_resamples=2).bounds()
    with pytest.raises(ValueError, match="even"):
        stability(NeedleRegressor(**LINEAR), X, y, n_resamples=3, complementary=True)


def test_finished_work_is_not_done_again_and_the_answer_is_the_same(linear, tmp_path):
    X, y = linear
    model = NeedleRegressor(**LINEAR).fit(X, y)
    whole = model.sure(X, y, pairs=3)
    path = tmp_path / "m.sure"
    assert model.sure(X, y, pairs=3, resume=path) == whole
    lines = path.read_text().splitlines()
    # the model, two tests, the group of the copies, and six halves
    assert len(lines) == 1 + 3 + 6
    # a call that was killed in the middle of a line
    path.write_text("\n".join(lines[:5]) + "\n" + lines[5][:10])
    assert model.sure(X, y, pairs=3, resume=path) == whole
    assert sorted(path.read_text().splitlines()) == sorted(lines)
    # a half that no fit would give shows that the lines are used
    halves = [line for line in lines if line.startswith('{"half"')]
    other = halves[0].replace('"found":[', '"found":[0,')
    path.write_text("\n".join([lines[0], other]) + "\n")
    assert model.sure(X, y, pairs=3, resume=path) != whole
    assert model.selection_frequencies_[0] == pytest.approx(1 / 6)
    # the lines of another model are not
    NeedleRegressor(**LINEAR).fit(X[:90], y[:90]).sure(X[:90], y[:90], pairs=3, resume=path)
    assert lines[0] not in path.read_text()


def test_joblib_gives_the_same_bits(linear, tmp_path):
    X, y = linear
    model = NeedleRegressor(**LINEAR).fit(X, y)
    whole = model.sure(X, y, pairs=3)
    assert model.sure(X, y, pairs=3, n_jobs=2) == whole
    path = tmp_path / "m.sure"
    with parallel_config("threading"):
        assert model.sure(X, y, pairs=3, n_jobs=2, resume=path) == whole
    assert len(path.read_text().splitlines()) == 1 + 3 + 6
