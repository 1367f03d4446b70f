# SPDX-License-Identifier: BSD-3-Clause
"""The paper's theory, checked by experiment. What must hold for every instance is counted over many
(no violation is allowed); what is statistical is measured against what is predicted."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from frocc import FROCC, _library

EPSILONS = (0.001, 0.01, 0.1, 0.3, 1.0)
DIRECTIONS = (1, 2, 5, 20, 60)


def cloud(rng: np.random.Generator) -> np.ndarray:
    """Rows of one of three kinds: one cluster, several, long tails; 2 to 200 of 1 to 12 columns."""
    n, d = int(rng.integers(2, 200)), int(rng.integers(1, 12))
    X = rng.normal(size=(n, d))
    kind = rng.integers(3)
    if kind == 1:
        X += 20 * rng.normal(size=(4, d))[rng.integers(4, size=n)]
    return np.sinh(2 * X) if kind == 2 else X


# ---- Every instance --------------------------------------------------------------------------------

def violations_of_monotony(rows: int, seed: int = 0) -> dict[str, int]:
    """Coupled models: the same directions, several epsilons and m. A query that a model accepts is
    accepted with a larger epsilon and with fewer directions; a model is not larger with a larger
    epsilon and not smaller with more directions. Counts instances and those that break it."""
    rng, found = np.random.default_rng(seed), {"decisions": 0, "sizes": 0, "violations": 0}
    for case in range(rows):
        X = cloud(rng)
        model = FROCC.paper(directions=DIRECTIONS[-1], epsilon=EPSILONS[0], random_state=case,
                            kernel=("linear", "rbf", "poly", "sigmoid")[case % 4]).fit(X)
        near = X[rng.integers(len(X), size=50)] * (1 + 0.2 * rng.normal(size=(50, X.shape[1])))
        accepted = model.grid_scores(np.vstack([X, near]), DIRECTIONS, EPSILONS) == 1
        sizes = np.array([[size(model.coarsen(e).truncate(m)) for m in DIRECTIONS]
                          for e in EPSILONS])
        found["decisions"] += accepted.size
        found["sizes"] += sizes.size
        found["violations"] += int(np.sum(accepted[:, :-1] & ~accepted[:, 1:]))
        found["violations"] += int(np.sum(~accepted[:, :, :-1] & accepted[:, :, 1:]))
        found["violations"] += int(np.sum(np.diff(sizes, axis=0) > 0))
        found["violations"] += int(np.sum(np.diff(sizes, axis=1) < 0))
        found["violations"] += int(np.sum(~accepted[: len(X)]))  # training rows are normal
    return found


def size(model: FROCC) -> int:
    """The paper's model size: two numbers an interval."""
    return 2 * int(model.info_["n_intervals"])


def size_bounds(m: int, epsilon: float) -> tuple[int, int]:
    """The library's."""
    low, high = ctypes.c_uint64(), ctypes.c_uint64()
    function = _library.lib.frocc_theory_size_bounds
    function.argtypes = [ctypes.c_size_t, ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p]
    _library.check(function(m, epsilon, ctypes.addressof(low), ctypes.addressof(high)))
    return low.value, high.value


def model_sizes(rows: int, seed: int = 1) -> dict[str, Any]:
    """How often the two bounds hold: 2m <= M <= 2m(1/epsilon + 1), and the paper's printed upper
    one, m max(2, 1/epsilon), its delta_max being 1 when epsilon is relative to the range."""
    rng = np.random.default_rng(seed)
    found: dict[str, Any] = {"models": 0, "below": 0, "above": 0, "above_printed": 0, "fullest": 0.0}
    for case in range(rows):
        X = np.sort(rng.choice((rng.uniform, rng.normal))(size=(int(rng.integers(2, 60)), 1)))
        if case % 3 == 0:  # evenly spaced: as many gaps as there can be
            X = np.linspace(0, 1, int(rng.integers(2, 60)))[:, None]
        model = FROCC.paper(directions=5, epsilon=0.002, random_state=case).fit(X)
        for epsilon in (0.002, 0.01, 0.02, 0.05, 0.1, 0.3, 0.5, 1.0):
            held, (low, high) = size(model.coarsen(epsilon)), size_bounds(5, epsilon)
            found["models"] += 1
            found["below"] += held < low
            found["above"] += held > high
            found["above_printed"] += held > 5 * max(2, 1 / epsilon)
            found["fullest"] = max(found["fullest"], held / (10 * (1 / epsilon + 1)))
    return {key: float(v) if key == "fullest" else int(v) for key, v in found.items()}


def counterexample() -> dict[str, float]:
    """Three points 0, 0.5, 1 with epsilon 0.5 in one direction."""
    model = FROCC.paper(directions=1, epsilon=0.5).fit(np.array([[0.0], [0.5], [1.0]]))
    return {"size": size(model), "printed": 1 * max(2, 1 / 0.5)}


