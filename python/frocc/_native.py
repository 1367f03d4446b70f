# SPDX-License-Identifier: BSD-3-Clause
"""The library's objects as Python objects: each owns its handle and frees it."""

from __future__ import annotations

import ctypes
import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _library
from ._library import check, lib, new, pointer
from ._rows import RowView
from ._schema import Schema
from ._schema import bytes_of as _bytes_of


class _Owner:
    """Something of the library's that is freed with the Python object."""

    __slots__ = ("handle",)
    _free: Any = None  # a function of the library; ctypes functions do not bind to self

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def __del__(self) -> None:
        handle = getattr(self, "handle", None)
        if handle:
            self._free(handle)


def _schema_of(handle: int | None) -> Schema | None:
    """What the columns are, where more is known of them than their places; takes the handle over."""
    schema = Schema(handle) if handle else None
    is_known = schema is not None and (schema.names is not None or schema.needs_encoding)
    return schema if is_known else None


class Sample(_Owner):
    """The rows that a scaling is learnt from."""

    _free = lib.frocc_sample_free

    def __init__(self, params: _library.Params, n_features: int) -> None:
        super().__init__(new(lib.frocc_sample_new, params, n_features))

    @classmethod
    def from_bytes(cls, data: bytes) -> Sample:
        sample = cls.__new__(cls)
        sample.handle = new(lib.frocc_sample_from_bytes, data, len(data))
        return sample

    def to_bytes(self) -> bytes:
        return _bytes_of(lib.frocc_sample_to_bytes, self.handle)

    def add(self, rows: RowView) -> None:
        check(lib.frocc_sample_add(self.handle, rows.struct), rows)

    def merge(self, other: Sample) -> None:
        check(lib.frocc_sample_merge(self.handle, other.handle))

    @property
    def n_features(self) -> int:
        return int(lib.frocc_sample_features(self.handle))

    def count(self) -> int:
        """How many rows it has."""
        rows = ctypes.c_size_t()
        check(lib.frocc_sample_size(self.handle, ctypes.byref(rows)))
        return rows.value

    def schema(self) -> Schema | None:
        return _schema_of(lib.frocc_sample_schema(self.handle))


class Frame(_Owner):
    """How a row becomes m numbers."""

    _free = lib.frocc_frame_free

    @classmethod
    def make(cls, params: _library.Params, n_features: int, sample: Sample | None) -> Frame:
        return cls(
            new(lib.frocc_frame_new, params, n_features, sample.handle if sample else None)
        )

    @property
    def shape(self) -> tuple[int, int]:
        """(directions, features)."""
        return lib.frocc_frame_directions(self.handle), lib.frocc_frame_features(self.handle)

    def schema(self) -> Schema | None:
        return _schema_of(lib.frocc_frame_schema(self.handle))

    def directions(self, first: int = 0, count: int | None = None) -> np.ndarray:
        m, d = self.shape
        out = np.empty((m - first if count is None else count, d), np.float32)
        check(lib.frocc_frame_copy_directions(self.handle, first, len(out), pointer(out)))
        return out

    def scaling(self) -> tuple[np.ndarray, np.ndarray]:
        shift, scale = np.empty((2, self.shape[1]))
        lib.frocc_frame_copy_scaling(self.handle, pointer(shift), pointer(scale))
        return shift, scale

    def project(self, rows: RowView) -> np.ndarray:
        out = np.empty((rows.n_rows, self.shape[0]), np.float32)
        check(lib.frocc_frame_project(self.handle, rows.struct, pointer(out)), rows)
        return out


class Fitter(_Owner):
    """Takes rows in any number of calls."""

    _free = lib.frocc_fitter_free

    def __init__(self, frame: Frame, params: _library.Params) -> None:
        super().__init__(new(lib.frocc_fitter_new, frame.handle, params))

    @classmethod
    def from_bytes(cls, data: bytes, threads: int, max_memory: int | None) -> Fitter:
        fitter = cls.__new__(cls)
        options = _load_options(max_memory)
        fitter.handle = new(
            lib.frocc_fitter_from_bytes, data, len(data), ctypes.addressof(options), threads
        )
        return fitter

    def to_bytes(self) -> bytes:
        return _bytes_of(lib.frocc_fitter_to_bytes, self.handle)

    @property
    def frame(self) -> Frame:
        return Frame(lib.frocc_fitter_frame(self.handle))

    @property
    def n_rows(self) -> int:
        return int(lib.frocc_fitter_rows(self.handle))

    def add(self, rows: RowView) -> None:
        check(lib.frocc_fitter_add(self.handle, rows.struct), rows)

    def merge(self, other: Fitter) -> None:
        check(lib.frocc_fitter_merge(self.handle, other.handle))

    def finish(self) -> Model:
        return Model(new(lib.frocc_fitter_finish, self.handle))


class _Scorer(_Owner):
    _free = lib.frocc_scorer_free


