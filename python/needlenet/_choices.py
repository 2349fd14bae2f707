"""Converts the parameters of an estimator to the settings of the learner.

Types are checked here; the learner checks the values, and its errors name the set that is accepted.
"""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import cpu_count, effective_n_jobs
from sklearn.utils import check_random_state

if TYPE_CHECKING:
    from ._fields import Choices

# the program's default, so that both find the same on the same table
DEFAULT_SEED = 1


def as_choices(
    *,
    hidden: Any,
    penalty: str,
    alpha: float,
    lam: float | None,
    activation: str,
    link: str,
    scale_outcome: bool,
    null: str,
    ties: str,
    n_draws: int,
    tol: float,
    max_iter: int,
    random_state: Any,
    n_jobs: int | None,
) -> Choices:
    """The settings under the names of the program."""
    return {
        "hidden": widths(hidden),
        "penalty": text("penalty", penalty),
        "alpha": real("alpha", alpha),
        "lambda": None if lam is None else real("lam", lam),
        "activation": text("activation", activation),
        "link": text("link", link),
        "scale_outcome": truth("scale_outcome", scale_outcome),
        "null": text("null", null),
        "ties": text("ties", ties),
        "seed": seed(random_state),
        "threads": threads(n_jobs),
        "draws": count("n_draws", n_draws),
        "tolerance": real("tol", tol),
        "max_iterations": count("max_iter", max_iter),
    }


def threads(n_jobs: int | None) -> int:
    """The number of threads: as in joblib, but at most one per core."""
    asked, cores = effective_n_jobs(n_jobs), cpu_count()
    if asked > cores:
        warnings.warn(f"n_jobs={n_jobs} is more than the machine has: {cores} threads are used", stacklevel=2)
    return min(asked, cores)


def widths(hidden: Any) -> list[int]:
    """The widths of the hidden layers, from None, one number or several."""
    if hidden is None:
        return []
    if isinstance(hidden, Integral):
        hidden = (hidden,)
    if isinstance(hidden, str) or not np.iterable(hidden):
        raise TypeError(f"hidden is {hidden!r}; a width, several widths such as (20, 10), or None is needed")
    return [count("hidden", width) for width in hidden]


def seed(random_state: Any) -> int:
    """An integer is the seed itself; a RandomState draws one; None is the program's default."""
    if random_state is None:
        return DEFAULT_SEED
    if isinstance(random_state, Integral):
        return count("random_state", random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def count(name: str, value: Any) -> int:
    """A whole number, not negative."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}; a whole number is needed")
    if value < 0:
        raise ValueError(f"{name} is {value}; a number of at least 0 is needed")
    return int(value)


def truth(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} is {value!r}; True or False is needed")
    return bool(value)


def real(name: str, value: Any) -> float:
    """A number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}; a number is needed") from None


def text(name: str, value: Any) -> str:
    """A word."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}; a text is needed")
    return value
