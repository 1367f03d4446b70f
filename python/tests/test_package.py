# SPDX-License-Identifier: BSD-3-Clause
"""The wheel, the sdist, the types, and the examples in the documentation."""

import doctest
import importlib
import os
import pkgutil
import runpy
import shutil
import subprocess
import sys
import tarfile
import zipfile

import matplotlib.pyplot as plt
import pytest
from conftest import ROOT

import frocc

MODULES = ["frocc"] + [f"frocc.{module.name}" for module in pkgutil.iter_modules(frocc.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    found = doctest.testmod(importlib.import_module(name))
    plt.close("all")
    assert found.failed == 0


@pytest.mark.parametrize("page, examples", [("docs/python.md", 50), ("README.md", 5)])
def test_page(page, examples):
    found = doctest.testfile(str(ROOT / page), module_relative=False)
    plt.close("all")
    assert found.failed == 0 and found.attempted >= examples


def public_names():
    for name in MODULES:
        if "._" not in name:
            module = importlib.import_module(name)
            for item in getattr(module, "__all__", []):
                yield f"{name}.{item}", getattr(module, item)


def test_everything_public_has_a_docstring():
    for name, item in public_names():
        if name.endswith("__version__"):
            continue
        assert item.__doc__, name
        for method in vars(item) if isinstance(item, type) else ():
            if not method.startswith("_") and callable(getattr(item, method)):
                assert getattr(item, method).__doc__, f"{name}.{method}"


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "python").glob("*.py")),
                         ids=lambda path: path.stem)  # fmt: skip
def test_example(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    plt.close("all")
    assert capsys.readouterr().out


def test_types():
    assert os.path.exists(os.path.join(frocc.__path__[0], "py.typed"))
    pytest.importorskip("mypy")
    result = subprocess.run([sys.executable, "-m", "mypy", "--no-incremental"], cwd=ROOT,
                            capture_output=True, text=True)  # fmt: skip
    assert result.returncode == 0, result.stdout


# ---- Wheel and sdist -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist, and the wheel that is built from the sdist."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT]
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not on the path")
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    return next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))


def test_wheel(built):
    _, wheel = built
    name, version, python, abi, platform = wheel.stem.split("-")
    assert (name, version, python, abi) == ("frocc", frocc.__version__, "py3", "none")
    assert platform != "any"
    names = zipfile.ZipFile(wheel).namelist()
    inside = [name for name in names if ".dist-info/" not in name]
    beside = {name.partition(".data/")[2] for name in inside if not name.startswith("frocc/")}
    assert beside == {"scripts/frocc", "data/share/man/man1/frocc.1",
                      "data/share/bash-completion/completions/frocc"}  # fmt: skip
    assert {name for name in inside if "libfrocc" in name} == {
        "frocc/native/libfrocc.so", "frocc/native/libfrocc_command.so"}  # fmt: skip
    assert {"frocc/__init__.py", "frocc/py.typed", "frocc/plot.py"} <= set(inside)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert any(name.endswith("sboms/frocc.cdx.json") for name in names)
    assert not any("__pycache__" in name or "test" in name for name in names)


def test_sdist(built):
    sdist, _ = built
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
        links = [member.name for member in archive.getmembers() if member.issym()]
    for needed in ("pyproject.toml", "LICENSE", "CMakeLists.txt", "include/frocc.h", "include/frocc_io.h", "src/base/base.h",
                   "cli/main.c", "python/CMakeLists.txt", "python/frocc/estimator.py", "docs/python.md"):  # fmt: skip
        assert needed in names
    for unwanted in ("build", ".git", ".venv", "tests", "debian"):
        assert not any(name.split("/")[0] == unwanted for name in names), unwanted
    assert not any(name.endswith((".so", ".pyc", ".o")) for name in names)
    assert not links


def test_wheel_is_manylinux(built):
    pytest.importorskip("auditwheel")
    _, wheel = built
    result = subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel],
                            capture_output=True, text=True)  # fmt: skip
    text = " ".join(result.stdout.split())
    assert result.returncode == 0, result.stderr
    assert "manylinux_2_" in text, text
    # Nothing but the C library, its mathematics and zlib is asked for.
    for library in ("libstdc++", "libpython", "libblas", "libgomp"):
        assert library not in text


def test_wheel_installs_and_works(built, tmp_path):
    _, wheel = built
    target = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(target)
    code = ("import frocc, numpy as np; X = np.eye(9); print(frocc.__file__, "
            "frocc.FROCC(directions=9).fit(X).predict(X).sum())")  # fmt: skip
    environment = {key: value for key, value in os.environ.items() if key != "FROCC_LIBRARY"}
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True,
                            text=True, env={**environment, "PYTHONPATH": str(target)})  # fmt: skip
    assert result.stdout.split() == [str(target / "frocc" / "__init__.py"), "9"], result.stderr
