"""A prediction needs the columns of the needles (and stand-ins) only, by name."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from needlenet import NeedleClassifier, NeedleRegressor


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(5)
    X = pd.DataFrame(random.normal(size=(150, 12)), columns=[f"gene{j}" for j in range(12)])
    y = 3 * X["gene7"] - 2 * X["gene2"] + 0.3 * random.normal(size=150)
    return X, y


@pytest.fixture(scope="module")
def model(table):
    model = NeedleRegressor(hidden=None, n_draws=500).fit(*table)
    assert set(model.selected_features_) == {"gene7", "gene2"}
    return model


@pytest.mark.parametrize("columns", [["gene2", "gene7"], ["gene7", "gene2"], ["gene11", "gene2", "gene0", "gene7"]])
def test_a_frame_with_the_needles_predicts_as_the_whole_table(table, model, columns):
    X, _ = table
    expected = model.predict(X)
    np.testing.assert_array_equal(model.predict(X[columns]), expected)
    np.testing.assert_array_equal(model.predict(pl.from_pandas(X[columns])), expected)
    np.testing.assert_array_equal(model.outside(X[columns]), model.outside(X))
    np.testing.assert_array_equal(model.transform(X[columns]), model.transform(X))


def test_classes_are_predicted_from_the_needles_and_their_stand_ins(table):
    X, y = table
    model = NeedleClassifier(hidden=None, n_draws=500).fit(X, np.where(y > 0, "high", "low"))
    needed = [needle.name for needle in model.needles_ + model.stand_ins_]
    assert 0 < len(needed) < X.shape[1]
    np.testing.assert_array_equal(model.predict_proba(X[needed]), model.predict_proba(X))


def test_a_frame_without_a_needle_is_refused_with_the_names(table, model):
    X, _ = table
    with pytest.raises(ValueError, match=r"(?s)only need the columns .*; of these the table lacks 'gene7'\.$"):
        model.predict(X[["gene2", "gene3"]])


def test_a_frame_with_all_columns_in_another_order_is_refused_as_in_scikit_learn(table, model):
    X, _ = table
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="unseen at fit time"):
        model.predict(X.assign(extra=1.0))


def test_a_missing_cell_is_named_as_such(table, model):
    X, _ = table
    with pytest.raises(ValueError, match=r"missing.*\"gene2\".*missing='mean'"):
        model.predict(X[["gene2", "gene7"]].assign(gene2=np.nan))


def test_an_array_has_no_names_and_needs_every_column(table, model):
    X, _ = table
    with pytest.raises(ValueError, match="12 features"):
        model.predict(X[["gene2", "gene7"]].to_numpy())
