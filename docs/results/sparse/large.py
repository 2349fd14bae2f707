"""Memory and time of a sparse table: N samples of N inputs, 5% of the cells not zero.

    python docs/results/sparse/large.py N DRAWS numbers|classes csc32|csc64|csr32|csr64 [linear|network]

Prints a header and one line of CSV. Sizes are in MB (10^6 bytes): the table, and the peak of the process above what it held before the table was
made, after `lambda_QUT` and after the fit; both peaks contain the table itself. Times are CPU seconds on one thread: `lambda_QUT`; what DRAWS further draws add
to it (our products, with the drawing of the outcomes); the products of the table with DRAWS outcomes by scipy, 50 at a time; the fit of the
linear model, or of the default network. The needles are 7 and N / 2.
"""

import resource
import sys
import time

import numpy as np
from scipy import sparse

from needlenet import NeedleClassifier, NeedleRegressor, quantile_universal_threshold

NAMES = "n,draws,task,form,model,table_mb,threshold_peak_mb,fit_peak_mb,threshold_s,more_draws_s,scipy_products_s,fit_s,found"


def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def seconds(work):
    start = time.process_time()
    done = work()
    return time.process_time() - start, done


def table(n, form, share=0.05):
    """Counts with as many cells in each line, made without a second copy of the table."""
    random = np.random.default_rng(20)
    each = int(share * n)
    kind = np.int64 if form.endswith("64") else np.int32
    places = np.empty(each * n, dtype=kind)
    values = np.empty(each * n)
    for line in range(n):
        part = slice(line * each, (line + 1) * each)
        places[part] = np.sort(random.choice(n, each, replace=False))
        values[part] = np.log1p(1 + random.poisson(1.0, each))
    starts = np.arange(0, each * n + 1, each, dtype=kind)
    X = sparse.csr_array((n, n)) if form.startswith("csr") else sparse.csc_array((n, n))
    X.data, X.indices, X.indptr = values, places, starts
    return X


def main(n, draws, task, form, shape="linear"):
    before = megabytes()
    X = table(n, form)
    random = np.random.default_rng(21)
    y = X[:, [7, n // 2]].toarray() @ [2.0, -2.0] + random.normal(size=n)
    kind = "regression"
    estimator = NeedleRegressor
    if task == "classes":
        y, kind, estimator = np.where(y > 0, "high", "low"), "classification", NeedleClassifier

    layers = {"hidden": None} if shape == "linear" else {}

    def threshold(draws):
        return quantile_universal_threshold(X, y, task=kind, **layers, n_draws=draws, n_jobs=1)

    once, _ = seconds(lambda: threshold(draws))
    of_threshold = megabytes()
    fit, model = seconds(lambda: estimator(**layers, n_draws=draws, n_jobs=1).fit(X, y))
    of_fit = megabytes()
    twice, _ = seconds(lambda: threshold(2 * draws))
    Y = random.normal(size=(n, draws))
    products, _ = seconds(lambda: [X.T @ Y[:, column : column + 50] for column in range(0, draws, 50)] and None)
    size = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 1e6
    found = "+".join(map(str, sorted(model.get_support(indices=True))))
    print(NAMES)
    print(
        f"{n},{draws},{task},{form},{shape},{size:.0f},{of_threshold - before:.0f},{of_fit - before:.0f},{once:.1f},{twice - once:.1f},"
        f"{products:.1f},{fit:.1f},{found}"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
