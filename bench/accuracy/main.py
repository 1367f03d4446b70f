# SPDX-License-Identifier: BSD-3-Clause
"""Measures, keeps the results as JSON, and writes the page; see run."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import detectors
import measure
import numpy as np
import page
import protocol
from common import arguments_parser, machine, results_text

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SEEDS = 5
UNLABELLED_SEEDS = 3
BLIND = ("frocc", "iforest", "knn", "mahalanobis")  # whose blind spots are measured


def library_checksum() -> str:
    """Of the library's file, so that a result can be told from another build's."""
    return hashlib.sha256(Path(os.environ["FROCC_LIBRARY"]).read_bytes()).hexdigest()[:12]


def keep(name: str, result: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    result = {"command": "bench/accuracy/run", "machine": machine(),
              "libfrocc_sha256": library_checksum(), **result}
    (RESULTS / f"{name}.json").write_text(results_text(result) + "\n")


def is_current(name: str, key: str, paths: list[Path], seeds: int = SEEDS) -> bool:
    """Whether a peer's result is there, of the same packages and over the same sets."""
    file = RESULTS / f"{name}.json"
    if not file.exists():
        return False
    result = json.loads(file.read_text())
    return (result["versions"] == detectors.versions(key) and result["seeds"] == seeds
            and list(result["sets"]) == [path.stem for path in paths])


def everything(data: Path, build: Path, fresh: bool) -> None:
    paths = protocol.sets(data)
    keep("script", measure.evaluation_script(data.parent / "adbench_eval.py", build, data, SEEDS))
    for which in ("capped", "full"):
        for key in detectors.DETECTORS:
            name = f"{which}-{key}"
            if not fresh and not key.startswith("frocc") and is_current(name, key, paths):
                continue
            keep(name, measure.detector(key, paths, which, SEEDS))
    for key in detectors.UNSUPERVISED:
        name = f"unsupervised-{key}"
        if fresh or key == "frocc" or not is_current(name, key, paths, UNLABELLED_SEEDS):
            keep(name, measure.unsupervised(key, paths, UNLABELLED_SEEDS))
    tables = protocol.tables(data)
    for key in detectors.DETECTORS:
        if fresh or key.startswith("frocc") or not is_current(f"odd-{key}", key, tables, 1):
            keep(f"odd-{key}", measure.odd(key, tables))
    for key in BLIND:
        if fresh or key.startswith("frocc") or not (RESULTS / f"blind-{key}.json").exists():
            keep(f"blind-{key}", measure.blind(key, data.parent / "blind_spots.py", data))
    keep("speed", measure.speed(data))


def quick(data: Path) -> bool:
    """Small sets, one seed: the default beats the paper's setting and Isolation Forest, and its
    false alarms stay near the stated rate."""
    paths = [path for path in protocol.sets(data)
             if path.stat().st_size < 300_000 and protocol.read(path)[0].size < 150_000]
    keys = ("frocc", "frocc-paper", "iforest")
    results = {key: measure.detector(key, paths, "capped", 1) for key in keys}
    means = {key: page.mean_auc(result) for key, result in results.items()}
    print(", ".join(f"{key} {mean:.4f}" for key, mean in means.items()))
    alarms = [entry["false_alarms"] for entry in results["frocc"]["sets"].values()]
    rate = sum(a["0.05"][0] for a in alarms) / sum(a["fresh"][0] for a in alarms)
    good = True
    for name, passed, why in (
        ("accuracy_above_the_paper", means["frocc"] > means["frocc-paper"] + 0.01, str(means)),
        ("accuracy_above_isolation_forest", means["frocc"] > means["iforest"], str(means)),
        ("false_alarms_near_the_stated_rate", rate < 0.075, f"{rate:.4f} at 0.05"),
    ):
        print(f"ok {name}" if passed else f"FAIL {name}: {why}")
        good = good and passed
    return good


def main() -> int:
    parser = arguments_parser(__doc__, "fresh")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--only", nargs="+", default=[], help="names of results, as capped-lof")
    arguments = parser.parse_args()
    np.seterr(all="ignore")
    if arguments.quick:
        return 0 if quick(arguments.data) else 1
    for name in arguments.only:
        if name == "speed":
            keep(name, measure.speed(arguments.data))
        elif name.startswith("odd-"):
            keep(name, measure.odd(name[4:], protocol.tables(arguments.data)))
        elif name.startswith("unsupervised-"):
            paths = protocol.sets(arguments.data)
            keep(name, measure.unsupervised(name[13:], paths, UNLABELLED_SEEDS))
        elif name.startswith("blind-"):
            script = arguments.data.parent / "blind_spots.py"
            keep(name, measure.blind(name[6:], script, arguments.data))
        elif name == "script":
            script = arguments.data.parent / "adbench_eval.py"
            keep(name, measure.evaluation_script(script, arguments.build, arguments.data, SEEDS))
        else:
            which, key = name.split("-", 1)
            keep(name, measure.detector(key, protocol.sets(arguments.data), which, SEEDS))
    if not arguments.page and not arguments.only:
        everything(arguments.data, arguments.build, arguments.fresh)
    page.write(RESULTS, HERE.parent.parent / "docs" / "accuracy.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
