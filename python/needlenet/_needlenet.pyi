"""The compiled part: conversions and calls, no conventions."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypeAlias, TypedDict, final

import numpy as np
from numpy.typing import NDArray

__version__: str

Floats: TypeAlias = NDArray[np.float64]
Asked: TypeAlias = Floats | tuple[list[str], NDArray[np.int64]]

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
        "seed": int,
        "threads": int,
        "draws": int,
        "tolerance": float,
        "max_iterations": int,
    },
)

class NeedleFields(TypedDict):
    name: str
    index: int
    strength: float
    mean_slope: float
    shape: str
    class_index: int | None
    mean: float
    scale: float

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
    converged: bool

class ThresholdFields(TypedDict):
    lambda_qut: float
    standard_error: float
    lambda_zero: float
    p_value: float
    alpha: float
    null_draws: Floats

@final
class Model:
    @classmethod
    def load(cls, path: str | PathLike[str]) -> Model: ...
    @classmethod
    def from_bytes(cls, bytes: bytes) -> Model: ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def predict(self, x: NDArray[Any], columns: Sequence[int], penalised: bool) -> Floats: ...
    @property
    def task(self) -> str: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def n_samples(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def lambda_(self) -> float: ...
    @property
    def lambda_qut(self) -> float: ...
    @property
    def standard_error(self) -> float: ...
    @property
    def lambda_zero(self) -> float: ...
    @property
    def p_value(self) -> float: ...
    @property
    def null_draws(self) -> Floats: ...
    @property
    def certificate(self) -> CertificateFields: ...
    @property
    def refit(self) -> CertificateFields: ...
    @property
    def converged(self) -> bool: ...
    @property
    def noise(self) -> float | None: ...
    @property
    def linear(self) -> bool: ...
    @property
    def needles(self) -> list[NeedleFields]: ...
    @property
    def neurons(self) -> list[NeuronFields]: ...
    @property
    def path(self) -> list[tuple[float, float, float, float, int, int]]: ...
    @property
    def constant_inputs(self) -> list[str]: ...
    @property
    def choices(self) -> Choices: ...
    @property
    def seconds(self) -> float | None: ...

def fit(
    x: NDArray[Any],
    names: list[str] | None,
    outcome: Asked,
    choices: Choices,
    progress: Callable[[str, int, int, int], None] | None = None,
) -> Model: ...
def threshold(x: NDArray[Any], outcome: Asked, choices: Choices) -> ThresholdFields: ...
