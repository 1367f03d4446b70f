# SPDX-License-Identifier: BSD-3-Clause
"""From whatever holds rows to a view that the library can read, without a copy where possible."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _library, _params, _schema, _table
from ._checks import check_array, validate_data
from ._library import F32, F64, DataError
from ._schema import Schema

#: What scikit-learn's checks let through. Values are not looked at: the library finds NaN and
#: infinities while it reads them.
_TAKEN: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": False,
}

_INDEX = re.compile(r"__index_level_\d+__")

_DTYPES = {np.dtype(np.float32): F32, np.dtype(np.float64): F64}


class RowView:
    """Rows in memory, dense or CSR, and the frocc_rows that describes them.

    Parameters
    ----------
    values : ndarray or CSR matrix
        Of float32 or float64. A dense array must have its columns side by side; the rows may be
        any distance apart. Kept alive by the view.
    """

    __slots__ = ("values", "struct", "n_rows", "numbers", "columns", "_parts", "_origin")
    _origin: tuple[int, int]
    #: Of the rows in the data they come from, where some of these were left out.
    numbers: np.ndarray | None
    #: What the features were made of.
    columns: Schema

    def __init__(self, values: Any) -> None:
        self.values = values
        self.n_rows, n_features = values.shape
        struct = self.struct = _library.Rows()
        struct.n_rows = self.n_rows
        struct.n_features = n_features
        if type(values) is np.ndarray:
            struct.dtype = _DTYPES[values.dtype]
            struct.values = _library.pointer(values)
            # The stride of a single row means nothing and may be anything.
            struct.row_stride = (
                values.strides[0] // values.itemsize if self.n_rows > 1 else n_features
            )
            return
        start = values.indptr.astype(np.int64, copy=False)
        columns = values.indices.astype(np.int32, copy=False)
        struct.dtype = _DTYPES[values.dtype]
        struct.values = _library.pointer(values.data)
        struct.row_start = _library.pointer(start)
        struct.columns = _library.pointer(columns)
        self._parts = (start, columns, values.data)

    @property
    def n_values(self) -> int:
        """How many there are, zeros that are not stored among them."""
        return int(self.n_rows * self.struct.n_features)

    def __getitem__(self, rows: slice) -> RowView:
        part = RowView(self.values[rows])
        start, _, step = rows.indices(self.n_rows)
        first, stride = getattr(self, "_origin", (0, 1))
        part._origin = (first + start * stride, step * stride)
        part.numbers = getattr(self, "numbers", None)
        return part

    def row_number(self, row: int) -> int:
        """The number that a row of this view has in the view of which this is a part."""
        # Views of single rows are made often; only parts of others have an origin.
        first, step = getattr(self, "_origin", (0, 1))
        number = int(first + row * step)
        numbers = getattr(self, "numbers", None)
        return number if numbers is None else int(numbers[number])

    def value(self, number: int, feature: int) -> Any:
        """Of the row of this number, where the view is no part of another."""
        numbers = getattr(self, "numbers", None)
        row = number if numbers is None else int(np.searchsorted(numbers, number))
        return self.values[row, feature]


def is_direct(X: Any) -> bool:
    """Whether the library can read the array as it is."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in _DTYPES:
        return False
    row, column = X.strides
    n_rows, n_features = X.shape
    size = X.itemsize
    return (
        n_rows > 0
        and n_features > 0
        and (column == size or n_features == 1)
        and (n_rows == 1 or (row >= n_features * size and row % size == 0))
        and X.flags.aligned
    )


def view(estimator: Any, X: Any, *, reset: bool, learning: bool = False) -> RowView:
    """The rows of X, checked against the estimator as scikit-learn does.

    Columns of a frame are found by their names; texts become features. Rows with missing cells are
    left out only where they are learnt from.
    """
    X = _from_arrow(X)
    is_frame = hasattr(X, "columns") and hasattr(X, "dtypes")
    columns: Schema | None = estimator._columns
    if is_frame and (reset or columns is None or not columns.covers(X)):
        _refuse_without_names(X)
    if reset:
        learnt = _learn(estimator, X, is_frame)
        if learnt is not None:
            return learnt
    if is_frame and len(X) == 0 and not _schema.is_plain(X):  # scikit-learn would look at the types
        raise ValueError(f"Found array with 0 sample(s) (shape={X.shape}) while a minimum of 1 is required.")
    if columns is not None and not reset:
        if is_frame and columns.covers(X):
            X = columns.select(X)
            if len(X) > 0 and (columns.needs_encoding or not _schema.is_plain(X)):
                source = _table.of_frame(X)
                return _view_of(columns.encode(source, len(X), learning=learning), columns)
        elif columns.needs_encoding:
            return _unnamed(estimator, X, columns, learning)
    X = validate_data(estimator, X, reset=reset, **_TAKEN)
    return RowView(_readable(X))


