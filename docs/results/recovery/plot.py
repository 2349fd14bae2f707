"""Draws nonlinear.svg from nonlinear.csv: the share of exact recoveries against the number of needles.

python docs/results/recovery/plot.py   (needs matplotlib and pandas)
"""

from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

HERE = Path(__file__).parent

# exact recovery published for the same design by others, 200 replicates; see docs/results/recovery/README.md
PUBLISHED = {
    "concave penalty (HarderLASSO)": [0.99, 1.00, 1.00, 1.00, 1.00, 0.94, 0.66, 0.21, 0.02],
    "l1 penalty (HarderLASSO)": [1.00, 1.00, 0.88, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00],
    "Boruta with a forest": [0.46, 0.52, 0.51, 0.51, 0.54, 0.44, 0.30, 0.14, 0.00],
}


def wilson(hits, n, z=1.96):
    """A 95% interval for a share."""
    share = hits / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return centre - half, centre + half


rows = pd.read_csv(HERE / "nonlinear.csv")
ours = rows.groupby("s").exact.agg(["sum", "count"])
low, high = wilson(ours["sum"], ours["count"])

figure, axis = plt.subplots(figsize=(7, 4))
axis.fill_between(ours.index, low, high, color="0.85", linewidth=0)
axis.plot(ours.index, ours["sum"] / ours["count"], "o-", color="black", linewidth=2, label="needlenet, default setting")
for (name, shares), style in zip(PUBLISHED.items(), ["s--", "^:", "x-."]):
    axis.plot(range(0, 17, 2), shares, style, color="0.45", label=name)
axis.set(xlabel="number of needles s, among 50 inputs", ylabel="share of exact recoveries", ylim=(-0.03, 1.05))
axis.set_xticks(range(0, 21, 2))
figure.legend(frameon=False, loc="lower center", fontsize=9, ncols=2)
axis.spines[["top", "right"]].set_visible(False)
figure.tight_layout(rect=(0, 0.11, 1, 1))
figure.savefig(HERE / "nonlinear.svg")
