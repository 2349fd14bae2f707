"""The needles of real tables from ten seeds, with at most 2,000 samples of each.

    python docs/results/real/seeds.py PROGRAM FOLDER > docs/results/real/seeds.csv     # needs pandas
    python docs/results/real/seeds.py summary < docs/results/real/seeds.csv
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

import pandas as pd

TABLES = (
    "airfoil autompg concrete elevators energy housing pol skillcraft sml riboflavin spambase dna climate connectionist aids".split()
)
SEEDS = range(1, 11)
MOST = 2000


def rows(program, folder):
    print("table,samples,seed,objective,inputs")
    for name in TABLES:
        table = pd.read_csv(f"{folder}/{name}.csv.gz")
        table = table.sample(MOST, random_state=7) if len(table) > MOST else table
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            table.to_csv(file.name, index=False)
            for seed in SEEDS:
                words = ["fit", file.name, "--target", "target", "--seed", str(seed), "--json", "--quiet", "--threads", "1"]
                done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
                found = json.loads(done.stdout)
                inputs = " ".join(sorted(needle["name"] for needle in found["needles"]))
                print(f"{name},{len(table)},{seed},{found['objective']:.4f},{inputs}", flush=True)


def summary():
    tables = defaultdict(list)
    for row in pd.read_csv(sys.stdin).fillna("").itertuples():
        tables[row.table].append((frozenset(row.inputs.split()), row.objective))
    print("| table | answers of ten seeds | most frequent | inputs | in all | in any | objective |")
    print("|---|---|---|---|---|---|---|")
    for name, found in tables.items():
        answers = Counter(inputs for inputs, _ in found)
        sizes, objectives = [len(inputs) for inputs in answers], [objective for _, objective in found]
        every, any_of = frozenset.intersection(*answers), frozenset.union(*answers)
        print(
            f"| {name} | {len(answers)} | {answers.most_common(1)[0][1]} | {min(sizes)} to {max(sizes)} | {len(every)} | {len(any_of)} | "
            f"{min(objectives):.1f} to {max(objectives):.1f} |"
        )


if sys.argv[1] == "summary":
    summary()
else:
    rows(*sys.argv[1:])
