# SPDX-License-Identifier: BSD-3-Clause
"""Measures, keeps the results as JSON, and writes the page; see run."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import common
import default
import end_to_end
import growth
import measure
import page
import peers
import program
import ratios
import shapes
import structured

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PAGE = HERE.parent.parent / "docs" / "benchmarks.md"


def installed() -> list[str]:
    return [key for key, peer in peers.PEERS.items() if peer.is_installed()]


def load() -> float:
    """How many cores others keep busy: what the system says, which lags, or two seconds show."""
    def spent() -> tuple[float, float]:
        numbers = [int(n) for n in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        return sum(numbers), numbers[3] + numbers[4]  # all, and idle or waiting for a disk

    try:
        before = spent()
        time.sleep(2)
        after = spent()
    except OSError:
        return os.getloadavg()[0]
    busy = 1 - (after[1] - before[1]) / max(after[0] - before[0], 1)
    return round(min(os.getloadavg()[0], busy * (os.cpu_count() or 1)), 2)


def about(build: Path) -> dict[str, Any]:
    """Where and with what; before a part starts, as it asks how busy the machine is."""
    level = program.rounds(build, ["--n", "50", "--d", "2", "--m", "8", "--epsilon", "1"], 1, ["peak"])
    return {"machine": common.machine(), "cores": os.cpu_count(), "load": load(),
            "level": level["peak"]["level"], "versions": peers.versions(installed())}


def show(result: dict[str, Any], began: float) -> None:
    shape, found = result["shape"], ratios.of_shape(result)
    print(f"{shape['key']:5} n {shape['n']:,} d {shape['d']:,} m {shape['m']:,}: "
          f"{result['rounds']} rounds, {time.monotonic() - began:.0f} s", flush=True)
    for name, (middle, low, high) in found.items():
        print(f"      {name:24}{middle:10.3f}   {low:.3f} to {high:.3f}", flush=True)


def run_shapes(wanted: list[shapes.Shape], keys: list[str], arguments: argparse.Namespace,
               most_rounds: int, budget: float) -> dict[str, Any]:
    results = {}
    for shape in wanted:
        began = time.monotonic()
        results[shape.key] = measure.measure(shape, arguments.build, arguments.data, keys,
                                             most_rounds, budget)
        show(results[shape.key], began)
    return results


def all_shapes(arguments: argparse.Namespace) -> dict[str, Any]:
    wanted = [*shapes.SHAPES.values(), *shapes.EXTRA.values()]
    return {"shapes": run_shapes(wanted, installed(), arguments, most_rounds=9, budget=60)}


PARTS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "default": lambda arguments: default.measure(arguments.build, arguments.data),
    "shapes": all_shapes,
    "growth": lambda arguments: growth.measure(arguments.build),
    "end_to_end": lambda arguments: end_to_end.measure(arguments.build),
    "structured": lambda arguments: structured.measure(arguments.build, arguments.data),
}


def full(arguments: argparse.Namespace, names: list[str]) -> None:
    RESULTS.mkdir(exist_ok=True)
    for name in names:
        where, began = about(arguments.build), time.monotonic()
        result = {"about": where, **PARTS[name](arguments)}
        (RESULTS / f"{name}.json").write_text(common.results_text(result) + "\n")
        print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)


def quick(arguments: argparse.Namespace) -> None:
    found = default.measure(arguments.build, arguments.data, rounds=5, budget=6,
                            keys=["sklearn_if"])["default"]
    keys = [key for key in installed() if peers.PEERS[key].quick]
    wanted = [shapes.quick(shape) for shape in shapes.SHAPES.values()]
    results = run_shapes(wanted, keys, arguments, most_rounds=5, budget=12)
    file = arguments.build / "bench.json"
    entries = {"default": default.plain(found),
               **{key: ratios.plain(result) for key, result in results.items()}}
    file.write_text(common.results_text(entries) + "\n")
    print(f"wrote {file}")


def tiny_page(arguments: argparse.Namespace, results: dict[str, Any]) -> str:
    """The page of small results."""
    parts = {"default": default.measure(arguments.build, arguments.data, rounds=1, budget=0,
                                        keys=["sklearn_if"], smaller=20),
             "shapes": {"shapes": results}, "growth": growth.measure(arguments.build, smaller=100),
             "end_to_end": end_to_end.measure(arguments.build, smaller=1000),
             "structured": {"sets": {}, "missing": "a test"}}
    where = about(arguments.build)
    with program.scratch(arguments.build) as folder:
        for name, part in parts.items():
            (Path(folder) / f"{name}.json").write_text(json.dumps({"about": where, **part}))
        page.write(Path(folder), Path(folder) / "page.md")
        return (Path(folder) / "page.md").read_text()


def test(arguments: argparse.Namespace) -> bool:
    """Every shape in small: all figures are there and sane, and numpy accepts what frocc accepts."""
    keys = [key for key in installed() if peers.PEERS[key].quick]
    expected = [name for name in ratios.NAMES
                if "_vs_" not in name or name.partition("_vs_")[2] in keys]
    results, good = {}, True

    def check(name: str, passed: bool, why: str) -> None:
        nonlocal good
        print(f"ok {name}" if passed else f"FAIL {name}: {why}")
        good = good and passed

    for key, shape in shapes.SHAPES.items():
        shape = shapes.tiny(shape)
        results[key] = measure.measure(shape, arguments.build, arguments.data, keys, 1, 1)
        entry = ratios.plain(results[key])
        bad = [name for name in expected if not 0 < entry.get(name, 0) < 1e6]
        check(f"figures_of_{key}", not bad, f"{', '.join(bad)} in {entry}")
        differing = measure.disagreement(shape, arguments.build)
        check(f"same_work_as_numpy_{key}", differing < 0.001, f"{differing:.4f} of answers differ")
    text = tiny_page(arguments, results)
    check("page_has_all_shapes", all(f"| {key} |" in text for key in results), text)
    return good


def main() -> int:
    parser = common.arguments_parser(__doc__, "test")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=[], help="parts to run")
    arguments = parser.parse_args()
    if arguments.test:
        return 0 if test(arguments) else 1
    if arguments.quick:
        quick(arguments)
        return 0
    if not arguments.page:
        full(arguments, arguments.only or list(PARTS))
    page.write(RESULTS, PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
