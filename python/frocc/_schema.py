# SPDX-License-Identifier: BSD-3-Clause
"""What the columns of a table become: the library's schema, asked and used.

The command learns one from a file, this package from a data frame; either reads what the other
wrote.
"""

from __future__ import annotations

import ctypes
import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from . import _library, _table
from ._library import DataError, check, lib, new

#: frocc_missing where missing cells are an error.
ERROR = _library.MISSING["error"]
DROP = _library.MISSING["drop"]

#: What can be done about missing cells of rows that are to be scored.
_ADVICE = "(leave such rows out, or fit with missing='keep' or 'mean')"


def bytes_of(function: Any, handle: int) -> bytes:
    """What a function that makes bytes of an object gives."""
    data, size = _library.Handle(), ctypes.c_size_t()
    check(function(handle, ctypes.byref(data), ctypes.byref(size)))
    try:
        return ctypes.string_at(data.value or 0, size.value)
    finally:
        lib.frocc_bytes_free(data)


class Schema:
    """The columns of a table, in order; owns its handle, and never changes."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def __del__(self) -> None:
        lib.frocc_schema_free(getattr(self, "handle", None))

    @classmethod
    def from_bytes(cls, data: bytes) -> Schema:
        """The schema of bytes that the library wrote."""
        return cls(new(lib.frocc_schema_from_bytes, data, len(data)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (bytes_of(lib.frocc_schema_to_bytes, self.handle),)

    def __copy__(self) -> Schema:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Schema:
        return self

    # ---- Questions

    @cached_property
    def _columns(self) -> list[tuple[str | None, bool]]:
        """Name of each column, and whether it is a feature."""
        info = _library.ColumnInfo(struct_size=ctypes.sizeof(_library.ColumnInfo))
        found = []
        for i in range(lib.frocc_schema_columns(self.handle)):
            check(lib.frocc_schema_column(self.handle, i, info))
            name = None if info.name is None else info.name.decode("utf-8", "surrogateescape")
            found.append((name, bool(info.is_feature)))
        return found

    @cached_property
    def names(self) -> list[str] | None:
        """Of the columns that are features; None where they have none."""
        names = [name for name, is_feature in self._columns if is_feature]
        return None if None in names else [name or "" for name in names]

    @cached_property
    def n_columns(self) -> int:
        """How many columns are features."""
        return sum(is_feature for _, is_feature in self._columns)

    @cached_property
    def n_features(self) -> int:
        """How many features the model sees."""
        return int(lib.frocc_schema_features(self.handle))

    @cached_property
    def missing(self) -> str:
        """What becomes of missing cells."""
        number = lib.frocc_schema_missing(self.handle)
        return next(name for name, value in _library.MISSING.items() if value == number)

    @cached_property
    def needs_encoding(self) -> bool:
        """Whether rows are not simply the columns."""
        return self.n_features != self.n_columns or self.missing != "error" or not self._has_numbers

    @cached_property
    def _has_numbers(self) -> bool:
        """Whether all columns are of numbers; times may be numbers, too."""
        info = _library.ColumnInfo(struct_size=ctypes.sizeof(_library.ColumnInfo))
        for i in range(lib.frocc_schema_columns(self.handle)):
            check(lib.frocc_schema_column(self.handle, i, info))
            if info.is_feature and info.kind != _COLUMN_NUMBER:
                return False
        return True

    def feature_names(self) -> list[str]:
        """Names of what the model sees, as the command has them; of columns without names x0, x1, ...,
        which the command counts from 1."""
        found = [self._feature_name(feature) for feature in range(self.n_features)]
        if self.names is not None:
            return found
        return [re.sub(r"\d+", lambda number: f"x{int(number[0]) - 1}", name) for name in found]

    def _feature_name(self, feature: int) -> str:
        length = ctypes.c_size_t()
        ask = lib.frocc_schema_feature_name
        check(ask(self.handle, feature, None, 0, ctypes.byref(length)))
        text = ctypes.create_string_buffer(length.value + 1)
        check(ask(self.handle, feature, text, len(text), ctypes.byref(length)))
        return text.value.decode("utf-8", "surrogateescape")

    @cached_property
    def _kinds(self) -> list[int]:
        """What each feature says of its column; 0 is the number itself."""
        info = _library.FeatureInfo(struct_size=ctypes.sizeof(_library.FeatureInfo))
        found = []
        for feature in range(self.n_features):
            check(lib.frocc_schema_feature(self.handle, feature, info))
            found.append(info.kind)
        return found

    @cached_property
    def has_codes(self) -> bool:
        """Whether a feature is a code, such as that of a text: which ones there are is learnt."""
        return not _library.CODES.isdisjoint(self._kinds)

    def column_of(self, feature: int) -> int:
        """The place of a feature's column among the columns that are features."""
        info = _library.ColumnInfo(struct_size=ctypes.sizeof(_library.ColumnInfo))
        first = []
        for i, (_, is_feature) in enumerate(self._columns):
            check(lib.frocc_schema_column(self.handle, i, info))
            if is_feature:
                first.append(info.first_feature)
        return bisect_right(first, feature) - 1

    # ---- Parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.__reduce__() == other.__reduce__()

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def join(cls, parts: Sequence[Schema]) -> Schema:
        """What one reading of the rows of all parts would have found."""
        handles = (_library.Handle * len(parts))(*(part.handle for part in parts))
        return cls(new(lib.frocc_schema_join, handles, len(parts)))

    def settled(self) -> Schema:
        """The schema without what parts are joined by, which rows are read through."""
        return Schema(new(lib.frocc_schema_settled, self.handle))

    # ---- Rows

    def covers(self, frame: Any) -> bool:
        """Whether the frame has all columns that are features."""
        return self.names is not None and set(self.names) <= set(frame.columns)

    def select(self, frame: Any) -> Any:
        """The columns that are features, in their order, whatever order they come in."""
        names = list(frame.columns)
        if names == self.names:
            return frame
        refuse_twice([name for name in names if name in set(self.names or ())])
        return frame[self.names]

    def encode(self, source: _table.Source, n_rows: int, *, learning: bool) -> _table.Rows:
        """The rows as the model sees them. Rows are left out only for learning: whoever asks about
        rows gets an answer for each."""
        own_missing = self.missing == "drop" and not learning
        try:
            reader = _table.Reader(source, self.handle, ERROR, own_missing)
            return reader.rows(n_rows, self.n_features)
        except DataError as error:
            if not learning:  # the library thinks of what the command can do
                error.args = (re.sub(r"\(try .*\)$", _ADVICE, str(error), flags=re.DOTALL),)
            raise


