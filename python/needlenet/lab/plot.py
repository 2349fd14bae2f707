"""Pictures of a study or of real tables: SVG and PNG, readable in grey.

Curves with their 95% bands are those of ``summary.csv``, which ``needlenet lab summary`` writes, so that a picture and
the table beside it cannot differ. Box plots are drawn from the rows.
"""

import csv
import itertools
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from . import rows

#: colours that also differ in brightness; line style and marker identify a learner too
STYLES = {
    "needlenet": ("#000000", "-", "o"),
    "sqrt-lasso-qut": ("#000000", "--", "s"),
    "sqrt-lasso-validation": ("#777777", ":", "s"),
    "lasso-ann-2": ("#c0392b", "-", "^"),
    "lasso-ann-3": ("#c0392b", "--", "v"),
    "lasso-ann-4": ("#c0392b", ":", "<"),
    "lasso-ann-scaled": ("#e08e79", "-", "^"),
    "lasso-ann-40": ("#c0392b", "-", "^"),
    "spinn": ("#7fb3d5", "-", "D"),
    "spinn-dropout": ("#1f4e79", "--", "d"),
    "standard-network": ("#27ae60", "-.", "x"),
    "linear-harder": ("#e59866", "--", "D"),
    "linear-scad": ("#c0392b", "--", "v"),
    "linear-mcp": ("#7fb3d5", "-.", "D"),
    "linear-l1": ("#777777", "--", "s"),
    "needlenet-2": ("#555555", "-", "^"),
    "needlenet-3": ("#555555", "--", "v"),
    "needlenet-4": ("#555555", ":", "<"),
    "lasso-cv": ("#8e6c3a", "-", "P"),
    "l1-logistic": ("#8e6c3a", "-", "P"),
    "cart": ("#b9770e", ":", "1"),
    "forest": ("#1e8449", "--", "*"),
    "boruta": ("#1e8449", "-.", "X"),
    "xgboost-boruta": ("#6c3483", "-.", "h"),
    "skglm-mcp": ("#a04000", "--", "p"),
    "lassonet": ("#d35fb7", "-", ">"),
    "coxnet-cv": ("#8e6c3a", "-", "P"),
}
OTHER = ("#999999", "-", ".")

#: with fewer replicates a line and its band would be misleading: only faint marks are drawn
FEWEST_FOR_A_LINE = 10

LABELS = {
    "needlenet": "needlenet (default)",
    "sqrt-lasso-qut": "linear, LASSO with QUT",
    "sqrt-lasso-validation": "linear, LASSO by validation",
    "lasso-ann-2": "LASSO ANN, 2 layers",
    "lasso-ann-3": "LASSO ANN, 3 layers",
    "lasso-ann-4": "LASSO ANN, 4 layers",
    "lasso-ann-scaled": "LASSO ANN, 2 layers, scaled outcome",
    "lasso-ann-40": "LASSO ANN, 40 neurons, refit",
    "standard-network": "network without sparsity",
    "linear-l1": "linear, LASSO with QUT, refit",
    "linear-harder": "linear, harder penalty, QUT",
    "lasso-cv": "LASSO, cross-validated",
    "l1-logistic": "l1 logistic, cross-validated",
    "skglm-mcp": "MCP, cross-validated (skglm)",
    "forest": "random forest",
    "boruta": "Boruta with a forest",
    "xgboost-boruta": "Boruta with XGBoost",
    "lassonet": "LassoNet",
    "coxnet-cv": "Coxnet, cross-validated",
}

CRITERIA = [
    ("pesr", "PESR: exact recovery"),
    ("pe", "PE: error of prediction"),
    ("tpr", "TPR: needles found"),
    ("fdr", "FDR: false among the found"),
    ("accuracy", "accuracy on fresh samples (survival: concordance)"),
]


def plot(folder: Path, sets: list[str] | None = None, learners: list[str] | None = None) -> list[Path]:
    """Draws every picture of a folder, and gives their files."""
    summary = folder / "summary.csv"
    if not summary.exists():
        raise SystemExit(f"{summary} is not there; run `needlenet lab summary {folder}` first")
    newest = max((path.stat().st_mtime for path in folder.glob("rows*.csv")), default=0.0)
    if newest > summary.stat().st_mtime:
        raise SystemExit(f"{summary} is older than the rows; run `needlenet lab summary {folder}` again")
    with summary.open(newline="") as file:
        found = [row for row in csv.DictReader(file) if not learners or row["learner"] in learners]
    if not found:
        raise SystemExit(f"{summary} has no rows of these learners")
    if "set" not in found[0]:
        return [*curves(folder, found)]
    return [*scatter(folder, found), *boxes(folder, found, sets or [])]


