# SPDX-License-Identifier: BSD-3-Clause
"""The checks that PyOD's own test suite makes of every detector."""

import numpy as np
import pytest
from joblib import dump, load
from pyod.models.base import BaseDetector
from pyod.utils.data import evaluate_print, generate_data
from pyod.utils.utility import standardizer
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from frocc.pyod import FROCC

CONTAMINATION = 0.1


@pytest.fixture(scope="module")
def data():
    """X_train, X_test, y_train, y_test; 1 is an outlier."""
    return generate_data(n_train=200, n_test=100, n_features=3, contamination=CONTAMINATION,
                         random_state=42)  # fmt: skip


@pytest.fixture(scope="module")
def detector(data):
    return FROCC(contamination=CONTAMINATION, directions=500, epsilon=0.02).fit(data[0])


def test_parameters(detector):
    assert isinstance(detector, BaseDetector)
    for name in ("decision_scores_", "labels_", "threshold_", "_mu", "_sigma"):
        assert getattr(detector, name) is not None
    for wrong in (0.0, 0.6, -0.1):
        with pytest.raises(ValueError, match="contamination"):
            FROCC(contamination=wrong)


def test_train_scores(detector, data):
    assert detector.decision_scores_.shape == (200,)
    assert roc_auc_score(data[2], detector.decision_scores_) >= 0.8
    assert detector.labels_.sum() <= 0.1 * 200
    assert set(np.unique(detector.labels_)) == {0, 1}
    assert np.array_equal(detector.labels_, detector.decision_scores_ > detector.threshold_)


def test_prediction_scores(detector, data):
    scores = detector.decision_function(data[1])
    assert scores.shape == (100,)
    assert roc_auc_score(data[3], scores) >= 0.8


def test_prediction_labels(detector, data):
    labels = detector.predict(data[1])
    assert labels.shape == data[3].shape
    assert set(np.unique(labels)) <= {0, 1}
    labels, confidence = detector.predict(data[1], return_confidence=True)
    assert confidence.shape == labels.shape
    assert confidence.min() >= 0 and confidence.max() <= 1


@pytest.mark.parametrize("method", ["linear", "unify"])
def test_prediction_proba(detector, data, method):
    proba = detector.predict_proba(data[1], method=method)
    assert proba.shape == (100, 2)
    assert proba.min() >= 0 and proba.max() <= 1
    assert np.allclose(proba.sum(axis=1), 1)
    proba, confidence = detector.predict_proba(data[1], method=method, return_confidence=True)
    assert confidence.min() >= 0 and confidence.max() <= 1


def test_prediction_proba_parameter(detector, data):
    with pytest.raises(ValueError):
        detector.predict_proba(data[1], method="something")


def test_prediction_confidence(detector, data):
    confidence = detector.predict_confidence(data[1])
    assert confidence.shape == (100,)
    assert confidence.min() >= 0 and confidence.max() <= 1


def test_prediction_with_rejection(detector, data):
    labels = detector.predict_with_rejection(data[1], return_stats=False)
    assert labels.shape == (100,) and set(np.unique(labels)) <= {-2, 0, 1}


def test_fit_predict(data):
    detector = FROCC(contamination=CONTAMINATION, directions=200)
    assert np.array_equal(detector.fit_predict(data[0]), detector.labels_)
    assert 0 <= detector.fit_predict_score(data[1], data[3]) <= 1
    with pytest.raises(NotImplementedError):
        detector.fit_predict_score(data[1], data[3], scoring="something")


def test_predict_rank(detector, data):
    ranks = detector._predict_rank(data[1])
    assert ranks.min() >= 0 and ranks.max() <= 200
    normalized = detector._predict_rank(data[1], normalized=True)
    assert normalized.min() >= 0 and normalized.max() <= 1.01
    # Higher scores never get a lower rank.
    order = np.argsort(detector.decision_function(data[1]), kind="stable")
    assert (np.diff(ranks[order]) >= 0).all()
    assert rankdata(ranks).shape == ranks.shape


def test_model_clone(detector, data):
    other = clone(detector)
    assert not hasattr(other, "decision_scores_")
    assert np.array_equal(other.fit(data[0]).decision_scores_, detector.decision_scores_)
    assert other.get_params() == detector.get_params()


def test_save_and_load(detector, data, tmp_path):
    dump(detector, tmp_path / "detector.joblib")
    other = load(tmp_path / "detector.joblib")
    assert np.array_equal(other.decision_function(data[1]), detector.decision_function(data[1]))
    assert other.threshold_ == detector.threshold_


def test_pyods_tools_take_it(detector, data, capsys):
    scores = np.column_stack([detector.decision_function(data[1])] * 2)
    assert standardizer(scores).shape == (100, 2)
    evaluate_print("FROCC", data[3], scores[:, 0])
    assert "FROCC ROC:" in capsys.readouterr().out


def test_contamination_is_the_estimators_too(detector):
    assert detector.estimator_.info_["contamination"] == CONTAMINATION


def test_training_rows_are_left_out(detector, data):
    left_out = detector.estimator_.score_left_out(data[0])
    assert np.array_equal(detector.decision_scores_, 1 - left_out)
    assert (detector.decision_scores_ >= detector.decision_function(data[0]) - 0.01).all()
    assert detector.labels_.sum() == CONTAMINATION * 200


def test_scores_are_the_estimators(detector, data):
    scores = detector.estimator_.score_samples(data[1])
    assert np.array_equal(detector.decision_function(data[1]), 1 - scores)
