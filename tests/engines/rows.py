# SPDX-License-Identifier: BSD-3-Clause
"""Rows that the engines share: numbers, and a table with texts."""

import numpy as np
import pandas as pd


def numbers(n=4000, d=5):
    rng = np.random.default_rng(7)
    return np.where(rng.random((n, 1)) < 0.5, rng.normal(size=(n, d)), 4 + rng.random((n, d)))


def table(n=4000):
    rng = np.random.default_rng(8)
    kinds = np.array(["red", "blue, or green", "grün"], dtype=object)[rng.integers(3, size=n)]
    kinds[-3:] = "rare"  # in one part only
    return pd.DataFrame({"x": rng.normal(size=n), "kind": kinds, "y": rng.random(n)})
