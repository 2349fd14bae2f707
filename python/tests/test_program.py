"""The package and the program are one: same bits from the same table, model files both ways."""

import json

import numpy as np
import pandas as pd
import pytest

import needlenet
from needlenet import NeedleClassifier, NeedleRegressor


def written(folder, X, y):
    """A table, and a CSV file with every digit of it."""
    table = pd.DataFrame(X, columns=[f"input {j}" for j in range(X.shape[1])])
    table["outcome"] = y
    table.to_csv(folder / "table.csv", index=False)
    return table, folder / "table.csv"


def fit_both(program, folder, X, y, estimator, *words):
    table, path = written(folder, X, y)
    program("fit", path, "--target", "outcome", "--threads", 1, "--out", folder / "program.json", "--quiet", *words)
    model = estimator.fit(table.drop(columns="outcome"), table["outcome"])
    model.save(folder / "package.json")
    return model, table


@pytest.mark.parametrize("seed", [1, 5])
def test_regression_gives_the_same_file_to_the_last_bit(program, tmp_path, bent, seed):
    estimator = NeedleRegressor(random_state=seed)
    fit_both(program, tmp_path, *bent, estimator, "--seed", seed)
    assert (tmp_path / "package.json").read_bytes() == (tmp_path / "program.json").read_bytes()


def test_the_preset_of_the_paper_is_the_documented_recipe(program, tmp_path, bent):
    estimator = NeedleRegressor(hidden=20, penalty="l1", scale_outcome=False)
    model, _ = fit_both(program, tmp_path, *bent, estimator, "--preset", "paper")
    assert (tmp_path / "package.json").read_bytes() == (tmp_path / "program.json").read_bytes()
    assert needlenet.load(tmp_path / "program.json").get_params()["scale_outcome"] is False
    assert "the outcome kept its unit" in model.summary()


@pytest.mark.parametrize("labels", [["c", "a", "b"], [10, 9, 8], [3.0, 2.0, 1.0]])
def test_classification_gives_the_same_problem_and_weights(program, tmp_path, three_classes, labels):
    X, y = three_classes
    estimator = NeedleClassifier(link="logit", penalty="l1")
    words = ("--link", "logit", "--penalty", "l1", "--task", "classification")
    fit_both(program, tmp_path, X, np.array(labels)[y], estimator, *words)
    ours, theirs = (json.loads((tmp_path / name).read_text())["model"] for name in ("package.json", "program.json"))
    # the program keeps the text of the file, 2.0, where the package says 2
    assert [float(c) if labels[0] != "c" else c for c in ours["task"].pop("classes")] == [
        float(c) if labels[0] != "c" else c for c in theirs["task"].pop("classes")
    ]
    assert ours == theirs


def test_a_table_without_names_has_the_programs_names(program, tmp_path, bent):
    X, y = bent
    np.save(tmp_path / "table.npy", np.column_stack([X, y]))
    program("fit", tmp_path / "table.npy", "--target", "x21", "--threads", 1, "--out", tmp_path / "program.json", "-q")
    NeedleRegressor().fit(X, y).save(tmp_path / "package.json")
    assert (tmp_path / "package.json").read_bytes() == (tmp_path / "program.json").read_bytes()


def test_the_program_predicts_with_a_file_of_the_package(program, tmp_path, two_classes):
    X, y = two_classes
    model, table = fit_both(program, tmp_path, X, y, NeedleClassifier())
    told = json.loads(program("predict", tmp_path / "package.json", tmp_path / "table.csv", "--json"))
    assert told["predictions"] == model.predict(table.drop(columns="outcome")).tolist()
    assert told["probabilities"] == model.predict_proba(table.drop(columns="outcome")).tolist()


