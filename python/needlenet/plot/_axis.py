"""The axis, and the colours and patterns, which can be told apart in a grey print."""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DARK = "#1b1b1b"
ACCENT = "#b5301f"
MIDDLE = "#6b6b6b"
LIGHT = "#c9c9c9"

# as many as `effects` draws lines, so that no two of them share a colour
_COLOURS = (
    "#12355b",
    "#b5301f",
    "#3f8f6b",
    "#8a5a9e",
    "#6b6b6b",
    "#c98a00",
    "#2f9bd6",
    "#7a4a21",
    "#d9669c",
    "#7f9400",
)
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def drawing_axis(ax: Axes | None) -> Axes:
    """The given axis, or one of a new figure, without unnecessary lines."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError("plots need matplotlib: pip install needlenet[plot]") from error
        ax = pyplot.subplots(figsize=(6.4, 4.2), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def legend_beside(ax: Axes, *, own: bool, **options: Any) -> None:
    """A legend to the right of the axis, where it hides nothing; a new figure is widened to fit it."""
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "borderaxespad": 0.0}
    legend = ax.legend(frameon=False, alignment="left", **{**place, **options})
    if own:
        figure: Any = ax.figure
        letters = max((len(text.get_text()) for text in legend.get_texts()), default=0)
        figure.set_size_inches(6.4 + 0.08 * max(0, letters - 8), figure.get_figheight())


def line_styles(count: int) -> list[dict[str, Any]]:
    """Pairs of a colour and a dash pattern, many before one repeats."""
    pairs = zip(cycle(_COLOURS), cycle(_DASHES), strict=False)
    return [{"color": colour, "linestyle": dash} for colour, dash in islice(pairs, count)]


def colours(count: int) -> list[str]:
    """The first colours, repeated if there are not enough."""
    return list(islice(cycle(_COLOURS), count))
