# SPDX-License-Identifier: BSD-3-Clause
"""The tables in _library.py against the header, and loading."""

import ctypes
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

import frocc
from frocc import _library, _params

HEADER = "".join((ROOT / "include" / name).read_text() for name in ("frocc.h", "frocc_io.h"))
CODE = re.sub(r"/\*.*?\*/", " ", HEADER, flags=re.S)


def enum(name):
    body = re.search(rf"typedef enum {name} {{(.*?)}}", CODE, re.S).group(1)
    return {key: int(value) for key, value in re.findall(r"(\w+) = (\d+)", body)}


@pytest.mark.parametrize(
    "name, table, prefix",
    [
        ("frocc_kernel", {**_library.KERNELS, "custom": _library.CUSTOM_KERNEL}, "FROCC_KERNEL_"),
        ("frocc_scaling", _library.SCALINGS, "FROCC_SCALING_"),
        ("frocc_family", _library.FAMILIES, "FROCC_FAMILY_"),
        ("frocc_score", _library.SCORES, "FROCC_SCORE_"),
        ("frocc_dtype", {"f32": _library.F32, "f64": _library.F64}, "FROCC_"),
    ],
)
def test_names_are_the_headers(name, table, prefix):
    assert {prefix + key.upper(): value for key, value in table.items()} == enum(name)


def test_closeness_has_the_headers_largest_epsilon():
    (text,) = re.findall(r"FROCC_CLOSENESS_MAX_EPSILON (\S+)f\n", HEADER)
    assert float(text) == _library.CLOSENESS_MAX_EPSILON


def test_every_status_has_an_exception():
    assert sorted(_library.EXCEPTIONS) == sorted(enum("frocc_status").values())[1:]


@pytest.mark.parametrize(
    "name, struct",
    [("frocc_rows", _library.Rows), ("frocc_params", _library.Params),
     ("frocc_model_info", _library.Info), ("frocc_error_place", _library.ErrorPlace),
     ("frocc_reader_options", _library.ReaderOptions), ("frocc_field", _library.Field),
     ("frocc_cells", _library.Cells), ("frocc_table", _library.Table),
     ("frocc_block", _library.Block), ("frocc_column_info", _library.ColumnInfo)],
)  # fmt: skip
def test_structs_are_the_headers(name, struct):
    body = re.search(rf"typedef struct {name} {{(.*?)}} {name};", CODE, re.S).group(1)
    body = re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", body)  # a callback is its name
    fields = [name for line in body.split(";") if line.strip()
              for name in re.findall(r"(\w+)(?=,|$)", line.strip())]  # fmt: skip
    assert [field for field, _ in struct._fields_ if field != "room"] == fields


def test_struct_sizes_are_the_librarys():
    params = _library.Params()
    _library.lib.frocc_params_init(params)
    assert params.struct_size == _library.Params.room.offset
    options = _library.ReaderOptions()
    _library.lib.frocc_reader_options_init(options)
    assert options.struct_size == _library.ReaderOptions.room.offset


def test_signatures_have_the_headers_number_of_arguments():
    for name, (_, arguments) in _library.FUNCTIONS.items():
        declared = re.search(rf"\b{name}\(([^;]*)\);", CODE)
        assert declared, f"{name} is not in the header"
        listed = declared.group(1).strip()
        assert len(arguments) == (0 if listed == "void" else listed.count(",") + 1), name


@pytest.mark.parametrize("make, init", [
    (frocc.FROCC, "frocc_params_init"), (frocc.FROCC.paper, "frocc_params_init_paper"),
])  # fmt: skip
def test_defaults_are_the_librarys(make, init):
    expected = _library.Params()
    getattr(_library.lib, init)(expected)
    params = _params.to_native(make(), 5, make().random_state)
    for name, *_ in _library.Params._fields_:
        if name not in ("room", "threads"):
            assert getattr(params, name) == getattr(expected, name), name


def test_version_is_the_headers():
    parts = [re.search(rf"FROCC_VERSION_{part} (\d+)", HEADER).group(1)
             for part in ("MAJOR", "MINOR", "PATCH")]  # fmt: skip
    assert frocc.__version__ == ".".join(parts)


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment}, capture_output=True, text=True,
    )  # fmt: skip


BYTES = """
import frocc, hashlib, numpy as np
X = np.random.default_rng(0).normal(size=(300, 7))
model = frocc.FROCC(directions=60, kernel="rbf").fit(X)
print(frocc.cpu_level(), hashlib.sha256(model.to_bytes()).hexdigest(),
      hashlib.sha256(model.score_samples(2 * X).tobytes()).hexdigest())
"""


def test_works_without_vector_instructions():
    level, *reference = run(BYTES, FROCC_CPU="ref").stdout.split()
    assert level == "ref"
    assert run(BYTES).stdout.split()[1:] == reference


def test_a_missing_library_is_an_import_error(tmp_path):
    missing = str(tmp_path / "missing" / "libfrocc.so")
    result = run("import frocc", FROCC_LIBRARY=missing)
    assert result.returncode != 0
    assert missing in result.stderr


def test_a_library_of_another_version_is_an_import_error(tmp_path):
    (tmp_path / "other.c").write_text("int frocc_last_error;\n")
    if subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "other.so",
                       tmp_path / "other.c"]).returncode:  # fmt: skip
        pytest.skip("no C compiler")
    result = run("import frocc", FROCC_LIBRARY=str(tmp_path / "other.so"))
    assert "ImportError" in result.stderr and "another version" in result.stderr


def test_the_gil_is_released():
    assert isinstance(_library.lib, ctypes.CDLL) and not isinstance(_library.lib, ctypes.PyDLL)
