"""The cost of survival and counts against two classes: user seconds of one thread, as CSV on standard output.

`python bench/outcomes.py target/release/needlenet > docs/results/bench/outcomes.csv`    # 100,000 samples of 50 inputs
`python bench/outcomes.py target/release/needlenet 20000 fit`    # fewer samples, and only the rows with this word

All outcomes have the same inputs and the same log odds, log mean or log hazard, straight (four needles) or bent (two).
Ratios are those of one run. Reading the table is part of the time.
"""

import csv
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

P = 50
LAWS = {
    "straight": lambda x: x[:, 0] - x[:, 1] + 0.5 * x[:, 2] - 0.5 * x[:, 3],
    "bent": lambda x: 4 * (np.abs(x[:, 0] - x[:, 1]) - 1),
}
OUTCOMES = {
    "two classes": [
        "--target",
        "label",
        "--task",
        "classification",
        "--exclude",
        "count",
        "--exclude",
        "time",
        "--exclude",
        "event",
    ],
    "counts": [
        "--target",
        "count",
        "--task",
        "counts",
        "--exclude",
        "label",
        "--exclude",
        "time",
        "--exclude",
        "event",
    ],
    "survival": ["--time", "time", "--event", "event", "--exclude", "label", "--exclude", "count"],
}


def save(path: Path, n: int, law: str):
    """Classes, counts (of a smaller log mean) and times of one law; half of the times are censored."""
    random = np.random.default_rng(1)
    x = random.normal(size=(n, P))
    score = LAWS[law](x)
    columns = {f"x{j + 1}": x[:, j] for j in range(P)}
    columns["label"] = (random.random(n) < 1 / (1 + np.exp(-score))).astype(int)
    columns["count"] = random.poisson(np.exp(0.25 * score))
    columns["time"] = random.exponential(np.exp(-score))
    columns["event"] = (random.random(n) < 0.5).astype(int)
    with path.open("w") as file:
        file.write(",".join(columns) + "\n")
        for row in zip(*(column.tolist() for column in columns.values()), strict=True):
            file.write(",".join(map(repr, row)) + "\n")


def measured(program: str, command: str, table: Path, *words: str) -> tuple[float, dict]:
    """User seconds, and what was printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    line = [program, command, str(table), "--threads", "1", "--json", "--quiet", *words]
    done = subprocess.run(line, stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 2):
        raise SystemExit(f"{' '.join(line)} ended with {done.returncode}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, json.loads(done.stdout)


def main(program: str, n: int = 100_000, only: str = ""):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["law", "n", "p", "what", "outcome", "user_s", "ratio", "selected", "stop"])
    with tempfile.TemporaryDirectory() as folder:
        for law in LAWS:
            table = Path(folder) / f"{law}.csv"
            save(table, n, law)
            for what, words in [
                ("threshold", ["threshold"]),
                ("threshold by permutation", ["threshold", "--null", "permutation"]),
                ("fit", ["fit"]),
            ]:
                if only not in f"{law} {what}":
                    continue
                of_classes = None
                for outcome, options in OUTCOMES.items():
                    seconds, report = measured(program, words[0], table, *words[1:], *options)
                    of_classes = of_classes or seconds
                    found = " ".join(sorted(report.get("selected", []), key=lambda name: int(name[1:])))
                    ratio = f"{seconds / of_classes:.2f}"
                    out.writerow([law, n, P, what, outcome, f"{seconds:.2f}", ratio, found, report.get("stop", "")])
                    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int((sys.argv[2:] or [100_000])[0]), "".join(sys.argv[3:4]))
