"""Whether something became slower: the ratios of this run against those of the last run that was committed.

A ratio is our time over that of a yardstick in the same run, so another machine moves it little. What kept less than two
thirds of its speed has fallen. `make bench QUICK=1`.
"""

import csv
import statistics
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

# the share of its speed that a work must keep
KEPT = 2 / 3
# the works that take seconds
SECTIONS = ("products", "activation", "iteration", "numbers")


def ratios(raw: Iterable[list]) -> dict[str, float]:
    """The median of ours over the yardstick, for each work that has both; rows of work, what, repeat and value."""
    seconds = defaultdict(dict)
    for work, what, repeat, value in raw:
        if what in ("ours, s", "yardstick, s"):
            seconds[work].setdefault(what, {})[int(repeat)] = float(value)
    found = {}
    for work, sides in seconds.items():
        ours, theirs = sides.get("ours, s", {}), sides.get("yardstick, s", {})
        pairs = [ours[repeat] / theirs[repeat] for repeat in ours if repeat in theirs]
        if pairs:
            found[work] = statistics.median(pairs)
    return found


def stored(folder: Path) -> dict[str, float]:
    """The ratios of the run that a folder has."""
    with open(folder / "raw.csv", newline="") as file:
        return ratios(list(csv.reader(file))[1:])


def compare(before: dict[str, float], now: dict[str, float]) -> tuple[list[str], list[str]]:
    """A line for each work that both runs have, and the works that have fallen."""
    lines, fallen = [], []
    for work in (work for work in now if work in before):
        kept = before[work] / now[work]
        if kept < KEPT:
            fallen.append(work)
        mark = "  FALLEN" if kept < KEPT else ""
        lines.append(f"{work}: {before[work]:.2f} before, {now[work]:.2f} now, {kept:.2f} of its speed{mark}")
    return lines, fallen
