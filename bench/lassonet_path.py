"""LassoNet's path on a table, one thread: says "ready", then how many seconds the path took."""

import sys
import time
import warnings

import numpy as np
import torch
from lassonet import LassoNetClassifier
from tables import standardised

torch.set_num_threads(1)
warnings.simplefilter("ignore")
table = np.load(sys.argv[1])
x, y = standardised(table[:, :-1]).astype(np.float32), table[:, -1].astype(int)
model = LassoNetClassifier(hidden_dims=(20,), verbose=0, random_state=1, torch_seed=1)
print("ready", flush=True)
start = time.perf_counter()
model.path(x, y)
print(time.perf_counter() - start, flush=True)
