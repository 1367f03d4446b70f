# SPDX-License-Identifier: BSD-3-Clause
"""python -m frocc: the command, which reads Parquet and Arrow files too."""

import decimal
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from test_command import COMMAND, frocc


ENDINGS = ["parquet", "arrow"]


def run(*words, command=(sys.executable, "-m", "frocc"), **options):
    return subprocess.run([*command, *map(str, words)], capture_output=True, text=True, **options)


def fine(*words, **options):
    result = run(*words, **options)
    assert result.returncode == 0, result.stderr
    return result.stdout


def events(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "ms": rng.normal(20, 5, n), "kind": rng.choice(["get", "put", "a,\"\u00fc\n"], n),
        "on": rng.random(n) < 0.5, "zone": pd.Categorical(rng.choice(["eu", "us"], n)),
        "when": pd.Timestamp("2026-11-02") + pd.to_timedelta(rng.integers(0, 10**6, n), "s"),
        "day": pd.date_range("2026-01-01", periods=n).date, "size": rng.integers(-3, 50, n),
        "id": np.arange(n) + 2**60, "label": rng.integers(0, 2, n),
    })  # fmt: skip
    frame = frame.astype({"size": "Int64", "on": "boolean"})
    for j, name in enumerate(frame.columns[:7]):
        frame.loc[3 * j + 1 :: 97, name] = None
    return frame


def write(frame, path):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False, date_format="%Y-%m-%dT%H:%M:%S")
    elif path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=400)
    else:
        feather.write_feather(table, str(path), chunksize=333)
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for ending in ["csv", *ENDINGS]:
        write(events(), folder / f"train.{ending}")
        write(events(300, 1)[events(1).columns[::-1]], folder / f"test.{ending}")
    return folder


@pytest.mark.parametrize("ending, missing", [("parquet", "keep"), ("arrow", "keep"),
                                             ("parquet", "mean"), ("arrow", "drop")])  # fmt: skip
def test_the_same_as_csv(files, ending, missing, tmp_path):
    options = ["-m", 64, "--label", "label", "--id", "id", "--missing", missing]
    ours, theirs = tmp_path / "ours.frocc", tmp_path / "theirs.frocc"
    fine("fit", files / f"train.{ending}", "-o", ours, *options)
    frocc("fit", files / "train.csv", "-o", theirs, *options)
    assert ours.read_bytes() == theirs.read_bytes()
    if missing != "keep":
        return
    for command in (["score"], ["predict"], ["explain", "--top", 5]):
        words = [command[0], ours, files / f"test.{ending}", *command[1:], "--id", "id"]
        expected = run(*words[:2], files / "test.csv", *words[3:], command=[COMMAND])
        assert expected.returncode == 0, expected.stderr
        assert fine(*words) == expected.stdout and expected.stdout


