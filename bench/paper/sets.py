# SPDX-License-Identifier: BSD-3-Clause
"""The paper's sets as far as they are there, each with one class taken as the normal one, and how
their rows are split.

A set is split by groups: rows of one group (a capture's segment, a sign's track) never stand on
both sides. Where a set has no groups every row is one of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

RUNS = 5
FEW_ROWS = 1000  # training rows below which a fifth would be too few to validate with
FOLDS = 5  # of which one is used where there are many rows, two where rows are few but wide
WIDE = 1000  # columns


@dataclass
class Rows:
    """Rows of the normal class and others, with the group of each."""

    X: np.ndarray
    normal: np.ndarray  # indices
    others: np.ndarray
    group: np.ndarray  # of every row of X
    shape: tuple[int, ...] = ()  # of an image: channels, height, width


@dataclass
class Split:
    """Indices into X. What is chosen is chosen with folds and val_others only."""

    train: np.ndarray  # normal rows
    folds: list[tuple[np.ndarray, np.ndarray]]  # normal rows to fit, normal rows to validate
    val_others: np.ndarray
    test: np.ndarray
    anomaly: np.ndarray  # of test


@dataclass
class PaperSet:
    """A row of the tables."""

    key: str  # B3-0
    of: str  # the paper's name of the set, B3
    what: str
    read: Callable[[Path], Rows]
    m: int  # the authors' published parameters
    epsilon: float
    kernel: str
    partial: str = ""  # what is missing, in words
    files: tuple[str, ...] = field(default=())

    def is_there(self, data: Path) -> bool:
        return all((data / "paper" / f"{name}.npz").exists() for name in self.files)

    def load(self, data: Path) -> Rows:
        return self.read(data / "paper")


# ---- Reading ---------------------------------------------------------------------------------------

def _rows(X: np.ndarray, is_normal: np.ndarray, group: np.ndarray | None = None,
          shape: tuple[int, ...] = (), is_other: np.ndarray | None = None) -> Rows:
    others = ~is_normal if is_other is None else is_other
    return Rows(X, np.flatnonzero(is_normal), np.flatnonzero(others),
                np.arange(len(X)) if group is None else group, shape)


def table(name: str, normal: int, columns: slice | None = None) -> Callable[[Path], Rows]:
    def read(folder: Path) -> Rows:
        with np.load(folder / f"{name}.npz") as z:
            return _rows(z["X"] if columns is None else z["X"][:, columns], z["y"] == normal)
    return read


def suspects(folder: Path) -> Rows:
    """A4 with NSP 2, of which there are just as many rows as the paper has, as the normal class."""
    with np.load(folder / "A4_cardiotocography.npz") as z:
        return _rows(z["X"], z["nsp"] == 2)


def kitsune(folder: Path) -> Rows:
    """The attack is one segment: there its rows are cut in blocks of 500 in the order of time."""
    with np.load(folder / "B2_kitsune_mirai_part.npz") as z:
        X, y, group = z["X"], z["y"], z["segment"].astype(np.int64)
    attack = np.flatnonzero(y == 0)
    group[attack] = 1000 + np.arange(len(attack)) // 500
    return _rows(X, y == 1, group)


def mnist(digit: int) -> Callable[[Path], Rows]:
    def read(folder: Path) -> Rows:
        with np.load(folder / "B3_mnist.npz") as z:
            return _rows(z["X"], z["y"] == digit, shape=(1, 28, 28))
    return read


def cifar10(folder: Path) -> Rows:
    with np.load(folder / "B4_cifar10_pos_airplane.npz") as p, \
            np.load(folder / "B4_cifar10_neg.npz") as n:
        X = np.vstack([p["X"], n["X"]])
        return _rows(X, np.arange(len(X)) < len(p["X"]), shape=(3, 32, 32))


CIFAR100 = {"beaver": 4, "fox": 34, "motorcycle": 48}


def cifar100(name: str) -> Callable[[Path], Rows]:
    """The others are the 97 classes that are never the normal one, in their natural shares."""
    def read(folder: Path) -> Rows:
        with np.load(folder / "B5_cifar100.npz") as z:
            others = ~np.isin(z["y"], list(CIFAR100.values()))
            return _rows(z["X"], z["y"] == CIFAR100[name], shape=(3, 32, 32), is_other=others)
    return read


def gtsrb(sign: int) -> Callable[[Path], Rows]:
    def read(folder: Path) -> Rows:
        parts = []
        for name in ("B6_gtsrb_pos_2_12", "B6_gtsrb_neg"):
            with np.load(folder / f"{name}.npz") as z:
                parts.append({key: z[key] for key in ("X", "y", "track", "is_test")})
        X, y, track, test = (np.concatenate([part[key] for part in parts])
                             for key in ("X", "y", "track", "is_test"))
        # A track's number of -1 or the like stands for no track: such an image is alone.
        group = (y.astype(np.int64) * 2 + test) * 100_000 + track
        group = np.where(track < 0, 10**9 + np.arange(len(y)), group)
        return _rows(X, y == sign, group, (3, 32, 32), is_other=~np.isin(y, (2, 12)))
    return read


ALPHABET = 17  # the one of 500 images: half of it is the paper's number of training rows, 250


def omniglot(folder: Path) -> Rows:
    """Ink is 1. Others are 6,000 images of other alphabets, drawn once."""
    with np.load(folder / "B7_omniglot_packed.npz") as z:
        alphabet = z["alphabet"]
        others = np.flatnonzero(alphabet != ALPHABET)
        others = np.sort(np.random.default_rng(0).choice(others, 6000, replace=False))
        keep = np.concatenate([np.flatnonzero(alphabet == ALPHABET), others])
        X = 1 - np.unpackbits(z["Xbits"][keep], axis=1)[:, : 105 * 105]
        return _rows(X, alphabet[keep] == ALPHABET, shape=(1, 105, 105))


# ---- The table of sets -----------------------------------------------------------------------------

A4 = "A4_cardiotocography"
KITSUNE = "10,000 attack packets of one capture and 38,363 benign ones, of 6 million"
SETS = [
    PaperSet("A1", "A1", "diabetes, healthy is normal", table("A1_diabetes", 0),
             10, 0.1, "linear", files=("A1_diabetes",)),
    PaperSet("A2", "A2", "MAGIC telescope, gamma", table("A2_magic", 1),
             10, 0.1, "poly", files=("A2_magic",)),
    PaperSet("A4", "A4", "cardiotocography, all 35 columns", table(A4, 1),
             50, 0.1, "linear", files=(A4,)),
    PaperSet("A4-23", "A4", "cardiotocography, 23 columns without the label in disguise",
             table(A4, 1, slice(2, 25)), 50, 0.1, "linear", files=(A4,)),
    PaperSet("B1", "B1", "SensIT vehicle", table("B1_sensit_vehicle_subset", 1),
             500, 0.1, "linear", "1.9 % of the rows, two of three classes",
             files=("B1_sensit_vehicle_subset",)),
    PaperSet("B2", "B2", "Kitsune, Mirai", kitsune, 500, 0.1, "poly", KITSUNE,
             files=("B2_kitsune_mirai_part",)),
    *(PaperSet(f"B3-{digit}", "B3", f"MNIST, digit {digit}", mnist(digit), 1000, 0.01, "linear",
               files=("B3_mnist",)) for digit in (0, 1, 4)),
    PaperSet("B4", "B4", "CIFAR-10, airplane", cifar10, 5000, 0.1, "linear",
             "one of the paper's three normal classes; 3,000 others of seven classes",
             files=("B4_cifar10_pos_airplane", "B4_cifar10_neg")),
    *(PaperSet(f"B5-{name}", "B5", f"CIFAR-100, {name}", cifar100(name), 5000, 0.1, "linear",
               "1,800 others", files=("B5_cifar100",)) for name in CIFAR100),
    *(PaperSet(f"B6-{sign}", "B6", f"GTSRB, sign {sign}", gtsrb(sign), 5000, 0.1, "linear",
               "3,000 others; the paper does not say which sign is normal",
               files=("B6_gtsrb_pos_2_12", "B6_gtsrb_neg")) for sign in (2, 12)),
    PaperSet("B7", "B7", "Omniglot, the alphabet with 500 images", omniglot, 10000, 0.01, "linear",
             "105 x 105 of one channel; the paper has 33,075 columns and names no normal class",
             files=("B7_omniglot_packed",)),
]
BY_KEY = {each.key: each for each in SETS}


# ---- Splitting -------------------------------------------------------------------------------------

def _by_groups(rows: np.ndarray, group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The rows with their groups in random order."""
    names, which = np.unique(group[rows], return_inverse=True)
    place = rng.permutation(len(names))
    return rows[np.lexsort((rng.permutation(len(rows)), place[which]))]


