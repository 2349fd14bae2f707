"""LassoNet with one hidden layer of 20 neurons, its path cut by 5-fold cross-validation.

The penalty grows by 5% per step; the default of the package, 2%, takes two and a half times as long.
"""

import numpy as np

from . import CLASSIFICATION, REGRESSION, SURVIVAL, Learned, standardise

PACKAGE = "lassonet"
TASKS = {REGRESSION, CLASSIFICATION, SURVIVAL}
PATH_MULTIPLIER = 1.05
STEPS = (1000, 100)  # at the start of the path and at each further point: the package's default


def learn(x: np.ndarray, y: np.ndarray, test_x: np.ndarray, seed: int) -> Learned:
    import torch
    from lassonet import LassoNetClassifierCV, LassoNetCoxRegressorCV, LassoNetRegressorCV

    torch.set_num_threads(1)
    x, test_x = (part.astype(np.float32) for part in standardise(x, test_x))
    seeds = dict(random_state=seed % 2**31, torch_seed=seed % 2**31)
    options = dict(hidden_dims=(20,), cv=5, path_multiplier=PATH_MULTIPLIER, n_iters=STEPS, verbose=0, **seeds)
    if y.dtype.names:
        event, time = (y[name].astype(np.float32) for name in y.dtype.names)
        model = LassoNetCoxRegressorCV(tie_approximation="breslow", **options).fit(x, np.column_stack([time, event]))
        predicted = np.asarray(model.predict(test_x)).ravel()
    elif y.dtype.kind == "U":
        labels, numbers = np.unique(y, return_inverse=True)
        model = LassoNetClassifierCV(**options).fit(x, numbers)
        predicted = labels[np.asarray(model.predict(test_x)).astype(int)]
    else:
        mean, deviation = y.mean(), y.std()
        model = LassoNetRegressorCV(**options).fit(x, ((y - mean) / deviation).astype(np.float32))
        predicted = mean + deviation * np.asarray(model.predict(test_x)).ravel()
    return Learned(np.flatnonzero(np.asarray(model.best_selected_)), predicted, f"lambda {model.best_lambda_:.3g}")