def _refuse_without_names(frame: Any) -> None:
    """What a column holds is told by its name: without names, frames are numbers alone."""
    others = [name for name in frame.columns if not _schema.is_name(name)]
    if others and len(frame) > 0 and not _schema.is_plain(frame):
        raise ValueError(
            f"the frame holds more than numbers, and {others[0]!r}, the name of a column, is no text "
            "without NUL bytes; make texts of all names: frame.columns = frame.columns.map(str)"
        )


def _learn(estimator: Any, X: Any, is_frame: bool) -> RowView | None:
    """Learns what the columns are; the rows, unless they are simply the columns."""
    missing = _params.missing(estimator.missing)
    is_named = is_frame and _schema.check_names(X)
    estimator._columns, estimator._has_frame = None, is_named
    if is_frame and len(X) == 0:
        return None
    if is_named and missing == "error" and _schema.is_simple(X):
        estimator._columns = _schema.plain(X)
        return None
    if is_named:
        _table.warn_of_stamps(X)
        source, n_rows = _table.of_frame(X), len(X)
    elif missing != "error":
        X = validate_data(estimator, X, reset=True, **{**_TAKEN, "accept_sparse": False})
        source, n_rows = _table.of_array(X), len(X)
        estimator._has_frame = True
    else:
        return None
    estimator._columns, reader = _schema.learn(source, *_params.reading(estimator))
    set_names(estimator)
    return _view_of(reader.rows(n_rows, estimator._columns.n_features), estimator._columns)


def learn_blocks(estimator: Any, blocks: Iterable[Any]) -> bool:
    """Learns what the columns of all blocks are, where rows are not simply columns; whether it did."""
    missing = _params.missing(estimator.missing)
    first = _from_arrow(next(iter(blocks), None))
    is_frame = hasattr(first, "columns") and hasattr(first, "dtypes")
    is_named = is_frame and _schema.check_names(first)
    if first is None or (is_named and len(first) == 0):
        return False
    if is_named and not (missing == "error" and _schema.is_simple(first)):
        source = _table.of_blocks(first, lambda: map(_from_arrow, blocks))
    elif not is_named and missing != "error":
        first = _unnamed_numbers(first)
        source = _table.of_arrays(first.shape[1], lambda: map(_unnamed_numbers, blocks))
    else:
        return False
    estimator._columns, _ = _schema.learn(source, *_params.reading(estimator))
    estimator._has_frame = True
    set_names(estimator)
    return True


def _unnamed_numbers(block: Any) -> np.ndarray:
    """A block of numbers that may be missing, without names."""
    block = _from_arrow(block)
    if hasattr(block, "columns"):
        _refuse_without_names(block)
    values: np.ndarray = check_array(block, **{**_TAKEN, "accept_sparse": False})
    return values


def set_names(estimator: Any) -> None:
    """The attributes that scikit-learn looks for."""
    columns: Schema = estimator._columns
    estimator.n_features_in_ = columns.n_columns
    if columns.names is not None:
        estimator.feature_names_in_ = np.array(columns.names, dtype=object)
    else:
        vars(estimator).pop("feature_names_in_", None)  # of a fit before


def _view_of(rows: _table.Rows, columns: Schema) -> RowView:
    if len(rows.values) == 0:
        raise ValueError("Found array with 0 sample(s): every row has a missing cell.")
    view = RowView(rows.values)
    view.numbers, view.columns = rows.numbers, columns
    return view


