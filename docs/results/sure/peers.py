"""Other tests of single inputs beside ours, on the same tables.

    cargo build -p needlenet-cli && pip install hidimstat==0.4.0
    NEEDLENET=target/debug/needlenet python docs/results/sure/peers.py TABLES SEED riboflavin.csv.gz > docs/results/sure/peers.csv

Designs, with Gaussian inputs and noise 1 unless said otherwise; the needles are drawn at random:

- N: 10 |x_a - x_b| + 10 |x_c - x_d|, n = 500, p = 50
- L: four coefficients from {-3, -2, -1, 1, 2}, n = 70, p = 250
- product: 2 x_a x_b, n = 300, p = 50
- genes: riboflavin's 71 samples of 500 genes chosen at random; four of them, standardised, with coefficient 1

An input is rejected if its p-value, corrected for all inputs of the table, is below .05: by Holm, and for GCM and PCM by Bonferroni,
since these two are computed for the needles and SOME_HAY other inputs only (both need several regressions for each input).
Knockoffs have no p-values; their promise is a share of false inputs of at most .1 on average.

GCM (Shah and Peters, 2020) and PCM (Lundborg, Kim, Shah and Samworth, 2024) are plain versions written here from the papers, with
random forests of scikit-learn as regressions; pycomets, the authors' package, is not on PyPI.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from hidimstat import D0CRT, ModelXKnockoff
from scipy import stats
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LassoCV

SOME_HAY = 6
LEVEL = 0.05


def nonlinear(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, list[int]]:
    X = random.normal(size=(500, 50))
    a, b, c, d = needles = random.choice(50, 4, replace=False)
    return X, 10 * abs(X[:, a] - X[:, b]) + 10 * abs(X[:, c] - X[:, d]) + random.normal(size=500), list(needles)


def linear(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, list[int]]:
    X = random.normal(size=(70, 250))
    needles = random.choice(250, 4, replace=False)
    return X, X[:, needles] @ random.choice([-3, -2, -1, 1, 2], 4) + random.normal(size=70), list(needles)


def product(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, list[int]]:
    X = random.normal(size=(300, 50))
    a, b = needles = random.choice(50, 2, replace=False)
    return X, 2 * X[:, a] * X[:, b] + random.normal(size=300), list(needles)


def genes(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, list[int]]:
    table = riboflavin[:, random.choice(riboflavin.shape[1], 500, replace=False)]
    X = (table - table.mean(axis=0)) / table.std(axis=0)
    needles = random.choice(500, 4, replace=False)
    return X, X[:, needles].sum(axis=1) + random.normal(size=len(X)), list(needles)


def holm(p_values: np.ndarray) -> np.ndarray:
    order = np.argsort(p_values)
    steps = np.maximum.accumulate((len(p_values) - np.arange(len(p_values))) * p_values[order])
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(steps, 1)
    return adjusted


def ours(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        table = pd.DataFrame(X, columns=[f"v{j}" for j in range(X.shape[1])]).assign(target=y)
        table.to_csv(f"{folder}/t.csv", index=False)
        words = ["fit", f"{folder}/t.csv", "--target", "target", "--sure", "--pairs", "0", "--json", "--quiet"]
        done = subprocess.run([os.environ["NEEDLENET"], *words, "--threads", "1"], capture_output=True, check=True)
    adjusted = np.ones(X.shape[1])
    for needle in json.loads(done.stdout)["needles"]:
        adjusted[int(needle["name"][1:])] = needle["p_adjusted"]
    return adjusted < LEVEL


def t_tests(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    n, p = X.shape
    design = np.column_stack([np.ones(n), X])
    inverse = np.linalg.inv(design.T @ design)
    slopes = inverse @ design.T @ y
    noise = np.sum((y - design @ slopes) ** 2) / (n - p - 1)
    t = slopes / np.sqrt(noise * np.diag(inverse))
    return holm(2 * stats.t.sf(np.abs(t[1:]), n - p - 1)) < LEVEL


def dcrt(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    test = D0CRT(estimator=LassoCV(random_state=0), random_state=0)
    test.fit_importance(X, y - y.mean())
    return holm(np.asarray(test.pvalues_, dtype=float)) < LEVEL


def knockoffs(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    test = ModelXKnockoff(random_state=0)
    test.fit_importance(X, y - y.mean())
    return np.asarray(test.fdr_selection(fdr=0.1)) > 0


def forest(X: np.ndarray, y: np.ndarray, at: np.ndarray | None = None) -> np.ndarray:
    """The regression of y on X: at the samples from trees that did not see them, or at other samples."""
    model = RandomForestRegressor(100, min_samples_leaf=5, oob_score=at is None, random_state=0).fit(X, y)
    return model.oob_prediction_ if at is None else model.predict(at)


def gcm(X: np.ndarray, y: np.ndarray, j: int) -> float:
    """The normalised covariance of what the others leave of y and of x_j."""
    others = np.delete(X, j, axis=1)
    terms = (y - forest(others, y)) * (X[:, j] - forest(others, X[:, j]))
    return 2 * stats.norm.sf(abs(np.sqrt(len(y)) * terms.mean() / terms.std()))


def pcm(X: np.ndarray, y: np.ndarray, j: int) -> float:
    """Half of the samples choose the function of x_j and the others that is tested on the other half; one-sided."""
    first, second = np.split(np.random.default_rng(0).permutation(len(y)), [len(y) // 2])
    others = np.delete(X, j, axis=1)
    whole = RandomForestRegressor(100, min_samples_leaf=5, random_state=0).fit(X[first], y[first])
    without = forest(others[first], whole.predict(X[first]), others)
    direction = whole.predict(X) - without
    left = y[second] - forest(others[second], y[second])
    along = direction[second] - forest(others[second], direction[second])
    terms = left * along
    return float(stats.norm.sf(np.sqrt(len(second)) * terms.mean() / terms.std()))


WHOLE: dict[str, Callable] = {"needlenet": ours, "t tests": t_tests, "dCRT": dcrt, "knockoffs": knockoffs}
SINGLE: dict[str, Callable] = {"GCM": gcm, "PCM": pcm}
DESIGNS = {"N": nonlinear, "L": linear, "product": product, "genes": genes}

warnings.simplefilter("ignore")
tables, seed = int(sys.argv[1]), int(sys.argv[2])
genes_table = pd.read_csv(sys.argv[3])
riboflavin = genes_table.drop(columns=[name for name in ("target", "y") if name in genes_table]).to_numpy(float)
# only these tests and designs, if any are named
chosen = [word for word in sys.argv[4:] if word in WHOLE or word in SINGLE] or [*WHOLE, *SINGLE]
designs = [word for word in sys.argv[4:] if word in DESIGNS] or list(DESIGNS)
print("design,n,p,table,test,needles,true,hay_tested,false,seconds")
for table in range(tables):
    for at, (design, draw) in enumerate(DESIGNS.items()):
        if design not in designs:
            continue
        random = np.random.default_rng([seed, table, at])
        X, y, needles = draw(random)
        n, p = X.shape
        hay = [j for j in random.permutation(p) if j not in needles][:SOME_HAY]
        for name in chosen:
            if name == "t tests" and p >= n - 1:
                continue
            start = time.process_time() + sum(os.times()[2:4])
            if name in WHOLE:
                rejected = set(np.flatnonzero(WHOLE[name](X, y)))
                tested = p - len(needles)
            else:
                rejected = {j for j in [*needles, *hay] if SINGLE[name](X, y, j) < LEVEL / p}
                tested = len(hay)
            seconds = time.process_time() + sum(os.times()[2:4]) - start
            hits = len(rejected & set(needles))
            row = [design, n, p, table, name, len(needles), hits, tested, len(rejected) - hits, f"{seconds:.2f}"]
            print(*row, sep=",", flush=True)
