# SPDX-License-Identifier: BSD-3-Clause
"""Rows that do not fit in memory, as blocks that can be read again from the start.

`FROCC.fit_stream` takes any of these, and any other iterable of blocks; a file's name or an Arrow
data set is turned into one of these by itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

__all__ = ["Blocks", "arrow", "blocks", "npy", "parquet"]

#: Rows in a block where nothing is said.
BLOCK_ROWS = 65536


class Blocks:
    """Blocks of rows that can be read any number of times.

    Parameters
    ----------
    start : callable
        Returns a new iterator over the blocks, from the first one.
    n_rows : int, optional
        The number of rows, where it is known.
    """

    def __init__(self, start: Callable[[], Iterator[Any]], n_rows: int | None = None) -> None:
        self._start = start
        self.n_rows = n_rows

    def __iter__(self) -> Iterator[Any]:
        return self._start()


def npy(path: str | os.PathLike[str], rows: int = BLOCK_ROWS) -> Blocks:
    """The rows of a ``.npy`` file, through a memory map.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from frocc import FROCC, stream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "rows.npy")
    ...     np.save(path, np.random.default_rng(0).normal(size=(1000, 3)))
    ...     model = FROCC(directions=50).fit_stream(stream.npy(path, rows=300))
    >>> model.n_samples_seen_
    1000
    """
    array = np.load(path, mmap_mode="r")
    if array.ndim != 2:
        raise ValueError(f"{os.fspath(path)}: expected a 2D array, got {array.ndim}D")

    def start() -> Iterator[Any]:
        return (array[first : first + rows] for first in range(0, len(array), rows))

    return Blocks(start, len(array))


def arrow(dataset: Any, columns: list[str] | None = None, rows: int = BLOCK_ROWS) -> Blocks:
    """The rows of an Arrow data set (``pyarrow.dataset.dataset(...)``), by record batches."""

    def start() -> Iterator[Any]:
        batches = dataset.to_batches(columns=columns, batch_size=rows)
        return (batch for batch in batches if batch.num_rows > 0)

    return Blocks(start, dataset.count_rows())


def parquet(
    path: str | os.PathLike[str], columns: list[str] | None = None, rows: int = BLOCK_ROWS
) -> Blocks:
    """The rows of a Parquet file, or of a folder of them, by record batches."""
    import pyarrow.dataset

    return arrow(pyarrow.dataset.dataset(os.fspath(path), format="parquet"), columns, rows)


def blocks(source: Any) -> Iterable[Any]:
    """What `source` stands for: a file's name, an Arrow data set, a function, or blocks."""
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        if name.endswith(".npy"):
            return npy(name)
        if name.endswith((".parquet", ".pq")) or os.path.isdir(name):
            return parquet(name)
        raise ValueError(f"{name}: expected a .npy or .parquet file, or a folder of .parquet files")
    if hasattr(source, "to_batches") and hasattr(source, "count_rows"):
        return arrow(source)
    if callable(source):
        return Blocks(source)
    return iter_checked(source)


def iter_checked(source: Any) -> Iterable[Any]:
    """The source itself, if blocks can be read from it."""
    if isinstance(source, np.ndarray) and source.ndim == 2:
        raise TypeError("fit_stream takes an iterable of blocks, each a 2D array; for one array "
                        "use fit")  # fmt: skip
    if not isinstance(source, Iterable):
        raise TypeError(f"fit_stream takes an iterable of blocks, not {type(source).__name__}")
    return source
