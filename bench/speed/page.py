# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/benchmarks.md from the results. Every number on the page comes from the JSON files; a
sentence that judges is chosen by the numbers."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

import default
import peers
import ratios
import structured
import targets
from common import digits, table
from end_to_end import PEER

Result = dict[str, Any]

PARTS = ("default", "shapes", "growth", "end_to_end", "structured")
BUSY_LOAD = 0.5  # others at work when a part began


def size(n: float) -> str:
    return f"{n / 1e6:.1f} MB" if n >= 1e6 else f"{n / 1e3:.1f} kB"


def ms(seconds: float) -> str:
    return digits(seconds * 1e3)


def spread(s: ratios.Spread) -> str:
    return f"{digits(s[0])} ({digits(s[1])} to {digits(s[2])})"


# ---- Bounds ----------------------------------------------------------------------------------------

def verdicts(part: Result, auc: Result) -> str:
    found = [*targets.of_ratios(part["shapes"]), targets.of_auc(auc)]
    met, missed = (sum(row[4].startswith(word) for row in found)
                   for word in (targets.MET, targets.MISSED))
    return (f"{met} are met, {missed} are not, {len(found) - met - missed} are not judged.\n\n" +
            table(["what", "shape", "wanted", "measured (quartiles)", ""], found))


def shape_list(shapes: dict[str, Result]) -> str:
    return table(["shape", "n", "d", "m", "ε", "rounds", "with peers", "rows"], [
        [key, f"{s['n']:,}", f"{s['d']:,}", f"{s['m']:,}", f"{s['epsilon']:g}",
         str(len(r["own"]["project"])), str(r["rounds"]), r["rows"]]
        for key, r in shapes.items() for s in [r["shape"]]])


def bounds(shapes: dict[str, Result]) -> str:
    rows = []
    for key, result in shapes.items():
        own, found = result["own"], ratios.of_shape(result)
        rows.append([key, digits(1e-9 / median(own["peak"])), ms(median(own["project"])),
                     spread(found["projection_over_peak"]), digits(ratios.best_share(result)),
                     ms(median(own["fit"])), spread(found["fit_over_projection"]),
                     ms(median(own["score"])), spread(found["score_over_projection"])])
    return table(["shape", "peak, 10⁹ multiply-adds a second", "projections only, ms",
                  "share of the peak", "fastest against fastest", "fit, ms", "times projections",
                  "score, ms", "times projections"], rows)


def two_threads(shapes: dict[str, Result]) -> str:
    rows = []
    for key, result in shapes.items():
        free, own = ratios.free_rounds(result["own"]), result["own"]
        everywhere = [spread(ratios.divided(own[what], own[f"{what}_threads"]))
                      for what in ("project", "fit", "score")]
        rows.append([key, f"{len(free)} of {len(own['project'])}",
                     *(spread(ratios.two_threads(result, what)) if free else ""
                       for what in ("fit", "score")), *everywhere])
    return table(["shape", "rounds with free cores", "fit", "score", "all rounds: projections",
                  "fit", "score"], rows)


def other_families(shapes: dict[str, Result]) -> str:
    rows, missing = [], set()
    for key, result in shapes.items():
        for family, found in result["families"].items():
            if "missing" in found:
                missing.add(found["missing"])
                continue
            pairs = [(found["times"][what], result["times"][what])
                     for what in ("project", "fit", "score")]
            rows.append([key, family, *(cell for fast, dense in pairs for cell in
                                        (ms(median(fast)), spread(ratios.divided(dense, fast))))])
    if not rows:
        return f"Not measured: {'; '.join(sorted(missing))}."
    return table(["shape", "directions", "projections, ms", "times as fast as dense", "fit, ms",
                  "times as fast as dense", "score, ms", "times as fast as dense"], rows)


def auc_table(result: Result) -> str:
    if not result["sets"]:
        return f"Not measured: {result.get('missing', 'no sets')}."
    means = {name: [sum(areas[f]) / len(areas[f]) for f in structured.FAMILIES]
             for name, areas in result["sets"].items()}
    rows = [[name, *(f"{x:.4f}" for x in pair), f"{pair[1] - pair[0]:+.4f}"]
            for name, pair in means.items()]
    dense, fast = (sum(pair[i] for pair in means.values()) / len(means) for i in (0, 1))
    rows.append(["**mean**", f"{dense:.4f}", f"{fast:.4f}", f"{fast - dense:+.4f}"])
    return table(["set", "dense", "structured", "difference"], rows)


