# SPDX-License-Identifier: BSD-3-Clause
"""Libfrocc as ctypes sees it: where it is, the types and functions of frocc.h, its errors.

Everything that mirrors the header is in this file, as tables; python/tests/test_library.py
compares them with the header itself.
"""

from __future__ import annotations

import ctypes
import os
import re
import threading
from collections.abc import Callable
from ctypes import (
    POINTER,
    addressof,
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int64,
    c_size_t,
    c_uint64,
)
from pathlib import Path
from typing import Any, TypeVar

# ---- Types -------------------------------------------------------------------------------------

Handle = ctypes.c_void_p  # every opaque type
Array = ctypes.c_void_p  # every pointer to numbers: numpy knows what they are
Out = POINTER(Handle)
Status = c_int

#: The dtype numbers of frocc_rows.
F32, F64 = 0, 1

#: The names the command uses, and the header's numbers for them. What comes to the library is one
#: more entry here.
KERNELS = {"linear": 0, "rbf": 1, "poly": 2, "sigmoid": 3}
SCALINGS = {"none": 0, "standard": 1, "minmax": 2, "given": 3, "asinh": 4, "whiten": 5}
FAMILIES = {"gaussian": 0, "given": 1, "mixed": 2, "hadamard": 3, "sparse": 4, "auto": 5}
SCORES = {"agreement": 0, "closeness": 1}
CUSTOM_KERNEL = 4  # cannot be made here, but a model file may have it

#: FROCC_ERR_CALLBACK.
CALLBACK_FAILED = 10

#: frocc_missing: what becomes of missing cells.
MISSING = {"error": 0, "mean": 1, "drop": 2, "keep": 3}

#: frocc_feature_kind: those that are codes, FROCC_FEATURE_CATEGORY, _STATE and _WEEKDAY.
CODES = frozenset({1, 2, 5})

#: FROCC_OWN_THRESHOLD: decide as the model does by itself.
OWN_THRESHOLD = float("nan")

#: FROCC_CALIBRATION_AUTO: as many rows as the rate needs.
CALIBRATION_AUTO = c_size_t(-1).value

#: FROCC_CLOSENESS_MAX_EPSILON: there are no cells wider than this share of a range.
CLOSENESS_MAX_EPSILON = 0.25


class Rows(ctypes.Structure):
    """frocc_rows."""

    _fields_ = [
        ("n_rows", c_size_t),
        ("n_features", c_size_t),
        ("dtype", c_int),
        ("values", Array),
        ("row_stride", c_size_t),
        ("row_start", Array),
        ("columns", Array),
    ]


class Params(ctypes.Structure):
    """frocc_params, with room behind it so that a longer one of another version does no harm."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("seed", c_uint64),
        ("n_directions", c_size_t),
        ("epsilon", c_float),
        ("score", c_int),
        ("threshold", c_double),
        ("calibration_rows", c_size_t),
        ("fpr", c_double),
        ("contamination", c_double),
        ("n_trees", c_size_t),
        ("kernel", c_int),
        ("gamma", c_double),
        ("coef0", c_double),
        ("degree", c_int),
        ("kernel_fn", Handle),
        ("kernel_context", Handle),
        ("kernel_name", c_char_p),
        ("scaling", c_int),
        ("shift", Array),
        ("scale", Array),
        ("sample_rows", c_size_t),
        ("family", c_int),
        ("directions", Array),
        ("density", c_double),
        ("schema", Handle),
        ("threads", c_int),
        ("room", ctypes.c_uint64 * 64),
    ]


class LoadOptions(ctypes.Structure):
    """frocc_load_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("kernel_fn", Handle),
        ("kernel_context", Handle),
        ("max_memory", c_size_t),
    ]


class Info(ctypes.Structure):
    """frocc_model_info."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("n_features", c_size_t),
        ("n_directions", c_size_t),
        ("seed", c_uint64),
        ("epsilon", c_float),
        ("score", c_int),
        ("threshold", c_double),
        ("fpr", c_double),
        ("contamination", c_double),
        ("calibration_rows", c_uint64),
        ("kernel", c_int),
        ("gamma", c_double),
        ("coef0", c_double),
        ("degree", c_int),
        ("scaling", c_int),
        ("family", c_int),
        ("density", c_double),
        ("n_trees", c_size_t),
        ("is_sealed", c_int),
        ("n_rows", c_uint64),
        ("frame_checksum", c_uint64),
    ]


class ErrorPlace(ctypes.Structure):
    """frocc_error_place."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("row", c_int64),
        ("column", c_int64),
        ("line", c_int64),
        ("file", c_char_p),
        ("column_name", c_char_p),
        ("what", c_char_p),
    ]


