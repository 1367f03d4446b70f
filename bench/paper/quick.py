# SPDX-License-Identifier: BSD-3-Clause
"""The part of the harness that is a test: figures of merit, splits, the choice on validation, FROCC's
columns run twice, and the theory's laws. Prints a line a test."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import chosen
import metrics
import numpy as np
import sets
import theory

TIMES = ("train_s", "test_s")
RESULTS = Path(__file__).parent / "results"


class Skip(Exception):
    """What a test needs is not there."""


def check(holds: bool, why: str = "") -> None:
    if not holds:
        raise AssertionError(why)


# ---- Figures of merit ------------------------------------------------------------------------------

def auc_counts_pairs(data: Path) -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores, anomaly = rng.integers(6, size=40) / 5, rng.random(40) < 0.4
        normal, outlier = scores[~anomaly][:, None], scores[anomaly][None]
        pairs = np.mean((normal > outlier) + 0.5 * (normal == outlier))
        check(abs(metrics.auc(scores, anomaly) - pairs) < 1e-12, "AUC is not the share of pairs")


def precision_at_n_by_hand(data: Path) -> None:
    anomaly = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], bool)  # 3 outliers of 10
    cases = [
        (np.arange(10.0), 1.0),  # the outliers are the three least normal
        (-np.arange(10.0), 0.0),
        (np.array([0, 5, 6, 1, 2, 7, 8, 9, 9, 9.0]), 1 / 3),
        (np.array([0, 1, 1, 1, 1, 7, 8, 9, 9, 9.0]), (1 + 2 * 2 / 4) / 3),  # a tie of four for two
        (np.zeros(10), 0.3),  # no information: the share of outliers
    ]
    for scores, expected in cases:
        got = metrics.precision_at_n(scores, anomaly)
        check(abs(got - expected) < 1e-12, f"{got} for {expected}")
        adjusted = metrics.adjusted_precision_at_n(scores, anomaly)
        check(abs(adjusted - (expected - 0.3) / 0.7) < 1e-12, f"adjusted {adjusted}")


def precision_at_n_has_no_order(data: Path) -> None:
    """The tied places are an expectation: the mean over random orders of the tied rows."""
    rng = np.random.default_rng(1)
    scores, anomaly = rng.integers(4, size=30).astype(float), np.arange(30) < 12
    broken = [metrics.precision_at_n(scores + 1e-9 * rng.random(30), anomaly) for _ in range(4000)]
    got = metrics.precision_at_n(scores, anomaly)
    check(abs(np.mean(broken) - got) < 5 * np.std(broken) / np.sqrt(4000) + 1e-12,
          f"{got}, but {np.mean(broken)} over random orders")
    shuffle = rng.permutation(30)
    check(metrics.precision_at_n(scores[shuffle], anomaly[shuffle]) == got, "rows were shuffled")


# ---- The protocol ----------------------------------------------------------------------------------

def loaded(data: Path, key: str) -> tuple[sets.PaperSet, sets.Rows]:
    each = sets.BY_KEY[key]
    if not each.is_there(data):
        raise Skip(f"{', '.join(each.files)} is not in {data}")
    return each, each.load(data)


def splits_keep_apart(data: Path) -> None:
    for key in ("A1", "B1", "B2", "B6-2"):
        _, rows = loaded(data, key)
        for run in range(sets.RUNS):
            parts = sets.split(rows, run)
            sides = {"train": parts.train, "validation": parts.val_others, "test": parts.test}
            groups = {name: set(rows.group[side].tolist()) for name, side in sides.items()}
            for a, b in (("train", "test"), ("validation", "test"), ("train", "validation")):
                check(not groups[a] & groups[b], f"{key} run {run}: {a} and {b} share a group")
            check(bool(np.isin(parts.train, rows.normal).all()), f"{key}: trains on others")
            check(np.array_equal(~parts.anomaly, np.isin(parts.test, rows.normal)), f"{key}: labels")
            check(2 * int(parts.anomaly.sum()) == len(parts.test), f"{key}: not as many of both")
            for fit, held in parts.folds:
                both = np.concatenate([fit, held])
                check(np.array_equal(np.sort(both), np.sort(parts.train)), f"{key}: folds")


def choice_is_blind_to_the_test_part(data: Path) -> None:
    """With the test rows overwritten, the same parameters are chosen."""
    _, rows = loaded(data, "A1")
    parts = sets.split(rows, 0)
    before = chosen.choose(rows, parts, 0)
    spoilt = rows.X.copy()
    spoilt[parts.test] = np.random.default_rng(0).normal(size=spoilt[parts.test].shape)
    after = chosen.choose(replace(rows, X=spoilt), parts, 0)
    check(before == after, f"{before} became {after}")


def grid_is_what_single_fits_give(data: Path) -> None:
    """A point of the one-pass grid is the AUC of a fit with those parameters."""
    _, rows = loaded(data, "A1")
    parts = sets.split(rows, 1)
    found = chosen.grid(rows.X, parts, "poly", "minmax", 1)
    for i, j in ((0, 0), (4, 3), (9, 6)):
        choice = chosen.Choice("poly", "minmax", chosen.EPSILONS[i], chosen.DIRECTIONS[j])
        aucs = []
        for fit, held in parts.folds:
            test = np.concatenate([held, parts.val_others])
            fold = replace(parts, train=fit, test=test, anomaly=np.arange(len(test)) >= len(held))
            aucs.append(chosen.judged(choice, rows, fold, 1)["auc"])
        check(abs(np.mean(aucs) - found[i, j]) < 1e-12, f"{np.mean(aucs)} and {found[i, j]}")


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in TIMES}
    return value


def frocc_columns_run_twice(data: Path) -> None:
    """Equal to the last digit, and equal to what is kept."""
    for key in ("A1", "A4-23"):
        each, rows = loaded(data, key)
        first, second = (without_times(chosen.one_run(each, rows, 0)) for _ in range(2))
        check(first == second, f"{key}: {first} and then {second}")
        file = RESULTS / "frocc.json"
        if file.exists():
            from main import rounded

            kept = without_times(json.loads(file.read_text())["sets"].get(key, {}).get("0"))
            check(kept is None or kept == rounded(first), f"{key}: kept are {kept}; make paper again")


def threads_change_no_digit(data: Path) -> None:
    each, rows = loaded(data, "B1")
    parts = sets.split(rows, 0)
    X, Z = (chosen.prepared(rows.X[part], "none") for part in (parts.train, parts.test))
    one, two = (chosen.detector(chosen.published(each), 0, n_jobs=n).fit(X).score_samples(Z)
                for n in (1, 2))
    check(np.array_equal(one, two), "two threads gave other scores")


def chosen_reaches_the_paper(data: Path) -> None:
    """Within two points of the paper's AUC or above on the small sets, one run each."""
    from reference import ROC

    for key in ("A1", "A4", "A4-23"):
        each, rows = loaded(data, key)
        parts = sets.split(rows, 1)
        got = 100 * chosen.judged(chosen.choose(rows, parts, 1), rows, parts, 1)["auc"]
        check(got > ROC[each.of]["frocc"] - 2, f"{key}: {got:.2f}, paper {ROC[each.of]['frocc']}")


