"""The draws and splits that Python sees are those of the program."""

import gzip
import os
import shutil
import subprocess

import numpy as np
import pytest

from needlenet.lab import program, rows
from needlenet.lab.__main__ import main
from needlenet.lab.draws import draw, splits
from needlenet.lab.real import read

pytestmark = pytest.mark.skipif(
    not (os.environ.get("NEEDLENET") or shutil.which("needlenet")),
    reason="needs the program: build it and set NEEDLENET to its file",
)


def test_linear_draw_has_the_law_it_says():
    found = draw("linear", n=80, p=30, s=4, seed=7, test_samples=50)
    assert found.x.shape == (80, 30) and found.test_x.shape == (50, 30)
    # the design has the coefficient 3 on every needle
    np.testing.assert_allclose(found.test_mean, 3 * found.test_x[:, found.needles].sum(axis=1), atol=1e-12)
    noise = found.y - 3 * found.x[:, found.needles].sum(axis=1)
    assert 0.7 < noise.std() < 1.3


def test_classes_are_text():
    found = draw("classes", n=60, p=5, s=2, seed=1, test_samples=10)
    assert found.is_classification and set(found.y) == {"no", "yes"}


def test_survival_has_a_time_and_an_event():
    found = draw("survival-linear", n=60, p=5, s=2, seed=1, test_samples=10)
    assert found.x.shape == (60, 5) and found.y.dtype.names == ("event", "time")
    assert 10 < found.y["event"].sum() < 50 and found.test_y["time"].min() > 0
    assert not found.is_classification and len(found.test_mean) == 10


def test_counts_are_whole_numbers():
    found = draw("count-linear", n=60, p=5, s=2, seed=1, test_samples=10)
    assert found.y.dtype.kind == "i" and found.y.min() >= 0 and not found.is_classification


def real_table(folder):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(60, 4))
    lines = ["a,b,c,d,target"]
    for row in x:
        cells = [repr(float(v)) for v in row]
        lines.append(",".join([*cells, "up" if row[1] > 0 else "down"]))
    lines[5] = "," + lines[5].split(",", 1)[1]  # a missing cell
    path = folder / "signs.csv.gz"
    with gzip.open(path, "wt") as file:
        file.write("\n".join(lines) + "\n")
    return path


def test_competitors_get_the_splits_of_the_program_and_stand_beside_it(tmp_path):
    table = real_table(tmp_path)
    out = tmp_path / "out"
    line = f"lab real {tmp_path} --learners linear-l1 --replicates 3 --out {out} --quiet"
    subprocess.run([program.path(), *line.split()], check=True)
    main(
        [
            "real",
            str(tmp_path),
            "--learners",
            "cart",
            "--replicates",
            "3",
            "--out",
            str(out),
            "--threads",
            "2",
            "--quiet",
        ]
    )
    found = rows.read(out)
    assert len(found) == 6
    by_split = {}
    for row in found:
        by_split.setdefault((row["split"], row["seed"]), []).append(row)
    for (split, seed), pair in by_split.items():
        assert {row["learner"] for row in pair} == {"linear-l1", "cart"}
        # the same test rows have the same share of the most frequent class
        assert len({round(float(row["majority"]), 12) for row in pair}) == 1
        assert all("b" in row["names"].split() for row in pair)
        assert int(seed) == splits(str(table), 3, 1)[int(split)]["seed"]
    summary = subprocess.run([program.path(), "lab", "summary", out], check=True, capture_output=True, text=True)
    assert "signs (60 x 4, 2) | cart" in summary.stdout


def test_missing_cells_get_the_mean_of_their_column(tmp_path):
    names, x, y = read(str(real_table(tmp_path)))
    assert names == ["a", "b", "c", "d"] and set(y) == {"up", "down"}
    others = np.delete(x[:, 0], 4)
    assert x[4, 0] == pytest.approx(others.mean())


def test_a_split_covers_every_row_once(tmp_path):
    for split in splits(str(real_table(tmp_path)), 4, 9):
        assert sorted(split["train"] + split["test"]) == list(range(60))
