"""The phase diagram of design N at n = 500: runs what is missing of rows.csv, draw after draw, and draws the picture.

    python docs/results/phase/phase.py RECOVERY --draws 20      # RECOVERY: the built example `recovery` of the lab
    python docs/results/phase/phase.py --plot                   # needs matplotlib

A row is one fit (columns: see the example). Started again, it goes on where it ended.
"""

import argparse
import csv
import subprocess
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
ROWS = HERE / "rows.csv"
INPUTS = [50, 200, 1000, 5000, 20000]
NEEDLES = [4, 8, 12, 16, 20]
FIRST_SEED = 950_000
NULL_DRAWS = 1000


def rows() -> list[dict]:
    if not ROWS.exists():
        return []
    with open(ROWS, newline="") as file:
        return list(csv.DictReader(file))


def run(recovery: str, draws: int):
    there = {(int(row["p"]), int(row["s"]), int(row["seed"])) for row in rows()}
    for draw in range(draws):
        for p in INPUTS:
            for s in NEEDLES:
                seed = FIRST_SEED + draw
                if (p, s, seed) in there:
                    continue
                words = ["N", f"p={p}", f"s={s}", "reps=1", f"seed={seed}", "workers=1", f"draws={NULL_DRAWS}"]
                done = subprocess.run([recovery, *words], check=True, capture_output=True, text=True)
                lines = done.stdout.splitlines()
                with open(ROWS, "a") as file:
                    file.write("\n".join(lines if ROWS.stat().st_size == 0 else lines[1:]) + "\n")


def plot():
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams.update({"svg.hashsalt": "phase", "svg.fonttype": "none"})
    exact = defaultdict(list)
    for row in rows():
        exact[int(row["p"]), int(row["s"])].append(int(row["exact"]))
    figure, axes = plt.subplots(figsize=(6.4, 3.8))
    shares = [[sum(exact[p, s]) / max(len(exact[p, s]), 1) for p in INPUTS] for s in NEEDLES]
    axes.imshow(shares, origin="lower", aspect="auto", cmap="Blues", vmin=0, vmax=1.4)
    for i, s in enumerate(NEEDLES):
        for j, p in enumerate(INPUTS):
            found = exact[p, s]
            text = f"{sum(found)} of {len(found)}" if found else "not run"
            axes.text(j, i, text, ha="center", va="center", fontsize=9)
    axes.set_xticks(range(len(INPUTS)), [f"{p:,}\nn/p = {500 / p:g}" for p in INPUTS])
    axes.set_yticks(range(len(NEEDLES)), NEEDLES)
    axes.set_xlabel("inputs p")
    axes.set_ylabel("needles s")
    axes.set_title("Design N, n = 500: draws in which the needles are found exactly", fontsize=10)
    figure.tight_layout()
    figure.savefig(HERE / "phase.svg", metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recovery", nargs="?", help="the built example")
    parser.add_argument("--draws", type=int, default=20, help="draws a cell")
    parser.add_argument("--plot", action="store_true", help="draw phase.svg")
    asked = parser.parse_args()
    if asked.recovery:
        ROWS.touch()
        run(asked.recovery, asked.draws)
    if asked.plot:
        plot()


if __name__ == "__main__":
    main()
