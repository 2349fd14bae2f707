"""A nonlinear law with interactions: `python interactions.py [PICTURE.png]`.

The outcome is 10 |x7 - x12| + 10 |x20 - x31| plus noise. No input has a linear trend, so that a linear model sees
nothing; the network finds the four inputs, and its neurons tell which act together.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LassoCV

from needlenet import NeedleRegressor, plot


def main(picture: str) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 50))
    y = 10 * np.abs(X[:, 7] - X[:, 12]) + 10 * np.abs(X[:, 20] - X[:, 31]) + random.normal(size=500)
    train, test = slice(0, 350), slice(350, 500)

    model = NeedleRegressor(n_jobs=-1).fit(X[train], y[train])
    print(model.summary())
    lasso = LassoCV().fit(X[train], y[train])
    print(f"\nR2 on unseen samples: network {model.score(X[test], y[test]):.3f}, ", end="")
    print(f"LassoCV {lasso.score(X[test], y[test]):.3f}")

    figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
    plot.effects(model, ax=axes[0, 0])
    plot.pairs(model, ax=axes[0, 1], pair=("x7", "x12"))
    plot.neurons(model, ax=axes[1, 0])
    plot.path(model, ax=axes[1, 1])
    figure.savefig(picture, dpi=110)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "interactions.png")
