"""Survival on files by the program: concordance on held-out samples, needles, stand-ins, and the share of linear models.

python program.py PROGRAM FILE.csv [options of `needlenet fit`]    # needs pandas, scikit-learn and scikit-survival

The files have columns time and event; rows with missing cells are left out. The splits are those of real.py.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sksurv.metrics import concordance_index_censored

SPLITS = 20


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False).stdout


program, path, *options = sys.argv[1:]
table = pd.read_csv(path).dropna()
event = table["event"] == 1
print("table,split,concordance,needles,stand_ins,linear")
with tempfile.TemporaryDirectory() as folder:
    fit, test, model, out = (Path(folder) / name for name in ["fit.csv", "test.csv", "a.model", "out.csv"])
    for split in range(SPLITS):
        parts = train_test_split(np.arange(len(table)), test_size=0.3, random_state=split, stratify=event)
        for part, file in zip(parts, [fit, test]):
            table.iloc[part].to_csv(file, index=False)
        report = json.loads(
            run(program, "fit", fit, "--time", "time", "--event", "event", "--json", "--out", model, *options)
        )
        run(program, "predict", model, test, "--out", out)
        held_out = table.iloc[parts[1]]
        risk = pd.read_csv(out).iloc[:, 0]
        concordance = concordance_index_censored(held_out["event"] == 1, held_out["time"], risk)[0]
        found = [len(report[name] or []) for name in ["needles", "stand_ins"]]
        print(f"{Path(path).stem},{split},{concordance:.4f},{found[0]},{found[1]},{int(report['linear'])}")