def kept_results_say_how(data: Path) -> None:
    """Every kept result has the command, seed and versions that made it."""
    files = sorted(RESULTS.glob("*.json"))
    check(bool(files), "there are none")
    for file in files:
        result = json.loads(file.read_text())
        for part in ("command", "seed", "versions", "machine"):
            check(bool(result.get(part)), f"{file.name} has no {part}")


def page_is_what_the_results_say(data: Path) -> None:
    import main
    import page

    results = {name: main.kept(name) for name in main.NEEDED}
    file = main.HERE.parent.parent / "docs" / "paper.md"
    check(page.text(results) == file.read_text(), "bench/paper/run --page writes another page")


# ---- Theory ----------------------------------------------------------------------------------------

def acceptance_and_size_are_monotone(data: Path) -> None:
    found = theory.violations_of_monotony(120)
    check(found["violations"] == 0, str(found))


def model_size_keeps_its_bounds(data: Path) -> None:
    found = theory.model_sizes(90)
    check(found["below"] == 0 and found["above"] == 0, str(found))
    check(found["fullest"] == 1.0, f"the upper bound is never reached: {found}")
    example = theory.counterexample()
    check(example["size"] == 6 > example["printed"], f"no counterexample: {example}")


def error_decays_as_predicted(data: Path) -> None:
    for point in theory.decay(1000)["points"]:
        check(abs(point["sigmas"]) < 5, str(point))


def one_row_matters_less_and_less(data: Path) -> None:
    points = theory.stability(1)["points"]
    means = [p["mean"] for p in points if p["epsilon"] == 1]
    check(means[0] > 10 * means[-1] > 0, f"mean effects {means}")


TESTS: list[Callable[[Path], None]] = [
    auc_counts_pairs, precision_at_n_by_hand, precision_at_n_has_no_order, splits_keep_apart,
    choice_is_blind_to_the_test_part, grid_is_what_single_fits_give, frocc_columns_run_twice,
    threads_change_no_digit, chosen_reaches_the_paper, kept_results_say_how,
    page_is_what_the_results_say,
    acceptance_and_size_are_monotone, model_size_keeps_its_bounds, error_decays_as_predicted,
    one_row_matters_less_and_less,
]


def run(data: Path) -> bool:
    good = True
    for test in TESTS:
        try:
            test(data)
            print(f"ok {test.__name__}", flush=True)
        except Skip as why:
            print(f"skip {test.__name__}: {why}", flush=True)
        except Exception as error:
            print(f"FAIL {test.__name__}: {type(error).__name__}: {error}", flush=True)
            good = False
    return good