# ---- Statistical -----------------------------------------------------------------------------------

RADII = (1.02, 1.1, 1.25, 1.5, 2.0)
DECAY_DIRECTIONS = (1, 2, 4, 8, 16, 32)


def sphere(n: int) -> np.ndarray:
    """n points spread evenly over the unit sphere in three dimensions."""
    z = 1 - (2 * np.arange(n) + 1) / n
    turn = np.pi * (3 - np.sqrt(5)) * np.arange(n)
    return np.c_[np.sqrt(1 - z * z) * np.cos(turn), np.sqrt(1 - z * z) * np.sin(turn), z]


def decay(models: int) -> dict[str, Any]:
    """Rows fill a sphere, so a point at distance r is told apart by the directions within an angle
    of it: mu = 1 - 1/r in three dimensions. The share of models of m directions that accept it,
    against (1 - mu)^m. Models are consecutive, disjoint blocks of directions of one fit."""
    points = np.outer(RADII, np.array([0.36, 0.48, 0.8]))
    largest = DECAY_DIRECTIONS[-1]
    model = FROCC.paper(directions=models * largest, epsilon=1.0, random_state=7)
    model.fit(sphere(4000))
    why = model._model.distances(_rows(points), 1) == 0  # per direction; whether it accepts
    result = []
    for radius, accepts in zip(RADII, why, strict=True):
        for m in DECAY_DIRECTIONS:
            share = accepts.reshape(-1, m).all(axis=1)
            predicted = radius ** -m
            error = np.sqrt(predicted * (1 - predicted) / len(share))
            result.append({"radius": radius, "m": m, "models": len(share),
                           "measured": float(share.mean()), "predicted": predicted,
                           "sigmas": float((share.mean() - predicted) / error)})
    return {"points": result}


def _rows(X: np.ndarray) -> Any:
    from frocc._rows import RowView

    return RowView(np.ascontiguousarray(X))


STABILITY_ROWS = (25, 50, 100, 200, 400, 800, 1600, 3200)


def left_out(X: np.ndarray, Z: np.ndarray, epsilon: float, most: int, seed: int,
             m: int = 10) -> tuple[float, float]:
    """Mean over rows, and largest, of the change in V, the probability that m directions accept a
    query, when one row is left out; of the queries the one that changes most. V is known from the
    share a of 2,000 directions that accept: V = a^m. Rows that stick out in some direction are all
    tried; of the others, which cannot matter when epsilon is 1, a random few."""
    def accepts(rows: np.ndarray) -> np.ndarray:
        return FROCC.paper(directions=2000, epsilon=epsilon).fit(rows).agreement(Z) ** m

    def change(i: int) -> float:
        return float(np.abs(whole - accepts(np.delete(X, i, 0))).max())

    whole = accepts(X)
    values = X @ FROCC.paper(directions=2000, epsilon=1.0).fit(X).directions_.T
    outer = np.unique(np.r_[values.argmax(0), values.argmin(0)])
    inner = np.setdiff1d(np.arange(len(X)), outer)
    some = np.random.default_rng(seed).permutation(inner)[: 0 if epsilon == 1 else most]
    outside, inside = [change(i) for i in outer], [change(i) for i in some] or [0.0]
    mean = (sum(outside) + len(inner) * np.mean(inside)) / len(X)
    return float(mean), max(*outside, *inside)


def stability(repeats: int, most: int = 25) -> dict[str, Any]:
    result = []
    for n in STABILITY_ROWS:
        for epsilon in (1.0, 0.1):
            found = []
            for repeat in range(repeats):
                rng = np.random.default_rng(repeat)
                X, Z = rng.normal(size=(n, 2)), 1.5 * rng.normal(size=(300, 2))
                found.append(left_out(X, Z, epsilon, most, repeat))
            mean, largest = np.mean(found, axis=0)
            result.append({"n": n, "epsilon": epsilon, "mean": float(mean),
                           "largest": float(largest)})
    return {"points": result, "repeats": repeats}


def slope(points: list[dict[str, Any]], epsilon: float, what: str) -> float:
    """The power of n by which the effect falls, over the upper half of the sizes."""
    some = [p for p in points if p["epsilon"] == epsilon and p[what] > 0][-5:]
    return float(np.polyfit(np.log([p["n"] for p in some]), np.log([p[what] for p in some]), 1)[0])


def everything() -> dict[str, Any]:
    import toys

    return {"toys": toys.roc_of_toys(), "contours": toys.decay_on_the_picture(),
            "monotony": violations_of_monotony(400), "sizes": model_sizes(300),
            "counterexample": counterexample(), "decay": decay(4000),
            "stability": stability(5)}
