# SPDX-License-Identifier: BSD-3-Clause
"""Whether structured directions find the same anomalies as dense ones: areas under the ROC curve over
the sets with at least 50 features, by the frocc command. The method is
the paper's on standardised columns; labels only measure."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import protocol
import sets
from common import auc
from program import scratch

FEWEST_FEATURES = 50
SEEDS = 3
MOST_TRAIN = MOST_TEST = 2_000  # rows to fit; of each kind to score
DIRECTIONS = 1_000
FAMILIES = ("gaussian", "hadamard")

Case = tuple[np.ndarray, np.ndarray, np.ndarray, float]  # train, test, which are anomalies, epsilon


def tabular(path: Path, seed: int) -> Case | None:
    X, y = protocol.read(path)
    if X.shape[1] < FEWEST_FEATURES:
        return None
    return (*protocol.split(X, y, seed, "capped"), 0.1)


def of_the_paper(each: sets.PaperSet, data: Path, seed: int) -> Case | None:
    if not each.is_there(data):
        return None
    rows = each.load(data)
    if rows.X.shape[1] < FEWEST_FEATURES:
        return None
    split = sets.split(rows, seed)
    keep = np.concatenate([np.flatnonzero(split.anomaly == kind)[:MOST_TEST] for kind in (0, 1)])
    return (rows.X[split.train], rows.X[split.test[keep]], split.anomaly[keep], each.epsilon)


def cases(data: Path, seed: int) -> Iterator[tuple[str, Case]]:
    for path in protocol.sets(data):
        case = tabular(path, seed)
        if case is not None:
            yield path.stem, case
    for each in sets.SETS:
        case = of_the_paper(each, data, seed)
        if case is not None:
            yield each.key, case


def cleaned(X: np.ndarray) -> np.ndarray:
    """B2 has columns that are zero but for rounding: scaled by that, a true value has no bounds."""
    return np.where(np.abs(X) < 1e-12, 0, X).astype(np.float32)


def normality(build: Path, family: str, case: Case) -> np.ndarray:
    frocc = str(build / "frocc")
    with scratch(build) as folder:
        train, test, model, out = (f"{folder}/{name}" for name in
                                   ("train.npy", "test.npy", "model.frocc", "scores.npy"))
        np.save(train, cleaned(case[0][:MOST_TRAIN]))
        np.save(test, cleaned(case[1]))
        for command in (
            [frocc, "fit", "--scaling", "standard", "--score", "agreement", "--threshold", "1",
             "-m", str(DIRECTIONS), "-e", str(case[3]), "--family", family, train, "-o", model],
            [frocc, "score", model, test, "-o", out],
        ):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(done.stderr.strip())
        return np.load(out).ravel()


def measure(build: Path, data: Path) -> dict[str, Any]:
    """The areas by set and family; empty, with the reason, where the command lacks a family."""
    found: dict[str, dict[str, list[float]]] = {}
    for seed in range(SEEDS):
        for name, case in cases(data, seed):
            for family in reversed(FAMILIES):
                try:
                    scores = normality(build, family, case)
                except RuntimeError as error:
                    return {"sets": {}, "missing": str(error)}
                areas = found.setdefault(name, {}).setdefault(family, [])
                areas.append(round(auc(scores, case[2].astype(bool)), 5))
    return {"sets": found, "seeds": SEEDS, "directions": DIRECTIONS}


def difference(result: dict[str, Any]) -> float | None:
    """Mean area with structured directions less that with dense ones."""
    if not result["sets"]:
        return None
    dense, fast = (np.mean([np.mean(areas[family]) for areas in result["sets"].values()])
                   for family in FAMILIES)
    return float(fast - dense)
