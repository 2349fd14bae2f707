"""The compiled program ``needlenet``, which owns the designs, the splits and our own learners."""

import functools
import json
import os
import shutil
import subprocess


def path() -> str:
    """Where the program is: ``$NEEDLENET``, or on the search path."""
    found = os.environ.get("NEEDLENET") or shutil.which("needlenet")
    if not found:
        raise SystemExit(
            "the program needlenet is not on the search path; "
            "run `cargo install --path crates/needlenet-cli`, or set NEEDLENET to its file"
        )
    return found


def call(*words: object) -> str:
    """What ``needlenet lab WORDS`` prints."""
    command = [path(), "lab", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


@functools.cache
def listing() -> dict:
    """The studies, their points, our learners and their version."""
    return json.loads(call("studies", "--json"))


def study(name: str) -> dict:
    """A study by its name."""
    studies = {study["name"]: study for study in listing()["studies"]}
    if name not in studies:
        raise SystemExit(f'"{name}" is no study; there are {", ".join(studies)}')
    return studies[name]


def own_learners() -> list[str]:
    """The learners that the program has itself."""
    return [name for name, _ in listing()["learners"]]