def curves(folder: Path, found: list[dict]) -> list[Path]:
    """The criteria against the varying parameter: PESR alone, and all criteria of the study together."""
    if len({row["design"] for row in found}) > 1:
        raise SystemExit(f"{folder}: has several designs, which make no curve; summary.md has them as a table")
    axis = "n" if len({row["n"] for row in found}) > 1 else "s"
    criteria = [one for one in CRITERIA if any(row[one[0]] for row in found)]
    if len({row["s"] for row in found}) == 1 == len({row["n"] for row in found}):
        raise SystemExit(f"{folder}: has one point only, which makes no curve")
    saved = []
    pesr = [one for one in criteria if one[0] == "pesr"]
    for name, shown in (("pesr", pesr), ("criteria", criteria)):
        if not shown or (name == "criteria" and len(shown) == 1):
            continue
        columns = min(2, len(shown))
        lines = -(-len(shown) // columns)
        figure, axes = plt.subplots(lines, columns, figsize=(6.4 * columns**0.75, 3.6 * lines + 1), squeeze=False)
        for axes_, (column, label) in zip(axes.flat, shown, strict=False):
            curve(axes_, found, axis, column, label)
        for unused in axes.flat[len(shown) :]:
            unused.set_visible(False)
        key(figure, axes.flat[0], lines)
        saved += save(figure, folder / name)
    return saved


def with_room(values: list[int]) -> list[int]:
    """The values whose labels do not overlap on the axis."""
    room = 0.06 * (values[-1] - values[0])
    kept = values[:1]
    for value in values[1:]:
        if value - kept[-1] >= room:
            kept.append(value)
    return kept


def curve(axes: plt.Axes, found: list[dict], axis: str, column: str, label: str) -> None:
    """One criterion of every learner, with its band. Learners are shifted a little, so that equal values show."""
    values = sorted({int(row[axis]) for row in found})
    learners = ordered(found)
    step = min(after - before for before, after in itertools.pairwise(values))
    apart = min(0.006 * (values[-1] - values[0]), 0.5 * step / len(learners))
    for place, learner in enumerate(learners):
        own = sorted((row for row in found if row["learner"] == learner and row[column]), key=lambda r: int(r[axis]))
        if not own:
            continue
        x = [int(row[axis]) + apart * (place - len(learners) / 2) for row in own]
        value, low, high = ([float(row[column + end]) for row in own] for end in ("", "_low", "_high"))
        colour, line, marker = STYLES.get(learner, OTHER)
        wide = 2.2 if learner == "needlenet" else 1.3
        few = max(int(row["replicates"]) for row in own) < FEWEST_FOR_A_LINE
        if not few:
            axes.fill_between(x, low, high, color=colour, alpha=0.1, linewidth=0)
        axes.plot(
            x,
            value,
            linestyle="none" if few else line,
            alpha=0.55 if few else 1.0,
            marker=marker,
            markersize=4.5,
            linewidth=wide,
            color=colour,
            label=LABELS.get(learner, learner) + fewer(found, learner),
        )
    names = {"s": "number of needles s", "n": "number of samples n"}
    axes.set(xlabel=names[axis], ylabel=label, xticks=with_room(values))
    if column == "pe":
        axes.set_ylim(bottom=0)
    else:
        axes.set_ylim(-0.03, 1.03)
    axes.spines[["top", "right"]].set_visible(False)


def fewer(found: list[dict], learner: str, count: str = "replicates") -> str:
    """The number of replicates, or of splits, for a learner that has fewer than others."""
    least, most = (end(int(row[count]) for row in found if row["learner"] == learner) for end in (min, max))
    if least == max(int(row[count]) for row in found):
        return ""
    return f" ({least})" if least == most else f" ({least} to {most})"


def scatter(folder: Path, found: list[dict]) -> list[Path]:
    """Accuracy against sparsity over all tables, separately for two and for more classes (paper, figure 4)."""
    groups = [("two classes", lambda m: m == 2), ("more than two classes", lambda m: m > 2)]
    groups = [one for one in groups if any(one[1](int(row["classes"])) for row in found)]
    if not groups:
        return []
    figure, axes = plt.subplots(1, len(groups), figsize=(5.4 * len(groups), 5), squeeze=False)
    for axes_, (title, holds) in zip(axes.flat, groups, strict=False):
        for learner in ordered(found):
            own = [row for row in found if row["learner"] == learner and holds(int(row["classes"]))]
            own = [row for row in own if row["accuracy"] and row["selected"]]
            if not own:
                continue
            # on a log scale, as in the paper's caption; adding 1 allows an empty model to be shown
            x = [(float(row["selected"]) + 1) / (int(row["p"]) + 1) for row in own]
            y = [float(row["accuracy"]) for row in own]
            colour, _, marker = STYLES.get(learner, OTHER)
            label = LABELS.get(learner, learner) + fewer(found, learner, "splits")
            few = max(int(row["splits"]) for row in own) < FEWEST_FOR_A_LINE
            filled = {} if marker in "x1" else dict(facecolors="none" if learner != "needlenet" else colour)
            edge = dict(color=colour) if marker in "x1" else dict(edgecolors=colour)
            # small dots over open markers: if two learners agree, both are visible
            size, over = (22, 3) if learner == "needlenet" else (24 if few else 60, 2)
            style = dict(s=size, zorder=over, marker=marker, linewidths=0.8 if few else 1.4, alpha=0.6 if few else 1.0)
            axes_.scatter(x, y, label=label, **style, **filled, **edge)
        axes_.set(title=title, xlabel="(inputs kept + 1) / (inputs + 1)", ylabel="accuracy", ylim=(None, 1.02))
        axes_.set_xscale("log")
        axes_.set_xlim(right=1.2)
        axes_.spines[["top", "right"]].set_visible(False)
    key(figure, axes.flat[0], 1)
    return save(figure, folder / "scatter")


def boxes(folder: Path, found: list[dict], sets: list[str]) -> list[Path]:
    """Accuracy and number of needles per split of some tables (paper, figure 3)."""
    known = sorted({row["set"] for row in found if int(row["classes"]) > 0})
    unknown = set(sets) - set(known)
    if unknown:
        raise SystemExit(f"{folder}: has no classes of {', '.join(sorted(unknown))}")
    sets = sets or known[:4]
    if not sets:
        return []
    raw = rows.read(folder)
    learners = ordered(found)
    size = (11, 0.6 + len(sets) * (0.9 + 0.26 * len(learners)))
    figure, axes = plt.subplots(len(sets), 2, figsize=size, squeeze=False)
    for (left, right), name in zip(axes, sets, strict=False):
        own = [row for row in raw if row["set"] == name]
        for axes_, column in ((left, "accuracy"), (right, "selected")):
            values = [[float(r[column]) for r in own if r["learner"] == one and r[column]] for one in learners]
            shown = [(one, value) for one, value in zip(learners, values, strict=False) if value]
            axes_.boxplot(
                [value for _, value in shown],
                orientation="horizontal",
                tick_labels=[LABELS.get(one, one) for one, _ in shown],
                medianprops=dict(color="black", linewidth=1.8),
                flierprops=dict(markersize=3),
            )
            axes_.invert_yaxis()
            axes_.spines[["top", "right"]].set_visible(False)
        majority = np.mean([float(row["majority"]) for row in own if row["majority"]])
        left.axvline(majority, color="#c0392b", linestyle="--", linewidth=1.2)
        left.set(title=f"{name}: accuracy (dashed: the most frequent class)")
        right.set(title=f"{name}: inputs kept", xlim=(0, None))
        right.set_yticklabels([])
        left.title.set_size(10), right.title.set_size(10)
    figure.tight_layout()
    return save(figure, folder / "boxes")


def ordered(found: list[dict]) -> list[str]:
    """The learners in the order of the summary, each once."""
    return list(dict.fromkeys(row["learner"] for row in found))


def key(figure: plt.Figure, axes: plt.Axes, lines: int) -> None:
    """The names of the learners, below everything."""
    handles, labels = axes.get_legend_handles_labels()
    for other in figure.axes:
        for handle, label in zip(*other.get_legend_handles_labels(), strict=False):
            if label not in labels:
                handles.append(handle)
                labels.append(label)
    columns = 3 if figure.get_size_inches()[0] > 8 else 2
    below = 0.2 * -(-len(labels) // columns) + 0.1
    share = below / figure.get_size_inches()[1]
    figure.legend(handles, labels, frameon=False, loc="lower center", ncols=columns, fontsize=9, handlelength=3.2)
    figure.tight_layout(rect=(0, share, 1, 1))


def save(figure: plt.Figure, path: Path) -> list[Path]:
    """Saves as SVG and PNG; the SVG of the same numbers is the same file."""
    with matplotlib.rc_context({"svg.hashsalt": "needlenet", "svg.fonttype": "none"}):
        files = [path.with_suffix(".svg"), path.with_suffix(".png")]
        figure.savefig(files[0], metadata={"Date": None})
        figure.savefig(files[1], dpi=110)
    plt.close(figure)
    return files
