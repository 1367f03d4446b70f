# SPDX-License-Identifier: BSD-3-Clause
"""Fits in parts, in several processes: the bytes of one fit to all rows."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from frocc import FROCC, CalibrationWarning, DataError, ModelFileError, parts

METHODS = {"default": FROCC, "paper": FROCC.paper}


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(11).normal(size=(3000, 5))


def uneven(rows, seed):
    """Parts of a random size, an empty one among them, in random order."""
    rng = np.random.default_rng(seed)
    cuts = sorted([*rng.integers(0, len(rows), 4), 700, 700])
    pieces = np.split(rows, cuts) if isinstance(rows, np.ndarray) else [
        rows.iloc[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)])
    ]  # fmt: skip
    return [pieces[i] for i in rng.permutation(len(pieces))]


def fit_in_parts(detector, columns, pieces):
    samples = [parts.Sample(detector, columns) for _ in pieces]
    for sample, piece in zip(samples, pieces):
        if len(piece):
            sample.add(piece)
    samples = [pickle.loads(pickle.dumps(sample)) for sample in samples]
    begin = parts.Fitter(detector, samples[-1].merge(*samples[:-1])).to_bytes()
    fitters = [parts.Fitter.from_bytes(begin) for _ in pieces]
    for fitter, piece in zip(fitters, pieces):
        if len(piece):
            fitter.add(piece)
    fitters = [pickle.loads(pickle.dumps(fitter)) for fitter in fitters]
    while len(fitters) > 1:  # a tree
        fitters.insert(0, fitters.pop().merge(fitters.pop()))
    assert fitters[0].n_rows == sum(map(len, pieces))
    return fitters[0].finish()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_parts_are_the_whole(rows, method, seed):
    detector = METHODS[method]()
    model = fit_in_parts(detector, rows.shape[1], uneven(rows, seed))
    assert model.to_bytes() == METHODS[method]().fit(rows).to_bytes()


@pytest.mark.parametrize("method", METHODS)
def test_frames_with_texts(rows, method):
    frame = pd.DataFrame(rows, columns=list("abcde"))
    frame["kind"] = np.array(["red", "blue", "no", "ja"])[np.arange(len(frame)) * 7 % 11 % 4]
    pieces = [frame.iloc[:5], frame.iloc[5:2000], frame.iloc[2000:]]  # which differ in texts
    columns = parts.join_columns(*map(parts.columns_of, pieces))
    assert columns == parts.columns_of(frame)
    model = fit_in_parts(METHODS[method](), columns, pieces)
    assert model.to_bytes() == METHODS[method]().fit(frame).to_bytes()
    assert (model.predict(frame) == METHODS[method]().fit(frame).predict(frame)).all()


def test_names_without_texts(rows):
    frame = pd.DataFrame(rows, columns=list("abcde"))
    whole = FROCC().fit(frame).to_bytes()
    assert fit_in_parts(FROCC(), list("abcde"), uneven(frame, 5)).to_bytes() == whole
    assert fit_in_parts(FROCC(), list("abcde"), uneven(rows, 6)).to_bytes() == whole
    tables = [pa.Table.from_pandas(frame[k::3]) for k in range(3)]
    assert fit_in_parts(FROCC(), list("abcde"), tables).to_bytes() == whole
    turned = frame[list("edcba")]  # found by their names
    assert fit_in_parts(FROCC(), list("abcde"), [turned]).to_bytes() == whole


PROCESS = """
import sys
import numpy as np
from frocc import parts
begin, rows, out = sys.argv[1:]
fitter = parts.Fitter.from_bytes(open(begin, "rb").read()).add(np.load(rows))
open(out, "wb").write(fitter.to_bytes())
"""


def test_other_processes(rows, tmp_path):
    pieces = np.array_split(rows, 2)
    sample = parts.Sample(FROCC(), 5).add(rows)
    (tmp_path / "begin").write_bytes(parts.Fitter(FROCC(), sample).to_bytes())
    fitters = []
    for k, piece in enumerate(pieces):
        np.save(tmp_path / f"{k}.npy", piece)
        names = [str(tmp_path / name) for name in ("begin", f"{k}.npy", f"{k}.fitter")]
        subprocess.run([sys.executable, "-c", PROCESS, *names], check=True)
        fitters.append(parts.Fitter.from_bytes((tmp_path / f"{k}.fitter").read_bytes()))
    assert fitters[1].merge(fitters[0]).finish().to_bytes() == FROCC().fit(rows).to_bytes()


def test_the_same_rows_are_the_same_bytes(rows):
    a = parts.Sample(FROCC(), 5).add(rows)
    b = parts.Sample(FROCC(), 5).add(rows[::-1])
    assert a.to_bytes() == b.to_bytes() and len(a) == len(b) == 3000
    begin = parts.Fitter(FROCC(), a).to_bytes()
    c = parts.Fitter.from_bytes(begin).add(rows)
    d = parts.Fitter.from_bytes(begin, n_jobs=2).add(rows[1000:]).add(rows[:1000])
    assert c.to_bytes() == d.to_bytes()


# ---- What goes wrong ---------------------------------------------------------------------------


def test_damage_is_refused(rows):
    sample = parts.Sample(FROCC(), 5).add(rows[:100])
    fitter = parts.Fitter(FROCC(), sample)
    for thing in (sample, fitter):
        data = thing.to_bytes()
        with pytest.raises(ModelFileError, match="cut short"):
            type(thing).from_bytes(data[:-5])
        with pytest.raises(ModelFileError, match="checksum"):
            type(thing).from_bytes(data[:50] + bytes([data[50] ^ 1]) + data[51:])
    with pytest.raises(ModelFileError, match="frocc sample file where a fitter is expected"):
        parts.Fitter.from_bytes(sample.to_bytes())
    with pytest.raises(MemoryError):
        parts.Fitter.from_bytes(fitter.to_bytes(), max_memory=1000)


def test_others_do_not_merge(rows):
    sample = parts.Sample(FROCC(), 5).add(rows)
    with pytest.raises(ValueError, match="samples merge only"):
        sample.merge(parts.Sample(FROCC(), 4))
    with pytest.raises(ValueError, match="samples merge only"):
        sample.merge(parts.Sample(FROCC(), list("abcde")))
    fitter = parts.Fitter(FROCC(), sample)
    other = parts.Fitter(FROCC(), parts.Sample(FROCC(), 5).add(rows[:50]))
    with pytest.raises(ValueError, match="same frame"):
        fitter.merge(other)
    with pytest.raises(ValueError, match="no rows"):
        fitter.finish()
    with pytest.raises(ValueError, match="give a parts.Sample"):
        parts.Fitter(FROCC(), 5)
    with pytest.raises(ValueError, match="random_state"):
        parts.Sample(FROCC(random_state=None), 5)
    for missing in ("keep", "mean", "drop"):
        with pytest.raises(ValueError, match="'missing' parameter .* in a fit in parts"):
            parts.Sample(FROCC(missing=missing), 5)


def test_a_sample_has_the_seed_of_its_fitter(rows):
    sample = parts.Sample(FROCC(), 5).add(rows)
    with pytest.raises(ValueError, match="random_state.*that of the samples"):
        parts.Fitter(FROCC(random_state=3), sample)
    parts.Fitter(FROCC.paper(random_state=3), sample)


def test_rows_that_cannot_be_used(rows):
    bad = rows[:10].copy()
    bad[3, 2] = np.nan
    sample = parts.Sample(FROCC(), 5).add(rows)
    for thing in (sample, parts.Fitter(FROCC(), sample)):
        with pytest.raises(DataError, match="row 3.*before a fit in parts"):
            thing.add(bad)
        with pytest.raises(ValueError, match="features"):
            thing.add(rows[:, :3])


def test_too_few_rows_are_said(rows):
    sample = parts.Sample(FROCC(), 5).add(rows[:60])
    with pytest.warns(CalibrationWarning, match="too few"):
        parts.Fitter(FROCC(), sample).add(rows[:60]).finish()


def test_columns_that_do_not_join():
    a, b, text = ({"a": [1.0]}, {"b": [1.0]}, {"a": ["x"]})
    with pytest.raises(ValueError, match="is another one in another part"):
        parts.join_columns(*(parts.columns_of(pd.DataFrame(each)) for each in (a, b)))
    with pytest.raises(ValueError, match="'a'"):
        parts.join_columns(*(parts.columns_of(pd.DataFrame(each)) for each in (a, text)))
