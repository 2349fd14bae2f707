"""``python -m needlenet.lab``: competitors on the studies of the program, and pictures of the results."""

import argparse
import sys
from pathlib import Path

from . import cluster, learners


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m needlenet.lab", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    run = commands.add_parser("run", help="run learners on a study of `needlenet lab studies`, or go on with it")
    run.add_argument("study")
    run.add_argument("--points", type=names, default=[], help="only these values of s, of n, or names of designs")
    real = commands.add_parser("real", help="run learners on random 70/30 splits of the tables of a folder")
    real.add_argument("folder", type=Path)
    real.add_argument("--sets", type=names, default=[], help="only these tables")
    for long, replicates in ((run, 10), (real, 100)):
        long.add_argument("--out", type=Path, required=True, help="the folder for rows.python.csv")
        long.add_argument(
            "--learners", type=names, required=True, help=f"of {', '.join(learners.NAMES)}, or the program's"
        )
        long.add_argument("--replicates", type=int, default=replicates)
        long.add_argument("--seed", type=int, default=1)
        long.add_argument("--threads", type=int, default=-1, help="rows at a time; -1 is one per core")
        long.add_argument("--backend", choices=["local", "dask", "ray"], default="local")
        long.add_argument("--scheduler", help="address of the cluster")
        long.add_argument("--quiet", action="store_true")

    plot = commands.add_parser("plot", help="draw the pictures of a folder that has a summary.csv")
    plot.add_argument("folder", type=Path)
    plot.add_argument("--sets", type=names, default=[], help="tables for the box plots of real data")
    plot.add_argument("--learners", type=names, default=[], help="only these learners")
    return parser.parse_args(words)


def names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def main(words: list[str] | None = None) -> None:
    """Runs a command."""
    chosen = arguments(words)
    if chosen.command == "plot":
        from . import plot

        for path in plot.plot(chosen.folder, chosen.sets, chosen.learners):
            print(path)
        return
    from . import runs

    def say(text: str) -> None:
        if not chosen.quiet and sys.stderr.isatty():
            print(f"\r{text}   ", end="", file=sys.stderr, flush=True)

    runs.note(chosen.out, chosen.command, sys.argv[1:] if words is None else words)
    with cluster.backend(chosen.backend, chosen.scheduler, chosen.threads) as spread:
        what = (chosen.replicates, chosen.seed, spread, say)
        if chosen.command == "run":
            made = runs.run_study(chosen.study, chosen.out, chosen.learners, chosen.points, *what)
        else:
            made = runs.run_real(chosen.folder, chosen.out, chosen.learners, chosen.sets, *what)
    if not chosen.quiet:
        print(f"\n{made} rows made", file=sys.stderr)


if __name__ == "__main__":
    main()
