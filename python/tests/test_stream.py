# SPDX-License-Identifier: BSD-3-Clause
"""Rows in blocks: iterables, functions, .npy by memory map, Parquet and Arrow data sets."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
import scipy.sparse as sp

from frocc import FROCC, DataError, stream


def model(**params):
    return FROCC.paper(**{"directions": 60, **params})


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(7).normal(size=(5000, 6))


@pytest.fixture(scope="module")
def files(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stream")
    np.save(folder / "rows.npy", rows)
    table = pa.Table.from_pandas(pd.DataFrame(rows, columns=list("abcdef")))
    (folder / "parts").mkdir()
    for k in range(3):
        pa.parquet.write_table(table[k * 2000 : (k + 1) * 2000], folder / "parts" / f"{k}.parquet")
    pa.parquet.write_table(table, folder / "rows.parquet", row_group_size=700)
    return folder


SOURCES = {
    "list": lambda rows, files: np.array_split(rows, 7),
    "function": lambda rows, files: lambda: iter(np.array_split(rows, 7)),
    "frames": lambda rows, files: [pd.DataFrame(part) for part in np.array_split(rows, 3)],
    "sparse": lambda rows, files: [sp.csr_matrix(part) for part in np.array_split(rows, 3)],
    "single rows": lambda rows, files: [row[None] for row in rows],
    "npy path": lambda rows, files: files / "rows.npy",
    "npy": lambda rows, files: stream.npy(files / "rows.npy", rows=333),
    "parquet path": lambda rows, files: str(files / "rows.parquet"),
    "parquet": lambda rows, files: stream.parquet(files / "rows.parquet", rows=333),
    "parquet folder": lambda rows, files: files / "parts",
    "arrow": lambda rows, files: pa.dataset.dataset(files / "parts", format="parquet"),
}


@pytest.mark.parametrize("scaling", ["none", "standard"])
@pytest.mark.parametrize("source", SOURCES)
def test_a_stream_is_one_fit(rows, files, source, scaling):
    streamed = model(scaling=scaling).fit_stream(SOURCES[source](rows, files))
    named = "feature_names_in_" in vars(streamed)  # the names are in the file, too
    whole = pd.DataFrame(rows, columns=list("abcdef")) if named else rows
    assert streamed.to_bytes() == model(scaling=scaling).fit(whole).to_bytes()
    assert streamed.n_samples_seen_ == 5000


def test_an_iterator_is_read_once(rows):
    parts = iter(np.array_split(rows, 7))
    assert model().fit_stream(parts).to_bytes() == model().fit(rows).to_bytes()
    with pytest.raises(ValueError, match="read only once"):
        model(scaling="standard").fit_stream(iter(np.array_split(rows, 7)))


def test_columns_of_a_file(files, rows):
    chosen = stream.parquet(files / "rows.parquet", columns=["b", "d"])
    fitted = model().fit_stream(chosen)
    assert fitted.feature_names_in_.tolist() == ["b", "d"]
    frame = pd.DataFrame(rows[:, [1, 3]], columns=["b", "d"])
    assert fitted.to_bytes() == model().fit(frame).to_bytes()


def test_texts_and_missing_cells_in_blocks(rows):
    frame = pd.DataFrame({"a": rows[:, 0], "kind": np.where(rows[:, 1] > 1, "get", "put")})
    frame["n"] = np.arange(len(frame)) % 5
    frame.loc[len(frame) - 3, "a"] = np.nan  # of the last block alone
    frame.loc[2, "kind"] = None
    parts = [frame[:500], frame[500:501], frame[501:].astype({"n": float})]
    whole = model(missing="keep").fit(frame)
    assert model(missing="keep").fit_stream(parts).to_bytes() == whole.to_bytes()
    assert model(missing="drop").fit_stream(lambda: iter(parts)).n_samples_seen_ == len(frame) - 2
    with pytest.raises(ValueError, match="must be read twice"):
        model(missing="keep").fit_stream(iter(parts))
    with pytest.raises(ValueError, match="'kind' holds something else"):
        model(missing="keep").fit_stream([frame, frame.assign(kind=1)])


def test_what_is_no_stream(rows, tmp_path):
    for source, error, match in [
        ([], ValueError, "0 sample"), (rows, TypeError, "use fit"), (3, TypeError, "iterable"),
        ("rows.csv", ValueError, "npy or .parquet"), ([rows, rows[:, :2]], ValueError, "features"),
        ([rows, rows * np.nan], ValueError, "contains NaN"),
        ([rows[:0]], ValueError, "0 sample"), ([rows[0]], ValueError, "Expected 2D array"),
        (tmp_path / "none.npy", FileNotFoundError, "none.npy"),
    ]:  # fmt: skip
        with pytest.raises(error, match=match):
            model().fit_stream(source)
    np.save(tmp_path / "flat.npy", rows[0])
    with pytest.raises(ValueError, match="2D"):
        model().fit_stream(tmp_path / "flat.npy")


MEMORY = """
import resource, sys
import numpy as np
from frocc import FROCC
rng = np.random.default_rng(0)
block = rng.normal(size=(20000, 50))
def blocks(n):
    for k in range(n):
        yield block + k % 3
