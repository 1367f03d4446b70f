# SPDX-License-Identifier: BSD-3-Clause
"""Every picture: draws on the axes it is given or on new ones, returns them, shows nothing."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from frocc import FROCC, plot


ESTIMATORS = {
    "closeness": FROCC(directions=60, epsilon=0.02, fpr=0.1, trees=0),
    "agreement": FROCC.paper(directions=60, epsilon=0.02, threshold=0.9),
}


@pytest.fixture(scope="module", params=ESTIMATORS)
def case(request):
    rng = np.random.default_rng(0)
    fitted = clone(ESTIMATORS[request.param]).fit(rng.normal(size=(400, 3)))
    rows = np.vstack([rng.normal(size=(50, 3)), 4 * rng.normal(size=(50, 3))])
    return fitted, rows, np.repeat([1, -1], 50)


PICTURES = {
    "decision_region": lambda f, X, y, ax: plot.decision_region(f, X, resolution=30, ax=ax),
    "decision_region y": lambda f, X, y, ax: plot.decision_region(
        f, X, y, features=(2, 0), resolution=30, ax=ax
    ),
    "intervals": lambda f, X, y, ax: plot.intervals(f, X, directions=[0, 3, 59], ax=ax),
    "intervals alone": lambda f, X, y, ax: plot.intervals(f, directions=5, ax=ax),
    "histogram": lambda f, X, y, ax: plot.score_histogram(f, X, ax=ax),
    "histogram y": lambda f, X, y, ax: plot.score_histogram(f, X, y, ax=ax),
    "roc": lambda f, X, y, ax: plot.roc(f, X, y, ax=ax),
    "directions": lambda f, X, y, ax: plot.auc_by_directions(f, X, y, ax=ax),
    "epsilon": lambda f, X, y, ax: plot.auc_by_epsilon(f, X, y, epsilons=[0.02, 0.1], ax=ax),
    "epsilon all": lambda f, X, y, ax: plot.auc_by_epsilon(f, X, y, ax=ax),
    "explanation": lambda f, X, y, ax: plot.explanation(f.explain(X[-1:])[0], ax=ax),
}


@pytest.mark.parametrize("picture", PICTURES)
def test_returns_its_axes(case, picture, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda *_: pytest.fail("a picture was shown"))
    figure, ax = plt.subplots()
    assert PICTURES[picture](*case, ax) is ax
    assert ax.has_data()
    assert PICTURES[picture](*case, None) is not ax
    assert len(plt.get_fignums()) == 2
    figure.canvas.draw()
    plt.close("all")


def test_auc_curves_are_those_of_single_models(case):
    fitted, X, y = case
    (line,) = plot.auc_by_directions(fitted, X, y, directions=[5, 60]).lines
    expected = [roc_auc_score(y, fitted.truncate(m).score_samples(X)) for m in (5, 60)]
    assert np.array_equal(line.get_ydata(), expected)
    (line,) = plot.auc_by_epsilon(fitted, X, y, epsilons=[0.02, 0.2]).lines
    expected = [roc_auc_score(y, fitted.coarsen(e).score_samples(X)) for e in (0.02, 0.2)]
    assert np.array_equal(line.get_ydata(), expected)
    plt.close("all")


def test_models_with_trees(case):
    _, X, y = case
    fitted = FROCC(directions=60).fit(X[:50])
    for name in PICTURES:
        if name != "directions":
            assert PICTURES[name](fitted, X, y, None).has_data()
    with pytest.raises(NotImplementedError, match="without trees.*trees=0"):
        plot.auc_by_directions(fitted, X, y)
    plt.close("all")


def test_names_and_labels(case):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 2)), columns=["width", "height"])
    ax = plot.decision_region(FROCC(directions=20).fit(frame), frame, resolution=20)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", "height")
    with pytest.raises(ValueError, match="both normal rows"):
        plot.roc(case[0], case[1], np.ones(100))
    plt.close("all")


def test_columns_of_a_frame_are_found_by_their_names():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 2)) + [0, 50], columns=["a", "b"])
    estimator = FROCC(directions=32).fit(frame)
    for X in (frame, frame[["b", "a"]], frame.to_numpy()):
        ax = plot.decision_region(estimator, X, resolution=10)
        points = ax.collections[-1].get_offsets()
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
        assert np.allclose(points, frame)
