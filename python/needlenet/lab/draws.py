"""The tables and splits of the program, as arrays.

A draw is made by ``needlenet lab make``, which writes every number so that it reads back as the same number; a
split is printed by ``needlenet lab splits``.
"""

import functools
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import program


@dataclass(frozen=True)
class Draw:
    """A table with its truth, and fresh samples of the same law."""

    x: np.ndarray
    y: np.ndarray
    needles: list[int]
    test_x: np.ndarray
    test_y: np.ndarray
    test_mean: np.ndarray

    @property
    def is_classification(self) -> bool:
        return self.y.dtype.kind == "U"


def draw(design: str, n: int, p: int, s: int, seed: int, test_samples: int) -> Draw:
    """Draw number ``seed`` of a design."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "draw.csv"
        words = ["make", design, "--n", n, "--p", p, "--s", s, "--seed", seed]
        program.call(*words, "--test", test_samples, "--out", table)
        truth = json.loads((Path(folder) / "draw.truth.json").read_text())
        names, x, y, _ = read(table, with_mean=False)
        _, test_x, test_y, mean = read(Path(folder) / "draw.test.csv", with_mean=True)
    y, test_y = (outcome(part, truth["task"]) for part in (y, test_y))
    return Draw(x, y, [names.index(name) for name in truth["needles"]], test_x, test_y, mean)


def read(table: Path, with_mean: bool) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Names, inputs, outcome as text and mean of a table that ``lab make`` wrote; survival has two columns."""
    lines = table.read_text().splitlines()
    cells = [line.split(",") for line in lines[1:]]
    columns = lines[0].split(",")
    last = len(columns) - (1 if with_mean else 0)
    p = last - (2 if columns[last - 1] == "event" else 1)
    x = np.array([row[:p] for row in cells], dtype=float)
    y = np.array([row[p:last] if last - p > 1 else row[p] for row in cells])
    mean = np.array([row[last] for row in cells], dtype=float) if with_mean else np.empty(0)
    return columns[:p], x, y, mean


def outcome(text: np.ndarray, task: str) -> np.ndarray:
    """An outcome in the form that the learners take: see ``learners``."""
    if task == "survival":
        pairs = [(event == "1", float(time)) for time, event in text]
        return np.array(pairs, dtype=[("event", bool), ("time", float)])
    if task == "counts":
        return text.astype(float).astype(np.int64)
    return text if task == "classification" else text.astype(float)


@functools.lru_cache(maxsize=1)
def splits(table: str, count: int, seed: int) -> list[dict]:
    """The rows, counted from 0, of the learning and the test part of each split of a table."""
    return json.loads(program.call("splits", table, "--replicates", count, "--seed", seed))
