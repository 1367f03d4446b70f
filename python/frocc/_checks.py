# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's checks of what it is given, by the names they have had since 1.6."""

from __future__ import annotations

from typing import Any

try:
    from sklearn.utils.validation import check_array, validate_data
except ImportError:  # Debian 12 and 13 have 1.2 and 1.4
    from sklearn.utils.validation import check_array as _check_array

    def _old(taken: dict[str, Any]) -> dict[str, Any]:
        finite = taken.pop("ensure_all_finite", True)
        return {**taken, "force_all_finite": finite}

    def check_array(X: Any, **taken: Any) -> Any:
        return _check_array(X, **_old(taken))

    def validate_data(estimator: Any, X: Any, *, reset: bool, **taken: Any) -> Any:
        return estimator._validate_data(X, reset=reset, **_old(taken))


__all__ = ["check_array", "validate_data"]
