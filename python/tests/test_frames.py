"""Words, categories, missing cells, groups, inputs that are always in; in tables of every library."""

import pickle
from datetime import date

import anndata
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import needlenet
from needlenet import NeedleClassifier, NeedleCounts, NeedleRegressor, NeedleSurvival

FAST = {"hidden": None, "n_draws": 300}
MARKERS = [f"marker_{j}" for j in range(6)]


def table(n=160, seed=3):
    """Age, stage (a word) and marker_2 act; some markers are missing."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.normal(size=(n, 6)), columns=MARKERS)
    frame.insert(0, "age", random.integers(35, 85, n))
    frame.insert(1, "sex", random.choice(["F", "M"], n))
    frame.insert(2, "stage", random.choice(["I", "II", "III"], n, p=[0.5, 0.3, 0.2]))
    effect = frame["stage"].map({"I": 0.0, "II": 0.2, "III": 2.5})
    y = 0.08 * frame["age"] + effect + 1.5 * frame["marker_2"] + 0.4 * random.normal(size=n)
    frame = frame.mask(random.random(frame.shape) < np.where([c in MARKERS for c in frame], 0.04, 0.0))
    return frame, y.to_numpy()


@pytest.fixture(scope="module")
def clinic():
    return table()


@pytest.fixture(scope="module")
def model(clinic):
    return NeedleRegressor(missing="mean", **FAST).fit(*clinic)


EXPECTED = {"age", "stage", "marker_2"}


def test_words_are_one_input_and_missing_cells_get_the_mean(clinic, model):
    X, y = clinic
    assert set(model.selected_features_) == EXPECTED
    assert model.feature_names_in_.tolist() == X.columns.tolist()
    assert (model.n_features_in_, model.support_.shape, model.coef_.shape) == (9, (9,), (9,))
    assert set(X.columns[model.get_support()]) == set(model.get_feature_names_out()) == EXPECTED
    assert any("read as a category" in note for note in model.notes_)
    assert any("missing cells filled" in note for note in model.notes_)
    (stage,) = model.groups_
    assert (stage.name, stage.kind, list(stage.effects)) == ("stage", "category", ["I", "II", "III"])
    assert stage.effects["III"] - stage.effects["I"] == pytest.approx(2.5, abs=0.5)
    assert model.score(X, y) > 0.9
    kept = model.transform(X)
    assert kept.shape == (160, 3)
    assert isinstance(clone(model).set_output(transform="pandas").fit(X, y).transform(X), pd.DataFrame)
    assert "levels of stage" in model.summary()


def libraries(X):
    words = X.assign(sex=X["sex"].astype(str), stage=X["stage"].astype(str))
    arrow = pa.Table.from_pandas(words, preserve_index=False)
    yield "polars", pl.from_arrow(arrow)
    yield (
        "polars categories",
        pl.from_arrow(arrow).with_columns(
            pl.col("stage").cast(pl.Enum(["I", "II", "III"])), pl.col("sex").cast(pl.Categorical)
        ),
    )
    yield "pyarrow", arrow
    yield "pyarrow in batches", pa.Table.from_batches(arrow.to_batches(max_chunksize=37))
    dictionary = arrow.set_column(2, "stage", arrow["stage"].dictionary_encode())
    yield "arrow dictionary", dictionary
    yield "pandas category", X.assign(stage=X["stage"].astype("category"))
    yield "pandas extension types", words.convert_dtypes()
    yield "pandas objects", words.astype(object)
    yield "duckdb", duckdb.from_arrow(arrow)


def test_every_library_gives_the_same_model(clinic, model):
    X, y = clinic
    expected = model.predict(X)
    for name, frame in libraries(X):
        again = NeedleRegressor(missing="mean", **FAST).fit(frame, y)
        assert again.objective_ == model.objective_, name
        assert again.selected_features_.tolist() == model.selected_features_.tolist(), name
        assert again.support_.tolist() == model.support_.tolist(), name
        assert np.array_equal(again.predict(frame), expected), name
        assert np.array_equal(model.predict(frame), expected), name


def test_numbers_of_an_arrow_table_are_not_copied_by_python(clinic):
    """A table that refuses to become an array is read all the same."""

    class Stream:
        def __init__(self, table):
            self.table = table
            self.column_names = table.column_names

        def __arrow_c_stream__(self, requested_schema=None):
            return self.table.__arrow_c_stream__(requested_schema)

        def __array__(self, *_, **__):
            raise AssertionError("not asked for")

    X, y = clinic
    frame = Stream(pa.Table.from_pandas(X[["age", *MARKERS]].fillna(0.0), preserve_index=False))
    model = NeedleRegressor(**FAST).fit(frame, y)
    assert model.predict(frame).shape == (160,)
    assert model.feature_names_in_.tolist() == ["age", *MARKERS]


@pytest.mark.parametrize("rule", ["mean", "indicator", "drop-rows"])
def test_each_rule_for_missing_cells_finds_what_is_there(clinic, rule):
    X, y = clinic
    model = NeedleRegressor(missing=rule, **FAST).fit(X, y)
    assert set(model.selected_features_) == EXPECTED
    if rule == "drop-rows":
        assert model._model.n_samples == int(X.notna().all(axis=1).sum())


def test_missing_cells_are_refused_without_a_rule_and_columns_may_be_dropped(clinic):
    X, y = clinic
    with pytest.raises(ValueError, match=r"missing.*give missing='mean', 'indicator', 'drop-rows' or 'drop-columns'"):
        NeedleRegressor(**FAST).fit(X, y)
    model = NeedleRegressor(missing="drop-columns", **FAST).fit(X, y)
    whole = set(X.columns[X.notna().all()])
    assert set(model.selected_features_) <= whole
    assert model.support_.shape == (9,)
    assert model.predict(X).shape == (160,)
    with pytest.raises(ValueError, match="missing is \"zero\"; accepted: 'error', 'mean'"):
        NeedleRegressor(missing="zero", **FAST).fit(X, y)


def test_arrays_with_missing_cells(clinic):
    X, y = clinic
    values = X[["age", *MARKERS]].to_numpy(dtype=float)
    model = NeedleRegressor(missing="mean", **FAST).fit(values, y)
    named = NeedleRegressor(missing="mean", **FAST).fit(X[["age", *MARKERS]], y)
    assert model.objective_ == named.objective_
    assert set(model.selected_features_) == {"x0", "x3"}
    assert np.array_equal(model.predict(values), named.predict(X[["age", *MARKERS]]))
    with pytest.raises(ValueError, match="NaN"):
        NeedleRegressor(**FAST).fit(values, y)
    objects = values.astype(object)
    objects[np.isnan(values)] = None
    assert NeedleRegressor(missing="mean", **FAST).fit(objects, y).objective_ == model.objective_


def test_an_indicator_is_one_input_with_its_number():
    random = np.random.default_rng(5)
    X = random.normal(size=(200, 8))
    gone = random.random(200) < 0.3
    y = 2.0 * gone + 0.3 * random.normal(size=200)
    X[gone, 4] = np.nan
    model = NeedleRegressor(missing="indicator", **FAST).fit(X, y)
    assert model.selected_features_.tolist() == ["x4"]
    assert [needle.name for needle in model.needles_] == ["x4=(missing)"]
    assert "x4=(missing)" in model.summary()
    told = model.predict(X)
    assert told[gone].mean() - told[~gone].mean() == pytest.approx(2.0, abs=0.2)
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    assert NeedleRegressor(missing="indicator", **FAST).fit(frame, y).selected_features_.tolist() == ["e"]


def test_a_missing_cell_of_a_prediction_gets_the_mean_of_the_fit(clinic, model):
    X, _ = clinic
    one = X.iloc[:1].copy()
    (age,) = (needle for needle in model.needles_ if needle.name == "age")
    filled = one.assign(age=age.mean)
    assert model.predict(one.assign(age=np.nan))[0] == pytest.approx(model.predict(filled)[0], rel=1e-12)
    strict = clone(model).set_params(missing="drop-rows").fit(*clinic)
    with pytest.raises(ValueError, match=r"missing.*missing='mean'"):
        strict.predict(one.assign(age=np.nan))


def test_levels_that_the_model_does_not_know(clinic, model):
    X, _ = clinic
    new = X.iloc[:2].assign(stage=["V", "II"])
    with pytest.raises(ValueError, match=r"\"V\" is not among the levels .*unseen='mode'"):
        model.predict(new)
    told = {rule: pickle.loads(pickle.dumps(model)).set_params(unseen=rule).predict(new) for rule in ("mode", "mean")}
    usual = model.predict(new.assign(stage=["I", "II"]))
    assert np.array_equal(told["mode"], usual)
    assert told["mean"][0] > usual[0]
    assert told["mean"][1] == usual[1]


def test_numbers_may_be_categories_and_levels_may_have_an_order():
    random = np.random.default_rng(7)
    n = 150
    X = pd.DataFrame(random.normal(size=(n, 4)), columns=list("abcd"))
    X["site"] = random.choice([1, 2, 3], n)
    X["grade"] = random.choice(["low", "mid", "high"], n)
    order = {"low": 0, "mid": 1, "high": 2}
    y = X["site"].map({1: 0.0, 2: 3.0, 3: 0.0}) + X["grade"].map(order) + 0.3 * random.normal(size=n)
    asked = {"category": ["site"], "ordered": {"grade": list(order)}}
    model = NeedleRegressor(**asked, **FAST).fit(X, y)
    assert set(model.selected_features_) == {"site", "grade"}
    assert {group.name: group.kind for group in model.groups_} == {"site": "category", "grade": "ordered"}
    by_position = NeedleRegressor(category=[4], ordered={"grade": list(order)}, **FAST).fit(X, y)
    assert by_position.objective_ == model.objective_
    typed = X.assign(grade=pd.Categorical(X["grade"], categories=list(order), ordered=True))
    assert NeedleRegressor(category=["site"], **FAST).fit(typed, y).objective_ == model.objective_
    with pytest.raises(ValueError, match="not among its ordered levels"):
        NeedleRegressor(category=["site"], ordered={"grade": ["low", "mid"]}, **FAST).fit(X, y)
    codes = X.assign(grade=X["grade"].map(order)).to_numpy(dtype=float)
    unnamed = NeedleRegressor(category=[4], **FAST).fit(codes, y)
    assert set(unnamed.selected_features_) == {"x4", "x5"}
    assert unnamed.predict(codes).shape == (n,)


def test_columns_that_cannot_be_used_are_named_at_once(clinic):
    X, y = clinic
    bad = X.assign(patient=[f"P{i}" for i in range(len(X))], seen=date(2024, 3, 1), when=pd.Timestamp("2024-03-01"))
    with pytest.raises(ValueError) as raised:
        NeedleRegressor(missing="mean", **FAST).fit(bad, y)
    told = str(raised.value)
    assert '"patient" looks like an identifier' in told
    assert '"seen" holds dates' in told
    assert '"when" holds dates' in told
    assert "dates='days'" in told
    assert "--" not in told


def test_texts_that_are_numbers_are_numbers_and_one_error_names_everything():
    """pandas reads a column of numbers as text if one of its cells is "."."""
    random = np.random.default_rng(4)
    X = pd.DataFrame({"age": random.integers(20, 80, 60).astype(str), "x": random.normal(size=60)})
    X.loc[3, "age"] = "."
    y = pd.to_numeric(X["age"], errors="coerce").fillna(50) + random.normal(size=60)
    model = NeedleRegressor(hidden=None, n_draws=200, missing="mean").fit(X, y)
    assert model.selected_features_ == ["age"]
    assert model.notes_ == ['1 missing cell filled with the column mean, in 1 column: "age"']
    bad = X.assign(id=[f"p{at}" for at in range(60)], none=None, far=[np.inf] + 59 * [0.0])
    for table in [bad, pa.Table.from_pandas(bad, preserve_index=False)]:
        with pytest.raises(ValueError, match="3 columns cannot be used") as error:
            NeedleRegressor(hidden=None, n_draws=200).fit(table, y)
        lines = str(error.value).splitlines()
        assert [line.split('"')[1] for line in lines[1:4]] == ["id", "none", "far"]
        assert lines[4].startswith('  1 cell is missing, the first in row 4, column "age"; give missing=')


def test_dates_are_days_by_request(clinic):
    X, y = clinic
    days = np.random.default_rng(5).integers(0, 4000, len(X))
    times = np.datetime64("2012-05-01") + days.astype("timedelta64[D]")
    y = y + days / 500
    X = X[["sex", *MARKERS[:3]]].fillna(0)
    since_1970 = times.astype(int)
    expected = NeedleRegressor(**FAST).fit(X.assign(when=since_1970.astype(float)), y)
    assert "when" in expected.selected_features_
    arrow = pa.Table.from_pandas(X.assign(when=times.astype(object)), preserve_index=False)
    assert arrow.schema.field("when").type == pa.date32()
    for frame in (
        X.assign(when=times),
        X.assign(when=times.astype(object)),
        X.assign(when=[str(time) for time in times]),
        pl.from_arrow(arrow),
        arrow,
    ):
        model = NeedleRegressor(dates="days", **FAST).fit(frame, y)
        assert model.objective_ == expected.objective_
        assert np.array_equal(model.predict(frame), expected.predict(X.assign(when=since_1970.astype(float))))
        with pytest.raises(ValueError, match="dates='days'"):
            clone(model).set_params(dates="error").fit(frame, y)
    with pytest.raises(ValueError, match="dates is \"weeks\"; accepted: 'error' or 'days'"):
        NeedleRegressor(dates="weeks").fit(X, y)


def test_annotated_cells_are_read_with_the_names_of_their_genes(tmp_path):
    random = np.random.default_rng(8)
    counts = sparse.random(
        160, 30, density=0.3, random_state=4, format="csr", data_rvs=lambda k: random.poisson(2, k) + 1.0
    )
    genes = [f"gene{j}" for j in range(30)]
    cells = anndata.AnnData(counts.astype(np.float32), var=pd.DataFrame(index=genes))
    dense = counts.toarray()
    cells.obs["kind"] = np.where(dense[:, 4] - dense[:, 9] + 0.3 * random.normal(size=160) > 0, "B", "T")
    model = NeedleClassifier(**FAST).fit(cells, cells.obs["kind"])
    assert set(model.selected_features_) == {"gene4", "gene9"}
    assert model.feature_names_in_.tolist() == genes
    plain = NeedleClassifier(**FAST).fit(counts, cells.obs["kind"])
    assert model.objective_ == plain.objective_
    expected = plain.predict_proba(counts)
    for again in (cells, cells[:, ::-1].copy(), cells[:, ["gene9", "gene4"]]):
        assert np.array_equal(model.predict_proba(again), expected)
    assert np.array_equal(plain.predict_proba(cells), expected)
    kept = model.transform(cells[:, ::-1])
    assert np.array_equal(kept.toarray(), dense[:, [4, 9]])
    # anndata does not write the arrays in which pandas 3 keeps text
    names = [pd.DataFrame(index=pd.Index(list(each), dtype=object)) for each in (cells.obs_names, cells.var_names)]
    anndata.AnnData(cells.X, *names).write_h5ad(tmp_path / "cells.h5ad")
    stored = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    assert np.array_equal(model.predict_proba(stored), expected)
    model.save(tmp_path / "model.json")
    assert np.array_equal(needlenet.load(tmp_path / "model.json").predict_proba(cells), expected)
    with pytest.raises(ValueError, match="needs the column 'gene(4|9)', which the table does not have"):
        model.predict(cells[:, 10:])
    twice = anndata.AnnData(counts[:, :2], var=pd.DataFrame(index=["a", "b"]))
    twice.var_names = ["a", "a"]
    with pytest.raises(ValueError, match="var_names_make_unique"):
        NeedleClassifier(**FAST).fit(twice, cells.obs["kind"])


def test_groups_enter_together_and_names_are_checked():
    random = np.random.default_rng(11)
    X = pd.DataFrame(random.normal(size=(120, 12)), columns=[f"g{j}" for j in range(12)])
    y = X["g1"] - X["g2"] + 0.3 * random.normal(size=120)
    groups = {"pathway": ["g1", "g2", "g3"], "other": [7, 8]}
    model = NeedleRegressor(groups=groups, **FAST).fit(X, y)
    assert {"g1", "g2"} <= set(model.selected_features_) <= {"g1", "g2", "g3"}
    assert [(group.name, group.kind) for group in model.groups_] == [("pathway", "given")]
    assert model.predict(X.to_numpy()[:, :]).shape == (120,)
    array = NeedleRegressor(groups={"pathway": ["x1", 2, 3], "other": [7, 8]}, **FAST).fit(X.to_numpy(), y)
    assert array.objective_ == model.objective_
    of_sparse = NeedleRegressor(groups={"pathway": [1, 2, 3], "other": [7, 8]}, **FAST).fit(
        sparse.csr_matrix(X.to_numpy()), y
    )
    assert of_sparse.objective_ == pytest.approx(model.objective_, rel=1e-9)
    with pytest.raises(ValueError, match='no input "G1"; did you mean "g1"'):
        NeedleRegressor(groups={"pathway": ["G1"]}, **FAST).fit(X, y)
    with pytest.raises(TypeError, match="a dictionary such as"):
        NeedleRegressor(groups=["g1"], **FAST).fit(X, y)


def test_inputs_that_are_always_in_are_adjusted_for(clinic):
    X, y = clinic
    asked = {"always_in": ["age", "stage"], "missing": "mean"}
    model = NeedleRegressor(**asked, **FAST).fit(X, y)
    assert model.selected_features_.tolist() == ["marker_2"]
    assert {needle.input for needle in model.always_} == {"age", "stage"}
    assert model.score(X, y) > 0.9
    needed = X[["marker_2", "stage", "age"]]
    assert np.array_equal(model.predict(needed), model.predict(X))
    with pytest.raises(ValueError, match="stage"):
        model.predict(X[["marker_2", "age"]])
    with pytest.raises(ValueError, match='no input "Age"; did you mean "age"'):
        NeedleRegressor(always_in=["Age"], missing="mean", **FAST).fit(X, y)
    with pytest.raises(TypeError, match="always_in is 'age'; a list"):
        NeedleRegressor(always_in="age", missing="mean", **FAST).fit(X, y)


@pytest.mark.parametrize("estimator", [NeedleClassifier, NeedleCounts, NeedleSurvival])
def test_every_outcome_has_them(clinic, estimator):
    X, y = clinic
    random = np.random.default_rng(2)
    signal = (y - y.mean()) / y.std()
    outcome = {
        NeedleClassifier: np.where(signal + 0.3 * random.normal(size=160) > 0, "high", "low"),
        NeedleCounts: random.poisson(np.exp(0.8 * signal)),
        NeedleSurvival: np.column_stack([random.exponential(np.exp(-1.5 * signal)), random.random(160) < 0.8]),
    }[estimator]
    model = estimator(missing="mean", always_in=["age"], **FAST).fit(X, outcome)
    assert "marker_2" in model.selected_features_
    assert [needle.name for needle in model.always_] == ["age"]
    rows = estimator(missing="drop-rows", **FAST).fit(X, outcome)
    assert rows._model.n_samples == int(X.notna().all(axis=1).sum())
    polars = pl.from_pandas(X)
    assert np.array_equal(np.asarray(model.predict(polars)), np.asarray(model.predict(X)))


def test_weights_and_offsets_follow_the_rows_that_are_kept(clinic):
    X, y = clinic
    whole = X.notna().all(axis=1).to_numpy()
    weights = np.arange(1, 161) % 3 + 1.0
    offset = 0.1 * np.arange(160)
    dropped = NeedleRegressor(missing="drop-rows", **FAST).fit(X, y, weights, offset)
    by_hand = NeedleRegressor(**FAST).fit(X[whole], y[whole], weights[whole], offset[whole])
    assert dropped.objective_ == by_hand.objective_
    assert np.array_equal(dropped.predict(X[whole], offset[whole]), by_hand.predict(X[whole], offset[whole]))


def test_copies_files_and_pipelines(clinic, model, tmp_path):
    X, y = clinic
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert clone(NeedleRegressor(groups={"a": ["b"]}, always_in=["c"])).get_params()["groups"] == {"a": ["b"]}
    model.save(tmp_path / "model.json")
    loaded = needlenet.load(tmp_path / "model.json").set_params(missing="mean")
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert set(loaded.get_feature_names_out()) == EXPECTED
    assert set(loaded.selected_features_) == EXPECTED
    assert loaded.transform(X).shape == (160, 3)
    scores = cross_val_score(make_pipeline(NeedleRegressor(missing="mean", **FAST)), X, y, cv=3)
    assert scores.min() > 0.8
    model.report(tmp_path / "page.html", X, y)
    assert "stage" in (tmp_path / "page.html").read_text()


def test_files_go_both_ways_between_package_and_program(clinic, program, tmp_path):
    X, y = clinic
    path = tmp_path / "table.csv"
    X.assign(response=y).to_csv(path, index=False)
    words = ("--target", "response", "--missing", "mean", "--hidden", "none", "--draws", 300, "--threads", 1)
    program("fit", path, *words, "--always", "sex", "--out", tmp_path / "program.json", "-q")
    model = NeedleRegressor(missing="mean", always_in=["sex"], **FAST).fit(X, y)
    model.save(tmp_path / "package.json")
    assert (tmp_path / "package.json").read_bytes() == (tmp_path / "program.json").read_bytes()
    told = program("predict", tmp_path / "package.json", path, "--missing", "mean", "-q").splitlines()[1:]
    assert np.array_equal([float(line.split(",")[0]) for line in told], model.predict(X))
    loaded = needlenet.load(tmp_path / "program.json").set_params(missing="mean")
    assert np.array_equal(loaded.predict(X), model.predict(X))


def test_a_sparse_table_with_an_input_that_is_always_in():
    random = np.random.default_rng(12)
    X = random.poisson(0.3, size=(150, 20)).astype(float)
    y = X[:, 0] + 2 * X[:, 5] + 0.3 * random.normal(size=150)
    dense = NeedleRegressor(always_in=[0], **FAST).fit(X, y)
    model = NeedleRegressor(always_in=["x0"], **FAST).fit(sparse.csc_array(X), y)
    assert model.selected_features_.tolist() == dense.selected_features_.tolist() == ["x5"]
    assert np.allclose(model.predict(sparse.csr_array(X)), dense.predict(X), rtol=1e-9)
    with pytest.raises(ValueError, match="not for sparse tables"):
        NeedleRegressor(missing="mean", **FAST).fit(sparse.csc_array(X), y)


def test_lengths_that_differ_are_refused(clinic):
    X, y = clinic
    with pytest.raises(ValueError, match="X has 160 rows and y 150"):
        NeedleRegressor(missing="mean", **FAST).fit(X, y[:150])