def _unnamed(estimator: Any, X: Any, columns: Schema, learning: bool) -> RowView:
    """Rows without names for a model that reads columns: these, where they have no names either, or
    what it sees of them, where that is numbers and no codes of texts."""
    if hasattr(X, "columns") and columns.names is not None:
        missing = [name for name in columns.names if name not in set(X.columns)]
        listed = "".join(f"\n- {name}" for name in missing)
        raise ValueError(f"Feature names seen at fit time, yet now missing:{listed}")
    X = check_array(X, **_TAKEN)
    if columns.names is None and X.shape[1] == columns.n_columns:
        source = _table.of_array(X if isinstance(X, np.ndarray) else X.toarray())
        return _view_of(columns.encode(source, X.shape[0], learning=learning), columns)
    if X.shape[1] != columns.n_features or columns.has_codes:
        name = type(estimator).__name__
        if columns.names is None:
            raise ValueError(
                f"X has {X.shape[1]} features, but {name} is expecting {columns.n_columns} features "
                "as input"
            )
        raise ValueError(
            f"X has no names of columns, but {name} has learnt more than numbers: give a data frame "
            f"with the columns {', '.join(map(repr, columns.names))}"
        )
    return RowView(_readable(X))


def _from_arrow(X: Any) -> Any:
    """Arrow tables and record batches as data frames, whose names scikit-learn understands: with the
    table's columns, in its order. What pandas kept of an index is one of them where it has a name."""
    if type(X).__module__.partition(".")[0] != "pyarrow" or not hasattr(X, "column_names"):
        return X
    import pyarrow as pa

    table = pa.Table.from_batches([X]) if isinstance(X, pa.RecordBatch) else X
    table = table.select([i for i, name in enumerate(table.column_names) if not is_index(name)])
    kept = table.schema.metadata or {}
    if b"pandas" in kept:  # its types are wanted, such as whole numbers with missing ones
        described = {**json.loads(kept[b"pandas"]), "index_columns": [], "column_indexes": []}
        table = table.replace_schema_metadata({**kept, b"pandas": json.dumps(described).encode()})
    frame = table.to_pandas()
    frame.columns = table.column_names
    return frame


def is_index(name: str) -> bool:
    """Whether this is what pandas calls an index without a name in a file, no column to it either."""
    return _INDEX.fullmatch(name) is not None


def _readable(X: Any) -> Any:
    """X with the layout that the library needs; X itself where it has it already."""
    if isinstance(X, np.ndarray):
        X = np.asarray(X)  # a memory map or matrix is an array too
        return X if is_direct(X) else np.array(X, dtype=X.dtype.newbyteorder("="), order="C")
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


ASK_FOR_MISSING = (
    "FROCC does not accept missing values unless it is told what they are: "
    "missing='keep', 'mean' or 'drop'."
)


def _sentence(rows: RowView, row: int, feature: int, column: str, advice: str) -> str:
    value = rows.value(row, feature)
    if np.isnan(value):
        what = "NaN"
    elif np.isinf(value):
        what = f"infinity or a value too large for {rows.values.dtype!r}"
    else:
        what, advice = "a value too large", "It is over 2^90: choose other units."
    return (
        f"Input X contains {what}.\nThe first one met is in row {row}, {column}, counted from 0. "
        f"{advice}"
    )


def explain_failure(
    error: Exception, rows: RowView, names: Any, advice: str = ASK_FOR_MISSING
) -> Exception:
    """The error that scikit-learn's users know, for rows that the library refused: in the column that
    they gave, of which the library has seen features."""
    if not isinstance(error, DataError):
        return error
    row, feature = error.row, error.column
    if row is not None and feature is None:  # the row as a whole, as its sentence says
        return error
    if feature is None:
        return DataError(f"Input X contains a value too large: {error}")
    column, columns = feature, getattr(rows, "columns", None)
    if columns is not None:
        column = columns.column_of(feature)
        names = columns.names or [f"x{i}" for i in range(columns.n_columns)]
    name = f" ({names[column]!r})" if names is not None else ""
    if row is None:
        what = str(error).removeprefix(f"column {feature} (from 0): ")
        found = DataError(f"Input X contains a value too large: column {column}{name} (from 0): {what}")
    else:
        found = DataError(_sentence(rows, row, feature, f"column {column}{name}", advice))
    found.row, found.column = row, column
    return found
