# SPDX-License-Identifier: BSD-3-Clause
"""From an estimator's parameters to frocc_params, and back from a model to parameters.

Types are checked here, ranges by the library's own checker.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from . import _library
from ._library import (
    FAMILIES,
    KERNELS,
    SCALINGS,
    SCORES,
    Params,
    check,
    lib,
    pointer,
)

if TYPE_CHECKING:
    from ._native import Model

#: The rate of false alarms where nothing is said; any other one has been asked for.
USUAL_FPR = 0.01


class ParameterError(ValueError, TypeError):
    """A parameter is of a wrong type or value; both kinds of error, as in scikit-learn."""


def refuse(name: str, value: Any, wanted: str) -> ParameterError:
    """The error for a parameter, in scikit-learn's words."""
    return ParameterError(
        f"The {name!r} parameter of FROCC must be {wanted}. Got {value!r} instead."
    )


# ---- One parameter -----------------------------------------------------------------------------


def _whole(name: str, value: Any, least: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise refuse(name, value, f"an int of at least {least}")
    return int(value)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise refuse(name, value, "a float")
    return float(value)


def _choice(name: str, value: Any, choices: Any, other: str = "") -> str:
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices if choice != "given")
        raise refuse(name, value, f"one of {listed}{other}")
    return value


