# SPDX-License-Identifier: BSD-3-Clause
"""The detectors that are not FROCC and need no GPU, with the defaults of scikit-learn and PyOD, on
columns of mean 0 and variance 1 over the training rows."""

from __future__ import annotations

from typing import Any

import detectors
import numpy as np
from chosen import KERNELS, Limits
from common import auc, seconds
from metrics import merits
from sets import PaperSet, Rows, Split, split

SVM_ROWS = 1000  # that OC-SVM is trained on at most: its time grows with the square of the rows
SVM_VALIDATION = 200  # rows of each kind by which its kernel is chosen
SVM_TEST = 1500  # rows of each kind that it is judged by


class OneClassSVM(detectors.Peer):
    """One of four kernels."""

    def __init__(self, X: np.ndarray, seed: int, kernel: str) -> None:
        self.kernel, self.most_rows = kernel, SVM_ROWS
        super().__init__(X, seed)

    def fit(self, X: np.ndarray, seed: int) -> Any:
        from sklearn.svm import OneClassSVM

        # A kernel that does not converge is stopped; its validation then speaks for itself.
        return OneClassSVM(kernel=self.kernel, max_iter=20_000).fit(X)


PEERS = {"iforest": "IF", "knn": "5-NN", "loda": "LODA", "ecod": "ECOD", "hbos": "HBOS"}


def best_kernel(rows: Rows, parts: Split, seed: int) -> str:
    fit, held = parts.folds[0]
    held, others = held[:SVM_VALIDATION], parts.val_others[:SVM_VALIDATION]
    train = np.random.default_rng(seed).permutation(rows.X[fit]).astype(np.float64)
    val = Limits(train)(rows.X[np.concatenate([held, others])]).astype(np.float64)
    anomaly = np.arange(len(val)) >= len(held)
    found = {kernel: auc(np.nan_to_num(OneClassSVM(train, seed, kernel).score(val)), anomaly)
             for kernel in KERNELS}
    return max(found, key=lambda kernel: found[kernel])


def one_run(each: PaperSet, rows: Rows, run: int) -> dict[str, Any]:
    parts = split(rows, run)
    train = rows.X[parts.train].astype(np.float64)
    train = train[np.random.default_rng(run).permutation(len(train))]  # groups stand together
    test = Limits(rows.X[parts.train])(rows.X[parts.test]).astype(np.float64)
    result: dict[str, Any] = {}

    def judge(key: str, make: Any, rows: np.ndarray, **more: Any) -> None:
        train_s, model = seconds(make, 0.0)
        test_s, scores = seconds(lambda: model.score(test[rows]), 0.0)
        result[key] = merits(np.nan_to_num(scores), parts.anomaly[rows]) | {
            "train_s": train_s, "test_s": test_s * len(test) / len(rows)} | more

    every = np.arange(len(test))
    for key in PEERS:
        judge(key, lambda: detectors.DETECTORS[key][0](train, run), every)  # noqa: B023
    kernel = best_kernel(rows, parts, run)
    some = np.concatenate([np.flatnonzero(parts.anomaly == kind)[:SVM_TEST]
                           for kind in (False, True)])  # a part's rows stand in random order
    judge("ocsvm", lambda: OneClassSVM(train, run, kernel), some, kernel=kernel,
          trained_on=min(len(train), SVM_ROWS))
    return result