# ---- Peers -----------------------------------------------------------------------------------------

def compared(shapes: dict[str, Result], what: str) -> str:
    """Times as fast as the peer, a column a shape."""
    keys = [key for key in peers.PEERS if any(key in r["peers"] for r in shapes.values())]
    rows = []
    for peer in keys:
        cells = []
        for result in shapes.values():
            theirs = result["peers"].get(peer)
            capped = theirs and theirs[f"{what}_rows"] < result["shape"]["n"]
            cells.append("" if theirs is None else
                         spread(ratios.against(result, peer, what, ratios.frocc_times(result))) +
                         ("\\*" if capped else ""))
        rows.append([peers.PEERS[peer].name, *cells])
    return table(["peer", *shapes], rows)


def peer_times(shapes: dict[str, Result]) -> str:
    rows = [["frocc", *(f"{ms(median(t['fit']))} / {ms(median(t['score']))}"
                        for r in shapes.values() for t in [ratios.frocc_times(r)])]]
    for peer in peers.PEERS:
        cells = []
        for result in shapes.values():
            theirs = result["peers"].get(peer)
            both = theirs and [median(t for t in theirs[what] if t is not None)
                               for what in ("fit", "score")]
            cells.append(" / ".join(map(ms, both)) if both else "")
        rows.append([peers.PEERS[peer].name, *cells])
    return table(["fit / score, ms", *shapes], rows)


def caps(shapes: dict[str, Result]) -> str:
    words = []
    for key, peer in peers.PEERS.items():
        most_rows = max(r["shape"]["n"] for r in shapes.values())
        if min(peer.most_rows, peer.most_queries) < most_rows:
            words.append(f"{peer.name} {peer.most_rows:,} and {peer.most_queries:,}")
    return "; ".join(words)


def losses(shapes: dict[str, Result]) -> str:
    lost = []
    for key, result in shapes.items():
        for peer, theirs in result["peers"].items():
            for what in ("fit", "score"):
                value = ratios.against(result, peer, what, ratios.frocc_times(result))[0]
                rows = theirs[f"{what}_rows"]
                few = f", on {rows:,} rows" if rows < result["shape"]["n"] else ""
                if value < 1:
                    lost.append(f"- {key}, {what}: {peers.PEERS[peer].name} is "
                                f"{digits(1 / value)} times as fast{few}")
    return "\n".join(lost) or "Nowhere in this run."


# ---- Growth, one row, memory, files ----------------------------------------------------------------

def growth(result: Result) -> str:
    rows = []
    for name, points in result["along"].items():
        for before, point in zip([None, *points], points, strict=False):
            grown = [f"{point[what]['cpu_s'] / before[what]['cpu_s']:.1f}" if before else ""
                     for what in ("fit", "score")]
            factor = 1.0 if before is None else point[name] / before[name]
            if before and name == "epsilon":
                factor = 1 / factor
            rows.append(["1/ε" if name == "epsilon" else name,
                         f"{1 / point[name] if name == 'epsilon' else point[name]:,.0f}",
                         f"{factor:.1f}" if before else "", ms(point["project"]["cpu_s"]),
                         ms(point["fit"]["cpu_s"]), grown[0], ms(point["score"]["cpu_s"]), grown[1],
                         f"{point['memory']['intervals']:,.0f}"])
    return table(["what grows", "to", "by", "projections, ms", "fit, ms", "by", "score, ms", "by",
                  "intervals"], rows)


def sparse(result: Result) -> str:
    def row(name: str, point: Result, entries: float) -> list[str]:
        per = [f"{point[what]['cpu_s'] / (entries * point['m']) * 1e9:.3f}"
               for what in ("fit", "score")]
        return [name, f"{entries:,.0f}", ms(point["fit"]["cpu_s"]), ms(point["score"]["cpu_s"]), *per]

    rows = [row(f"CSR, density {p['density']:g}", p, max(1, int(p["density"] * p["d"])) * p["n"])
            for p in result["sparse"]]
    rows.append(row("dense", result["dense"], result["dense"]["n"] * result["dense"]["d"]))
    return table(["rows", "entries", "fit, ms", "score, ms", "fit, ns an entry and direction",
                  "score, ns an entry and direction"], rows)


