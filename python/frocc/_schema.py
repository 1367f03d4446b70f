# SPDX-License-Identifier: BSD-3-Clause
"""What the columns of a table become: names, types and categories, as the model file keeps them.

The command learns them from a file, this package from a data frame; either reads what the other
wrote. docs/model-format.md has the bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

#: Roles of a column, as in the file.
FEATURE, SKIPPED, LABEL, ID = range(4)

#: What becomes of missing cells, as in frocc_missing.
MISSING_ERROR, MISSING_MEAN, MISSING_DROP, MISSING_KEEP = range(4)

#: Different texts that a column may have, as in the command.
MAX_CATEGORIES = 1000

_HEAD = struct.Struct("<IBBBBQQ")
_COLUMN = struct.Struct("<BBd")
#: Kinds of a column, as in the file; 0 is a number.
_TEXT, _TELLS_MISSING, _TIME, _HOUR, _SECONDS = 1, 2, 4, 8, 16

#: What the feature of texts never seen is where a text is missing and none was before.
_MISSING_TEXT = 64.0

_LENGTH = struct.Struct("<I")


class Column(NamedTuple):
    """A column of the table."""

    name: str | None
    role: int = FEATURE
    mean: float = 0.0  # what a missing number is read as
    categories: tuple[str, ...] | None = None  # None: numbers
    tells_missing: bool = False  # its last feature is 1 where the cell is missing
    time: int = 0  # of time stamps: _TIME, with _HOUR and _SECONDS

    @property
    def n_features(self) -> int:
        """The features that it becomes: a number one, a text one a category and one for others.

        A time stamp has two for its day, and may have two for its hour and one for itself; one more
        tells what is missing.
        """
        if self.role != FEATURE:
            return 0
        if self.categories is None:
            return len(list(_names(self)))
        return len(self.categories) + 1


class Schema(NamedTuple):
    """The columns of a table, in order."""

    columns: tuple[Column, ...]
    missing: int = MISSING_ERROR
    sparse: bool = False
    index_base: int = 1

    # ---- Bytes

    @classmethod
    def from_bytes(cls, data: bytes) -> Schema | None:
        """The schema of these bytes, which the library wrote; None where columns have no names."""
        _, missing, sparse, base, flags, n_columns, _ = _HEAD.unpack_from(data)
        if flags != 3:  # without names, columns are told by their place
            return None
        at = _HEAD.size

        def text() -> str:
            nonlocal at
            (length,) = _LENGTH.unpack_from(data, at)
            at += _LENGTH.size + length
            return data[at - length : at].decode("utf-8", "surrogateescape")

        columns = []
        for _ in range(n_columns):
            role, kind, mean = _COLUMN.unpack_from(data, at)
            at += _COLUMN.size
            name, categories = text(), None
            if kind == _TEXT:
                (count,) = _LENGTH.unpack_from(data, at)
                at += _LENGTH.size
                categories = tuple(text() for _ in range(count))
            tells, time = bool(kind & _TELLS_MISSING), kind & ~(_TEXT | _TELLS_MISSING)
            columns.append(Column(name, role, mean, categories, tells, time))
        return cls(tuple(columns), missing, bool(sparse), base)

    def to_bytes(self) -> bytes:
        """The bytes that the library reads."""
        parts = [
            _HEAD.pack(1, self.missing, self.sparse, self.index_base, 3, len(self.columns),
                       self.n_features)
        ]  # fmt: skip
        for column in self.columns:
            is_text = column.categories is not None
            kind = is_text * _TEXT | column.tells_missing * _TELLS_MISSING | column.time
            parts += [_COLUMN.pack(column.role, kind, column.mean), _packed(column.name or "")]
            if column.categories is not None:
                parts += [_LENGTH.pack(len(column.categories)), *map(_packed, column.categories)]
        return b"".join(parts)

    # ---- Questions

    @property
    def n_features(self) -> int:
        """What the model sees."""
        return sum(column.n_features for column in self.columns)

    @property
    def features(self) -> list[Column]:
        """The columns that are features."""
        return [column for column in self.columns if column.role == FEATURE]

    @property
    def names(self) -> list[str]:
        """Their names."""
        return [column.name or "" for column in self.features]

    @property
    def has_text(self) -> bool:
        """Whether a feature is a text, so that rows have to be encoded."""
        return any(column.categories is not None for column in self.features)

    @property
    def needs_encoding(self) -> bool:
        """Whether rows are not simply the columns."""
        has_time = any(column.time for column in self.features)
        return self.has_text or has_time or self.missing in (MISSING_MEAN, MISSING_KEEP)

    def feature_names(self) -> list[str]:
        """Names of what the model sees, as the command has them."""
        return [name for column in self.features for name in _names(column)]

    # ---- Data frames

    @classmethod
    def of_frame(cls, frame: Any) -> Schema | None:
        """The schema that a data frame has; None where its columns have no names."""
        names = list(frame.columns)
        if not names or not all(isinstance(name, str) for name in names):
            return None
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"two columns are called {twice!r}; give each a name of its own")
        if any("\0" in name for name in names):
            return None  # no file can have such a name
        return cls(tuple(_column(name, frame[name]) for name in names))

    def covers(self, frame: Any) -> bool:
        """Whether the frame has all columns that are features."""
        return set(self.names) <= set(frame.columns)

    def select(self, frame: Any) -> Any:
        """The columns that are features, in their order, whatever order they come in."""
        names = self.names
        return frame if list(frame.columns) == names else frame[names]

    def encode(self, frame: Any) -> np.ndarray:
        """The rows as the model sees them: a text is 1 in the feature of its category."""
        rows = np.zeros((len(frame), self.n_features))
        first = 0
        for column in self.features:
            if column.time:
                raise ValueError(
                    f"column {column.name!r} has time stamps in the model; score files with the "
                    "command, or fit here without it"
                )
            if column.categories is None:
                numbers, missing = self._numbers(column, frame[column.name])
                rows[:, first] = numbers
                if column.tells_missing:
                    rows[:, first + 1] = missing
            else:
                places = {text: k for k, text in enumerate(column.categories)}
                found = [self._place(column, places, text) for text in _texts(frame[column.name])]
                at = np.arange(len(frame)), first + np.array(found, dtype=np.intp)
                rows[at] = 1.0
                if self.missing == MISSING_KEEP and "" not in places:
                    lost = [text is None for text in _texts(frame[column.name])]
                    rows[lost, first + len(places)] = _MISSING_TEXT
            first += column.n_features
        return rows

    def _numbers(self, column: Column, values: Any) -> tuple[np.ndarray, np.ndarray]:
        if _is_text(values):
            raise ValueError(f"column {column.name!r} has texts, and the model has numbers there")
        numbers = np.asarray(values, dtype=np.float64)
        missing = np.isnan(numbers)
        if self.missing in (MISSING_MEAN, MISSING_KEEP):
            numbers = np.where(missing, column.mean, numbers)
        return numbers, missing

    def _place(self, column: Column, places: dict[str, int], text: str | None) -> int:
        if text is None and self.missing not in (MISSING_MEAN, MISSING_KEEP):
            raise ValueError(f"column {column.name!r} has a missing text; fill it in, or drop the row")
        if text is None:
            text = "" if self.missing == MISSING_KEEP else None
        return len(places) if text is None else places.get(text, len(places))


def _packed(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return _LENGTH.pack(len(data)) + data


def _names(column: Column) -> Iterator[str]:
    if column.time:
        if column.time & _HOUR:
            yield from (f"hour of {column.name} ({axis})" for axis in ("sine", "cosine"))
        yield from (f"day of {column.name} ({axis})" for axis in ("sine", "cosine"))
    if column.categories is None:
        if not column.time or column.time & _SECONDS:
            yield column.name or ""
        if column.tells_missing:
            yield f"{column.name} is missing"
    else:
        for category in (*column.categories, "?"):
            yield f"{column.name}={category}" if category else f"{column.name} is missing"


def _is_text(values: Any) -> bool:
    """Whether a column of a frame holds texts: strings, or categories of any kind."""
    kind = str(values.dtype).lower()
    if kind.startswith(("str", "categor", "enum")) and not kind.startswith("struct"):
        return True
    if kind != "object":
        return False
    return any(isinstance(value, str) for value in values)


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)  # NaN, NaT
    except TypeError:
        return True  # pandas.NA is neither equal to itself nor not


def _texts(values: Any) -> Iterator[str | None]:
    """The cells as they stand in a CSV file; None for missing ones."""
    for value in values:
        if _is_missing(value):
            yield None
        elif isinstance(value, (float, np.floating)) and float(value).is_integer():
            yield str(int(value))
        else:
            yield str(value)


def _column(name: str, values: Any) -> Column:
    if not _is_text(values):
        return Column(name)
    texts = set(_texts(values))
    if None in texts:
        raise ValueError(f"column {name!r} has a missing text; fill it in, or drop the row")
    categories = sorted((text for text in texts if text is not None), key=lambda t: t.encode())
    if len(categories) > MAX_CATEGORIES:
        raise ValueError(
            f"column {name!r} holds texts, more than {MAX_CATEGORIES} different ones; leave it out"
        )
    return Column(name, categories=tuple(categories))
