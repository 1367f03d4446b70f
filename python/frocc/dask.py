# SPDX-License-Identifier: BSD-3-Clause
"""Fit and score Dask arrays and data frames: the model that one machine would give, byte for byte.

The rows stay where they are: each block gives a sample and then a fitter, which merge in a tree, on
whatever scheduler or cluster Dask uses. A collection is computed two or three times; persist it first
where that is dear. ::

    from frocc import dask
    model = dask.fit(rows)
    scores = dask.score(model, other).compute()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _cluster, parts
from .estimator import FROCC

__all__ = ["fit", "score"]


def fit(data: Any, detector: FROCC | None = None) -> FROCC:
    """The estimator that ``detector.fit`` of all rows would be.

    Parameters
    ----------
    data : dask.array.Array or dask.dataframe.DataFrame
        Normal rows.
    detector : FROCC, optional
        The parameters; the defaults where it is not given.
    """
    detector = _cluster.prepare(detector)
    blocks = _blocks(data)
    columns = _columns(data, blocks)
    sample = None
    if _cluster.needs_sample(detector, columns):
        sample = _reduce(
            blocks,
            lambda block: _cluster.sample(detector, columns, [block]),
            _cluster.merge_samples,
        )
        if sample is None:
            raise ValueError("there are no rows to learn from")
    begin = _cluster.begin(detector, columns, sample)
    return _cluster.finish(
        _reduce(blocks, lambda block: _cluster.fit(begin, [block]), _cluster.merge_fitters)
    )


def score(model: FROCC, data: Any) -> Any:
    """How normal each row is, higher for more normal: a Dask array or series."""
    if not hasattr(data, "map_partitions"):
        rows = data.rechunk({1: -1})
        return rows.map_blocks(_score_array, model=model, drop_axis=1, dtype=np.float64)
    import pandas as pd

    return data.map_partitions(_score_frame, model, meta=pd.Series(dtype=np.float64, name="score"))


def _score_array(block: Any, model: FROCC) -> Any:
    return model.score_samples(block) if len(block) > 0 else np.zeros(0)


def _score_frame(frame: Any, model: FROCC) -> Any:
    import pandas as pd

    scores = model.score_samples(frame) if len(frame) > 0 else np.zeros(0)
    return pd.Series(scores, index=frame.index, name="score")


def _blocks(data: Any) -> list[Any]:
    if hasattr(data, "map_partitions"):
        return list(data.to_delayed())
    if not hasattr(data, "rechunk") or data.ndim != 2:
        raise TypeError("fit takes a Dask array of rows and columns or a Dask data frame, not "
                        f"{type(data).__name__}")  # fmt: skip
    return list(data.rechunk({1: -1}).to_delayed().ravel())


def _columns(data: Any, blocks: list[Any]) -> parts.Columns:
    """Their number; or what they are, which takes a pass over the rows."""
    if not hasattr(data, "map_partitions"):
        return int(data.shape[1])
    found = _reduce(blocks, lambda block: _cluster.columns([block]), _cluster.merge_columns)
    return _cluster.columns_from(found)


def _reduce(
    blocks: list[Any],
    work: Callable[[Any], bytes | None],
    merge: Callable[[list[bytes | None]], bytes | None],
) -> bytes | None:
    """What the blocks give, merged in a tree by the workers."""
    import dask

    some = [dask.delayed(work)(block) for block in blocks]
    while len(some) > 1:
        step = _cluster.FAN_IN
        some = [dask.delayed(merge)(some[i : i + step]) for i in range(0, len(some), step)]
    result = dask.compute(*some)
    return result[0] if result else None
