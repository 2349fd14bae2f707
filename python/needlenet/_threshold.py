"""The quantile universal threshold without a fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets

from . import _needlenet
from ._cells import matrix_of
from ._choices import as_choices
from ._fields import Asked
from ._found import Threshold
from ._labels import is_classes, label_text
from ._table import readable


def quantile_universal_threshold(
    X: ArrayLike,
    y: ArrayLike,
    *,
    task: str | None = None,
    alpha: float = 0.05,
    hidden: int | tuple[int, ...] | None = (40,),
    penalty: str = "harder",
    activation: str = "default",
    link: str = "softmax",
    n_draws: int = 5000,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> Threshold:
    """Compute the penalty of the level alpha, and compare the data with it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The inputs.
    y : array-like of shape (n_samples,)
        The outcome.
    task : {'regression', 'classification'} or None, default=None
        None decides as the program does: classes are text, truth values, two distinct numbers in four samples or
        more, or at most 10 distinct whole numbers that occur 5 times each on average; other numbers are a quantity.
    alpha, hidden, penalty, activation, link, n_draws, random_state, n_jobs
        As in `NeedleRegressor` and `NeedleClassifier`.

    Returns
    -------
    threshold : Threshold
        `lambda_qut`, its Monte Carlo `standard_error`, `lambda_zero` of the data, its `p_value`, `alpha` and the
        sorted `null_draws`.

    Examples
    --------
    >>> import numpy as np
    >>> from needlenet import quantile_universal_threshold
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> threshold = quantile_universal_threshold(X, X[:, 2])
    >>> threshold.lambda_zero > threshold.lambda_qut
    True
    """
    if task is None:
        task = "classification" if is_classes(np.asarray(y)) else "regression"
    if task not in ("regression", "classification"):
        raise ValueError(f"task is {task!r}; accepted: 'regression', 'classification' or None")
    table, outcome = check_X_y(
        matrix_of(X), y, accept_sparse=["csc", "csr"], y_numeric=task == "regression", ensure_min_samples=2
    )
    choices = as_choices(
        hidden=hidden,
        penalty=penalty,
        alpha=alpha,
        lam=None,
        activation=activation,
        link=link,
        scale_outcome=True,
        null="law",
        ties="efron",
        n_draws=n_draws,
        tol=1e-6,
        max_iter=1,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    asked: Asked
    if task == "regression":
        asked = np.asarray(outcome, dtype=np.float64)
    else:
        check_classification_targets(outcome)
        labels, codes = np.unique(outcome, return_inverse=True)
        asked = ([label_text(label) for label in labels], codes.astype(np.int64))
    return Threshold(**_needlenet.threshold((readable(table), None, asked, (None, None), None), choices))
