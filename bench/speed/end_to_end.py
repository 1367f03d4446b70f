# SPDX-License-Identifier: BSD-3-Clause
"""From a CSV file to a CSV file of scores: the frocc command against a script with pandas and
scikit-learn. Whole processes, starting them included, on one thread."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from program import scratch

SHAPE = (100_000, 50)
ROUNDS = 3
PEER = "pandas and IsolationForest"

SCRIPT = """
import sys
import pandas
from sklearn.ensemble import IsolationForest
train, new, out = sys.argv[1:]
forest = IsolationForest(random_state=0).fit(pandas.read_csv(train).to_numpy("float32"))
scores = forest.score_samples(pandas.read_csv(new).to_numpy("float32"))
pandas.DataFrame({"score": scores}).to_csv(out, index=False)
"""


def write(path: Path, n: int, seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(n, SHAPE[1]))
    names = ",".join(f"x{j}" for j in range(SHAPE[1]))
    np.savetxt(path, X, fmt="%.6g", delimiter=",", header=names, comments="")


def seconds(commands: list[list[str]]) -> dict[str, float]:
    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    wall, cpu = time.monotonic(), used()
    for command in commands:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return {"wall_s": time.monotonic() - wall, "cpu_s": used() - cpu}


def measure(build: Path, smaller: int = 1) -> dict[str, Any]:
    """smaller divides the rows, for tests of this program."""
    with scratch(build) as folder:
        return measure_in(Path(folder), str(build / "frocc"), SHAPE[0] // smaller)


def measure_in(folder: Path, frocc: str, n: int) -> dict[str, Any]:
    train, new, model, out = (str(folder / name) for name in
                              ("train.csv", "new.csv", "model.frocc", "scores.csv"))
    write(Path(train), n, 0)
    write(Path(new), n, 1)
    ours = ["--threads", "1"]
    ways = {
        "frocc --paper": [[frocc, "fit", "--paper", *ours, train, "-o", model],
                          [frocc, "score", *ours, model, new, "-o", out]],
        "frocc": [[frocc, "fit", *ours, train, "-o", model],
                  [frocc, "score", *ours, model, new, "-o", out]],
    }
    if find_spec("pandas") and find_spec("sklearn"):
        ways[PEER] = [[sys.executable, "-c", SCRIPT, train, new, out]]
    times: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, commands in ways.items():
            times[name].append(seconds(commands))
    size = Path(train).stat().st_size + Path(new).stat().st_size
    return {"rows": n, "features": SHAPE[1], "bytes": size, "times": times}
