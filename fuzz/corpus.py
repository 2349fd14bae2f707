"""Seeds, runs and stores the corpus of the fuzz targets; `make fuzz` calls it.

python fuzz/corpus.py seed CORPUS                       a folder for each target, from what the tests have
python fuzz/corpus.py run CORPUS BUILT SECONDS TARGET   runs targets, stores the smallest inputs that reach as much, prints counts
"""

import gzip
import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parent / "crates/needlenet-io/tests"
STORED = TESTS / "fuzzed"
# the memory that libFuzzer allows a process, with its own; and one allocation, as `tests/mutations.rs` allows it
LIMITS = ["-rss_limit_mb=2048", "-malloc_limit_mb=144", "-timeout=20", "-max_len=16384"]
# bytes of the corpus of one target that are stored, and those that an archive adds to an input
MOST, EACH = 150_000, 120

SHEET = (
    '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>f</t></is></c></row>'
    '<row r="2"><c r="A2"><v>1.5</v></c><c r="B2" t="b"><v>1</v></c></row>'
    '<row r="3"><c r="A3" s="1"><v>45352</v></c><c r="B3" t="e"><v>#N/A</v></c></row></sheetData></worksheet>'
)
STRINGS = '<sst uniqueCount="2"><si><t>a</t></si><si><r><t>c</t></r></si></sst>'
CELL = '<table:table-cell office:value-type="%s"%s><text:p>%s</text:p></table:table-cell>'
CONTENT = (
    '<a><table:table table:name="s"><table:table-row>'
    + CELL % ("string", "", "a")
    + CELL % ("string", "", 'f<text:s text:c="2"/>&amp;')
    + '</table:table-row><table:table-row table:number-rows-repeated="3">'
    + CELL % ("float", ' office:value="1.5"', "1.5")
    + CELL % ("boolean", ' office:boolean-value="true"', "TRUE")
    + '<table:table-cell table:number-columns-repeated="9"/></table:table-row></table:table></a>'
)
CELLS = "%%MatrixMarket matrix coordinate real general\n% cells\n4 3 3\n1 1 1.5\n2 3 -2e3\n4 2 7\n"


def seeds() -> dict[str, dict[str, bytes]]:
    """The inputs of each target that the tests have, and what fuzzing has stored before."""
    files = {path.name: path.read_bytes() for path in (TESTS / "corpus").iterdir() if path.suffix != ".py"}

    def of(*ends: str) -> dict[str, bytes]:
        return {name: data for name, data in files.items() if name.endswith(ends)}

    found = {
        "text": of(".csv", ".tsv"),
        "npy": of(".npy"),
        "archive": of(".npz"),
        "arrow": of(".arrow", ".stream"),
        "parquet": of(".parquet"),
        "gzip": {name: gzip.decompress(data) for name, data in of(".gz").items()},
        "xlsx": {"sheet": SHEET.encode(), "book": b"\0".join([SHEET.encode(), STRINGS.encode()])},
        "ods": {"sheet": CONTENT.encode()},
        "matrix_market": {"cells": CELLS.encode(), "pattern": CELLS.replace("real", "pattern").encode()},
        "model": {path.name: path.read_bytes() for path in (TESTS / "models").glob("version-*.json")},
    }
    for target, inputs in found.items():
        stored = STORED / f"{target}.zip"
        if stored.exists():
            with zipfile.ZipFile(stored) as archive:
                inputs.update({name: archive.read(name) for name in archive.namelist()})
    return found


def seed(corpus: Path) -> None:
    for target, inputs in seeds().items():
        folder = corpus / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in inputs.items():
            (folder / name).write_bytes(data)


def store(target: str, corpus: Path, program: Path) -> int:
    """The smallest inputs that reach what all reach, and those that once broke a reader; how many are stored."""
    least = corpus / f"{target}-least"
    least.mkdir(exist_ok=True)
    for old in least.iterdir():
        old.unlink()
    command = [program, "-merge=1", *LIMITS, least, corpus / target]
    subprocess.run(command, check=True, capture_output=True)
    inputs = {path.name: path.read_bytes() for path in least.iterdir()}
    inputs.update({path.name: path.read_bytes() for path in (corpus / target).glob("found-*")})
    return write(target, inputs)


def write(target: str, inputs: dict[str, bytes]) -> int:
    """Stores those that once broke a reader and, of the others by their size, every k-th, as whole tables are among the large; how many."""
    kept = {name: data for name, data in inputs.items() if name.startswith("found-")}
    others = sorted((item for item in inputs.items() if item[0] not in kept), key=lambda item: (len(item[1]), item[0]))
    room = MOST - sum(len(data) + EACH for data in kept.values())
    for count in range(len(others), 0, -1):
        chosen = [others[rank * len(others) // count] for rank in range(count)]
        if sum(len(data) + EACH for _, data in chosen) <= room:
            # libFuzzer names an input by its hash
            kept.update((name[:12], data) for name, data in chosen)
            break
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(kept.items()):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    STORED.mkdir(exist_ok=True)
    (STORED / f"{target}.zip").write_bytes(out.getvalue())
    return len(kept)


def run(corpus: Path, built: Path, seconds: str, *targets: str) -> None:
    print("| target | seconds | executions | inputs that reach new code | stored | failures |")
    print("|---|---|---|---|---|---|")
    for target in targets:
        program = next(built.glob(f"*/release/{target}"))
        found = HERE / "artifacts" / target
        found.mkdir(parents=True, exist_ok=True)
        before = set(found.iterdir())
        # a failure ends the process, and is an artifact
        command = [program, *LIMITS, f"-max_total_time={seconds}", f"-artifact_prefix={found}/", corpus / target]
        log = subprocess.run(command, capture_output=True, text=True, errors="replace").stderr
        (corpus / f"{target}.log").write_text(log)
        executions = [int(count) for count in re.findall(r"^(?:Done |#)(\d+)\b", log, re.MULTILINE)]
        failures = len(set(found.iterdir()) - before)
        inputs = sum(1 for _ in (corpus / target).iterdir())
        stored = store(target, corpus, program)
        print(f"| {target} | {seconds} | {max(executions, default=0):,} | {inputs} | {stored} | {failures} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "seed":
        seed(Path(sys.argv[2]))
    else:
        run(Path(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:])
