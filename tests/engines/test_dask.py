# SPDX-License-Identifier: BSD-3-Clause
"""Dask: the same model and scores as without, on a cluster of processes."""

import os

import numpy as np
import pytest
from rows import numbers, table

from frocc import FROCC, DataError, parts

dask = pytest.importorskip("dask", reason="dask is not installed")
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
from dask.distributed import Client  # noqa: E402

from frocc import dask as frocc_dask  # noqa: E402


@pytest.fixture(scope="module")
def client():
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        yield client


@pytest.mark.parametrize("detector", [FROCC(), FROCC.paper(directions=60), FROCC(random_state=3)])
@pytest.mark.parametrize("chunks", [(4000, 5), (900, 2), (61, 5)])
def test_arrays(client, detector, chunks):
    X = numbers()
    model = frocc_dask.fit(da.from_array(X, chunks=chunks), detector)
    assert model.to_bytes() == detector.fit(X).to_bytes()


def test_frames_with_texts(client):
    frame = table()
    collection = dd.from_pandas(frame, npartitions=7)
    model = frocc_dask.fit(collection)
    alone = FROCC().fit(frame)
    assert model.to_bytes() == alone.to_bytes()
    scores = frocc_dask.score(model, collection).compute()
    assert np.array_equal(scores.to_numpy(), alone.score_samples(frame))
    assert list(scores.index) == list(frame.index)


def test_scores_of_arrays(client):
    X = numbers()
    model = FROCC().fit(X)
    scores = frocc_dask.score(model, da.from_array(X, chunks=(300, 3))).compute()
    assert np.array_equal(scores, model.score_samples(X))


def test_cloudpickle():
    """What engines send functions with takes models, samples and fitters too."""
    from distributed.protocol.pickle import dumps, loads

    X = numbers(300)
    model = FROCC().fit(X)
    sample = parts.Sample(FROCC(), 5).add(X)
    for one in (model, sample, parts.Fitter(FROCC(), sample).add(X)):
        assert loads(dumps(lambda: one))().to_bytes() == one.to_bytes()  # noqa: B023


def test_failures(client):
    X = numbers()
    X[2500, 3] = np.nan
    said = "(?s)In a partition.* NaN.*row 0, column 3.*before a fit in parts"
    with pytest.raises(DataError, match=said):
        frocc_dask.fit(da.from_array(X, chunks=(500, 5)))
    lacks = table()
    lacks.loc[3000, "x"] = np.nan
    with pytest.raises(DataError, match="In a partition.*'x'.*missing.*before a fit in parts"):
        frocc_dask.fit(dd.from_pandas(lacks, npartitions=4))
    with pytest.raises(ValueError, match="'missing' parameter"):
        frocc_dask.fit(dd.from_pandas(lacks, npartitions=4), FROCC(missing="keep"))
    with pytest.raises(TypeError, match="Dask array"):
        frocc_dask.fit(X)
    with pytest.raises(ValueError, match="no rows"):
        frocc_dask.fit(dd.from_pandas(table().iloc[:0], npartitions=1))


def test_a_worker_that_is_lost(client):
    """The work of a worker that died is done again, and the model is the same."""
    X = numbers()
    died = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"frocc-died-{os.getpid()}")

    def die_once(block):
        try:
            os.close(os.open(died, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return block
        os._exit(9)

    try:
        rows = da.from_array(X, chunks=(500, 5)).map_blocks(die_once, dtype=X.dtype, meta=X[:0])
        model = frocc_dask.fit(rows)
        assert os.path.exists(died)
    finally:
        if os.path.exists(died):
            os.remove(died)
    assert model.to_bytes() == FROCC().fit(X).to_bytes()
