"""Draws the pictures of the gallery: python docs/pictures/make.py (needs needlenet[plot] and pandas).

The tables are made here with fixed seeds, so the pictures can be made again.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LassoCV
from sklearn.pipeline import make_pipeline

from needlenet import NeedleClassifier, NeedleRegressor, plot, stability

HERE = Path(__file__).parent


def save(name, ax):
    ax.figure.savefig(HERE / f"{name}.png", dpi=100)
    plt.close(ax.figure)


def main():
    random = np.random.default_rng(7)
    X = pd.DataFrame(random.normal(size=(500, 40)), columns=[f"sensor{j}" for j in range(40)])
    y = 4 * np.abs(X["sensor3"] - X["sensor17"]) - 3 * X["sensor22"] ** 2 + random.normal(size=500)
    model = NeedleRegressor().fit(X, y)
    save("effects", plot.effects(model))
    save("pairs", plot.pairs(model))
    save("neurons", plot.neurons(model))
    save("null", plot.null_distribution(model))
    save("path", plot.path(model))

    wine = load_wine(as_frame=True)
    names = np.array([f"cultivar {label}" for label in "ABC"])[wine.target]
    save("effects-classes", plot.effects(NeedleClassifier().fit(wine.data, names)))

    straight = pd.DataFrame(random.normal(size=(100, 30)), columns=[f"x{j}" for j in range(30)])
    linear = NeedleRegressor(hidden=None).fit(straight, 3 * straight["x2"] - 2 * straight["x9"] + random.normal(size=100))
    save("path-linear", plot.path(linear))

    cancer = load_breast_cancer(as_frame=True)
    parts = stability(NeedleClassifier(n_draws=1000), cancer.data, cancer.target, n_resamples=40, random_state=0)
    save("frequencies", parts.plot())

    candidates = {
        "needlenet": NeedleRegressor(),
        "needlenet, then a forest": make_pipeline(NeedleRegressor(), RandomForestRegressor(100, random_state=0)),
        "forest on all inputs": RandomForestRegressor(100, random_state=0),
        "LassoCV": LassoCV(),
    }
    save("accuracy-by-size", plot.accuracy_by_size(candidates, X, y, cv=3))


if __name__ == "__main__":
    main()