def one_row(shapes: dict[str, Result]) -> str:
    rows = []
    for key, result in shapes.items():
        found = [(key, result["once"])]
        found += [(f"{key}, {family}", other["once"])
                  for family, other in result["families"].items() if "once" in other]
        for name, once in found:
            row, draw, memory = once["row"], once["draw"], once["memory"]
            each = f"{draw['cpu_s'] / draw['numbers'] * 1e9:.2f}" if name == key else ""
            rows.append([name, digits(row["row_s"] * 1e6), digits(row["row_p99_s"] * 1e6),
                         ms(draw["cpu_s"]), each,
                         size(memory["frame_bytes"]), size(memory["fit_bytes"]),
                         size(memory["score_bytes"]), size(memory["file_bytes"]),
                         f"{memory['intervals']:,.0f}"])
    return table(["shape", "one row, µs", "99th percentile, µs", "drawing directions, ms",
                  "ns a number", "directions held", "most held fitting", "most held scoring",
                  "model file", "intervals"], rows)


def end_to_end(result: Result) -> str:
    middle = {name: [median(t[clock] for t in times) for clock in ("cpu_s", "wall_s")]
              for name, times in result["times"].items()}
    theirs = middle.get(PEER, [float("nan")])[0]
    rows = [[name, f"{cpu:.2f}", f"{wall:.2f}", digits(theirs / cpu)]
            for name, (cpu, wall) in middle.items()]
    return (f"{result['rows']:,} rows of {result['features']} numbers to learn from and as many to "
            f"score, {size(result['bytes'])} of text.\n\n" +
            table(["program", "CPU, s", "wall clock, s", f"times as fast as {PEER}"], rows))


# ---- The page --------------------------------------------------------------------------------------

def busy(found: dict[str, Result]) -> str:
    loads = [r["about"]["load"] for r in found.values()]
    if max(loads) <= BUSY_LOAD:
        return "Nothing else ran on the machine."
    return (f"**The machine was busy**: the load was {min(loads):.1f} to {max(loads):.1f} when the "
            "parts of this run began, so times and their spread are too large, and ratios are of "
            "little precision.")


# ---- The default -----------------------------------------------------------------------------------

def default_times(results: dict[str, Result]) -> str:
    rows = []
    for name, r in results.items():
        own = r["times"]["frocc"]
        rows.append([name, f"{r['n']:,} × {r['d']}", ms(median(own["fit"])), ms(median(own["score"])),
                     ms(median(r["load_and_row"])), size(r["bytes"]), size(r["sealed_bytes"]),
                     size(r["peak_bytes"])])
    return table(["rows", "n × d", "fit, ms", "score, ms per 1,000 rows", "load and one row, ms",
                  "model", "sealed", "memory of a fit"], rows)


def default_against(results: dict[str, Result], what: str) -> str:
    keys = [key for key in default.PEERS if any(key in r["times"] for r in results.values())]
    rows = [[key, *(digits(default.against(r, key, what)) if key in r["times"] else ""
                    for r in results.values())] for key in keys]
    return table(["times as fast as", *results], rows)


def machine(about: Result) -> str:
    return f"{about['machine']}, {about['cores']} cores, kernels {about['level']}"


def write(folder: Path, out: Path) -> None:
    found = {name: json.loads((folder / f"{name}.json").read_text()) for name in PARTS
             if (folder / f"{name}.json").exists()}
    missing = [name for name in PARTS if name not in found]
    if missing:
        raise SystemExit(f"no page: results are missing: {', '.join(missing)}")
    shapes = found["shapes"]["shapes"]
    about = found["shapes"]["about"]
    usual = found["default"]["default"]
    out.write_text(TEXT.format(
        default_times=default_times(usual), default_fit=default_against(usual, "fit"),
        default_score=default_against(usual, "score"),
        default_verdicts=table(["what", "rows", "wanted", "measured", ""], default.verdicts(usual)),
        verdicts=verdicts(found["shapes"], found["structured"]), shape_list=shape_list(shapes),
        bounds=bounds(shapes), two_threads=two_threads(shapes), free=ratios.FREE,
        families=other_families(shapes), auc=auc_table(found["structured"]),
        score=compared(shapes, "score"), fit=compared(shapes, "fit"), times=peer_times(shapes),
        caps=caps(shapes), losses=losses(shapes), growth=growth(found["growth"]),
        sparse=sparse(found["growth"]), one_row=one_row(shapes),
        end_to_end=end_to_end(found["end_to_end"]), busy=busy(found),
        machine=machine(about), default_machine=machine(found["default"]["about"]),
        versions=", ".join(f"{k} {v}" for k, v in sorted(about["versions"].items())),
    ))
    print(f"wrote {out}")


