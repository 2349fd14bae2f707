"""Coxnet with cross-validation on the splits of real.py, without needlenet, on a path that ends early.

    python coxnet.py hnscc.csv > coxnet_hnscc.csv     # needs pandas, scikit-learn and scikit-survival

real.py follows the path down to a hundredth of the largest penalty, which takes minutes a split with 107 inputs and 39 events. This one
ends at a tenth; `at_end` says whether the chosen penalty is the last one.
"""

import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, KFold, train_test_split
from sklearn.preprocessing import StandardScaler
from sksurv.linear_model import CoxnetSurvivalAnalysis

SPLITS = 20

warnings.filterwarnings("ignore")
table = pd.read_csv(sys.argv[1]).dropna()
y = np.array(list(zip(table.pop("event") == 1, table.pop("time"))), dtype=[("event", bool), ("time", float)])
X = table.loc[:, table.std() > 0]
print("split,concordance,inputs,at_end")
for split in range(SPLITS):
    train, test = train_test_split(np.arange(len(y)), test_size=0.3, random_state=split, stratify=y["event"])
    scaler = StandardScaler().fit(X.iloc[train])
    A, B = scaler.transform(X.iloc[train]), scaler.transform(X.iloc[test])
    alphas = CoxnetSurvivalAnalysis(l1_ratio=1.0, alpha_min_ratio=0.1, n_alphas=25).fit(A, y[train]).alphas_
    model = CoxnetSurvivalAnalysis(l1_ratio=1.0)
    folds = KFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(model, {"alphas": [[a] for a in alphas]}, cv=folds).fit(A, y[train])
    inputs = int(np.count_nonzero(search.best_estimator_.coef_))
    at_end = int(search.best_params_["alphas"][0] == alphas[-1])
    print(f"{split},{search.best_estimator_.score(B, y[test]):.4f},{inputs},{at_end}", flush=True)
