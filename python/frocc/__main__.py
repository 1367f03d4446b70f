# SPDX-License-Identifier: BSD-3-Clause
"""The command ``frocc`` inside of Python: ``python -m frocc fit rows.parquet``.

It is the command's own code. What it gains is pyarrow, for Parquet and Arrow files.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any

from . import _arrow, _library
from ._library import CALLBACK_FAILED, Table


class _Opener:
    """Opens the files that the command cannot read by itself."""

    def __init__(self) -> None:
        self._kept: dict[int, Any] = {}  # of the open tables, by number
        self._sentence = b""
        self._open = _library.OpenTable(self._opened)
        self.native = _library.TableOpener(self._open, None)

    def _opened(self, _: Any, path: bytes, table: Any, known: Any, error: Any) -> int:
        try:
            name = os.fsdecode(path)
            known[0] = _arrow.opens(name)
            if known[0]:
                self._fill(name, table)
            return 0
        except Exception as failure:
            self._sentence = str(failure).encode("utf-8", "replace")
            error[0] = self._sentence
            return CALLBACK_FAILED

    def _fill(self, name: str, table: Any) -> None:
        source, close = _arrow.source(name)
        number = len(self._kept)

        def closed(_: Any) -> None:
            close()
            self._kept[number] = None

        native = source.native
        native.close = _library.Close(closed)
        self._kept[number] = (source, native)
        ctypes.memmove(table, ctypes.byref(native), ctypes.sizeof(Table))


def main(words: list[str]) -> int:
    """Runs the command; the first word is its name."""
    library = Path(_library.lib._name)
    # It is beside the library, or beside a link to the one that is installed.
    folders = [path.parent for path in (library, library.resolve()) if path.is_absolute()]
    names = ("libfrocc_command.so", "libfrocc_command.dylib")
    paths = [folder / name for folder in folders for name in names if (folder / name).exists()]
    if not paths:
        print(f"frocc: there is no {names[0]} in {folders[-1]}; install the package with pip", file=sys.stderr)
        return 1
    command = ctypes.CDLL(str(paths[0]))
    opener = _Opener()
    given = (ctypes.c_char_p * (len(words) + 1))(*(_library.without_nul(os.fsencode(word)) for word in words), None)
    run = command.frocc_command_main
    run.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_library.TableOpener))
    code: int = run(len(words), given, opener.native)
    return code


if __name__ == "__main__":
    sys.stdout.flush()
    sys.exit(main(["frocc", *sys.argv[1:]]))