@pytest.mark.parametrize("zone", ["Europe/Berlin", "+09:00", "UTC"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_times_of_a_zone(ending, zone, tmp_path):
    """Over the end of summer time: hours are those of the clock, the time itself is that of UTC."""
    rng = np.random.default_rng(3)
    when = pd.Timestamp("2026-10-24 00:00:01", tz=zone) + pd.to_timedelta(rng.integers(0, 86400, 300) * 3, "s")
    frame = pd.DataFrame({"when": when, "x": rng.normal(size=300)})
    frame.loc[7, "when"] = None
    rows, text = write(frame, tmp_path / f"rows.{ending}"), tmp_path / "rows.csv"
    frame.to_csv(text, index=False)
    for own in ([], ["--time", "when"]):
        options = ["-m", 32, "--missing", "keep", *own]
        fine("fit", rows, "-o", tmp_path / "ours.frocc", *options)
        frocc("fit", text, "-o", tmp_path / "theirs.frocc", *options)
        assert (tmp_path / "ours.frocc").read_bytes() == (tmp_path / "theirs.frocc").read_bytes()
    words = ["score", tmp_path / "theirs.frocc", "--columns", "when"]
    carried = fine(*words, rows)
    assert carried.replace("T", " ") == fine(*words, text).replace("T", " ") and "+0" in carried


def test_decimals_are_the_nearest_doubles(tmp_path):
    price = [decimal.Decimal(k * k % 997) / 100 for k in range(300)]
    table = pa.table({"price": pa.array(price, pa.decimal128(12, 2)), "x": np.arange(300.0) % 7})
    pq.write_table(table, tmp_path / "rows.parquet")
    table.to_pandas().to_csv(tmp_path / "rows.csv", index=False)
    for name in ("rows.parquet", "rows.csv"):
        fine("fit", tmp_path / name, "-m", 16, "-o", tmp_path / f"{name}.frocc")
    assert (tmp_path / "rows.parquet.frocc").read_bytes() == (tmp_path / "rows.csv.frocc").read_bytes()


def test_what_the_file_says_is_kept(files):
    """Several files, one of them text, are one data set; JSON comes out as from the command."""
    words = ["fit", files / "train.parquet", files / "train.csv", files / "train.arrow", "--missing",
             "keep", "--drop", "when,day,id", "-m", 32, "-o", "-"]  # fmt: skip
    mixed = subprocess.run([sys.executable, "-m", "frocc", *map(str, words)], capture_output=True)
    assert mixed.returncode == 0, mixed.stderr
    words[1:4] = [files / "train.csv"] * 3
    plain = subprocess.run([COMMAND, *map(str, words)], capture_output=True)
    assert mixed.stdout == plain.stdout and len(plain.stdout) > 1000


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_index_without_a_name_is_no_column(ending, tmp_path):
    frame = pd.DataFrame({"x": np.arange(60) % 7 * 1.5, "k": ["a", "b", "c"] * 20}).sample(frac=0.9, random_state=0)
    path = tmp_path / f"rows.{ending}"
    if ending == "parquet":
        frame.to_parquet(path)
    else:
        feather.write_feather(pa.Table.from_pandas(frame), str(path))
    assert "__index_level_0__" in (
        pq.read_schema(path).names if ending == "parquet" else feather.read_table(path).column_names)
    model = tmp_path / "m.frocc"
    fine("fit", path, "-o", model, "-q")
    assert "index" not in fine("info", model)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    assert fine("score", model, path) == fine("score", model, tmp_path / "rows.csv")


def test_a_pipe_is_told_what_helps(files, tmp_path):
    result = run("fit", "-", "-o", tmp_path / "m", stdin=open(files / "train.parquet"))
    assert result.returncode == 1 and "reads it by its name" in result.stderr


def test_words_and_codes(tmp_path):
    for words in (["help"], ["fit"], ["info", tmp_path / "none.frocc"]):
        ours, theirs = run(*words), run(*words, command=[COMMAND])
        assert ours.returncode == theirs.returncode
        assert (ours.stdout, ours.stderr) == (theirs.stdout, theirs.stderr)


def test_the_command_alone_names_the_way(files, tmp_path):
    for ending in ENDINGS:
        result = run("fit", files / f"train.{ending}", "-o", tmp_path / "m", command=[COMMAND])
        assert result.returncode == 1 and "python -m frocc" in result.stderr


@pytest.mark.parametrize("spoil, what", [
    (lambda path: path.write_bytes(path.read_bytes()[:-30]), ""),
    (lambda path: write(pd.DataFrame({"x": [[1], [2]]}), path),
     "column 1 ('x'): it holds no numbers, texts or times; name it in --drop"),
    (lambda path: write(pd.DataFrame({"x": [1.0, None]}), path), "row 2, column 1 ('x')"),
], ids=["cut", "list", "missing"])  # fmt: skip
@pytest.mark.parametrize("ending", ENDINGS)
def test_errors_name_the_file(ending, spoil, what, tmp_path):
    path = write(events(50), tmp_path / f"rows.{ending}")
    spoil(path)
    result = run("fit", path, "-o", tmp_path / "m.frocc")
    assert result.returncode == 1 and not (tmp_path / "m.frocc").exists()
    assert result.stderr.startswith(f"frocc: {path}: ") and what in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("ending", ENDINGS)
def test_columns_of_other_types_can_be_dropped(ending, tmp_path):
    frame = pd.DataFrame({"x": np.arange(60.0) % 7, "y": np.arange(60) % 5})
    plain = write(frame, tmp_path / f"plain.{ending}")
    rows = write(frame.assign(tags=[[1, 2]] * 60), tmp_path / f"rows.{ending}")
    fine("fit", plain, "-m", 8, "-o", tmp_path / "plain.frocc")
    fine("fit", rows, "--drop", "tags", "-m", 8, "-o", tmp_path / "rows.frocc")
    scores = fine("score", tmp_path / "plain.frocc", plain)
    assert fine("score", tmp_path / "rows.frocc", rows) == scores
    assert fine("score", tmp_path / "plain.frocc", rows, "--ignore-extra") == scores


def test_pipes_are_read_whole(tmp_path):
    """To look at the first bytes of a pipe is to take them, or to wait for them."""
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b\n" + "".join(f"{i % 17},{i * i % 31}\n" for i in range(5000)))
    pipe, ours, theirs = tmp_path / "pipe", tmp_path / "ours.frocc", tmp_path / "theirs.frocc"
    os.mkfifo(pipe)
    with subprocess.Popen(["cp", str(rows), str(pipe)]) as writer:
        try:
            fine("fit", pipe, "-m", 8, "-o", ours, timeout=60)
        finally:
            writer.kill()
    fine("fit", rows, "-m", 8, "-o", theirs)
    assert ours.read_bytes() == theirs.read_bytes()


def test_texts_that_lie_outside_of_the_file(tmp_path):
    path = tmp_path / "rows.arrow"
    table = pa.table({"text": ["aa", "bb", "cc"] * 20, "x": np.arange(60.0)})
    with pa.ipc.new_file(str(path), table.schema) as file:
        file.write_table(table)
    offsets = np.arange(0, 122, 2, dtype=np.int32)
    whole = path.read_bytes()
    assert whole.count(offsets.tobytes()) == 1
    path.write_bytes(whole.replace(offsets.tobytes(), (offsets + 2**30).astype(np.int32).tobytes()))
    result = run("fit", path, "-o", tmp_path / "m.frocc")
    assert result.returncode == 1 and result.stderr.startswith(f"frocc: {path}: ")


# ---- Large files ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Few bytes on the disk, 128 MB in memory."""
    folder = tmp_path_factory.mktemp("large")
    block = pa.table({f"x{j}": np.tile(np.arange(25.0) + j, 20000) for j in range(8)})
    with pq.ParquetWriter(folder / "rows.parquet", block.schema) as parquet:
        with pa.ipc.new_file(str(folder / "rows.arrow"), block.schema,
                             options=pa.ipc.IpcWriteOptions(compression="zstd")) as arrow:  # fmt: skip
            for _ in range(4):
                parquet.write_table(block, row_group_size=50000)
                arrow.write_table(block, max_chunksize=50000)
    write(block[:50000].to_pandas(), folder / "few.parquet")
    write(block[:50000].to_pandas(), folder / "few.arrow")
    return folder


PEAK = """
import os, sys
child = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-m", "frocc", *sys.argv[1:]])
_, status, used = os.wait4(child, 0)
assert status == 0
print(used.ru_maxrss)
"""


@pytest.mark.parametrize("ending", ENDINGS)
def test_memory_does_not_grow_with_the_rows(large, ending, tmp_path):
    peaks = [
        int(subprocess.check_output([
            sys.executable, "-c", PEAK, "fit", "--paper", "-m", "8", "-q",
            str(large / f"{name}.{ending}"), "-o", str(tmp_path / "m.frocc")]))
        for name in ("few", "rows")
    ]  # fmt: skip
    grown = (peaks[1] - peaks[0]) / 1024
    assert grown < 32, f"{grown:.0f} MiB for 128 MB of values"


def test_it_can_be_interrupted(large, tmp_path):
    model = tmp_path / "m.frocc"
    words = ["fit", *[str(large / "rows.parquet")] * 50, "-o", str(model), "-q"]
    process = subprocess.Popen([sys.executable, "-m", "frocc", *words], stderr=subprocess.PIPE)
    started = time.monotonic()
    while b"libfrocc_command" not in open(f"/proc/{process.pid}/maps", "rb").read():
        assert time.monotonic() - started < 60 and process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == -signal.SIGINT
    assert process.stderr.read() == b"" and os.listdir(tmp_path) == []
