# SPDX-License-Identifier: BSD-3-Clause
"""What a fitted estimator can still answer: other models, files, and what was learnt."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from . import _params, _rows
from ._native import Frame, Model
from ._schema import Schema

if TYPE_CHECKING:
    from typing_extensions import Self


class Fitted(BaseEstimator):
    """The part of the estimator that needs a model and no rows."""

    _model: Model
    n_features_in_: int
    feature_names_in_: np.ndarray
    #: What the columns are, where they have names or are not simply numbers; and whether arrays have
    #: to be looked at: a frame was fitted here, so that rows without names are worth scikit-learn's
    #: warning, or columns without names are read.
    _columns: Schema | None = None
    _has_frame: bool = False

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def _fitted(self) -> Model:
        """The model; an error that scikit-learn's users know where there is none."""
        check_is_fitted(self)
        return self._model

    # ---- Other models --------------------------------------------------------------------------

    def merge(self, *others: Fitted) -> Self:
        """The estimator that one fit to all their rows would give.

        Only models of the same columns, seed, directions, kernel, scaling and epsilon merge; a
        scaling that each has learnt from its own rows is not the same.

        Examples
        --------
        >>> import numpy as np
        >>> from frocc import FROCC
        >>> X = np.random.default_rng(0).normal(size=(500, 3))
        >>> a, b = (FROCC.paper(directions=100).fit(part) for part in (X[:250], X[250:]))
        >>> (a + b).to_bytes() == FROCC.paper(directions=100).fit(X).to_bytes()
        True
        """
        for other in others:
            if not isinstance(other, Fitted):
                raise TypeError(f"only FROCC merges with FROCC, not {type(other).__name__}")
        parts: list[Fitted] = [self, *others]
        return self._like_this(Model.merge([part._fitted() for part in parts]))

    def __add__(self, other: Any) -> Self:
        return self.merge(other) if isinstance(other, Fitted) else NotImplemented

    def __radd__(self, other: Any) -> Self:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # for sum()

    def coarsen(self, epsilon: float) -> Self:
        """The estimator that a fit with this larger epsilon would give."""
        return self._like_this(
            self._fitted().coarsen(_params._number("epsilon", epsilon)), epsilon=epsilon
        )

    def truncate(self, directions: int) -> Self:
        """The estimator that a fit with only the first directions would give.

        Not for models with trees, which look at all directions: fit with ``trees=0``.
        """
        m = _params._whole("directions", directions)
        family = self.family if isinstance(self.family, str) else self.family[:m]
        return self._like_this(self._fitted().truncate(m), directions=m, family=family)

    def decontaminate(self, contamination: float) -> Self:
        """The estimator that a fit with this contamination would give; with "closeness" only.

        Examples
        --------
        >>> import numpy as np
        >>> from frocc import FROCC
        >>> X = np.random.default_rng(0).normal(size=(500, 3))
        >>> other = FROCC(directions=100).fit(X).decontaminate(0.1)
        >>> other.to_bytes() == FROCC(directions=100, contamination=0.1).fit(X).to_bytes()
        True
        """
        value = _params.share("contamination", contamination)
        return self._like_this(self._fitted().decontaminate(value), contamination=value)

    def seal(self) -> Self:
        """An estimator for scoring only, which takes less memory and a smaller file.

        It gives the same scores, p-values and decisions to the bit; `partial_fit`, `merge`,
        `coarsen` and `truncate` need what was taken out. With agreement there is nothing to take
        out, and the result is a copy.

        Examples
        --------
        >>> import numpy as np
        >>> from frocc import FROCC
        >>> X = np.random.default_rng(0).normal(size=(500, 3))
        >>> detector = FROCC(directions=100).fit(X)
        >>> sealed = detector.seal()
        >>> len(sealed.to_bytes()) < len(detector.to_bytes())
        True
        >>> bool((sealed.p_values(2 * X) == detector.p_values(2 * X)).all())
        True
        """
        return self._like_this(self._fitted().seal())

    def _like_this(self, model: Model, **changed: Any) -> Self:
        """A fitted estimator with these parameters and columns, and another model."""
        other: Self = clone(self).set_params(**changed)
        other.n_features_in_ = self.n_features_in_
        if "feature_names_in_" in self.__dict__:
            other.feature_names_in_ = self.feature_names_in_
        other._columns, other._has_frame = self._columns, self._has_frame
        other._model = model
        return other

    @classmethod
    def paper(cls, **changed: Any) -> Self:
        """An unfitted estimator with the paper's settings, whatever the defaults are.

        No scaling, Gaussian directions, no trees, agreement, threshold 1: ``frocc fit --paper``.

        Parameters
        ----------
        **changed
            Parameters that should be different.

        Examples
        --------
        >>> from frocc import FROCC
        >>> FROCC.paper(epsilon=0.01).threshold
        1.0
        """
        return cls(**_params.paper(changed))

    # ---- Files ---------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, which the command `frocc` reads too.

        The old file or the new one is there at any time. The names of a data frame's columns, and
        the texts in them, are kept: the command finds columns by their names.
        """
        self._fitted().save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, max_memory: int | None = None) -> Self:
        """Reads a model file, whoever wrote it.

        One that claims to take more than max_memory bytes is refused with a MemoryError; None
        stands for 512 times the size of the file, and at least 48 MiB.
        """
        return cls._of(Model.load(path, max_memory))

    def to_bytes(self) -> bytes:
        """The bytes of the model file. Equal models have equal bytes."""
        return self._fitted().to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes, *, max_memory: int | None = None) -> Self:
        """The estimator of a model file's bytes; max_memory as for load."""
        return cls._of(Model.from_bytes(bytes(data), max_memory))

    @classmethod
    def _of(cls, model: Model) -> Self:
        estimator = cls(**_params.from_model(model))
        estimator._columns = columns = model.schema()
        estimator.n_features_in_ = model.info.n_features
        if columns is not None:
            estimator.missing = columns.missing
            estimator._has_frame = columns.names is None
            _rows.set_names(estimator)
        estimator._model = model
        return estimator

    # ---- What was learnt -----------------------------------------------------------------------

    def _frame(self) -> Frame:
        return self._fitted().frame

    @property
    def offset_(self) -> float:
        """Threshold of the decision."""
        return self._fitted().offset

    @property
    def n_samples_seen_(self) -> int:
        """Number of rows behind the model."""
        return int(self._fitted().info.n_rows)

    @property
    def seed_(self) -> int:
        """Seed of the directions."""
        return int(self._fitted().info.seed)

    @property
    def directions_(self) -> np.ndarray:
        """The directions, of shape (m, n_features)."""
        return self._frame().directions()

    @property
    def shift_(self) -> np.ndarray:
        """What is subtracted from each feature."""
        return self._frame().scaling()[0]

    @property
    def scale_(self) -> np.ndarray:
        """What each feature is divided by then."""
        return self._frame().scaling()[1]

    @property
    def intervals_(self) -> list[np.ndarray]:
        """The intervals of each direction, a row (lower, upper) each."""
        model = self._fitted()
        return [model.intervals(i) for i in range(model.info.n_directions)]

    @property
    def info_(self) -> dict[str, Any]:
        """What the model says about itself: parameters, numbers of rows and intervals."""
        model = self._fitted()
        named = {name: getattr(model.info, name) for name, *_ in model.info._fields_[1:]}
        return {**named, "n_intervals": model.count_intervals()}

    def _feature_names(self) -> np.ndarray:
        """Names for people: those of the data, or x0, x1, ..."""
        if self._columns is not None:
            return np.array(self._columns.feature_names(), dtype=object)
        return np.array([f"x{j}" for j in range(self._fitted().info.n_features)])
