"""The user's rules for a table: missing cells, categories, groups, inputs that are always in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any

from ._choices import text

if TYPE_CHECKING:
    from ._fields import Rules


def rules_of_fit(estimator: Any) -> Rules:
    """The rules of a fit; inputs are given by name, or by position from 0."""
    names = getattr(estimator, "feature_names_in_", None)
    inputs = _Inputs(None if names is None else list(names), estimator.n_features_in_)
    groups = _mapping("groups", estimator.groups)
    return {
        **rules_of_prediction(estimator),
        "category": inputs.names("category", estimator.category),
        "ordered": [
            (inputs.name("ordered", column), _words(levels, column))
            for column, levels in _mapping("ordered", estimator.ordered).items()
        ],
        "groups": [(name, str(group)) for group, of in groups.items() for name in inputs.names("groups", of)],
        "always": inputs.names("always_in", estimator.always_in),
    }


def rules_of_prediction(estimator: Any) -> Rules:
    """The rules of a prediction; the others are in the model."""
    ordered = _mapping("ordered", estimator.ordered)
    return {
        "missing": text("missing", estimator.missing),
        "unseen": text("unseen", estimator.unseen),
        "dates": text("dates", estimator.dates),
        "category": [],
        # a model file of an older version does not know the levels of an ordered category
        "ordered": [(str(column), _words(levels, column)) for column, levels in ordered.items()],
        "groups": [],
        "always": [],
    }


class _Inputs:
    """The inputs of a table: those without names are x0, x1, ... in Python, and x1, x2, ... in the compiled part."""

    def __init__(self, names: list[str] | None, count: int) -> None:
        self.known = names
        self.count = count

    def names(self, parameter: str, inputs: Any) -> list[str]:
        if inputs is None:
            return []
        if isinstance(inputs, str | bytes) or not isinstance(inputs, Iterable):
            raise TypeError(f"{parameter} is {inputs!r}; a list of inputs is needed, by name or by position from 0")
        return [self.name(parameter, one) for one in inputs]

    def name(self, parameter: str, one: Any) -> str:
        if isinstance(one, Integral):
            at = int(one)
            if not -self.count <= at < self.count:
                raise ValueError(f"{parameter} has the position {at}; the table has {self.count} inputs, from 0")
            at %= self.count
            return f"x{at + 1}" if self.known is None else self.known[at]
        if not isinstance(one, str):
            raise TypeError(f"{parameter} has {one!r}; a name or a position from 0 is needed")
        if self.known is None and one[:1] == "x" and one[1:].isdecimal():
            return f"x{int(one[1:]) + 1}"
        return one


def _mapping(parameter: str, value: Any) -> Mapping[Any, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        example = "{'grade': ['low', 'high']}" if parameter == "ordered" else "{'pathway': ['gene1', 'gene2']}"
        raise TypeError(f"{parameter} is {value!r}; a dictionary such as {example} is needed")
    return value


def _words(levels: Any, column: Any) -> list[str]:
    if isinstance(levels, str | bytes) or not isinstance(levels, Iterable):
        raise TypeError(f"ordered has {levels!r} for {column!r}; a list of levels, from low to high, is needed")
    return [str(level) for level in levels]
