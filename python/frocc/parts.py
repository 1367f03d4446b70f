# SPDX-License-Identifier: BSD-3-Clause
"""One fit in parts, in any processes and on any machines: the model that one process would give.

Each part of the rows gives a `Sample`; the samples merge, in any order, and make the `Fitter` of no
rows, which says all that the parts must agree on. Each part begins with a copy of it and adds its
rows; these merge, in any order, and finish as the estimator that one `fit` to all rows would be,
byte for byte. Samples and fitters are small, however many rows they have seen, and travel as bytes
or by pickle.

>>> import numpy as np
>>> from frocc import FROCC, parts
>>> X = np.random.default_rng(0).normal(size=(3000, 4))
>>> blocks = np.array_split(X, 3)
>>> samples = [parts.Sample(FROCC(), 4).add(block) for block in blocks]
>>> begin = parts.Fitter(FROCC(), samples[0].merge(*samples[1:])).to_bytes()
>>> fitters = [parts.Fitter.from_bytes(begin).add(block) for block in blocks]
>>> model = fitters[2].merge(fitters[0], fitters[1]).finish()
>>> model.to_bytes() == FROCC().fit(X).to_bytes()
True
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _library, _native, _params, _rows, _schema, _table
from ._library import CalibrationWarning, DataError
from ._native import NO_LIMIT
from ._rows import RowView
from ._schema import Schema
from .estimator import FROCC

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._native import Fitter as NativeFitter
    from ._native import Sample as NativeSample

__all__ = ["Fitter", "Sample", "columns_of", "join_columns"]

_ADVICE = "Fill in missing cells, or drop their rows, before a fit in parts."

#: How many columns of numbers there are; or their names; or what columns_of found.
Columns = Union[int, Sequence[str], Schema]


# ---- Columns -----------------------------------------------------------------------------------


def columns_of(frame: Any) -> Schema:
    """What the columns of a data frame or Arrow table are; it can be pickled, and sent elsewhere.

    Examples
    --------
    >>> import pandas as pd
    >>> from frocc import parts
    >>> parts.columns_of(pd.DataFrame({"size": [1.5, 2.0], "colour": ["red", "blue"]})).names
    ['size', 'colour']
    """
    frame = _rows._from_arrow(frame)
    if not _schema.check_names(frame):
        raise ValueError("the columns need names, all of them texts")
    try:
        return _schema.learn(_table.of_frame(frame), "error")[0]
    except DataError as error:
        raise DataError(f"{str(error).partition(' (try ')[0]}. {_ADVICE}") from None


def join_columns(*parts: Schema) -> Schema:
    """The columns of parts together, as one reading of all their rows finds them.

    Examples
    --------
    >>> import pandas as pd
    >>> from frocc import parts
    >>> red, blue = pd.DataFrame({"colour": ["red"]}), pd.DataFrame({"colour": ["blue"]})
    >>> both = parts.join_columns(parts.columns_of(red), parts.columns_of(blue))
    >>> both == parts.columns_of(pd.concat([red, blue]))
    True
    """
    return Schema.join(parts)


def _schema_of(columns: Columns) -> Schema | None:
    """The columns as the library has them; None for nameless numbers."""
    if isinstance(columns, (int, np.integer)):
        return None
    return columns.settled() if isinstance(columns, Schema) else _schema.of_names(columns)


class _Taker:
    """What takes blocks of rows, and tells the library what is in them."""

    _like: FROCC  # with the columns, and no model
    _native: Any  # the library's sample or fitter

    def _expect(self, schema: Schema | None, n_features: int) -> None:
        like = self._like = FROCC()
        like._columns = schema
        like.n_features_in_ = n_features
        if schema is not None:
            _rows.set_names(like)

    def _view(self, X: Any) -> RowView:
        like = self._like
        if not hasattr(X, "columns") and isinstance(X, (np.ndarray, list)):
            X = np.asarray(X)
            if X.dtype not in (np.float32, np.float64):
                X = X.astype(np.float64)
            plain = like._columns is None or not like._columns.needs_encoding
            if plain and _rows.is_direct(X) and X.shape[1] == like.n_features_in_:
                return RowView(X)
        return _rows.view(like, X, reset=False)

    def add(self, X: Any) -> Self:
        """Takes a block of rows: whatever `FROCC.fit` takes."""
        rows = self._view(X)
        try:
            self._native.add(rows)
        except DataError as error:
            raise self._failure(error, rows) from None
        return self

    def _failure(self, error: Exception, rows: RowView) -> Exception:
        columns = self._like._columns
        names = None if columns is None else columns.feature_names()
        return _rows.explain_failure(error, rows, names, _ADVICE)


def _check(detector: FROCC) -> None:
    """Refuses what parts cannot agree on without seeing each other's rows."""
    seed = detector.random_state
    if isinstance(seed, bool) or not isinstance(seed, Integral):
        raise _params.refuse("random_state", seed, "an int, so that all parts draw the same")
    if _params.missing(detector.missing) != "error":
        wanted = "'error' in a fit in parts, as no part knows what the others lack; fill in " \
                 "missing cells, or drop their rows, before it"  # fmt: skip
        raise _params.refuse("missing", detector.missing, wanted)


def _settings(detector: FROCC, columns: Columns | Schema | None, n_features: int) -> Any:
    """The parameters for the library, and what the schema is there."""
    _check(detector)
    params = _params.to_native(detector, n_features, _params.seed_of(detector.random_state))
    schema = columns if isinstance(columns, Schema) else None
    return params, schema


