# SPDX-License-Identifier: BSD-3-Clause
"""How times grow when one of n, d, m and 1/epsilon grows, and what sparse rows cost. Gaussian rows,
one thread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import program

BASE = {"n": 20_000, "d": 50, "m": 500, "epsilon": 0.05}
ALONG = {
    "n": (5_000, 20_000, 80_000, 320_000),
    "d": (10, 50, 250, 1_250),
    "m": (125, 500, 2_000, 8_000),
    "epsilon": (0.2, 0.05, 0.01, 0.002),
}
SPARSE = {"n": 2_000, "d": 10_000, "m": 500, "epsilon": 0.05}
DENSITIES = (0.001, 0.01, 0.1)
MEASURES = ["project", "fit", "score", "memory"]
ROUNDS = 5


def arguments(point: dict[str, Any]) -> list[str]:
    return [word for name, value in point.items() for word in (f"--{name}", str(value))]


def measured(build: Path, point: dict[str, Any], smaller: int) -> dict[str, Any]:
    """smaller divides the rows, for tests of this program."""
    point = {**point, "n": max(point["n"] // smaller, 50)}
    return {**point, **program.rounds(build, arguments(point), ROUNDS, MEASURES)}


def measure(build: Path, smaller: int = 1) -> dict[str, Any]:
    along = {name: [measured(build, {**BASE, name: value}, smaller) for value in values]
             for name, values in ALONG.items()}
    sparse = [measured(build, {**SPARSE, "kind": "sparse", "density": density}, smaller)
              for density in DENSITIES]
    return {"along": along, "dense": measured(build, SPARSE, smaller), "sparse": sparse}
