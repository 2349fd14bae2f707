"""Writes the tables of docs/tables.md: `python docs/examples/make.py` (needs numpy and openpyxl)."""

from pathlib import Path

import numpy as np
from openpyxl import Workbook

HERE = Path(__file__).parent
RANDOM = np.random.default_rng(16)
N = 240


def clinic() -> list[list[object]]:
    """Patients: the response follows age, stage and marker 3; 3% of the markers were not measured."""
    age = RANDOM.integers(35, 85, N)
    sex = RANDOM.choice(["F", "M"], N)
    smoker = RANDOM.choice(["yes", "no"], N)
    stage = RANDOM.choice(["I", "II", "III", "IV"], N, p=[0.4, 0.3, 0.2, 0.1])
    markers = RANDOM.normal(size=(N, 8)).round(2)
    effect = np.array([{"I": 0.0, "II": 0.0, "III": 2.0, "IV": 3.0}[level] for level in stage])
    response = 0.08 * (age - 60) + effect + 1.5 * markers[:, 2] + 0.5 * RANDOM.normal(size=N)
    missing = RANDOM.random(markers.shape) < 0.03
    names = ["patient", "age", "sex", "smoker", "stage", *[f"marker_{j + 1}" for j in range(8)], "response"]
    rows: list[list[object]] = [names]
    for i in range(N):
        cells = ["NA" if gap else value for gap, value in zip(missing[i], markers[i], strict=True)]
        rows.append([f"P{i:03}", age[i], sex[i], smoker[i], stage[i], *cells, round(response[i], 2)])
    return rows


def follow_up() -> list[list[object]]:
    """Patients of a study of survival: the hazard follows age, sex, stage and marker 5; 4% of the markers were not measured."""
    random = np.random.default_rng(17)
    age = random.integers(35, 85, N)
    sex = random.choice(["F", "M"], N)
    stage = random.choice(["I", "II", "III", "IV"], N, p=[0.4, 0.3, 0.2, 0.1])
    markers = random.normal(size=(N, 12)).round(2)
    effect = np.array([{"I": 0.0, "II": 0.3, "III": 1.4, "IV": 2.0}[level] for level in stage])
    log_hazard = 0.03 * (age - 60) + 0.4 * (sex == "M") + effect + 0.9 * markers[:, 4]
    times = random.exponential(40 * np.exp(-log_hazard))
    censored = random.uniform(6, 90, N)
    missing = random.random(markers.shape) < 0.04
    rows: list[list[object]] = [["age", "sex", "stage", *[f"marker_{j + 1}" for j in range(12)], "months", "died"]]
    for i in range(N):
        cells = ["" if gap else value for gap, value in zip(missing[i], markers[i], strict=True)]
        months = round(max(min(times[i], censored[i]), 0.1), 1)
        rows.append([age[i], sex[i], stage[i], *cells, months, int(times[i] <= censored[i])])
    return rows


def write_cells(folder: Path) -> None:
    """Counts of 300 cells and 200 genes as 10x writes them; two genes mark the activated cells, and two batches differ."""
    random = np.random.default_rng(18)
    n_cells, n_genes = 300, 200
    activated, batch = random.random(n_cells) < 0.4, random.choice(["a", "b"], n_cells)
    rate = np.tile(random.gamma(0.3, 0.15, size=n_genes), (n_cells, 1))
    rate[np.ix_(activated, [11, 120])] += 1.5
    rate[batch == "b", 50] += 1.0
    counts = random.poisson(rate)
    folder.mkdir(exist_ok=True)
    genes, cells = np.nonzero(counts.T)
    lines = [f"{g + 1} {c + 1} {counts[c, g]}" for g, c in zip(genes, cells, strict=True)]
    header = f"%%MatrixMarket matrix coordinate integer general\n{n_genes} {n_cells} {len(lines)}\n"
    (folder / "matrix.mtx").write_text(header + "\n".join(lines) + "\n")
    names = [f"ENSG{j:05}\tGENE{j}\tGene Expression" for j in range(n_genes)]
    (folder / "features.tsv").write_text("\n".join(names) + "\n")
    barcodes = ["".join(random.choice(list("ACGT"), 12)) + "-1" for _ in range(n_cells)]
    (folder / "barcodes.tsv").write_text("\n".join(barcodes) + "\n")
    kinds = np.where(activated, "activated", "resting")
    order = random.permutation(n_cells)
    write_csv(folder / "cells.csv", [["barcode", "batch", "kind"], *[[barcodes[i], batch[i], kinds[i]] for i in order]])


def write_csv(path: Path, rows: list[list[object]]) -> None:
    path.write_text("".join(",".join(str(cell) for cell in row) + "\n" for row in rows))


def write_sheet(path: Path, rows: list[list[object]]) -> None:
    book = Workbook()
    book.active.title = "Read me"
    book.active.append(["The trial is on the second sheet"])
    sheet = book.create_sheet("Trial")
    sheet.append(["Trial of 2024, as entered by hand"])
    sheet.append([])
    for row in rows:
        sheet.append([None if cell == "NA" else cell.item() if isinstance(cell, np.generic) else cell for cell in row])
    book.save(path)


if __name__ == "__main__":
    table = clinic()
    write_csv(HERE / "clinic.csv", table)
    write_csv(HERE / "new_patients.csv", [table[0][1:-1], [62, "F", "no", "III", "NA", 0.1, 1.2, 0, 0, 0.3, 0, 0]])
    write_sheet(HERE / "trial.xlsx", table)
    write_csv(HERE / "follow_up.csv", follow_up())
    write_cells(HERE / "cells")
