# SPDX-License-Identifier: BSD-3-Clause
"""The command and the package: the same models and scores, to the last bit."""

import os
import subprocess

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from frocc import FROCC

COMMAND = os.environ.get("FROCC_COMMAND", str(ROOT / "build" / "frocc"))

FLAGS = [
    (["--paper"], {}),
    (["--paper", "--directions", "64", "--epsilon", "0.02", "--seed", "7"],
     {"directions": 64, "epsilon": 0.02, "random_state": 7}),
    (["--paper", "--kernel", "rbf", "--gamma", "0.25"], {"kernel": "rbf", "gamma": 0.25}),
    (["--paper", "--kernel", "poly", "--degree", "2", "--coef0", "1"],
     {"kernel": "poly", "degree": 2, "coef0": 1.0}),
    ([], None),
    (["--fpr", "0.05", "--calibration", "200"], {"fpr": 0.05, "calibration": 200}),
    (["--contamination", "0.1", "--trees", "4"], {"contamination": 0.1, "trees": 4}),
    (["--threshold", "0.4"], {"threshold": 0.4}),
    (["--scaling", "standard", "--family", "gaussian", "--score", "agreement", "--threshold", "0.9"],
     {"scaling": "standard", "family": "gaussian", "score_method": "agreement", "threshold": 0.9}),
]  # fmt: skip


def frocc(*arguments):
    result = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module", autouse=True)
def command():
    if not os.path.exists(COMMAND):
        pytest.skip(f"{COMMAND} is not built")
    for name in ("fit", "score"):
        if subprocess.run([COMMAND, name, "--help"], capture_output=True).returncode:
            pytest.skip(f"{COMMAND} has no command {name!r} yet")


@pytest.mark.parametrize("flags, params", FLAGS, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_are_equal(flags, params, dtype, X, queries, tmp_path):
    train, test = tmp_path / "train.npy", tmp_path / "test.npy"
    model, scores = tmp_path / "m.frocc", tmp_path / "scores.npy"
    np.save(train, X.astype(dtype))
    np.save(test, queries.astype(dtype))
    frocc("fit", train, "-o", model, *flags)
    frocc("score", model, test, "-o", scores)
    expected = np.load(scores)
    loaded = FROCC.load(model)
    assert loaded.score_samples(queries.astype(dtype)).astype(expected.dtype).tobytes() == (
        expected.tobytes()
    )
    ours = FROCC.paper(**params) if "--paper" in flags else FROCC(**(params or {}))
    ours.fit(X.astype(dtype))
    assert np.array_equal(ours.score_samples(queries.astype(dtype)).astype(expected.dtype), expected)
    assert ours.offset_ == loaded.offset_
    # The command's file has the columns too, so the bytes differ.
    assert ours.info_["calibration_rows"] == loaded.info_["calibration_rows"]
    for mine, theirs in zip(ours.intervals_, loaded.intervals_, strict=True):
        assert np.array_equal(mine, theirs)


def test_the_command_reads_our_models(X, queries, tmp_path):
    test, model, scores = (tmp_path / name for name in ("t.npy", "m.frocc", "s.npy"))
    fitted = FROCC(directions=64).fit(X)
    fitted.save(model)
    np.save(test, queries)
    frocc("score", model, test, "-o", scores)
    expected = np.load(scores)
    assert np.array_equal(fitted.score_samples(queries).astype(expected.dtype), expected)


def test_the_command_seals_as_we_do(X, tmp_path):
    model, small = tmp_path / "m.frocc", tmp_path / "s.frocc"
    fitted = FROCC(directions=64).fit(X)
    fitted.save(model)
    frocc("seal", model, "-o", small)
    assert small.read_bytes() == fitted.seal().to_bytes()


def table(n, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "ms": rng.normal(20, 5, n), "size": rng.integers(0, 50, n), "load": rng.normal(size=n),
        "kind": rng.choice(["get", "put"], n),
    })  # fmt: skip


@pytest.mark.parametrize("columns", [["ms", "size", "load"], ["ms", "kind", "size"]], ids=str)
def test_both_doors_know_the_columns(columns, tmp_path):
    train, test = table(3000, 0)[columns], table(300, 1)[columns[::-1]]
    train.to_csv(tmp_path / "train.csv", index=False)
    test.to_csv(tmp_path / "test.csv", index=False)
    model, theirs = tmp_path / "ours.frocc", tmp_path / "theirs.frocc"
    fitted = FROCC(directions=64).fit(train)
    fitted.save(model)
    # The same names, types and categories: the same bytes.
    frocc("fit", tmp_path / "train.csv", "-m", 64, "-o", theirs)
    assert model.read_bytes() == theirs.read_bytes()
    # Columns in another order are put right by name, by either.
    expected = fitted.score_samples(test[columns])
    assert np.array_equal(FROCC.load(theirs).score_samples(test), expected)
    frocc("score", model, tmp_path / "test.csv", "-o", tmp_path / "scores.npy")
    assert np.array_equal(np.load(tmp_path / "scores.npy"), expected)
    # A missing one is an error by name.
    test.drop(columns=columns[1]).to_csv(tmp_path / "less.csv", index=False)
    with pytest.raises(ValueError, match=columns[1]):
        FROCC.load(theirs).predict(test.drop(columns=columns[1]))
    with pytest.raises(AssertionError, match=columns[1]):
        frocc("score", model, tmp_path / "less.csv")


def test_other_columns_of_a_file_do_not_matter(tmp_path):
    train = table(500, 0).assign(id=np.arange(500), label=0)
    train.to_csv(tmp_path / "train.csv", index=False)
    frocc("fit", tmp_path / "train.csv", "-m", 64, "--id", "id", "--label", "label",
          "--drop", "load", "--missing", "mean", "-o", tmp_path / "m.frocc")  # fmt: skip
    loaded = FROCC.load(tmp_path / "m.frocc")
    assert loaded.feature_names_in_.tolist() == ["ms", "size", "kind"]
    new = table(50, 1)
    assert np.array_equal(loaded.predict(new), loaded.predict(new.drop(columns="load")))
    new.loc[3, "ms"], new.loc[4, "kind"] = np.nan, None
    new.to_csv(tmp_path / "new.csv", index=False)
    frocc("score", tmp_path / "m.frocc", tmp_path / "new.csv", "-o", tmp_path / "scores.npy")
    assert np.array_equal(np.load(tmp_path / "scores.npy"), loaded.score_samples(new))
