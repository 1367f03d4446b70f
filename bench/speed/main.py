# SPDX-License-Identifier: BSD-3-Clause
"""Measures, keeps the results as JSON, and writes the page; see run."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import measure
import peers
import ratios
import shapes


def show(result: dict[str, Any], began: float) -> None:
    shape, found = result["shape"], ratios.of_shape(result)
    print(f"{shape['key']:5} n {shape['n']:,} d {shape['d']:,} m {shape['m']:,}: "
          f"{result['rounds']} rounds, {time.monotonic() - began:.0f} s", flush=True)
    for name, (middle, low, high) in found.items():
        print(f"      {name:24}{middle:10.3f}   {low:.3f} to {high:.3f}", flush=True)


def run_shapes(change: Any, keys: list[str], arguments: argparse.Namespace, most_rounds: int,
               budget: float) -> dict[str, Any]:
    results = {}
    for key, shape in shapes.SHAPES.items():
        began = time.monotonic()
        results[key] = measure.measure(change(shape), arguments.build, arguments.data, keys,
                                       most_rounds, budget)
        show(results[key], began)
    return results


def quick(arguments: argparse.Namespace) -> dict[str, Any]:
    keys = [key for key, peer in peers.PEERS.items() if peer.quick]
    results = run_shapes(shapes.quick, keys, arguments, most_rounds=7, budget=15)
    file = arguments.build / "bench.json"
    entries = {key: ratios.plain(result) for key, result in results.items()}
    file.write_text(json.dumps(entries, indent=1) + "\n")
    print(f"wrote {file}")
    return results


def tiny(arguments: argparse.Namespace) -> bool:
    """Every shape in small: all figures are there and sane, and numpy accepts what frocc accepts."""
    keys = [key for key, peer in peers.PEERS.items() if peer.is_installed()]
    expected = [name for name in ratios.NAMES
                if "_vs_" not in name or name.partition("_vs_")[2] in keys]
    good = True
    for key, shape in shapes.SHAPES.items():
        shape = shapes.tiny(shape)
        entry = ratios.plain(measure.measure(shape, arguments.build, arguments.data, keys, 1, 1))
        bad = [name for name in expected if not 0 < entry.get(name, 0) < 1e6]
        differing = measure.disagreement(shape, arguments.build)
        for name, passed, why in (
            (f"figures_of_{key}", not bad, f"{', '.join(bad)} in {entry}"),
            (f"same_work_as_numpy_{key}", differing < 0.001, f"{differing:.4f} of answers differ"),
        ):
            print(f"ok {name}" if passed else f"FAIL {name}: {why}")
            good = good and passed
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--test", action="store_true")
    arguments = parser.parse_args()
    if arguments.test:
        return 0 if tiny(arguments) else 1
    if arguments.quick:
        quick(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
