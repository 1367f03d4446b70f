# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests."""

import os
from pathlib import Path

# Before scipy and matplotlib are imported: scikit-learn's check of array API input is skipped
# without the first, and no test may open a window.
os.environ["SCIPY_ARRAY_API"] = "1"
os.environ["MPLBACKEND"] = "Agg"

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


def pytest_configure(config):
    # Most tests score what they have fitted; those of the warning ask for it.
    config.addinivalue_line("filterwarnings", "ignore::frocc.LearntRowsWarning")


@pytest.fixture
def rng():
    """The same numbers for a test, whichever others are run."""
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def X():
    """Normal rows."""
    return np.random.default_rng(1).normal(size=(600, 5))


@pytest.fixture(scope="session")
def queries():
    """Rows of which some are normal and some are not."""
    return np.random.default_rng(2).normal(size=(400, 5)) * np.linspace(0.5, 4, 400)[:, None]
