# SPDX-License-Identifier: BSD-3-Clause
"""What the AUC of the test part does when one parameter changes: for the paper's two figures on
sensitivity, and to say why a figure of ours differs from the paper's. Nothing is chosen by these."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import sets
from chosen import (
    DIRECTIONS,
    EPSILONS,
    Choice,
    Limits,
    column_aucs,
    detector,
    judged,
    prepared,
    published,
)
from frocc._library import DataError

CURVES = ("A1", "A2", "B1", "B2", "B3-0", "B7")
STEPS = ("A1", "A2", "A4", "A4-23", "B1", "B2", "B3-0", "B3-1", "B3-4", "B4", *(
    f"B5-{name}" for name in sets.CIFAR100))
WIDE_RUNS = 1  # of the steps below, on images
FEW_RUNS = 2  # of FROCC with another normal class


def surface(rows: sets.Rows, parts: sets.Split, kernel: str, scaling: str, seed: int) -> np.ndarray:
    """AUC on the test part at every (epsilon, m)."""
    train = rows.X[parts.train]
    test = prepared(Limits(train)(rows.X[parts.test]), scaling)
    model = detector(Choice(kernel, scaling, EPSILONS[0], DIRECTIONS[-1]), seed)
    scores = model.fit(prepared(train, scaling)).grid_scores(test, DIRECTIONS, EPSILONS)
    return column_aucs(scores.reshape(len(test), -1), parts.anomaly).reshape(scores.shape[1:])


def curves(data: Path, frocc: dict[str, Any]) -> dict[str, Any]:
    """Per set the surface of every run, with the kernel and scaling that the run had chosen and with
    the published kernel on rows as they are."""
    result: dict[str, Any] = {"epsilons": list(EPSILONS), "directions": list(DIRECTIONS), "sets": {}}
    for key in CURVES:
        each = sets.BY_KEY[key]
        if not each.is_there(data) or key not in frocc["sets"]:
            continue
        rows, found = each.load(data), {"chosen": [], "published": []}
        for run in range(sets.RUNS):
            parts, choice = sets.split(rows, run), frocc["sets"][key][str(run)]["chosen"]
            found["chosen"].append(
                surface(rows, parts, choice["kernel"], choice["scaling"], run).tolist())
            found["published"].append(surface(rows, parts, each.kernel, "none", run).tolist())
        result["sets"][key] = found
        print(f"  curves {key}", flush=True)
    return result


# ---- From the published parameters to the chosen ones ---------------------------------------------

def steps(data: Path, frocc: dict[str, Any]) -> dict[str, Any]:
    """The published parameters with one of them replaced by the chosen one at a time."""
    result: dict[str, Any] = {}
    for key in STEPS:
        each = sets.BY_KEY[key]
        if not each.is_there(data) or key not in frocc["sets"]:
            continue
        rows = each.load(data)
        found: dict[str, list[float]] = {}
        for run in range(WIDE_RUNS if rows.shape else sets.RUNS):
            parts, kept = sets.split(rows, run), frocc["sets"][each.key][str(run)]["chosen"]
            base = published(each)
            base = replace(base, m=min(base.m, 1000))  # more changes the third digit, and takes long
            variants = {"published": base} | {
                name: replace(base, **{name: kept[name]})
                for name in ("kernel", "scaling", "epsilon", "m")}
            variants["scaling and epsilon"] = replace(base, scaling=kept["scaling"],
                                                      epsilon=kept["epsilon"])
            for name, choice in variants.items():
                try:
                    merit = judged(choice, rows, parts, run)["auc"]
                except DataError:  # that scaling overflows with these rows
                    continue
                found.setdefault(name, []).append(merit)
        result[each.key] = {name: float(np.mean(values)) for name, values in found.items()}
        print(f"  steps {each.key}", flush=True)
    return result


def every_alphabet(data: Path, choice: Choice) -> dict[str, float]:
    """B7 with each of the 50 alphabets as the normal class, one run, others of the 49 alphabets."""
    file = data / "paper" / "B7_omniglot_packed.npz"
    with np.load(file) as z:
        alphabet, bits, names = z["alphabet"], z["Xbits"], z["alphabet_names"]
    found = {}
    for which in range(len(names)):
        rng = np.random.default_rng(which)
        normal = rng.permutation(np.flatnonzero(alphabet == which))
        n = len(normal) // 2
        others = rng.choice(np.flatnonzero(alphabet != which), n, replace=False)
        test = np.concatenate([normal[n : 2 * n], others])
        X = 1 - np.unpackbits(bits[np.concatenate([normal[:n], test])], axis=1)[:, : 105 * 105]
        rows = sets.Rows(X, np.arange(2 * n), np.arange(2 * n, 3 * n), np.arange(3 * n), (1, 105, 105))
        parts = sets.Split(np.arange(n), [], np.arange(0), np.arange(n, 3 * n),
                           np.arange(2 * n) >= n)
        found[str(names[which])] = judged(choice, rows, parts, 0)["auc"]
    return found


def suspects(data: Path) -> dict[str, Any]:
    """A4 with the 295 suspect rows as the normal class: half of them are the paper's 147."""
    from chosen import choose

    rows, result = sets.suspects(data / "paper"), {}
    for name, columns in (("35 columns", slice(0, 35)), ("23 columns", slice(2, 25))):
        some, found = replace(rows, X=rows.X[:, columns]), {"chosen": [], "published": []}
        for run in range(FEW_RUNS):
            parts = sets.split(some, run)
            found["chosen"].append(judged(choose(some, parts, run), some, parts, run)["auc"])
            base = published(sets.BY_KEY["A4"])
            found["published"].append(judged(base, some, parts, run)["auc"])
        result[name] = {"train": len(parts.train), "test": len(parts.test),
                        **{key: float(np.mean(values)) for key, values in found.items()}}
    return result


def swapped(data: Path) -> dict[str, Any]:
    """Isolation Forest, and FROCC chosen in a few runs, with the other class as the normal one: do the
    paper's figures fit better?"""
    from chosen import choose
    from detectors import IsolationForest
    from metrics import auc

    result = {}
    for key, name in (("A1", "diabetic"), ("A2", "hadron"), ("B1", "the other class")):
        each = sets.BY_KEY[key]
        if not each.is_there(data):
            continue
        rows = each.load(data)
        rows = replace(rows, normal=rows.others, others=rows.normal)
        found, ours = [], []
        for run in range(sets.RUNS):
            parts = sets.split(rows, run)
            if run < FEW_RUNS:
                ours.append(judged(choose(rows, parts, run), rows, parts, run)["auc"])
            model = IsolationForest(rows.X[parts.train].astype(np.float64), run)
            found.append(auc(model.score(rows.X[parts.test].astype(np.float64)), parts.anomaly))
        result[key] = {"class": name, "auc": found, "frocc": ours}
    return result


def experiments(data: Path, frocc: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {"steps": steps(data, frocc)}
    if sets.BY_KEY["B7"].is_there(data) and "B7" in frocc["sets"]:
        kept = frocc["sets"]["B7"]["0"]["chosen"]
        result["alphabets"] = every_alphabet(
            data, Choice(kept["kernel"], kept["scaling"], kept["epsilon"], min(kept["m"], 500)))
        print("  every alphabet", flush=True)
    if sets.BY_KEY["A4"].is_there(data):
        result["suspects"] = suspects(data)
        print("  suspects", flush=True)
    result["swapped"] = swapped(data)
    return result
