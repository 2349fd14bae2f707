"""LassoNet with one hidden layer of 20 neurons, its path cut by 5-fold cross-validation."""

import numpy as np

from . import CLASSIFICATION, REGRESSION, Learned, standardise

PACKAGE = "lassonet"
TASKS = {REGRESSION, CLASSIFICATION}


def learn(x: np.ndarray, y: np.ndarray, test_x: np.ndarray, seed: int) -> Learned:
    import torch
    from lassonet import LassoNetClassifierCV, LassoNetRegressorCV

    torch.set_num_threads(1)
    x, test_x = (part.astype(np.float32) for part in standardise(x, test_x))
    options = dict(hidden_dims=(20,), cv=5, random_state=seed % 2**31, torch_seed=seed % 2**31, verbose=0)
    if y.dtype.kind == "U":
        labels, numbers = np.unique(y, return_inverse=True)
        model = LassoNetClassifierCV(**options).fit(x, numbers)
        predicted = labels[np.asarray(model.predict(test_x)).astype(int)]
    else:
        mean, deviation = y.mean(), y.std()
        model = LassoNetRegressorCV(**options).fit(x, ((y - mean) / deviation).astype(np.float32))
        predicted = mean + deviation * np.asarray(model.predict(test_x)).ravel()
    return Learned(np.flatnonzero(np.asarray(model.best_selected_)), predicted, f"lambda {model.best_lambda_:.3g}")
