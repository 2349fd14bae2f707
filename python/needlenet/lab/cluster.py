"""Where the rows are made: on this machine, or on a cluster of Dask or Ray.

Every machine of the cluster needs the program and this package; the rows are written here.
"""

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import joblib

#: a function, its arguments and its named arguments, as ``joblib.delayed`` has them
Call = tuple[Callable[..., Any], tuple, dict]
Spread = Callable[[Iterable[Call]], Iterable[Any]]


@contextlib.contextmanager
def backend(name: str, address: str | None, jobs: int) -> Iterator[Spread]:
    """A function that makes calls on ``local``, ``dask`` or ``ray``, and yields each result when it is ready.

    The address is that of the scheduler; jobs is the number of calls at a time, -1 for one per core.
    """
    if name == "dask":
        from dask.distributed import Client

        with Client(address), joblib.parallel_config(backend="dask"):
            yield through_joblib(jobs)
    elif name == "ray":
        import ray

        with ray.init(address=address):
            yield lambda calls: through_ray(calls, jobs)
    else:
        yield through_joblib(jobs)


def through_joblib(jobs: int) -> Spread:
    return lambda calls: joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")(calls)


def through_ray(calls: Iterable[Call], jobs: int) -> Iterator[Any]:
    # Ray's backend of joblib returns results only when all are ready, so an interrupted run would lose them
    import ray

    remote = ray.remote(one)
    at_a_time = jobs if jobs > 0 else int(ray.cluster_resources()["CPU"])
    left = iter(calls)
    running: list[Any] = []
    while True:
        running += [remote.remote(*call) for call in itertools.islice(left, at_a_time - len(running))]
        if not running:
            return
        done, running = ray.wait(running)
        yield from ray.get(done)


def one(function: Callable[..., Any], words: tuple, named: dict) -> Any:
    return function(*words, **named)