def _given(name: str, value: Any, dtype: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    try:
        array = np.ascontiguousarray(value, dtype)
    except (TypeError, ValueError):
        raise refuse(name, value, "a name or an array of numbers") from None
    if array.ndim != len(shape) or any(
        want is not None and have != want for have, want in zip(array.shape, shape)
    ):
        wanted = " x ".join("m" if want is None else str(want) for want in shape)
        raise ValueError(f"{name} has shape {array.shape}; this data needs {wanted}")
    return array


def seed_of(random_state: Any) -> int:
    """The library's seed: an int is taken as it is, so that the command gives the same model."""
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        seed = int(random_state)
        if not 0 <= seed < 1 << 64:
            raise refuse("random_state", random_state, "an int from 0 to 2**64 - 1")
        return seed
    try:
        return int(check_random_state(random_state).randint(0, 1 << 62, dtype=np.int64))
    except ValueError:
        raise refuse(
            "random_state", random_state, "an int, a RandomState instance or None"
        ) from None


def missing(value: Any) -> str:
    """What becomes of missing cells."""
    return _choice("missing", value, _library.MISSING)


def reading(estimator: Any) -> tuple[str, int, list[bytes]]:
    """How tables are learnt: missing cells, parts of times, texts that stand for missing cells."""
    parts, na = estimator.time_parts, estimator.na_values
    names = [] if parts == "auto" else [parts] if isinstance(parts, str) else list(parts)
    if not set(names) <= set(TIME_PARTS):
        raise refuse("time_parts", parts, f"'auto', or some of {', '.join(map(repr, TIME_PARTS))}")
    if isinstance(na, str) or not all(isinstance(text, str) and "\0" not in text for text in na):
        raise refuse("na_values", na, "a list of texts")
    total = sum(TIME_PARTS[name] for name in set(names))
    return missing(estimator.missing), total, [text.encode() for text in na]


#: frocc_time_part.
TIME_PARTS = {"hour": 1, "weekday": 2, "absolute": 4, "difference": 8}


def share(name: str, value: Any) -> float:
    """A share of the training rows."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 <= float(value) <= 0.5:
        raise refuse(
            name,
            value,
            "a float in the range [0.0, 0.5], the share of the training rows that may be "
            "anomalies; the rate of false alarms is 'fpr'",
        )
    return float(value)


def _rate(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 <= float(value) < 1.0:
        raise refuse(name, value, "a float in the range [0.0, 1.0)")
    return float(value)


def _set_decision(params: Params, estimator: Any) -> None:
    """The threshold, or the rate of false alarms that the library calibrates one for."""
    e = estimator
    params.calibration_rows = (
        _library.CALIBRATION_AUTO
        if isinstance(e.calibration, str) and e.calibration == "auto"
        else _whole("calibration", e.calibration)
    )
    params.contamination = share("contamination", e.contamination)
    params.n_trees = _whole("trees", e.trees)
    params.fpr = _rate("fpr", e.fpr)
    is_asked = params.fpr not in (0.0, USUAL_FPR)
    params.threshold = 1.0 if e.threshold is None else _number("threshold", e.threshold)
    if params.score == SCORES["agreement"]:
        _leave_plain(params, e, is_asked)
    if e.threshold is not None and is_asked:
        raise refuse("fpr", e.fpr, "left out where there is a threshold: both decide")
    if e.threshold is not None or (params.calibration_rows == 0 and not is_asked):
        params.fpr = 0.0


def _leave_plain(params: Params, estimator: Any, is_asked: bool) -> None:
    """Agreement is decided by a threshold, and has no trees; whoever asks for a rate, or says that
    there are anomalies, has asked for something else."""
    other = "where score_method is 'agreement'"
    if is_asked:
        raise refuse(
            "fpr",
            estimator.fpr,
            f"left out {other}, which is not calibrated: give a threshold, or take "
            "score_method='closeness'",
        )
    if params.contamination > 0.0:
        raise refuse("contamination", estimator.contamination, f"0 {other}")
    params.calibration_rows, params.fpr, params.n_trees = 0, 0.0, 0


# ---- All of them -------------------------------------------------------------------------------


def to_native(estimator: Any, n_features: int, seed: int) -> Params:
    """The estimator's parameters for rows of n_features columns, checked."""
    e = estimator
    params = Params()
    lib.frocc_params_init_paper(params)
    params.seed = seed
    params.n_directions = _whole("directions", e.directions)
    params.epsilon = _number("epsilon", e.epsilon)
    params.score = SCORES[_choice("score_method", e.score_method, SCORES)]
    _set_decision(params, e)
    params.kernel = KERNELS[_choice("kernel", e.kernel, KERNELS)]
    auto = isinstance(e.gamma, str) and e.gamma == "auto"
    params.gamma = 0.0 if auto else _number("gamma", e.gamma)
    params.coef0 = _number("coef0", e.coef0)
    params.degree = _whole("degree", e.degree)
    params.threads = _library.threads_for(e.n_jobs)
    params.arrays = [*_set_scaling(params, e, n_features), *_set_family(params, e, n_features)]
    check(lib.frocc_params_check(params, n_features))
    return params


def _set_scaling(params: Params, estimator: Any, n_features: int) -> list[np.ndarray]:
    """Returns the arrays that the parameters point to."""
    scaling = estimator.scaling
    if isinstance(scaling, str):
        names = [name for name in SCALINGS if name != "given"]
        params.scaling = SCALINGS[_choice("scaling", scaling, names, " or a pair (shift, scale)")]
        return []
    if not isinstance(scaling, (tuple, list)) or len(scaling) != 2:
        raise refuse("scaling", scaling, "a name or a pair (shift, scale)")
    shift, scale = (_given("scaling", part, np.float64, (n_features,)) for part in scaling)
    params.scaling = SCALINGS["given"]
    params.shift, params.scale = pointer(shift), pointer(scale)
    return [shift, scale]


def _set_family(params: Params, estimator: Any, n_features: int) -> list[np.ndarray]:
    family = estimator.family
    if isinstance(family, str):
        names = [name for name in FAMILIES if name != "given"]
        params.family = FAMILIES[_choice("family", family, names, " or an array of directions")]
        if estimator.density is not None:
            params.density = _number("density", estimator.density)
        return []
    directions = _given("family", family, np.float32, (None, n_features))
    params.family = FAMILIES["given"]
    params.n_directions = len(directions)
    params.directions = pointer(directions)
    return [directions]


def needs_sample(params: Params) -> bool:
    """Whether something is learnt from a sample, so that the rows are read twice."""
    return bool(_library.lib.frocc_params_learn(params))


def _name_of(number: int, names: dict[str, int]) -> str:
    for name, value in names.items():
        if value == number:
            return name
    raise NotImplementedError("this model has a kernel of the caller's own; Python has none")


def paper(changed: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the paper's method, as the library has them, with some changed."""
    params = Params()
    lib.frocc_params_init_paper(params)
    found = {**_named(params), **changed}
    if changed.get("fpr") and "threshold" not in changed:
        found["threshold"] = None  # a rate decides in its place
    return found


def from_model(model: Model) -> dict[str, Any]:
    """The parameters of an estimator that would have given this model."""
    info = model.info
    found = _named(info)
    # A model says how many calibration rows it has, not how many it might have had.
    if info.score == SCORES["closeness"] and not info.fpr > 0.0:
        found["calibration"] = info.calibration_rows
    if found["scaling"] == "given":
        found["scaling"] = model.frame.scaling()
    if found["family"] == "given":
        found["family"] = model.frame.directions()
    return found


def _named(native: Any) -> dict[str, Any]:
    """The estimator's parameters, from the fields that frocc_params and frocc_model_info share."""
    found = {
        "directions": native.n_directions,
        "epsilon": float(str(np.float32(native.epsilon))),  # 0.1, not 0.10000000149
        "kernel": _name_of(native.kernel, KERNELS),
        "scaling": _name_of(native.scaling, SCALINGS),
        "family": _name_of(native.family, FAMILIES),
        "score_method": _name_of(native.score, SCORES),
        "threshold": None if native.fpr > 0.0 else native.threshold,
        "fpr": native.fpr,
        "contamination": native.contamination,
        "trees": native.n_trees,
        "random_state": native.seed,
    }
    # What the kernel does not use is 0 in a model.
    used = {
        "gamma": native.gamma,
        "degree": native.degree,
        "coef0": native.coef0,
        "density": native.density,
    }
    return {**found, **{name: value for name, value in used.items() if value != 0}}
