# SPDX-License-Identifier: BSD-3-Clause
"""The detectors that are compared. Each is fitted on normal rows only and gives a score a row,
higher for more normal. No detector is tuned to a set: frocc has its two settings, of which the
default was chosen by its mean over these sets, and the peers have the defaults of scikit-learn and
PyOD. Peers, and frocc as in the paper, get columns scaled to mean 0 and variance 1 over the training
rows."""

from __future__ import annotations

import pickle
import warnings
from importlib.metadata import version
from typing import Any

import frocc
import numpy as np


class Frocc:
    """The label-free default: no scaling outside, no parameters."""

    def __init__(self, X: np.ndarray, seed: int, **changes: Any) -> None:
        self.model = frocc.FROCC(n_jobs=1, **changes).fit(X)

    def score(self, X: np.ndarray) -> np.ndarray:
        return self.model.score_samples(X)

    def size(self) -> int:
        return len(self.model.to_bytes())


class FroccPaper(Frocc):
    """m 1000, epsilon 0.1, agreement, linear kernel."""

    def __init__(self, X: np.ndarray, seed: int) -> None:
        self.model = frocc.FROCC.paper(scaling="standard", n_jobs=1).fit(X)


class Peer:
    """A detector of scikit-learn or PyOD behind a scaler."""

    most_rows = 50_000  # what it is trained on at most

    def __init__(self, X: np.ndarray, seed: int) -> None:
        from sklearn.preprocessing import StandardScaler

        X = X[: self.most_rows]  # the rows are shuffled
        self.scaler = StandardScaler().fit(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model = self.fit(self.scaler.transform(X), seed)

    def fit(self, X: np.ndarray, seed: int) -> Any:
        raise NotImplementedError

    def normality(self, X: np.ndarray) -> np.ndarray:
        return self.model.score_samples(X)

    def score(self, X: np.ndarray) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(self.normality(self.scaler.transform(X)), np.float64)

    def size(self) -> int:
        return len(pickle.dumps(self.model))


class PyOD(Peer):
    def normality(self, X: np.ndarray) -> np.ndarray:
        return -self.model.decision_function(X)


class IsolationForest(Peer):
    def fit(self, X: np.ndarray, seed: int) -> Any:
        from sklearn.ensemble import IsolationForest

        return IsolationForest(random_state=seed).fit(X)


class OneClassSVM(Peer):
    most_rows = 5_000

    def fit(self, X: np.ndarray, seed: int) -> Any:
        from sklearn.svm import OneClassSVM

        return OneClassSVM().fit(X)


class LODA(PyOD):
    def fit(self, X: np.ndarray, seed: int) -> Any:
        from pyod.models.loda import LODA

        np.random.seed(seed)  # LODA draws from the global state
        return LODA().fit(X)


class ECOD(PyOD):
    def fit(self, X: np.ndarray, seed: int) -> Any:
        from pyod.models.ecod import ECOD

        return ECOD().fit(X)


class HBOS(PyOD):
    def fit(self, X: np.ndarray, seed: int) -> Any:
        from pyod.models.hbos import HBOS

        return HBOS().fit(X)


class LOF(Peer):
    def fit(self, X: np.ndarray, seed: int) -> Any:
        from sklearn.neighbors import LocalOutlierFactor

        return LocalOutlierFactor(novelty=True).fit(X)


class KNN(Peer):
    """The distance to the fifth nearest training row."""

    def fit(self, X: np.ndarray, seed: int) -> Any:
        from sklearn.neighbors import NearestNeighbors

        return NearestNeighbors(n_neighbors=5).fit(X)

    def normality(self, X: np.ndarray) -> np.ndarray:
        return -self.model.kneighbors(X)[0][:, -1]


class Mahalanobis(Peer):
    """The distance from the mean, by the covariance of the training rows."""

    def fit(self, X: np.ndarray, seed: int) -> Any:
        from sklearn.covariance import EmpiricalCovariance

        return EmpiricalCovariance().fit(X)

    def normality(self, X: np.ndarray) -> np.ndarray:
        return -self.model.mahalanobis(X)


# ---- Without labels: all rows train, PyOD's defaults, the scores of the training rows --------------

def unsupervised(key: str, X: np.ndarray, seed: int) -> np.ndarray:
    """How abnormal each row is among the others."""
    from pyod.models.ecod import ECOD as PyECOD
    from pyod.models.iforest import IForest
    from pyod.models.knn import KNN as PyKNN
    from pyod.models.lof import LOF as PyLOF
    from sklearn.preprocessing import StandardScaler

    from frocc.pyod import FROCC as PyFROCC

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if key == "frocc":
            return PyFROCC(random_state=seed, n_jobs=1).fit(X).decision_scores_
        makers = {"iforest": lambda: IForest(random_state=seed), "ecod": PyECOD, "knn": PyKNN,
                  "lof": PyLOF}
        return makers[key]().fit(StandardScaler().fit_transform(X)).decision_scores_


UNSUPERVISED = {"frocc": "frocc", "iforest": "Isolation Forest", "ecod": "ECOD",
                "knn": "5 nearest neighbours", "lof": "LOF (20 neighbours)"}


#: key: (class, name, whether sets with many rows get one seed only)
DETECTORS: dict[str, tuple[type, str, bool]] = {
    "frocc": (Frocc, "frocc (default)", False),
    "frocc-paper": (FroccPaper, "frocc as in the paper", False),
    "iforest": (IsolationForest, "Isolation Forest", False),
    "ocsvm": (OneClassSVM, "OC-SVM (RBF)", True),
    "loda": (LODA, "LODA", False),
    "ecod": (ECOD, "ECOD", False),
    "hbos": (HBOS, "HBOS", False),
    "lof": (LOF, "LOF (novelty)", True),
    "knn": (KNN, "5 nearest neighbours", True),
    "mahalanobis": (Mahalanobis, "Mahalanobis distance", False),
}


def versions(key: str) -> dict[str, str]:
    if key.startswith("frocc"):
        return {"frocc": f"{frocc.__version__} ({frocc.cpu_level()})"}
    return {name: version(name) for name in ("scikit-learn", "pyod", "numpy")}
