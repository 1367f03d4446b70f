# SPDX-License-Identifier: BSD-3-Clause
"""Parquet and Arrow files as tables that the library reads, a record batch at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._rows import is_index
from ._table import BOOL, F32, F64, I64, NONE, TEXT, TIME, UNITS, Column, Source

#: Rows of a batch of a Parquet file: many enough for speed, few enough for memory.
_BATCH_ROWS = 16384

_PARQUET, _ARROW = b"PAR1", b"ARROW1"


def opens(path: str) -> bool:
    """Whether a file is one of these, by its first bytes."""
    if not os.path.isfile(path):
        return False  # what is read of a pipe is gone, and it may never give anything
    try:
        with open(path, "rb") as file:
            start = file.read(len(_ARROW))
    except OSError:
        return False  # the library says why
    return start == _ARROW or start[: len(_PARQUET)] == _PARQUET


def source(path: str) -> tuple[Source, Callable[[], None]]:
    """The table of a file, and what closes it."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ImportError("pyarrow reads such files, and is not installed: pip install pyarrow") from None
    with open(path, "rb") as start:
        is_parquet = start.read(len(_PARQUET)) == _PARQUET
    if is_parquet:
        table = pq.ParquetFile(path, pre_buffer=False)
        schema, n_rows = table.schema_arrow, table.metadata.num_rows
        rows = max(16, _BATCH_ROWS * 16 // max(16, len(schema)))

        def batches() -> Iterator[Any]:
            return iter(table.iter_batches(batch_size=rows, use_threads=False))

        close: Callable[[], None] = table.close
    else:
        file = pa.OSFile(path)  # a map would end the process where another one cuts the file short
        reader = pa.ipc.open_file(file)
        schema, n_rows = reader.schema, 0

        def batches() -> Iterator[Any]:
            for i in range(reader.num_record_batches):
                batch = reader.get_batch(i)
                batch.validate(full=True)  # pyarrow follows what the file says, wherever that leads
                yield batch

        close = file.close
    # What pandas keeps of an index without a name is no column to it either.
    kept = [i for i, name in enumerate(schema.names) if not is_index(name)]
    names = [schema.names[i] for i in kept]
    kinds = [kind_of(schema.field(i).type) for i in kept]

    def columns() -> Iterator[tuple[int, list[Column]]]:
        for batch in batches():
            if batch.num_rows > 0:
                yield batch.num_rows, [
                    of_array(batch.column(i), *kind) for i, kind in zip(kept, kinds)
                ]

    return Source(names, kinds, columns, path, n_rows), close


def kind_of(type_: Any) -> tuple[int, int]:
    """What the cells of a column are for the library, and units a second of times."""
    import pyarrow.types as types

    if types.is_dictionary(type_):
        type_ = type_.value_type
    if types.is_timestamp(type_):
        return TIME, UNITS[type_.unit]
    for kind, tests in (
        (BOOL, (types.is_boolean,)),
        (F32, (types.is_float32,)),
        (F64, (types.is_float16, types.is_float64, types.is_uint64, types.is_decimal)),
        (I64, (types.is_integer,)),
        (TIME, (types.is_date,)),
        (TEXT, (types.is_string, types.is_large_string, types.is_null)),
    ):
        if any(test(type_) for test in tests):
            return kind, 1 if kind == TIME else 0
    if str(type_) == "string_view":
        return TEXT, 0
    return NONE, 0


def of_array(array: Any, kind: int, per_second: int) -> Column:
    """The cells of a column of a batch."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind == NONE:
        return Column(NONE, np.zeros(0))
    missing = None
    if array.null_count > 0:
        missing = np.ascontiguousarray(pc.is_null(array).to_numpy(zero_copy_only=False), np.uint8)
    if kind == TEXT:
        return _texts(array, missing)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    ahead = None
    if kind == TIME:
        array, ahead = _clock(array, per_second)
    elif pa.types.is_decimal(array.type):
        array = array.cast(pa.string())  # the nearest double, which a cast to one misses
    wanted = {F64: pa.float64(), F32: pa.float32(), BOOL: pa.uint8()}.get(kind, pa.int64())
    array = array.cast(wanted)
    if missing is not None:
        array = array.fill_null(0)
    return Column(kind, array.to_numpy(zero_copy_only=False), missing, per_second=per_second,
                  ahead_of_utc=ahead)  # fmt: skip


def _clock(array: Any, per_second: int) -> tuple[Any, np.ndarray | None]:
    """Times as whole numbers, on the clock of their zone, and the seconds by which that is ahead of
    UTC, where they have a zone."""
    import pyarrow as pa
    import pyarrow.compute as pc

    unit = next(name for name, value in UNITS.items() if value == per_second)
    if not pa.types.is_timestamp(array.type):
        array = array.cast(pa.timestamp(unit))
    if getattr(array.type, "tz", None) is None:
        return array.cast(pa.int64()), None
    clock, utc = pc.local_timestamp(array).cast(pa.int64()), array.cast(pa.int64())
    ahead = pc.subtract(clock, utc).fill_null(0).to_numpy(zero_copy_only=False) // per_second
    return clock, ahead.astype(np.int32)


def _texts(array: Any, missing: np.ndarray | None) -> Column:
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        texts = _texts(array.dictionary, None)
        codes = array.indices.cast(pa.int32())
        if codes.null_count > 0:
            codes = codes.fill_null(-1)
        return texts._replace(codes=codes.to_numpy(zero_copy_only=False), missing=missing)
    array = array.cast(pa.large_string())
    _, offsets, data = array.buffers()
    starts = np.frombuffer(offsets, np.int64, len(array) + 1, 8 * array.offset)
    text = np.frombuffer(data, np.uint8) if data is not None and data.size > 0 else np.zeros(1, np.uint8)
    return Column(TEXT, text, missing, offsets=starts)
