"""Real tables: a competitor on one split, with the same rows as in the program."""

from pathlib import Path

import numpy as np

from .._labels import is_classes
from . import learners, rows
from .draws import splits
from .replicates import timed

TARGET = "target"
ENDINGS = (".csv", ".csv.gz")


def real_sets(folder: Path, names: list[str]) -> list[Path]:
    """The tables of a folder that have an outcome, or some of them by name."""
    found = sorted(path for path in folder.iterdir() if path.name.endswith(ENDINGS))
    missing = set(names) - {path.name.split(".")[0] for path in found}
    if missing or not found:
        raise SystemExit(f"{folder}: has no table {', '.join(sorted(missing))}".rstrip())
    return [path for path in found if (not names or path.name.split(".")[0] in names) and has_target(path)]


def has_target(path: Path) -> bool:
    import pandas as pd

    return TARGET in pd.read_csv(path, nrows=0).columns


def read(path: str) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names, inputs and outcome of a table; a missing cell gets the mean of its column."""
    import pandas as pd

    # as text first: every version of pandas then gives the numbers that are written
    table = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    target = table.pop(TARGET)
    x = table.to_numpy(dtype=object).astype(float)
    x = np.where(np.isnan(x), np.nanmean(x, axis=0), x)
    numbers = pd.to_numeric(target, errors="coerce")
    if numbers.notna().all() and not is_classes(numbers.to_numpy(dtype=float)):
        return list(table.columns), x, numbers.to_numpy(dtype=float)
    return list(table.columns), x, target.to_numpy(dtype=str)


def real_row(path: str, learner: str, split: int, count: int, seed: int) -> str | None:
    """The row of one learner on one split; none if it cannot learn such an outcome."""
    names, x, y = read(path)
    if not learners.learns(learner, y):
        return None
    part = splits(path, count, seed)[split]
    train, test = part["train"], part["test"]
    learned, seconds, failure = timed(learner, x[train], y[train], x[test], part["seed"])
    classes = y.dtype.kind == "U"
    found = dict(
        set=Path(path).name.split(".")[0],
        n=len(y),
        p=x.shape[1],
        classes=len(np.unique(y)) if classes else 0,
        learner=learner,
        version=learners.version(learner),
        split=split,
        seed=part["seed"],
        stop=failure if learned is None else learned.stop,
        converged=0 if learned is None else None,
        seconds=round(seconds, 3),
    )
    if classes:
        labels, counts = np.unique(y[train], return_counts=True)
        found["majority"] = float(np.mean(y[test] == labels[counts.argmax()]))
    if learned is None:
        return rows.line(rows.REAL, found)
    if learned.selected is not None:
        found["selected"] = len(learned.selected)
        found["names"] = " ".join(names[j] for j in learned.selected)
    if classes:
        found["accuracy"] = float(np.mean(learned.predicted == y[test]))
    else:
        found["rmse"] = float(np.sqrt(np.mean((learned.predicted - y[test]) ** 2)))
    return rows.line(rows.REAL, found)
