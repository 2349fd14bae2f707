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
    """Share of p-values at most .05 and .01 in each cell, and over all cells."""
    cells = defaultdict(list)
    for row in rows(name):
        law = row.get("law", "")
        cells[(*(row[key] for key in keys), law)].append(float(row["p_value"]))
        cells[(*("all" for _ in keys), law)].append(float(row["p_value"]))
    for cell, values in cells.items():
        shares = [f"{sum(value <= bound for value in values) / len(values):.4f}" for bound in (0.05, 0.01, 0.001)]
        print(f"| {name} | {' | '.join(cell)} | {len(values)} | {' | '.join(shares)} |")


def family() -> None:
    """Needles found, those with an adjusted p-value below .05; tables with a hay input selected, and with one below .05."""
    tables = defaultdict(lambda: defaultdict(list))
    for row in rows("family.csv"):
        tables[(row["design"], row["rho"], int(row["needles"]))][row["rep"]].append(row)
    for (design, rho, needles), found in tables.items():
        count, clear = len(found), lambda row: float(row["p_adjusted"]) < 0.05
        true = [row for of_table in found.values() for row in of_table if row["is_needle"] == "true"]
        hay = [[row for row in of_table if row["is_needle"] == "false"] for of_table in found.values()]
        shares = [f"{part / (needles * count):.3f}" if needles else "-" for part in (len(true), sum(map(clear, true)))]
        selected, wrong = sum(map(bool, hay)), sum(any(map(clear, of_table)) for of_table in hay)
        print(f"| family.csv | {design} | {rho} | {count} | {' | '.join(shares)} | {selected} | {wrong} |")


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
    for name in ("level.csv", "wide.csv", "blocks.csv", "sizes.csv"):
        level(name, ["outcome", "n", "p", "rho"])
    for name in ("kinds.csv", "kinds_linear.csv"):
        level(name, ["outcome", "kind"])
    level("mixed.csv", ["outcome", "n"])
    family()
    if (FOLDER / "peers.csv").exists():
        peers()
    coverage()
