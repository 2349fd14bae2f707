"""Pictures: every learner is in them, they match the summary, and a stale summary is refused."""

import os

import pytest

pytest.importorskip("matplotlib")

from needlenet.lab import rows
from needlenet.lab.plot import STYLES, plot, with_room

HEAD = "study,design,n,p,s,learner,replicates,failed,not_converged," + ",".join(
    f"{name}{end}" for name in ("pesr", "tpr", "fdr", "pe", "accuracy") for end in ("", "_low", "_high")
)


def summary(folder):
    lines = [HEAD + ",seconds"]
    for s in (0, 2, 4):
        for learner, share in (("needlenet", 1.0), ("cart", 0.5)):
            bands = f"{share},{share - 0.1},{share}," * 3 + "2,1,3," + ",,,"
            replicates = 10 if learner == "needlenet" else 3 + s
            lines.append(f"figure2,nonlinear,500,50,{s},{learner},{replicates},0,0,{bands}0.5")
    (folder / "summary.csv").write_text("\n".join(lines) + "\n")


def test_curves_show_every_learner_and_are_the_same_file_again(tmp_path):
    summary(tmp_path)
    files = plot(tmp_path)
    assert {path.name for path in files} == {"pesr.svg", "pesr.png", "criteria.svg", "criteria.png"}
    text = (tmp_path / "criteria.svg").read_text()
    assert "needlenet (default)<" in text
    for words in ("needlenet (default)", "cart (3 to 7)", "number of needles s", "PESR", "TPR", "FDR", "PE: error"):
        assert words in text
    plot(tmp_path)
    assert (tmp_path / "criteria.svg").read_text() == text


def test_labels_of_an_axis_have_room():
    assert with_room(list(range(17))) == list(range(17))
    assert with_room([200, 300, 400, 500, 600, 800, 1000, 1500, 2000]) == [200, 400, 600, 800, 1000, 1500, 2000]


def test_a_summary_older_than_its_rows_is_refused(tmp_path):
    with pytest.raises(SystemExit, match="lab summary"):
        plot(tmp_path)
    summary(tmp_path)
    (tmp_path / "rows.csv").write_text("")
    os.utime(tmp_path / "summary.csv", (1, 1))
    with pytest.raises(SystemExit, match="older than the rows"):
        plot(tmp_path)


def test_real_tables_have_box_plots_and_a_scatter(tmp_path):
    names, raw = [], []
    for name, classes in (("alon", 2), ("wine", 3)):
        for learner in ("needlenet", "cart"):
            names.append(f"{name},62,2000,{classes},{learner},{20 if learner == 'needlenet' else 5},0.8,3")
            for split in range(5):
                row = dict(
                    set=name, learner=learner, split=split, accuracy=0.7 + 0.02 * split, selected=split, majority=0.6
                )
                raw.append(rows.line(rows.REAL, row))
    (tmp_path / "rows.csv").write_text(",".join(rows.REAL) + "\n" + "".join(raw))
    (tmp_path / "summary.csv").write_text(
        "set,n,p,classes,learner,splits,accuracy,selected\n" + "\n".join(names) + "\n"
    )
    files = {path.name for path in plot(tmp_path, ["wine"])}
    assert files == {"scatter.svg", "scatter.png", "boxes.svg", "boxes.png"}
    # a learner with fewer splits says so
    assert "cart (5)" in (tmp_path / "scatter.svg").read_text()
    assert "needlenet (default)<" in (tmp_path / "scatter.svg").read_text()
    assert "wine: accuracy" in (tmp_path / "boxes.svg").read_text()
    assert "alon: accuracy" not in (tmp_path / "boxes.svg").read_text()
    with pytest.raises(SystemExit, match="no classes of iris"):
        plot(tmp_path, ["iris"])


def test_no_two_learners_look_alike_in_one_study():
    from itertools import combinations

    together = [
        ["needlenet", "sqrt-lasso-qut", "sqrt-lasso-validation", "lasso-ann-2", "lasso-ann-3", "lasso-ann-4", "spinn"],
        ["spinn", "spinn-dropout", "standard-network", "cart", "forest", "boruta", "xgboost-boruta", "lassonet"],
        ["linear-harder", "linear-scad", "linear-mcp", "sqrt-lasso-qut"],
    ]
    for learners in together:
        for a, b in combinations(learners, 2):
            # in grey only line and marker remain
            assert STYLES[a][1:] != STYLES[b][1:], (a, b)