NO_LIMIT = ctypes.c_size_t(-1).value


def _load_options(max_memory: int | None) -> _library.LoadOptions:
    return _library.LoadOptions(
        struct_size=ctypes.sizeof(_library.LoadOptions), max_memory=max_memory or 0
    )


class Model(_Owner):
    """An immutable model, shared by threads, with the scorers that wait for their next use.

    A scorer is scratch for one thread. Whoever scores takes one from the list, or makes one, and
    puts it back: list.pop and list.append are atomic.
    """

    __slots__ = ("_idle", "info", "offset", "__weakref__")
    _free = lib.frocc_model_free

    def __init__(self, handle: int) -> None:
        super().__init__(handle)
        self._idle: dict[int, list[_Scorer]] = {}
        self.info = _library.Info(struct_size=ctypes.sizeof(_library.Info))
        check(lib.frocc_model_describe(handle, self.info))
        self.offset = self.threshold()

    # ---- Bytes and files

    @classmethod
    def from_bytes(cls, data: bytes, max_memory: int | None = None) -> Model:
        options = _load_options(max_memory)
        return cls(
            new(lib.frocc_model_from_bytes, data, len(data), ctypes.addressof(options))
        )

    def to_bytes(self) -> bytes:
        return _bytes_of(lib.frocc_model_to_bytes, self.handle)

    @classmethod
    def load(cls, path: str | os.PathLike[str], max_memory: int | None = None) -> Model:
        name = os.fspath(path)
        os.stat(name)  # raises the FileNotFoundError or PermissionError that Python would
        options = _load_options(max_memory)
        return cls(new(lib.frocc_model_load, os.fsencode(name), ctypes.addressof(options)))

    def save(self, path: str | os.PathLike[str]) -> None:
        check(lib.frocc_model_save(self.handle, _library.without_nul(os.fsencode(path))))

    def __reduce__(self) -> tuple[Any, ...]:
        # Who trusts a pickle trusts the model in it.
        return _unpickled, (self.to_bytes(),)

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self

    # ---- Other models

    @classmethod
    def merge(cls, models: Sequence[Model]) -> Model:
        """The model of all their rows; parameters that are no part of the frame are the first's."""
        handles = (_library.Handle * len(models))(*(model.handle for model in models))
        return cls(new(lib.frocc_model_merge, handles, len(models)))

    def coarsen(self, epsilon: float) -> Model:
        return Model(new(lib.frocc_model_coarsen, self.handle, epsilon))

    def truncate(self, n_directions: int) -> Model:
        return Model(new(lib.frocc_model_truncate, self.handle, n_directions))

    def seal(self) -> Model:
        return Model(new(lib.frocc_model_seal, self.handle))

    def decontaminate(self, contamination: float) -> Model:
        return Model(new(lib.frocc_model_decontaminate, self.handle, contamination))

    # ---- What is in it

    @property
    def frame(self) -> Frame:
        return Frame(lib.frocc_model_frame(self.handle))

    def schema(self) -> Schema | None:
        """What the columns are, where the model knows more of them than their places."""
        return _schema_of(lib.frocc_model_schema(self.handle))

    def count_intervals(self) -> int:
        """How many intervals all directions have."""
        return int(lib.frocc_model_count_intervals(self.handle))

    def intervals(self, direction: int) -> np.ndarray:
        """The intervals of one direction, rising: a row (lower, upper) each."""
        count = ctypes.c_size_t()
        ask = lib.frocc_model_intervals
        check(ask(self.handle, direction, None, None, 0, ctypes.byref(count)))
        ends = np.empty((2, count.value), np.float32)
        check(
            ask(self.handle, direction, pointer(ends[0]), pointer(ends[1]), count.value,
                ctypes.byref(count))
        )  # fmt: skip
        return ends.T

    def explain(self, row: RowView) -> tuple[np.ndarray, np.ndarray]:
        """Per feature: how much a better value of it alone would gain, and that value."""
        gain, better = np.empty((2, self.info.n_features))
        check(lib.frocc_model_explain(self.handle, row.struct, pointer(gain), pointer(better)), row)
        return gain, better

    # ---- Decisions

    def threshold(self) -> float:
        """The score from which on a row is normal."""
        if not self.info.fpr > 0.0:
            return float(self.info.threshold)
        limit = ctypes.c_double()
        check(lib.frocc_model_threshold(self.handle, self.info.fpr, ctypes.byref(limit)))
        return limit.value

    @property
    def is_short_of_rows(self) -> bool:
        """Whether there are too few calibration rows for the model's rate of false alarms."""
        return bool(0.0 < self.info.fpr < 1.0 / (self.info.calibration_rows + 1))

    def warning(self, calibration: int | str | None) -> str:
        """What is decided then, and what helps; calibration is how many rows were asked for, or
        None where that is not known.

        About half of the rows may calibrate, of equal ones all or none.
        """
        n, fpr = self.info.calibration_rows, self.info.fpr
        least = 1.0 / (n + 1)
        unit = 10.0 ** (math.floor(math.log10(least)) - 1)
        ask = f", or ask for fpr={math.ceil(least / unit - 1e-9) * unit:.2g} or more" if n else ""
        rows, needed = math.ceil(2.5 / fpr), math.ceil(1.0 / fpr)
        if self.info.n_rows < rows:
            remedy = f"fit about {rows} rows"
        elif calibration is None:
            remedy = f"fit more rows that differ, with calibration={needed}"
        # "auto" is as many as are needed, or as there is room for, of which there is for 1,024.
        elif n >= 1024 if isinstance(calibration, str) else calibration < needed:
            remedy = f"give calibration={needed}"
        else:
            remedy = "fit more rows that differ"
        rule = "all of them" if n else "0"
        return (
            f"{n} training rows calibrate the decision, too few for fpr={fpr:g}: what scores "
            f"below {rule} is an outlier; {remedy}{ask}"
        )

    def p_values(self, scores: np.ndarray) -> np.ndarray:
        out = np.empty(len(scores))
        check(lib.frocc_model_p_values(self.handle, pointer(scores), len(scores), pointer(out)))
        return out

    def is_low_among_others(self, scores: np.ndarray) -> np.ndarray:
        """Which of the scores are a calibration row's own, and below the threshold of the others:
        with itself among them, a row that is alone would be as usual as they are few."""
        n, fpr = self.info.calibration_rows, self.info.fpr
        if not (n and fpr > 0.0):
            return np.zeros(len(scores), dtype=bool)
        at_most = np.rint(self.p_values(scores) * (n + 1)) - 1
        below = np.rint(self.p_values(np.nextafter(scores, -np.inf)) * (n + 1)) - 1
        allowed = max(math.floor(n * fpr + 1e-9), 1)  # of n, itself among them
        low: np.ndarray = (at_most > below) & (at_most <= allowed)
        return low

    # ---- Scoring

    def _ask(self, function: Callable[..., int], rows: RowView, threads: int, *rest: Any) -> None:
        idle = self._idle.setdefault(threads, [])
        try:
            scorer = idle.pop()
        except IndexError:
            scorer = _Scorer(new(lib.frocc_scorer_new, self.handle, threads))
        status = function(scorer.handle, rows.struct, *rest)
        idle.append(scorer)
        if status:
            check(status, rows)

    def score(self, rows: RowView, threads: int) -> np.ndarray:
        out = np.empty(rows.n_rows)
        self._ask(lib.frocc_scorer_score, rows, threads, pointer(out))
        return out

    def may_know(self, n_rows: int) -> bool:
        """Whether so many rows can be those that were learnt: most of them, and few others."""
        return bool(3 * self.info.n_rows <= 4 * n_rows <= 8 * self.info.n_rows)

    def knows(self, rows: RowView) -> bool:
        """Whether these are rows that were learnt; a scorer of its own, which has met no others."""
        scorer = _Scorer(new(lib.frocc_scorer_new, self.handle, 1))
        learnt = ctypes.c_double()
        check(lib.frocc_scorer_meet(scorer.handle, rows.struct, ctypes.byref(learnt)), rows)
        return learnt.value >= 0.75

    def score_left_out(self, rows: RowView, threads: int) -> np.ndarray:
        """The scores of rows that were learnt, each as if it had not been there."""
        out = np.empty(rows.n_rows)
        self._ask(lib.frocc_scorer_score_left_out, rows, threads, pointer(out))
        return out

    def count(self, rows: RowView, threads: int) -> np.ndarray:
        out = np.empty(rows.n_rows, np.uint32)
        self._ask(lib.frocc_scorer_count, rows, threads, pointer(out))
        return out

    def decide(self, rows: RowView, threads: int) -> np.ndarray:
        out = np.empty(rows.n_rows, np.uint8)
        self._ask(lib.frocc_scorer_decide, rows, threads, _library.OWN_THRESHOLD, pointer(out))
        return out

    def distances(self, rows: RowView, threads: int) -> np.ndarray:
        out = np.empty((rows.n_rows, self.info.n_directions), np.float32)
        self._ask(lib.frocc_scorer_distances, rows, threads, pointer(out))
        return out

    def grid(
        self, rows: RowView, threads: int, epsilons: np.ndarray, ms: np.ndarray
    ) -> np.ndarray:
        out = np.empty((rows.n_rows, len(epsilons), len(ms)), np.uint32)
        self._ask(
            lib.frocc_scorer_grid, rows, threads,
            pointer(epsilons), len(epsilons), pointer(ms), len(ms), pointer(out),
        )  # fmt: skip
        return out


# A function of the module, as cloudpickle takes along whole what is not found by its name.
def _unpickled(data: bytes) -> Model:
    return Model.from_bytes(data, NO_LIMIT)

