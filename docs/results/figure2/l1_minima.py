"""Where is the minimum of the l1 problem of figure 2, given the needles? Independent of our solver.

For each draw: the objective of LASSO ANN at lambda_QUT (two layers, sigma_{20,1,1}, l1 penalty on the first layer and its
biases, upper row of unit norm), minimised on the true needles alone from many starts, over that of the empty model. Below 1, the
empty model is not the minimum. `exact`: at that point no other input exceeds lambda, so that it is a solution on all
inputs, with exactly the needles. Two units of the outcome, for the activation bends at -1 and so has units: its
standard deviation, as in needlenet, and 1, as it is written in the paper.

python docs/results/figure2/l1_minima.py > docs/results/figure2/l1_minima.csv     (numpy, scipy, pandas; NEEDLENET: the program)
"""

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit

SEED, REPLICATES, POINTS, STARTS, M = 3, 10, (2, 4, 6), 12, 20


def draw(s, seed):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "draw.csv"
        program = os.environ.get("NEEDLENET", "needlenet")
        words = ["lab", "make", "nonlinear", "--s", str(s), "--seed", str(seed), "--out", str(file)]
        subprocess.run([program, *words], check=True, capture_output=True)
        table, truth = pd.read_csv(file), pd.read_json(file.with_suffix(".truth.json"), typ="series")
    y = table.pop("target").to_numpy()
    x = table.to_numpy()
    return (x - x.mean(0)) / x.std(0), y - y.mean(), [table.columns.get_loc(name) for name in truth.needles]


def lambda_qut(x, random):
    y = random.standard_normal((len(x), 2000))
    y -= y.mean(0)
    return np.quantile(np.abs(x.T @ y).max(0) / np.linalg.norm(y, axis=0), 0.95)


def parts(v, h, k):
    """First layer with its biases in the last column, upper row, intercept; v has positive and negative parts."""
    m = h * (k + 1)
    return (v[:m] - v[m : 2 * m]).reshape(h, k + 1), v[2 * m : 2 * m + h], v[-1]


def objective(v, x1, y, h, lam):
    """The objective and its gradient; the last column of x1 is one."""
    w1, w2, c = parts(v, h, x1.shape[1] - 1)
    q = w2 / np.linalg.norm(w2)
    z = M * (x1 @ w1.T + 1)
    a = (np.logaddexp(0, z) - np.logaddexp(0, M)) / M
    r = y - a @ q - c
    loss = np.linalg.norm(r)
    g = -r / loss
    g1 = ((np.outer(g, q) * expit(z)).T @ x1).ravel()
    gq = a.T @ g
    g2 = (gq - q * (q @ gq)) / np.linalg.norm(w2)
    m = 2 * g1.size
    return loss + lam * v[:m].sum(), np.concatenate([g1 + lam, lam - g1, g2, [g.sum()]])


def lowest(x, y, needles, lam, random):
    """The lowest point found that is not empty: its objective, and whether it is a solution on all inputs."""
    k = h = len(needles)
    x1 = np.column_stack([x[:, needles], np.ones(len(x))])
    best = (np.inf, False)
    for start in range(STARTS):
        w1 = np.zeros((h, k + 1))
        for pair in range(0, k, 2):  # the truth, in the units of y, at several scales; every second start disturbed
            w1[pair, [pair, pair + 1]], w1[pair + 1, [pair, pair + 1]] = (1, -1), (-1, 1)
        w1 *= y.std() * (0.05, 0.2, 0.5, 1, 1.5, 2)[start // 2]
        w1[:, -1] = -1
        w2 = np.ones(h)
        if start % 2:
            w1[:, :-1] += 0.2 * y.std() * random.standard_normal((h, k))
            w2 += 0.3 * random.standard_normal(h)
        v = np.concatenate([np.maximum(w1, 0).ravel(), np.maximum(-w1, 0).ravel(), w2, [y.mean()]])
        bounds = [(0, None)] * (2 * w1.size) + [(None, None)] * (h + 1)
        options = dict(maxiter=3000, maxfun=5000, ftol=1e-14, gtol=1e-9)
        end = minimize(objective, v, (x1, y, h, lam), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        w1, w2, c = parts(end.x, h, k)
        if end.fun < best[0] and np.abs(w1[:, :-1]).max(0).min() > 0:
            q = w2 / np.linalg.norm(w2)
            z = M * (x1 @ w1.T + 1)
            r = y - (np.logaddexp(0, z) - np.logaddexp(0, M)) / M @ q - c
            others = np.delete(x, needles, axis=1).T @ (np.outer(r / np.linalg.norm(r), q) * expit(z))
            best = (end.fun, bool(np.abs(others).max() <= lam))
    return best


print("s,seed,lambda_qut,unit,objective_over_empty,exact")
for s in POINTS:
    for replicate in range(REPLICATES):
        seed = 1_000_000 * SEED + replicate
        random = np.random.default_rng(seed)
        x, y, needles = draw(s, seed)
        lam = lambda_qut(x, random)
        for unit, scaled in (("deviation", y / y.std()), ("one", y)):
            value, exact = lowest(x, scaled, needles, lam, random)
            ratio = "" if np.isinf(value) else f"{value / np.linalg.norm(scaled):.5f}"
            print(f"{s},{seed},{lam:.4f},{unit},{ratio},{int(exact) if ratio else ''}", flush=True)
