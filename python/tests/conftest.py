"""Tables whose needles are known, and the program to compare with."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def bent() -> tuple[np.ndarray, np.ndarray]:
    """200 samples of 20 inputs, of which 3 and 11 act together through a bend."""
    random = np.random.default_rng(7)
    X = random.normal(size=(200, 20))
    y = 4 * np.abs(X[:, 3] - X[:, 11]) + random.normal(size=200)
    return X, y


@pytest.fixture(scope="session")
def two_classes() -> tuple[np.ndarray, np.ndarray]:
    """150 samples of 15 inputs, of which 2 and 9 decide the class."""
    random = np.random.default_rng(8)
    X = random.normal(size=(150, 15))
    y = np.where(2 * X[:, 2] - 2 * X[:, 9] + random.logistic(size=150) > 0, "ill", "well")
    return X, y


@pytest.fixture(scope="session")
def three_classes() -> tuple[np.ndarray, np.ndarray]:
    """210 samples of 12 inputs; the class is the place of the largest of inputs 1, 5 and 6."""
    random = np.random.default_rng(9)
    X = random.normal(size=(210, 12))
    y = (X[:, [1, 5, 6]] + 0.3 * random.normal(size=(210, 3))).argmax(axis=1)
    return X, y


@pytest.fixture(scope="session")
def program():
    """Runs the program; the environment variable NEEDLENET says where it is."""
    path = os.environ.get("NEEDLENET")
    if not path:
        pytest.skip("set NEEDLENET to the program, as make test does")
    assert Path(path).is_file(), path

    def run(*words: object) -> str:
        done = subprocess.run([path, *map(str, words)], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
