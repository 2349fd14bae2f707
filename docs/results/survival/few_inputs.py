"""What a linear Cox model reaches with few inputs: the bound for a goal that asks for Coxnet's concordance from half of its inputs.

python few_inputs.py pbc_full.csv.gz > few_inputs.csv     # needs pandas, scikit-learn and scikit-survival

The splits are those of real.py. For each number of inputs: the last point of Coxnet's path with so many ("path"), a Cox model with a
small ridge on the inputs of that point ("refit"), and one on the inputs that forward selection by the likelihood takes ("forward").
"""

import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sksurv.linear_model import CoxnetSurvivalAnalysis, CoxPHSurvivalAnalysis
from sksurv.metrics import concordance_index_censored

SPLITS = 20
MOST = 12


def concordance(y, risk):
    return concordance_index_censored(y["event"], y["time"], risk)[0]


def log_likelihood(y, risk):
    order = np.argsort(-y["time"], kind="stable")
    risk = risk[order]
    return (risk - np.logaddexp.accumulate(risk))[y["event"][order]].sum()


def forward(A, y):
    """The inputs in the order in which they raise the likelihood most."""
    chosen = []
    for _ in range(MOST):
        left = [j for j in range(A.shape[1]) if j not in chosen]
        value = {}
        for j in left:
            part = A[:, [*chosen, j]]
            value[j] = log_likelihood(y, part @ CoxPHSurvivalAnalysis(alpha=0.5).fit(part, y).coef_)
        chosen.append(max(left, key=value.get))
    return chosen


warnings.filterwarnings("ignore")
table = pd.read_csv(sys.argv[1]).dropna()
y = np.array(list(zip(table.pop("event") == 1, table.pop("time"))), dtype=[("event", bool), ("time", float)])
X = table.loc[:, table.std() > 0]
print("split,inputs,how,concordance")
for split in range(SPLITS):
    train, test = train_test_split(np.arange(len(y)), test_size=0.3, random_state=split, stratify=y["event"])
    scaler = StandardScaler().fit(X.iloc[train])
    A, B = scaler.transform(X.iloc[train]), scaler.transform(X.iloc[test])
    path = CoxnetSurvivalAnalysis(l1_ratio=1.0, alpha_min_ratio=0.01, n_alphas=100).fit(A, y[train])
    order = forward(A, y[train])
    for count in range(1, MOST + 1):
        at = np.flatnonzero((path.coef_ != 0).sum(axis=0) <= count)[-1]
        used = np.flatnonzero(path.coef_[:, at])
        rows = {"path": B @ path.coef_[:, at]}
        for how, inputs in [("refit", used), ("forward", order[:count])]:
            if len(inputs):
                rows[how] = CoxPHSurvivalAnalysis(alpha=1).fit(A[:, inputs], y[train]).predict(B[:, inputs])
        for how, risk in rows.items():
            print(f"{split},{count},{how},{concordance(y[test], risk):.4f}", flush=True)
