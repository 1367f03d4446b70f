# SPDX-License-Identifier: BSD-3-Clause
"""Fast random projection-based one-class classification.

Learn what normal rows look like, then say how normal new rows are:

>>> import numpy as np
>>> from frocc import FROCC
>>> normal = np.random.default_rng(0).normal(size=(1000, 5))
>>> detector = FROCC(fpr=0.01).fit(normal)
>>> detector.predict([[9.0] * 5])
array([-1])

`frocc.stream` reads what does not fit in memory, `frocc.parts` fits on several machines,
`frocc.plot` draws, `frocc.pyod` has the detector for PyOD.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._library import (
    CalibrationWarning,
    DataError,
    LearntRowsWarning,
    ModelFileError,
    cpu_level,
)
from ._library import version as __version__

if TYPE_CHECKING:
    from . import parts, stream
    from ._explain import Explanation
    from .estimator import FROCC

__all__ = [
    "CalibrationWarning",
    "DataError",
    "Explanation",
    "FROCC",
    "LearntRowsWarning",
    "ModelFileError",
    "__version__",
    "cpu_level",
    "parts",
    "stream",
]

#: What is imported when it is asked for: the command needs no scikit-learn.
_LATER = {"Explanation": "_explain", "FROCC": "estimator", "parts": "parts", "stream": "stream"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{_LATER[name]}", __name__)
    found = module if name == _LATER[name] else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
