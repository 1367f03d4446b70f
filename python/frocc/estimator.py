# SPDX-License-Identifier: BSD-3-Clause
"""The scikit-learn estimator."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np
from sklearn.base import OutlierMixin

from . import _explain, _library, _params, _rows, stream
from ._fit import Learner, learn_frame
from ._fitted import Fitted
from ._native import Model
from ._rows import RowView

#: Who scores training rows on the way to something else, and does not take them for new ones.
_KNOW_BETTER = ("frocc", "pyod", "sklearn")

#: What a fit sets.
_LEARNT = ("_model", "_columns", "_has_frame", "n_features_in_", "feature_names_in_")

#: Multiply-adds below which a team of threads costs more than it gains.
_SMALL_WORK = 1e6


def _refuse_others(others: dict[str, Any]) -> None:
    """What scikit-learn's other estimators take, and FROCC cannot."""
    if others.pop("sample_weight", None) is not None:
        raise TypeError(
            "sample_weight cannot matter: FROCC learns which values normal rows have, and a value "
            "that was seen is normal however much its row weighs; leave out rows of weight 0"
        )
    if others:
        raise TypeError(f"fit() got an unexpected argument {next(iter(others))!r}")


class FROCC(OutlierMixin, Fitted):
    """Fast random projection-based one-class classification.

    Learns from normal rows only, or from rows of which a small share may be anomalies. Every row is
    projected on random directions; per direction, the projections of the training rows fill a few
    intervals; a new row is the more normal, the narrower the gaps are that it falls in, the closer
    it is to the rows that share its cells, and the tamer its wildest value.

    Equal data and parameters give equal bits, on any machine, with any number of threads, in any
    order and split of the rows.

    Parameters
    ----------
    directions : int, default=256
        Number of random directions, the paper's m.
    epsilon : float, default=2**-12
        Separation: a gap of this share of a direction's range parts two intervals. Smaller fits
        the training rows more closely. The score "closeness" takes 2**-16 to 0.25.
    kernel : {"linear", "rbf", "poly", "sigmoid"}, default="linear"
        How a row and a direction become one number.
    gamma : float or "auto", default="auto"
        Coefficient of the kernels other than linear; "auto" is 1 / n_features.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    scaling : {"none", "standard", "minmax", "asinh", "whiten"} or (shift, scale), default="asinh"
        What is done to the features first. A pair is used as (x - shift) / scale; the others but
        "none" are learnt from a sample of the rows.
    family : {"gaussian", "mixed", "hadamard", "sparse", "auto"} or array of shape \
(m, n_features), default="mixed"
        Where the directions come from: uniform on the sphere; or whitened ones, and ones over few
        features; structured ones, fast where rows are wide; ones over a share of the features;
        what takes the fewest operations of these; or an array that is used as it is, and
        `directions` is then of no effect.
    density : float in (0, 1] or None, default=None
        Of the features, the share that a sparse direction is over; None is 1 / sqrt(n_features).
    score_method : {"agreement", "closeness"}, default="closeness"
        What `score_samples` gives: the share of accepting directions, or how close the row is to
        the training rows: 1 is as normal as it gets, 0 and below are clearly odd.
    threshold : float or None, default=None
        A row is normal when its score is at least this, in place of a decision at the rate `fpr`.
        None is 1 where no rate decides either, as with "agreement", which is not calibrated.
    fpr : float in [0, 1), default=0.01
        The rate of false alarms that `predict` promises: of normal rows that were not seen in
        training, at most about this share is rejected. With "closeness" only, and 0 for none. The
        default gives way to a `threshold`, to "agreement" and to no `calibration`; another rate
        beside one of these is an error.
    contamination : float in [0, 0.5], default=0.0
        With "closeness", the share of the training rows that may be anomalies, as scikit-learn
        means it. It changes what is learnt: what only so few rows have is no longer normal. It
        does not set the threshold, which keeps the rate `fpr`. One or two bad rows in thousands
        need none. This was the name of the rate before that had its own.
    trees : int, default=24
        With "closeness", the number of trees that split rows into cells in which they are
        compared; 0 for none. A model with trees cannot be truncated.
    calibration : int or "auto", default="auto"
        With "closeness", the number of rows by whose held-out scores the decision is calibrated;
        0 for none. "auto" is 1024 or, where `fpr` needs more, 1 / `fpr`, but no more than take
        16 MiB in the model. Half of the training rows may calibrate; where they are too few for
        the rate, `fit` warns (`frocc.CalibrationWarning`), and what scores below all of them is
        an outlier.
    missing : {"error", "mean", "drop", "keep"}, default="error"
        What becomes of missing cells, NaN, None and NaT: an error that names the column; the
        column's mean in the training rows; the row is not learnt from, and an error where it is to
        be scored; or something that a column has, usual or not, learnt like its values.
    time_parts : {"auto", "hour", "weekday", "absolute", "difference"} or a list, default="auto"
        What of times is learnt. "auto" takes the hour of the day where the rows span a day, the day
        of the week where they span two weeks, and the differences between columns.
    na_values : sequence of str, default=()
        Texts that stand for missing cells, beside NA, N/A, nan, null and ?.
    random_state : int, RandomState instance or None, default=0
        Seed of the directions. An int gives what ``frocc fit --seed`` gives.
    n_jobs : int or None, default=None
        Number of threads, with scikit-learn's meaning: None is 1, -1 is all.

    Attributes
    ----------
    offset_ : float
        Threshold of the decision: ``decision_function(X) == score_samples(X) - offset_``.
    n_features_in_ : int
        Number of features seen in training.
    feature_names_in_ : ndarray of str
        Their names, where X had names.
    n_samples_seen_ : int
        Number of rows behind the model.
    directions_ : ndarray of shape (m, n_features)
        The directions.
    shift_, scale_ : ndarray of shape (n_features,)
        What is done to the features.
    intervals_ : list of ndarray of shape (n_intervals, 2)
        The intervals of each direction.
    seed_ : int
        The seed that was used.

    See Also
    --------
    frocc.pyod.FROCC : The same as a PyOD detector.

    Examples
    --------
    >>> import numpy as np
    >>> from frocc import FROCC
    >>> X = np.random.default_rng(0).normal(size=(1000, 4))
    >>> detector = FROCC(directions=200, fpr=0.05).fit(X)
    >>> detector.predict([[0.1, -0.2, 0.3, 0.0], [6.0, -6.0, 6.0, -6.0]])
    array([ 1, -1])
    """

    def __init__(
        self,
        directions: int = 256,
        epsilon: float = 2**-12,
        *,
        kernel: str = "linear",
        gamma: float | str = "auto",
        degree: int = 3,
        coef0: float = 0.0,
        scaling: Any = "asinh",
        family: Any = "mixed",
        density: float | None = None,
        score_method: str = "closeness",
        threshold: float | None = None,
        fpr: float = 0.01,
        contamination: float = 0.0,
        trees: int = 24,
        calibration: int | str = "auto",
        missing: str = "error",
        time_parts: Any = "auto",
        na_values: Any = (),
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.directions = directions
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.scaling = scaling
        self.family = family
        self.density = density
        self.score_method = score_method
        self.threshold = threshold
        self.fpr = fpr
        self.contamination = contamination
        self.trees = trees
        self.calibration = calibration
        self.missing = missing
        self.time_parts = time_parts
        self.na_values = na_values
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    # ---- Fitting -------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, **others: Any) -> FROCC:
        """Learns what normal rows look like.

        Parameters
        ----------
        X : array-like, data frame, Arrow table or sparse matrix of shape (n_samples, n_features)
            Normal rows. float32 and float64 arrays with rows in one piece are read where they
            lie; others are converted once. Texts, categories, truths and times in columns of a
            frame become features.
        y : ignored
        **others
            There are none: `sample_weight` is an error that says why.

        Returns
        -------
        self
        """
        _refuse_others(others)
        with self._as_before_if_it_fails():
            rows = _rows.view(self, X, reset=True, learning=True)
            return self._take(self._learner([rows], rows.n_rows), [rows])

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Fits, and judges each row as if it had not been there: +1 is normal, -1 an outlier.

        This finds the odd rows in a table; `predict` knows the rows that were learnt, and accepts
        nearly all of them. With a `contamination`, that share of the rows, those with the lowest
        scores, are outliers, as in scikit-learn's other detectors. Without, those below the
        threshold of the other rows, which are about `fpr` of the rows where all are of a kind. With
        "agreement" no row can be left out: there this is `predict`, and a warning.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of which most are normal.
        y : ignored

        Returns
        -------
        labels : ndarray of shape (n_samples,)

        Examples
        --------
        >>> import numpy as np
        >>> from frocc import FROCC
        >>> X = np.vstack([np.random.default_rng(0).normal(size=(500, 3)), [[9.0, 9.0, 9.0]]])
        >>> labels = FROCC(contamination=0.02).fit_predict(X)
        >>> int((labels == -1).sum()), int(labels[500])
        (10, -1)
        """
        if self.fit(X)._model.info.score != _library.SCORES["closeness"]:
            warnings.warn(
                "score_method='agreement' knows the rows that it was fitted on, and accepts them; "
                "'closeness' can leave each out",
                UserWarning,
                stacklevel=2,
            )
            return self.predict(X)
        scores = self.score_left_out(X)
        share = float(self.contamination)
        if share > 0.0:
            return np.where(scores < np.percentile(scores, 100.0 * share), -1, 1)
        is_odd = (scores < self.offset_) | self._model.is_low_among_others(scores)
        return np.where(is_odd, -1, 1)

    def partial_fit(self, X: Any, y: Any = None) -> FROCC:
        """Adds rows to what was learnt; the same as one fit to all of them.

        The first call decides the scaling, where one is learnt, and which texts are frequent: of
        these the model also learns what goes with them. Others that come later are counted as any
        text is. One fit to all rows knows which are frequent among all.

        Examples
        --------
        >>> import numpy as np
        >>> from frocc import FROCC
        >>> X = np.random.default_rng(0).normal(size=(500, 3))
        >>> parts = FROCC.paper(directions=100).partial_fit(X[:200]).partial_fit(X[200:])
        >>> parts.to_bytes() == FROCC.paper(directions=100).fit(X).to_bytes()
        True
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X)
        rows = _rows.view(self, X, reset=False, learning=True)
        model = self._model
        if model.info.is_sealed:
            raise NotImplementedError(
                "a sealed model can only score; the model it was made from can learn more rows"
            )
        params = _params.to_native(self, model.info.n_features, model.info.seed)
        with self._as_before_if_it_fails():
            return self._take(Learner(model.frame, params, model, rows.n_rows), [rows])

    def fit_stream(self, source: Any) -> FROCC:
        """Learns from rows that do not fit in memory.

        Parameters
        ----------
        source : iterable of blocks, callable, path, or Arrow data set
            Blocks are whatever `fit` takes. A callable returns a new iterator each time. A path
            is of a ``.npy`` or ``.parquet`` file, or of a folder of Parquet files. A scaling that
            is learnt needs two passes: an iterator that can be read only once will not do.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> from frocc import FROCC
        >>> rng = np.random.default_rng(0)
        >>> blocks = (rng.normal(size=(1000, 3)) for _ in range(5))
        >>> FROCC.paper(directions=100).fit_stream(blocks).n_samples_seen_
        5000
        """
        with self._as_before_if_it_fails():
            blocks = stream.blocks(source)
            once = iter(blocks) is blocks
            is_known = not once and _rows.learn_blocks(self, blocks)
            views = self._views(blocks, is_known)
            first = next(views, None)
            if first is None:
                raise ValueError("Found array with 0 sample(s): there are no rows to learn from.")
            views = chain([first], views)
            learner = self._learner(views, getattr(blocks, "n_rows", None), once)
            return self._take(learner, views if once else self._views(blocks, True))

    @contextmanager
    def _as_before_if_it_fails(self) -> Iterator[None]:
        """A fit that fails leaves what was learnt before, all of it or nothing."""
        before = {name: self.__dict__[name] for name in _LEARNT if name in self.__dict__}
        try:
            yield
        except BaseException:
            for name in _LEARNT:
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise

    def _views(self, blocks: Iterable[Any], is_known: bool = False) -> Iterator[RowView]:
        """Blocks as views; the first decides on the columns where they are not known."""
        for number, block in enumerate(blocks):
            rows = _rows.view(self, block, reset=number == 0 and not is_known, learning=True)
            if number == 0 and not is_known and self._columns is not None and (
                self._columns.needs_encoding
            ):
                raise ValueError(
                    "blocks of texts, times or missing cells must be read twice, as the first one "
                    "does not tell what there is; give a list, or a function that returns an iterator"
                )
            yield rows

    def _learner(
        self, views: Iterable[RowView], total: int | None, once: bool = False
    ) -> Learner:
        """What learns from rows, in a frame that is learnt from these."""
        seed = _params.seed_of(self.random_state)
        columns = self._columns
        n_features: int = self.n_features_in_ if columns is None else columns.n_features
        params = _params.to_native(self, n_features, seed)
        params.schema = None if columns is None else columns.handle
        if once and _params.needs_sample(params):
            raise ValueError(
                f"scaling={self.scaling!r}, family={self.family!r} and trees={self.trees!r} are "
                "learnt in a pass of their own, and this iterator can be read only once; give a "
                "list, a function that returns an iterator, or one of frocc.stream"
            )
        frame = learn_frame(params, n_features, views, self._failure)
        params.schema = None  # the frame has it
        return Learner(frame, params, total=total)

    def _take(self, learner: Learner, views: Iterable[RowView]) -> FROCC:
        """Lets the learner have the rows, and keeps its model."""
        try:
            for rows in views:
                try:
                    learner.add(rows)
                except _library.DataError as error:
                    raise self._failure(error, rows) from None
            self._model = learner.finish()
        finally:
            learner.close()
        if learner.is_first and self._model.is_short_of_rows:
            warning = self._model.warning(self.calibration)
            warnings.warn(warning, _library.CalibrationWarning, stacklevel=3)
        return self

    # ---- Scoring -------------------------------------------------------------------------------

    def score_samples(self, X: Any) -> np.ndarray:
        """How normal each row is: higher is more normal, 1 is as normal as it gets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        return self._ask(Model.score, X)

    def score_left_out(self, X: Any) -> np.ndarray:
        """The score that each training row gets from a model without it.

        Its own values are taken away from what was counted; of a row that came twice one copy
        stays. With `contamination` the score is close to that, not the same. With "closeness",
        and not of sealed models, which have no counts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows that were learnt, all or some of them, in any order.

        Returns
        -------
        scores : ndarray of shape (n_samples,)

        Examples
        --------
        >>> import numpy as np
        >>> from frocc import FROCC
        >>> X = np.vstack([np.random.default_rng(0).normal(size=(500, 3)), [[9.0, 9.0, 9.0]]])
        >>> detector = FROCC().fit(X)
        >>> int(detector.score_left_out(X).argmin())
        500
        >>> bool(detector.predict(X[500:])[0] == 1)       # it was learnt
        True
        """
        info = self._fitted().info
        if info.is_sealed or info.score != _library.SCORES["closeness"]:
            raise NotImplementedError(
                "only a model of score_method='closeness' that is not sealed knows how often a "
                "value came, so that a row can be left out"
            )
        return self._ask(Model.score_left_out, X)

    def agreement(self, X: Any) -> np.ndarray:
        """Share of directions that accept each row, where `score_method` is "agreement"."""
        share: np.ndarray = self._ask(Model.count, X) / self._model.info.n_directions
        return share

    def decision_function(self, X: Any) -> np.ndarray:
        """Score less the threshold: a row is normal where it is 0 or more.

        Where there were too few training rows for `fpr`, also rows with a value far outside what
        the training rows had are outliers, whatever their score; they are just below 0.
        """
        scores = self._ask(Model.score, X)
        scores -= self._model.offset
        if self._model.is_short_of_rows:
            is_far = (self._ask(Model.decide, X) == 0) & (scores >= 0.0)
            scores[is_far] = -np.finfo(np.float64).tiny
        return scores

    def p_values(self, X: Any) -> np.ndarray:
        """Share of normal rows that would score as low as each row, or lower.

        Rows like the training rows have a p-value of at most a with probability at most a. Not
        for models without calibration, as all are that score agreement.
        """
        scores = self._ask(Model.score, X)
        return self._model.p_values(scores)

    def predict(self, X: Any) -> np.ndarray:
        """+1 for normal rows, -1 for outliers.

        Faster than `decision_function`: a row is left as soon as its decision is certain.
        """
        return np.where(self._ask(Model.decide, X), 1, -1)

    def grid_scores(self, X: Any, directions: Any, epsilons: Any) -> np.ndarray:
        """Agreement that models of fewer directions and larger epsilon would give, in one pass.

        Where `score_method` is "agreement"; with "closeness", `coarsen` and, without trees,
        `truncate` give the models one by one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        directions : sequence of int
            Numbers of directions, rising, at most the model's.
        epsilons : sequence of float
            Separations, rising, from the model's to 1.

        Returns
        -------
        scores : ndarray of shape (n_samples, len(epsilons), len(directions))

        Examples
        --------
        >>> import numpy as np
        >>> from frocc import FROCC
        >>> X = np.random.default_rng(0).normal(size=(500, 3))
        >>> detector = FROCC.paper(directions=100, epsilon=0.01).fit(X[:250])
        >>> scores = detector.grid_scores(X[250:], directions=[10, 100], epsilons=[0.01, 0.1])
        >>> scores.shape
        (250, 2, 2)
        """
        ms = np.ascontiguousarray(directions, np.uint32)
        if not np.array_equal(ms, directions):
            raise _params.refuse("directions", directions, "a sequence of positive integers")
        separations = np.ascontiguousarray(epsilons, np.float32)
        counts = self._ask(Model.grid, X, np.atleast_1d(separations), np.atleast_1d(ms))
        return counts / ms.astype(np.float64)

    def explain(self, X: Any) -> list[_explain.Explanation]:
        """Why each row scores as it does.

        Returns
        -------
        explanations : list of Explanation
            One a row: the rejecting directions with their distances, and per feature the value
            that would be better and how much it would gain.

        Examples
        --------
        >>> import numpy as np
        >>> from frocc import FROCC
        >>> X = np.random.default_rng(0).normal(size=(1000, 4))
        >>> detector = FROCC(directions=500).fit(X)
        >>> why = detector.explain([[0.0, 0.0, 9.0, 0.0]])[0]
        >>> [name for name, size in why.top(1)]
        ['x2']
        """
        self._fitted()
        rows = _rows.view(self, X, reset=False)
        threads = _library.threads_for(self.n_jobs)
        try:
            return _explain.explain(self._model, rows, self._feature_names(), threads)
        except _library.DataError as error:
            raise self._failure(error, rows) from None

    def _ask(self, question: Any, X: Any, *rest: Any) -> np.ndarray:
        """One of the model's questions about rows.

        The way for an array that can be read as it lies is short: it is taken for single rows in
        services, where scikit-learn's own checks would take longer than the answer.
        """
        model: Model = self.__dict__.get("_model") or self._fitted()
        d = model.info.n_features
        if _rows.is_direct(X) and X.shape[1] == d and not self._has_frame:
            rows = RowView(X)
        else:
            rows = _rows.view(self, X, reset=False)
        small = rows.n_rows * d * model.info.n_directions < _SMALL_WORK
        threads = 1 if small else _library.threads_for(self.n_jobs)
        try:
            answer: np.ndarray = question(model, rows, threads, *rest)
        except _library.DataError as error:
            raise self._failure(error, rows) from None
        if model.may_know(rows.n_rows) and question is not Model.score_left_out:
            self._tell_if_learnt(rows)
        return answer

    def _tell_if_learnt(self, rows: RowView) -> None:
        """Warns who has called the method that asks."""
        caller = sys._getframe(3).f_globals.get("__name__", "")
        if caller.partition(".")[0] not in _KNOW_BETTER and self._model.knows(rows):
            warnings.warn(
                "the model has learnt these rows, so nearly all look normal to it; "
                "score_left_out(X) scores each as if it had not been there, and "
                "fit_predict(X) finds the odd rows of a table",
                _library.LearntRowsWarning,
                stacklevel=4,
            )

    def _failure(self, error: Exception, rows: RowView) -> Exception:
        names = None if self._columns is None else self._columns.feature_names()
        return _rows.explain_failure(error, rows, names)
