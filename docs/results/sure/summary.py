"""The shares of docs/how-sure.md from the rows of this folder: python docs/results/sure/summary.py"""

import csv
from collections import defaultdict
from pathlib import Path
from statistics import median

FOLDER = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    with open(FOLDER / name, newline="") as file:
        # the last line of a study that was cut short may be torn
        return [row for row in csv.DictReader(file) if None not in row.values()]


def level(name: str, keys: list[str]) -> None:
    """Share of p-values at most .05 in each cell, and over all cells."""
    cells = defaultdict(list)
    for row in rows(name):
        law = row.get("law", "")
        cells[(*(row[key] for key in keys), law)].append(float(row["p_value"]) <= 0.05)
        cells[(*("all" for _ in keys), law)].append(float(row["p_value"]) <= 0.05)
    for cell, small in cells.items():
        print(f"| {name} | {' | '.join(cell)} | {len(small)} | {sum(small) / len(small):.3f} |")


def family() -> None:
    tables = defaultdict(lambda: [0, 0, 0])
    for row in rows("family_linear.csv"):
        counts = tables[(row["design"], row["rho"], row["rep"], int(row["needles"]))]
        if row["p_adjusted"] and float(row["p_adjusted"]) < 0.05:
            counts[0 if row["is_needle"] == "true" else 1] += 1
        counts[2] += row["is_needle"] == "false"
    designs = defaultdict(list)
    for (design, rho, _, needles), counts in tables.items():
        designs[(design, rho, needles)].append(counts)
    for (design, rho, needles), counts in designs.items():
        true, false = sum(c[0] for c in counts), sum(c[1] > 0 for c in counts)
        power = f"{true / (needles * len(counts)):.2f}" if needles else "-"
        hay = sum(c[2] for c in counts)
        print(f"| needlenet | {design} | {rho} | {len(counts)} | {power} | {false} | hay selected {hay} |")


def peers() -> None:
    """Power, hay inputs rejected, tables with a rejected hay input, and median CPU seconds a table."""
    cells = defaultdict(list)
    for row in rows("peers.csv"):
        cells[(row["design"], row["test"])].append(row)
    for (design, test), found in sorted(cells.items()):
        total = {key: sum(int(row[key]) for row in found) for key in ("needles", "true", "hay_tested", "false")}
        hit = sum(int(row["false"]) > 0 for row in found)
        seconds = median(float(row["seconds"]) for row in found)
        power, false = total["true"] / total["needles"], f"{total['false']} of {total['hay_tested']}"
        print(f"| {design} | {test} | {len(found)} | {power:.2f} | {false} | {hit} | {seconds:.1f} |")


def coverage() -> None:
    """Strengths in their intervals and values of true curves in their bands, of inputs that matter."""
    for name in ("bands.csv", "bands_more.csv"):
        cells = defaultdict(list)
        for row in rows(name):
            if float(row["truth"]) != 0:
                cells[(row["law"], row["n"])].append(row)
        for cell, found in cells.items():
            intervals = [row for row in found if row["low"]]
            held = sum(float(row["low"]) <= float(row["truth"]) <= float(row["high"]) for row in intervals)
            bands = [row for row in found if row["band_values"]]
            values, holds = (sum(int(row[key]) for row in bands) for key in ("band_values", "band_holds"))
            width = median(float(row["mean_width"]) for row in bands)
            share = f"{holds} of {values} ({holds / values:.3f})"
            print(f"| {name} | {' | '.join(cell)} | {len(bands)} | {share} | {width:.2f} | {held} of {len(intervals)} |")


if __name__ == "__main__":
    level("small_linear.csv", ["outcome", "rho"])
    for name in ("kinds.csv", "kinds_linear.csv"):
        level(name, ["outcome", "kind"])
    level("mixed.csv", ["outcome", "n"])
    family()
    if (FOLDER / "peers.csv").exists():
        peers()
    coverage()
