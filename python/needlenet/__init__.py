"""The few inputs that matter among many, as scikit-learn estimators.

>>> import numpy as np
>>> from needlenet import NeedleRegressor
>>> X = np.random.default_rng(0).normal(size=(200, 30))
>>> y = 3 * np.abs(X[:, 4] - X[:, 7])
>>> NeedleRegressor().fit(X, y).get_support(indices=True)
array([4, 7])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ._needlenet import __version__

if TYPE_CHECKING:
    from . import plot
    from ._classifier import NeedleClassifier
    from ._counts import NeedleCounts
    from ._files import load
    from ._found import Exchangeable, Group, Needle, Neuron, Threshold
    from ._regressor import NeedleRegressor
    from ._shards import Shards
    from ._stability import Stability, stability
    from ._sure import EffectBand, Sure, SureNeedle
    from ._survival import NeedleSurvival
    from ._threshold import quantile_universal_threshold

# the module of each name: imported on first use, so that `import needlenet` is fast
_HOMES = {
    "NeedleClassifier": "._classifier",
    "NeedleCounts": "._counts",
    "NeedleRegressor": "._regressor",
    "NeedleSurvival": "._survival",
    "Exchangeable": "._found",
    "Group": "._found",
    "Needle": "._found",
    "Neuron": "._found",
    "Threshold": "._found",
    "Shards": "._shards",
    "Stability": "._stability",
    "EffectBand": "._sure",
    "Sure": "._sure",
    "SureNeedle": "._sure",
    "load": "._files",
    "quantile_universal_threshold": "._threshold",
    "stability": "._stability",
    "plot": ".plot",
}

__all__ = [
    "EffectBand",
    "Exchangeable",
    "Group",
    "Needle",
    "NeedleClassifier",
    "NeedleCounts",
    "NeedleRegressor",
    "NeedleSurvival",
    "Neuron",
    "Shards",
    "Stability",
    "Sure",
    "SureNeedle",
    "Threshold",
    "__version__",
    "load",
    "plot",
    "quantile_universal_threshold",
    "stability",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(_HOMES[name], __name__)
    value = home if name == "plot" else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
