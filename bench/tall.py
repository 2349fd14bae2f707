"""Fits of tall tables, straight and bent laws, as CSV on standard output.

`python bench/tall.py target/release/needlenet > docs/results/bench/tall.csv`
"""

import csv
import sys
import tempfile
from pathlib import Path

import numpy as np
import tables
from program import run

P = 50


def bent(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes whose log odds are `4 (|x_1 - x_2| - 1)`."""
    random = np.random.default_rng(1)
    x = random.normal(size=(P, n)).T
    odds = np.exp(4 * (np.abs(x[:, 0] - x[:, 1]) - 1))
    return x, (random.random(n) < odds / (1 + odds)).astype(float)


LAWS = {
    "linear": (lambda n: tables.regression(n, P), "regression"),
    "pairs": (lambda n: tables.pairs(n, P, 8), "regression"),
    "classes": (lambda n: tables.classes(n, P), "classification"),
    "bent": (bent, "classification"),
}


def main(program: Path):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["table", "n", "p", "wall_s", "fit_s", "peak_mb", "peak_tables", "selected", "stop", "kkt_violation"])
    with tempfile.TemporaryDirectory() as folder:
        for n in (1_000, 10_000, 100_000, 1_000_000):
            for name, (make, task) in LAWS.items():
                table = tables.save(Path(folder) / "table.npy", *make(n))
                done = run(
                    program, "fit", str(table), "--target", "-1", "--threads", "2", "--json", "--quiet", "--task", task
                )
                report = done.report
                figures = [
                    f"{done.wall:.2f}",
                    f"{report['seconds']:.2f}",
                    f"{done.peak / 1e6:.0f}",
                    f"{done.peak / (8 * n * P):.2f}",
                ]
                inputs = " ".join(sorted(report["selected"], key=lambda name: int(name[1:])))
                out.writerow([name, n, P, *figures, inputs, report["stop"], f"{report['kkt_violation']:.1e}"])
                sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
