# SPDX-License-Identifier: BSD-3-Clause
"""A progress bar for work that takes long enough to want one."""

from __future__ import annotations

from typing import Any

#: Seconds of work before a bar appears.
_DELAY = 2.0


class _Silent:
    """What is used where tqdm is not installed."""

    def update(self, n: int = 1) -> None:
        pass

    def close(self) -> None:
        pass


def bar(total: int | None, what: str) -> Any:
    """A bar of rows: on a terminal or in a notebook only, and only for long work."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Silent()
    return tqdm(
        total=total, desc=what, unit="rows", unit_scale=True, delay=_DELAY, leave=False, disable=None
    )
