"""Selection inside a pipeline, against LassoCV and a forest: `python pipeline.py [PICTURE.png]`.

The needles feed a forest, which so sees 3 inputs instead of 60. Everything is fitted within each fold: selecting on
all samples first and then cross-validating would be cheating.
"""

import sys

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LassoCV
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from needlenet import NeedleRegressor, plot


def main(picture: str) -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(240, 60))
    y = 3 * np.abs(X[:, 4] - X[:, 30]) + 2 * X[:, 11] + random.normal(size=240)

    forest = RandomForestRegressor(100, random_state=0)
    candidates = {
        "needlenet": NeedleRegressor(),
        "needlenet, then a forest": make_pipeline(NeedleRegressor(), forest),
        "forest on all inputs": forest,
        "LassoCV": make_pipeline(StandardScaler(), LassoCV()),
    }
    print("R2 on unseen samples, three folds:")
    for name, estimator in candidates.items():
        scores = cross_val_score(estimator, X, y, cv=3)
        print(f"  {name:<26}{scores.mean():.3f}")

    ax = plot.accuracy_by_size(candidates, X, y, cv=3)
    ax.figure.savefig(picture, dpi=110)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "pipeline.png")
