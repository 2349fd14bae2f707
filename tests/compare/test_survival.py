"""The linear l1 model of survival is Coxnet's: scikit-survival solves the same convex problem, with Breslow's ties.

min -log partial likelihood + lambda ||w||_1, where Coxnet divides the loss by the number of samples.
"""

import numpy as np
import pandas as pd
import pytest
from conftest import run_words, standardise
from sksurv.linear_model import CoxnetSurvivalAnalysis


def table(n, p, tied, seed):
    """Inputs of any scale and shift, of which three act on the hazard; a third of the times is censored."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, p))
    times = rng.exponential(np.exp(-x[:, 0] + 0.7 * x[:, 1] - 0.5 * x[:, 2]))
    times = np.ceil(4 * times) if tied else times
    events = rng.random(n) < 0.67
    return x * rng.uniform(0.01, 100.0, p) + rng.uniform(-10.0, 10.0, p), times, events


def partial_likelihood(output, times, events):
    """Minus its log, with Breslow's ties, by its definition."""
    return sum(np.logaddexp.reduce(output[times >= times[i]]) - output[i] for i in np.flatnonzero(events))


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("share", [0.8, 0.4])
@pytest.mark.parametrize(("n", "p"), [(200, 10), (80, 100)])
def test_survival_agrees_with_coxnet(tmp_path, n, p, share, tied):
    x, times, events = table(n, p, tied, seed=n + p)
    names = [f"x{j}" for j in range(p)]
    path = tmp_path / "table.csv"
    pd.DataFrame(x, columns=names).assign(time=times, event=events.astype(int)).to_csv(path, index=False)
    outcome = ["--time", "time", "--event", "event", "--ties", "breslow"]
    penalty = share * run_words("threshold", path, *outcome)["lambda_zero"]
    report = run_words("fit", path, *outcome, "--lambda", penalty, "--tolerance", "1e-9")
    x = standardise(x)
    y = np.array(list(zip(events, times, strict=True)), dtype=[("event", bool), ("time", float)])
    peer = CoxnetSurvivalAnalysis(l1_ratio=1.0, alphas=[report["lambda"] / n], tol=1e-14, max_iter=10**7)
    coefficients = peer.fit(x, y).coef_[:, 0]
    theirs = partial_likelihood(x @ coefficients, times, events) + report["lambda"] * np.abs(coefficients).sum()
    assert report["objective"] == pytest.approx(theirs, rel=1e-7)
    assert sorted(report["selected"]) == sorted(np.array(names)[coefficients != 0])
    assert 0 < np.count_nonzero(coefficients) < p
