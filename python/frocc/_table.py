# SPDX-License-Identifier: BSD-3-Clause
"""Data frames as tables that the library reads: columns of any types, by name.

The library learns from a table what it learns from a file, and reads it through what it has learnt;
here is only where the cells are.
"""

from __future__ import annotations

import ctypes
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from . import _library
from ._library import Block, DataError, Field, ReaderOptions, Table, check, lib, new, pointer

#: frocc_values.
F64, F32, I64, BOOL, TEXT, TIME, NONE, CELLS = range(8)

UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


class Column(NamedTuple):
    """The cells of a column in a batch; arrays as frocc_cells has them."""

    kind: int
    values: np.ndarray
    missing: np.ndarray | None = None
    offsets: np.ndarray | None = None
    codes: np.ndarray | None = None
    per_second: int = 0
    ahead_of_utc: np.ndarray | None = None

    def fill(self, cells: Any) -> None:
        """Lets the library see it."""
        cells.values = pointer(self.values)
        cells.missing = None if self.missing is None else pointer(self.missing)
        cells.offsets = None if self.offsets is None else pointer(self.offsets)
        cells.codes = None if self.codes is None else pointer(self.codes)
        cells.n_texts = 0 if self.offsets is None else len(self.offsets) - 1
        cells.ahead_of_utc = None if self.ahead_of_utc is None else pointer(self.ahead_of_utc)


def _mask(missing: Any) -> np.ndarray | None:
    """Which cells are missing, where any is."""
    found = np.ascontiguousarray(missing, np.uint8)
    return found if found.any() else None


def texts(values: Iterable[str], **others: Any) -> Column:
    """A column of texts, one behind another."""
    parts = [value.encode("utf-8", "surrogateescape") for value in values]
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    return Column(TEXT, np.frombuffer(b"".join(parts) or b"\0", np.uint8), offsets=offsets, **others)


# ---- From columns of data frames -----------------------------------------------------------------


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)  # NaN, NaT
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"  # is neither equal to itself nor not


def _text_of(value: Any) -> str:
    """A value as it stands in a CSV file."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


#: A date, a date and a time, or a time of day.
_STAMP = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d\S*)?|\d\d:\d\d(:\d\d\S*)?")


def warn_of_stamps(frame: Any) -> None:
    """Says where texts may be meant as times: a text is what it is, and each would be a category."""
    for name in frame.columns:
        series = frame[name]
        if str(series.dtype).lower() in ("object", "str", "string"):
            found = series[:100].to_numpy()
            there = [value for value in found if isinstance(value, str) and value]
            if there and all(_STAMP.fullmatch(value) for value in there):
                warnings.warn(
                    f"column {name!r} holds texts such as {there[0]!r}, each of which becomes a category "
                    "of its own; pandas.to_datetime makes times of them, of which the hour and the day count",
                    stacklevel=5,
                )


_SCALARS = (str, bool, int, float, np.number, np.bool_)


def _of_objects(name: str, values: np.ndarray) -> Column:
    """Python's objects: texts where all are, what they would be in CSV where some are, else numbers,
    truths or times."""
    missing = np.fromiter((_is_missing(value) for value in values), bool, len(values))
    there = [value for value, gone in zip(values, missing) if not gone]
    for value in there:
        if not isinstance(value, _SCALARS) and not hasattr(value, "as_integer_ratio") and (
            not hasattr(value, "isoformat") or not hasattr(value, "year")  # a time of day alone
        ):
            raise ValueError(
                f"column {name!r} holds values of the type {type(value).__name__}, which cannot be "
                "used; leave it out, or turn it into numbers, texts or times"
            )
    if any(isinstance(value, str) for value in there) or not there:
        column = texts(["" if gone else _text_of(value) for value, gone in zip(values, missing)],
                       missing=_mask(missing))  # fmt: skip
        are_texts = all(isinstance(value, (str, bool, np.bool_)) for value in there)
        return column if are_texts else column._replace(kind=CELLS)
    if all(isinstance(value, (bool, np.bool_)) for value in there):
        return Column(BOOL, np.where(missing, False, values).astype(np.uint8), _mask(missing))
    are_times = [hasattr(value, "isoformat") for value in there]
    if all(are_times):
        return _of_datetimes(name, values, missing)
    if any(are_times):
        number = there[are_times.index(False)]
        raise ValueError(
            f"column {name!r} holds times and numbers such as {number!r}; make all of it times or "
            "all of it numbers"
        )
    return Column(F64, np.array([_number(name, v, gone) for v, gone in zip(values, missing)], float))


def _number(name: str, value: Any, gone: bool) -> float:
    """A number of Python's; whole ones have no end."""
    try:
        return np.nan if gone else float(value)
    except OverflowError:
        raise DataError(
            f"column {name!r} holds a number of {len(str(abs(int(value))))} digits; expected less "
            "than 1.8e308"
        ) from None


