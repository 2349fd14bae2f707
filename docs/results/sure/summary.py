"""The shares of docs/how-sure.md from the rows of this folder: python docs/results/sure/summary.py"""

import csv
from collections import defaultdict
from pathlib import Path

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
    cells = defaultdict(list)
    for row in rows("peers.csv"):
        cells[(row["test"], row["design"], row["rho"], int(row["needles"]))].append((int(row["true"]), int(row["false"])))
    for (test, design, rho, needles), counts in sorted(cells.items()):
        power = f"{sum(true for true, _ in counts) / (needles * len(counts)):.2f}" if needles else "-"
        print(f"| {test} | {design} | {rho} | {len(counts)} | {power} | {sum(false > 0 for _, false in counts)} |")


def coverage() -> None:
    cells = defaultdict(lambda: [0, 0, 0, 0])
    for row in rows("bands.csv"):
        if float(row["truth"]) == 0 or not row["low"]:
            continue
        counts = cells[tuple(row[key] for key in ("n", "p", "b", "c", "input"))]
        counts[0] += float(row["low"]) <= float(row["truth"]) <= float(row["high"])
        counts[1] += 1
        counts[2] += int(row["band_holds"] or 0)
        counts[3] += int(row["band_values"] or 0)
    for cell, (holds, count, band, values) in cells.items():
        print(f"| {' | '.join(cell)} | {holds} of {count} | {band / max(values, 1):.3f} of {values} |")


if __name__ == "__main__":
    level("small_linear.csv", ["outcome", "rho"])
    for name in ("kinds.csv", "kinds_linear.csv"):
        level(name, ["outcome", "kind"])
    level("mixed.csv", ["outcome", "n"])
    family()
    if (FOLDER / "peers.csv").exists():
        peers()
    coverage()
