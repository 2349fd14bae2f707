"""Memory and time of a sparse table: 20,000 samples of 20,000 inputs, 5% of the cells not zero.

    python docs/results/sparse/large.py N DRAWS

Prints one line of CSV: the table (12 bytes a cell, and 320 MB at N = 20,000 with 16), the peak of the process above what it held before the
fit and before the table was made, the time of `lambda_QUT`, of the fit, and of the products that `lambda_QUT` needs by scipy; CPU seconds on
one thread.
"""

import resource
import sys
import time

import numpy as np
from scipy import sparse

from needlenet import NeedleRegressor, quantile_universal_threshold


def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def table(n, share=0.05):
    """Counts with as many cells in each column, made without a second copy of the table."""
    random = np.random.default_rng(20)
    each = int(share * n)
    rows = np.empty(each * n, dtype=np.int32)
    for column in range(n):
        rows[column * each : (column + 1) * each] = np.sort(random.choice(n, each, replace=False))
    values = np.empty(each * n)
    for column in range(n):
        values[column * each : (column + 1) * each] = np.log1p(1 + random.poisson(1.0, each))
    starts = np.arange(0, each * n + 1, each, dtype=np.int32)
    return sparse.csc_array((values, rows, starts), shape=(n, n))


def main(n, draws):
    before = megabytes()
    X = table(n)
    random = np.random.default_rng(21)
    needles = np.asarray(X[:, [7, n // 2]].todense()) @ [2.0, -2.0]
    y = needles + random.normal(size=n)
    cells = X.nnz * 12 / 1e6
    made = megabytes()
    start = time.process_time()
    quantile_universal_threshold(X, y, task="regression", n_draws=draws)
    threshold = time.process_time() - start
    of_threshold = megabytes()
    Y = random.normal(size=(n, draws))
    start = time.process_time()
    for column in range(0, draws, 50):
        X.T @ Y[:, column : column + 50]
    products = time.process_time() - start
    start = time.process_time()
    model = NeedleRegressor(hidden=None, n_draws=draws).fit(X, y)
    fit = time.process_time() - start
    print("n,draws,table_mb,before_mb,with_table_mb,threshold_peak_mb,fit_peak_mb,threshold_s,products_s,fit_s,found")
    found = "+".join(map(str, sorted(model.get_support(indices=True))))
    print(
        f"{n},{draws},{cells:.0f},{before:.0f},{made:.0f},{of_threshold:.0f},{megabytes():.0f},"
        f"{threshold:.1f},{products:.1f},{fit:.1f},{found}"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
