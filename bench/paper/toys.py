# SPDX-License-Identifier: BSD-3-Clause
"""The paper's two toy sets, of which it shows pictures only, and what Figure 1 and the contours of
the proposition on error decay show. Needs nothing but numpy and frocc."""

from __future__ import annotations

from typing import Any

import numpy as np
from frocc import FROCC
from metrics import auc

#: (epsilon, kernel), as in Figure 1.
VARIANTS = ((1.0, "linear"), (1.0, "rbf"), (0.1, "linear"), (0.1, "rbf"))
SIDE = 2.5  # of the pictures: from -SIDE to SIDE
PIXELS = 90
CONTOUR_DIRECTIONS = (1, 2, 8)


def gaussians(n: int, rng: np.random.Generator) -> np.ndarray:
    """Three clusters."""
    centres = np.array([[-1.2, -0.9], [1.3, -0.7], [0.0, 1.4]])
    return centres[rng.integers(3, size=n)] + 0.22 * rng.normal(size=(n, 2))


def moons(n: int, rng: np.random.Generator) -> np.ndarray:
    """Two half circles that reach into each other."""
    angle, second = np.pi * rng.random(n), rng.random(n) < 0.5
    X = np.c_[np.where(second, 1 - np.cos(angle), np.cos(angle)),
              np.where(second, 0.5 - np.sin(angle), np.sin(angle))]
    return (X - [0.5, 0.25]) * 1.3 + 0.08 * rng.normal(size=(n, 2))


TOYS = {"gaussians": gaussians, "moons": moons}


def picture() -> np.ndarray:
    """The pixels' middles, row by row from the lower left."""
    ticks = (np.arange(PIXELS) + 0.5) / PIXELS * 2 * SIDE - SIDE
    return np.stack(np.meshgrid(ticks, ticks), -1).reshape(-1, 2)


def toy_model(X: np.ndarray, epsilon: float, kernel: str) -> FROCC:
    return FROCC.paper(directions=1000, epsilon=epsilon, kernel=kernel, gamma=1.0).fit(X)


def roc_of_toys() -> dict[str, list[float]]:
    """Percent: 1,000 training rows, 2,000 fresh ones against as many spread over the picture."""
    found = {}
    for name, make in TOYS.items():
        rng = np.random.default_rng(0)
        X, test = make(1000, rng), np.vstack([make(2000, rng), rng.uniform(-SIDE, SIDE, (2000, 2))])
        anomaly = np.arange(4000) >= 2000
        found[name] = [100 * auc(toy_model(X, *variant).score_samples(test), anomaly)
                       for variant in VARIANTS]
    return found


def acceptance(models: int) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """The training rows, and per m the share of models that accept each pixel. Epsilon is 1."""
    X, pixels = gaussians(60, np.random.default_rng(3))[:, :] * 0.8, picture()
    total = {m: np.zeros(len(pixels)) for m in CONTOUR_DIRECTIONS}
    for seed in range(models):
        model = FROCC.paper(directions=8, epsilon=1.0, random_state=seed).fit(X)
        shares = model.grid_scores(pixels, CONTOUR_DIRECTIONS, [1.0])[:, 0]
        for j, m in enumerate(CONTOUR_DIRECTIONS):
            total[m] += shares[:, j] == 1
    return X, {m: count / models for m, count in total.items()}


def decay_on_the_picture(models: int = 1000) -> dict[str, Any]:
    """How far the share of models that accept a pixel is from (1 - mu)^m: largest over the pixels."""
    _, shares = acceptance(models)
    one = shares[1]
    return {"models": models,
            "largest_gap": {str(m): float(np.abs(shares[m] - one ** m).max()) for m in (2, 8)}}
