"""Draws phase_transitions.svg and survival/survival.svg: the share of exact recoveries against needles or samples, beside
published figures.

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
# the same for the deep law, 500 replicates, by the hidden layers
DEEP = {
    "needlenet-2": ("20", "o", [0.21, 0.72, 0.94, 0.99, 1.00, 1.00, 1.00, 1.00, 1.00]),
    "needlenet-3": ("20,10", "^", [0.02, 0.14, 0.45, 0.79, 0.94, 1.00, 1.00, 1.00, 1.00]),
    "needlenet-4": ("20,10,5", "D", [0.00, 0.00, 0.00, 0.00, 0.00, 0.05, 0.34, 0.74, 0.89]),
}
# survival, half of the times censored, 200 replicates; see survival/README.md
COXNET, BOOSTING = "Coxnet, cross-validated", "boosting + Boruta"
STYLES |= {COXNET: "x-.", BOOSTING: "x-."}
SURVIVAL = {
    "linear": {
        CONCAVE: [0.94, 0.99, 0.98, 0.94, 0.86, 0.32, 0.01, 0.00],
        L1: [0.95, 0.98, 0.60, 0.07, 0.00, 0.00, 0.00, 0.00],
        COXNET: [0.14, 0.41, 0.11, 0.03, 0.01, 0.00, 0.00, 0.00],
    },
    "pairs": {
        CONCAVE: [0.90, 1.00, 1.00, 1.00, 0.83, 0.01, 0.00, 0.00],
        L1: [0.89, 1.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00],
        BOOSTING: [0.29, 0.36, 0.32, 0.33, 0.47, 0.43, 0.48, 0.55],
    },
}
TITLES = {
    "linear": "survival, linear log hazard: 150 samples, 100 inputs",
    "pairs": "survival, sums of 10 |x - x'|: 750 samples, 50 inputs",
    "nonlinear": "sums of 10 |x - x'|: 500 samples, 50 inputs",
    "mixed": "linear law: 70 samples, 250 inputs",
}


def wilson(hits, n, z=1.96):
    """A 95% interval for a share."""
    share = hits / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return centre - half, centre + half


def draw(axis, rows, by, style="o-", label="needlenet, default setting"):
    """Our share and its interval."""
    ours = rows.groupby(by).exact.agg(["sum", "count"])
    low, high = wilson(ours["sum"], ours["count"])
    axis.fill_between(ours.index, low, high, color="0.85", linewidth=0)
    axis.plot(ours.index, ours["sum"] / ours["count"], style, color="black", linewidth=2, label=label)
    return ours.index


def draw_by_needles(axis, rows, published, title):
    """Our share and the published ones, against the number of needles."""
    numbers = draw(axis, rows, "s")
    for name, shares in published.items():
        axis.plot(range(0, 2 * len(shares), 2), shares, STYLES[name], color="0.45", label=name)
    axis.set(xlabel="number of needles s", ylim=(-0.03, 1.05), title=title)
    axis.set_xticks(numbers)


def entries_of(axes):
    """The curves of some axes, by label."""
    pairs = [zip(*reversed(axis.get_legend_handles_labels())) for axis in axes]
    return {label: handle for pair in pairs for label, handle in pair}


def finish(figure, axes, entries, path):
    """A legend below, and the file; `entries` are handles by label."""
    rows = -(-len(entries) // 4)
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("share of exact recoveries")
    figure.legend(
        entries.values(), entries, frameon=False, loc="lower center", fontsize=9, ncols=-(-len(entries) // rows)
    )
    figure.tight_layout(rect=(0, 0.02 + 0.05 * rows, 1, 1))
    figure.savefig(HERE / path)


figure, (*by_needles, deep) = plt.subplots(1, 3, figsize=(14, 4.4), sharey=True)
for axis, (study, published) in zip(by_needles, PUBLISHED.items()):
    rows = pd.read_csv(HERE / study / "rows.csv").query("learner == 'needlenet'")
    draw_by_needles(axis, rows, published, TITLES[study])
rows = pd.read_csv(HERE / "deep/rows.csv")
for learner, (hidden, marker, shares) in DEEP.items():
    sizes = draw(deep, rows.query("learner == @learner"), "n", f"{marker}-", f"needlenet, {hidden}")
    deep.plot(sizes, shares, f"{marker}--", color="0.45", markersize=4, label=f"HarderLASSO, {hidden}")
deep.set(xlabel="number of samples n", title="deep law: 4 needles, 50 inputs")
deep.legend(frameon=False, fontsize=8, loc="lower right", title="hidden layers", title_fontsize=8)
finish(figure, (*by_needles, deep), entries_of(by_needles[:1]), "phase_transitions.svg")

figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), sharey=True)
for axis, (law, published) in zip(axes, SURVIVAL.items()):
    draw_by_needles(axis, pd.read_csv(HERE / f"survival/{law}_160000.csv"), published, TITLES[law])
finish(figure, axes, entries_of(axes), "survival/survival.svg")
