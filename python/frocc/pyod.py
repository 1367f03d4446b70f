# SPDX-License-Identifier: BSD-3-Clause
"""FROCC as a PyOD detector: scores are higher for more abnormal rows, labels are 0 and 1."""

from __future__ import annotations

from inspect import Parameter, Signature, signature
from numbers import Real
from typing import Any

import numpy as np
from pyod.models.base import BaseDetector
from sklearn.utils.validation import check_is_fitted

from .estimator import FROCC as _Estimator

__all__ = ["FROCC"]

#: Parameters of the estimator that decide what PyOD decides itself, and the score, which must be one
#: that can leave rows out.
_LEFT_OUT = ("contamination", "threshold", "fpr", "calibration", "score_method")


def _signature() -> Signature:
    """That of __init__: contamination as in all of PyOD, then the estimator's own parameters, with
    their defaults."""
    anywhere = Parameter.POSITIONAL_OR_KEYWORD
    own, *others = signature(_Estimator.__init__).parameters.values()
    taken = [each.replace(kind=anywhere) for each in others if each.name not in _LEFT_OUT]
    return Signature([own, Parameter("contamination", anywhere, default=0.1), *taken])


_SIGNATURE = _signature()


class FROCC(BaseDetector):
    """Fast random projection-based one-class classification, for PyOD.

    A model knows the rows that it has learnt from, so the scores of the training rows
    (`decision_scores_`) are those that each gets from a model without it.

    Parameters
    ----------
    contamination : float in (0, 0.5], default=0.1
        Share of outliers in the training rows. It sets `threshold_`, as in every detector of PyOD;
        it is `frocc.FROCC`'s contamination as well, which means the same share. Where PyOD takes
        something else than a number, FROCC's is 0.
    directions, epsilon, kernel, gamma, degree, coef0, scaling, family, density, trees, \
missing, random_state, n_jobs
        As in `frocc.FROCC`.

    Attributes
    ----------
    decision_scores_ : ndarray of shape (n_samples,)
        Outlier scores of the training rows, each left out: 0 is as normal as it gets.
    threshold_ : float
        Scores above it are outliers.
    labels_ : ndarray of shape (n_samples,)
        0 for normal training rows, 1 for outliers.
    estimator_ : frocc.FROCC
        The estimator behind it.

    Examples
    --------
    >>> import numpy as np
    >>> from frocc.pyod import FROCC
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> detector = FROCC(directions=200, contamination=0.05).fit(X)
    >>> detector.predict([[0.0, 0.1, 0.0], [8.0, 8.0, -8.0]])
    array([0, 1])
    """

    def __init__(self, *args: Any, **params: Any) -> None:
        given = _SIGNATURE.bind(self, *args, **params)
        given.apply_defaults()
        own = {name: value for name, value in given.arguments.items() if name != "self"}
        super().__init__(contamination=own["contamination"])
        self.__dict__.update(own)

    # What scikit-learn, PyOD and help() look at.
    __init__.__signature__ = _SIGNATURE  # type: ignore[attr-defined]

    def fit(self, X: Any, y: Any = None) -> FROCC:
        """Learns from rows, of which most are normal. y is ignored."""
        self._set_n_classes(y)
        params = self.get_params()
        if not isinstance(self.contamination, Real):
            params["contamination"] = 0.0
        self.estimator_ = _Estimator(threshold=0.0, **params)  # which takes no rate to tell
        self.decision_scores_ = 1.0 - self.estimator_.fit(X).score_left_out(X)
        self._process_decision_scores()
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Outlier scores: 1 less the estimator's score."""
        check_is_fitted(self, "estimator_")
        scores: np.ndarray = 1.0 - self.estimator_.score_samples(X)
        return scores
