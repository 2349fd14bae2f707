"""Rows on disk: appended whole, resumed, never mixed; and those of joblib are those of the program."""

import csv
import io
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from needlenet.lab import program, rows
from needlenet.lab.__main__ import main

pytestmark = pytest.mark.skipif(
    not (os.environ.get("NEEDLENET") or shutil.which("needlenet")),
    reason="needs the program: build it and set NEEDLENET to its file",
)

OWN = ["sqrt-lasso-qut", "linear-scad"]


def run(out, *words, learners=OWN, replicates=2):
    line = ["run", "mixed", "--points", "2,6", "--seed", "3", "--threads", "2", "--quiet"]
    main([*line, "--out", str(out), "--learners", ",".join(learners), "--replicates", str(replicates), *words])


def without_time(path):
    """The lines of a file, sorted, without the last column."""
    return sorted(line.rsplit(",", 1)[0] for line in Path(path).read_text().splitlines()[1:])


def test_joblib_gives_the_rows_of_the_program_byte_for_byte(tmp_path):
    run(tmp_path / "joblib")
    words = ["lab", "run", "mixed", "--points", "2,6", "--seed", "3", "--replicates", "2", "--quiet", "--learners"]
    subprocess.run([program.path(), *words, ",".join(OWN), "--out", tmp_path / "program"], check=True)
    ours, theirs = tmp_path / "joblib" / rows.FILE, tmp_path / "program" / "rows.csv"
    assert ours.read_text().splitlines()[0] == theirs.read_text().splitlines()[0]
    assert len(without_time(ours)) == 8
    assert without_time(ours) == without_time(theirs)


@pytest.mark.parametrize(("cluster", "package"), [("dask", "dask.distributed"), ("ray", "ray")])
def test_a_cluster_gives_the_rows_of_this_machine(tmp_path, cluster, package):
    pytest.importorskip(package)
    run(tmp_path / "here", learners=["sqrt-lasso-qut", "cart"])
    run(tmp_path / cluster, "--backend", cluster, learners=["sqrt-lasso-qut", "cart"])
    here = without_time(tmp_path / "here" / rows.FILE)
    assert len(here) == 8
    assert without_time(tmp_path / cluster / rows.FILE) == here


def test_the_command_is_kept_beside_the_rows_in_the_format_of_the_program(tmp_path):
    run(tmp_path, learners=["cart"], replicates=1)
    words = ["lab", "run", "mixed", "--points", "2", "--seed", "3", "--replicates", "1", "--quiet", "--learners"]
    subprocess.run([program.path(), *words, "linear-scad", "--out", tmp_path], check=True)
    ours, theirs = (json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines())
    assert ours["command"].startswith("python -m needlenet.lab run mixed --points 2,6 --seed 3")
    assert ours.keys() == theirs.keys()
    assert [ours[key] for key in ("what", "version", "system")] == [
        theirs[key] for key in ("what", "version", "system")
    ]


def test_a_run_goes_on_where_it_was_cut_and_repeats_nothing(tmp_path):
    run(tmp_path / "whole", learners=["cart", "lasso-cv"])
    whole = (tmp_path / "whole" / rows.FILE).read_text()
    cut = tmp_path / "cut"
    cut.mkdir()
    (cut / rows.FILE).write_text(whole[: len(whole) * 2 // 3])
    kept = (cut / rows.FILE).read_text().count("\n")
    run(cut, learners=["cart", "lasso-cv"])
    text = (cut / rows.FILE).read_text()
    assert text.splitlines()[:kept] == whole.splitlines()[:kept]
    assert without_time(cut / rows.FILE) == without_time(tmp_path / "whole" / rows.FILE)


def test_rows_of_the_program_in_the_same_folder_count_as_done(tmp_path):
    words = ["lab", "run", "mixed", "--points", "2,6", "--seed", "3", "--replicates", "2", "--quiet", "--learners"]
    subprocess.run([program.path(), *words, ",".join(OWN), "--out", tmp_path], check=True)
    run(tmp_path)
    assert not (tmp_path / rows.FILE).read_text()
    run(tmp_path, learners=["cart"], replicates=1)
    summary = subprocess.run([program.path(), "lab", "summary", tmp_path], check=True, capture_output=True, text=True)
    assert "| cart |" in summary.stdout and "| linear-scad |" in summary.stdout


def test_another_seed_study_or_version_is_refused(tmp_path):
    run(tmp_path, learners=["cart"], replicates=1)
    with pytest.raises(SystemExit, match="another seed"):
        run(tmp_path, "--seed", "4", learners=["cart"])
    with pytest.raises(SystemExit, match="has rows of mixed, and this is classes"):
        main(["run", "classes", "--out", str(tmp_path), "--learners", "cart", "--seed", "3", "--quiet"])
    text = (tmp_path / rows.FILE).read_text()
    version = next(csv.DictReader(io.StringIO(text)))["version"]
    (tmp_path / rows.FILE).write_text(text.replace(version, "scikit-learn 0.1"))
    with pytest.raises(SystemExit, match="made by scikit-learn 0.1"):
        run(tmp_path, learners=["cart"])


def test_unknown_names_are_refused_with_those_that_exist(tmp_path):
    with pytest.raises(SystemExit, match="figure2"):
        main(["run", "figure9", "--out", str(tmp_path), "--learners", "cart"])
    with pytest.raises(SystemExit, match="lassonet"):
        run(tmp_path, learners=["magic"])
    with pytest.raises(SystemExit, match="3 is no point of mixed"):
        main(["run", "mixed", "--points", "3", "--out", str(tmp_path), "--learners", "cart"])


def test_the_columns_are_those_of_the_program(tmp_path):
    line = program.call("replicate", "classes", "--point", 100, "--learner", "sqrt-lasso-qut", "--replicate", 0)
    assert line.splitlines()[0].split(",") == rows.STUDY
    with pytest.raises(ValueError, match="no such columns: colour"):
        rows.line(rows.STUDY, {"colour": "red"})
