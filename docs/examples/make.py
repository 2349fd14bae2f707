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
