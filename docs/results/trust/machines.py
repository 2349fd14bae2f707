"""The same needles on any number of threads and on any processor.

python machines.py PROGRAM [QEMU], with QEMU = qemu-x86_64-static. Fits the same tables natively on 1, 2 and 8 threads, and in an
emulated processor without AVX (Nehalem: the portable path of the inner loops) and with AVX2 (Haswell). Prints one row for
each table and way: the needles, the objective, and whether the model is that of the first way, bit for bit.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

program, qemu = sys.argv[1], (sys.argv[2:] or [None])[0]
TABLES = [
    ("linear", "--n 60 --p 40 --s 2", "--target target"),
    ("nonlinear", "--n 150 --p 12 --s 2", "--target target"),
    ("class-mixed", "--n 200 --p 10", "--target target"),
    ("three-mixed", "--n 200 --p 10", "--target target"),
    ("count-linear", "--n 100 --p 10 --s 2", "--target target --task counts"),
]
WAYS = [
    ("1 thread", [], {}, "1"),
    ("2 threads", [], {}, "2"),
    # more threads than cores, which --threads would not give
    ("8 threads", [], {"RAYON_NUM_THREADS": "8"}, "0"),
]
if qemu:
    for cpu in ["Nehalem", "Haswell"]:
        WAYS.append((f"{cpu}, emulated", [qemu, "-cpu", cpu], {}, "1"))

print("| table | way | needles | objective | the same bits |")
print("|---|---|---|---|---|")
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for design, sizes, words in TABLES:
        made = subprocess.run([program, "lab", "make", design, *sizes.split(), "--seed", "4", "--out", "t.csv"])
        if made.returncode:
            continue
        first = None
        for way, before, variables, threads in WAYS:
            line = f"fit t.csv {words} --hidden 6 --draws 300 --quiet --json --threads {threads} --out m.json"
            done = subprocess.run(
                [*before, program, *line.split()], capture_output=True, text=True, env={**os.environ, **variables}
            )
            if not done.stdout:
                print(f"| {design} | {way} | failed: {done.stderr.strip()[:80]} | | |", flush=True)
                continue
            report, model = json.loads(done.stdout), json.loads(Path("m.json").read_text())
            model["model"]["settings"]["threads"] = 0
            first = first or (report["selected"], model)
            assert report["selected"] == first[0], (design, way, report["selected"], first[0])
            same = "yes" if model == first[1] else "no"
            objective = model["model"]["certificate"]["objective"]
            print(f"| {design} | {way} | {' '.join(report['selected'])} | {objective!r} | {same} |", flush=True)
