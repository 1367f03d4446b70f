# SPDX-License-Identifier: BSD-3-Clause
"""Measures, keeps the results as JSON, and writes the page; see run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path
from typing import Any

import chosen
import numpy as np
import sets
from common import arguments_parser, machine, results_text

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PACKAGES = ("numpy", "scikit-learn", "pyod")


def versions() -> dict[str, str]:
    from frocc import __version__

    return {"frocc": __version__} | {name: version(name) for name in PACKAGES}


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 6) if isinstance(value, float) else value


def kept(name: str) -> dict[str, Any]:
    file = RESULTS / f"{name}.json"
    return json.loads(file.read_text()) if file.exists() else {"sets": {}}


def keep(name: str, result: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    head = {"command": f"bench/paper/run --only {name}", "seed": "the number of the run",
            "versions": versions(), "machine": machine()}
    text = results_text(head | rounded({k: v for k, v in result.items() if k not in head}))
    (RESULTS / f"{name}.json").write_text(text + "\n")


# ---- The tables ------------------------------------------------------------------------------------

MEASURES: dict[str, Callable[..., dict[str, Any]]] = {
    "frocc": chosen.one_run,
    "default": chosen.label_free,
    "peers": lambda *arguments: __import__("peers").one_run(*arguments),
}


def one_set(what: str, key: str, data: Path) -> tuple[str, dict[str, Any]]:
    np.seterr(all="ignore")
    each = sets.BY_KEY[key]
    rows = each.load(data)
    return key, {str(run): MEASURES[what](each, rows, run) for run in range(sets.RUNS)}


def measure(what: str, keys: list[str], data: Path, jobs: int) -> None:
    """A set at a time, kept as soon as it is there."""
    with ProcessPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(one_set, what, key, data) for key in keys]):
            key, runs = done.result()
            result = kept(what)
            result["sets"] = {k: v for k, v in sorted((result["sets"] | {key: runs}).items())}
            keep(what, result)
            first = runs["0"]
            print(f"  {what} {key}: " + ", ".join(
                f"{name} {np.mean([run[name]['auc'] for run in runs.values() if name in run]):.4f}"
                for name in first if name != "refused"), flush=True)


# ---- Everything ------------------------------------------------------------------------------------

TABLES = ("frocc", "default", "peers")  # a result a set and run
WHOLE = ("theory", "curves", "experiments", "speed")
NEEDED = (*TABLES, *WHOLE, "deep", "deep-times")


def whole(what: str, data: Path) -> dict[str, Any]:
    """A result that is made in one piece."""
    import curves
    import theory
    import timing

    frocc = kept("frocc")
    return {"theory": theory.everything, "curves": lambda: curves.curves(data, frocc),
            "experiments": lambda: curves.experiments(data, frocc),
            "speed": lambda: timing.everything(data, frocc)}[what]()


def everything(wanted: list[str], fresh: bool, keys: list[str], data: Path, jobs: int) -> None:
    """Runs what is wanted, else what is FROCC's or not there yet, and says which is which."""
    for what in (*TABLES, *WHOLE):
        there = set(kept(what)["sets"]) >= set(keys) if what in TABLES else \
            (RESULTS / f"{what}.json").exists()
        cached = there and not fresh and what in ("peers", "curves", "experiments")
        if what not in wanted if wanted else cached:
            if not wanted:
                print(f"{what}: from bench/paper/results")
            continue
        print(f"{what}: measured now", flush=True)
        if what in TABLES:
            measure(what, keys, data, jobs)
        else:
            keep(what, whole(what, data))
    for what in () if wanted else ("deep", "deep-times"):
        print(f"{what}: from bench/paper/results; bench/paper/deep.py makes it anew")


def write_page(figures: bool = True) -> None:
    import page

    missing = [name for name in NEEDED if not (RESULTS / f"{name}.json").exists()]
    if missing:
        raise SystemExit(f"no page: results are missing: {', '.join(missing)}")
    out = HERE.parent.parent / "docs" / "paper.md"
    page.write({name: kept(name) for name in NEEDED}, out, figures)
    print("wrote docs/paper.md")


def main() -> int:
    parser = arguments_parser(__doc__, "fresh")
    parser.add_argument("--only", nargs="+", default=[], choices=(*TABLES, *WHOLE))
    parser.add_argument("--sets", nargs="+", default=[], help="with --only or --export: these sets")
    parser.add_argument("--export", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    np.seterr(all="ignore")
    if arguments.quick:
        import quick

        return 0 if quick.run(arguments.data) else 1
    keys = [each.key for each in sets.SETS if each.is_there(arguments.data)
            and (not arguments.sets or each.key in arguments.sets)]
    if not keys:
        print(f"bench/paper/run: no sets in {arguments.data}/paper", file=sys.stderr)
        return 1
    if arguments.export:
        from export import export

        export(arguments.data, arguments.export, keys)
        return 0
    if not arguments.page:
        everything(arguments.only, arguments.fresh, keys, arguments.data, arguments.jobs)
    write_page()
    return 0


if __name__ == "__main__":
    sys.exit(main())