FROCC.paper(directions=20).fit_stream(blocks(3))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
FROCC.paper(directions=20).fit_stream(blocks(150))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_does_not_grow_with_the_rows():
    grown = int(subprocess.check_output([sys.executable, "-c", MEMORY]))
    assert grown < 20 * 1024, f"{grown} KiB for 1.2 GB of rows"


@pytest.mark.parametrize("missing", ["keep", "mean", "drop"])
def test_missing_cells_in_blocks_without_names(rows, missing, tmp_path):
    rows = rows.copy()
    rows[5, 1] = rows[-3, 0] = np.nan
    expected = FROCC(directions=32, missing=missing).fit(rows).to_bytes()
    np.save(tmp_path / "rows.npy", rows)
    blocks = np.array_split(rows, 4)
    frames = [pd.DataFrame(block) for block in blocks]
    for source in (tmp_path / "rows.npy", blocks, lambda: iter(blocks), frames, [b.tolist() for b in blocks]):
        model = FROCC(directions=32, missing=missing).fit_stream(source)
        assert model.to_bytes() == expected
        assert not hasattr(model, "feature_names_in_") and model.n_features_in_ == rows.shape[1]
    with pytest.raises(ValueError, match=r"(block|X) has 1 features, .* 6"):
        FROCC(missing=missing).fit_stream([blocks[0], blocks[1][:, :1]])
    with pytest.raises(ValueError, match="must be read twice"):
        FROCC.paper(missing=missing).fit_stream(iter(blocks))


def test_what_is_wrong_with_a_later_block():
    numbers = pd.DataFrame({"a": np.arange(100.0), "b": 1.0})
    with pytest.raises(DataError, match="'x' is not a number") as caught:
        FROCC().fit_stream([numbers, numbers.assign(a="x")])
    assert "2^90" not in str(caught.value)
    with pytest.raises(DataError, match=r"row 3, column 0 \('a'\).*2\^90"):
        FROCC().fit_stream([numbers, numbers.assign(a=[0.0] * 3 + [1e200] + [0.0] * 96)])
    texts = numbers.assign(b="t")
    with pytest.raises(ValueError, match="a later block has no column 'b'; give every block"):
        FROCC().fit_stream([texts, texts[["a"]]])
    with pytest.raises(ValueError, match="a later block has two columns 'b'"):
        FROCC().fit_stream([texts, pd.concat([texts, texts[["b"]]], axis=1)])
    with pytest.raises(ValueError, match="a later block has no column 'a'"):
        FROCC().fit_stream([texts, np.ones((5, 2))])
