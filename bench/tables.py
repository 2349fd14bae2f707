"""Tables with planted needles, of the sizes that are measured, as NumPy files with the outcome in the last column."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pyarrow
from pyarrow import parquet


def save(path: Path, x: np.ndarray, y: np.ndarray, order: str = "F") -> Path:
    """Column order is the learner's own, and what pandas and R have; a table of rows has order C."""
    table = np.empty((len(y), x.shape[1] + 1), order=order)
    table[:, :-1], table[:, -1] = x, y
    # a run that is stopped leaves no table that is cut off
    part = path.with_name(f"part of {path.name}")
    np.save(part, table)
    return part.replace(path)


def save_csv(path: Path, x: np.ndarray, y: np.ndarray):
    with open(path, "w") as file:
        file.write(",".join([f"x{j + 1}" for j in range(x.shape[1])] + ["y"]) + "\n")
        for row, outcome in zip(x, y, strict=True):
            file.write(",".join(map(repr, [*row.tolist(), float(outcome)])) + "\n")


def save_parquet(path: Path, x: np.ndarray, y: np.ndarray):
    columns = {f"x{j + 1}": column for j, column in enumerate(x.T)}
    parquet.write_table(pyarrow.table({**columns, "y": y}), path, use_dictionary=False, write_statistics=False)


FORMATS = {
    "npy, columns side by side": save,
    "npy, rows side by side": lambda path, x, y: save(path, x, y, order="C"),
    "csv": save_csv,
    "parquet": save_parquet,
}


def needles(p: int, count: int = 2) -> list[int]:
    return [p // 3 + k * p // (2 * count) for k in range(count)]


def regression(n: int, p: int, seed: int = 1, order: str = "F") -> tuple[np.ndarray, np.ndarray]:
    """`y = 2 x_a - 2 x_b + noise / 2`."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(p, n)).T if order == "F" else random.normal(size=(n, p))
    a, b = needles(p)
    return x, 2 * x[:, a] - 2 * x[:, b] + 0.5 * random.normal(size=n)


def classes(n: int, p: int, m: int = 2, seed: int = 1, count: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Class `t` of `m` has means of -1.5 to 1.5 at the needles, in another order at each of them."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(p, n)).T
    y = np.arange(n) % m
    means = np.linspace(-1.5, 1.5, m)
    for k, j in enumerate(needles(p, count)):
        x[:, j] += means[(y + k) % m]
    return x, y.astype(float)


def pairs(n: int, p: int, s: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Design N: a sum of `10 |x_a - x_b|` over pairs, noise 1."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(p, n)).T
    return x, sum(10 * np.abs(x[:, 2 * h] - x[:, 2 * h + 1]) for h in range(s // 2)) + random.normal(size=n)


def real(path: Path, part: float, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """A stratified part of a gzip CSV file whose last column is the outcome; classes become numbers."""
    with gzip.open(path, "rt") as lines:
        rows = list(csv.reader(lines))[1:]
    x = np.array([row[:-1] for row in rows], dtype=float)
    outcome = np.array([row[-1] for row in rows])
    if part == 1:
        return x, outcome.astype(float)
    y = np.unique(outcome, return_inverse=True)[1]
    random = np.random.default_rng(seed)
    kept = [random.permutation(np.flatnonzero(y == t))[: round(part * np.sum(y == t))] for t in np.unique(y)]
    rows_kept = np.sort(np.concatenate(kept))
    return x[rows_kept], y[rows_kept].astype(float)


def some_rows(path: Path, most: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """At most so many rows, at random, of a gzip CSV file whose last column is a number."""
    x, y = real(path, 1)
    rows = np.sort(np.random.default_rng(seed).permutation(len(y))[:most])
    return x[rows], y[rows]


def standardised(x: np.ndarray) -> np.ndarray:
    spread = x.std(axis=0)
    return (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1)
