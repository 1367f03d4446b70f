# SPDX-License-Identifier: BSD-3-Clause
"""FROCC in numpy, as one would write it with arrays: exact, by sorting, and binned. Directions come
from outside, so that drawing them is on nobody's clock. Blocks of directions keep the projections of
many rows in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

BLOCK_VALUES = 1 << 24  # projections at a time


def blocks(W: np.ndarray, X: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """(first direction, projections) with a row a direction."""
    step = max(1, BLOCK_VALUES // len(X))
    for first in range(0, len(W), step):
        yield first, W[first : first + step] @ X.T


class Exact:
    """Algorithm 1 of the paper: intervals end where the next value is more than epsilon * range
    away."""

    def __init__(self, W: np.ndarray, epsilon: float) -> None:
        self.W, self.epsilon = W, np.float32(epsilon)

    def fit(self, X: np.ndarray) -> Exact:
        self.lower, self.upper = [], []
        for _, P in blocks(self.W, X):
            P.sort(axis=1)
            far = np.diff(P, axis=1) > (self.epsilon * (P[:, -1:] - P[:, :1]))
            for values, gaps in zip(P, far, strict=True):
                ends = np.flatnonzero(gaps)
                self.lower.append(values[np.r_[0, ends + 1]])
                self.upper.append(values[np.r_[ends, len(values) - 1]])
        return self

    def score(self, X: np.ndarray) -> np.ndarray:
        accepted = np.zeros(len(X), np.int32)
        for first, P in blocks(self.W, X):
            for i, values in enumerate(P, first):
                at = np.searchsorted(self.lower[i], values, side="right") - 1
                accepted += (at >= 0) & (values <= self.upper[i][at])
        return accepted / len(self.W)


class Binned:
    """The paper's own shortcut: bins of a width of epsilon * range, a bin accepts when it or a
    neighbour holds a value. No sort, and an answer that depends on where bins begin."""

    def __init__(self, W: np.ndarray, epsilon: float) -> None:
        self.W, self.n_bins = W, int(np.ceil(1 / epsilon))

    def _bins(self, first: int, P: np.ndarray) -> np.ndarray:
        low, scale = self.low[first : first + len(P), None], self.scale[first : first + len(P), None]
        P -= low
        P *= scale
        np.clip(P, -1, self.n_bins, out=P)  # one more bin at each end stands for all beyond
        P += 1
        return P.astype(np.int32)

    def fit(self, X: np.ndarray) -> Binned:
        self.low, self.scale = np.empty((2, len(self.W)), np.float32)
        held = np.zeros((len(self.W), self.n_bins + 2), bool)
        for first, P in blocks(self.W, X):
            span = slice(first, first + len(P))
            self.low[span] = P.min(axis=1)
            width = P.max(axis=1) - self.low[span]
            self.scale[span] = (self.n_bins - 0.001) / np.where(width > 0, width, 1)
            held[np.arange(first, first + len(P))[:, None], self._bins(first, P)] = True
        self.accepts = held.copy()
        self.accepts[:, 1:] |= held[:, :-1]
        self.accepts[:, :-1] |= held[:, 1:]
        self.accepts[:, [0, -1]] = False
        return self

    def score(self, X: np.ndarray) -> np.ndarray:
        accepted = np.zeros(len(X), np.int32)
        for first, P in blocks(self.W, X):
            for i, bins in enumerate(self._bins(first, P), first):
                accepted += self.accepts[i][bins]
        return accepted / len(self.W)
