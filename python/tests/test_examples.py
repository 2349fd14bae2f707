"""The worked examples run, find what they say they find, and end in a picture."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run(name, folder, *words):
    picture = folder / f"{name}.png"
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *words, str(picture)]
    env = {**__import__("os").environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder, env=env, check=False)
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    return done.stdout


def test_genes(tmp_path):
    told = run("genes", tmp_path)
    assert "60 samples, 400 inputs, classification" in told
    assert "gene017" in told and "gene230" in told


def test_genes_of_your_own(tmp_path):
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(50, 12)), columns=[f"g{j}" for j in range(12)])
    table["growth"] = 2 * table["g3"] + random.normal(size=50)
    table.insert(0, "patient", [f"P{i}" for i in range(50)])
    table.to_csv(tmp_path / "own.csv", index=False)
    told = run("genes", tmp_path, "own.csv", "growth")
    assert "50 samples, 12 inputs, regression" in told
    assert "1 of 12 inputs found to matter" in told


def test_interactions(tmp_path):
    told = run("interactions", tmp_path)
    assert "4 of 50 inputs found to matter" in told
    scores = told.split("R2 on unseen samples: network ")[1].split()[0].rstrip(",")
    assert float(scores) > 0.9


def test_pipeline(tmp_path):
    told = run("pipeline", tmp_path)
    scores = {line[:28].strip(): float(line.split()[-1]) for line in told.splitlines() if line.startswith("  ")}
    assert scores["needlenet"] > max(scores["forest on all inputs"], scores["LassoCV"])
    assert scores["needlenet, then a forest"] > scores["forest on all inputs"]


@pytest.mark.parametrize("name", ["genes", "interactions", "pipeline"])
def test_an_example_says_how_to_run_it(name):
    assert f"python {name}.py" in (EXAMPLES / f"{name}.py").read_text().split('"""')[1]


def test_single_cells(tmp_path):
    told = run("single_cells", tmp_path)
    assert "3 of 2000 inputs found to matter" in told
    assert all(f"x{gene}" in told for gene in (11, 402, 1777))
