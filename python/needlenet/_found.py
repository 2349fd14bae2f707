"""What a fit found, as plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._fields import NeedleFields
from ._needlenet import Model


class Exchangeable(NamedTuple):
    """A near copy that could take the place of a needle.

    Attributes
    ----------
    name : str
        Its name.
    index : int
        Its column.
    correlation : float
        Its correlation with the needle.
    cost : float
        How much worse the score is with it, in parts of what an input must gain to be found; at most 0.5.
    """

    name: str
    index: int
    correlation: float
    cost: float


@dataclass(frozen=True)
class Needle:
    """An input that matters.

    Attributes
    ----------
    name : str
        Its name.
    index : int
        Its column.
    strength : float
        Root mean square slope of the fitted function, per standard deviation of the input: in units of the
        outcome, or of the log odds of `label`.
    mean_slope : float
        Mean slope in the same units; its sign is the sign of the effect.
    shape : str
        'rising', 'falling', 'valley' (down, then up), 'peak' or 'mixed'.
    label : object
        The class whose log odds are meant (of two classes the second); None in regression.
    mean, scale : float
        Mean and standard deviation of the input.
    exchangeable : tuple of Exchangeable
        Near copies that explain the samples about as well in its place, best first. The choice among them is open.
    """

    name: str
    index: int
    strength: float
    mean_slope: float
    shape: str
    label: Any
    mean: float
    scale: float
    exchangeable: tuple[Exchangeable, ...] = ()


class Neuron(NamedTuple):
    """A first-layer neuron in use.

    Attributes
    ----------
    names : tuple of str
        The needles it joins.
    weights : tuple of float
        The weight of each, per standard deviation of the input.
    bias : float
        Its bias.
    power : float
        The power of its activation.
    outputs : tuple of float
        Its weight into each neuron or output of the next layer.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float
    power: float
    outputs: tuple[float, ...]


class Threshold(NamedTuple):
    """The penalty of a level, and where the data stand to it.

    Attributes
    ----------
    lambda_qut : float
        The quantile universal threshold: the `1 - alpha` quantile of `null_draws`.
    standard_error : float
        Its Monte Carlo standard error.
    lambda_zero : float
        The smallest penalty at which the empty model is a local minimum for these data.
    p_value : float
        The share of null draws at or above `lambda_zero`, counting the data themselves.
    alpha : float
        The level.
    null_draws : ndarray
        `lambda_zero` of outcomes without signal, sorted.
    """

    lambda_qut: float
    standard_error: float
    lambda_zero: float
    p_value: float
    alpha: float
    null_draws: NDArray[np.float64]


PATH_FIELDS = [
    ("lambda", "f8"),
    ("tau", "f8"),
    ("loss", "f8"),
    ("objective", "f8"),
    ("n_selected", "i8"),
    ("n_iter", "i8"),
]


def needles_of(
    inputs: list[NeedleFields], names: list[str], labels: NDArray[Any] | None, *, counts_from_zero: bool
) -> list[Needle]:
    """Needles or stand-ins, strongest first; `labels` are in the model's order."""
    found = []
    for fields, name in zip(inputs, names, strict=True):
        at = fields["class_index"]
        needle = Needle(
            name=name,
            index=fields["index"],
            strength=fields["strength"],
            mean_slope=fields["mean_slope"],
            shape=fields["shape"],
            label=None if at is None or labels is None else labels[at],
            mean=fields["mean"],
            scale=fields["scale"],
            exchangeable=tuple(
                Exchangeable(f"x{index}" if counts_from_zero else other, index, correlation, cost)
                for other, index, correlation, cost in fields["exchangeable"]
            ),
        )
        found.append(needle)
    return found


def neurons_of(model: Model, names: list[str]) -> list[Neuron]:
    """The neurons in use, their inputs by name."""
    return [
        Neuron(
            names=tuple(names[at] for at, _ in fields["inputs"]),
            weights=tuple(weight for _, weight in fields["inputs"]),
            bias=fields["bias"],
            power=fields["power"],
            outputs=tuple(fields["outputs"]),
        )
        for fields in model.neurons
    ]


def path_of(model: Model) -> NDArray[Any]:
    """The stages of the path, as a structured array."""
    return np.array(model.path, dtype=PATH_FIELDS)
