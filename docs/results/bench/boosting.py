"""Fits of real tables against gradient boosting, and of design N against LassoCV, by CPU time: usable on a machine that has other work.

python boosting.py PROGRAM FOLDER > boosting.csv     # needs pandas and scikit-learn; set OMP_NUM_THREADS=1

User seconds of one thread, with reading and the threshold on our side; medians of three runs (tables) or five tables (design N).
"""

import os
import resource
import statistics
import subprocess
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LassoCV

ROWS, RUNS, TABLES = 2000, 3, 5
program, folder = sys.argv[1:]


def ours(path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    words = [program, "fit", path, "--target", "target", "--threads", "1", "--quiet", "--json"]
    subprocess.run(words, stdout=subprocess.DEVNULL, check=False)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def theirs(learner, X, y):
    start = time.process_time()
    learner.fit(X, y)
    return time.process_time() - start


def row(name, own, other):
    ratio = statistics.median(a / b for a, b in zip(own, other))
    print(f"{name},{statistics.median(own):.3f},{statistics.median(other):.3f},{ratio:.2f}", flush=True)


print("work,ours_s,yardstick_s,ratio")
for name in ["pol", "sml", "elevators", "skillcraft", "airfoil", "concrete"]:
    table = pd.read_csv(f"{folder}/{name}.csv.gz")
    table = table.sample(min(ROWS, len(table)), random_state=0)
    table.to_csv("boosting.tmp", index=False)
    X, y = table.drop(columns="target").to_numpy(), table["target"].to_numpy()
    runs = [(ours("boosting.tmp"), theirs(HistGradientBoostingRegressor(), X, y)) for _ in range(RUNS)]
    row(f"{name} ({len(X)} x {X.shape[1]}) against HistGradientBoosting", *zip(*runs))
own = {0: [], 8: []}
lasso = []
for seed in range(TABLES):
    for s, seconds in own.items():
        random = np.random.default_rng([seed, s])
        X = random.normal(size=(500, 50))
        y = random.normal(size=500) + sum(10 * abs(X[:, k] - X[:, k + 1]) for k in range(0, s, 2))
        pd.DataFrame(X).assign(target=y).to_csv("boosting.tmp", index=False)
        seconds.append(ours("boosting.tmp"))
    lasso.append(theirs(LassoCV(), X, y))
row("design N without needles against 8 needles", own[0], own[8])
row("design N with 8 needles against LassoCV", own[8], lasso)
os.remove("boosting.tmp")