def is_name(name: Any) -> bool:
    """Whether this can be the name of a column."""
    return isinstance(name, str) and "\0" not in name


# A function of the module, as cloudpickle takes along whole what is not found by its name.


def _unpickled(data: bytes) -> Schema:
    return Schema.from_bytes(data)


def refuse_twice(names: Sequence[str]) -> None:
    """Columns are told by names, so that each needs its own."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns are called {twice!r}; give each a name of its own")


def check_names(frame: Any) -> bool:
    """Whether the columns of a frame can be told by names."""
    names = list(frame.columns)
    if not names or not all(map(is_name, names)):
        return False
    refuse_twice(names)
    return True


def is_plain(frame: Any) -> bool:
    """Whether all columns of a frame are numbers."""
    return all(map(_table.is_number_type, frame.dtypes))


#: frocc_column_kind.
_COLUMN_NUMBER = 0

#: No column without these in its name is of times that are numbers; the library looks closer.
_EPOCHS = re.compile("time|date|epoch|stamp|when|ts$|at$", re.IGNORECASE)


def is_simple(frame: Any) -> bool:
    """Whether all columns of a frame with rows are numbers, and by their names and first values none
    may be of times that are numbers."""
    return is_plain(frame) and not any(
        _EPOCHS.search(name) and frame[name][:1].to_numpy()[0] >= 1e9 for name in frame.columns
    )


def learn(
    source: _table.Source, missing: str, time_parts: int = 0, na: Sequence[bytes] = ()
) -> tuple[Schema, _table.Reader]:
    """The schema of a table, and what reads the table through it."""
    reader = _table.Reader(source, None, _library.MISSING[missing], False, time_parts, na)
    return Schema(reader.schema()), reader


def of_names(names: Sequence[str]) -> Schema:
    """The schema of columns of numbers that have these names and no missing cells."""
    kinds = [(_table.F64, 0)] * len(names)
    return learn(_table.Source(list(names), kinds, lambda: iter(())), "error")[0]


def plain(frame: Any) -> Schema:
    """The schema of a frame of numbers that has no missing cells."""
    return of_names(list(frame.columns))
