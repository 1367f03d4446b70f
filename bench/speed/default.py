# SPDX-License-Identifier: BSD-3-Clause
"""What users get: `FROCC()` with no parameters, from Python, next to the peers with theirs. One
thread, CPU time, rounds in which all take turns. Rows are clustered Gaussians of the shapes below, and
real ones where the sets are there."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent.parent

#: name: rows and columns that are made
MADE = {"2000x10": (2_000, 10), "12332x10": (12_332, 10), "18250x50": (18_250, 50),
        "24623x100": (24_623, 100), "100000x20": (100_000, 20), "200000x115": (200_000, 115),
        "3457x784": (3_457, 784)}

#: name: the file, and how its normal rows are taken
REAL = {"magic": ("paper/A2_magic.npz", lambda z: z["X"][z["y"] == 1]),
        "kitsune": ("paper/B2_kitsune_mirai_part.npz", lambda z: z["X"][z["y"] == 1]),
        "mnist0": ("paper/B3_mnist.npz", lambda z: z["X"][z["y"] == 0]),
        "shuttle": ("adbench/32_shuttle.npz", lambda z: z["X"][z["y"] == 0])}

SCORED = 1_000  # rows, as the figures are given for
CLUSTERS = 8

#: what must hold, as ratios to scikit-learn's Isolation Forest, milliseconds and bytes
FIT_TARGETS = {"2000x10": 5, "12332x10": 2, "18250x50": 2, "24623x100": 2, "100000x20": 1.5,
               "200000x115": 1.5, "3457x784": 1}
SCORE_TARGETS = {"2000x10": 10, "12332x10": 10, "18250x50": 7, "24623x100": 7, "100000x20": 10,
                 "200000x115": 7, "3457x784": 4}
LOAD_TARGET_MS, MODEL_TARGET, SEALED_TARGET = 8, 1_500_000, 500_000

Result = dict[str, Any]


def clustered(n: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = 2 * rng.normal(size=(CLUSTERS, d))
    return centres[rng.integers(CLUSTERS, size=n)] + rng.normal(size=(n, d))


def real_rows(data: Path) -> dict[str, np.ndarray]:
    found = {}
    for name, (file, take) in REAL.items():
        if (data / file).exists():
            with np.load(data / file) as z:
                found[name] = np.ascontiguousarray(take(z), np.float64)
    return found


# ---- Contestants -----------------------------------------------------------------------------------

def ours() -> Any:
    from frocc import FROCC

    return FROCC(n_jobs=1)


def sklearn_forest() -> Any:
    from sklearn.ensemble import IsolationForest

    return IsolationForest(random_state=0)


def isotree_forest() -> Any:
    from isotree import IsolationForest

    return IsolationForest(ntrees=100, sample_size=256, ndim=1, missing_action="fail", nthreads=1)


class Neighbours:
    """The distance to the fifth nearest row."""

    def fit(self, X: np.ndarray) -> Neighbours:
        from sklearn.neighbors import NearestNeighbors

        self.index = NearestNeighbors(n_neighbors=5).fit(X)
        return self

    def score_samples(self, X: np.ndarray) -> np.ndarray:
        return -self.index.kneighbors(X)[0][:, -1]


def pyod(module: str, name: str) -> Callable[[], Any]:
    return lambda: getattr(__import__(f"pyod.models.{module}", fromlist=[name]), name)()


#: name: how it is made, its scoring method, and the most values it is fitted on
PEERS: dict[str, tuple[Callable[[], Any], str, float]] = {
    "sklearn_if": (sklearn_forest, "score_samples", 1e9),
    "isotree": (isotree_forest, "predict", 1e9),
    "loda": (pyod("loda", "LODA"), "decision_function", 5e6),
    "hbos": (pyod("hbos", "HBOS"), "decision_function", 5e6),
    "ecod": (pyod("ecod", "ECOD"), "decision_function", 2e6),
    "knn": (Neighbours, "score_samples", 1e6),
}


def is_there(name: str) -> bool:
    module = {"sklearn_if": "sklearn", "knn": "sklearn", "isotree": "isotree"}.get(name, "pyod")
    try:
        __import__(module)
    except ImportError:
        return False
    return True


def cpu_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


# ---- One shape -------------------------------------------------------------------------------------

class Turns:
    """One contestant's times on some rows."""

    def __init__(self, make: Callable[[], Any], score: str, X: np.ndarray) -> None:
        self.make, self.score, self.X = make, score, X
        self.fit_s: list[float] = []
        self.score_s: list[float] = []
        self.make().fit(X[:300])  # imports and compilers are not on the clock

    def take(self) -> None:
        spent, self.model = cpu_seconds(lambda: self.make().fit(self.X))
        self.fit_s.append(spent)
        score, rows = getattr(self.model, self.score), self.X[:SCORED]
        score(rows)
        self.score_s.append(cpu_seconds(lambda: score(rows))[0])

    def times(self) -> Result:
        return {"fit": self.fit_s, "score": self.score_s}


def load_and_score(bytes_: bytes, row: np.ndarray) -> float:
    from frocc import FROCC

    return cpu_seconds(lambda: FROCC.from_bytes(bytes_).score_samples(row))[0]


