# SPDX-License-Identifier: BSD-3-Clause
"""From times to ratios. Both times of a ratio are of the same round; a figure is the median over the
rounds, with quartiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Result = dict[str, Any]
Spread = tuple[float, float, float]  # median, quartiles

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


def of_shape(result: Result) -> dict[str, Spread]:
    times, shape = result["times"], result["shape"]
    work = shape["n"] * shape["d"] * shape["m"]
    found = {
        "fit_over_projection": divided(times["fit"], times["project"]),
        "score_over_projection": divided(times["score"], times["project"]),
        "projection_over_peak": divided(times["peak"], times["project"], work),
    }
    ours = frocc_times(result)
    for name in NAMES:
        what, _, peer = name.partition("_vs_")
        if peer in result["peers"]:
            found[name] = against(result, peer, what, ours)
    # wall clocks of two threads against the CPU of one
    found["two_threads"] = min((divided(times[what], times[f"{what}_threads"])
                                for what in ("fit", "score")), key=lambda s: s[0])
    return {name: found[name] for name in NAMES if name in found}


def plain(result: Result) -> dict[str, Any]:
    """The entry of bench.json: medians, and what they are of."""
    entry: dict[str, Any] = {name: float(f"{s[0]:.4g}") for name, s in of_shape(result).items()}
    entry["n"] = result["shape"]["n"]
    entry["family"] = "hadamard" if structured(result) else "gaussian"
    missing = [found["missing"] for found in result["families"].values() if "missing" in found]
    if missing:
        entry["note"] = "; ".join(missing)
    return entry
