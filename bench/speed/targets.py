# SPDX-License-Identifier: BSD-3-Clause
"""What the project set out to reach, and whether the measured results do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ratios
import structured

Result = dict[str, Any]


@dataclass(frozen=True)
class Target:
    name: str  # a ratio
    shapes: str  # keys, separated by spaces
    bound: float
    words: str
    at_most: bool = False
    needs_structured: bool = False

    def is_met(self, value: float) -> bool:
        return value <= self.bound if self.at_most else value >= self.bound


WIDE = "B C D E F G"  # at least 50 features
TARGETS = (
    Target("fit_over_projection", WIDE, 1.2, "fit over projections only", at_most=True),
    Target("score_over_projection", WIDE, 1.1, "score over projections only", at_most=True),
    Target("fit_over_projection", "A", 2.2, "fit over projections only", at_most=True),
    Target("score_over_projection", "A", 1.4, "score over projections only", at_most=True),
    Target("fit_over_projection", "hard", 6, "fit over projections only", at_most=True),
    Target("score_over_projection", "hard", 4, "score over projections only", at_most=True),
    Target("projection_over_peak", "B C D E F", 0.85, "projections over the multiply-add peak"),
    Target("two_threads", "A B C D E F", 1.85, "two threads against one, the smaller of fit, score"),
    Target("score_vs_sklearn_if", "A B C D", 15, "score against scikit-learn's IsolationForest"),
    Target("score_vs_isotree", "A B C D", 6, "score against isotree"),
    Target("fit_vs_sklearn_if", "A B C", 4, "fit against scikit-learn's IsolationForest"),
    Target("fit_vs_numpy", "A B C D", 15, "fit against exact numpy FROCC"),
    Target("score_vs_numpy", "A B C D", 4, "score against exact numpy FROCC"),
    Target("fit_vs_sklearn_if", "E F G", 1, "structured: fit against IsolationForest",
           needs_structured=True),
    Target("score_vs_sklearn_if", "E F G", 1, "structured: score against IsolationForest",
           needs_structured=True),
    Target("score_vs_isotree", "E F", 1, "structured: score against isotree",
           needs_structured=True),
)
CLOSE_AUC = 0.005

MET, MISSED, UNJUDGED = "met", "**not met**", "not judged: the cores were not free"

Verdict = tuple[str, str, str, str, str]  # words, shape, bound, measured, begins with one of these


def of_ratios(results: dict[str, Result]) -> list[Verdict]:
    verdicts = []
    for target in TARGETS:
        for key in target.shapes.split():
            found = ratios.of_shape(results[key])
            if target.name not in found:  # a peer that was not there
                continue
            value, low, high = found[target.name]
            bound = f"{'≤' if target.at_most else '≥'} {target.bound:g}"
            if target.needs_structured and ratios.structured(results[key]) is None:
                verdicts.append((target.words, key, bound, "not measured", MISSED))
                continue
            measured = f"{value:.3g} ({low:.3g} to {high:.3g})"
            verdict = MET if target.is_met(value) else MISSED
            if target.name == "two_threads" and not ratios.free_rounds(results[key]["own"]):
                verdict = UNJUDGED
            verdicts.append((target.words, key, bound, measured, verdict))
    return verdicts


def of_auc(result: Result) -> Verdict:
    gap = structured.difference(result)
    words, bound = "structured: mean AUC less that of dense directions", f"within {CLOSE_AUC:g}"
    if gap is None:
        return words, "sets with d ≥ 50", bound, "not measured", MISSED
    verdict = MET if abs(gap) <= CLOSE_AUC else MISSED
    return words, "sets with d ≥ 50", bound, f"{gap:+.4f}", verdict
