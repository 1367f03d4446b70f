# SPDX-License-Identifier: BSD-3-Clause
"""Why a row was rejected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._native import Model
from ._rows import RowView


@dataclass(frozen=True)
class Explanation:
    """Why one row scores as it does.

    Attributes
    ----------
    score : float
        What `score_samples` gives.
    directions : ndarray of int
        The directions that reject the row, the farthest first.
    distances : ndarray of float
        For each, how far its projection is from the nearest interval: positive above it,
        negative below.
    values : ndarray of float
        The row.
    better : ndarray of float
        Per feature, the value with which the row would score best if nothing else changed; the
        row's own where no other value helps.
    gain : ndarray of float
        By how much the score would then rise.
    feature_names : ndarray of str
        Names of the features, ``x0``, ``x1``, ... where the data had none.
    """

    score: float
    directions: np.ndarray
    distances: np.ndarray
    values: np.ndarray
    better: np.ndarray
    gain: np.ndarray
    feature_names: np.ndarray

    @property
    def excess(self) -> np.ndarray:
        """Per feature, in its own units, how much too high (positive) or too low it is."""
        excess: np.ndarray = self.values - self.better
        return excess

    def top(self, n: int = 5) -> list[tuple[str, float]]:
        """The features that carry the rejection, the heaviest first, each with its excess."""
        order = np.argsort(-self.gain, kind="stable")[:n]
        return [
            (str(self.feature_names[j]), float(self.excess[j])) for j in order if self.gain[j] > 0.0
        ]


def explain(
    model: Model, rows: RowView, feature_names: np.ndarray, threads: int
) -> list[Explanation]:
    """An explanation for each row."""
    frame = model.frame
    found = []
    for r in range(rows.n_rows):
        row = rows[r : r + 1]
        distance = model.distances(row, threads)[0].astype(np.float64)
        rejecting = np.flatnonzero(distance > 0.0)
        rejecting = rejecting[np.argsort(-distance[rejecting], kind="stable")]
        projection = frame.project(row)[0]
        below = [_is_below(model.intervals(int(i)), projection[i]) for i in rejecting]
        values = row.values[0] if isinstance(row.values, np.ndarray) else row.values.toarray()[0]
        gain, better = model.explain(row)
        values = values.astype(np.float64)
        found.append(
            Explanation(
                score=float(model.score(row, threads)[0]),
                directions=rejecting,
                distances=np.where(below, -1.0, 1.0) * distance[rejecting],
                values=values,
                better=np.where(gain > 0.0, better, values),
                gain=gain,
                feature_names=feature_names,
            )
        )
    return found


def _is_below(intervals: np.ndarray, value: np.float32) -> bool:
    """Whether the interval nearest to a value that is in none lies above it."""
    lower, upper = intervals[:, 0], intervals[:, 1]
    above = int(np.searchsorted(lower, value))  # the first interval that starts above
    if above == 0:
        return True
    if above == len(lower):
        return False
    return bool(lower[above] - value < value - upper[above - 1])