def _cut(rows: np.ndarray, group: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The first n rows and the rest, n moved up to the next end of a group."""
    while 0 < n < len(rows) and group[rows[n]] == group[rows[n - 1]]:
        n += 1
    return rows[:n], rows[n:]


def split(rows: Rows, run: int) -> Split:
    """Half of the normal rows trains. Of the others, as many as train but at most a quarter
    validate; of what is left, as many as there are normal test rows test. Where others are too few,
    normal test rows are left out, so that both kinds are equally many."""
    rng = np.random.default_rng(run)
    normal = _by_groups(rows.normal, rows.group, rng)
    train, test_normal = _cut(normal, rows.group, len(normal) // 2)
    others = _by_groups(rows.others, rows.group, rng)
    val_others, rest = _cut(others, rows.group, min(len(train), len(others) // 4))
    n = min(len(test_normal), len(rest))
    folds, left = [], train
    few, wide = len(train) < FEW_ROWS, rows.X.shape[1] > WIDE
    for _ in range(1 if not few else 2 if wide else FOLDS):
        part, left = _cut(left, rows.group, len(train) // FOLDS)
        folds.append((np.setdiff1d(train, part, assume_unique=True), part))
    test = np.concatenate([rng.permutation(test_normal)[:n], rng.permutation(rest)[:n]])
    return Split(train, folds, val_others, test, np.arange(2 * n) >= n)
