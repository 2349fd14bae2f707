"""Where joblib runs: this machine, or a cluster of Dask or Ray.

Every machine of the cluster needs the program and this package; the rows are written here.
"""

import contextlib
from collections.abc import Iterator

import joblib


@contextlib.contextmanager
def backend(name: str, address: str | None) -> Iterator[None]:
    """Makes joblib run on ``local``, ``dask`` or ``ray``; the address is that of the scheduler."""
    if name == "dask":
        from dask.distributed import Client

        with Client(address), joblib.parallel_config(backend="dask"):
            yield
    elif name == "ray":
        import ray
        from ray.util.joblib import register_ray

        ray.init(address=address)
        register_ray()
        with joblib.parallel_config(backend="ray"):
            yield
    else:
        yield
