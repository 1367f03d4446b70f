# SPDX-License-Identifier: BSD-3-Clause
"""Hints in the library's messages, in words of Python."""

import re

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from frocc import FROCC
from frocc._library import in_words

#: What only files have, which the command reads; and what is C's own.
OF_FILES = ("read_libsvm", "read_raw", "read_npz", "read_npy", "read_csv", "read_json",
            "read_options")  # fmt: skip
#: An option of the library's with a value, or a column to be named in one.
HINT = re.compile(
    r"\b(missing|drop|id) = |in categorical|named? (it )?in drop|calibration_rows|n_trees"
)


def messages():
    """The texts of the library, pieces that belong together joined."""
    for path in sorted((ROOT / "src").rglob("*.c")):
        source = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
        for found in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', source):
            text = re.sub(r'"\s*"', "", found[0])[1:-1]
            if " " in text:
                yield path.name, text


def test_the_library_names_no_flags_of_the_command():
    flags = [(name, text) for name, text in messages() if re.search(r"(^|[ (])--[a-z]", text)]
    assert flags == []


def test_python_has_words_for_every_hint():
    hints = [text for name, text in messages() if HINT.search(text) and not name.startswith(OF_FILES)]
    assert len(hints) >= 8
    untold = [text for text in hints if HINT.search(in_words(text))]
    assert untold == []


def test_hints_as_they_are_read():
    names = pd.DataFrame({"name": [f"n{i}" for i in range(1500)]})
    with pytest.raises(ValueError, match="name rows.*give more columns, or parts of times in time_parts$"):
        FROCC().fit(names)
    some = pd.DataFrame({"a": np.random.default_rng(0).normal(size=300), "kind": ["x", "y", "z"] * 100})
    model = FROCC(directions=8).fit(some)
    holes = some.assign(a=np.nan)
    with pytest.raises(ValueError, match="leave such rows out, or fit with missing='keep' or 'mean'"):
        model.predict(holes)
