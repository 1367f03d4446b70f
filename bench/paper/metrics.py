# SPDX-License-Identifier: BSD-3-Clause
"""The paper's two figures of merit, from their definitions. Needs numpy only.

Scores are of normality, higher for more normal; anomaly says which rows are outliers."""

from __future__ import annotations

import numpy as np
from common import auc


def precision_at_n(normality: np.ndarray, anomaly: np.ndarray) -> float:
    """The share of outliers among the n rows that look least normal, n the number of outliers.
    Where a tie straddles the n-th place, the expectation over the orders of the tied rows, so that
    the figure does not hang on the order of the rows in a file."""
    n = int(np.sum(anomaly))
    limit = np.sort(normality)[n - 1]
    below, tied = normality < limit, normality == limit
    places = n - int(np.sum(below))
    return float((np.sum(anomaly & below) + places * np.mean(anomaly[tied])) / n)


def adjusted_precision_at_n(normality: np.ndarray, anomaly: np.ndarray) -> float:
    """Precision@n adjusted for chance (Campos et al. 2016, Swersky et al. 2016): 0 is what a random
    order gives on average, 1 is perfect. With o the share of outliers, (P@n - o) / (1 - o)."""
    share = float(np.mean(anomaly))
    return (precision_at_n(normality, anomaly) - share) / (1 - share)


def merits(normality: np.ndarray, anomaly: np.ndarray) -> dict[str, float]:
    return {
        "auc": auc(normality, anomaly),
        "precision": precision_at_n(normality, anomaly),
        "adjusted": adjusted_precision_at_n(normality, anomaly),
    }
