"""Bytes of the messages of a fit, pass by pass: PYTHONPATH=bench python docs/results/scale/messages.py > messages.jsonl"""

import json

import dask.array as da
import numpy as np
import shards

from needlenet import NeedleRegressor, Shards

for n, p in ((1000, 5000), (1000, 10000), (2000, 5000)):
    X = np.random.default_rng(1).normal(size=(n, p))
    table = Shards(da.from_array(X, chunks=(n, 2500)))
    ask, rows = table.ask, []

    def counted(tasks, threads, ask=ask, rows=rows):
        back = 0
        for item in ask(tasks, threads):
            back += len(item[1])
            yield item
        rows.append({"tasks": len(tasks), "sent_bytes": sum(len(task) for _, task in tasks), "answered_bytes": back})

    table.ask = counted
    NeedleRegressor(hidden=None, n_draws=100).fit(table, X[:, 3] - X[:, 4])
    row = {"commit": shards.commit(), "samples": n, "inputs": p, "draws": 100, "shards": len(table.parts), "passes": rows}
    print(json.dumps(row), flush=True)
