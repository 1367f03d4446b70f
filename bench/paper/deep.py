# SPDX-License-Identifier: BSD-3-Clause
"""Trains the auto-encoder and Deep SVDD over exported sets, on a GPU where there is one. Needs numpy
and PyTorch only; the sets are those that `bench/paper/run --export FOLDER` wrote.

    PYTHONPATH=bench python3 bench/paper/deep.py FOLDER OUT.json [--workers 12] [--quick]

Every (set, run) is a task of its own with its own seed, so the number of workers changes nothing but
the time. With --time, training and scoring are timed, one task after the other."""

from __future__ import annotations

import argparse
import copy
import json
import math
import platform
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from common import machine, results_text
from metrics import merits
from networks import (
    distance,
    make,
    reconstruction_error,
    train_autoencoder,
    train_svdd,
)

EPOCHS = 100
LEAST_STEPS = 1000  # so that small sets are trained, too
RUNS = 5


def batch_size(n: int) -> int:
    return 200 if n <= 10_000 else 1000


def epochs_for(n: int, quick: bool) -> int:
    steps = math.ceil(n / batch_size(n))
    return 2 if quick else max(EPOCHS, math.ceil(LEAST_STEPS / steps))


class Prepared:
    """Rows as the network gets them. Tables: mean 0 and variance 1 over the training rows. Images:
    contrast normalised by the mean absolute value, then to [0, 1] by the training rows' range, as
    Deep SVDD's authors do."""

    def __init__(self, train: torch.Tensor, shape: tuple[int, ...]) -> None:
        self.shape = shape
        rows = self._contrast(train.float()) if shape else train.float()
        if shape:
            self.shift, self.scale = rows.min(), rows.max() - rows.min()
        else:
            self.shift, scale = rows.mean(0), rows.std(0, correction=0)
            self.scale = torch.where(scale > 0, scale, 1.0)

    def _contrast(self, x: torch.Tensor) -> torch.Tensor:
        x = x - x.mean(1, keepdim=True)
        return x / x.abs().mean(1, keepdim=True).clamp_min(1e-8)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        x = self._contrast(x.float()) if self.shape else x.float()
        x = (x - self.shift) / self.scale
        return x.view(-1, *self.shape) if self.shape else x


def clock(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def one_run(path: Path, run: int, device: torch.device, quick: bool) -> dict[str, Any]:
    """Merits on the test part, and times; those of Deep SVDD have the pretraining in them."""
    seed = 1000 + run
    torch.manual_seed(seed)
    with np.load(path) as z:
        shape = tuple(int(n) for n in z["shape"])
        X = torch.from_numpy(z["X"]).to(device)
        part = {name: torch.from_numpy(z[f"{name}_{run}"].astype(np.int64)).to(device)
                for name in ("train", "test")}
        anomaly = z[f"anomaly_{run}"]
    train, test = X[part["train"]], X[part["test"]]
    prepare = Prepared(train, shape)
    train, test = prepare(train), prepare(test)
    n, result = len(train), {"seed": seed, "trained_on": len(train)}
    batch, epochs = batch_size(n), epochs_for(n, quick)

    def judge(name: str, score: Any, started: float) -> None:
        trained = clock(device)
        normality = -score(test).cpu().numpy().astype(np.float64)
        tested = clock(device)
        result[name] = merits(normality, anomaly) | {
            "train_s": trained - started, "test_s": tested - trained, "epochs": epochs}

    started = clock(device)
    network = make(X.shape[1], shape).to(device)
    train_autoencoder(network, train, batch, epochs)
    judge("ae", lambda x: reconstruction_error(network, x), started)
    pretrained = clock(device) - started
    for kind in ("hard", "soft"):
        started = clock(device) - pretrained
        encoder = copy.deepcopy(network)
        c = train_svdd(encoder, train, batch, epochs, kind == "soft")
        judge(f"svdd-{kind}", lambda x: distance(encoder, c, x), started)  # noqa: B023
    return result


def worker(tasks: Any, results: Any, quick: bool) -> None:
    torch.set_num_threads(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    while (task := tasks.get()) is not None:
        path, run = task
        try:
            results.put((path.stem, run, one_run(path, run, device, quick)))
        except Exception as error:
            results.put((path.stem, run, {"error": f"{type(error).__name__}: {error}"}))


def in_parallel(work: list[tuple[Path, int]], workers: int, quick: bool) -> dict[str, Any]:
    spawn = torch.multiprocessing.get_context("spawn")
    tasks, results = spawn.Queue(), spawn.Queue()
    for task in [*work, *[None] * workers]:
        tasks.put(task)
    team = [spawn.Process(target=worker, args=(tasks, results, quick)) for _ in range(workers)]
    for process in team:
        process.start()
    found: dict[str, Any] = {}
    for _ in work:
        name, run, result = results.get()
        found.setdefault(name, {})[str(run)] = result
        words = result.get("error") or ", ".join(
            f"{key} {result[key]['auc']:.4f}" for key in ("ae", "svdd-hard", "svdd-soft"))
        print(f"{name} {run}: {words}", flush=True)
    for process in team:
        process.join()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--quick", action="store_true", help="two epochs, to see that it works")
    parser.add_argument("--time", action="store_true", help="one run, one task at a time")
    arguments = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    paths = sorted(arguments.folder.glob("*.npz"), key=lambda path: -path.stat().st_size)
    runs = 1 if arguments.time else arguments.runs
    start = time.perf_counter()
    found = in_parallel([(path, run) for run in range(runs) for path in paths],
                        1 if arguments.time else arguments.workers, arguments.quick)
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
    arguments.out.write_text(results_text({
        "command": "bench/paper/deep.py " + " ".join(sys.argv[3:]), "seed": "1000 + run",
        "versions": {"torch": torch.__version__, "numpy": np.__version__,
                     "python": platform.python_version()},
        "gpu": gpu, "machine": machine(), "seconds": time.perf_counter() - start,
        "sets": {name: found[name] for name in sorted(found)}}) + "\n")
    return int(any("error" in result for runs in found.values() for result in runs.values()))


if __name__ == "__main__":
    sys.exit(main())
