# SPDX-License-Identifier: BSD-3-Clause
"""Pictures with matplotlib. Each function draws on the axes it is given, or on new ones, and returns
them; none shows or saves.

Labels `y` are as `predict` gives them: 1 is normal, anything else (0 or -1) is an outlier.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from sklearn.metrics import roc_auc_score, roc_curve

from . import _library
from ._explain import Explanation
from ._rows import RowView, view
from .estimator import FROCC

__all__ = [
    "auc_by_directions",
    "auc_by_epsilon",
    "decision_region",
    "explanation",
    "intervals",
    "roc",
    "score_histogram",
]

#: Blue for normal, red for outliers, in every picture; both readable for the colour-blind.
NORMAL, OUTLIER = "#0072b2", "#d55e00"

#: Points stay visible on any ground.
_EDGE: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.3}


def _axes(ax: Axes | None) -> Axes:
    return plt.subplots()[1] if ax is None else ax


def _is_normal(y: Any) -> np.ndarray:
    normal: np.ndarray = np.asarray(y) == 1
    if normal.all() or not normal.any():
        raise ValueError("y must have both normal rows (1) and outliers (0 or -1)")
    return normal


def decision_region(
    estimator: FROCC,
    X: Any,
    y: Any = None,
    *,
    features: tuple[int, int] = (0, 1),
    resolution: int = 200,
    ax: Axes | None = None,
) -> Axes:
    """The scores over two features as colour, the boundary as a line, and the rows of X as points.

    Other features stay at their median over X.

    Examples
    --------
    >>> import numpy as np
    >>> from frocc import FROCC, plot
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> ax = plot.decision_region(FROCC(directions=100, fpr=0.1).fit(X), X)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'x1')
    """
    ax = _axes(ax)
    names = estimator._feature_names()
    points = _points(estimator, X)
    a, b = features
    low, high = points[:, features].min(axis=0), points[:, features].max(axis=0)
    room = 0.15 * np.where(high > low, high - low, 1.0)
    across, up = (np.linspace(low[i] - room[i], high[i] + room[i], resolution) for i in (0, 1))
    grid = np.tile(np.median(points, axis=0), (resolution * resolution, 1))
    grid[:, a], grid[:, b] = (axis.ravel() for axis in np.meshgrid(across, up))
    scores = _decisions(estimator, grid).reshape(resolution, resolution)
    ax.contourf(across, up, scores, levels=20, cmap="Blues", alpha=0.5)
    if scores.min() < 0.0 <= scores.max():
        ax.contour(across, up, scores >= 0.0, levels=[0.5], colors="black", linewidths=1.0)
    if y is None:
        ax.scatter(points[:, a], points[:, b], s=8, color=NORMAL, **_EDGE)
    else:
        for mask, color, label in _groups(_is_normal(y)):
            ax.scatter(points[mask, a], points[mask, b], s=8, color=color, label=label, **_EDGE)
        ax.legend()
    ax.set_xlabel(str(names[a]))
    ax.set_ylabel(str(names[b]))
    return ax


def _points(estimator: FROCC, X: Any) -> np.ndarray:
    """The rows as the model sees them: columns of a frame are found by their names."""
    if not hasattr(X, "columns"):
        return np.asarray(X, np.float64)
    values = view(estimator, X, reset=False).values
    return np.asarray(values if isinstance(values, np.ndarray) else values.toarray(), np.float64)


def _decisions(estimator: FROCC, grid: np.ndarray) -> np.ndarray:
    """Past the check of names: the grid has the columns of the training rows, in their order."""
    model = estimator._fitted()
    decisions: np.ndarray = model.score(RowView(grid), 1) - model.offset
    return decisions


def _groups(normal: np.ndarray) -> list[tuple[np.ndarray, str, str]]:
    return [(normal, NORMAL, "normal"), (~normal, OUTLIER, "outlier")]


def intervals(
    estimator: FROCC,
    X: Any = None,
    *,
    directions: int | Sequence[int] = 10,
    ax: Axes | None = None,
) -> Axes:
    """The intervals of some directions, one line each, with the rows of X on them.

    Parameters
    ----------
    directions : int or sequence of int
        Which directions, or how many of the first ones.
    """
    ax = _axes(ax)
    model = estimator._fitted()
    chosen = range(directions) if isinstance(directions, int) else directions
    rows = None if X is None else view(estimator, X, reset=False)
    projections = None if rows is None else model.frame.project(rows)
    accepted = None if rows is None else model.distances(rows, 1) == 0.0
    for place, i in enumerate(chosen):
        ends = model.intervals(i)
        ax.hlines(np.full(len(ends), place), ends[:, 0], ends[:, 1], lw=6, color="#b0c4d8")
        # A direction's single points are intervals too, of no length.
        ax.plot(ends.ravel(), np.full(ends.size, place), "|", color="#6080a0", ms=8)
        if projections is not None and accepted is not None:
            for mask, color, _ in _groups(accepted[:, i]):
                ax.plot(projections[mask, i], np.full(mask.sum(), place), ".", color=color)
    ax.set_yticks(range(len(chosen)), [str(i) for i in chosen])
    ax.set_ylabel("direction")
    ax.set_xlabel("projection")
    return ax


def score_histogram(
    estimator: FROCC, X: Any, y: Any = None, *, bins: int = 40, ax: Axes | None = None
) -> Axes:
    """How often each score occurs, for normal rows and outliers where `y` is given."""
    ax = _axes(ax)
    scores = estimator.score_samples(X)
    lowest = min(scores.min(), estimator.offset_)
    edges = np.linspace(lowest, max(scores.max(), 1.0), bins + 1).tolist()
    if y is None:
        ax.hist(scores, bins=edges, color=NORMAL)
    else:
        for mask, color, label in _groups(_is_normal(y)):
            ax.hist(scores[mask], bins=edges, color=color, alpha=0.6, label=label, density=True)
    ax.axvline(estimator.offset_, color="black", lw=1.0, ls="--", label="threshold")
    ax.legend()
    ax.set_xlabel("score")
    ax.set_ylabel("rows" if y is None else "density")
    return ax


def roc(estimator: FROCC, X: Any, y: Any, *, ax: Axes | None = None, label: str = "FROCC") -> Axes:
    """The share of outliers found against the share of false alarms."""
    ax = _axes(ax)
    outlier = ~_is_normal(y)
    scores = -estimator.score_samples(X)
    false_alarms, found, _ = roc_curve(outlier, scores)
    area = roc_auc_score(outlier, scores)
    ax.plot(false_alarms, found, color=NORMAL, label=f"{label}, AUC {area:.3f}")
    ax.plot([0, 1], [0, 1], color="gray", lw=0.8, ls=":")
    ax.set_xlabel("false alarms")
    ax.set_ylabel("outliers found")
    ax.legend(loc="lower right")
    return ax


def auc_by_directions(
    estimator: FROCC,
    X: Any,
    y: Any,
    *,
    directions: Sequence[int] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Area under the ROC curve against the number of directions, as if the model had had fewer.

    For models without trees, which look at all directions: fit with ``trees=0``.
    """
    model = estimator._fitted()
    if model.info.n_trees > 0:
        raise NotImplementedError(
            "auc_by_directions needs a model without trees, which look at all directions; fit one "
            "with trees=0"
        )
    if directions is None:
        directions = np.unique(np.geomspace(1, model.info.n_directions, 25).astype(int)).tolist()
    assert directions is not None
    if _counts(estimator):
        scores = estimator.grid_scores(X, directions, [model.info.epsilon])[:, 0, :]
    else:
        scores = np.column_stack([estimator.truncate(m).score_samples(X) for m in directions])
    return _auc_curve(directions, scores, y, "directions", ax)


