# SPDX-License-Identifier: BSD-3-Clause
"""The peers, on one thread each and with their own defaults. Each gets float32 or float64 rows in the
layout it is fastest with; converting is not on the clock."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import numpy_frocc
from shapes import Shape


def row_major(X: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(X, np.float32)


def column_major(X: np.ndarray) -> np.ndarray:
    return np.asfortranarray(X, np.float32)


def doubles(X: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(X, np.float64)


@dataclass(frozen=True)
class Peer:
    name: str
    make: Callable[[Shape, np.ndarray], Any]  # from the shape and the directions
    score: str  # the method
    packages: tuple[str, ...]
    fit_layout: Callable[[np.ndarray], np.ndarray] = row_major
    score_layout: Callable[[np.ndarray], np.ndarray] = row_major
    most_rows: int = 1_000_000  # fitted
    most_queries: int = 1_000_000  # scored
    quick: bool = False

    def is_installed(self) -> bool:
        try:
            return all(version(package) for package in self.packages)
        except PackageNotFoundError:
            return False


def isolation_forest(shape: Shape, W: np.ndarray) -> Any:
    from sklearn.ensemble import IsolationForest

    return IsolationForest(random_state=0)


def isotree(shape: Shape, W: np.ndarray) -> Any:
    from isotree import IsolationForest

    return IsolationForest(ntrees=100, sample_size=256, ndim=1, missing_action="fail", nthreads=1,
                           random_seed=0)


def one_class_svm(shape: Shape, W: np.ndarray) -> Any:
    from sklearn.svm import OneClassSVM

    return OneClassSVM()


def sgd_svm(shape: Shape, W: np.ndarray) -> Any:
    from sklearn.linear_model import SGDOneClassSVM

    return SGDOneClassSVM(random_state=0)


def pyod(module: str, name: str) -> Callable[[Shape, np.ndarray], Any]:
    def make(shape: Shape, W: np.ndarray) -> Any:
        np.random.seed(0)  # LODA draws from the global state
        return getattr(__import__(f"pyod.models.{module}", fromlist=[name]), name)()

    return make


class Neighbours:
    """The distance to the fifth nearest row."""

    def fit(self, X: np.ndarray) -> Neighbours:
        from sklearn.neighbors import NearestNeighbors

        self.index = NearestNeighbors(n_neighbors=5).fit(X)
        return self

    def score(self, X: np.ndarray) -> np.ndarray:
        return -self.index.kneighbors(X)[0][:, -1]


SKLEARN, PYOD = ("scikit-learn", "numpy"), ("pyod", "numpy")

PEERS = {
    "sklearn_if": Peer("scikit-learn IsolationForest", isolation_forest, "score_samples", SKLEARN,
                       quick=True),
    "isotree": Peer("isotree, 100 trees of 256 rows", isotree, "predict",
                    ("isotree", "pandas"),
                    fit_layout=column_major, quick=True),
    "numpy": Peer("numpy FROCC, exact", lambda shape, W: numpy_frocc.Exact(W, shape.epsilon),
                  "score", ("numpy",), quick=True),
    "numpy_binned": Peer("numpy FROCC, binned",
                         lambda shape, W: numpy_frocc.Binned(W, shape.epsilon), "score",
                         ("numpy",)),
    "ocsvm": Peer("scikit-learn OneClassSVM", one_class_svm, "score_samples", SKLEARN,
                  fit_layout=doubles, score_layout=doubles, most_rows=3_000, most_queries=2_000),
    "sgd_svm": Peer("scikit-learn SGDOneClassSVM", sgd_svm, "score_samples", SKLEARN),
    "knn": Peer("5 nearest neighbours, scikit-learn", lambda shape, W: Neighbours(), "score",
                SKLEARN, most_rows=12_000, most_queries=1_000),
    "loda": Peer("PyOD LODA", pyod("loda", "LODA"), "decision_function", PYOD,
                 fit_layout=doubles, score_layout=doubles, most_rows=50_000, most_queries=50_000),
    "ecod": Peer("PyOD ECOD", pyod("ecod", "ECOD"), "decision_function", PYOD,
                 fit_layout=doubles, score_layout=doubles, most_rows=20_000, most_queries=20_000),
    "hbos": Peer("PyOD HBOS", pyod("hbos", "HBOS"), "decision_function", PYOD,
                 fit_layout=doubles, score_layout=doubles, most_rows=50_000, most_queries=50_000),
}


def versions(keys: list[str]) -> dict[str, str]:
    return {package: version(package) for key in keys for package in PEERS[key].packages}


WARM_UP_ROWS = 64


class Contestant:
    """A peer with the rows of a shape. It has worked before, on few rows: imports and compilers are
    not on the clock."""

    def __init__(self, peer: Peer, shape: Shape, X: np.ndarray, Q: np.ndarray, W: np.ndarray) -> None:
        self.peer, self.shape, self.W = peer, shape, W
        self._take(X[:WARM_UP_ROWS], Q[:WARM_UP_ROWS])
        self.fit()
        self.score()
        self._take(X[: peer.most_rows], Q[: peer.most_queries])

    def _take(self, X: np.ndarray, Q: np.ndarray) -> None:
        self.X, self.Q = self.peer.fit_layout(X), self.peer.score_layout(Q)

    def fit(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model = self.peer.make(self.shape, self.W).fit(self.X)

    def score(self) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return getattr(self.model, self.peer.score)(self.Q)
