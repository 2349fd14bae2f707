"""Markers of a cell type among single-cell counts, as a sparse table that is never made dense.

    python single_cells.py markers.png

Makes 600 cells of 2,000 genes, most counts zero, where three genes mark the activated cells, and fits them.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

from needlenet import NeedleClassifier
from needlenet.plot import effects

MARKERS = [11, 402, 1777]


def cells(seed=1, n_cells=600, n_genes=2000):
    random = np.random.default_rng(seed)
    activated = random.random(n_cells) < 0.4
    rate = np.tile(random.gamma(0.5, 0.2, size=n_genes), (n_cells, 1))
    rate[np.ix_(activated, MARKERS)] += 1.5
    counts = sparse.csr_array(random.poisson(rate))
    # log counts keep their zeros, so the table stays sparse
    return counts.log1p(), np.where(activated, "activated", "resting")


def main():
    counts, kind = cells()
    print(f"{counts.nnz / np.prod(counts.shape):.0%} of the cells of the table are not zero")
    model = NeedleClassifier(n_jobs=-1).fit(counts, kind)
    print(model.summary())
    effects(model)
    plt.savefig(sys.argv[1], dpi=120)


if __name__ == "__main__":
    main()
