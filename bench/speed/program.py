# SPDX-License-Identifier: BSD-3-Clause
"""The program speed as a partner that answers one measure at a time, so that peers can be timed in
between, and as one that runs rounds by itself."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

NO_SUCH_FAMILY = 3

Answer = dict[str, Any]


class FamilyMissing(Exception):
    """The library does not have these directions."""


def scratch(build: Path) -> tempfile.TemporaryDirectory[str]:
    """A folder for the time of a measurement."""
    return tempfile.TemporaryDirectory(prefix="bench-", dir=build)


def environment() -> dict[str, str]:
    """Ours holds the peers to one thread; the program says itself how many it uses."""
    return {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}


class Program:
    def __init__(self, build: Path, arguments: list[str]) -> None:
        self._process = subprocess.Popen([str(build / "speed"), *arguments], text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, env=environment())

    def ask(self, measure: str) -> Answer:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(measure + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else self._give_up()

    def _give_up(self) -> Answer:
        _, said = self._process.communicate()
        if self._process.returncode == NO_SUCH_FAMILY:
            raise FamilyMissing(said.strip())
        raise RuntimeError(said.strip() or f"speed ended with {self._process.returncode}")

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.communicate()


def rounds(build: Path, arguments: list[str], count: int, measures: list[str]) -> dict[str, Answer]:
    """Each measure's median and quartiles over rounds in which all take turns."""
    done = subprocess.run([str(build / "speed"), *arguments, "--rounds", str(count), *measures],
                          capture_output=True, text=True, env=environment())
    if done.returncode == NO_SUCH_FAMILY:
        raise FamilyMissing(done.stderr.strip())
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return {answer["measure"]: answer for answer in answers}