# ---- Samples -----------------------------------------------------------------------------------


class Sample(_Taker):
    """The rows of a part that a scaling and the directions are learnt from: a few thousand.

    Parameters
    ----------
    detector : FROCC
        The estimator to be fitted in parts; its parameters count.
    columns : int, sequence of str, or what columns_of gives
        The number of columns; or their names, for numbers; or what they are, as `columns_of` and
        `join_columns` give it. The same for all parts.

    Examples
    --------
    >>> import numpy as np, pickle
    >>> from frocc import FROCC, parts
    >>> sample = parts.Sample(FROCC(), ["a", "b"]).add(np.arange(20.0).reshape(10, 2))
    >>> len(pickle.loads(pickle.dumps(sample)))
    10
    """

    _native: NativeSample

    def __init__(self, detector: FROCC, columns: Columns) -> None:
        schema = _schema_of(columns)
        n_features = int(columns) if schema is None else schema.n_features  # type: ignore
        params, native = _settings(detector, schema, n_features)
        params.schema = None if native is None else native.handle
        self._native = _native.Sample(params, n_features)
        self._expect(schema, n_features)

    def merge(self, *others: Sample) -> Self:
        """Takes what the others have; the sample of all their rows."""
        for other in others:
            self._native.merge(other._native)
        return self

    def __len__(self) -> int:
        return self._native.count()

    def to_bytes(self) -> bytes:
        """The same for the same rows, whatever their order, and on any machine."""
        return self._native.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """What to_bytes wrote, here or elsewhere; damaged bytes are refused."""
        sample = cls.__new__(cls)
        sample._native = _native.Sample.from_bytes(bytes(data))
        sample._expect(sample._native.schema(), sample._native.n_features)
        return sample

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled_sample, (self.to_bytes(),)


# ---- Fitters -----------------------------------------------------------------------------------


def _check_seed(params: _library.Params, n_features: int, sample: NativeSample) -> None:
    """A sample is of the rows that its seed picks: of another, the frame is not that of all."""
    try:
        _native.Sample(params, n_features).merge(sample)
    except ValueError:
        wanted = "that of the samples, which tells the rows that are in them"
        raise _params.refuse("random_state", params.seed, wanted) from None


class Fitter(_Taker):
    """A fit under way: the frame, the parameters, and what the rows so far have taught.

    Parameters
    ----------
    detector : FROCC
        The estimator to be fitted.
    learnt : Sample, int, sequence of str, or what columns_of gives
        The sample of all parts. Where nothing is learnt from rows first, as with `FROCC.paper`,
        the columns will do, as for a `Sample`.
    """

    _native: NativeFitter

    def __init__(self, detector: FROCC, learnt: Sample | Columns) -> None:
        sample = learnt._native if isinstance(learnt, Sample) else None
        if isinstance(learnt, Sample):
            schema, n_features = learnt._like._columns, learnt._native.n_features
        else:
            schema = _schema_of(learnt)
            n_features = int(learnt) if schema is None else schema.n_features  # type: ignore
        params, native = _settings(detector, schema, n_features)
        params.schema = None if native is None else native.handle
        if sample is None and _params.needs_sample(params):
            raise ValueError("this estimator learns from rows first; give a parts.Sample of them")
        if sample is not None and _params.needs_sample(params):
            _check_seed(params, n_features, sample)
        frame = _native.Frame.make(params, n_features, sample)
        params.schema = None  # the frame has it
        self._take(_native.Fitter(frame, params))

    def _take(self, native: NativeFitter) -> None:
        self._native = native
        frame = native.frame
        self._expect(frame.schema(), frame.shape[1])

    def merge(self, *others: Fitter) -> Self:
        """Takes what the others have learnt; the fitter of all their rows."""
        for other in others:
            self._native.merge(other._native)
        return self

    @property
    def n_rows(self) -> int:
        """The rows so far."""
        return self._native.n_rows

    def finish(self) -> FROCC:
        """The estimator that a fit to all rows would be; the fitter may go on."""
        model = self._native.finish()
        if model.is_short_of_rows:
            warnings.warn(model.warning(None), CalibrationWarning, stacklevel=2)
        return FROCC._of(model)

    def to_bytes(self) -> bytes:
        """The same for the same rows, whatever their order, and on any machine."""
        return self._native.to_bytes()

    @classmethod
    def from_bytes(
        cls, data: bytes, *, n_jobs: int | None = None, max_memory: int | None = None
    ) -> Self:
        """What to_bytes wrote, here or elsewhere; damaged bytes are refused.

        n_jobs are the threads that take rows; max_memory as for `FROCC.load`.
        """
        fitter = cls.__new__(cls)
        threads = _library.threads_for(n_jobs)
        fitter._take(_native.Fitter.from_bytes(bytes(data), threads, max_memory))
        return fitter

    def __reduce__(self) -> tuple[Any, ...]:
        # Who trusts a pickle trusts what is in it.
        return _unpickled, (self.to_bytes(),)


# Functions of the module, as cloudpickle takes along whole what is not found by its name.


def _unpickled_sample(data: bytes) -> Sample:
    return Sample.from_bytes(data)


def _unpickled(data: bytes) -> Fitter:
    return Fitter.from_bytes(data, max_memory=NO_LIMIT)
