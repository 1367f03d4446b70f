# SPDX-License-Identifier: BSD-3-Clause
"""What engines for clusters have in common: the steps of a fit in parts, from blocks and bytes to bytes.

Every step is a function of its arguments alone, so an engine may run it anywhere, and again where a
worker was lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.base import clone

from . import _params, parts
from ._library import DataError, lib
from ._native import NO_LIMIT
from ._schema import Schema, bytes_of
from .estimator import FROCC

#: How many parts are merged at a time.
FAN_IN = 16


def prepare(detector: FROCC | None) -> FROCC:
    """The estimator to fit, without a model; refuses at once what no fit in parts can do."""
    detector = FROCC() if detector is None else clone(detector)
    parts._check(detector)
    return detector


@contextmanager
def of_a_part() -> Iterator[None]:
    """Rows that cannot be used are counted in their part; who reads of them must know that."""
    try:
        yield
    except DataError as error:
        raise DataError(f"In a partition, whose rows are counted from 0: {error}") from None


def has_rows(block: Any) -> bool:
    """Whether there is anything in a block; engines hand out empty ones."""
    return (block.num_rows if hasattr(block, "num_rows") else len(block)) > 0


def columns(blocks: Iterable[Any]) -> bytes | None:
    """What the columns of the blocks are; None where they have no rows."""
    found = []
    for block in filter(has_rows, blocks):
        with of_a_part():
            found.append(parts.columns_of(block))
    return None if not found else bytes_of_columns(parts.join_columns(*found))


def bytes_of_columns(schema: Schema) -> bytes:
    """What columns_from reads."""
    return bytes_of(lib.frocc_schema_to_bytes, schema.handle)


def merge_columns(some: Iterable[bytes | None]) -> bytes | None:
    """The columns of all of them."""
    found = [Schema.from_bytes(data) for data in some if data is not None]
    return None if not found else bytes_of_columns(parts.join_columns(*found))


def columns_from(data: bytes | None) -> Schema:
    """The columns of all rows."""
    if data is None:
        raise ValueError("there are no rows to learn from")
    return Schema.from_bytes(data)


def needs_sample(detector: FROCC, columns: parts.Columns) -> bool:
    """Whether something is learnt from a sample of the rows before they are fitted."""
    schema = parts._schema_of(columns)
    n_features = columns if isinstance(columns, int) else schema.n_features  # type: ignore
    params, native = parts._settings(detector, schema, int(n_features))
    params.schema = None if native is None else native.handle
    return _params.needs_sample(params)


def sample(detector: FROCC, columns: parts.Columns, blocks: Iterable[Any]) -> bytes | None:
    """The sample of the blocks; None where they have no rows."""
    taken = None
    for block in filter(has_rows, blocks):
        taken = taken or parts.Sample(detector, columns)
        with of_a_part():
            taken.add(block)
    return None if taken is None else taken.to_bytes()


def fit(begin: bytes, blocks: Iterable[Any]) -> bytes | None:
    """The fitter of the blocks; None where they have no rows."""
    fitter = None
    for block in filter(has_rows, blocks):
        fitter = fitter or parts.Fitter.from_bytes(begin, n_jobs=1, max_memory=NO_LIMIT)
        with of_a_part():
            fitter.add(block)
    return None if fitter is None else fitter.to_bytes()


def merge_samples(some: Iterable[bytes | None]) -> bytes | None:
    """The sample of all their rows."""
    merged = None
    for data in some:
        if data is not None:
            one = parts.Sample.from_bytes(data)
            merged = one if merged is None else merged.merge(one)
    return None if merged is None else merged.to_bytes()


def merge_fitters(some: Iterable[bytes | None]) -> bytes | None:
    """The fitter of all their rows."""
    merged = None
    for data in some:
        if data is not None:
            one = parts.Fitter.from_bytes(data, n_jobs=1, max_memory=NO_LIMIT)
            merged = one if merged is None else merged.merge(one)
    return None if merged is None else merged.to_bytes()


def begin(detector: FROCC, columns: parts.Columns, sample: bytes | None) -> bytes:
    """The fitter of no rows that all parts begin with."""
    learnt = columns if sample is None else parts.Sample.from_bytes(sample)
    return parts.Fitter(detector, learnt).to_bytes()


def finish(fitter: bytes | None) -> FROCC:
    """The estimator of all rows."""
    if fitter is None:
        raise ValueError("there are no rows to learn from")
    return parts.Fitter.from_bytes(fitter, max_memory=NO_LIMIT).finish()
