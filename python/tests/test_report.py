"""The page of a fit, and what a notebook shows."""

import json

import html5lib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import needlenet
from needlenet import NeedleClassifier, NeedleRegressor


def parsed(path):
    """The page, which a strict parser must accept."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    return parser.parse(path.read_text(encoding="utf-8"))


def embedded(page):
    (script,) = page.iter("script")
    assert script.get("type") == "application/json"
    return json.loads(script.text)


def words(page):
    return " ".join(" ".join(page.itertext()).split())


def test_the_page_with_its_table(bent, tmp_path):
    model = NeedleRegressor().fit(*bent)
    model.report(tmp_path / "page.html", *bent)
    page = parsed(tmp_path / "page.html")
    assert embedded(page)["selected"] == list(model.selected_features_)
    assert "Observed against fitted" in words(page)
    assert "NeedleRegressor().fit(X, y)" in words(page)
    assert (tmp_path / "page.html").stat().st_size < 300_000
    for path in page.iter():
        assert path.get("src") is None and path.get("href") is None


def test_the_page_of_a_model_alone(bent, tmp_path):
    NeedleRegressor().fit(*bent).save(tmp_path / "model.json")
    needlenet.load(tmp_path / "model.json").report(tmp_path / "page.html")
    assert "came without its table" in words(parsed(tmp_path / "page.html"))


def test_classes_and_hostile_names(tmp_path):
    X = np.random.default_rng(0).normal(size=(200, 4))
    table = pd.DataFrame(X, columns=["<script>alert(1)</script>", '"quoted" & <b>', "\u202ereversed", "plain 🧬"])
    y = np.where(X[:, 0] + X[:, 1] > 0, "<i>yes", "no")
    model = NeedleClassifier(hidden=None).fit(table, y)
    model.report(tmp_path / "page.html", table, y)
    page = parsed(tmp_path / "page.html")
    assert set(embedded(page)["selected"]) == {"<script>alert(1)</script>", '"quoted" & <b>'}
    assert "<script>alert(1)</script>" in words(page)
    assert "ROC curve" in words(page) and "Calibration" in words(page)


def test_a_table_that_is_not_that_of_the_fit_is_refused(bent, two_classes, tmp_path):
    path = tmp_path / "page.html"
    model = NeedleRegressor().fit(*bent)
    with pytest.raises(ValueError, match="both X and y"):
        model.report(path, bent[0])
    with pytest.raises(ValueError, match="X has 200 rows and y 199"):
        model.report(path, bent[0], bent[1][:-1])
    with pytest.raises(ValueError, match="same classes"):
        NeedleClassifier().fit(*two_classes).report(path, two_classes[0], ["other"] * len(two_classes[0]))
    with pytest.raises(OSError, match="nowhere"):
        model.report(tmp_path / "nowhere" / "page.html")
    assert not path.exists()


def test_a_notebook_shows_the_parameters_and_once_fitted_the_needles(bent):
    model = NeedleRegressor(hidden=(8,))
    assert "found to matter" not in model._repr_html_()
    model.fit(*bent)
    for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert "sk-estimator" in html or "sk-container" in html
        assert "2 of 20 inputs found to matter" in html and "x11" in html
    assert "NeedleRegressor" in make_pipeline(StandardScaler(), model)._repr_html_()
    with sklearn.config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()
        assert not hasattr(model, "_repr_html_")


def test_a_fit_that_did_not_converge_says_so(bent, tmp_path):
    with pytest.warns(sklearn.exceptions.ConvergenceWarning):
        model = NeedleRegressor(max_iter=1, tol=1e-12, hidden=(4,)).fit(*bent)
    model.report(tmp_path / "page.html")
    page = words(parsed(tmp_path / "page.html"))
    assert page.index("did NOT converge") < page.index("Which inputs matter?")
    assert "raise max_iter" in page and "did NOT converge" in model._repr_html_()
