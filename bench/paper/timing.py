# SPDX-License-Identifier: BSD-3-Clause
"""Training and test times in the paper's form, time(IF) / time(M), all in one run: rounds in which
every method has its turn, and of each the smallest time. One core is measured by CPU time, which
other programs disturb little; two cores by wall time. Files and scaling are outside the clock. FROCC
has the published parameters, and those chosen in run 0."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sets
from chosen import Choice, Limits, detector, prepared, published
from peers import SVM_ROWS

KEYS = ("A1", "A2", "A4", "B1", "B2", "B3-0", "B4", "B5-fox", "B6-12", "B7")
ROUNDS, SECONDS = 15, 15.0  # at most, for a set; two rounds at least


class Forest:
    def __init__(self, X: np.ndarray) -> None:
        from sklearn.ensemble import IsolationForest

        self.model = IsolationForest(random_state=0).fit(X)

    def score(self, X: np.ndarray) -> None:
        self.model.score_samples(X)


class Machine:
    """Four kernels were chosen from elsewhere; RBF is the usual one and neither fastest nor slowest."""

    def __init__(self, X: np.ndarray) -> None:
        from sklearn.svm import OneClassSVM

        self.model = OneClassSVM().fit(X[:SVM_ROWS])

    def score(self, X: np.ndarray) -> None:
        self.model.score_samples(X)


def projections(choice: Choice, threads: int) -> Callable[[np.ndarray], Any]:
    class Frocc:
        def __init__(self, X: np.ndarray) -> None:
            self.model = detector(choice, 0, n_jobs=threads).fit(X)

        def score(self, X: np.ndarray) -> None:
            self.model.score_samples(X)

    return Frocc


def now() -> tuple[float, float]:
    return time.process_time(), time.perf_counter()


def one_set(each: sets.PaperSet, rows: sets.Rows, kept: dict[str, Any]) -> dict[str, Any]:
    parts = sets.split(rows, 0)
    raw = rows.X[parts.train], Limits(rows.X[parts.train])(rows.X[parts.test])
    mean, deviation = raw[0].mean(0), raw[0].std(0)
    scaled = [(X - mean) / np.where(deviation > 0, deviation, 1) for X in raw]
    choice = Choice(kept["kernel"], kept["scaling"], kept["epsilon"], kept["m"])
    plain, own = ([prepared(X, s) for X in raw] for s in ("none", choice.scaling))
    methods: dict[str, tuple[Callable[[np.ndarray], Any], list[np.ndarray]]] = {
        "iforest": (Forest, scaled), "ocsvm": (Machine, scaled)}
    for threads in (1, 2):
        methods[f"published-{threads}"] = (projections(published(each), threads), plain)
        methods[f"chosen-{threads}"] = (projections(choice, threads), own)
    # CPU and wall seconds of training, then of testing
    best = {name: np.full((2, 2), np.inf) for name in methods}
    started = time.perf_counter()
    for turn in range(ROUNDS):
        if turn > 1 and time.perf_counter() - started > SECONDS:
            break
        for name, (make, (train, test)) in methods.items():
            stamps = [now()]
            model = make(train)
            stamps.append(now())
            model.score(test)
            stamps.append(now())
            best[name] = np.minimum(best[name], np.diff(stamps, axis=0))
    return {"train": len(parts.train), "test": len(parts.test), "rounds": turn + 1,
            "svm_rows": min(SVM_ROWS, len(parts.train)), "times": {name: spent[:, int(name.endswith("-2"))].tolist()
                      for name, spent in best.items()},
            "wall": {name: spent[:, 1].tolist() for name, spent in best.items()}}


def everything(data: Path, frocc: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key in KEYS:
        each = sets.BY_KEY[key]
        if each.is_there(data) and key in frocc["sets"]:
            result[key] = one_set(each, each.load(data), frocc["sets"][key]["0"]["chosen"])
            print(f"  speed {key}", flush=True)
    return {"sets": result, "cores": os.cpu_count(), "load": list(os.getloadavg())}
