"""Tables whose columns are elsewhere: blocks on a cluster of Dask or Ray, or arrays on disk.

The learner asks each block of columns four kinds of questions, and runs the search here on the few columns that it is
brought. A block stays where it is. The answers are those of the same columns in memory, to the bit.
"""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from . import _needlenet

#: about what the answer to one question may hold at once, in bytes
MEMORY = 1 << 29


class Shards:
    """Blocks of columns, each with all samples; `shape` is that of the whole table."""

    names: list[str] | None = None

    def __init__(self, n_samples: int, blocks: list[tuple[str, int]]) -> None:
        self.blocks = blocks
        self.shape = (n_samples, sum(columns for _, columns in blocks))

    def __len__(self) -> int:
        return self.shape[0]

    def ask(self, tasks: list[tuple[int, bytes]]) -> list[bytes]:
        """The answers of some blocks, each given by its place, in the same order."""
        raise NotImplementedError


class LocalShards(Shards):
    """Arrays on this machine, in memory or mapped from files."""

    def __init__(self, arrays: list[Any], names: list[str], threads: int = 0) -> None:
        n = _same_length([array.shape[0] for array in arrays], names)
        super().__init__(n, [(name, array.shape[1]) for name, array in zip(names, arrays, strict=True)])
        self._arrays = arrays
        self._threads = threads

    def ask(self, tasks: list[tuple[int, bytes]]) -> list[bytes]:
        return [
            _needlenet.answer(self._arrays[at], task, self.blocks[at][0], MEMORY, self._threads) for at, task in tasks
        ]


class FolderShards(LocalShards):
    """A folder that `needlenet shard` has made, or one like it: arrays in Fortran order, mapped."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        path = Path(folder)
        manifest = json.loads((path / "shards.json").read_text())
        if manifest.get("version") != 1:
            raise ValueError(f"{path / 'shards.json'}: version {manifest.get('version')} where 1 is known")
        files, names = [], []
        for entry in manifest["shards"]:
            file = path / entry["file"]
            if file.suffix != ".npy":
                raise ValueError(f"{file}: Python reads shards of NumPy arrays only; use the program for others")
            if file.stat().st_size != entry["bytes"]:
                raise ValueError(f"{file}: its size is not that in shards.json; make the folder again")
            files.append(file)
            names += entry["names"]
        arrays = [np.load(file, mmap_mode="r") for file in files]
        super().__init__(arrays, [str(file) for file in files])
        if len(names) != self.shape[1]:
            raise ValueError(f"{path}: {len(names)} names of {self.shape[1]} columns; make the folder again")
        self.names = names


class DaskShards(Shards):
    """The blocks of a Dask array, kept by the workers of its cluster."""

    def __init__(self, array: Any, client: Any) -> None:
        array = array.rechunk({0: -1})
        widths = array.chunks[1]
        super().__init__(array.shape[0], [(f"block {at + 1} of {len(widths)}", w) for at, w in enumerate(widths)])
        self._client = client
        # computed from the graph, so that a block that is lost with its worker is computed again
        self._futures = client.compute(list(array.to_delayed()[0]))
        self._workers = self._running()

    def _running(self) -> set[str]:
        return set(self._client.scheduler_info(n_workers=-1)["workers"])

    def ask(self, tasks: list[tuple[int, bytes]]) -> list[bytes]:
        submit = self._client.submit
        futures = [
            submit(_answer, self._futures[at], task, self.blocks[at][0], pure=False, retries=3) for at, task in tasks
        ]
        answers = self._client.gather(futures)
        running = self._running()
        if lost := self._workers - running:
            warnings.warn(
                f"The cluster lost {len(lost)} of {len(self._workers)} workers during the fit; their blocks were "
                "loaded again, and the result is the same.",
                RuntimeWarning,
                stacklevel=2,
            )
        self._workers = running
        return list(answers)


class RayShards(Shards):
    """Blocks that are objects of Ray: references to arrays of all samples."""

    def __init__(self, references: list[Any]) -> None:
        import ray

        shapes = ray.get([ray.remote(np.shape).remote(block) for block in references])
        names = [f"block {at + 1} of {len(references)}" for at in range(len(references))]
        n = _same_length([shape[0] for shape in shapes], names)
        super().__init__(n, [(name, shape[1]) for name, shape in zip(names, shapes, strict=True)])
        self._references = references
        self._remote = ray.remote(_answer)

    def ask(self, tasks: list[tuple[int, bytes]]) -> list[bytes]:
        import ray

        return list(ray.get([self._remote.remote(self._references[at], task, self.blocks[at][0]) for at, task in tasks]))


def _answer(block: Any, task: bytes, name: str) -> bytes:
    return _needlenet.answer(np.asarray(block), task, name, MEMORY, 1)


def _same_length(lengths: list[int], names: list[str]) -> int:
    for name, length in zip(names, lengths, strict=True):
        if length != lengths[0]:
            raise ValueError(f"{name}: {length} samples where the other shards have {lengths[0]}")
    return lengths[0]


def shards_of(X: Any) -> Shards | None:
    """`X` as shards, if it is a Dask array, shards already, or the path of a folder of them."""
    if isinstance(X, Shards):
        return X
    if isinstance(X, str | os.PathLike):
        return FolderShards(X)
    if type(X).__module__.startswith("dask.array"):
        from distributed import get_client

        return DaskShards(X, get_client())
    return None
