"""The level under each rule for missing cells: the share of tables without needles in which something is found.

    python docs/results/missing/level.py TABLES > docs/results/missing/level.csv

The model is linear. Each table has 60 samples of 15 Gaussian inputs and an outcome of Gaussian noise that depends on none of them. In the first five
inputs cells are missing:

- at random: each with a chance of 15%;
- by value: those above the upper fifth of the input, each with a chance of 75%;
- by outcome: those of samples with an outcome above 0, each with a chance of 30%. Here the outcome does go with the missing cells, so
  that finding their mark is no error; finding anything else is.
"""

import sys

import numpy as np

from needlenet import NeedleRegressor

N, P, GAPS = 60, 15, 5


def table(random, mechanism):
    X, y = random.normal(size=(N, P)), random.normal(size=N)
    chance = random.random((N, GAPS))
    cells = X[:, :GAPS]
    gone = {
        "at random": chance < 0.15,
        "by value": (cells > np.quantile(cells, 0.8, axis=0)) & (chance < 0.75),
        "by outcome": (y > 0)[:, None] & (chance < 0.3),
    }[mechanism]
    cells[gone] = np.nan
    return X, y


def main(tables):
    print("mechanism,rule,table,found,marks")
    for mechanism in ("at random", "by value", "by outcome"):
        for rule in ("mean", "indicator", "drop-rows", "drop-columns"):
            for at in range(tables):
                X, y = table(np.random.default_rng([16, at]), mechanism)
                model = NeedleRegressor(hidden=None, missing=rule, n_draws=500).fit(X, y)
                marks = sum(needle.name.endswith("=(missing)") for needle in model.needles_)
                print(f"{mechanism},{rule},{at},{len(model.needles_)},{marks}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
