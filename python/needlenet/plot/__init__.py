"""Pictures of a fit. Each function takes an axis, or makes one, and returns it.

They need matplotlib: `pip install needlenet[plot]`.
"""

from ._comparison import accuracy_by_size, frequencies
from ._effects import bands, effects, pairs
from ._fit import neurons, null_distribution, path
from ._outcomes import observed_counts, survival_curves

__all__ = [
    "accuracy_by_size",
    "bands",
    "effects",
    "frequencies",
    "neurons",
    "null_distribution",
    "observed_counts",
    "pairs",
    "path",
    "survival_curves",
]
