"""Tables larger than memory: time, memory and passes of `needlenet fit` on shards, with needles planted.

    python bench/shards.py PROGRAM [--kind npy|bed] [--samples 1000] [--inputs 1000000] [--draws 5000] [--folder DIR]

A table of Gaussian numbers (f4) or of genotypes (PLINK) is made in DIR, some columns at a time. Four inputs matter: two bent
together, |a - b|, and two straight. The program fits it, and one JSON object with what was measured is printed. DIR is deleted.

How fast a pass reads: `cat` reads all files to nowhere, and the program makes the first pass over them, which a last shard with a
cell that is no number then ends. Both begin after the files were dropped from memory. The pass is also timed with the files in
memory. Each is done three times, in turn. A pass that takes as long with the files in memory is bound by its arithmetic.
"""

import argparse
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np

COLUMNS = 10_000


def header(shape: tuple[int, int]) -> bytes:
    text = f"{{'descr': '<f4', 'fortran_order': True, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def outcome(needles: list[np.ndarray], random: np.random.Generator) -> np.ndarray:
    a, b, c, d = [(x - x.mean()) / x.std() for x in needles]
    return 2 * np.abs(a - b) + c - d + 0.5 * random.normal(size=len(a))


def make_arrays(folder: Path, n: int, p: int, where: list[int], random: np.random.Generator) -> list[np.ndarray]:
    needles, shards = {}, []
    for first in range(0, p, COLUMNS):
        count = min(COLUMNS, p - first)
        x = random.standard_normal(size=(count, n), dtype=np.float32)
        needles |= {j: x[j - first].astype(float) for j in where if first <= j < first + count}
        file = folder / f"{first // COLUMNS:05}.npy"
        with file.open("wb") as out:
            out.write(header((n, count)))
            out.write(x.tobytes())
        names = [f"x{j}" for j in range(first, first + count)]
        shards.append({"file": file.name, "names": names, "bytes": file.stat().st_size})
    manifest = {"version": 1, "n_samples": n, "samples": "samples.csv", "shards": shards}
    (folder / "shards.json").write_text(json.dumps(manifest))
    return [needles[j] for j in where]


