# SPDX-License-Identifier: BSD-3-Clause
"""The shapes that are measured, and their rows: real ones where the sets are there, otherwise made
by the program. Columns of real rows are scaled to mean 0 and variance 1; pixels stay in [0, 1]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

#: rows to fit, rows to score
Rows = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Shape:
    key: str
    n: int
    d: int
    m: int
    epsilon: float
    kind: str = "gaussian"  # what the program makes where there are no real rows
    structured: bool = False  # measured with structured directions, too

    def arguments(self) -> list[str]:
        return ["--n", str(self.n), "--d", str(self.d), "--m", str(self.m),
                "--epsilon", str(self.epsilon), "--kind", self.kind]


SHAPES = {shape.key: shape for shape in (
    Shape("A", 12_332, 10, 1_000, 0.1),
    Shape("B", 18_250, 50, 1_000, 0.1),
    Shape("C", 24_623, 100, 500, 0.1),
    Shape("D", 1_000_000, 115, 500, 0.1),
    Shape("E", 3_457, 784, 1_000, 0.01, structured=True),
    Shape("F", 3_000, 3_072, 5_000, 0.1, structured=True),
    Shape("G", 250, 33_075, 1_000, 0.01, structured=True),
    Shape("hard", 12_332, 10, 1_000, 0.02, kind="clusters"),
)}

#: only in the full run: what scoring costs when half of the rows are of the other class
EXTRA = {"A half": replace(SHAPES["A"], key="A half")}

MADE = {"gaussian": "Gaussian rows and queries",
        "clusters": "twelve far clusters, half of the queries between them"}


def quick(shape: Shape) -> Shape:
    """D is a tenth: a forest of scikit-learn alone takes most of a minute over all of it."""
    return replace(shape, n=100_000) if shape.key == "D" else shape


def tiny(shape: Shape) -> Shape:
    return replace(shape, n=min(shape.n, 300), d=min(shape.d, 40), m=min(shape.m, 60))


# ---- Real rows -------------------------------------------------------------------------------------

def again(X: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """n rows drawn from X, each moved a little, so that none is there twice."""
    drawn = X[rng.integers(len(X), size=n)]
    return drawn + rng.normal(scale=0.05, size=drawn.shape).astype(np.float32)


def scaled(train: np.ndarray, *others: np.ndarray) -> list[np.ndarray]:
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    deviation[deviation == 0] = 1
    return [((X - mean) / deviation).astype(np.float32) for X in (train, *others)]


def magic(folder: Path, shape: Shape, rng: np.random.Generator) -> Rows:
    """All gamma rows; scored are gamma rows moved a little."""
    with np.load(folder / "A2_magic.npz") as z:
        (gamma,) = scaled(z["X"][z["y"] == 1])
    return gamma[rng.permutation(len(gamma))][: shape.n], again(gamma, shape.n, rng)


def magic_both(folder: Path, shape: Shape, rng: np.random.Generator) -> Rows:
    """All gamma rows; scored are hadron rows moved a little and as many gamma rows."""
    with np.load(folder / "A2_magic.npz") as z:
        gamma, hadron = scaled(z["X"][z["y"] == 1], z["X"][z["y"] == 0])
    half = shape.n // 2
    queries = np.concatenate([again(hadron, half, rng), again(gamma, shape.n - half, rng)])
    return gamma[rng.permutation(len(gamma))][: shape.n], queries[rng.permutation(shape.n)]


def miniboone(folder: Path, shape: Shape, rng: np.random.Generator) -> Rows:
    """Signal rows; scored are signal rows moved a little."""
    with np.load(folder / "A3_miniboone_signal_only.npz") as z:
        (signal,) = scaled(z["X"])
    return signal[rng.permutation(len(signal))][: shape.n], again(signal, shape.n, rng)


def kitsune(folder: Path, shape: Shape, rng: np.random.Generator) -> Rows:
    """Benign packets drawn again and again, each moved a little."""
    with np.load(folder / "B2_kitsune_mirai_part.npz") as z:
        (benign,) = scaled(z["X"][z["y"] == 1])
    return again(benign, shape.n, rng), again(benign, shape.n, rng)


def mnist(folder: Path, shape: Shape, rng: np.random.Generator) -> Rows:
    """Zeros; scored are the other zeros, and some again."""
    with np.load(folder / "B3_mnist.npz") as z:
        zeros = z["X"][z["y"] == 0].astype(np.float32) / 255
    zeros = zeros[rng.permutation(len(zeros))]
    return zeros[: shape.n], zeros[::-1][: shape.n]


def cifar(folder: Path, shape: Shape, rng: np.random.Generator) -> Rows:
    """Half of the airplanes; scored are the others."""
    with np.load(folder / "B4_cifar10_pos_airplane.npz") as z:
        planes = z["X"].astype(np.float32) / 255
    planes = planes[rng.permutation(len(planes))]
    return planes[: shape.n], planes[::-1][: shape.n]


REAL: dict[str, tuple[str, Callable[[Path, Shape, np.random.Generator], Rows]]] = {
    "A": ("A2_magic", magic),
    "A half": ("A2_magic", magic_both),
    "B": ("A3_miniboone_signal_only", miniboone),
    "D": ("B2_kitsune_mirai_part", kitsune),
    "E": ("B3_mnist", mnist),
    "F": ("B4_cifar10", cifar),
}


def write_real(shape: Shape, folder: Path, prefix: Path) -> str | None:
    """Writes PREFIX.rows and PREFIX.queries; returns what they are, or None where the set is not
    there, or not of this shape."""
    if shape.key not in REAL:
        return None
    name, make = REAL[shape.key]
    try:
        rows, queries = make(folder / "paper", shape, np.random.default_rng(0))
    except FileNotFoundError:
        return None
    if rows.shape != (shape.n, shape.d) or queries.shape != rows.shape:
        return None
    rows.astype(np.float32).tofile(f"{prefix}.rows")
    queries.astype(np.float32).tofile(f"{prefix}.queries")
    return f"{name}: " + " ".join((make.__doc__ or "").split())
