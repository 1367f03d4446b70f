# SPDX-License-Identifier: BSD-3-Clause
"""Spark: the same model and scores as without, on a local cluster with worker processes."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from rows import numbers, table

from frocc import FROCC

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
from frocc import spark  # noqa: E402


@pytest.fixture(scope="module")
def session():
    from pyspark.sql import SparkSession

    try:
        session = (
            # Two executors, which are processes of their own, and a task may fail and be tried again.
            SparkSession.builder.master("local-cluster[2,1,1024]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "4")
            .getOrCreate()
        )
    except Exception as error:
        pytest.skip(f"Spark does not start: {error}")
    yield session
    session.stop()


def frame_of(session, data, partitions):
    return session.createDataFrame(data).repartition(partitions)


@pytest.mark.parametrize("partitions", [2, 5, 40])
def test_numbers(session, partitions):
    data = pd.DataFrame(numbers(), columns=list("abcde"))
    model = spark.fit(frame_of(session, data, partitions))
    assert model.to_bytes() == FROCC().fit(data).to_bytes()


@pytest.mark.parametrize("partitions", [2, 5])
def test_paper(session, partitions):
    data = pd.DataFrame(numbers(), columns=list("abcde"))
    detector = FROCC.paper(directions=60)
    model = spark.fit(frame_of(session, data, partitions), detector)
    assert model.to_bytes() == detector.fit(data).to_bytes()


def test_texts(session):
    data = table()
    model = spark.fit(frame_of(session, data, 5))
    alone = FROCC().fit(data)
    assert model.to_bytes() == alone.to_bytes()
    more = data.assign(number=np.arange(len(data)))
    rows = spark.score(model, frame_of(session, more, 3), "normality").toPandas()
    rows = rows.sort_values("number")
    assert list(rows.columns) == ["x", "kind", "y", "number", "normality"]
    assert np.array_equal(rows["normality"].to_numpy(), alone.score_samples(data))


def test_failures(session):
    data = pd.DataFrame(numbers(100), columns=list("abcde"))
    with pytest.raises(ValueError, match="no rows"):
        spark.fit(frame_of(session, data, 2).where("a > 1000"))
    with pytest.raises(ValueError, match="column 'when' is of type"):
        spark.fit(frame_of(session, data.assign(when=pd.Timestamp("2026-01-01")), 2))
    model = FROCC().fit(data)
    with pytest.raises(ValueError, match="lacks the column 'b'"):
        spark.score(model, frame_of(session, data[["a", "c", "d", "e"]], 2))
    with pytest.raises(ValueError, match="has a column 'a' already"):
        spark.score(model, frame_of(session, data, 2), "a")
    bad = data.copy()
    bad.loc[50, "c"] = np.nan
    said = r"(?s)In a partition.*NaN.*\('c'\).*before a fit in parts"
    with pytest.raises(Exception, match=said):
        spark.fit(frame_of(session, bad, 2))
    with pytest.raises(ValueError, match="'missing' parameter"):
        spark.fit(frame_of(session, bad, 2), FROCC(missing="mean"))


def test_a_worker_that_is_lost(session, tmp_path):
    """A task that died with its worker is done again, and the model is the same."""
    data = pd.DataFrame(numbers(), columns=list("abcde"))
    died = str(tmp_path / "died")

    def die_once(batches):
        import os

        for batch in batches:
            try:
                os.close(os.open(died, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                yield batch
            else:
                os._exit(9)

    frame = frame_of(session, data, 3)
    model = spark.fit(frame.mapInArrow(die_once, frame.schema))
    assert (tmp_path / "died").exists()
    assert model.to_bytes() == FROCC().fit(data).to_bytes()


CONNECT = """
from pyspark.sql import SparkSession
from rows import table
from frocc import FROCC, spark

session = SparkSession.builder.remote("local[2]").getOrCreate()
assert type(session).__module__ == "pyspark.sql.connect.session"
data = table()
model = FROCC().fit(data)
frame = session.createDataFrame(data)
assert spark.fit(frame.repartition(2)).to_bytes() == model.to_bytes()
assert spark.fit(frame.repartition(20)).to_bytes() == model.to_bytes()
assert sorted(row["score"] for row in spark.score(model, frame).collect()) == sorted(
    model.score_samples(data)
)
session.stop()
"""


def test_connect():
    """Through Spark Connect, where there is no context, no RDD, and the driver is another process."""
    pytest.importorskip("grpc", reason="pyspark[connect] is not installed")
    env = {**os.environ, "PYTHONPATH": os.path.dirname(__file__)}
    done = subprocess.run([sys.executable, "-c", CONNECT], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
