# SPDX-License-Identifier: BSD-3-Clause
"""Rows that were learnt, judged as if they were new: who asks is told."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from frocc import FROCC, LearntRowsWarning, _library

METHODS = ["score_samples", "decision_function", "predict", "p_values"]


@pytest.fixture(scope="module")
def detector(X):
    return FROCC(directions=64, fpr=0.1).fit(X)


@pytest.fixture
def loud():
    """No such warning comes where none is caught."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", LearntRowsWarning)
        yield


@pytest.mark.parametrize("method", METHODS)
def test_the_caller_is_told(detector, X, method):
    with pytest.warns(LearntRowsWarning, match="score_left_out.*fit_predict") as caught:
        getattr(detector, method)(X[::-1])
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(LearntRowsWarning):
        getattr(FROCC.from_bytes(detector.to_bytes()), method)(X)


def test_once_at_a_place(detector, X):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default", LearntRowsWarning)
        for _ in range(3):
            detector.predict(X)
    assert len(caught) == 1


@pytest.mark.parametrize("method", METHODS)
def test_not_of_other_rows(detector, X, queries, loud, method):
    for rows in (queries, X[:1], X[:300], np.vstack([X[:300], queries]), np.vstack([X] * 3)):
        getattr(detector, method)(rows)


def test_not_where_rows_are_left_out(X, loud):
    detector = FROCC(directions=64, fpr=0.1)
    detector.fit_predict(X)
    detector.score_left_out(X)
    FROCC.paper(directions=20).fit(X).predict(X)


def test_not_within_scikit_learn_and_pyod(X, loud):
    detector = FROCC(directions=64, fpr=0.1)
    cross_validate(detector, X, scoring=lambda fitted, rows: 0.0, return_train_score=True, cv=3)
    make_pipeline(StandardScaler(), detector).fit(X).score_samples(X)
    pyod = pytest.importorskip("frocc.pyod").FROCC(directions=64).fit(X)
    assert len(pyod.decision_scores_) == len(pyod.predict(X))


def test_a_row_is_not_looked_at_twice(detector, X, monkeypatch):
    monkeypatch.setattr(_library.lib, "frocc_scorer_meet", None)
    for method in METHODS:
        getattr(detector, method)(X[:1])
