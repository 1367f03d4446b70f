# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests; at the end, a line per test as tests/run counts them."""

import os
from pathlib import Path

# Before scipy and matplotlib are imported: scikit-learn's check of array API input is skipped
# without the first, and no test may open a window.
os.environ["SCIPY_ARRAY_API"] = "1"
os.environ["MPLBACKEND"] = "Agg"

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def X():
    """Normal rows."""
    return np.random.default_rng(1).normal(size=(600, 5))


@pytest.fixture(scope="session")
def queries():
    """Rows of which some are normal and some are not."""
    return np.random.default_rng(2).normal(size=(400, 5)) * np.linspace(0.5, 4, 400)[:, None]


# ---- "ok NAME", "FAIL NAME: why", "skip NAME: why" ----------------------------------------------

_lines = []


def pytest_runtest_logreport(report):
    name = report.nodeid.rpartition("/")[2]
    if report.failed:
        why = str(getattr(report.longrepr, "reprcrash", report.longrepr))
        _lines.append(f"FAIL {name}: {' '.join(why.split())[:300]}")
    elif report.skipped:
        why = getattr(report, "wasxfail", None) or report.longrepr[2].removeprefix("Skipped: ")
        _lines.append(f"skip {name}: {why.removeprefix('reason: ')}")
    elif report.when == "call":
        _lines.append(f"ok {name}")


def pytest_collectreport(report):
    if report.failed:
        _lines.append(f"FAIL {report.nodeid}: cannot be collected")


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line("")
    for line in _lines:
        terminalreporter.write_line(line)
