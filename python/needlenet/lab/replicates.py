"""One row of a study: a competitor on a draw of the program, or one of the program's own learners."""

import time
import warnings

import numpy as np

from .._needlenet import concordance
from .._survival import times_and_events
from . import learners, program, rows
from .draws import draw


def row(study: str, axis: str, point: dict, learner: str, seed: int, replicate: int) -> str:
    """The row of one replicate. Our own learners run in the program, which prints the row that it would append."""
    if learner in program.own_learners():
        words = ["--point", point[axis], "--learner", learner, "--replicate", replicate, "--seed", seed]
        return program.call("replicate", study, *words).splitlines(keepends=True)[1]
    return rows.line(rows.STUDY, competitor(study, point, learner, seed, replicate))


def competitor(study: str, point: dict, learner: str, seed: int, replicate: int) -> dict:
    """The row of a competitor."""
    listing = program.listing()
    draw_seed = listing["seeds_apart"] * seed + replicate
    table = draw(**point, seed=draw_seed, test_samples=listing["test_samples"])
    learned, seconds, failure = timed(learner, table.x, table.y, table.test_x, draw_seed)
    found = dict(
        study=study,
        **point,
        learner=learner,
        version=learners.version(learner),
        replicate=replicate,
        seed=draw_seed,
        truth=len(table.needles),
        stop=failure if learned is None else learned.stop,
        converged=0 if learned is None else None,
        seconds=round(seconds, 3),
    )
    if learned is None:
        return found
    if learned.selected is not None:
        found |= recovery(learned.selected.tolist(), table.needles)
    if table.is_classification:
        found["accuracy"] = float(np.mean(learned.predicted == table.test_y))
    elif table.y.dtype.names:
        found["accuracy"] = concordance(*times_and_events(table.test_y), learned.predicted.astype(float))
    else:
        mean = np.exp(table.test_mean) if table.y.dtype.kind == "i" else table.test_mean
        found["pe"] = float(np.sqrt(np.mean((learned.predicted - mean) ** 2)))
    return found


def recovery(selected: list[int], truth: list[int]) -> dict:
    """Compares a selected set with the truth, like ``needlenet::metrics::recovery``."""
    hits = len(set(selected) & set(truth))
    return dict(
        selected=len(selected),
        exact=int(set(selected) == set(truth)),
        tpr=hits / len(truth) if truth else 1.0,
        fdr=(len(selected) - hits) / max(len(selected), 1),
    )


def timed(
    learner: str, x: np.ndarray, y: np.ndarray, test_x: np.ndarray, seed: int
) -> tuple[learners.Learned, float, None] | tuple[None, float, str]:
    """The result of a learner, its seconds, and its error if it failed: one failure does not end a study."""
    module = learners.module(learner)
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learned = module.learn(x, y, test_x, seed)
        return learned, time.perf_counter() - start, None
    except Exception as error:
        reason = f"failed: {type(error).__name__}: {error}".replace("\n", " ")
        return None, time.perf_counter() - start, reason[:300]
