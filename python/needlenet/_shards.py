"""A table in shards of columns: a folder or a Dask array, here or on a cluster."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._table import readable
from ._workers import Answers, Here, InFolder, InMemory, OnDask, OnRay, Workers, folder

if TYPE_CHECKING:
    from ._needlenet import Folder


class Shards:
    """A table in shards of columns, each with all samples, which need not fit into memory.

    `fit` of every estimator takes it as `X`. The result is that of the same table in memory: the fit asks the shards
    for what it needs, and the columns stay where they are.

    Parameters
    ----------
    table : path-like or dask.array.Array
        A folder with a file ``shards.json``, or an array of Dask. An array whose rows are in several chunks is
        rechunked.
    on : dask.distributed.Client, 'ray' or None, default=None
        Whose workers answer for the shards. They must see the folder under the same path. With None an array of Dask
        is on the current client if there is one; everything else is done in this process.
    memory : int or None, default=None
        Bytes that an answer may take at once, about. With None it is half of the memory that is free; a worker takes
        the part of one core.
    resume : path-like or None, default=None
        A file in which the answers of finished shards are kept. A fit that was stopped goes on from it with the same
        table and settings; it is deleted when the fit has ended.

    Attributes
    ----------
    shape : tuple of int
        Samples and inputs.
    feature_names : list of str or None
        Names of the inputs; an array has none.
    ids : list of str or None
        Ids of the samples of a folder, in the order that `y` must have.
    notes : list of str
        What happened that you should know, such as the loss of a worker.

    Examples
    --------
    >>> import dask.array as da
    >>> from needlenet import NeedleRegressor, Shards
    >>> X = da.random.default_rng(1).normal(size=(100, 60), chunks=(100, 20))
    >>> y = np.asarray(3 * X[:, 4] - 2 * X[:, 47])
    >>> NeedleRegressor(hidden=None).fit(Shards(X), y).get_support(indices=True)
    array([ 4, 47])
    """

    def __init__(
        self,
        table: Any,
        *,
        on: Any = None,
        memory: int | None = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> None:
        self.notes: list[str] = []
        self.feature_names: list[str] | None = None
        self.ids: list[str] | None = None
        self._on = on
        self._memory = memory
        self._resume = resume
        self._workers: Workers | None = None
        self._array: Any = None
        self._path = ""
        if is_dask_array(table):
            self._array = in_columns(table)
            self.shape = (int(table.shape[0]), int(table.shape[1]))
            widths = self._array.chunks[1]
            self.parts = [(f"chunk {at}", int(width)) for at, width in enumerate(widths)]
            if on is None:
                self._on = current_client()
        elif isinstance(table, str | os.PathLike):
            self._path = os.path.abspath(os.fspath(table))
            opened = self._folder()
            self.feature_names, self.ids, self.parts = opened.names, opened.ids, opened.parts
            self.shape = (opened.n_samples, len(opened.names))
        else:
            raise TypeError(f"{type(table).__name__} is no table in shards; give the path of a folder or a Dask array")

    def __repr__(self) -> str:
        return f"Shards({self.shape[0]} samples x {self.shape[1]} inputs in {len(self.parts)} shards)"

    @property
    def names(self) -> list[str]:
        """Names of the inputs in the model: those of an array are x1, x2, ..."""
        return self.feature_names or [f"x{at + 1}" for at in range(self.shape[1])]

    @property
    def book(self) -> tuple[str, int] | None:
        """The file of finished answers, and a number that changes with the table."""
        if self._resume is None:
            return None
        if self._array is None:
            return os.fspath(self._resume), self._folder().fingerprint
        # the name of a Dask array is a hash of what it is made of
        about = hashlib.sha256(repr((self._array.name, self._array.chunks)).encode())
        return os.fspath(self._resume), int.from_bytes(about.digest()[:8], "little")

    def columns(self, places: Sequence[int]) -> NDArray[Any]:
        """Some columns in memory.

        Parameters
        ----------
        places : sequence of int
            Their positions.

        Returns
        -------
        values : ndarray of shape (n_samples, n_places)
            The columns in that order.
        """
        if self._array is None:
            return self._folder().read(list(places))
        return np.asfortranarray(readable(self._array[:, list(places)].compute()))

    def ask(self, tasks: Sequence[tuple[int, bytes]], threads: int) -> Answers:
        """Give the answers of some shards to messages of the learner, which calls this.

        Parameters
        ----------
        tasks : sequence of tuple
            The place of a shard and a message, for each task.
        threads : int
            Threads of this process.

        Returns
        -------
        answers : iterator
            The place of a task and its answer, as they come; None while there is none.
        """
        if self._workers is None:
            self._workers = self._made_workers()
        return self._workers.ask(tasks, threads)

    def _folder(self) -> Folder:
        return folder(self._path)

    def _made_workers(self) -> Workers:
        parts: list[Any] = [InFolder(self._path, at) for at in range(len(self.parts))]
        if self._array is not None:
            from dask import delayed

            blocks = [self._array.blocks[0, at].to_delayed()[0, 0] for at in range(len(self.parts))]
            parts = [delayed(held)(name, block) for (name, _), block in zip(self.parts, blocks, strict=True)]
        if self._on is None:
            return Here(parts, self._memory)
        if self._on == "ray":
            return OnRay(parts, self._memory, self.notes)
        return OnDask(self._on, parts, self._memory, self.notes)


def held(name: str, block: Any) -> InMemory:
    """A chunk of a Dask array, with each of its columns in one piece."""
    return InMemory(name, np.asfortranarray(readable(np.asarray(block))))


def in_columns(array: Any) -> Any:
    """A Dask array whose chunks have all samples."""
    if array.ndim != 2 or any(np.isnan(size) for size in array.shape):
        raise ValueError(
            f"the Dask array has the shape {array.shape}; two known sizes, samples x inputs, are needed: "
            "call compute_chunk_sizes()"
        )
    return array if len(array.chunks[0]) == 1 else array.rechunk({0: -1, 1: "auto"})


def is_dask_array(X: Any) -> bool:
    """Whether a table is an array of Dask, which need not be installed."""
    return type(X).__module__.startswith("dask.array") and hasattr(X, "to_delayed")


def is_sharded(X: Any) -> bool:
    """Whether a table is in shards."""
    return isinstance(X, Shards) or is_dask_array(X)


def as_shards(X: Any) -> Shards:
    """A table in shards."""
    return X if isinstance(X, Shards) else Shards(X)


def current_client() -> Any:
    """The client of Dask that is current, if there is one."""
    try:
        from dask.distributed import default_client
    except ImportError:
        return None
    try:
        return default_client()
    except ValueError:
        return None
