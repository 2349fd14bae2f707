"""Tables of every kind: the same numbers give the same model, wherever they lie."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from needlenet import NeedleClassifier, NeedleRegressor


@pytest.fixture(scope="module")
def whole() -> tuple[np.ndarray, np.ndarray]:
    """Small whole numbers, which every number type can hold."""
    random = np.random.default_rng(5)
    X = random.integers(0, 50, size=(120, 10)).astype(np.float64)
    return X, np.abs(X[:, 2] - X[:, 6]) + random.normal(size=120)


@pytest.mark.parametrize(
    "kind", ["f2", "f4", "f8", ">f8", "longdouble", "i1", "i2", "i4", "i8", ">i4", "u1", "u2", "u4", "u8", object]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_number_type_and_order_gives_the_same_bits(whole, kind, order):
    X, y = whole
    expected = NeedleRegressor(n_draws=200).fit(X, y)
    model = NeedleRegressor(n_draws=200).fit(np.array(X, dtype=kind, order=order), y)
    assert np.array_equal(model.predict(np.array(X, dtype=kind, order=order)), expected.predict(X))
    assert model.objective_ == expected.objective_


def test_views_with_gaps_or_backwards_are_read_in_place(whole):
    X, y = whole
    expected = NeedleRegressor(n_draws=200).fit(X, y).predict(X)
    wide = np.zeros((240, 30))
    wide[::2, 5:25:2] = X
    model = NeedleRegressor(n_draws=200).fit(wide[::2, 5:25:2], y)
    assert np.array_equal(model.predict(wide[::2, 5:25:2]), expected)
    backwards = X[::-1, ::-1]
    model = NeedleRegressor(n_draws=200).fit(backwards, y[::-1])
    assert model.get_support(indices=True).tolist() == [3, 7]
    copied = NeedleRegressor(n_draws=200).fit(backwards.copy(), y[::-1].copy())
    assert np.array_equal(model.predict(backwards), copied.predict(backwards.copy()))


def test_truth_values_are_inputs(whole):
    X, y = whole
    truths = X > 25
    assert np.array_equal(
        NeedleRegressor(hidden=None).fit(truths, y).predict(truths),
        NeedleRegressor(hidden=None).fit(truths.astype(float), y).predict(truths.astype(float)),
    )


def test_the_table_is_not_changed_and_may_be_read_only(whole):
    X, y = whole
    kept = X.copy()
    X.setflags(write=False)
    NeedleRegressor(n_draws=200).fit(X, y).predict(X)
    assert np.array_equal(X, kept)


@pytest.mark.parametrize("library", [pd, pl])
def test_tables_with_names(whole, library):
    X, y = whole
    names = [f"gene {j}" for j in range(10)]
    table = pd.DataFrame(X, columns=names) if library is pd else pl.DataFrame(X, schema=names)
    model = NeedleRegressor().fit(table, y)
    assert model.feature_names_in_.tolist() == names
    assert set(model.selected_features_) == {"gene 2", "gene 6"}
    assert model.get_feature_names_out().tolist() == ["gene 2", "gene 6"]
    assert {needle.name for needle in model.needles_} == {"gene 2", "gene 6"}
    assert np.array_equal(model.predict(table), NeedleRegressor().fit(X, y).predict(X))
    kept = model.set_output(transform="pandas" if library is pd else "polars").transform(table)
    assert isinstance(kept, library.DataFrame)
    assert list(kept.columns) == ["gene 2", "gene 6"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(pd.DataFrame(X, columns=names[::-1]))


def test_labels_from_a_table(two_classes):
    X, y = two_classes
    expected = NeedleClassifier().fit(X, y).predict(X)
    assert np.array_equal(NeedleClassifier().fit(X, pd.Series(y, dtype="category")).predict(X), expected)
    assert np.array_equal(NeedleClassifier().fit(X, pl.Series(y)).predict(X), expected)


@pytest.fixture(scope="module")
def cells():
    """Counts of which most are zero, and an outcome of two of them."""
    rng = np.random.default_rng(3)
    X = rng.poisson(0.2, size=(150, 40)).astype(float)
    y = 2.0 * X[:, 3] + np.abs(X[:, 7] - 1.0) + 0.3 * rng.standard_normal(150)
    return X, y


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array, sparse.csc_array])
def test_a_sparse_table_is_the_same_table(cells, form):
    X, y = cells
    dense, model = NeedleRegressor().fit(X, y), NeedleRegressor().fit(form(X), y)
    assert list(model.selected_features_) == list(dense.selected_features_) == ["x3", "x7"]
    assert model.objective_ == pytest.approx(dense.objective_, rel=1e-9)
    assert model.lambda_qut_ == dense.lambda_qut_
    assert np.allclose(model.predict(form(X)), dense.predict(X), rtol=1e-9)
    assert model.transform(sparse.csr_matrix(X)).shape == (150, 2)
    assert not model.outside(form(X)).any()


def test_a_sparse_table_with_64_bit_indices_and_cells_given_twice(cells):
    X, y = cells
    wide = sparse.csc_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert NeedleRegressor().fit(wide, y).objective_ == NeedleRegressor().fit(sparse.csc_array(X), y).objective_
    rows, columns = np.nonzero(X)
    halves = sparse.coo_array(
        (np.tile(X[rows, columns] / 2, 2), (np.tile(rows, 2), np.tile(columns, 2))), shape=X.shape
    )
    assert NeedleRegressor().fit(halves, y).support_.tolist() == NeedleRegressor().fit(X, y).support_.tolist()


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("kind", [np.float32, np.int64, np.int8])
def test_sparse_values_of_any_type_and_order_are_the_same_table(cells, form, kind):
    X, y = cells
    whole = np.round(4 * X).astype(kind)
    expected = NeedleRegressor(hidden=None, n_draws=200).fit(whole, y)
    model = NeedleRegressor(hidden=None, n_draws=200).fit(form(whole), y)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-9)
    assert model.get_support().tolist() == expected.get_support().tolist()


def test_rows_with_cells_in_any_order_are_the_same_table(cells):
    X, y = cells
    rows = sparse.csr_array(X)
    turned = rows.copy()
    for start, end in zip(turned.indptr[:-1], turned.indptr[1:], strict=True):
        turned.indices[start:end] = turned.indices[start:end][::-1].copy()
        turned.data[start:end] = turned.data[start:end][::-1].copy()
    turned.has_sorted_indices = False
    again = NeedleRegressor(hidden=None, n_draws=200).fit(turned, y)
    assert again.objective_ == NeedleRegressor(hidden=None, n_draws=200).fit(rows, y).objective_


def test_sparse_classes(cells):
    X, y = cells
    labels = np.where(y > 1.0, "high", "low")
    dense = NeedleClassifier().fit(X, labels)
    model = NeedleClassifier().fit(sparse.csr_matrix(X), labels)
    assert list(model.selected_features_) == list(dense.selected_features_)
    assert (model.predict(sparse.csr_matrix(X)) == dense.predict(X)).all()


def test_missing_values_are_refused(whole):
    X, y = whole
    X = X.copy()
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        NeedleRegressor().fit(X, y)
