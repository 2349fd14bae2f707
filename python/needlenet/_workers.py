"""Who answers for the shards of a table: this process, the workers of Dask, or those of Ray.

Each has one method, `ask`. It takes the place of a shard and a message for each task. As answers come, it gives the
place of the task and its answer, and None while there is none, so that the caller can stop. The schedulers are those of
Dask and Ray.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from . import _needlenet

#: seconds between two looks at the caller
TICK = 0.5
#: losses of a worker after which a task is given up, as in Dask
LOSSES = 3

Answers = Iterator[tuple[int, bytes] | None]


class Workers(Protocol):
    """Who answers."""

    def ask(self, tasks: Sequence[tuple[int, bytes]], threads: int) -> Answers:
        """Give the answers of some tasks as they come."""


@dataclass(frozen=True)
class InFolder:
    """A shard of a folder, which the process that asks it opens."""

    path: str
    at: int

    def answer(self, task: bytes, memory: int, threads: int) -> bytes:
        """The answer to a task."""
        return folder(self.path).answer(self.at, task, memory, threads)


class InMemory:
    """A shard in memory."""

    def __init__(self, name: str, values: Any) -> None:
        self.name = name
        self.values = values

    def __sizeof__(self) -> int:
        # Dask sends a task to where the most bytes are
        return int(self.values.nbytes)

    def answer(self, task: bytes, memory: int, threads: int) -> bytes:
        """The answer to a task."""
        return _needlenet.answer(self.name, self.values, task, memory, threads)


def folder(path: str) -> _needlenet.Folder:
    """A folder, which a process opens once, and again after it was made again."""
    return _folder(path, os.stat(os.path.join(path, "shards.json")).st_mtime_ns)


@functools.lru_cache(maxsize=4)
def _folder(path: str, modified: int) -> _needlenet.Folder:
    return _needlenet.Folder(path)


def made(part: Any) -> Any:
    """A shard, which a task of Dask may still have to make."""
    return part.compute(scheduler="synchronous") if hasattr(part, "compute") else part


def answered(part: Any, task: bytes, memory: int | None) -> bytes:
    """The answer of a worker, which has one thread for it, and one core's part of the memory."""
    if memory is None:
        memory = _needlenet.half_of_free_memory() // (os.cpu_count() or 1)
    return part.answer(task, memory, 1)


class Here:
    """The process of the fit: a shard that has to be made is made for each task, and dropped."""

    def __init__(self, parts: Sequence[Any], memory: int | None) -> None:
        self.parts = parts
        self.memory = memory

    def ask(self, tasks: Sequence[tuple[int, bytes]], threads: int) -> Answers:
        """Give the answers of some tasks one after the other."""
        memory = _needlenet.half_of_free_memory() if self.memory is None else self.memory
        for place, (at, task) in enumerate(tasks):
            part = self.parts[at]
            if hasattr(part, "compute"):
                part = part.compute()
            yield place, part.answer(task, memory, threads)


class OnDask:
    """The workers of Dask. A shard is a future: its worker keeps it, and Dask makes it again if that worker is lost."""

    def __init__(self, client: Any, parts: Sequence[Any], memory: int | None, notes: list[str]) -> None:
        self.client = client
        self.memory = memory
        self.notes = notes
        self.held = [
            client.compute(part) if hasattr(part, "compute") else client.submit(made, part, pure=False)
            for part in parts
        ]
        self.seen: set[str] = set(client.nthreads())

    def ask(self, tasks: Sequence[tuple[int, bytes]], threads: int) -> Answers:
        """Give the answers of some tasks as workers finish them."""
        from dask.distributed import wait

        submit = functools.partial(self.client.submit, answered, pure=False)
        running = {submit(self.held[at], task, self.memory): place for place, (at, task) in enumerate(tasks)}
        try:
            while running:
                done = set()
                with self.client.as_current(), contextlib.suppress(TimeoutError):
                    done = wait(list(running), timeout=TICK, return_when="FIRST_COMPLETED").done
                if not done:
                    yield None
                self._look_for_losses()
                for future in done:
                    answer = future.result()
                    yield running.pop(future), answer
            self._look_for_losses()
        finally:
            self.client.cancel(list(running))

    def _look_for_losses(self) -> None:
        now = set(self.client.nthreads())
        for address in self.seen - now:
            lost(self.notes, f"the worker {address} of Dask was lost")
        self.seen = now


class OnRay:
    """The workers of Ray. A shard is an object that a task made, so Ray can make it again."""

    def __init__(self, parts: Sequence[Any], memory: int | None, notes: list[str]) -> None:
        import ray

        self.memory = memory
        self.notes = notes
        make = ray.remote(made)
        self.held = [make.remote(part) for part in parts]
        # a loss is to be told, so it is met here
        self.answered = ray.remote(max_retries=0)(answered)

    def ask(self, tasks: Sequence[tuple[int, bytes]], threads: int) -> Answers:
        """Give the answers of some tasks as workers finish them."""
        import ray
        from ray.exceptions import NodeDiedError, WorkerCrashedError

        def start(place: int) -> Any:
            at, task = tasks[place]
            return self.answered.remote(self.held[at], task, self.memory)

        running = {start(place): place for place in range(len(tasks))}
        losses = [0] * len(tasks)
        try:
            while running:
                done, _ = ray.wait(list(running), timeout=TICK)
                if not done:
                    yield None
                for one in done:
                    place = running.pop(one)
                    try:
                        answer = ray.get(one)
                    except ray.exceptions.RayTaskError as error:
                        raise error.cause from error
                    except (WorkerCrashedError, NodeDiedError):
                        losses[place] += 1
                        if losses[place] > LOSSES:
                            raise
                        lost(self.notes, f"a worker of Ray was lost at shard {tasks[place][0]}")
                        running[start(place)] = place
                        continue
                    yield place, answer
        finally:
            for one in running:
                ray.cancel(one)


def lost(notes: list[str], what: str) -> None:
    """Say that a worker was lost."""
    line = f"{what}: others answer for its shards; the result is the same"
    notes.append(line)
    logging.getLogger("needlenet").warning(line)
