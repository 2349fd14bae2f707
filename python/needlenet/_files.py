"""Model files, the same as the program's."""

from __future__ import annotations

import os
from typing import Any

from ._base import NeedleBase
from ._classifier import NeedleClassifier
from ._counts import NeedleCounts
from ._needlenet import Model
from ._regressor import NeedleRegressor
from ._survival import NeedleSurvival

# the estimator of each task
_ESTIMATORS: dict[str, type[NeedleBase]] = {
    "regression": NeedleRegressor,
    "classification": NeedleClassifier,
    "counts": NeedleCounts,
    "survival": NeedleSurvival,
}


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model file that `save` or `needlenet fit --out` wrote.

    Parameters
    ----------
    path : path-like
        The file. It contains only data, so reading one of unknown origin is safe.

    Returns
    -------
    estimator : NeedleRegressor, NeedleClassifier, NeedleCounts or NeedleSurvival
        A fitted estimator. The file has only the names of the needles: columns of a table with names are found by
        name, those of a table without names by position. Classes that are numbers are restored as numbers.

    Examples
    --------
    >>> import numpy as np, tempfile, os
    >>> from needlenet import NeedleRegressor, load
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> model = NeedleRegressor().fit(X, X[:, 2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(os.path.join(folder, "model.json"))
    ...     again = load(os.path.join(folder, "model.json"))
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    model = Model.load(os.fspath(path))
    return _ESTIMATORS[model.task]._from_model(model)
