# SPDX-License-Identifier: BSD-3-Clause
"""Runs a detector over the sets, and what else the page shows; everything comes back as plain
dictionaries that are kept as JSON."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import detectors
import numpy as np
import protocol
from common import auc, seconds

ALPHAS = (0.001, 0.01, 0.05, 0.1)


def false_alarms(model: Any, fresh: np.ndarray, entry: dict[str, Any]) -> None:
    p = model.p_values(fresh)
    entry.setdefault("fresh", []).append(len(p))
    entry.setdefault("calibration_rows", []).append(int(model.info_["calibration_rows"]))
    for alpha in ALPHAS:
        entry.setdefault(str(alpha), []).append(int(np.sum(p <= alpha)))


def one_set(key: str, path: Path, which: str, seeds: int) -> dict[str, Any]:
    make, _, slow = detectors.DETECTORS[key]
    X, y = protocol.read(path)
    n_train = min(int(np.sum(y == 0)) // 2, protocol.PROTOCOLS[which][0])
    entry: dict[str, Any] = {"features": X.shape[1], "train": n_train, "auc": []}
    times, fits, sizes = [], [], []
    for seed in protocol.seeds_for(n_train, seeds, slow):
        train, test, anomaly = protocol.split(X, y, seed, which)
        start = time.process_time()
        detector = make(train, seed)
        fits.append(time.process_time() - start)
        spent, scores = seconds(lambda: detector.score(test))  # noqa: B023
        entry["auc"].append(round(auc(scores, anomaly), 6))
        times.append(spent / len(test) * 1000)
        sizes.append(detector.size())
        if key == "frocc":
            false_alarms(detector.model, test[~anomaly], entry.setdefault("false_alarms", {}))
    entry["test"] = len(test)
    entry["trained_on"] = min(n_train, getattr(make, "most_rows", n_train))
    entry["fit_s"] = round(float(np.mean(fits)), 4)
    entry["score_ms_per_1000"] = round(float(np.mean(times)) * 1000, 4)
    entry["model_bytes"] = int(np.mean(sizes))
    return entry


def detector(key: str, paths: list[Path], which: str, seeds: int) -> dict[str, Any]:
    make = detectors.DETECTORS[key][0]
    warm = np.random.default_rng(0).normal(size=(50, 4))
    make(warm, 0).score(warm)  # imports and compilers do their work outside the clock
    entries = {}
    for path in paths:
        entries[path.stem] = entry = one_set(key, path, which, seeds)
        print(f"  {which:7}{key:12} {path.stem:22} auc {np.mean(entry['auc']):.4f}"
              f"  {entry['score_ms_per_1000']:10.2f} ms / 1000 rows", flush=True)
    return {"protocol": which, "seeds": seeds, "versions": detectors.versions(key), "sets": entries}


# ---- Scoring speed at 50,000 training rows ---------------------------------------------------------

def big_sets(data: Path) -> dict[str, np.ndarray]:
    """Normal rows of the sets that have nearly 100,000 of them, and of MNIST (all digits), which
    have to do for speed."""
    big = {}
    for path in protocol.sets(data):
        X, y = protocol.read(path)
        if np.sum(y == 0) >= 90_000:
            big[path.stem] = X[y == 0]
    mnist = data / "paper" / "B3_mnist.npz"
    if mnist.exists():
        with np.load(mnist) as z:
            big["MNIST, 784 pixels"] = z["X"].astype(np.float64)
    return big


def neighbour_times(train: np.ndarray, test: np.ndarray) -> dict[str, float]:
    """Seconds per row of exact search by every algorithm of scikit-learn, rows scaled before."""
    from sklearn.neighbors import NearestNeighbors
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(train)
    train, test = scaler.transform(train), scaler.transform(test)
    times = {}
    for algorithm in ("brute", "kd_tree", "ball_tree"):
        if algorithm != "brute" and train.shape[1] > 100:
            continue  # trees look at every row there, and slowly
        index = NearestNeighbors(n_neighbors=5, algorithm=algorithm).fit(train)
        few = test[: 200 if algorithm == "brute" else 20]
        guess = seconds(lambda: index.kneighbors(few), 0.0)[0] / len(few)  # noqa: B023
        some = test[: int(min(len(test), max(256, 2 / guess)))]
        times[algorithm] = seconds(lambda: index.kneighbors(some), 0.2, 3)[0] / len(some)  # noqa: B023
    return times


def speed(data: Path) -> dict[str, Any]:
    entries = {}
    for name, X in big_sets(data).items():
        X = X[np.random.default_rng(0).permutation(len(X))]
        n = min(50_000, len(X) // 2 if len(X) < 100_000 and X.shape[1] < 100 else 50_000)
        train, test = X[:n], X[n:][:20_000]
        model = detectors.Frocc(train, 0)
        frocc = seconds(lambda: model.score(test), 0.2, 3)[0] / len(test)  # noqa: B023
        entries[name] = {
            "features": X.shape[1],
            "train": n,
            "frocc_us": round(frocc * 1e6, 4),
            "neighbours_us": {k: round(v * 1e6, 3) for k, v in neighbour_times(train, test).items()},
            "frocc_bytes": model.size(),
            "frocc_bytes_of_a_tenth": detectors.Frocc(train[: n // 10], 0).size(),
            "neighbours_bytes": n * X.shape[1] * 8,
        }
        best = min(entries[name]["neighbours_us"].values())
        print(f"  speed {name:20} frocc {frocc * 1e6:.2f} us, neighbours {best:.1f} us", flush=True)
    return {"sets": entries, "versions": detectors.versions("knn") | detectors.versions("frocc")}


# ---- OddBench, and what a detector must not be blind to --------------------------------------------

def odd(key: str, paths: list[Path]) -> dict[str, Any]:
    """AUC over tables that come split into training and test rows."""
    entries = {}
    for path in paths:
        with np.load(path) as z:
            train, test, anomaly = z["train"], z["test"], z["anomaly"].astype(bool)
        scores = detectors.DETECTORS[key][0](train.astype(np.float64), 0).score(test.astype(np.float64))
        entries[path.stem] = {"features": train.shape[1], "train": len(train),
                              "auc": [round(auc(np.nan_to_num(scores), anomaly), 6)]}
    print(f"  odd {key:12} {np.mean([e['auc'] for e in entries.values()]):.4f}", flush=True)
    return {"seeds": 1, "versions": detectors.versions(key), "sets": entries}


def unsupervised(key: str, paths: list[Path], seeds: int) -> dict[str, Any]:
    """AUC of the scores of the rows that were learnt, of which some are anomalies."""
    entries = {}
    for path in paths:
        X, y = protocol.read(path)
        scores = []
        for seed in range(seeds):
            rows, anomaly = protocol.unlabelled(X, y, seed)
            scores.append(round(auc(-detectors.unsupervised(key, rows, seed), anomaly), 6))
        entries[path.stem] = {"features": X.shape[1], "train": len(rows),
                              "anomalies": round(float(np.mean(y == 1)), 4), "auc": scores}
    print(f"  unsupervised {key:12} {np.mean([np.mean(e['auc']) for e in entries.values()]):.4f}",
          flush=True)
    return {"seeds": seeds, "versions": detectors.versions(key), "sets": entries}


def blind(key: str, script: Path, data: Path) -> dict[str, Any]:
    """What ../shared/blind_spots.py prints as means, of any detector: {"clusters": {"2": ..}, ..}."""
    sys.path.insert(0, str(script.parent))
    import blind_spots

    def run(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        return detectors.DETECTORS[key][0](train, 0).score(test)

    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        blind_spots.clusters(run)
        blind_spots.gross(run, str(data / "adbench"))
        blind_spots.dirty(run, str(data / "adbench"))
    lines = said.getvalue().splitlines()
    means: dict[str, Any] = {"clusters": {}}
    for line in lines:
        if line.startswith("clusters"):
            means["clusters"][line.split("k")[1].split(":")[0].strip()] = float(line.split()[-1])
        elif line.split()[1] == "mean":
            words = line.replace(":", "").split()[2:]
            means[line.split()[0]] = dict(zip(words[::2], map(float, words[1::2]), strict=True))
    print(f"  blind {key:12} {means}", flush=True)
    return {"versions": detectors.versions(key), "means": means, "lines": lines}


# ---- The evaluation script of the project, as it is ------------------------------------------------

def evaluation_script(script: Path, build: Path, data: Path, seeds: int) -> dict[str, Any]:
    """Mean AUC of the command with no flags; empty where the script or the command is not there."""
    if not script.exists() or not (build / "frocc").exists():
        return {}
    command = [str(script), "--frocc", str(build / "frocc"), "--data", str(data / "adbench"),
               "--seeds", str(seeds)]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{script.name}: {done.stderr.strip()[-300:]}")
    *lines, last = done.stdout.strip().splitlines()
    said = f"adbench_eval.py --frocc build/frocc --data {data / 'adbench'} --seeds {seeds}"
    return {"command": said, "seeds": seeds,
            "versions": detectors.versions("frocc"), "mean": float(last.split()[-1]),
            "sets": {line.split()[0]: float(line.split()[-1]) for line in lines}}
