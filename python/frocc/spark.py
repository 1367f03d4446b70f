# SPDX-License-Identifier: BSD-3-Clause
"""Fit and score Spark data frames: the model that one machine would give, byte for byte.

The rows stay where they are. Each partition gives a sample and then a fitter, which merge in a tree;
what moves is some hundred kilobytes a partition, however many rows it has. Only data frames are
used, no RDDs, so it also runs through Spark Connect. Every column is a feature; numbers, booleans
and texts will do. A frame is read two or three times: one that is not the same each time should be
cached or written first.

The workers need this package. ::

    from frocc import spark
    model = spark.fit(frame.select("bytes", "seconds", "service"))
    spark.score(model, other).orderBy("score").show()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import _cluster
from ._native import NO_LIMIT
from ._schema import Schema
from .estimator import FROCC

__all__ = ["fit", "score"]

_PART = "part binary"


def fit(frame: Any, detector: FROCC | None = None) -> FROCC:
    """The estimator that ``detector.fit`` of all rows would be.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Normal rows; every column is a feature.
    detector : FROCC, optional
        The parameters; the defaults where it is not given.
    """
    detector = _cluster.prepare(detector)
    columns = _columns(frame)
    sample = None
    if _cluster.needs_sample(detector, columns):
        sample = _reduce(
            frame,
            lambda batches: _cluster.sample(detector, columns, batches),
            _cluster.merge_samples,
        )
        if sample is None:
            raise ValueError("there are no rows to learn from")
    begin = _cluster.begin(detector, columns, sample)
    return _cluster.finish(
        _reduce(frame, lambda batches: _cluster.fit(begin, batches), _cluster.merge_fitters)
    )


def score(model: FROCC, frame: Any, column: str = "score") -> Any:
    """The frame with a column more: how normal each row is, higher for more normal.

    Columns that the model does not know are carried along.
    """
    if column in frame.columns:
        raise ValueError(f"the frame has a column {column!r} already; give column another name")
    data, features = model.to_bytes(), [str(name) for name in model.feature_names_in_]
    missing = [name for name in features if name not in frame.columns]
    if missing:
        raise ValueError(f"the frame lacks the column {missing[0]!r}, which the model needs")

    def score_batches(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        local = FROCC.from_bytes(data, max_memory=NO_LIMIT)
        for batch in filter(_cluster.has_rows, batches):
            table = pa.Table.from_batches([batch])
            scores = pa.array(local.score_samples(table.select(features)), pa.float64())
            yield from table.append_column(column, scores).combine_chunks().to_batches()

    return frame.mapInArrow(score_batches, _with_score(frame, column))


def _with_score(frame: Any, column: str) -> Any:
    from pyspark.sql.types import DoubleType, StructField, StructType

    return StructType([*frame.schema.fields, StructField(column, DoubleType())])


def _columns(frame: Any) -> Schema:
    """What they are, which takes a pass over the rows."""
    from pyspark.sql.types import BooleanType, NumericType, StringType

    for field in frame.schema.fields:
        if not isinstance(field.dataType, (StringType, NumericType, BooleanType)):
            raise ValueError(
                f"column {field.name!r} is of type {field.dataType.simpleString()}; numbers, "
                "booleans and strings can be learnt: convert it, or leave it out by select"
            )
    return _cluster.columns_from(_reduce(frame, _cluster.columns, _cluster.merge_columns))


def _step(work: Callable[[Iterable[Any]], bytes | None]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What a partition does with its batches, as mapInArrow wants it."""

    def step(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        result = work(batches)
        if result is not None:
            yield pa.RecordBatch.from_arrays([pa.array([result], pa.binary())], ["part"])

    return step


def _reduce(
    frame: Any,
    work: Callable[[Iterable[Any]], bytes | None],
    merge: Callable[[Iterable[bytes | None]], bytes | None],
) -> bytes | None:
    """What the partitions give, merged: by the workers while there are many, then here."""

    def merge_batches(batches: Iterable[Any]) -> bytes | None:
        return merge(value.as_py() for batch in batches for value in batch.column(0))

    some = frame.mapInArrow(_step(work), _PART).persist()
    try:
        count, merged = some.count(), some
        while count > _cluster.FAN_IN:
            count = -(-count // _cluster.FAN_IN)
            merged = merged.repartition(count).mapInArrow(_step(merge_batches), _PART)
        return merge(bytes(row[0]) for row in merged.collect())
    finally:
        some.unpersist()
