# SPDX-License-Identifier: BSD-3-Clause
"""Rounds over a shape in which frocc and its peers take turns. A time is CPU time of one thread,
which is what the wall clock would show on a machine that does nothing else; only with two threads is
it the wall clock. What comes back is plain dictionaries of all times; ratios.py makes ratios."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from peers import PEERS, Contestant
from program import FamilyMissing, Program, scratch
from shapes import MADE, Shape, write_real

FAMILIES = ("hadamard", "sparse")  # measured beside Gaussian directions; the first meets the peers
MEASURES = ("project", "fit", "score")  # what others are compared with
OWN_MEASURES = ("peak", *(f"{name}{threads}" for name in MEASURES for threads in ("", "_threads")))
ONCE = ("draw", "row", "memory")
LEAST_SECONDS, LEAST_CALLS, LONG_SECONDS = 0.02, 3, 0.3  # as in measure.c
FEWEST_ROUNDS = 3
OWN_SHARE = 0.5  # of the time that a round has

Result = dict[str, Any]


def seconds(work: Callable[[], Any]) -> float:
    """The median of as many calls as fill LEAST_SECONDS, and at least LEAST_CALLS unless they take
    long: the first call after others were at work finds the caches cold."""
    taken: list[float] = []
    while sum(taken) < LEAST_SECONDS or (len(taken) < LEAST_CALLS and sum(taken) < LONG_SECONDS):
        start = time.process_time()
        work()
        taken.append(max(time.process_time() - start, 1e-9))
    return median(taken)


class Turns:
    """A contestant's times; it stays out of rounds that would exceed its share of the time, but the
    main peers take part in two at least."""

    def __init__(self, contestant: Contestant, budget: float) -> None:
        self.contestant, self.budget, self.spent = contestant, budget, 0.0
        self.fit: list[float | None] = []
        self.score: list[float | None] = []

    def take(self) -> None:
        rounds = len(self.fit)
        fewest = 2 if self.contestant.peer.quick else 1
        if rounds >= fewest and self.spent * (rounds + 1) / rounds > self.budget:
            self.fit.append(None)
            self.score.append(None)
            return
        start = time.monotonic()
        self.fit.append(seconds(self.contestant.fit))
        self.score.append(seconds(self.contestant.score))
        self.spent += time.monotonic() - start

    def result(self) -> Result:
        return {"fit_rows": len(self.contestant.X), "score_rows": len(self.contestant.Q),
                "fit": self.fit, "score": self.score}


def start(shape: Shape, build: Path, data: Path, prefix: Path) -> tuple[Program, str, list[str]]:
    """The program at work on the shape, what its rows are, and the arguments that gave them."""
    arguments = shape.arguments()
    real = write_real(shape, data, prefix)
    if real is not None:
        arguments += ["--rows", f"{prefix}.rows", "--queries", f"{prefix}.queries"]
    program = Program(build, [*arguments, "--save", str(prefix)])
    program.ask("memory")  # it answers when the files are written
    return program, real or MADE[shape.kind], arguments


def contestants(shape: Shape, keys: list[str], prefix: Path) -> dict[str, Contestant]:
    X, Q = (np.fromfile(f"{prefix}.{part}", np.float32).reshape(shape.n, shape.d)
            for part in ("rows", "queries"))
    W = np.fromfile(f"{prefix}.directions", np.float32).reshape(shape.m, shape.d)
    return {key: Contestant(PEERS[key], shape, X, Q, W) for key in keys}


def disagreement(shape: Shape, build: Path) -> float:
    """The share of (query, direction) pairs that frocc and numpy decide differently. Their sums
    differ in the last bits, so it is small rather than zero."""
    with scratch(build) as folder:
        prefix = Path(folder) / "check"
        program = Program(build, [*shape.arguments(), "--save", str(prefix)])
        program.ask("memory")
        program.close()
        numpy = contestants(shape, ["numpy"], prefix)["numpy"]
        ours = np.fromfile(f"{prefix}.scores")
    numpy.fit()
    return float(np.abs(numpy.score() - ours).mean())


class Family:
    """The same rows on other directions, if the library has them."""

    def __init__(self, name: str, build: Path, arguments: list[str]) -> None:
        self.name, self.missing = name, ""
        self.times: dict[str, list[float]] = {what: [] for what in MEASURES}
        self.program = Program(build, [*arguments, "--family", name])
        try:
            self.program.ask("memory")
        except FamilyMissing as missing:
            self.missing = str(missing)

    def take(self) -> None:
        for what, times in self.times.items():
            if not self.missing:
                times.append(self.program.ask(what)["cpu_s"])

    def result(self) -> Result:
        if self.missing:
            return {"missing": self.missing}
        once = {name: self.program.ask(name) for name in ONCE}
        self.program.close()
        return {"times": self.times, "once": once}


def ask_all(program: Program, names: Sequence[str], times: dict[str, list[float]]) -> None:
    for name in names:
        answer = program.ask(name)
        each = answer["multiply_adds"] if name == "peak" else 1
        times[name].append(answer["wall_s" if "threads" in name else "cpu_s"] / each)


def own_rounds(program: Program, own: dict[str, list[float]], budget: float) -> None:
    """Rounds without peers, which are short: so there are many of them, all along."""
    began = time.monotonic()
    ask_all(program, OWN_MEASURES, own)
    while time.monotonic() - began < budget:
        ask_all(program, OWN_MEASURES, own)


def measure(shape: Shape, build: Path, data: Path, keys: list[str], most_rounds: int,
            budget: float) -> Result:
    """Up to so many rounds within budget seconds, a third of them at most for one peer."""
    with scratch(build) as folder:
        prefix = Path(folder) / "data"
        program, rows, arguments = start(shape, build, data, prefix)
        families = [Family(name, build, arguments) for name in FAMILIES if shape.structured]
        turns = {key: Turns(contestant, budget / 3)
                 for key, contestant in contestants(shape, keys, prefix).items()}
    times: dict[str, list[float]] = {name: [] for name in MEASURES}
    own: dict[str, list[float]] = {name: [] for name in OWN_MEASURES}
    began, rounds, fewest = time.monotonic(), 0, min(FEWEST_ROUNDS, most_rounds)
    while rounds < fewest or (rounds < most_rounds and time.monotonic() - began < budget):
        own_rounds(program, own, OWN_SHARE * budget / most_rounds)
        ask_all(program, MEASURES, times)
        for each in (*families, *turns.values()):
            each.take()
        rounds += 1
    once = {name: program.ask(name) for name in ONCE}
    program.close()
    return {"shape": vars(shape), "rows": rows, "rounds": rounds, "times": times, "own": own,
            "once": once,
            "families": {family.name: family.result() for family in families},
            "peers": {key: turn.result() for key, turn in turns.items()}}
