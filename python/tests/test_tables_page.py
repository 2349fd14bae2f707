"""The Python blocks of docs/tables.md run, in the folder of its tables, and find what they say."""

import re
import shutil
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_block_of_the_page_runs(tmp_path, monkeypatch, capsys):
    shutil.copytree(DOCS / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    blocks = re.findall(r"^```python\n(.*?)^```$", (DOCS / "tables.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 6
    namespace = {}
    for block in blocks:
        exec(compile(block, "<docs/tables.md>", "exec"), namespace)
    printed = capsys.readouterr().out
    assert "'III'" in printed and "missing cells filled" in printed
    for file in ("matrix.mtx", "features.tsv", "barcodes.tsv", "cells.csv"):
        assert (Path("from_h5ad") / file).stat().st_size > 0
