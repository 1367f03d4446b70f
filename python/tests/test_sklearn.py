# SPDX-License-Identifier: BSD-3-Clause
"""The estimator among scikit-learn's own."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_outlier_detector
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_blobs
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from frocc import FROCC

#: Both checks want a detector whose predict rejects a given share of the rows it was fitted on. FROCC
#: accepts those that it knows, and a rate of false alarms is one of new rows; its fit_predict judges
#: each row as if it had not been there. What else they check is in test_outlier_detector below.
ACCEPTS_TRAINING_ROWS = {
    "check_outliers_train": "predict knows the rows that were learnt",
    "check_outliers_fit_predict": "predict knows the rows that were learnt, fit_predict leaves each out",
}


@pytest.mark.filterwarnings("error::frocc.LearntRowsWarning")
@parametrize_with_checks(
    [FROCC(), FROCC(fpr=0.1, contamination=0.1), FROCC.paper(),
     FROCC.paper(kernel="rbf", n_jobs=2)],
    expected_failed_checks=lambda estimator: ACCEPTS_TRAINING_ROWS,
)
def test_check_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("fpr", [0.01, 0.1])
def test_outlier_detector(fpr):
    """The parts of the two checks above that do not need a rejected training row."""
    X = make_blobs(n_samples=300, random_state=0)[0]
    X.flags.writeable = False
    estimator = FROCC(fpr=fpr, random_state=0)
    assert is_outlier_detector(estimator)
    labels = estimator.fit_predict(X)
    assert labels.shape == (300,) and labels.dtype.kind == "i"
    assert set(labels) <= {-1, 1} and (labels == -1).mean() <= 2 * fpr
    assert np.array_equal(labels, clone(estimator).fit_predict(X.tolist()))
    labels = clone(estimator).set_params(contamination=0.1).fit_predict(X)
    assert (labels == -1).sum() == 30
    new = np.random.default_rng(0).uniform(-15, 15, size=(200, 2))
    labels = estimator.predict(new)
    decision, scores = estimator.decision_function(new), estimator.score_samples(new)
    assert labels.shape == (200,) and labels.dtype.kind == "i"
    assert np.array_equal(np.unique(labels), [-1, 1])
    for output in (decision, scores):
        assert output.dtype == np.float64 and output.shape == (200,)
    assert np.array_equal(np.where(decision >= 0, 1, -1), labels)
    assert np.array_equal(scores - estimator.offset_, decision)
    for method in ("predict", "decision_function", "score_samples"):
        with pytest.raises(ValueError):
            getattr(estimator, method)(X.T)


@pytest.fixture(scope="module")
def labelled():
    rng = np.random.default_rng(0)
    normal, outliers = rng.normal(size=(400, 4)), 5 * rng.normal(size=(40, 4))
    X, y = np.vstack([normal, outliers]), np.repeat([1, -1], [400, 40])
    order = rng.permutation(len(y))
    return X[order], y[order]


class Normal(FROCC):
    """Learns from the normal rows of a labelled set, for cross-validation."""

    def fit(self, X, y=None):
        return super().fit(X if y is None else X[np.asarray(y) == 1])


def test_pipeline(labelled):
    X, y = labelled
    pipeline = make_pipeline(StandardScaler(), Normal(directions=100)).fit(X, y)
    assert pipeline.predict(X).shape == y.shape
    assert pipeline.score_samples(X)[y == 1].mean() > pipeline.score_samples(X)[y == -1].mean()
    assert pipeline.decision_function(X[:3]).shape == (3,)


def test_grid_search(labelled):
    X, y = labelled
    search = GridSearchCV(
        make_pipeline(StandardScaler(), Normal(directions=50)),
        {"normal__epsilon": [0.01, 0.1], "normal__kernel": ["linear", "rbf"]},
        scoring="roc_auc", cv=3, n_jobs=2,
    ).fit(X, y)  # fmt: skip
    assert search.best_score_ > 0.9
    assert len(search.cv_results_["params"]) == 4


def test_cross_validation(labelled):
    X, y = labelled
    assert cross_val_score(Normal(directions=50), X, y, scoring="roc_auc", cv=3).min() > 0.9
    held_out = cross_val_predict(FROCC(directions=50, fpr=0.2), X, cv=5,
                                 method="decision_function")  # fmt: skip
    assert held_out.shape == y.shape and held_out.min() < 0.0


def test_column_transformer(labelled):
    X, _ = labelled
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.where(X[:, 0] > 0, "u", "v"))
    columns = ColumnTransformer([("scale", StandardScaler(), list("abcd")),
                                 ("kind", OneHotEncoder(), ["kind"])])  # fmt: skip
    pipeline = make_pipeline(columns, FROCC(directions=50)).fit(frame)
    assert (pipeline.predict(frame) == 1).all()
    assert pipeline[-1].n_features_in_ == 6


def test_set_output_frames_reach_the_estimator(labelled):
    X, _ = labelled
    frame = pd.DataFrame(X, columns=list("abcd"))
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, FROCC(directions=50)).fit(frame)
    assert pipeline[-1].feature_names_in_.tolist() == list("abcd")
    assert (pipeline.predict(frame) == 1).all()


@pytest.mark.parametrize("response", ["predict", "decision_function"])
def test_decision_boundary_display(labelled, response):
    X, _ = labelled
    fitted = FROCC(directions=50, fpr=0.1).fit(X[:, :2])
    display = DecisionBoundaryDisplay.from_estimator(fitted, X[:, :2], response_method=response)
    assert np.unique(display.response).size >= 2
    plt.close("all")


def test_clone_and_parameters(X):
    estimator = FROCC(directions=50, epsilon=0.2, scaling=(np.zeros(5), np.ones(5)), n_jobs=2)
    other = clone(estimator.fit(X))
    assert not hasattr(other, "offset_")
    assert other.fit(X).to_bytes() == estimator.to_bytes()
    assert repr(FROCC(directions=50)) == "FROCC(directions=50)"
