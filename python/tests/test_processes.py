"""Ctrl-C, threads and forks: a fit leaves the process as it was."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import needlenet
from needlenet import NeedleRegressor

# enough null draws to keep a fast machine busy for minutes
LONG = {"n_draws": 3_000_000}

INTERRUPTED = """
import os, time
import numpy as np
from needlenet import NeedleRegressor, quantile_universal_threshold
X = np.random.default_rng(0).normal(size=(200, 300))
y = X[:, 0] + np.random.default_rng(1).normal(size=200)
work = {work}
threads = lambda: len(os.listdir("/proc/self/task"))
before = threads()
print("ready", flush=True)
try:
    work()
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
else:
    print("finished", flush=True)
# no thread of ours is left, and the next fit is right
time.sleep(0.2)
print("threads left:", threads() - before, flush=True)
print(NeedleRegressor(hidden=None, n_draws=500).fit(X, y).get_support(indices=True).tolist(), flush=True)
"""

WORKS = {
    "null draws": "lambda: NeedleRegressor(n_draws=3_000_000).fit(X, y)",
    "null draws, two threads": "lambda: NeedleRegressor(n_draws=3_000_000, n_jobs=2).fit(X, y)",
    "solver": "lambda: NeedleRegressor(hidden=(400, 100), n_draws=100, lam=0.01, tol=1e-15, penalty='l1').fit(X, y)",
    "threshold": "lambda: quantile_universal_threshold(X, y, n_draws=3_000_000)",
}


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
@pytest.mark.parametrize("work", WORKS)
def test_ctrl_c_stops_a_long_fit_within_a_second(work):
    code = INTERRUPTED.format(work=WORKS[work])
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(2.5)
    sent = time.time()
    process.send_signal(signal.SIGINT)
    word, when = process.stdout.readline().split()
    assert word == "interrupted"
    assert float(when) - sent < 1
    assert process.stdout.readline() == "threads left: 0\n"
    assert process.stdout.readline() == "[0]\n"
    assert process.wait(timeout=30) == 0


def test_an_error_in_the_progress_bar_stops_the_fit(bent, monkeypatch):
    def fail(*words):
        raise RuntimeError("the bar broke")

    from contextlib import contextmanager

    from needlenet import _base

    @contextmanager
    def broken(verbose):
        yield fail

    monkeypatch.setattr(_base, "progress_bar", broken)
    start = time.monotonic()
    with pytest.raises(RuntimeError, match="the bar broke"):
        NeedleRegressor(**LONG).fit(*bent)
    assert time.monotonic() - start < 5


def test_the_gil_is_released_during_a_fit(bent):
    X, y = np.tile(bent[0], (1, 20)), bent[1]
    stop = threading.Event()
    longest = 0.0

    def clock():
        nonlocal longest
        last = time.monotonic()
        while not stop.is_set():
            time.sleep(0.005)
            now = time.monotonic()
            longest = max(longest, now - last)
            last = now

    ticking = threading.Thread(target=clock)
    ticking.start()
    start = time.monotonic()
    NeedleRegressor(n_draws=40_000).fit(X, y)
    lasted = time.monotonic() - start
    stop.set()
    ticking.join()
    # a fit that kept the GIL would stop the clock for as long as it lasts
    assert longest < lasted / 2


def test_fits_in_threads_are_the_same_as_one_after_the_other(bent):
    X, y = bent
    seeds = [1, 2, 3, 4]

    def fit(seed):
        return NeedleRegressor(random_state=seed, n_jobs=2, n_draws=500).fit(X, y).predict(X)

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(fit, seeds))
    assert all(np.array_equal(predicted, fit(seed)) for seed, predicted in zip(seeds, together, strict=True))


def test_a_million_jobs_are_as_many_as_there_are_cores(bent):
    start = time.monotonic()
    with pytest.warns(UserWarning, match=r"n_jobs=1000000 is more than the machine has: \d+ threads are used"):
        many = NeedleRegressor(n_jobs=10**6, n_draws=500).fit(*bent)
    assert np.array_equal(many.predict(bent[0]), NeedleRegressor(n_draws=500).fit(*bent).predict(bent[0]))
    assert time.monotonic() - start < 60


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_thousand_fits_do_not_grow_memory():
    """In a process of its own: resident memory after 200 fits and after 1,200."""
    code = """
import numpy as np
from needlenet import NeedleClassifier, NeedleRegressor
rng = np.random.default_rng(0)
X = rng.normal(size=(40, 30))
y = X[:, 0] + rng.normal(size=40)
resident = lambda: int(open("/proc/self/statm").read().split()[1]) * 4096
def fits(count):
    for _ in range(count // 2):
        NeedleRegressor(hidden=None, n_draws=100).fit(X, y).predict(X)
        NeedleClassifier(hidden=None, n_draws=100).fit(X, y > 0).predict(X)
fits(200)
before = resident()
fits(1000)
print(resident() - before)
"""
    grown = int(subprocess.check_output([sys.executable, "-c", code], text=True))
    # a copy of the table alone would be 1,000 * 9,600 bytes
    assert grown < 3_000_000, grown


def fit_in_child(X, y, results):
    results.put(NeedleRegressor(n_jobs=2, n_draws=500).fit(X, y).predict(X))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_a_fit_works_after_a_fork(bent):
    X, y = bent
    here = NeedleRegressor(n_jobs=2, n_draws=500).fit(X, y).predict(X)
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=fit_in_child, args=(X, y, results))
    child.start()
    assert np.array_equal(results.get(timeout=60), here)
    child.join(timeout=60)
    assert child.exitcode == 0


def test_importing_is_cheap():
    """Beyond numpy and scikit-learn, with everything the estimators need; the best of five."""
    code = (
        "import numpy, sklearn, sklearn.base, sklearn.feature_selection, time; start = time.perf_counter();"
        "import needlenet; needlenet.NeedleRegressor; needlenet.NeedleClassifier; print(time.perf_counter() - start)"
    )
    times = [float(subprocess.check_output([sys.executable, "-c", code], text=True)) for _ in range(5)]
    assert min(times) < 0.3, times


def test_the_version_is_that_of_the_installed_package():
    from importlib.metadata import PackageNotFoundError, version

    try:
        assert needlenet.__version__ == version("needlenet")
    except PackageNotFoundError:
        pytest.skip("the package is not installed")
