"""Runs the program on tables made here, and gives its report."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("NEEDLENET", str(ROOT / "target" / "release" / "needlenet"))


def run(command, table, *options):
    """The JSON object of a needlenet command on a table with the outcome in column "y"."""
    return run_words(command, table, "--target", "y", *options)


def run_words(command, table, *options):
    """The JSON object of a needlenet command, whose options tell the outcome."""
    words = [PROGRAM, command, str(table), "--hidden", "none", "--penalty", "l1", "--json", "--draws", "100"]
    done = subprocess.run([*words, *map(str, options)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def needlenet(tmp_path):
    """A linear fit at a share of lambda_0, given x and y: the report, and the inputs as the problem has them."""

    def fit(x, y, share, *options):
        names = [f"x{j}" for j in range(x.shape[1])]
        table = tmp_path / "table.csv"
        pd.DataFrame(x, columns=names).assign(y=y).to_csv(table, index=False)
        lambda_zero = run("threshold", table, *options)["lambda_zero"]
        report = run("fit", table, "--lambda", share * lambda_zero, "--tolerance", "1e-9", *options)
        support = sorted(names.index(name) for name in report["selected"])
        return report, support, standardise(x)

    return fit


def standardise(x):
    """Columns centred, with l2 norm sqrt(n)."""
    x = x - x.mean(axis=0)
    return x * np.sqrt(len(x)) / np.linalg.norm(x, axis=0)


def assert_same(report, support, peer_objective, peer_coefficients):
    """Both solved the same problem: same support, and neither objective is below the other by more than 1e-7."""
    ours = report["objective"]
    assert ours <= peer_objective * (1 + 1e-7)
    assert peer_objective <= ours * (1 + 1e-7)
    assert support == np.flatnonzero(np.any(np.atleast_2d(peer_coefficients) != 0, axis=0)).tolist()
