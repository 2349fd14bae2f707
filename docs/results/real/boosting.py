"""Histogram boosting on the inputs that needlenet predicts with: the parts written by the example `real`.

python boosting.py PARTS > boosting.csv        # scikit-learn, pandas
"""

import sys
from pathlib import Path

import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import accuracy_score, log_loss, r2_score

CLASSES = {"aids", "climate", "connectionist", "dna", "dry_bean", "spambase"}

print("set,split,quality,log_loss")
for train in sorted(Path(sys.argv[1]).glob("*.train.csv")):
    name, split = train.name.split(".")[:2]
    learnt, test = (pd.read_csv(train.with_name(f"{name}.{split}.{part}.csv")) for part in ("train", "test"))
    x, y = test.drop(columns="target"), test.target
    learner = HistGradientBoostingClassifier if name in CLASSES else HistGradientBoostingRegressor
    model = learner(random_state=0).fit(learnt.drop(columns="target"), learnt.target)
    if name in CLASSES:
        loss = log_loss(y, model.predict_proba(x), labels=model.classes_)
        print(f"{name},{split},{accuracy_score(y, model.predict(x)):.4f},{loss:.4f}", flush=True)
    else:
        print(f"{name},{split},{r2_score(y, model.predict(x)):.4f},nan", flush=True)
