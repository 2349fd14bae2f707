"""The table of `make bench`: each figure is a ratio to a yardstick, or a bound, measured in one run.

`python bench/bench.py --built target --data FOLDER --out docs/results/bench`
"""

import argparse
import csv
import os
import shutil
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import guard
import machine
import numpy as np
import shards
import tables
from program import InnerLoops, Run, Stopped, run
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LassoCV, LogisticRegressionCV
from threadpoolctl import threadpool_limits

MB = 1e6
# a fit that takes longer is stopped, and its row says so
LIMIT = 600
CLASSES = ("--task", "classification")
NUMBERS = ("--task", "regression")
REAL_TABLES = ("pol", "sml", "elevators", "skillcraft", "airfoil", "concrete")


@dataclass
class Bench:
    """What is measured with, and what was measured."""

    built: Path
    data: Path | None
    rows: list[list[str]] = field(default_factory=list)
    raw: list[list] = field(default_factory=list)

    def __post_init__(self):
        self.made = self.built / "bench"
        self.made.mkdir(exist_ok=True)
        self.program = self.built / "release/needlenet"
        self.inner = InnerLoops(self.built / "release/examples/inner_loops")

    def row(self, work: str, ours: str, yardstick: str, ratio: str, goal: str, met: bool):
        self.rows.append([work, ours, yardstick, ratio, goal, "yes" if met else "**no**"])
        print(" | ".join(self.rows[-1]), flush=True)

    def note(self, work: str, what: str, values: list[float]):
        self.raw.extend([work, what, repeat, f"{value:.6g}"] for repeat, value in enumerate(values))

    def alternately(
        self, work: str, ours: Callable[[], float], theirs: Callable[[], float], repeats: int = 7
    ) -> tuple[float, float, float]:
        """Medians of both in seconds, and of their ratio, ours over theirs."""
        pairs = [(ours(), theirs()) for _ in range(repeats)]
        self.note(work, "ours, s", [a for a, _ in pairs])
        self.note(work, "yardstick, s", [b for _, b in pairs])
        mine, yardstick = (statistics.median(side) for side in zip(*pairs, strict=True))
        return mine, yardstick, statistics.median(a / b for a, b in pairs)

    def fit(self, table: Path, *words: str, threads: int = 2, limit: float = 600) -> Run:
        words = ("--target", "-1", "--threads", str(threads), "--json", "--quiet", *words)
        done = run(self.program, "fit", str(table), *words, limit=limit)
        self.note(table.name, f"wall with {threads} threads, s", [done.wall])
        self.note(table.name, "fit, s", [done.report["seconds"]])
        self.note(table.name, "peak, MB", [done.peak / MB])
        return done

    def made_table(self, name: str, make: Callable[[], tuple], order: str = "F") -> Path:
        path = self.made / f"{name}.npy"
        return path if path.exists() else tables.save(path, *make(), order=order)


def seconds(work: Callable[[], object], least: float = 0.1) -> float:
    """Seconds per call, as the inner loops measure them."""
    work()
    calls, start = 0, time.perf_counter()
    while time.perf_counter() - start < least:
        work()
        calls += 1
    return (time.perf_counter() - start) / calls


