"""What a fit found, as plain records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._fields import NeedleFields
from ._needlenet import Model


@dataclass(frozen=True)
class Exchangeable:
    """A near copy that could replace a needle.

    Attributes
    ----------
    name : str
        Its name.
    index : int
        Its column.
    correlation : float
        Its correlation with the needle.
    cost : float
        How much worse the score is with it, as a multiple of what an input must gain to be found; at most 0.5.
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
        Its column in the table of the fit. A model from a file counts every column of an input of several.
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
    input : str
        The input that it is, or is a column of: 'stage' of 'stage=II'.
    group : str or None
        The input of several columns, or the group of inputs, that it belongs to.
    exchangeable : tuple of Exchangeable
        Near copies that explain the samples about equally well, best first: the data do not decide between them.
    """

    name: str
    index: int
    strength: float
    mean_slope: float
    shape: str
    label: Any
    mean: float
    scale: float
    input: str
    group: str | None
    exchangeable: tuple[Exchangeable, ...] = ()


class Group(NamedTuple):
    """An input of several columns, an ordered category, or a group of inputs, that matters or is always in.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        'category', 'ordered', 'with_indicator' (a number with an indicator of missing cells) or 'given'.
    columns : tuple of str
        The names of its columns.
    effects : dict
        For a category, the effect of each level compared with the samples as they are: a number in units of the
        outcome, of the log mean or log risk, or of the log odds of the second class; for more classes a tuple of
        log odds.
    """

    name: str
    kind: str
    columns: tuple[str, ...]
    effects: dict[str, float | tuple[float, ...]]


class Neuron(NamedTuple):
    """A first-layer neuron in use.

    Attributes
    ----------
    names : tuple of str
        The needles that enter it.
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
    """The penalty of a level, and how the data compare with it.

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


class Name(NamedTuple):
    """An input in Python: its name, the column of the table that contains it, and the position of that column."""

    name: str
    input: str
    at: int


PATH_FIELDS = [
    ("lambda", "f8"),
    ("tau", "f8"),
    ("loss", "f8"),
    ("objective", "f8"),
    ("n_selected", "i8"),
    ("n_iter", "i8"),
]


def needles_of(
    inputs: list[NeedleFields], names: Callable[[str, str, int], Name], labels: NDArray[Any] | None
) -> list[Needle]:
    """Needles, stand-ins or inputs that are always in, in the model's order; so are `labels`."""
    found = []
    for fields in inputs:
        name, of, index = names(fields["name"], fields["input"], fields["index"])
        at = fields["class_index"]
        needle = Needle(
            name=name,
            index=index,
            strength=fields["strength"],
            mean_slope=fields["mean_slope"],
            shape=fields["shape"],
            label=None if at is None or labels is None else labels[at],
            mean=fields["mean"],
            scale=fields["scale"],
            input=of,
            group=of if fields["group"] == fields["input"] else fields["group"],
            exchangeable=tuple(
                Exchangeable(*names(other, other, place)[::2], correlation, cost)
                for other, place, correlation, cost in fields["exchangeable"]
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


def groups_of(model: Model, names: dict[str, str]) -> list[Group]:
    """The groups of a model; `names` are those of columns without names."""
    found = []
    for fields in model.groups:
        values = [effect[0] if len(effect) == 1 else tuple(effect) for effect in fields["effects"]]
        name = names.get(fields["name"], fields["name"])
        columns = tuple(name + column.removeprefix(fields["name"]) for column in fields["columns"])
        if fields["kind"] == "given":
            columns = tuple(names.get(column, column) for column in fields["columns"])
        found.append(Group(name, fields["kind"], columns, dict(zip(fields["levels"], values, strict=True))))
    return found


def path_of(model: Model) -> NDArray[Any]:
    """The stages of the path, as a structured array."""
    return np.array(model.path, dtype=PATH_FIELDS)
