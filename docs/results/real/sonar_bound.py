"""What accuracy few inputs allow on sonar returns: the bound for a goal of .80.

    python sonar_bound.py connectionist.csv.gz > sonar_bound.csv     # needs pandas and scikit-learn

20 splits, 70% to fit, within classes. A support vector machine (RBF kernel, scikit-learn's defaults) learns from k inputs, chosen in
three ways: `forward`, one by one by its accuracy in five folds of the samples to fit; `forest`, the largest importances of a forest
of 500 trees; `held_out`, one by one by its mean accuracy on the *held-out* samples of all splits, one list for all splits. The last
one looks at the answer, so it says what a selector could reach at best, up to the order in which inputs are taken.
"""

import sys

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

SPLITS = 20
MOST = 30

table = pd.read_csv(sys.argv[1])
y = table.pop("target").to_numpy()
X = table.to_numpy(float)
parts = []
for split in range(SPLITS):
    train, test = train_test_split(np.arange(len(y)), test_size=0.3, random_state=split, stratify=y)
    scaler = StandardScaler().fit(X[train])
    parts.append((scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]))


def accuracy(part, inputs):
    A, a, B, b = part
    return SVC().fit(A[:, inputs], a).score(B[:, inputs], b)


def forward(score, chosen=()):
    """The inputs in the order in which they raise the score most; of equal scores the first."""
    chosen = list(chosen)
    while len(chosen) < MOST:
        left = [j for j in range(X.shape[1]) if j not in chosen]
        chosen.append(max(left, key=lambda j: score([*chosen, j])))
    return chosen


print("how,split,inputs,accuracy")
for split, part in enumerate(parts):
    A, a, _, _ = part
    folds = [
        (A[fit], a[fit], A[rest], a[rest]) for fit, rest in StratifiedKFold(5, shuffle=True, random_state=0).split(A, a)
    ]
    orders = {
        "forward": forward(lambda inputs: np.mean([accuracy(fold, inputs) for fold in folds])),
        "forest": list(np.argsort(-RandomForestClassifier(500, random_state=0).fit(A, a).feature_importances_)[:MOST]),
    }
    for how, order in orders.items():
        for count in range(1, MOST + 1):
            print(f"{how},{split},{count},{accuracy(part, order[:count]):.4f}", flush=True)
    print(f"all,{split},{X.shape[1]},{accuracy(part, list(range(X.shape[1]))):.4f}", flush=True)
order = forward(lambda inputs: np.mean([accuracy(part, inputs) for part in parts]))
for count in range(1, MOST + 1):
    for split, part in enumerate(parts):
        print(f"held_out,{split},{count},{accuracy(part, order[:count]):.4f}", flush=True)
