# SPDX-License-Identifier: BSD-3-Clause
"""As much of libfrocc as measuring needs, through ctypes: fit, score, p-values, sizes."""

from __future__ import annotations

import ctypes
import hashlib
from ctypes import POINTER, byref, c_double, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np

AGREEMENT, CLOSENESS = 0, 1
SCALING_STANDARD = 1


class Params(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("seed", c_uint64),
        ("n_directions", c_size_t),
        ("epsilon", c_float),
        ("score", c_int),
        ("threshold", c_double),
        ("calibration_rows", c_size_t),
        ("fpr", c_double),
        ("kernel", c_int),
        ("gamma", c_double),
        ("coef0", c_double),
        ("degree", c_int),
        ("kernel_fn", c_void_p),
        ("kernel_context", c_void_p),
        ("kernel_name", c_void_p),
        ("scaling", c_int),
        ("shift", c_void_p),
        ("scale", c_void_p),
        ("sample_rows", c_size_t),
        ("family", c_int),
        ("directions", c_void_p),
        ("schema", c_void_p),
        ("threads", c_int),
    ]


class Info(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("n_features", c_size_t),
        ("n_directions", c_size_t),
        ("seed", c_uint64),
        ("epsilon", c_float),
        ("score", c_int),
        ("threshold", c_double),
        ("fpr", c_double),
        ("calibration_rows", c_uint64),
        ("kernel", c_int),
        ("gamma", c_double),
        ("coef0", c_double),
        ("degree", c_int),
        ("scaling", c_int),
        ("family", c_int),
        ("beta", c_uint),
        ("n_rows", c_uint64),
        ("n_intervals", c_uint64),
        ("model_size", c_uint64),
        ("file_size", c_uint64),
        ("frame_checksum", c_uint64),
        ("sketch_checksum", c_uint64),
    ]


class Rows(ctypes.Structure):
    _fields_ = [
        ("n_rows", c_size_t),
        ("n_features", c_size_t),
        ("dtype", c_int),
        ("values", c_void_p),
        ("row_stride", c_size_t),
        ("row_start", c_void_p),
        ("columns", c_void_p),
    ]


_lib: Any = None
_sum = ""  # of the library's file, so that a result can be told from another build's


def load(build: Path) -> None:
    global _lib, _sum
    _lib = ctypes.CDLL(str(build / "libfrocc.so"))
    _sum = hashlib.sha256((build / "libfrocc.so").read_bytes()).hexdigest()[:12]
    for name in ("frocc_last_error", "frocc_version", "frocc_cpu_level"):
        getattr(_lib, name).restype = ctypes.c_char_p
    _lib.frocc_rows_f64.restype = Rows
    _lib.frocc_rows_f64.argtypes = [c_void_p, c_size_t, c_size_t]
    _lib.frocc_model_p_values.argtypes = [c_void_p, c_void_p, c_size_t, c_void_p]
    _lib.frocc_scorer_new.argtypes = [c_void_p, c_int, POINTER(c_void_p)]
    for name in ("frocc_model_free", "frocc_scorer_free"):
        getattr(_lib, name).argtypes = [c_void_p]
        getattr(_lib, name).restype = None


def checksum() -> str:
    return _sum


def version() -> str:
    return f"{_lib.frocc_version().decode()} ({_lib.frocc_cpu_level().decode()})"


def _check(status: int) -> None:
    if status:
        raise RuntimeError(_lib.frocc_last_error().decode())


def _rows(X: np.ndarray) -> Rows:
    return _lib.frocc_rows_f64(X.ctypes.data, *X.shape)


class Model:
    """A fitted model and its scorer, on one thread."""

    def __init__(self, X: np.ndarray, paper: bool, **changes: Any) -> None:
        X = np.ascontiguousarray(X, np.float64)
        params, self._model, self._scorer = Params(), c_void_p(), c_void_p()
        init = _lib.frocc_params_init if paper else _lib.frocc_params_init_label_free
        init(byref(params))
        params.threads = 1
        for name, value in changes.items():
            setattr(params, name, value)
        rows = _rows(X)
        _check(_lib.frocc_fit(byref(params), byref(rows), byref(self._model)))
        _check(_lib.frocc_scorer_new(self._model, 1, byref(self._scorer)))
        self.info = Info(struct_size=ctypes.sizeof(Info))
        _check(_lib.frocc_model_describe(self._model, byref(self.info)))

    def score(self, X: np.ndarray) -> np.ndarray:
        X = np.ascontiguousarray(X, np.float64)
        out, rows = np.empty(len(X)), _rows(X)
        _check(_lib.frocc_scorer_score(self._scorer, byref(rows), c_void_p(out.ctypes.data)))
        return out

    def p_values(self, scores: np.ndarray) -> np.ndarray:
        scores = np.ascontiguousarray(scores, np.float64)
        out = np.empty(len(scores))
        _check(_lib.frocc_model_p_values(self._model, scores.ctypes.data, len(scores), out.ctypes.data))
        return out

    def __del__(self) -> None:
        _lib.frocc_scorer_free(self._scorer)
        _lib.frocc_model_free(self._model)
