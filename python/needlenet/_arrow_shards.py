"""Shards in Parquet or Arrow files, which pyarrow reads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class ArrowShard:
    """The columns of a file, some of which are read for ``shard[:, from:to]``. A cell that is not there becomes NaN."""

    def __init__(self, path: str) -> None:
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            raise ValueError("shards of this format need pyarrow; install it, or use arrays (.npy)") from None
        self.path = path
        self.metadata: Any = None
        if path.endswith(".parquet"):
            self.metadata = pq.read_metadata(path)
            schema, rows = self.metadata.schema.to_arrow_schema(), self.metadata.num_rows
        else:
            with pa.memory_map(path) as file, pa.ipc.open_file(file) as reader:
                schema = reader.schema
                rows = sum(reader.get_batch(at).num_rows for at in range(reader.num_record_batches))
        for field in schema:
            kind = field.type
            if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
                raise ValueError(
                    f'the column "{field.name}" holds values of type {kind}; a shard has numbers only: '
                    "put other columns into the table of the samples"
                )
        self.names: list[str] = schema.names
        self.shape = (rows, len(self.names))

    def __getitem__(self, key: tuple[slice, slice]) -> NDArray[np.float64]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        places = range(len(self.names))[key[1]]
        if self.metadata is not None:
            # each read has its own place in the file
            with pq.ParquetFile(self.path, metadata=self.metadata) as file:
                table = file.read(columns=[self.names[at] for at in places])
        else:
            options = pa.ipc.IpcReadOptions(included_fields=list(places))
            table = pa.ipc.open_file(pa.memory_map(self.path), options=options).read_all()
        values = np.empty((len(places), self.shape[0]))
        for row, column in zip(values, table.columns, strict=True):
            row[:] = column.cast(pa.float64(), safe=False).to_numpy()
        return values.T
