"""The tutorials of docs/tutorials: every block runs, and prints what the page says.

Blocks of one page run one after the other, in one folder and one namespace. A block `text` is what the block before
it prints, where `...` stands for anything. Commands need the program: NEEDLENET=/path/to/needlenet.
"""

import contextlib
import doctest
import io
import os
import re
import subprocess
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# these have nothing to run
WITHOUT_BLOCKS = {"index", "add-an-outcome"}
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page):
    return [(match.group(1), match.group(2)) for match in BLOCK.finditer(page.read_text(encoding="utf-8"))]


def run_commands(text, folder):
    """Runs every line that begins with $ and returns what was printed."""
    env = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    commands = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    assert commands, text
    printed = ""
    for command in commands:
        done = subprocess.run(command, shell=True, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        printed += done.stdout
    return printed


def run_python(text, namespace):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "<tutorial>", "exec"), namespace)
    return printed.getvalue()


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_a_tutorial_prints_what_it_says(page, tmp_path, monkeypatch):
    found = blocks(page)
    assert bool(found) == (page.stem not in WITHOUT_BLOCKS), f"{page.name} has {len(found)} blocks"
    if any(kind == "console" for kind, _ in found):
        program = os.environ.get("NEEDLENET")
        if not program:
            pytest.skip("commands need the program: set NEEDLENET")
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "needlenet").symlink_to(Path(program).resolve())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    namespace, printed = {"__name__": "tutorial"}, ""
    for kind, text in found:
        if kind == "console":
            printed = run_commands(text, tmp_path)
        elif kind == "python":
            printed = run_python(text, namespace)
        else:
            assert kind == "text", f"{page.name}: a block {kind!r} is not run"
            assert doctest.OutputChecker().check_output(text, printed, SAME), (
                f"{page.name} says\n{text}\nbut prints\n{printed}"
            )


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_every_tutorial_is_in_the_list_and_on_the_site(page):
    if page.stem != "index":
        assert f"]({page.name})" in (PAGES / "index.md").read_text(encoding="utf-8")
    assert f"tutorials/{page.name}" in (PAGES.parents[1] / "mkdocs.yml").read_text(encoding="utf-8")