class ReaderOptions(ctypes.Structure):
    """frocc_reader_options, with room as Params has it."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("format", c_int),
        ("header", c_int),
        ("separator", c_char),
        ("array", c_char_p),
        ("n_columns", c_size_t),
        ("index_base", c_int),
        ("label", c_char_p),
        ("id", c_char_p),
        ("use", Handle),
        ("n_use", c_size_t),
        ("drop", Handle),
        ("n_drop", c_size_t),
        ("categorical", Handle),
        ("n_categorical", c_size_t),
        ("time", Handle),
        ("n_time", c_size_t),
        ("missing", c_int),
        ("all_numeric", c_int),
        ("dtype", c_int),
        ("block_rows", c_size_t),
        ("one_pass", c_int),
        ("ignore_extra", c_int),
        ("threads", c_int),
        ("own_missing", c_int),
        ("max_columns", c_size_t),
        ("part", c_uint64),
        ("n_parts", c_uint64),
        ("opener", Handle),
        ("carry", Handle),
        ("n_carry", c_size_t),
        ("time_parts", c_int),
        ("na", Handle),
        ("n_na", c_size_t),
        ("max_line", c_size_t),
        ("list_bad_rows", c_int),
        ("wait", Handle),
        ("wait_context", Handle),
        ("max_spool", c_uint64),
        ("room", c_uint64 * 64),
    ]


class Field(ctypes.Structure):
    """frocc_field."""

    _fields_ = [("name", c_char_p), ("kind", c_int), ("per_second", c_int64)]


class Cells(ctypes.Structure):
    """frocc_cells."""

    _fields_ = [
        ("values", Array),
        ("missing", Array),
        ("offsets", Array),
        ("codes", Array),
        ("n_texts", c_size_t),
        ("ahead_of_utc", Array),
    ]


#: The callbacks of frocc_table.
NextBatch = ctypes.CFUNCTYPE(c_int, Handle, POINTER(Cells), POINTER(c_size_t), POINTER(c_char_p))
Rewind = ctypes.CFUNCTYPE(c_int, Handle, POINTER(c_char_p))
Close = ctypes.CFUNCTYPE(None, Handle)


class Table(ctypes.Structure):
    """frocc_table."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("fields", POINTER(Field)),
        ("n_fields", c_size_t),
        ("n_rows", c_uint64),
        ("next", NextBatch),
        ("rewind", Rewind),
        ("close", Close),
        ("context", Handle),
    ]


#: The callback of frocc_table_opener.
OpenTable = ctypes.CFUNCTYPE(
    c_int, Handle, c_char_p, POINTER(Table), POINTER(c_int), POINTER(c_char_p)
)


class TableOpener(ctypes.Structure):
    """frocc_table_opener."""

    _fields_ = [("open", OpenTable), ("context", Handle)]


class Block(ctypes.Structure):
    """frocc_block."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", Rows),
        ("labels", Handle),
        ("label_values", Array),
        ("ids", Handle),
        ("row_numbers", Array),
        ("carried", Handle),
        ("n_carried", c_size_t),
        ("bad_rows", Handle),
        ("n_bad_rows", c_size_t),
        ("is_paused", c_int),
    ]


class ColumnInfo(ctypes.Structure):
    """frocc_column_info."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("is_feature", c_int),
        ("is_label", c_int),
        ("is_id", c_int),
        ("kind", c_int),
        ("n_texts", c_double),
        ("first_feature", c_size_t),
        ("n_features", c_size_t),
        ("has_hour", c_int),
        ("has_weekday", c_int),
        ("has_seconds", c_int),
        ("is_clock", c_int),
        ("time_span", c_double),
        ("tells_state", c_int),
        ("mark", c_char_p),
        ("filler", c_double),
        ("counts_rows", c_int),
        ("may_count_rows", c_int),
    ]


class FeatureInfo(ctypes.Structure):
    """frocc_feature_info."""

    _fields_ = [("struct_size", c_size_t), ("column", c_size_t), ("kind", c_int)]


def without_nul(text: bytes) -> bytes:
    """A text for C, where it ends at the first NUL byte."""
    if b"\0" in text:
        raise ValueError(f"{text!r} has a NUL byte; leave it out")
    return text


# ---- Functions ---------------------------------------------------------------------------------

