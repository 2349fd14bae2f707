"""The best few inputs of a linear Cox model if one may look at the held-out samples: an upper bound for every selector.

    python best_inputs.py pbc_full.csv > best_inputs.csv     # needs pandas, scikit-learn and scikit-survival

Every subset of 3, 4 and 5 inputs is fitted (ridge 1) on the samples to fit of each split of real.py, and judged by its mean concordance on the
*held-out* samples of all splits. The three best of each size are printed.
"""

import itertools
import sys

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

SPLITS = 20
STEPS = 8


def cox(A, time, event):
    """The weights of a Cox model with Breslow's ties and a ridge of 1, by Newton steps."""
    order = np.argsort(-time, kind="stable")
    A, event = A[order], event[order]
    n, d = A.shape
    squares = (A[:, :, None] * A[:, None, :]).reshape(n, -1)
    weights = np.zeros(d)
    for _ in range(STEPS):
        risk = np.exp(A @ weights)
        at_risk = np.cumsum(risk)[event, None]
        mean = np.cumsum(risk[:, None] * A, axis=0)[event] / at_risk
        second = np.cumsum(risk[:, None] * squares, axis=0)[event] / at_risk
        slope = (A[event] - mean).sum(axis=0) - weights
        curvature = second.sum(axis=0).reshape(d, d) - mean.T @ mean + np.eye(d)
        step = np.linalg.solve(curvature, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-4:
            break
    return weights


table = pd.read_csv(sys.argv[1]).dropna()
event, time = (table.pop("event") == 1).to_numpy(), table.pop("time").to_numpy(float)
table = table.loc[:, table.std() > 0]
X = table.to_numpy(float)
parts = []
for split in range(SPLITS):
    train, test = train_test_split(np.arange(len(time)), test_size=0.3, random_state=split, stratify=event)
    mean, deviation = X[train].mean(axis=0), X[train].std(axis=0)
    # pairs of held-out samples of which the first has its event earlier
    first, second = np.where((time[test][:, None] < time[test][None, :]) & event[test][:, None])
    held_out = (X[test] - mean) / deviation
    parts.append(((X[train] - mean) / deviation, time[train], event[train], held_out, first, second))

print("inputs,names,concordance")
for count in (3, 4, 5):
    found = []
    for subset in itertools.combinations(range(X.shape[1]), count):
        columns = list(subset)
        concordances = []
        for A, time_to_fit, event_to_fit, B, first, second in parts:
            risk = B[:, columns] @ cox(A[:, columns], time_to_fit, event_to_fit)
            concordances.append(np.mean((risk[first] > risk[second]) + 0.5 * (risk[first] == risk[second])))
        found.append((np.mean(concordances), columns))
    for concordance, columns in sorted(found, reverse=True)[:3]:
        print(f"{count},{' '.join(table.columns[j] for j in columns)},{concordance:.4f}", flush=True)
