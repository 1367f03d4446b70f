# SPDX-License-Identifier: BSD-3-Clause
"""From whatever holds rows to a view that the library can read, without a copy where possible."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from . import _library
from ._library import F32, F64, DataError
from ._schema import Schema

#: What scikit-learn's checks let through. Values are not looked at: the library finds NaN and
#: infinities while it reads them.
_TAKEN: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": False,
}

_DTYPES = {np.dtype(np.float32): F32, np.dtype(np.float64): F64}


class RowView:
    """Rows in memory, dense or CSR, and the frocc_rows that describes them.

    Parameters
    ----------
    values : ndarray or CSR matrix
        Of float32 or float64. A dense array must have its columns side by side; the rows may be
        any distance apart. Kept alive by the view.
    """

    __slots__ = ("values", "struct", "n_rows", "_parts", "_origin")
    _origin: tuple[int, int]

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

    def __getitem__(self, rows: slice) -> RowView:
        part = RowView(self.values[rows])
        start, _, step = rows.indices(self.n_rows)
        part._origin = (self.row_number(start), step)
        return part

    def row_number(self, row: int) -> int:
        """The number that a row of this view has in the view of which this is a part."""
        # Views of single rows are made often; only parts of others have an origin.
        first, step = getattr(self, "_origin", (0, 1))
        return int(first + row * step)


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


def view(estimator: Any, X: Any, *, reset: bool) -> RowView:
    """The rows of X, checked against the estimator as scikit-learn does.

    Columns of a frame are found by their names; texts become features.
    """
    X = _from_arrow(X)
    is_frame = hasattr(X, "columns") and hasattr(X, "dtypes")
    if reset:
        estimator._columns = Schema.of_frame(X) if is_frame else None
        estimator._has_frame = estimator._columns is not None
    columns: Schema | None = estimator._columns
    if is_frame and columns is not None and columns.covers(X):
        X = columns.select(X)
        if columns.needs_encoding and len(X) > 0:
            if reset:
                estimator.n_features_in_ = len(columns.features)
                estimator.feature_names_in_ = np.array(columns.names, dtype=object)
            return RowView(columns.encode(X))
    elif not reset and columns is not None and columns.needs_encoding:
        return _encoded(estimator, X, columns)
    X = validate_data(estimator, X, reset=reset, **_TAKEN)
    return RowView(_readable(X))


def _encoded(estimator: Any, X: Any, columns: Schema) -> RowView:
    """Rows without names for a model that has texts: as it sees them, if they have its features."""
    if hasattr(X, "columns"):
        missing = [name for name in columns.names if name not in set(X.columns)]
        listed = "".join(f"\n- {name}" for name in missing)
        raise ValueError(f"Feature names seen at fit time, yet now missing:{listed}")
    X = check_array(X, **_TAKEN)
    if X.shape[1] != columns.n_features:
        raise ValueError(
            f"X has {X.shape[1]} features, but {type(estimator).__name__} has texts in its columns "
            f"and sees {columns.n_features} features: give a data frame with the columns "
            f"{', '.join(map(repr, columns.names))}"
        )
    return RowView(_readable(X))


def _from_arrow(X: Any) -> Any:
    """Arrow tables and record batches as data frames, whose names scikit-learn understands."""
    if type(X).__module__.partition(".")[0] == "pyarrow" and hasattr(X, "column_names"):
        return X.to_pandas()
    return X


def _readable(X: Any) -> Any:
    """X with the layout that the library needs; X itself where it has it already."""
    if isinstance(X, np.ndarray):
        X = np.asarray(X)  # a memory map or matrix is an array too
        return X if is_direct(X) else np.array(X, dtype=X.dtype.newbyteorder("="), order="C")
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def explain_failure(error: Exception, values: Any, names: Any) -> Exception:
    """The error that scikit-learn's users know, for rows that the library refused."""
    if not isinstance(error, DataError):
        return error
    row, column = error.row, error.column
    if row is None or column is None:
        return DataError(f"Input X contains a value too large: {error}")
    value = values[row, column]
    advice = (
        "FROCC does not accept missing values: remove the row, or put an imputer such as "
        "sklearn.impute.SimpleImputer before it in a pipeline."
    )
    if np.isnan(value):
        what = "NaN"
    elif np.isinf(value):
        what = f"infinity or a value too large for {values.dtype!r}"
    else:
        what, advice = "a value too large", "It is over 2^90: choose other units."
    name = f" ({names[column]!r})" if names is not None else ""
    found = DataError(
        f"Input X contains {what}.\nThe first one met is in row {row}, "
        f"column {column}{name}, counted from 0. {advice}"
    )
    found.row, found.column = row, column
    return found
