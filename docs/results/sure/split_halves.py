"""The other candidate for the p-value of a needle: the network as statistic on split halves.

    python docs/results/sure/split_halves.py TABLES SEED > docs/results/sure/split_halves.csv     # needs needlenet

One half of the samples is fitted. The statistic is the loss of that model on the other half. The tested input is redrawn there
199 times from its *true* law given the others, and the p-value is the rank of the loss among those of the redraws; it is 1 if the model does
not use the input. Both halves take both parts in 10 splits, and the p-value is twice the median of the 20, at most 1. Beside it is the p-value in use (`sure`, from all samples, with the
estimated law of the input), which is 1 if the fit does not select the input.

Tested are the first needle and the hay input beside it, each by itself. Inputs are a chain with correlation .5 between neighbours.
"""

import sys
import warnings

import numpy as np
from needlenet import NeedleClassifier, NeedleRegressor

RHO = 0.5
SPLITS = 10
REDRAWS = 199


def chain(random, n, p):
    X = random.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = RHO * X[:, j - 1] + np.sqrt(1 - RHO**2) * X[:, j]
    return X


def law(X, j):
    """Mean and standard deviation of x_j given the others."""
    beside = [k for k in (j - 1, j + 1) if 0 <= k < X.shape[1]]
    if len(beside) == 1:
        return RHO * X[:, beside[0]], np.sqrt(1 - RHO**2)
    return RHO * X[:, beside].sum(axis=1) / (1 + RHO**2), np.sqrt((1 - RHO**2) / (1 + RHO**2))


def straight(X, random):
    return 0.3 * X[:, 1] + 0.5 * X[:, 3] + random.normal(size=len(X))


def bent(X, random):
    return 0.7 * np.abs(X[:, 1]) + 0.5 * X[:, 3] + random.normal(size=len(X))


def product(X, random):
    return 0.5 * X[:, 1] * X[:, 3] + random.normal(size=len(X))


def classes(X, random):
    return (random.uniform(size=len(X)) < 1 / (1 + np.exp(-0.8 * X[:, 1] - X[:, 3]))).astype(int)


# the tested needle is x2, the tested hay input is x3, between x2 and the other needle
DESIGNS = {"straight": (straight, 200), "bent": (bent, 200), "product": (product, 300), "classes": (classes, 300)}
NEEDLE, HAY, P = 1, 2, 30


def estimator(is_class):
    return (NeedleClassifier if is_class else NeedleRegressor)(n_jobs=1)


def losses(model, X, y, is_class):
    if is_class:
        return -np.log(np.clip(model.predict_proba(X)[np.arange(len(y)), y], 1e-12, None))
    return (y - model.predict(X)) ** 2


def by_halves(X, y, j, is_class, random):
    p_values = []
    for _ in range(SPLITS):
        order = random.permutation(len(y))
        halves = order[: len(y) // 2], order[len(y) // 2 :]
        for fit, test in (halves, halves[::-1]):
            model = estimator(is_class).fit(X[fit], y[fit])
            if j not in set(np.flatnonzero(model.get_support())):
                p_values.append(1.0)
                continue
            mean, deviation = law(X[test], j)
            own = losses(model, X[test], y[test], is_class).sum()
            redrawn = np.tile(X[test], (REDRAWS, 1))
            redrawn[:, j] = np.tile(mean, REDRAWS) + deviation * random.normal(size=len(redrawn))
            of_each = losses(model, redrawn, np.tile(y[test], REDRAWS), is_class).reshape(REDRAWS, -1).sum(axis=1)
            p_values.append((1 + np.sum(of_each <= own)) / (REDRAWS + 1))
    return min(1.0, 2 * np.median(p_values))


def in_use(X, y, is_class):
    """The p-value of every input, 1 for those that are not selected."""
    model = estimator(is_class).fit(X, y)
    found = np.ones(X.shape[1])
    for needle in model.sure(X, y, pairs=0).needles:
        found[needle.index] = needle.p_value
    return found


warnings.simplefilter("ignore")
tables, seed = int(sys.argv[1]), int(sys.argv[2])
print("design,table,input,is_needle,in_use,split_halves")
for table in range(tables):
    for at, (design, (draw, n)) in enumerate(DESIGNS.items()):
        random = np.random.default_rng([seed, table, at])
        X = chain(random, n, P)
        y = draw(X, random)
        whole = in_use(X, y, design == "classes")
        for j, is_needle in [(NEEDLE, 1), (HAY, 0)]:
            halves = by_halves(X, y, j, design == "classes", random)
            print(f"{design},{table},x{j + 1},{is_needle},{whole[j]:.3g},{halves:.3g}", flush=True)