def _of_datetimes(name: str, values: np.ndarray, missing: np.ndarray) -> Column:
    """Dates and times of Python's: what their clocks show, and where these have a zone, by how much
    they are ahead of UTC."""
    offsets = [None if gone or not hasattr(v, "utcoffset") else v.utcoffset()
               for v, gone in zip(values, missing)]  # fmt: skip
    clocks = [None if gone else v if offset is None else v.replace(tzinfo=None)
              for v, gone, offset in zip(values, missing, offsets)]  # fmt: skip
    column = _of_array(name, np.array(clocks, "M8[us]"))
    if all(offset is None for offset in offsets):
        return column
    ahead = [0 if offset is None else int(offset.total_seconds()) for offset in offsets]
    return column._replace(ahead_of_utc=np.array(ahead, np.int32))


def _of_clocks(name: str, clock: np.ndarray, utc: np.ndarray) -> Column:
    """Times of which the clock is known and what was the time in UTC then."""
    ahead = (clock - utc).astype("m8[s]").astype(np.int64)
    ahead[np.isnat(clock)] = 0
    return _of_array(name, clock)._replace(ahead_of_utc=ahead.astype(np.int32))


def _of_array(name: str, values: np.ndarray, missing: np.ndarray | None = None) -> Column:
    """A column of one of numpy's types."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "b":
        return Column(BOOL, np.ascontiguousarray(values, np.uint8), missing)
    if kind == "f" and size == 4:
        return Column(F32, np.ascontiguousarray(values, np.float32), missing)
    if kind == "f" or (kind == "u" and size == 8):
        return Column(F64, np.ascontiguousarray(values, np.float64), missing)
    if kind in "iu":
        return Column(I64, np.ascontiguousarray(values, np.int64), missing)
    if kind == "M":
        unit = np.datetime_data(values.dtype)[0]
        if unit not in UNITS:
            unit = "s"
        values = np.ascontiguousarray(values, f"M8[{unit}]")
        return Column(TIME, values.view(np.int64), _mask(np.isnat(values)), per_second=UNITS[unit])
    if kind == "O":
        return _of_objects(name, values)
    if kind in "UT":
        return _of_objects(name, values.astype(object))
    raise ValueError(
        f"column {name!r} is of the type {values.dtype}, which cannot be used; leave it out, or turn "
        "it into numbers, texts or times"
    )


def of_series(name: str, series: Any) -> Column:
    """A column of a pandas or polars frame."""
    dtype = series.dtype
    kind = getattr(dtype, "kind", None)
    if hasattr(series, "cat") and hasattr(dtype, "categories") and hasattr(series, "iloc"):
        codes = np.ascontiguousarray(series.cat.codes, np.int32)
        return texts(map(_text_of, dtype.categories), codes=codes)
    if getattr(dtype, "tz", None) is not None and hasattr(series, "dt"):
        clock, utc = series.dt.tz_localize(None), series.dt.tz_convert(None)
        return _of_clocks(name, clock.to_numpy(), utc.to_numpy())
    if getattr(dtype, "time_zone", None) is not None:  # polars
        clock = series.dt.replace_time_zone(None)
        return _of_clocks(name, clock.to_numpy(), series.to_numpy())
    if getattr(getattr(dtype, "pyarrow_dtype", None), "tz", None) is not None:
        import pyarrow as pa

        from . import _arrow

        array = pa.array(series)
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        return _arrow.of_array(array, *_arrow.kind_of(array.type))
    if isinstance(dtype, np.dtype) or kind is None:
        return _of_array(name, series.to_numpy())
    missing = np.asarray(series.isna(), bool)
    if kind in "iu" and not missing.any():
        return _of_array(name, series.to_numpy(np.int64 if kind == "i" else np.uint64))
    if kind in "iuf":
        return _of_array(name, series.to_numpy(np.float64, na_value=np.nan))
    if kind == "b":
        return _of_array(name, series.to_numpy(bool, na_value=False), _mask(missing))
    if kind == "M":
        return _of_array(name, np.asarray(series.to_numpy("M8[ns]")))
    return _of_objects(name, np.asarray(series.to_numpy(object)))


def is_number_type(dtype: Any) -> bool:
    """Whether a column of a frame is one of numbers, by its type."""
    kind = getattr(dtype, "kind", None)
    if kind is None:  # polars
        return bool(dtype.is_numeric())
    return kind in "iuf"


# ---- Tables --------------------------------------------------------------------------------------


class Source:
    """Batches of columns, for the library.

    Parameters
    ----------
    names : sequence of str or None
        Of the columns.
    kinds : sequence of (kind, units a second)
        Of their cells.
    batches : callable
        Returns an iterator over batches, from the first: each its number of rows, and its columns.
    name : str, optional
        What messages call it.
    n_rows : int
        In all; 0 where that is not known.
    """

    def __init__(
        self,
        names: Sequence[str] | None,
        kinds: Sequence[tuple[int, int]],
        batches: Callable[[], Iterator[tuple[int, Sequence[Column]]]],
        name: str | None = None,
        n_rows: int = 0,
    ) -> None:
        self._start = batches
        self._batches: Iterator[tuple[int, Sequence[Column]]] = batches()
        self._kept: Any = None  # what the library looks at
        self.failure: BaseException | None = None  # of a callback
        self._fields = (Field * len(kinds))()
        for i, (kind, per_second) in enumerate(kinds):
            own = None if names is None else names[i].encode("utf-8", "surrogateescape")
            self._fields[i] = Field(own, kind, per_second)
        self._table = Table(
            ctypes.sizeof(Table), None if name is None else name.encode("utf-8", "surrogateescape"),
            self._fields, len(kinds), n_rows, _library.NextBatch(self._next),
            _library.Rewind(self._rewind), _library.Close(), None,
        )  # fmt: skip

    @property
    def native(self) -> Any:
        """The frocc_table, which lives as long as this."""
        return self._table

    def _next(self, _: Any, cells: Any, n_rows: Any, error: Any) -> int:
        try:
            count, columns = next(self._batches, (0, ()))
            for i, column in enumerate(columns):
                column.fill(cells[i])
            self._kept = columns
            n_rows[0] = count
            return 0
        except BaseException as failure:  # an exception must not cross the library
            return self._failed(failure, error)

    def _rewind(self, _: Any, error: Any) -> int:
        try:
            self._batches = self._start()
            return 0
        except BaseException as failure:
            return self._failed(failure, error)

    def _failed(self, failure: BaseException, error: Any) -> int:
        self.failure = failure
        self._kept = str(failure).encode("utf-8", "replace")
        error[0] = self._kept
        return _library.CALLBACK_FAILED


def of_frame(frame: Any) -> Source:
    """A data frame, as one batch."""
    names = list(frame.columns)
    columns = [of_series(name, frame[name]) for name in names]
    return of_columns(names, columns, len(frame))


def of_blocks(first: Any, frames: Callable[[], Iterable[Any]]) -> Source:
    """Data frames with the columns of the first, one after the other."""
    names = list(first.columns)
    numbers = (F64, F32, I64)
    columns = [of_series(name, first[name]) for name in names]
    kinds = [(F64 if column.kind in numbers else column.kind, column.per_second)
             for column in columns]  # fmt: skip

    def same(name: str, column: Column, kind: int, per_second: int) -> Column:
        if kind == F64 and column.kind in numbers:
            return Column(F64, np.ascontiguousarray(column.values, np.float64), column.missing)
        if {column.kind, kind} == {TEXT, CELLS}:
            return column._replace(kind=kind)
        if kind == CELLS and column.kind in numbers:
            values = column.values.tolist()
            gone = [value != value or bool(off) for value, off in zip(
                values, column.missing if column.missing is not None else repeat(0))]  # fmt: skip
            parts = ["" if off else _text_of(value) for value, off in zip(values, gone)]
            return texts(parts, missing=_mask(gone))._replace(kind=CELLS)
        if (column.kind, column.per_second) != (kind, per_second):
            raise ValueError(f"column {name!r} holds something else in a later block than in the first")
        return column

    def column_of(frame: Any, name: str) -> Any:
        count = list(getattr(frame, "columns", ())).count(name)
        if count == 1:
            return frame[name]
        raise ValueError(
            f"a later block has {'two columns' if count else 'no column'} {name!r}; give every block "
            "the columns of the first"
        )

    def batches() -> Iterator[tuple[int, Sequence[Column]]]:
        for frame in frames():
            if len(frame) > 0:
                yield len(frame), [same(name, of_series(name, column_of(frame, name)), *kind)
                                   for name, kind in zip(names, kinds)]  # fmt: skip

    return Source(names, kinds, batches)


def of_arrays(n_columns: int, arrays: Callable[[], Iterable[np.ndarray]]) -> Source:
    """Arrays of numbers, one after the other; their columns have no names."""

    def batches() -> Iterator[tuple[int, Sequence[Column]]]:
        for values in arrays():
            if values.shape[1] != n_columns:
                raise ValueError(
                    f"a later block has {values.shape[1]} features, and the first one {n_columns}; "
                    "give every block the columns of the first"
                )
            wide = np.asarray(values, np.float64)
            yield len(wide), [_of_array(f"x{j}", wide[:, j]) for j in range(n_columns)]

    return Source(None, [(F64, 0)] * n_columns, batches)


def of_array(values: np.ndarray) -> Source:
    """An array; its columns have no names."""
    columns = [_of_array(f"x{j}", values[:, j]) for j in range(values.shape[1])]
    return of_columns(None, columns, len(values))


def of_columns(names: Sequence[str] | None, columns: Sequence[Column], n_rows: int) -> Source:
    """Columns, as one batch."""
    kinds = [(column.kind, column.per_second) for column in columns]
    return Source(names, kinds, lambda: iter([(n_rows, columns)] if n_rows else []), None, n_rows)


# ---- Reading -------------------------------------------------------------------------------------


class Rows(NamedTuple):
    """What a table becomes."""

    values: np.ndarray
    numbers: np.ndarray | None  # of the rows in the table, where some were left out


class Reader:
    """Reads a table through a schema, or through the one that it learns from it."""

    def __init__(
        self,
        source: Source,
        schema: int | None,
        missing: int,
        own_missing: bool,
        time_parts: int = 0,
        na: Sequence[bytes] = (),
    ) -> None:
        self._source = source
        texts = (ctypes.c_char_p * len(na))(*na)
        options = ReaderOptions()
        lib.frocc_reader_options_init(options)
        options.missing = missing
        options.own_missing = own_missing
        options.ignore_extra = 1
        options.threads = 1
        options.time_parts = time_parts
        options.na, options.n_na = ctypes.cast(texts, ctypes.c_void_p), len(na)
        self.handle = self._checked(lambda: new(lib.frocc_reader_open_table, source.native, options,
                                                schema))  # fmt: skip

    def __del__(self) -> None:
        lib.frocc_reader_free(getattr(self, "handle", None))

    def _checked(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except Exception:
            if self._source.failure is not None:
                raise self._source.failure from None
            raise

    def schema(self) -> int:
        """A handle of the schema, which is the caller's."""
        handle: int = lib.frocc_reader_schema(self.handle)
        return handle

    def rows(self, n_rows: int, n_features: int) -> Rows:
        """All of them; there are at most n_rows."""
        values, numbers = np.empty((n_rows, n_features)), np.empty(n_rows, np.int64)
        block = Block(struct_size=ctypes.sizeof(Block))
        done = 0
        while True:
            self._checked(lambda: check(lib.frocc_reader_next(self.handle, block)))
            count = block.rows.n_rows
            if count == 0:
                return Rows(values[:done], numbers[:done] if done < n_rows else None)
            size = count * n_features
            found = np.ctypeslib.as_array((ctypes.c_double * size).from_address(block.rows.values))
            values[done : done + count] = found.reshape(count, n_features)
            ctypes.memmove(pointer(numbers[done:]), block.row_numbers, 8 * count)
            numbers[done : done + count] -= 1
            done += count
