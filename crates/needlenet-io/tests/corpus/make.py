"""Writes the small files that `tests/mutations.rs` starts from, with writers that are not ours.

python make.py FOLDER, with numpy and pyarrow. The files in the repository are its output; files named found-* are mutants
that once broke a reader, and are kept.
"""

import gzip
import io
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

folder = Path(sys.argv[1])
rng = np.random.default_rng(1)
rows = 20
a = rng.normal(size=rows).round(3)
b = rng.integers(0, 5, size=rows)
c = [f"class {i % 3}" for i in range(rows)]
truth = [i % 2 == 0 for i in range(rows)]
holes = [None if i % 7 == 0 else float(i) for i in range(rows)]


def write(name: str, data: bytes) -> None:
    (folder / name).write_bytes(data)


def packed(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


lines = [f"{a[i]},{b[i]},{c[i]},{truth[i]},{'' if holes[i] is None else holes[i]}" for i in range(rows)]
text = ("a,b,c,d,e\n" + "\n".join(lines) + "\n").encode()
write("plain.csv", text)
write("plain.csv.gz", packed(text))
write("tabs.tsv", text.replace(b",", b"\t"))
write("quoted.csv", b'\xef\xbb\xbf"a ""b""";"c\nd"\r\n"1.5";"2"\r\n"-3e5";" 4 "\r\n')
write("commas.csv", b"x;y\n1,5;2\n2,5;3\n")
write("marks.csv", "größe,\u202ex,👩‍🔬\n1,NA,?\n2,inf,-\n".encode())

kinds = pa.table(
    {
        "a": a,
        "b": pa.array(b, pa.int32()),
        "c": pa.array(c).dictionary_encode(),
        "d": pa.array(truth),
        "e": pa.array(holes, pa.float32()),
        "f": pa.array(c),
        "g": pa.nulls(rows),
    }
)
plain = kinds.select(["a", "b", "e"])
for codec in ["none", "snappy", "zstd", "gzip", "brotli", "lz4"]:
    for name, table in [("kinds", kinds), ("plain", plain)]:
        if name == "plain" and codec not in ["none", "zstd"]:
            continue
        out = io.BytesIO()
        pq.write_table(table, out, compression=codec, row_group_size=12, version="2.6")
        write(f"{name}-{codec}.parquet", out.getvalue())
        if codec == "none":
            write(f"{name}.parquet.gz", packed(out.getvalue()))
out = io.BytesIO()
pq.write_table(plain, out, compression="none", data_page_version="2.0", use_dictionary=False)
write("pages-2.parquet", out.getvalue())

for codec in [None, "zstd", "lz4"]:
    options = ipc.IpcWriteOptions(compression=codec)
    for name, table in [("kinds", kinds), ("plain", plain)]:
        out = io.BytesIO()
        with ipc.new_file(out, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=12)
        write(f"{name}-{codec or 'none'}.arrow", out.getvalue())
        out = io.BytesIO()
        with ipc.new_stream(out, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=12)
        write(f"{name}-{codec or 'none'}.stream", out.getvalue())
out = io.BytesIO()
feather.write_feather(plain, out)
write("feather.arrow.gz", packed(out.getvalue()))

for name, array in [
    ("f8", np.column_stack([a, b])),
    ("fortran", np.asfortranarray(np.column_stack([a, b]))),
    ("i2", np.column_stack([b, b]).astype(">i2")),
    ("f2", a.astype("f2")),
    ("truth", np.array(truth)),
]:
    out = io.BytesIO()
    np.save(out, array)
    write(f"{name}.npy", out.getvalue())
    if name == "f8":
        write(f"{name}.npy.gz", packed(out.getvalue()))
for name, save in [("stored", np.savez), ("deflated", np.savez_compressed)]:
    out = io.BytesIO()
    save(out, X=np.column_stack([a, b]), y=np.array(c), feature_names=np.array(["one", "two"]))
    write(f"{name}.npz", out.getvalue())