#: name: (result, arguments), for what the package uses.
FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "frocc_last_error": (c_char_p, ()),
    "frocc_last_error_place": (None, (POINTER(ErrorPlace),)),
    "frocc_set_cancel": (None, (Handle, Handle)),
    "frocc_version": (c_char_p, ()),
    "frocc_cpu_level": (c_char_p, ()),
    "frocc_params_init": (None, (POINTER(Params),)),
    "frocc_params_init_paper": (None, (POINTER(Params),)),
    "frocc_params_check": (Status, (POINTER(Params), c_size_t)),
    "frocc_params_learn": (c_int, (POINTER(Params),)),
    "frocc_sample_new": (Status, (POINTER(Params), c_size_t, Out)),
    "frocc_sample_add": (Status, (Handle, POINTER(Rows))),
    "frocc_sample_merge": (Status, (Handle, Handle)),
    "frocc_sample_size": (Status, (Handle, POINTER(c_size_t))),
    "frocc_sample_features": (c_size_t, (Handle,)),
    "frocc_sample_schema": (Handle, (Handle,)),
    "frocc_sample_to_bytes": (Status, (Handle, Out, POINTER(c_size_t))),
    "frocc_sample_from_bytes": (Status, (c_char_p, c_size_t, Out)),
    "frocc_sample_free": (None, (Handle,)),
    "frocc_frame_new": (Status, (POINTER(Params), c_size_t, Handle, Out)),
    "frocc_frame_free": (None, (Handle,)),
    "frocc_frame_features": (c_size_t, (Handle,)),
    "frocc_frame_directions": (c_size_t, (Handle,)),
    "frocc_frame_copy_directions": (Status, (Handle, c_size_t, c_size_t, Array)),
    "frocc_frame_copy_scaling": (None, (Handle, Array, Array)),
    "frocc_frame_schema": (Handle, (Handle,)),
    "frocc_frame_project": (Status, (Handle, POINTER(Rows), Array)),
    "frocc_fitter_new": (Status, (Handle, POINTER(Params), Out)),
    "frocc_fitter_add": (Status, (Handle, POINTER(Rows))),
    "frocc_fitter_merge": (Status, (Handle, Handle)),
    "frocc_fitter_finish": (Status, (Handle, Out)),
    "frocc_fitter_rows": (c_uint64, (Handle,)),
    "frocc_fitter_frame": (Handle, (Handle,)),
    "frocc_fitter_to_bytes": (Status, (Handle, Out, POINTER(c_size_t))),
    "frocc_fitter_from_bytes": (Status, (c_char_p, c_size_t, Handle, c_int, Out)),
    "frocc_fitter_free": (None, (Handle,)),
    "frocc_model_free": (None, (Handle,)),
    "frocc_model_save": (Status, (Handle, c_char_p)),
    "frocc_model_load": (Status, (c_char_p, Handle, Out)),
    "frocc_model_to_bytes": (Status, (Handle, Out, POINTER(c_size_t))),
    "frocc_model_from_bytes": (Status, (c_char_p, c_size_t, Handle, Out)),
    "frocc_bytes_free": (None, (Handle,)),
    "frocc_model_merge": (Status, (POINTER(Handle), c_size_t, Out)),
    "frocc_model_coarsen": (Status, (Handle, c_float, Out)),
    "frocc_model_truncate": (Status, (Handle, c_size_t, Out)),
    "frocc_model_seal": (Status, (Handle, Out)),
    "frocc_model_decontaminate": (Status, (Handle, c_double, Out)),
    "frocc_model_describe": (Status, (Handle, POINTER(Info))),
    "frocc_model_p_values": (Status, (Handle, Array, c_size_t, Array)),
    "frocc_model_threshold": (Status, (Handle, c_double, POINTER(c_double))),
    "frocc_model_explain": (Status, (Handle, POINTER(Rows), Array, Array)),
    "frocc_model_frame": (Handle, (Handle,)),
    "frocc_model_schema": (Handle, (Handle,)),
    "frocc_schema_from_bytes": (Status, (c_char_p, c_size_t, Out)),
    "frocc_schema_to_bytes": (Status, (Handle, Out, POINTER(c_size_t))),
    "frocc_schema_free": (None, (Handle,)),
    "frocc_schema_join": (Status, (POINTER(Handle), c_size_t, Out)),
    "frocc_schema_settled": (Status, (Handle, Out)),
    "frocc_schema_columns": (c_size_t, (Handle,)),
    "frocc_schema_features": (c_size_t, (Handle,)),
    "frocc_schema_missing": (c_int, (Handle,)),
    "frocc_schema_column": (Status, (Handle, c_size_t, POINTER(ColumnInfo))),
    "frocc_schema_feature": (Status, (Handle, c_size_t, POINTER(FeatureInfo))),
    "frocc_schema_feature_name": (
        Status,
        (Handle, c_size_t, c_char_p, c_size_t, POINTER(c_size_t)),
    ),
    "frocc_reader_options_init": (None, (POINTER(ReaderOptions),)),
    "frocc_reader_open_table": (Status, (POINTER(Table), POINTER(ReaderOptions), Handle, Out)),
    "frocc_reader_free": (None, (Handle,)),
    "frocc_reader_next": (Status, (Handle, POINTER(Block))),
    "frocc_reader_schema": (Handle, (Handle,)),
    "frocc_model_count_intervals": (c_uint64, (Handle,)),
    "frocc_model_count_news": (Status, (Handle, POINTER(Rows), POINTER(c_uint64))),
    "frocc_model_intervals": (Status, (Handle, c_size_t, Array, Array, c_size_t, POINTER(c_size_t))),
    "frocc_scorer_new": (Status, (Handle, c_int, Out)),
    "frocc_scorer_free": (None, (Handle,)),
    "frocc_scorer_score": (Status, (Handle, POINTER(Rows), Array)),
    "frocc_scorer_meet": (Status, (Handle, POINTER(Rows), POINTER(ctypes.c_double))),
    "frocc_scorer_score_left_out": (Status, (Handle, POINTER(Rows), Array)),
    "frocc_scorer_count": (Status, (Handle, POINTER(Rows), Array)),
    "frocc_scorer_decide": (Status, (Handle, POINTER(Rows), c_double, Array)),
    "frocc_scorer_distances": (Status, (Handle, POINTER(Rows), Array)),
    "frocc_scorer_grid": (
        Status,
        (Handle, POINTER(Rows), Array, c_size_t, Array, c_size_t, Array),
    ),
}


