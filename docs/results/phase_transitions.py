"""Draws phase_transitions.svg: the share of exact recoveries against the number of needles, beside published figures.

python docs/results/phase_transitions.py   (needs matplotlib and pandas)
"""

from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

HERE = Path(__file__).parent

# exact recovery published for the same designs by others, 200 replicates, other draws; see recovery/README.md
CONCAVE, L1, FOREST = "concave penalty (HarderLASSO)", "l1 penalty (HarderLASSO)", "Boruta with a forest"
STYLES = {CONCAVE: "s--", L1: "^:", FOREST: "x-."}
PUBLISHED = {
    "nonlinear": {
        CONCAVE: [0.99, 1.00, 1.00, 1.00, 1.00, 0.94, 0.66, 0.21, 0.02],
        L1: [1.00, 1.00, 0.88, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00],
        FOREST: [0.46, 0.52, 0.51, 0.51, 0.54, 0.44, 0.30, 0.14, 0.00],
    },
    "mixed": {
        CONCAVE: [0.95, 0.95, 0.92, 0.92, 0.91, 0.87, 0.84, 0.70, 0.58, 0.33, 0.14],
        L1: [0.96, 0.93, 0.63, 0.02, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00],
    },
}
TITLES = {
    "nonlinear": "sums of 10 |x - x'|: 500 samples, 50 inputs",
    "mixed": "linear law: 70 samples, 250 inputs",
}


def wilson(hits, n, z=1.96):
    """A 95% interval for a share."""
    share = hits / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return centre - half, centre + half


figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
for axis, (study, published) in zip(axes, PUBLISHED.items()):
    rows = pd.read_csv(HERE / study / "rows.csv").query("learner == 'needlenet'")
    ours = rows.groupby("s").exact.agg(["sum", "count"])
    low, high = wilson(ours["sum"], ours["count"])
    axis.fill_between(ours.index, low, high, color="0.85", linewidth=0)
    share = ours["sum"] / ours["count"]
    axis.plot(ours.index, share, "o-", color="black", linewidth=2, label="needlenet, default setting")
    for name, shares in published.items():
        axis.plot(range(0, 2 * len(shares), 2), shares, STYLES[name], color="0.45", label=name)
    axis.set(xlabel="number of needles s", ylim=(-0.03, 1.05), title=TITLES[study])
    axis.set_xticks(range(0, 21, 2))
    axis.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("share of exact recoveries")
handles, labels = axes[0].get_legend_handles_labels()
figure.legend(handles, labels, frameon=False, loc="lower center", fontsize=9, ncols=4)
figure.tight_layout(rect=(0, 0.07, 1, 1))
figure.savefig(HERE / "phase_transitions.svg")