def once(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def found(done: Run, p: int) -> bool:
    """All needles and nothing else, with a certificate."""
    expected = {f"x{j + 1}" for j in tables.needles(p)}
    return set(done.report["selected"]) == expected and done.report["converged"]


def products(b: Bench):
    """The two products of an evaluation; NumPy has the same matrices in the same order in memory."""
    for n, p, width in [(500, 50, 40), (100, 22_283, 20), (2000, 500, 64)]:
        random = np.random.default_rng(1)
        xt, wt, ut = (random.normal(size=shape) for shape in [(p, n), (p, width), (width, n)])
        gradient = np.empty((p, width))
        jobs = {"forward": lambda: np.matmul(wt.T, xt, out=ut), "gradient": lambda: np.matmul(xt, ut.T, out=gradient)}
        for job, theirs in jobs.items():
            work = f"{job} product {n} x {p} x {width}"
            with threadpool_limits(1):
                mine, yardstick, ratio = b.alternately(
                    work, lambda: b.inner.seconds(job, n, p, width), lambda: seconds(theirs)
                )
            rate = 2e-9 * n * p * width
            b.row(
                f"{work}, 1 thread",
                f"{rate / mine:.1f} GFLOP/s",
                f"NumPy {rate / yardstick:.1f} GFLOP/s",
                f"{1 / ratio:.2f} of its rate",
                "0.80",
                1 / ratio >= 0.8,
            )


def activation(b: Bench):
    count = 20_000
    u = np.linspace(-2, 2, count)
    out = np.empty(count)
    mine, yardstick, ratio = b.alternately(
        "activation", lambda: b.inner.seconds("activation", count), lambda: seconds(lambda: np.exp(u, out=out))
    )
    per = 1e9 / count
    ours, theirs = f"{mine * per:.2f} ns an element", f"NumPy's exp {yardstick * per:.2f} ns"
    b.row("activation and its derivative", ours, theirs, f"{ratio:.2f} times", "3 times", ratio <= 3)


def threshold(b: Bench):
    """lambda_QUT by the program, reading included, against the rate of a large product with both threads."""
    n, p, draws = 100, 22_283, 10_000
    square = np.random.default_rng(1).normal(size=(2048, 2048))
    for name, columns, words, make in [
        ("regression", 1, NUMBERS, lambda: tables.regression(n, p)),
        ("4 classes", 3, CLASSES, lambda: tables.classes(n, p, 4)),
    ]:
        table = b.made_table(f"threshold {name}", make)
        peaks = []

        def ours(threads=2, table=table, words=words, peaks=peaks):
            fixed = ("--target", "-1", "--draws", str(draws), "--threads", str(threads), "--json", "--quiet")
            done = run(b.program, "threshold", str(table), *fixed, *words)
            peaks.append(done.peak)
            return done.wall

        flops = 2e-9 * n * p * draws * columns
        work = f"lambda_QUT, {draws:,} draws, {n} x {p:,}, {name}"
        mine, yardstick, ratio = b.alternately(
            work, lambda: ours() / flops, lambda: seconds(lambda: square @ square, 0.5) / (2e-9 * 2048**3), 5
        )
        b.row(
            f"{work}, 2 threads",
            f"{1 / mine:.1f} GFLOP/s ({mine * flops:.2f} s)",
            f"NumPy 2048^3 {1 / yardstick:.1f} GFLOP/s",
            f"{1 / ratio:.2f} of its rate",
            "0.70",
            1 / ratio >= 0.7,
        )
        peak, size = max(peaks) / MB, 8 * n * (p + 1) / MB
        b.note(work, "peak, MB", [peak])
        b.row(f"{work}, memory", f"{peak:.0f} MB", f"table {size:.0f} MB", "", "table + 256 MB", peak < size + 256)
        one, two, gain = b.alternately(f"{work}, threads", lambda: ours(1), ours, 7)
        b.row(f"{work}, 2 threads over 1", f"{two:.2f} s", f"{one:.2f} s", f"{gain:.2f} times", "1.7", gain >= 1.7)


def iteration(b: Bench):
    """A descent on 80 inputs in use: what it needs are the products of every trial step, forward, of the gradient once,
    and every tenth time those of the curvature of the parameters that are not zero, here about 30."""
    n, p, width, active = 100, 22_283, 20, 80
    size = (n, p, width, active)
    trials = b.inner.seconds("trials", *size, 100)

    def needed():
        forward, gradient = (b.inner.seconds(job, n, active, width) for job in ("forward", "gradient"))
        return trials * forward + gradient + b.inner.seconds("curvature", n, 30) / 10

    mine, yardstick, ratio = b.alternately("iteration", lambda: b.inner.seconds("iteration", *size, 100), needed)
    b.row(
        "one iteration, 100 x 22,283, 20 neurons, 80 inputs in use",
        f"{1e6 * mine:.0f} us",
        f"its products {1e6 * yardstick:.0f} us",
        f"{ratio:.2f} times",
        "2 times",
        ratio <= 2,
    )


def gene_tables(b: Bench):
    """Tables of the sizes of golub and khan (70% split), and themselves if there is a folder of them."""
    sets = [
        ("golub", lambda: tables.classes(50, 7129, 2, count=10)),
        ("khan", lambda: tables.classes(44, 2308, 4, count=10)),
    ]
    makers = [(f"{name}-sized", make) for name, make in sets]
    if b.data:
        makers += [(name, lambda name=name: tables.real(b.data / f"{name}.csv.gz", 0.7)) for name, _ in sets]
    for name, make in makers:
        table = b.made_table(name, make)
        values = np.load(table)
        x, y = tables.standardised(values[:, :-1]), values[:, -1]
        size = f"{len(y)} x {x.shape[1]:,}, {len(np.unique(y))} classes"
        # liblinear is the fastest where it can be used: two classes
        solver = "liblinear" if len(np.unique(y)) == 2 else "saga"
        rival = LogisticRegressionCV(l1_ratios=(1,), solver=solver, use_legacy_attributes=False, scoring="accuracy")
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mine, yardstick, ratio = b.alternately(
                f"fit {name}",
                lambda: b.fit(table, *CLASSES, threads=1).report["seconds"],
                lambda: once(lambda: rival.fit(x, y)),
                3 if solver == "liblinear" else 1,
            )
        work = f"fit, {name} ({size}), 1 thread"
        theirs = f"LogisticRegressionCV ({solver}) {yardstick:.2f} s"
        b.row(work, f"{mine:.2f} s", theirs, f"{1 / ratio:.1f} times faster", "faster", ratio < 1)
        path, whole = lassonet(b, table, 25 * mine)
        sign = "" if whole else "> "
        theirs = f"LassoNet's path {sign}{path:.1f} s"
        b.row(work, f"{mine:.2f} s", theirs, f"{sign}{path / mine:.0f} times faster", "20 times", path / mine >= 20)


def lassonet(b: Bench, table: Path, limit: float) -> tuple[float, bool]:
    """Seconds of the path, and whether it ended within the limit."""
    script = Path(__file__).with_name("lassonet_path.py")
    threads = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    with subprocess.Popen([sys.executable, script, table], stdout=subprocess.PIPE, text=True, env=threads) as child:
        child.stdout.readline()  # it is ready
        try:
            path, whole = float(child.communicate(timeout=limit)[0]), True
        except subprocess.TimeoutExpired:
            child.kill()
            path, whole = limit, False
    b.note(f"fit {table.stem}", "LassoNet's path, s" if whole else "LassoNet's path, stopped after, s", [path])
    return path, whole


def numbers(b: Bench):
    """Regression against LassoCV, design N on eleven tables."""
    works = [("riboflavin-sized", [lambda: tables.regression(71, 4088)] * 5, "faster", 1.0)]
    if b.data:
        works.append(("riboflavin", [lambda: tables.real(b.data / "riboflavin.csv.gz", 1)] * 5, "faster", 1.0))
    for s in (4, 8):
        draws = [lambda s=s, seed=seed: tables.pairs(500, 50, s, seed) for seed in range(1, 12)]
        works.append((f"design N, s = {s}", draws, "at most 5 times", 5.0))
    for name, makers, goal, bound in works:
        made = [(make, b.made_table(f"{name} {at}", make)) for at, make in enumerate(makers)]
        ours, theirs = iter(made), iter(made)

        def mine() -> float:
            return b.fit(next(ours)[1], *NUMBERS, threads=1).report["seconds"]

        def lasso() -> float:
            x, y = next(theirs)[0]()
            x = tables.standardised(x)
            return once(lambda: LassoCV().fit(x, y))

        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own, yardstick, ratio = b.alternately(f"fit {name}", mine, lasso, len(made))
        n, p = makers[0]()[0].shape
        of = ", median of 11 tables" if "design" in name else ""
        work = f"fit, {name} ({n} x {p:,}), 1 thread{of}"
        b.row(work, f"{own:.2f} s", f"LassoCV {yardstick:.2f} s", f"{ratio:.2f} times its time", goal, ratio < bound)


def real_tables(b: Bench):
    """Real tables of at most 2,000 samples against gradient boosting, and tables without a law against design N."""
    for name in REAL_TABLES if b.data else ():
        path = b.data / f"{name}.csv.gz"
        made = b.made_table(f"{name}, 2000 rows", lambda path=path: tables.some_rows(path, 2000))
        values = np.load(made)
        x, y = values[:, :-1], values[:, -1]
        with threadpool_limits(1):
            mine, yardstick, ratio = b.alternately(
                f"fit {name}",
                lambda made=made: b.fit(made, *NUMBERS, threads=1).report["seconds"],
                lambda x=x, y=y: once(lambda: HistGradientBoostingRegressor().fit(x, y)),
                3,
            )
        n, p = x.shape
        theirs = f"HistGradientBoosting {yardstick:.2f} s"
        work = f"fit, {name} ({n} x {p}), 1 thread"
        b.row(work, f"{mine:.2f} s", theirs, f"{ratio:.1f} times its time", "at most 5 times", ratio <= 5)

    def made_pairs(s: int, seed: int) -> Path:
        return b.made_table(f"design N, s = {s}, {seed}", lambda: tables.pairs(500, 50, s, seed))

    draws = {s: [made_pairs(s, seed) for seed in range(1, 8)] for s in (0, 8)}
    nothing, needles = (iter(draws[s]) for s in (0, 8))
    mine, yardstick, ratio = b.alternately(
        "fit design N without needles",
        lambda: b.fit(next(nothing), *NUMBERS, threads=1).report["seconds"],
        lambda: b.fit(next(needles), *NUMBERS, threads=1).report["seconds"],
        7,
    )
    theirs = f"with 8 needles {yardstick:.2f} s"
    work = "fit, design N without needles (500 x 50), 1 thread, median of 7 tables"
    b.row(work, f"{mine:.2f} s", theirs, f"{ratio:.1f} times its time", "at most 3 times", ratio <= 3)


def growth(b: Bench):
    """Time and memory against p and n, and the largest tables."""
    empty = run(b.program, "--version").peak
    tall = [(10**k, 50) for k in range(2, 7)]
    for what, law, sizes in [
        ("p at n = 100", "regression", [(100, 10**k) for k in range(3, 7)]),
        ("n at p = 50", "regression", tall),
        ("n at p = 50, two classes", "two classes", tall),
    ]:
        make, words = (tables.regression, NUMBERS) if law == "regression" else (tables.classes, CLASSES)
        runs, size = [], []
        for n, p in sizes:
            table = b.made_table(f"{n} x {p} {law}", lambda n=n, p=p, make=make: make(n, p))
            try:
                done = b.fit(table, *words, limit=LIMIT)
            except Stopped as stop:
                b.row(f"fit, {n:,} x {p:,}, {law}", str(stop), "", "", "found", False)
                for rows, columns in sizes[len(runs) + 1 :]:
                    b.row(f"fit, {rows:,} x {columns:,}, {law}", "not run after that", "", "", "found", False)
                break
            runs.append(done)
            size.append(n * p)
            if n * p >= 5 * 10**7:
                large(b, f"{n:,} x {p:,}, {law}", done, n, p)
            if n * p < 10**7:
                table.unlink()
        for kind, values in [
            ("time", [done.wall for done in runs]),
            ("memory beyond the program's own", [max(done.peak - empty, 1) for done in runs]),
        ]:
            logs = np.log(size), np.log(values)
            slope = np.polyfit(*logs, 1)[0]
            last = (logs[1][-1] - logs[1][-2]) / (logs[0][-1] - logs[0][-2])
            # a range that was not measured to its end is not met
            whole = len(runs) == len(sizes)
            reached = "" if whole else f", measured up to {' x '.join(f'{v:,}' for v in sizes[len(runs) - 1])} only"
            text = f"exponent {slope:.2f}, last decade {last:.2f}{reached}"
            b.row(f"growth with {what}: {kind}", text, "", "", "below 1.1", whole and max(slope, last) < 1.1)
    n, p = 100, 10**6
    table = b.made_table(f"{n} x {p} classes", lambda: tables.classes(n, p))
    large(b, f"{n:,} x {p:,}, two classes", b.fit(table, *CLASSES), n, p)
    table.unlink()


def large(b: Bench, work: str, done: Run, n: int, p: int):
    """Found, in how long, in how much memory; reading is what the fit itself did not take."""
    table = 8 * n * p
    fit, read = done.report["seconds"], done.wall - done.report["seconds"]
    b.row(f"fit, {work}: needles", ", ".join(done.report["selected"][:5]) or "none", "", "", "found", found(done, p))
    tables_held = done.peak / table
    text = f"{done.peak / MB:.0f} MB"
    b.row(
        f"fit, {work}: peak memory", text, f"table {table / MB:.0f} MB", f"{tables_held:.2f}", "1.5", tables_held <= 1.5
    )
    b.row(f"fit, {work}: time", f"{fit:.1f} s", "", "", "minutes", fit < 600)
    b.row(f"fit, {work}: reading", f"{read:.1f} s", f"fit {fit:.1f} s", f"{read / fit:.2f}", "below 1", read < fit)


def reading(b: Bench):
    """A wide table in every format, fitted by the program; reading is what the fit itself did not take."""
    n = 100
    for p, formats in [(100_000, tables.FORMATS), (10**6, {"parquet": tables.save_parquet})]:
        x, y = tables.regression(n, p)
        for name, write in formats.items():
            path = b.made / f"{n} x {p}.{name.split(',')[0]}"
            write(path, x, y)
            done = b.fit(path, *NUMBERS)
            path.unlink()
            fit, read = done.report["seconds"], done.wall - done.report["seconds"]
            work = f"reading {n} x {p:,} from {name}"
            b.row(work, f"{read:.2f} s", f"fit {fit:.2f} s", f"{read / fit:.2f}", "below 1", read < fit)
            held, table = done.peak / (8 * n * p), f"table {8 * n * p / MB:.0f} MB"
            b.row(f"{work}: peak memory", f"{done.peak / MB:.0f} MB", table, f"{held:.2f}", "1.5", held <= 1.5)


def sharded(b: Bench):
    """A table in shards: its first pass against `cat` and against itself with the files in memory, its fit against that of the
    same table in memory."""
    n, p = 1000, 40_000
    folder, where = b.made / "sharded", [p // 5, p // 3, p // 2, p - 7]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    random = np.random.default_rng(1)
    y = shards.outcome(shards.make_arrays(folder, n, p, where, random), random)
    (folder / "samples.csv").write_text("id,y\n" + "".join(f"{i},{v}\n" for i, v in enumerate(y)))
    table = b.made / "sharded in memory.npy"
    tables.save(table, np.hstack([np.load(file) for file in sorted(folder.glob("*.npy"))]), y)

    rates = shards.reading(str(b.program), folder, n)
    work = f"first pass over {n:,} x {p:,} f4 in shards, cold"
    cats, warm, cold = (rates[f"{what}_seconds"] for what in ("cat", "warm_pass", "cold_pass"))
    bound = [max(cat / 0.6, pass_) for cat, pass_ in zip(cats, warm, strict=True)]
    b.note(work, "ours, s", cold)
    b.note(work, "yardstick, s", bound)
    b.note(work, "cat, s", cats)
    b.note(work, "warm, s", warm)
    ratio = statistics.median(a / c for a, c in zip(cold, bound, strict=True))
    theirs = f"`cat` {statistics.median(cats):.2f} s / 0.6, files in memory {statistics.median(warm):.2f} s"
    ours = f"{statistics.median(cold):.2f} s"
    b.row(work, ours, theirs, f"{ratio:.2f} of the slower", "at most 1.5 times", ratio <= 1.5)

    words = ("--draws", "1000", *NUMBERS)
    peaks, selected = [], []

    def in_shards() -> float:
        fixed = ("--target", "y", "--threads", "2", "--json", "--quiet")
        done = run(b.program, "fit", str(folder), *fixed, *words)
        peaks.append(done.peak)
        selected.append(done.report["selected"])
        return done.wall

    work = f"fit, {n:,} x {p:,} f4 in shards, 2 threads"
    mine, yardstick, ratio = b.alternately(work, in_shards, lambda: b.fit(table, *words).wall, 3)
    theirs = f"the same table in memory {yardstick:.2f} s"
    b.row(work, f"{mine:.2f} s", theirs, f"{ratio:.2f} times its time", "at most 1.5 times", ratio <= 1.5)
    met = all(set(names) == {f"x{j}" for j in where} for names in selected)
    b.row(f"{work}: needles", ", ".join(selected[0][:5]) or "none", "", "", "found", met)
    peak, size = max(peaks) / MB, 4 * n * p / MB
    b.note(work, "peak, MB", [value / MB for value in peaks])
    b.row(f"{work}: peak memory", f"{peak:.0f} MB", f"files {size:.0f} MB", f"{peak / size:.2f}", "1", peak < size)
    shutil.rmtree(folder)
    table.unlink()


def replicates(b: Bench):
    """The lab's replicates on one thread and on two."""

    def lab(threads: int) -> float:
        out = b.made / f"lab-{time.time_ns()}"
        words = ("lab", "run", "nonlinear", "--points", "4", "--replicates", "12", "--learners", "needlenet-2")
        done = run(b.program, *words, "--out", str(out), "--threads", str(threads), "--quiet")
        return done.wall

    one, two, gain = b.alternately("replicates", lambda: lab(1), lambda: lab(2), 3)
    b.row(
        "12 replicates of design N, s = 4, 2 threads over 1",
        f"{two:.2f} s",
        f"{one:.2f} s",
        f"{gain:.2f} times",
        "1.7",
        gain >= 1.7,
    )


def start(b: Bench):
    walls = [run(b.program, "--help").wall for _ in range(15)]
    b.note("needlenet --help", "wall, s", walls)
    wall = 1000 * statistics.median(walls)
    b.row("`needlenet --help`", f"{wall:.1f} ms", "", "", "20 ms", wall < 20)
    size = b.program.stat().st_size / MB
    b.row("the program's file", f"{size:.1f} MB", "", "", "25 MB", size < 25)


SECTIONS = {
    f.__name__: f
    for f in (
        products, activation, threshold, iteration, gene_tables, numbers, real_tables, growth, reading, sharded, replicates,
        start,
    )
}


def write(b: Bench, out: Path, took: float, load: float):
    out.mkdir(parents=True, exist_ok=True)
    head = ["work", "ours", "yardstick", "ratio", "goal", "met"]
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *b.rows]]
    about = machine.describe(b.program)
    about["load of the machine, average of a minute, at the start and at the end"] = (
        f"{load:.1f}, {os.getloadavg()[0]:.1f}"
    )
    missed = sum(row[-1] != "yes" for row in b.rows)
    text = "\n".join(
        [
            "# What `make bench` measured",
            "",
            f"{len(b.rows) - missed} of {len(b.rows)} goals met, in {took / 60:.0f} minutes. Ratios are medians over repeats that",
            "alternate between ours and the yardstick, in one run; [raw.csv](raw.csv) has every repeat.",
            "",
            *(f"- {key}: {value}" for key, value in about.items()),
            "",
            *lines,
            "",
        ]
    )
    (out / "README.md").write_text(text)
    with open(out / "raw.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["work", "what", "repeat", "value"], *b.raw])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--built", type=Path, required=True, help="the target folder, built for release")
    parser.add_argument("--data", type=Path, help="a folder with golub, khan, riboflavin and the tables of REAL_TABLES as .csv.gz")
    parser.add_argument("--out", type=Path, help="where to write the table; if not given it is only printed")
    parser.add_argument("--only", nargs="*", choices=SECTIONS, default=list(SECTIONS), help="only these sections")
    parser.add_argument("--quick", type=Path, metavar="FOLDER", help="seconds only: compare ratios with those of this folder, write nothing")
    asked = parser.parse_args()
    b = Bench(asked.built, asked.data)
    begin, load = time.perf_counter(), os.getloadavg()[0]
    for name in guard.SECTIONS if asked.quick else asked.only:
        SECTIONS[name](b)
    if asked.quick:
        lines, fallen = guard.compare(guard.stored(asked.quick), guard.ratios(b.raw))
        print("\n".join(["", f"against the ratios of {asked.quick}:", *lines]))
        sys.exit(f"{len(fallen)} of {len(lines)} lost more than a third of their speed" if fallen else 0)
    if asked.out:
        write(b, asked.out, time.perf_counter() - begin, load)


if __name__ == "__main__":
    main()