def _find() -> str:
    """The library that was built with this package, unless FROCC_LIBRARY names another."""
    named = os.environ.get("FROCC_LIBRARY")
    if named:
        return named
    package = __import__(__package__)
    names = ("libfrocc.so", "libfrocc.dylib")
    # An editable installation has the library in another folder than this file.
    places = [Path(folder) / "native" / name for folder in package.__path__ for name in names]
    for place in places:
        if place.exists():
            return str(place)
    raise ImportError(
        f"frocc is not built: there is no {names[0]} in {places[0].parent}; install the package "
        "with pip, or let FROCC_LIBRARY name the library"
    )


def _load() -> ctypes.CDLL:
    # CDLL, not PyDLL: the GIL is released while the library works.
    library = ctypes.CDLL(_find())
    for name, (result, arguments) in FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{library._name} lacks {name}: it is of another version") from None
        function.restype = result
        function.argtypes = arguments
    params = Params()
    library.frocc_params_init(params)
    if params.struct_size != Params.room.offset:
        raise ImportError(f"{library._name} is of another version than the package frocc")
    return library


lib = _load()
version: str = lib.frocc_version().decode()


def cpu_level() -> str:
    """The kernel level in use: ``"ref"``, ``"avx2"``, ``"avx512"`` or ``"neon"``.

    It changes the speed, never a bit of a result; the environment variable ``FROCC_CPU`` forces
    one.

    Examples
    --------
    >>> import frocc
    >>> frocc.cpu_level() in ("ref", "avx2", "avx512", "neon")
    True
    """
    return str(lib.frocc_cpu_level().decode())


# ---- Errors ------------------------------------------------------------------------------------


class DataError(ValueError):
    """A value in the rows cannot be used: NaN, infinite, or too large; or a row that is to be left
    out was not learnt.

    Attributes
    ----------
    row, column : int or None
        Where it is, counted from 0; None where that is not known.
    """

    row: int | None = None
    column: int | None = None


class CalibrationWarning(UserWarning):
    """There are too few training rows for the rate of false alarms that was asked for."""


class LearntRowsWarning(UserWarning):
    """The rows that are judged are those that were learnt, which nearly all look normal."""


class ModelFileError(ValueError):
    """A model file, or the bytes of a model or of a part of a fit, is damaged, of another kind, or
    of an unknown version."""