def test_the_package_predicts_with_a_file_of_the_program(program, tmp_path, bent, two_classes):
    for (X, y), estimator in ((bent, NeedleRegressor()), (two_classes, NeedleClassifier())):
        model, table = fit_both(program, tmp_path, X, y, estimator)
        again = needlenet.load(tmp_path / "program.json")
        inputs = table.drop(columns="outcome")
        assert type(again) is type(model)
        assert np.array_equal(again.predict(inputs), model.predict(inputs))
        assert np.array_equal(again.coef_, model.coef_)
        assert again.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
        # a file keeps what was asked, also where the linear model was preferred
        assert again.get_params()["hidden"] == model.hidden
        # the file knows the needles by name, so other columns may be missing or stand elsewhere
        known = [needle.name for needle in model.needles_ + model.stand_ins_]
        needles = inputs[[name for name in inputs.columns[::-1] if name in known]]
        assert np.array_equal(again.predict(needles), model.predict(inputs))
        assert np.array_equal(again.predict(inputs.to_numpy()), model.predict(inputs))
        assert np.array_equal(again.transform(needles), model.transform(inputs))
        assert (
            again.set_output(transform="pandas")
            .transform(inputs)
            .equals(model.set_output(transform="pandas").transform(inputs))
        )
        with pytest.raises(ValueError, match="the model needs the column"):
            again.predict(inputs.rename(columns=str.upper))


def test_a_loaded_model_can_be_fitted_again_and_pickled(tmp_path, two_classes):
    import pickle

    X, y = two_classes
    NeedleClassifier(random_state=4, alpha=0.01).fit(X, y).save(tmp_path / "model.json")
    model = pickle.loads(pickle.dumps(needlenet.load(tmp_path / "model.json")))
    assert (model.random_state, model.alpha) == (4, 0.01)
    before = model.predict_proba(X)
    assert np.array_equal(model.fit(X, y).predict_proba(X), before)


def test_labels_that_are_numbers_come_back_as_numbers(tmp_path, two_classes):
    X, y = two_classes
    for labels, kind in (
        (y == "ill", "b"),
        (np.where(y == "ill", 1, 2), "i"),
        (y, "U"),
        (np.where(y == "ill", 1.0, 2.0), "i"),
    ):
        model = NeedleClassifier(n_draws=200).fit(X, labels)
        model.save(tmp_path / "model.json")
        again = needlenet.load(tmp_path / "model.json")
        assert again.classes_.dtype.kind == kind
        assert np.array_equal(again.predict(X), model.predict(X))


def test_bad_files_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.json"):
        needlenet.load(tmp_path / "nowhere.json")
    (tmp_path / "other.json").write_text('{"format": "something"}')
    with pytest.raises(ValueError, match="is not a needlenet model"):
        needlenet.load(tmp_path / "other.json")
    with pytest.raises(OSError, match="directory"):
        NeedleRegressor().fit(np.eye(9), np.arange(9.0)).save(tmp_path)


def test_the_threshold_is_the_one_of_the_fit_and_of_the_program(program, tmp_path, bent, three_classes):
    X, y = bent
    told = json.loads(program("threshold", written(tmp_path, X, y)[1], "--target", "outcome", "--json", "--alpha", 0.1))
    found = needlenet.quantile_universal_threshold(X, y, alpha=0.1)
    assert (found.lambda_qut, found.lambda_zero) == (told["lambda_qut"], told["lambda_zero"])
    assert (found.p_value, found.standard_error) == (told["p_value"], told["lambda_qut_standard_error"])
    X, y = three_classes
    found = needlenet.quantile_universal_threshold(X, y, task="classification", penalty="l1")
    model = NeedleClassifier(penalty="l1").fit(X, y)
    assert (found.lambda_qut, found.lambda_zero) == (model.lambda_qut_, model.lambda_zero_)
    assert np.array_equal(found.null_draws, model.null_draws_)
    words = needlenet.quantile_universal_threshold(X, np.array(["a", "b", "c"])[y], penalty="l1")
    assert words.lambda_qut == found.lambda_qut
    with pytest.raises(ValueError, match="accepted: 'regression'"):
        needlenet.quantile_universal_threshold(X, y, task="ranking")
