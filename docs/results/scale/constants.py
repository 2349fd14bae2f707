"""Constants of the passes: processor seconds of `needlenet threshold` on one thread, by the number of draws.

    PYTHONPATH=bench python docs/results/scale/constants.py PROGRAM npy|bed SAMPLES INPUTS FOLDER COMMIT
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import shards

program, kind, n, p, folder, commit = *sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5]), sys.argv[6]
folder.mkdir()
random = np.random.default_rng(1)
make = shards.make_arrays if kind == "npy" else shards.make_genotypes
y = shards.outcome(make(folder, n, p, [1, 2, 3, 4], random), random)
(folder / "samples.csv").write_text("id,y\n" + "".join(f"{i},{v}\n" for i, v in enumerate(y)))
for draws in (100, 1100):
    words = ("threshold", str(folder), "--target", "y", "--draws", str(draws), "--threads", "1", "--quiet")
    _, wall, _, user, system = shards.timed(program, *words)
    row = {"commit": commit, "kind": kind, "samples": n, "inputs": p, "draws": draws, "threads": 1}
    row |= {"user_seconds": user, "system_seconds": system, "wall_seconds": round(wall, 1)}
    print(json.dumps(row), flush=True)
shutil.rmtree(folder)
