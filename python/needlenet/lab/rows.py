"""Rows on disk, in the format and with the promises of the program's own (``crates/needlenet-lab/src/ledger.rs``).

A row is appended as it comes, in one write; a torn last line is dropped when the file is opened again; two runs cannot
write one file. The file is ``rows.python.csv``, beside the program's ``rows.csv``; both are read.
"""

import csv
import io
from pathlib import Path
from typing import BinaryIO

FILE = "rows.python.csv"

STUDY = [
    "study",
    "design",
    "n",
    "p",
    "s",
    "learner",
    "version",
    "replicate",
    "seed",
    "truth",
    "selected",
    "exact",
    "tpr",
    "fdr",
    "sure_tpr",
    "sure_fdr",
    "pe",
    "accuracy",
    "objective",
    "kkt",
    "stop",
    "converged",
    "seconds",
]

REAL = [
    "set",
    "n",
    "p",
    "classes",
    "learner",
    "version",
    "split",
    "seed",
    "selected",
    "accuracy",
    "majority",
    "rmse",
    "neurons",
    "objective",
    "kkt",
    "stop",
    "converged",
    "seconds",
    "names",
]


def line(columns: list[str], row: dict) -> str:
    """A row as a line of CSV; a column that the row does not have is empty."""
    unknown = set(row) - set(columns)
    if unknown:
        raise ValueError(f"no such columns: {', '.join(sorted(unknown))}")
    out = io.StringIO()
    csv.DictWriter(out, columns, lineterminator="\n").writerow(row)
    return out.getvalue()


def read(folder: Path) -> list[dict]:
    """All rows of a folder, from every file ``rows*.csv``, as text."""
    found: list[dict] = []
    for path in sorted(folder.glob("rows*.csv")):
        text = path.read_text()
        whole = text[: text.rfind("\n") + 1]
        found.extend(csv.DictReader(io.StringIO(whole)))
    return found


class Ledger:
    """The file of a folder, open for appending, and locked."""

    def __init__(self, folder: Path, columns: list[str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / FILE
        self.columns = columns
        self.file = open(self.path, "a+b")  # noqa: SIM115 - open and locked for the whole run
        if not locked(self.file):
            self.file.close()
            raise SystemExit(f"{self.path}: another program is writing it; wait, or give another folder")
        self.file.seek(0)
        text = self.file.read()
        whole = text.rfind(b"\n") + 1
        names = ",".join(columns).encode()
        if whole and text.split(b"\n")[0] != names:
            self.file.close()
            raise SystemExit(f"{self.path}: another version wrote other columns; give another folder")
        self.file.truncate(whole)

    def append(self, text: str) -> None:
        """Appends a line; the first line is preceded by the names of the columns."""
        self.file.seek(0, io.SEEK_END)
        names = ",".join(self.columns) + "\n" if self.file.tell() == 0 else ""
        self.file.write((names + text).encode())
        self.file.flush()

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


def locked(file: BinaryIO) -> bool:
    """Locks a file for this process; on a system without file locks it does nothing."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
