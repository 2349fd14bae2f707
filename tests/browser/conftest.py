"""Pages written by the program, and a browser that reports everything they do.

NEEDLENET names the program, CHROMIUM the browser (otherwise it is looked for on the search path). Playwright drives it; no browser
is downloaded.
"""

import csv
import os
import random
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

SCRIPT = "<script>alert(1)</script>"


@dataclass
class Watched:
    """A page, and what it did while it was open."""

    page: Page
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)


def write(path: Path, names: list[str], rows: list[list[object]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    return path


def table(path: Path, n: int, names: list[str], outcome: dict[str, object], seed: int) -> Path:
    """Independent Gaussian inputs and, for each column of the outcome, a function of one row and of a source of noise."""
    source = random.Random(seed)
    rows = []
    for _ in range(n):
        x = [source.gauss(0.0, 1.0) for _ in names]
        rows.append([f"{value:.5f}" for value in x] + [of(x, source) for of in outcome.values()])
    return write(path, names + list(outcome), rows)


def straight(x, source):
    return f"{3.0 * x[0] - 2.0 * x[1] + source.gauss(0.0, 0.5):.5f}"


def tables(folder: Path) -> dict[str, list[str]]:
    """The tables, and the arguments with which each is fitted."""
    inputs = [f"input {j}" for j in range(8)]
    classes = {"kind": lambda x, s: ["low", "middle", "high"][(x[0] + 0.3 * s.gauss(0, 1) > -0.5) + (x[0] + x[1] > 0.8)]}
    survival = {
        "time": lambda x, s: f"{s.expovariate(1.0) * 2.718 ** (-2.0 * x[0] + x[1]) + 0.001:.5f}",
        "event": lambda x, s: int(s.random() < 0.7),
    }
    bent = {"y": lambda x, s: f"{8 * abs(x[0] - x[1]) + 4 * abs(x[2] - x[3]) + s.gauss(0, 1):.5f}"}
    made = {
        "bent": (table(folder / "bent.csv", 400, inputs, bent, 1), ["--target", "y"]),
        "nothing": (table(folder / "nothing.csv", 100, inputs, {"y": lambda x, s: f"{s.gauss(0, 1):.5f}"}, 12), ["--target", "y"]),
        "classes": (table(folder / "classes.csv", 300, inputs, classes, 3), ["--target", "kind"]),
        "survival": (table(folder / "survival.csv", 300, inputs, survival, 4), ["--time", "time", "--event", "event"]),
        "wide": (table(folder / "wide.csv", 60, [f"g{j}" for j in range(20_000)], {"y": straight}, 5), ["--target", "y", "--hidden", "none"]),
        "script": (table(folder / "script.csv", 200, [SCRIPT, "b", "c"], {"y": straight}, 6), ["--target", "y"]),
    }
    return {name: [str(path), *arguments] for name, (path, arguments) in made.items()}


@pytest.fixture(scope="session")
def pages(tmp_path_factory) -> dict[str, Path]:
    """A page for every table."""
    folder = tmp_path_factory.mktemp("pages")
    program = os.environ["NEEDLENET"]
    written = {}
    for name, arguments in tables(folder).items():
        written[name] = folder / f"{name}.html"
        command = [program, "fit", *arguments, "--draws", "1000", "--quiet", "--report", str(written[name])]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return written


@pytest.fixture(scope="session")
def browser():
    """Chromium, without a window."""
    executable = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        pytest.fail("no Chromium on the search path; Debian has it: apt-get install chromium")
    with sync_playwright() as playwright:
        # root, as in containers, has no sandbox
        arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, pages):
    """Opens the page of a table from disk and watches it."""
    contexts = []

    def visit(name: str, **options) -> Watched:
        context = browser.new_context(**{"viewport": {"width": 1000, "height": 900}, **options})
        contexts.append(context)
        watched = Watched(context.new_page())
        watched.page.on("console", lambda message: watched.messages.append(message.text))
        watched.page.on("pageerror", lambda error: watched.messages.append(str(error)))
        watched.page.on("request", lambda request: watched.requests.append(request.url))
        watched.page.on("dialog", lambda dialog: (watched.dialogs.append(dialog.message), dialog.dismiss()))
        watched.page.goto(pages[name].as_uri())
        return watched

    yield visit
    for context in contexts:
        context.close()
