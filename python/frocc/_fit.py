# SPDX-License-Identifier: BSD-3-Clause
"""Fitting, for fit, partial_fit and fit_stream alike: rows in blocks, a model at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from . import _progress
from ._library import DataError, Params
from ._native import Fitter, Frame, Model, Sample
from ._params import needs_sample
from ._rows import RowView

#: Multiply-adds between two looks at the keyboard and the progress bar: a few tenths of a second.
_WORK_AT_ONCE = 4e9


class Learner:
    """Takes blocks of rows and gives the model of all of them.

    Parameters
    ----------
    frame, params
        What the library needs.
    before : Model or None
        A model to go on from.
    total : int or None
        The number of rows to come, for the progress bar.
    """

    def __init__(
        self, frame: Frame, params: Params, before: Model | None = None, total: int | None = None
    ) -> None:
        self._frame = frame
        self._params = params
        self._before = before
        self.is_first = before is None
        self._fitter = Fitter(frame, params)
        self._bar = _progress.bar(total, "frocc fit")

    def add(self, rows: RowView) -> None:
        """Takes a block."""
        self._observe(self._fitter, rows)

    def finish(self) -> Model:
        """The model of all rows."""
        model = self._fitter.finish()
        # The new one first: a merged model has the threshold of the first.
        return model if self._before is None else Model.merge([model, self._before])

    def close(self) -> None:
        """Takes the progress bar away."""
        self._bar.close()

    def _observe(self, fitter: Fitter, rows: RowView) -> None:
        m, d = self._frame.shape
        step = max(8192, int(_WORK_AT_ONCE / (m * d)))
        for start in range(0, rows.n_rows, step):
            block = rows if rows.n_rows <= step else rows[start : start + step]
            fitter.add(block)
            self._bar.update(block.n_rows)


def learn_frame(
    params: Params,
    n_features: int,
    blocks: Iterable[RowView],
    explain: Callable[[Exception, RowView], Exception],
) -> Frame:
    """The frame; blocks are read only where something is learnt. explain puts what the library says
    of the rows of a block into words; what fails in getting a block has its own."""
    if not needs_sample(params):
        return Frame.make(params, n_features, None)
    sample = Sample(params, n_features)
    for block in blocks:
        try:
            sample.add(block)
        except DataError as error:
            raise explain(error, block) from None
    try:
        return Frame.make(params, n_features, sample)
    except DataError as error:
        raise explain(error, block) from None
