# SPDX-License-Identifier: BSD-3-Clause
"""What the measuring programs share: figures of merit, times, tables. Needs numpy only."""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np


def machine() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def arguments_parser(description: str | None, *switches: str) -> argparse.ArgumentParser:
    """What the programs that measure are told: where data are, and some switches."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, required=True)
    for switch in ("page", "quick", *switches):
        parser.add_argument(f"--{switch}", action="store_true")
    return parser


def seconds(work: Callable[[], Any], at_least: float = 0.05, repeats: int = 1) -> tuple[float, Any]:
    """CPU seconds of one call, the best of some, each over enough calls to be measured. CPU time
    of one thread is what wall time would be on a machine that does nothing else."""
    best, result = np.inf, None
    for _ in range(repeats):
        calls, start = 0, time.process_time()
        while calls == 0 or time.process_time() - start < at_least:
            result = work()
            calls += 1
        best = min(best, (time.process_time() - start) / calls)
    return float(best), result


def ranks(values: np.ndarray) -> np.ndarray:
    """1 for the smallest; equal values share the mean of their ranks."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[which]


def auc(normality: np.ndarray, anomaly: np.ndarray) -> float:
    """P(a normal row scores above an anomaly), ties counted half."""
    n, k = int(np.sum(~anomaly)), int(np.sum(anomaly))
    return float((ranks(normality)[~anomaly].sum() - n * (n + 1) / 2) / (n * k))


def results_text(value: Any, indent: str = "") -> str:
    """JSON, one set a line: what is short, or holds no more than values, is not broken."""
    line = json.dumps(value)
    inner = list(value.values()) if isinstance(value, dict) else value
    if len(line) < 1000 or all(not isinstance(item, (dict, list)) for item in inner):
        return line
    deeper = indent + " "
    if isinstance(value, dict):
        lines = [f"{json.dumps(name)}: {results_text(value[name], deeper)}" for name in value]
    else:
        lines = [results_text(item, deeper) for item in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return f"{begin}\n{deeper}" + f",\n{deeper}".join(lines) + f"\n{indent}{end}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown; the first column to the left, the others to the right."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def digits(x: float) -> str:
    """Three digits that count."""
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"