def make_genotypes(folder: Path, n: int, p: int, where: list[int], random: np.random.Generator) -> list[np.ndarray]:
    codes = np.array([3, 2, 0], dtype=np.uint8)
    needles = {}
    with (folder / "c.bed").open("wb") as out:
        out.write(bytes([0x6C, 0x1B, 0x01]))
        for first in range(0, p, COLUMNS):
            count = min(COLUMNS, p - first)
            share = random.uniform(0.1, 0.5, size=(count, 1))
            x = random.binomial(2, share, size=(count, n)).astype(np.uint8)
            needles |= {j: x[j - first].astype(float) for j in where if first <= j < first + count}
            padded = np.zeros((count, -(-n // 4) * 4), dtype=np.uint8)
            padded[:, :n] = codes[x]
            four = padded.reshape(count, -1, 4)
            out.write((four[..., 0] | four[..., 1] << 2 | four[..., 2] << 4 | four[..., 3] << 6).tobytes())
    (folder / "c.bim").write_text("".join(f"1 x{j} 0 {j} A G\n" for j in range(p)))
    (folder / "c.fam").write_text("".join(f"F{i} {i} 0 0 0 -9\n" for i in range(n)))
    size = (folder / "c.bed").stat().st_size
    cut = [(first, min(p, first + COLUMNS)) for first in range(0, p, COLUMNS)]
    shards = [{"file": "c.bed", "variants": part, "bytes": size} for part in cut]
    manifest = {"version": 1, "n_samples": n, "samples": "samples.csv", "id": "id", "shards": shards}
    (folder / "shards.json").write_text(json.dumps(manifest))
    return [needles[j] for j in where]


def drop(files: list[str]) -> None:
    """Drop files from memory."""
    for file in files:
        with open(file, "rb") as opened:
            os.fsync(opened.fileno())
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def commit() -> str:
    """The commit of this folder."""
    here = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(here, capture_output=True, text=True, check=True).stdout.strip()


def timed(*command: str, refused: bool = False) -> tuple[str, float, int, float, float]:
    """Output, seconds, peak in kilobytes, and seconds of processor as user and system."""
    start = time.monotonic()
    done = subprocess.run(["/usr/bin/time", "-f", "%M %U %S", *command], capture_output=True, text=True, check=False)
    wall = time.monotonic() - start
    if done.returncode and not (refused and "NaN is not a finite number" in done.stderr):
        raise SystemExit(done.stderr)
    peak, user, system = done.stderr.strip().splitlines()[-1].split()
    return done.stdout, wall, int(peak), float(user), float(system)


def reading(program: str, folder: Path, n: int) -> dict:
    """How fast `cat` and the first pass of the program read the files."""
    manifest = json.loads((folder / "shards.json").read_text())
    files = sorted({str(folder / shard["file"]) for shard in manifest["shards"]})
    once = folder / "once"
    once.mkdir()
    with (once / "last.npy").open("wb") as out:
        out.write(header((n, 1)))
        out.write(np.full(n, np.nan, dtype=np.float32).tobytes())
    for shard in manifest["shards"]:
        shard["file"] = f"../{shard['file']}"
    last = {"file": "last.npy", "names": ["last"], "bytes": (once / "last.npy").stat().st_size}
    manifest |= {"samples": "../samples.csv", "shards": [*manifest["shards"], last]}
    (once / "shards.json").write_text(json.dumps(manifest))
    command = (program, "threshold", str(once), "--target", "y", "--quiet")
    measured: dict[str, list[float]] = {"cat": [], "cold_pass": [], "cold_pass_processor": [], "warm_pass": []}
    measured["warm_pass_processor"] = []
    for _ in range(3):
        drop(files)
        start = time.monotonic()
        with open("/dev/null", "wb") as nowhere:
            subprocess.run(["cat", *files], stdout=nowhere, check=True)
        measured["cat"].append(time.monotonic() - start)
        drop(files)
        for what in ("cold_pass", "warm_pass"):
            _, wall, _, user, system = timed(*command, refused=True)
            measured[what].append(wall)
            measured[f"{what}_processor"].append(user + system)
    shutil.rmtree(once)
    return {f"{what}_seconds": [round(value, 2) for value in values] for what, values in measured.items()}


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("program")
    words.add_argument("--kind", choices=["npy", "bed"], default="npy")
    words.add_argument("--samples", type=int, default=1000)
    words.add_argument("--inputs", type=int, default=1_000_000)
    words.add_argument("--draws", type=int, default=5000)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--folder", default="target/shards-bench")
    words.add_argument("--commit", help="of the program; that of this folder if not given")
    asked = words.parse_args()
    folder, n, p = Path(asked.folder), asked.samples, asked.inputs
    folder.mkdir(parents=True)
    try:
        random = np.random.default_rng(asked.seed)
        where = sorted(random.choice(p, size=4, replace=False).tolist())
        make = make_arrays if asked.kind == "npy" else make_genotypes
        y = outcome(make(folder, n, p, where, random), random)
        rows = "".join(f"{i},{v}\n" for i, v in enumerate(y))
        (folder / "samples.csv").write_text(f"id,y\n{rows}")
        rates = reading(asked.program, folder, n)
        fit = ("fit", str(folder), "--target", "y", "--draws", str(asked.draws), "--json", "--quiet")
        out, wall, peak, user, system = timed(asked.program, *fit)
        report = json.loads(out)
        measured = {
            "commit": asked.commit or commit(),
            "kind": asked.kind,
            "samples": n,
            "inputs": p,
            "draws": asked.draws,
            "seed": asked.seed,
            "bytes": sum(file.stat().st_size for file in folder.iterdir()),
            "needles": [f"x{j}" for j in where],
            "selected": report["selected"],
            "passes": report["passes"],
            "converged": report["converged"],
            "kkt_violation": report["kkt_violation"],
            "peak_kilobytes": peak,
            "user_seconds": user,
            "system_seconds": system,
            "wall_seconds": round(wall, 1),
            "load": round(os.getloadavg()[0], 1),
            **rates,
        }
        print(json.dumps(measured))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
