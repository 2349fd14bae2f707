"""The program and the inner loops, run from outside: seconds and peak memory."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# a small process starts the program: a child begins with the peak memory of the process that it came from
LAUNCHER = """
import json, os, sys, time
start = time.perf_counter()
child = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
seconds, code = time.perf_counter() - start, os.waitstatus_to_exitcode(status)
print(json.dumps([seconds, usage.ru_maxrss * 1024, code]), file=sys.stderr)
"""


@dataclass
class Run:
    """One run: wall seconds, peak bytes, exit code, and what it printed (a report, if it is JSON)."""

    wall: float
    peak: int
    code: int
    report: dict


class Stopped(Exception):
    """A run that took longer than its limit."""


def run(program: Path, *words: str, limit: float = 600) -> Run:
    launched = [sys.executable, "-I", "-S", "-c", LAUNCHER, str(program), *words]
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # a group of its own, so that the program can be stopped with its launcher
    with subprocess.Popen(launched, start_new_session=True, **pipes) as child:
        try:
            out, errors = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            raise Stopped(f"stopped after {limit:.0f} s") from None
    wall, peak, code = json.loads(errors.splitlines()[-1])
    if code not in (0, 2):  # 2 is a fit that did not converge: it has a report
        raise RuntimeError(errors)
    return Run(wall, peak, code, json.loads(out) if out.startswith("{") else {})


class InnerLoops:
    """The example `inner_loops`, which times what it is asked to."""

    def __init__(self, example: Path):
        self.process = subprocess.Popen([example], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, job: str, *sizes: int) -> float:
        print(job, *sizes, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())
