"""Model files, the same as the program's."""

from __future__ import annotations

import os

from ._classifier import NeedleClassifier
from ._needlenet import Model
from ._regressor import NeedleRegressor


def load(path: str | os.PathLike[str]) -> NeedleRegressor | NeedleClassifier:
    """Read a model file that `save` or `needlenet fit --out` wrote.

    Parameters
    ----------
    path : path-like
        The file. It is data only, so one from a stranger is safe to read.

    Returns
    -------
    estimator : NeedleRegressor or NeedleClassifier
        A fitted estimator. The file knows the names of the needles only: a table with names is read by these,
        one without by position. Classes that are numbers come back as numbers.

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
    kind = NeedleRegressor if model.task == "regression" else NeedleClassifier
    return kind._from_model(model)
