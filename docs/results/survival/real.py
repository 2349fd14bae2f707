"""Survival on the tables of scikit-survival: concordance and inputs of needlenet and of Coxnet with cross-validation.

python real.py > real.csv                 # needs needlenet, scikit-survival and pandas
python real.py a.csv b.csv > files.csv    # the same of files with columns time and event; rows with missing cells are left out
"""

import sys
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, KFold, train_test_split
from sklearn.preprocessing import StandardScaler
from sksurv.datasets import load_flchain, load_gbsg2, load_veterans_lung_cancer, load_whas500
from sksurv.linear_model import CoxnetSurvivalAnalysis

from needlenet import NeedleSurvival

SPLITS = 20


def files(paths):
    for path in paths:
        table = pd.read_csv(path).dropna()
        y = np.array(list(zip(table.pop("event") == 1, table.pop("time"))), dtype=[("event", bool), ("time", float)])
        yield path.split("/")[-1].split(".")[0], table.loc[:, table.std() > 0], y


def tables():
    for name, load in [
        ("GBSG2", load_gbsg2),
        ("WHAS500", load_whas500),
        ("veterans", load_veterans_lung_cancer),
        ("FLCHAIN", load_flchain),
    ]:
        X, y = load()
        X = X.drop(columns=["chapter"], errors="ignore")  # the cause of death
        y = y[X.notna().all(axis=1).to_numpy()]
        X = pd.get_dummies(X.dropna(), drop_first=True).astype(float)
        yield name, X, y


def coxnet(X, y):
    """The path of scikit-survival, the penalty of the best mean concordance over five folds."""
    path = CoxnetSurvivalAnalysis(l1_ratio=1.0, alpha_min_ratio=0.01, n_alphas=50).fit(X, y)
    search = GridSearchCV(
        CoxnetSurvivalAnalysis(l1_ratio=1.0),
        {"alphas": [[a] for a in path.alphas_]},
        cv=KFold(5, shuffle=True, random_state=0),
    )
    return search.fit(X, y).best_estimator_


warnings.filterwarnings("ignore")
print("table,n,p,split,learner,concordance,inputs,seconds")
for name, X, y in files(sys.argv[1:]) if sys.argv[1:] else tables():
    event = y[y.dtype.names[0]]
    for split in range(SPLITS):
        train, test = train_test_split(np.arange(len(y)), test_size=0.3, random_state=split, stratify=event)
        scaler = StandardScaler().fit(X.iloc[train])
        A, B = scaler.transform(X.iloc[train]), scaler.transform(X.iloc[test])
        for learner, make in [("needlenet", lambda: NeedleSurvival().fit(A, y[train])), ("coxnet-cv", lambda: coxnet(A, y[train]))]:
            start = time.perf_counter()
            model = make()
            seconds = time.perf_counter() - start
            inputs = int(np.count_nonzero(model.coef_))
            print(f"{name},{len(y)},{X.shape[1]},{split},{learner},{model.score(B, y[test]):.4f},{inputs},{seconds:.3f}")
            sys.stdout.flush()
