"""Long runs: computes the missing rows of a folder, and stores each row when it is ready.

They run on the cores of one machine, or on a cluster of Dask or Ray (``cluster.py``); the rows are the same.
"""

import json
import os
import platform
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import joblib

from . import learners, program, replicates, rows
from .cluster import Call, Spread
from .real import real_row, real_sets


def note(out: Path, what: str, words: list[str]) -> None:
    """Writes the command, the version of the program and the machine beside the rows, as the program does."""
    run = dict(
        what=what,
        command=" ".join(["python -m needlenet.lab", *words]),
        version=program.listing()["version"],
        system=f"{platform.system().lower()} {platform.machine()}",
        cores=os.cpu_count(),
        started_unix=int(time.time()),
    )
    out.mkdir(parents=True, exist_ok=True)
    with (out / "runs.jsonl").open("a") as file:
        file.write(json.dumps(run, separators=(",", ":")) + "\n")


def run_study(
    study: str,
    out: Path,
    names: list[str],
    points: list[str],
    count: int,
    seed: int,
    spread: Spread,
    say: Callable[[str], None],
) -> int:
    """Runs learners on a study, or continues it; returns the number of new rows."""
    found = program.study(study)
    axis = found["axis"]
    known = [str(point[axis]) for point in found["points"]]
    for value in points:
        if value not in known:
            raise SystemExit(f"{value} is no point of {study}; there are {', '.join(known)}")
    wanted = [point for point in found["points"] if not points or str(point[axis]) in points]
    versions = {name: version(name) for name in names}
    there = rows.read(out)
    refuse_others(out, there, versions, "replicate", seed, study)
    done = {(*(str(row[key]) for key in ("design", "n", "p", "s", "learner", "replicate")),) for row in there}
    tasks = [
        (study, axis, point, name, seed, replicate)
        for replicate in range(count)
        for point in wanted
        for name in names
        if (*(str(point[key]) for key in ("design", "n", "p", "s")), name, str(replicate)) not in done
    ]
    return do(out, rows.STUDY, (joblib.delayed(replicates.row)(*task) for task in tasks), len(tasks), spread, say)


def run_real(
    folder: Path,
    out: Path,
    names: list[str],
    sets: list[str],
    count: int,
    seed: int,
    spread: Spread,
    say: Callable[[str], None],
) -> int:
    """Runs learners on random splits of every table of a folder, or continues such a run."""
    versions = {name: version(name) for name in names}
    own = [name for name in names if name in program.own_learners()]
    if own:
        raise SystemExit(f"{', '.join(own)}: the program runs its own learners on tables: needlenet lab real")
    there = rows.read(out)
    refuse_others(out, there, versions, "split", seed)
    done = {(row["set"], row["learner"], row["split"]) for row in there}
    made = 0
    for path in real_sets(folder, sets):
        name = path.name.split(".")[0]
        tasks = [
            (str(path), learner, split, count, seed)
            for split in range(count)
            for learner in names
            if (name, learner, str(split)) not in done
        ]
        made += do(out, rows.REAL, (joblib.delayed(real_row)(*task) for task in tasks), len(tasks), spread, say)
    return made


def do(
    out: Path, columns: list[str], work: Iterable[Call], count: int, spread: Spread, say: Callable[[str], None]
) -> int:
    """Runs the tasks and appends each line when it is ready."""
    made, start = 0, time.monotonic()
    with rows.Ledger(out, columns) as ledger:
        for line in spread(work):
            if line:
                ledger.append(line)
            made += 1
            left = (time.monotonic() - start) / made * (count - made)
            say(f"{made} of {count} rows, about {left / 60:.0f} minutes left")
    return made


def version(name: str) -> str:
    """The version of a learner, as in its rows."""
    return program.listing()["version"] if name in program.own_learners() else learners.version(name)


def refuse_others(
    out: Path, there: list[dict], versions: dict[str, str], number: str, seed: int, study: str | None = None
) -> None:
    """Refuses a folder with rows of another study, another seed, or another version of a learner."""
    apart = program.listing()["seeds_apart"]
    for row in there:
        if study and row.get("study") != study:
            raise SystemExit(
                f"{out}: has rows of {row.get('study', 'something else')}, and this is {study}; give another folder"
            )
        if (int(row["seed"]) - int(row[number])) // apart != seed:
            raise SystemExit(f"{out}: has rows of another seed; give the same --seed, or another folder")
        wanted = versions.get(row["learner"], row["version"])
        if row["version"] != wanted:
            raise SystemExit(
                f"{out}: has rows of {row['learner']} made by {row['version']}, and this is {wanted}; "
                "give another folder"
            )
