# SPDX-License-Identifier: BSD-3-Clause
"""Fitting, for fit, partial_fit and fit_stream alike: rows in blocks, a model at the end."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from . import _progress
from ._library import Params
from ._native import Fitter, Frame, Model, Sample
from ._params import needs_sample
from ._rows import RowView

#: Parts that rows are split into where each is scored by a model of the others.
PARTS = 5

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

    def add_held_out(self, rows: RowView) -> np.ndarray:
        """Takes a block and returns the score that each row has from a model of the others.

        A part is every PARTS-th row. The sketches of the parts merge into that of all rows, so
        the rows are projected once to learn and once to score.
        """
        n_parts = min(PARTS, rows.n_rows)
        parts = [Fitter(self._frame, self._params) for _ in range(n_parts)]
        for k, part in enumerate(parts):
            self._observe(part, rows[k::n_parts])
        scores = np.ones(rows.n_rows)
        for k in range(n_parts if n_parts > 1 else 0):
            others = Fitter(self._frame, self._params)
            for part in parts[:k] + parts[k + 1 :]:
                others.merge(part)
            scores[k::n_parts] = others.finish().score(rows[k::n_parts], self._params.threads)
        for part in parts:
            self._fitter.merge(part)
        return scores

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


def learn_frame(params: Params, n_features: int, blocks: Iterable[RowView]) -> Frame:
    """The frame; blocks are read only where something is learnt."""
    if not needs_sample(params):
        return Frame.make(params, n_features, None)
    sample = Sample(params, n_features)
    for block in blocks:
        sample.add(block)
    return Frame.make(params, n_features, sample)