def auc_by_epsilon(
    estimator: FROCC,
    X: Any,
    y: Any,
    *,
    epsilons: Sequence[float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Area under the ROC curve against epsilon, from the model's own up."""
    model = estimator._fitted()
    if epsilons is None:
        largest = 1.0 if _counts(estimator) else _library.CLOSENESS_MAX_EPSILON
        epsilons = np.geomspace(model.info.epsilon, largest, 25).astype(np.float32).tolist()
    assert epsilons is not None
    if _counts(estimator):
        scores = estimator.grid_scores(X, [model.info.n_directions], epsilons)[:, :, 0]
    else:
        scores = np.column_stack([estimator.coarsen(e).score_samples(X) for e in epsilons])
    return _auc_curve(epsilons, scores, y, "epsilon", ax)


def _counts(estimator: FROCC) -> bool:
    """Whether it counts accepting directions, so that one pass answers for many models."""
    return bool(estimator._fitted().info.score == _library.SCORES["agreement"])


def _auc_curve(
    values: Sequence[float], scores: np.ndarray, y: Any, name: str, ax: Axes | None
) -> Axes:
    ax = _axes(ax)
    normal = _is_normal(y)
    ax.plot(values, [roc_auc_score(normal, column) for column in scores.T], ".-", color=NORMAL)
    ax.set_xscale("log")
    ax.set_xlabel(name)
    ax.set_ylabel("ROC AUC")
    return ax


def explanation(why: Explanation, *, n: int = 10, ax: Axes | None = None) -> Axes:
    """Bars for the features that carry a rejection: what a better value of each would gain.

    Parameters
    ----------
    why : Explanation
        From ``FROCC.explain``.
    n : int
        The number of features.
    """
    ax = _axes(ax)
    chosen = [j for j in np.argsort(-why.gain, kind="stable")[:n] if why.gain[j] > 0.0][::-1]
    high = why.excess[chosen] > 0.0
    names = [f"{why.feature_names[j]} = {why.values[j]:.4g}" for j in chosen]
    bars = ax.barh(names, why.gain[chosen], color=np.where(high, OUTLIER, NORMAL).tolist())
    advice = [f" too {'high' if h else 'low'}, {why.better[j]:.4g}" for j, h in zip(chosen, high)]
    ax.bar_label(bars, advice)
    ax.margins(x=0.35)
    ax.set_xlabel("gain in score with a better value")
    ax.set_title(f"score {why.score:.3f}, {len(why.directions)} directions reject")
    return ax
