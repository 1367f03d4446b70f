# SPDX-License-Identifier: BSD-3-Clause
"""The two protocols of the project: which rows train, which test, and the area under the curve."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

MANY_ROWS = 20_000  # training rows from which slow peers get one seed only
PROTOCOLS = {
    # name: most training rows, most normal and anomalous rows to test
    "full": (50_000, None, None),
    "capped": (3_000, 2_000, 2_000),
}


def sets(data: Path) -> list[Path]:
    return sorted((data / "adbench").glob("*.npz"), key=lambda path: path.stem.lower())


def tables(data: Path) -> list[Path]:
    """The shared part of OddBench, split already."""
    return sorted((data / "oddbench").glob("*.npz"))


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    with np.load(path) as z:
        return z["X"].astype(np.float64), z["y"].astype(int)


def split(
    X: np.ndarray, y: np.ndarray, seed: int, protocol: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Training rows, test rows and which of these are anomalies. The same draws as in
    ../shared/adbench_eval.py, with other caps."""
    most, most_normal, most_anomalies = PROTOCOLS[protocol]
    rng = np.random.default_rng(seed)
    normal, anomalies = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
    rng.shuffle(normal)
    half = len(normal) // 2
    test = np.concatenate(
        [normal[half:][:most_normal], rng.permutation(anomalies)[:most_anomalies]]
    )
    return X[normal[:half][:most]], X[test], y[test] == 1


MOST_UNLABELLED = 10_000  # rows of a set, where all rows train


def unlabelled(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows, normal ones and others, and which are anomalies: all, or a draw from many."""
    if len(X) <= MOST_UNLABELLED:
        return X, y == 1
    rows = np.sort(np.random.default_rng(seed).permutation(len(X))[:MOST_UNLABELLED])
    return X[rows], y[rows] == 1


def seeds_for(n_train: int, seeds: int, slow: bool) -> Iterator[int]:
    return iter(range(1 if slow and n_train > MANY_ROWS else seeds))
