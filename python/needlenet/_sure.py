"""How sure each needle is, as plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from . import _needlenet

if TYPE_CHECKING:
    from collections.abc import Callable

    from pandas import DataFrame

    from ._fields import SureFields, SureNeedleFields, Table
    from ._found import Needle
    from ._needlenet import Model, SureLedger


@dataclass(frozen=True)
class EffectBand:
    """The effect curve of a needle, with its pointwise interval, nominally of 95%.

    Attributes
    ----------
    values : tuple of float
        Values of the input, ascending.
    effect : tuple of float
        The mean, over samples of the table with the input at each value, of the refitted function and its correction
        by splines: in units of the outcome, of the log odds of the needle's class, of a mean count, or of a log hazard.
    low, high : tuple of float
        The ends of the interval at each value, given which inputs are needles.
    """

    values: tuple[float, ...]
    effect: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class SureNeedle:
    """How sure a needle is.

    Attributes
    ----------
    name : str
        Its name.
    index : int
        Its column.
    strength : float
        Its strength, as in `needles_`.
    p_value : float
        The p-value of the hypothesis that the outcome does not depend on it given all other inputs.
    p_adjusted : float
        The p-value adjusted over all inputs of the table by Holm's method.
    shown : str
        The trace from which the p-value was computed: 'straight', 'bent', or 'product with' another input.
    frequency : float or None
        The share of halves of the samples that select it.
    strength_interval : tuple of float or None
        The confidence interval of its strength, given which inputs are needles.
    effect_band : EffectBand or None
        Its effect curve with confidence intervals, given which inputs are needles.
    copies : dict of str to float
        Its near copies and their correlations.
    group_p_value, group_p_adjusted : float
        The p-values of the hypothesis that neither it nor a near copy matters; those of the needle if it has no copy.
    converged : bool
        Whether the fits of its test converged.
    """

    name: str
    index: int
    strength: float
    p_value: float
    p_adjusted: float
    shown: str
    frequency: float | None
    strength_interval: tuple[float, float] | None
    effect_band: EffectBand | None
    copies: dict[str, float]
    group_p_value: float
    group_p_adjusted: float
    converged: bool


@dataclass(frozen=True)
class Sure:
    """How sure the needles of a model are.

    Attributes
    ----------
    needles : list of SureNeedle
        One for each needle, strongest first.
    n_hypotheses : int
        The number of inputs in the adjusted p-values.
    pairs : int
        Pairs of halves of the samples.
    mean_selected : float or None
        The mean number of inputs that a half selects.
    cut : float or None
        The share of halves for which the bounds hold.
    bound_worst_case, bound_unimodal : float or None
        Of the inputs that a half selects with a chance of at most `mean_selected / n_hypotheses`, how many are
        expected in a share of at least `cut` of the halves: whatever the law, and if it is unimodal.
    """

    needles: list[SureNeedle]
    n_hypotheses: int
    pairs: int
    mean_selected: float | None
    cut: float | None
    bound_worst_case: float | None
    bound_unimodal: float | None

    def to_frame(self) -> DataFrame:
        """One row for each needle, as a table of pandas.

        Returns
        -------
        table : DataFrame
            Input, strength and its interval, p-values, frequency, and near copies.
        """
        from pandas import DataFrame

        intervals = [needle.strength_interval or (np.nan, np.nan) for needle in self.needles]
        return DataFrame(
            {
                "input": [needle.name for needle in self.needles],
                "strength": [needle.strength for needle in self.needles],
                "strength_low": [low for low, _ in intervals],
                "strength_high": [high for _, high in intervals],
                "p_value": [needle.p_value for needle in self.needles],
                "p_adjusted": [needle.p_adjusted for needle in self.needles],
                "frequency": [needle.frequency for needle in self.needles],
                "shown": [needle.shown for needle in self.needles],
                "copies": [", ".join(needle.copies) for needle in self.needles],
                "group_p_value": [needle.group_p_value for needle in self.needles],
                "group_p_adjusted": [needle.group_p_adjusted for needle in self.needles],
            }
        )


def sure_of(fields: SureFields, needles: list[Needle], names: list[str] | None) -> Sure:
    """The record of the result of the compiled part; `names` are those of all columns, None if they have none."""
    halves = fields["halves"]
    bounds = None if halves is None else halves["bounds"]
    return Sure(
        needles=[_needle(own, needle, names) for own, needle in zip(fields["needles"], needles, strict=True)],
        n_hypotheses=fields["n_hypotheses"],
        pairs=0 if halves is None else halves["pairs"],
        mean_selected=None if bounds is None else bounds["mean_selected"],
        cut=None if bounds is None else bounds["cut"],
        bound_worst_case=None if bounds is None else bounds["worst_case"],
        bound_unimodal=None if bounds is None else bounds["unimodal"],
    )


def run_pieces(
    model: Model,
    table: Table,
    options: tuple[float, int, float],
    ledger: SureLedger,
    n_jobs: int,
    show: Callable[[str, int, int, int], None] | None,
) -> None:
    """Does the tests and halves that the ledger does not have through joblib, and adds each as it ends."""
    missing = _needlenet.sure_missing(model, table, options, ledger)
    pieces = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_needlenet.sure_piece)(model, table, options, at) for at in missing
    )
    for done, piece in enumerate(pieces, 1):
        ledger.append(piece)
        if show is not None:
            show("sure", done, len(missing), 0)


def frequencies_of(fields: SureFields, n_features: int) -> NDArray[np.float64] | None:
    """The share of halves that select each input."""
    if fields["halves"] is None:
        return None
    shares = np.zeros(n_features)
    for index, share in fields["halves"]["selected"]:
        shares[index] = share
    return shares


def _needle(fields: SureNeedleFields, needle: Needle, names: list[str] | None) -> SureNeedle:
    copies, group_p_value, group_p_adjusted = fields["group"] or ([], fields["p_value"], fields["p_adjusted"])
    other = fields["with"]
    if other is not None and names is None:
        # columns without names count from 0 here
        other = f"x{int(other.removeprefix('x')) - 1}"
    return SureNeedle(
        name=needle.name,
        index=needle.index,
        strength=needle.strength,
        p_value=fields["p_value"],
        p_adjusted=fields["p_adjusted"],
        shown=fields["shown"] if other is None else f"product with {other}",
        frequency=fields["frequency"],
        strength_interval=fields["strength_interval"],
        effect_band=None if fields["effect_band"] is None else EffectBand(*map(tuple, fields["effect_band"])),
        copies={name if names is not None else f"x{index}": correlation for name, index, correlation in copies},
        group_p_value=group_p_value,
        group_p_adjusted=group_p_adjusted,
        converged=fields["converged"],
    )
