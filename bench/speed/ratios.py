# SPDX-License-Identifier: BSD-3-Clause
"""From times to ratios. Both times of a ratio are of the same round; a figure is the median over the
rounds, with quartiles. Bounds and threads have rounds of their own, without peers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Result = dict[str, Any]
Spread = tuple[float, float, float]  # median, quartiles

FREE = 0.9  # of the best speed

#: what bench.json holds, in this order
NAMES = ("fit_over_projection", "score_over_projection", "projection_over_peak", "fit_vs_sklearn_if",
         "score_vs_sklearn_if", "score_vs_isotree", "fit_vs_numpy", "score_vs_numpy", "two_threads")


def spread(values: Sequence[float]) -> Spread:
    q1, middle, q3 = np.quantile(values, (0.25, 0.5, 0.75))
    return float(middle), float(q1), float(q3)


def divided(above: Sequence[float | None], below: Sequence[float], factor: float = 1.0) -> Spread:
    return spread([factor * a / b for a, b in zip(above, below, strict=True) if a is not None])


def structured(result: Result) -> Result | None:
    """The times on structured directions, where they were measured."""
    found = result["families"].get("hadamard", {})
    return found if "times" in found else None


def frocc_times(result: Result) -> dict[str, list[float]]:
    """What peers are compared with: structured directions where they were measured."""
    return (structured(result) or result)["times"]


def against(result: Result, peer: str, what: str, times: dict[str, list[float]]) -> Spread:
    """How many times as fast frocc is. A peer that scored fewer rows counts by the row; one that
    fitted fewer rows counts as if it had fitted all, to its advantage."""
    theirs = result["peers"][peer]
    factor = result["shape"]["n"] / theirs["score_rows"] if what == "score" else 1.0
    return divided(theirs[what], times[what], factor)


def work_of(shape: Result) -> float:
    return float(shape["n"] * shape["d"] * shape["m"])


def best_share(result: Result) -> float:
    """Of the peak, by the fastest projections against the fastest peak of all rounds."""
    return work_of(result["shape"]) * min(result["own"]["peak"]) / min(result["own"]["project"])


def free_rounds(own: dict[str, list[float]]) -> list[int]:
    """The rounds in which both cores were free: projections, which need nothing but cores, went
    nearly as fast as ever on one, and twice as fast on two."""
    best = min(own["project"])
    pairs = zip(own["project"], own["project_threads"], strict=True)
    return [i for i, (one, two) in enumerate(pairs) if FREE * max(one, 2 * two) <= best]


def two_threads(result: Result, what: str) -> Spread:
    """Two threads by the wall clock against the CPU of one, where the cores were free; if they
    never were, all the same."""
    own = result["own"]
    rounds = free_rounds(own) or range(len(own[what]))
    return spread([own[what][i] / own[f"{what}_threads"][i] for i in rounds])


def of_shape(result: Result) -> dict[str, Spread]:
    own = result["own"]
    found = {
        "fit_over_projection": divided(own["fit"], own["project"]),
        "score_over_projection": divided(own["score"], own["project"]),
        "projection_over_peak": divided(own["peak"], own["project"], work_of(result["shape"])),
    }
    ours = frocc_times(result)
    for name in NAMES:
        what, _, peer = name.partition("_vs_")
        if peer in result["peers"]:
            found[name] = against(result, peer, what, ours)
    found["two_threads"] = min((two_threads(result, what) for what in ("fit", "score")),
                               key=lambda s: s[0])
    return {name: found[name] for name in NAMES if name in found}


def plain(result: Result) -> dict[str, Any]:
    """The entry of bench.json: medians, and what they are of."""
    entry: dict[str, Any] = {name: float(f"{s[0]:.4g}") for name, s in of_shape(result).items()}
    entry["n"] = result["shape"]["n"]
    entry["rounds"] = len(result["own"]["project"])
    entry["rounds_with_free_cores"] = len(free_rounds(result["own"]))
    entry["family"] = "hadamard" if structured(result) else "gaussian"
    missing = [found["missing"] for found in result["families"].values() if "missing" in found]
    if missing:
        entry["note"] = "; ".join(missing)
    return entry