#: frocc_status: the exception it becomes.
EXCEPTIONS: dict[int, type[Exception]] = {
    1: ValueError,  # ARGUMENT
    2: MemoryError,
    3: DataError,
    4: ValueError,  # SHAPE
    5: ValueError,  # EMPTY
    6: ValueError,  # FRAME
    7: ModelFileError,  # FORMAT
    8: ModelFileError,  # VERSION
    9: OSError,
    10: RuntimeError,  # CALLBACK
    11: NotImplementedError,  # UNSUPPORTED
    12: RuntimeError,  # CANCELLED
}

#: What the library calls by the names of its structures, as patterns, in the words of Python.
_WORDS = (
    (r"\bn_directions\b", "directions"),
    (r"\bn_trees\b", "trees"),
    (r"\bthreads\b", "n_jobs"),
    (r"\bcalibration_rows\b", "calibration"),
    (r"\bmissing = keep, mean or drop", "missing='keep', 'mean' or 'drop'"),
    (r"\bmissing = (keep|mean|drop)\b", r"missing='\1'"),
    (r"if it means missing, name it in na, or use missing = keep; if the column is of texts, name it "
     r"in categorical, or leave it out by drop",
     "use missing='keep' if it means missing, or fit with texts in the column"),
    (r"name columns in categorical", "give more columns"),
    (r"name the column in categorical, or in drop", "leave the column out"),
    (r"name it in drop(,? or as id)?\b", "leave it out"),
    (r"\bfrocc_scorer_score\b", "score_samples"),
)  # fmt: skip


def in_words(sentence: str) -> str:
    """What the library says, with hints that its users here can follow."""
    for theirs, ours in _WORDS:
        sentence = re.sub(theirs, ours, sentence, flags=re.DOTALL)
    return sentence


def check(status: int, rows: Any = None) -> None:
    """Raises what a failed call means; rows is the view of rows that it was given, if any."""
    if status:
        place = ErrorPlace(struct_size=ctypes.sizeof(ErrorPlace))
        lib.frocc_last_error_place(place)
        sentence = lib.frocc_last_error().decode("utf-8", "replace")
        what = place.what.decode("utf-8", "replace")
        where = sentence.removesuffix(what)  # may hold a file's name, whose words stay
        error = EXCEPTIONS.get(status, RuntimeError)(where + in_words(what))
        if isinstance(error, DataError):
            error.column = place.column if place.column >= 0 else None
            if place.row >= 0 and place.file is None:
                error.row = place.row if rows is None else rows.row_number(place.row)
        raise error


def new(function: Any, *arguments: Any) -> int:
    """Calls a function that makes an object, and returns the handle."""
    handle = Handle()
    check(function(*arguments, ctypes.byref(handle)))
    assert handle.value is not None
    return handle.value


def pointer(array: Any) -> int:
    """The address of a numpy array's first element."""
    try:
        return addressof(c_char.from_buffer(array))  # a third of the time that numpy takes
    except (BufferError, TypeError, ValueError):  # read-only, with gaps, or empty
        address: int = array.ctypes.data
        return address


# ---- Signals -----------------------------------------------------------------------------------

_Result = TypeVar("_Result")

#: Fewer values take milliseconds, for which a thread is not worth it.
_FEW_VALUES = 200_000


def _in_thread(call: Callable[[], _Result], stop: c_int) -> _Result:
    outcome: list[Any] = [None, None]
    done = threading.Lock()

    def run() -> None:
        lib.frocc_set_cancel(None, addressof(stop))
        try:
            outcome[0] = call()
        except BaseException as failure:
            outcome[1] = failure
        finally:
            done.release()

    done.acquire()
    thread = threading.Thread(target=run, name="frocc")
    try:
        thread.start()
        # Signals are handled here, and what their handlers raise; the system may give them to another
        # thread, which does not wake this one.
        while not done.acquire(timeout=0.05):
            pass
    except BaseException:
        stop.value = 1
        if thread.ident is not None:
            thread.join()
        raise
    if outcome[1] is not None:
        raise outcome[1]
    result: _Result = outcome[0]
    return result


def interruptible(n_values: int, call: Callable[[], _Result]) -> _Result:
    """Makes a call of the library that may be long, and that a signal can end.

    Python handles signals in its main thread, and not before the library returns. So the library
    works in another thread while the main one waits: what a handler raises, as Ctrl-C does, cancels
    the call and goes on from here.
    """
    if n_values < _FEW_VALUES or threading.current_thread() is not threading.main_thread():
        return call()
    return _in_thread(call, c_int(0))


# ---- Threads -----------------------------------------------------------------------------------


def threads_for(n_jobs: int | None) -> int:
    """The number of threads that scikit-learn's n_jobs stands for."""
    if n_jobs == 1:
        return 1
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))
