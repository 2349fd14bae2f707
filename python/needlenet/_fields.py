"""Types of the arguments and results of the compiled part, for type checkers."""

from __future__ import annotations

from typing import Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Asked: TypeAlias = (
    Floats | tuple[list[str], NDArray[np.int64]] | tuple[str, Floats] | tuple[Floats, NDArray[np.bool_], list[str]]
)
Samples: TypeAlias = tuple[Floats | None, Floats | None]
# numbers; levels, codes and whether they are ordered; days; what else it holds; words
Cells: TypeAlias = Floats | tuple[list[str], NDArray[np.int64], bool] | tuple[Floats] | str | list[str | None]


class Rules(TypedDict):
    missing: str
    unseen: str
    dates: str
    category: list[str]
    ordered: list[tuple[str, list[str]]]
    groups: list[tuple[str, str]]
    always: list[str]


# a table, its names if it is an array, its outcome, the samples, and what the user says about it
Table: TypeAlias = tuple[Any, list[str] | None, Asked, Samples, Rules | None]

# "lambda" is a word of Python, so this one cannot be written as a class
Choices = TypedDict(
    "Choices",
    {
        "hidden": list[int],
        "penalty": str,
        "alpha": float,
        "lambda": float | None,
        "activation": str,
        "link": str,
        "scale_outcome": bool,
        "null": str,
        "ties": str,
        "seed": int,
        "threads": int,
        "draws": int,
        "tolerance": float,
        "max_iterations": int,
    },
)


class UsedFields(TypedDict):
    hidden: list[int]
    penalty: str


class NeedleFields(TypedDict):
    name: str
    input: str
    group: str | None
    index: int
    strength: float
    mean_slope: float
    shape: str
    class_index: int | None
    mean: float
    scale: float
    exchangeable: list[tuple[str, int, float, float]]


class GroupFields(TypedDict):
    name: str
    kind: str
    columns: list[str]
    levels: list[str]
    effects: list[list[float]]


class NeuronFields(TypedDict):
    inputs: list[tuple[int, float]]
    bias: float
    power: float
    outputs: list[float]


class CertificateFields(TypedDict):
    objective: float
    loss: float
    kkt_violation: float
    iterations: int
    stop: str
    ended: str
    converged: bool


class ThresholdFields(TypedDict):
    lambda_qut: float
    standard_error: float
    lambda_zero: float
    p_value: float
    alpha: float
    null_draws: Floats


# "with" is a word of Python
SureNeedleFields = TypedDict(
    "SureNeedleFields",
    {
        "name": str,
        "p_value": float,
        "p_adjusted": float,
        "shown": str,
        "with": str | None,
        "frequency": float | None,
        "strength_interval": tuple[float, float] | None,
        "effect_band": tuple[list[float], list[float], list[float], list[float]] | None,
        "group": tuple[list[tuple[str, int, float]], float, float] | None,
        "converged": bool,
    },
)


class BoundFields(TypedDict):
    cut: float
    mean_selected: float
    worst_case: float | None
    unimodal: float | None


class HalvesFields(TypedDict):
    pairs: int
    n_converged: int
    selected: list[tuple[int, float]]
    bounds: BoundFields


class SureFields(TypedDict):
    n_hypotheses: int
    needles: list[SureNeedleFields]
    halves: HalvesFields | None
