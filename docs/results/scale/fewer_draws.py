"""What 200 null draws give for lambda_QUT, as a quantile or by a fit of their tail, and what a bound gives.

    PYTHONPATH=bench python docs/results/scale/fewer_draws.py > fewer_draws.jsonl

Tables of n samples x p inputs, independent (`rho` 0) or each correlated with the one before (`rho` 0.9, as along a chromosome). The yardstick is
the .95 quantile of 10,000 draws. Of the same draws, 50 sets of 200: their own quantile, and that of a Gumbel law with their mean and
variance. The bound is that of p independent tests, each a correlation with Gaussian noise, exact for one input.
"""

import json

import numpy as np
import shards
from scipy import stats

from needlenet import quantile_universal_threshold

ALPHA, DRAWS, FEW = 0.05, 10_000, 200

for n, p, rho in [(500, 5000, 0.0), (500, 5000, 0.9)]:
    random = np.random.default_rng(1)
    X = random.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    found = quantile_universal_threshold(X, random.normal(size=n), hidden=None, n_draws=DRAWS)
    draws = random.permutation(found.null_draws)
    exact = np.quantile(draws, 1 - ALPHA)
    few = draws.reshape(-1, FEW)
    quantile = np.quantile(few, 1 - ALPHA, axis=1)
    scale = np.sqrt(6) / np.pi * few.std(axis=1, ddof=1)
    gumbel = few.mean(axis=1) - np.euler_gamma * scale - scale * np.log(-np.log(1 - ALPHA))
    t = stats.t.ppf(1 - ALPHA / (2 * p), n - 2)
    # a column has the norm sqrt(n): the statistic is the correlation times that
    bound = np.sqrt(n) * t / np.sqrt(n - 2 + t**2)
    level = [float(np.mean(draws >= value)) for value in (quantile.mean(), gumbel.mean(), bound)]
    error = lambda values: float(np.sqrt(np.mean((values / exact - 1) ** 2)))  # noqa: E731
    row = {"commit": shards.commit(), "n": n, "p": p, "rho": rho, "draws": DRAWS, "lambda_qut": float(exact), "seed": 1}
    row |= {"error_quantile_of_200": error(quantile), "error_gumbel_of_200": error(gumbel), "bound_over_exact": float(bound / exact)}
    row |= {"level_of_mean_quantile": level[0], "level_of_mean_gumbel": level[1], "level_of_bound": level[2]}
    print(json.dumps(row), flush=True)