TEXT = """\
# Speed

frocc next to what the machine can do at best, and next to detectors that people use. Written by
`make bench` from [bench/speed/results](../bench/speed/results); do not edit.

{machine}; {versions}. {busy}

## What users get: the default

`FROCC()` from Python with no parameters, on one thread, beside the peers with theirs; CPU time, medians
of interleaved rounds. *Load and one row* is `FROCC.from_bytes` and `score_samples` of a single row.
*Memory of a fit* is what it adds to the peak of a process that has the rows. {default_machine}.

{default_times}

Fit:

{default_fit}

Score, 1,000 rows:

{default_score}

{default_verdicts}

## The paper's method

How it is measured: for each shape, frocc and the peers take turns in rounds, and both times of a ratio
are of the same round; frocc and its bounds have more rounds, without peers, in between. In a round each is
called at least three times, unless that takes long, and the median counts: the first call after others
finds the caches cold. A figure is the median over the rounds, with the quartiles in parentheses.
Processes, ours and the peers', keep the memory that they free, so that repeated calls find it. Times are
CPU time of one thread, which is what a clock on the wall shows when nothing else runs; only two threads
are timed by that clock. frocc is fitted by `frocc_fitter` in a frame whose directions are already drawn
and scored by `frocc_scorer_score`: what users of the library call. What drawing costs stands in a table
of its own below. *Projections only* is packing and projecting all rows on all directions, exactly, with
nothing done to the results. The *peak* is float32 multiply-adds on registers alone, at the kernel
level in use.

## Targets

{verdicts}

## Shapes

{shape_list}

## Against the bounds

{bounds}

## Two threads

How many times as fast two threads are as one. On a machine that is shared, a core can be slow for seconds
because of others. So two threads are judged by the rounds in which both cores were free: those in which
projections ran at {free:.0%} or more of the best speed of all rounds, on one core, and of twice that on
two.

{two_threads}

## Structured and sparse directions

`--family hadamard` and `--family sparse`, on the same rows.

{families}

What structured directions cost in accuracy, as areas under the ROC curve, mean over seeds. ADBench
sets have a number, sets of the paper a letter; the method is the paper's on standardised columns:

{auc}

## Against the peers

How many times as fast as the peer frocc is; below 1 it is slower. E, F and G are with structured
directions where the table above has them. Everything runs on one thread. Peers have their defaults.
numpy FROCC is our own: exact is a matrix product, a sort and one `searchsorted` a direction; binned
replaces sorting by a table of bins.

A star marks a peer that got fewer rows because its time grows faster than the rows or it would take
minutes. Scores then compare by the row; fits compare as if the peer had fitted all rows, to its
advantage. At most fitted and scored: {caps}.

### Score

{score}

### Fit

{fit}

### Milliseconds

{times}

### Where frocc loses

A forest that fits 256 rows a tree need not read the others, and its depth does not grow with the
features.

{losses}

## Growth

Gaussian rows, one thread, around n 20,000, d 50, m 500, ε 0.05.

{growth}

Sparse rows, n 2,000, d 10,000, m 500:

{sparse}

## One row, memory, model size

One row is scored at a time, by the clock on the wall. Memory is what the library allocates, the
caller's rows not counted.

{one_row}

## From CSV to CSV

Whole processes, from starting them to the written scores.

{end_to_end}

## How to repeat

    make bench              # everything, under 20 minutes on 2 cores; writes this page
    make bench-quick        # the ratios of the targets in build/bench.json, under 5 minutes
    bench/speed/run --only growth end_to_end    # these parts anew, then the page
    bench/speed/run --page  # only this page

Peers are installed into build/venv-bench. `FROCC_DATA` names the folder of the sets when it is not
`../shared/data`; without them, made rows take their place.
"""
