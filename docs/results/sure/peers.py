"""Other tests of single inputs on the tables of the study `family`, by Holm at .05.

    cargo run -p needlenet-lab --example sure -- tables reps=R seed=S folder=FOLDER
    pip install hidimstat==0.4.0 && python docs/results/sure/peers.py FOLDER > docs/results/sure/peers.csv

A file is named DESIGN_N_P_RHO_REP.csv; its first column is the outcome. Needles are columns 0, 2, 4, ... of the inputs.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from hidimstat import D0CRT, ModelXKnockoff
from scipy import stats
from sklearn.linear_model import LassoCV

NEEDLES = {"Null": 0, "Linear": 4, "Pairs": 4, "Product": 2}


def holm(p_values: np.ndarray) -> np.ndarray:
    order = np.argsort(p_values)
    steps = np.maximum.accumulate((len(p_values) - np.arange(len(p_values))) * p_values[order])
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(steps, 1)
    return adjusted


def t_tests(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    n, p = X.shape
    design = np.column_stack([np.ones(n), X])
    inverse = np.linalg.inv(design.T @ design)
    slopes = inverse @ design.T @ y
    noise = np.sum((y - design @ slopes) ** 2) / (n - p - 1)
    t = slopes / np.sqrt(noise * np.diag(inverse))
    return holm(2 * stats.t.sf(np.abs(t[1:]), n - p - 1)) < 0.05


def dcrt(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    test = D0CRT(estimator=LassoCV(random_state=0), random_state=0)
    test.fit_importance(X, y - y.mean())
    return holm(np.asarray(test.pvalues_, dtype=float)) < 0.05


def knockoffs(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Their promise is a share of false inputs of .1 on average, not a family-wise error."""
    test = ModelXKnockoff(random_state=0)
    test.fit_importance(X, y - y.mean())
    return np.asarray(test.fdr_selection(fdr=0.1)) > 0


TESTS = {
    "t tests": t_tests,
    "dCRT (LassoCV)": dcrt,
    "knockoffs": knockoffs,
}

warnings.simplefilter("ignore")
print("design,n,p,rho,rep,test,needles,true,false")
for path in sorted(Path(sys.argv[1]).glob("*.csv"), key=lambda path: int(path.stem.split("_")[-1])):
    design, n, p, rho, rep = path.stem.split("_")
    table = np.loadtxt(path, delimiter=",")
    needles = np.arange(NEEDLES[design]) * 2
    for name, test in TESTS.items():
        chosen = np.flatnonzero(test(table[:, 1:], table[:, 0]))
        hits = len(set(chosen) & set(needles))
        print(f"{design},{n},{p},{rho},{rep},{name},{len(needles)},{hits},{len(chosen) - hits}", flush=True)