def peak_memory(X: np.ndarray) -> int:
    """Bytes that a fit adds to the peak of a process that has the rows."""
    program = ("import sys, numpy as np\n"
               "from frocc import FROCC\n"
               "X = np.load(sys.argv[1])\n"
               "FROCC(directions=8, n_jobs=1).fit(X[:500])\n"  # what only the first call takes
               "def status(key):\n"
               "    lines = open('/proc/self/status').read().splitlines()\n"
               "    return int(next(line for line in lines if line.startswith(key)).split()[1])\n"
               "open('/proc/self/clear_refs', 'w').write('5')\n"  # the peak so far is forgotten
               "before = status('VmRSS')\n"
               "FROCC(n_jobs=1).fit(X)\n"
               "print(status('VmHWM') - before)\n")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "rows.npy")
        np.save(file, X)
        answer = subprocess.run([sys.executable, "-c", program, file], stdout=subprocess.PIPE,
                                text=True, check=True,
                                env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    return 1024 * int(answer.stdout)


def measure_shape(X: np.ndarray, keys: list[str], rounds: int, budget: float) -> Result:
    turns = {"frocc": Turns(ours, "score_samples", X)}
    for key in keys:
        make, score, most = PEERS[key]
        if X.size <= most:
            turns[key] = Turns(make, score, X)
    began = time.monotonic()
    loads: list[float] = []
    while len(loads) < 3 or (len(loads) < rounds and time.monotonic() - began < budget):
        for each in turns.values():
            each.take()
        model = turns["frocc"].model.to_bytes()
        loads.append(load_and_score(model, X[:1]))
    return {"n": len(X), "d": X.shape[1], "rounds": len(loads), "load_and_row": loads,
            "bytes": len(model), "sealed_bytes": len(turns["frocc"].model.seal().to_bytes()),
            "peak_bytes": peak_memory(X),
            "times": {key: each.times() for key, each in turns.items()}}


def measure(build: Path, data: Path, rounds: int = 9, budget: float = 40,
            keys: list[str] | None = None, smaller: int = 1) -> Result:
    os.environ["FROCC_LIBRARY"] = str((build / "libfrocc.so").resolve())
    sys.path.insert(0, str(ROOT / "python"))
    there = [key for key in (keys or list(PEERS)) if is_there(key)]
    rows = {**{name: clustered(n // smaller, d) for name, (n, d) in MADE.items()},
            **{name: X[::smaller] for name, X in real_rows(data).items()}}
    results = {}
    for name, X in rows.items():
        results[name] = measure_shape(X, there, rounds, budget)
        print(f"default {name}: {line_of(results[name])}", flush=True)
    return {"default": results}


# ---- Figures ---------------------------------------------------------------------------------------

def against(result: Result, peer: str, what: str) -> float:
    """How many times as fast as the peer: the median over rounds of the ratio."""
    ours_, theirs = (result["times"][key][what] for key in ("frocc", peer))
    return median(b / max(a, 1e-9) for a, b in zip(ours_, theirs))


def line_of(result: Result) -> str:
    own = result["times"]["frocc"]
    words = [f"fit {1e3 * median(own['fit']):.1f} ms", f"score {1e3 * median(own['score']):.2f} ms",
             f"load and one row {1e3 * median(result['load_and_row']):.1f} ms",
             f"{result['bytes'] / 1e6:.2f} MB, sealed {result['sealed_bytes'] / 1e6:.2f}",
             f"peak {result['peak_bytes'] / 1e6:.0f} MB"]
    for peer in result["times"]:
        if peer != "frocc":
            words.append(f"{peer} {against(result, peer, 'fit'):.1f}/"
                         f"{against(result, peer, 'score'):.1f}")
    return ", ".join(words)


def plain(results: dict[str, Result]) -> Result:
    """`default.<shape>.<what>` for build/bench.json."""
    entries = {}
    for name, r in results.items():
        own = r["times"]["frocc"]
        entries[name] = {"fit_ms": 1e3 * median(own["fit"]),
                         "score_ms_per_1000_rows": 1e3 * median(own["score"]) * 1000
                         / min(SCORED, r["n"]),
                         "load_and_row_ms": 1e3 * median(r["load_and_row"]), "bytes": r["bytes"],
                         "sealed_bytes": r["sealed_bytes"], "peak_bytes": r["peak_bytes"],
                         "rounds": r["rounds"]}
        for peer in r["times"]:
            if peer != "frocc":
                for what in ("fit", "score"):
                    entries[name][f"{what}_vs_{peer}"] = against(r, peer, what)
    return entries


def verdicts(results: dict[str, Result]) -> list[list[str]]:
    """What was wanted, what was measured, and whether it is met."""
    rows = []

    def judge(what: str, shape: str, wanted: str, got: float, met: bool) -> None:
        rows.append([what, shape, wanted, f"{got:.3g}", "met" if met else "not met"])

    for what, targets in (("fit", FIT_TARGETS), ("score", SCORE_TARGETS)):
        for shape, least in targets.items():
            if shape in results and "sklearn_if" in results[shape]["times"]:
                got = against(results[shape], "sklearn_if", what)
                judge(f"{what}, times Isolation Forest", shape, f"≥ {least}", got, got >= least)
    for shape in MADE:
        if shape in results:
            got = 1e3 * median(results[shape]["load_and_row"])
            judge("load and one row, ms", shape, f"< {LOAD_TARGET_MS}", got, got < LOAD_TARGET_MS)
    small = results.get("2000x10")
    if small:
        judge("model, bytes", "2000x10", f"≤ {MODEL_TARGET}", small["bytes"],
              small["bytes"] <= MODEL_TARGET)
        judge("sealed, bytes", "2000x10", f"≤ {SEALED_TARGET}", small["sealed_bytes"],
              small["sealed_bytes"] <= SEALED_TARGET)
    return rows
