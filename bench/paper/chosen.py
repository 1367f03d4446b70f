# SPDX-License-Identifier: BSD-3-Clause
"""FROCC as the paper uses it: kernel, scaling, epsilon and m chosen with a validation part; and with
the authors' published parameters. The score is the agreement.

One fit per kernel and scaling answers the whole grid of epsilon and m in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from common import ranks, seconds
from frocc import FROCC
from frocc._library import DataError
from metrics import merits
from sets import PaperSet, Rows, Split, split

KERNELS = ("linear", "rbf", "poly", "sigmoid")
TABLE_SCALINGS = ("none", "standard", "minmax", "asinh", "whiten")
IMAGE_SCALINGS = ("none", "standard", "contrast", "contrast-standard")
EPSILONS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
DIRECTIONS = (10, 20, 50, 100, 200, 500, 1000)
MOST_VALIDATION = 750  # rows of each kind
FAR = 1000.0  # ranges beyond the training rows' own at which a value is cut off


@dataclass
class Choice:
    kernel: str
    scaling: str
    epsilon: float
    m: int
    validation: float = float("nan")


class Limits:
    """Values so far out that a scaled one could overflow are cut off; it matters in B2, where a
    column that hardly varies in training does so later."""

    def __init__(self, train: np.ndarray) -> None:
        low, high = train.min(axis=0).astype(np.float64), train.max(axis=0).astype(np.float64)
        width = np.where(high > low, high - low, 1.0)
        self.low, self.high = low - FAR * width, high + FAR * width

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return np.clip(X, self.low, self.high) if X.dtype != np.uint8 else X


def prepared(X: np.ndarray, scaling: str) -> np.ndarray:
    """float32; for contrast each row less its mean, of length 1."""
    X = X.astype(np.float32)
    if not scaling.startswith("contrast"):
        return X
    X -= X.mean(axis=1, keepdims=True)
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-6)


def detector(choice: Choice, seed: int, **changed: Any) -> FROCC:
    scaling = {"contrast": "none", "contrast-standard": "standard"}.get(
        choice.scaling, choice.scaling)
    return FROCC.paper(directions=choice.m, epsilon=choice.epsilon, kernel=choice.kernel,
                       scaling=scaling, random_state=seed, **changed)


def column_aucs(scores: np.ndarray, anomaly: np.ndarray) -> np.ndarray:
    """The area under the curve of each column."""
    n, k = int(np.sum(~anomaly)), int(np.sum(anomaly))
    sums = np.array([ranks(column)[~anomaly].sum() for column in scores.T])
    return (sums - n * (n + 1) / 2) / (n * k)


def some(rows: np.ndarray) -> np.ndarray:
    """As many as validate at most, evenly from all, as groups stand together."""
    n = min(len(rows), MOST_VALIDATION)
    return rows[np.arange(n) * len(rows) // max(n, 1)]


def grid(X: np.ndarray, parts: Split, kernel: str, scaling: str, seed: int) -> np.ndarray:
    """Validation AUC at every (epsilon, m), the mean over the folds."""
    total = np.zeros(len(EPSILONS) * len(DIRECTIONS))
    for fit, held in parts.folds:
        held, others = some(held), some(parts.val_others)
        limits = Limits(X[fit])
        model = detector(Choice(kernel, scaling, EPSILONS[0], DIRECTIONS[-1]), seed)
        rows = prepared(limits(X[np.concatenate([held, others])]), scaling)
        try:
            scores = model.fit(prepared(X[fit], scaling)).grid_scores(rows, DIRECTIONS, EPSILONS)
        except DataError:  # a scaling that overflows is not for this set
            return np.zeros((len(EPSILONS), len(DIRECTIONS)))
        scores = scores.reshape(len(rows), -1)
        total += column_aucs(scores, np.arange(len(rows)) >= len(held))
    return total.reshape(len(EPSILONS), len(DIRECTIONS)) / len(parts.folds)


def choose(rows: Rows, parts: Split, seed: int, without: str = "") -> Choice:
    """The best on validation; of equals the one of fewest directions and largest epsilon."""
    best = Choice("linear", "none", 1.0, 1, -1.0)
    for scaling in IMAGE_SCALINGS if rows.shape else TABLE_SCALINGS:
        if scaling == without:
            continue
        for kernel in KERNELS:
            found = grid(rows.X, parts, kernel, scaling, seed)
            for j, m in enumerate(DIRECTIONS):
                for i in reversed(range(len(EPSILONS))):
                    if found[i, j] > best.validation:
                        best = Choice(kernel, scaling, EPSILONS[i], m, float(found[i, j]))
    return best


def judged(choice: Choice, rows: Rows, parts: Split, seed: int) -> dict[str, float]:
    train, test = rows.X[parts.train], rows.X[parts.test]
    test = prepared(Limits(train)(test), choice.scaling)
    train = prepared(train, choice.scaling)
    fit_s, model = seconds(lambda: detector(choice, seed).fit(train), 0.0)
    test_s, scores = seconds(lambda: model.score_samples(test), 0.0)
    return merits(scores, parts.anomaly) | {"train_s": fit_s, "test_s": test_s}


def published(each: PaperSet) -> Choice:
    """The authors' parameters. They name no scaling, so there is none."""
    return Choice(each.kernel, "none", each.epsilon, each.m)


def label_free(each: PaperSet, rows: Rows, run: int) -> dict[str, Any]:
    """This library's default, which chooses nothing."""
    parts = split(rows, run)
    train = prepared(rows.X[parts.train], "none")
    test = prepared(Limits(rows.X[parts.train])(rows.X[parts.test]), "none")
    try:
        fit_s, model = seconds(lambda: FROCC().fit(train), 0.0)
    except DataError as error:  # the page says so
        return {"refused": str(error)}
    test_s, scores = seconds(lambda: model.score_samples(test), 0.0)
    merit = merits(scores, parts.anomaly)
    return {"label-free": merit | {"train_s": fit_s, "test_s": test_s}}


def one_run(each: PaperSet, rows: Rows, run: int) -> dict[str, Any]:
    """Everything about FROCC in one run of one set; the seed of the directions is the run."""
    parts = split(rows, run)
    choice = choose(rows, parts, run)
    try:
        merit = judged(choice, rows, parts, run)
    except DataError:  # the whole training half overflows where its parts did not
        choice = choose(rows, parts, run, without=choice.scaling)
        merit = judged(choice, rows, parts, run)
    return {"chosen": vars(choice) | merit,
            "published": judged(published(each), rows, parts, run)}
