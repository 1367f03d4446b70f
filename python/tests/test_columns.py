# SPDX-License-Identifier: BSD-3-Clause
"""Columns of data frames: of any types, with missing cells, as the command learns and reads them."""

import copy
import datetime
import decimal
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from test_command import frocc

from frocc import FROCC, CalibrationWarning, DataError, parts


def events(n=400, seed=0, missing=False):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "ms": rng.normal(20, 5, n),
        "kind": rng.choice(["get", "put", "a \u00fc,\"b\"\n"], n),
        "cached": rng.random(n) < 0.5,
        "zone": pd.Categorical(rng.choice(["eu", "us"], n), categories=["us", "eu", "none"]),
        "when": pd.Timestamp("2026-11-02") + pd.to_timedelta(rng.integers(0, 10**6, n), "s"),
        "size": rng.integers(-3, 50, n),
    })  # fmt: skip
    if missing:
        frame["size"] = frame["size"].astype("Int64")
        frame["cached"] = frame["cached"].astype("boolean")
        for j, name in enumerate(frame.columns):
            frame.loc[frame.index[3 * j + 1 :: 40], name] = None
    return frame


def write(frame, path):
    frame.to_csv(path, index=False, date_format="%Y-%m-%dT%H:%M:%S")
    return path


def fit(path, model, *options):
    frocc("fit", path, "-m", 64, "-o", model, *options)
    return model


@pytest.mark.parametrize("missing", ["error", "mean", "drop", "keep"])
def test_the_same_as_the_command(missing, tmp_path):
    frame = events(missing=missing != "error")
    train = write(frame, tmp_path / "train.csv")
    theirs = fit(train, tmp_path / "theirs.frocc", "--missing", missing)
    fitted = FROCC(directions=64, missing=missing).fit(frame)
    assert fitted.to_bytes() == theirs.read_bytes()
    loaded = FROCC.load(theirs)
    assert loaded.missing == missing
    # Scores too, through either's model, columns in any order.
    new = events(90, 1, missing in ("mean", "keep"))
    test = write(new[new.columns[::-1]], tmp_path / "test.csv")
    frocc("score", theirs, test, "-o", tmp_path / "scores.npy")
    expected = np.load(tmp_path / "scores.npy")
    if missing == "drop":  # the results may be fewer than the rows, and say of which they are
        assert np.array_equal(expected[:, 0], np.arange(1, 91))
        expected = expected[:, 1]
    for model in (fitted, loaded, pickle.loads(pickle.dumps(fitted)), copy.deepcopy(loaded)):
        assert np.array_equal(model.score_samples(new[new.columns[::-1]]), expected)
    assert loaded.partial_fit(new).n_samples_seen_ == fitted.n_samples_seen_ + len(new)


@pytest.mark.parametrize("make", [
    pl.DataFrame, pa.Table.from_pandas, lambda frame: frame.convert_dtypes(),
    lambda frame: frame.astype({"kind": "category", "zone": object, "cached": object}),
    lambda frame: frame.astype({"kind": pd.ArrowDtype(pa.string()), "size": "int8"}),
    lambda frame: frame.assign(when=frame["when"].dt.tz_localize("Asia/Kolkata")),
    lambda frame: frame.assign(when=[each.to_pydatetime() for each in frame["when"]]).astype(
        {"when": object}),
], ids=["polars", "arrow", "nullable", "objects", "arrow strings", "zone", "datetime"])  # fmt: skip
def test_whatever_holds_them(make):
    frame = events()
    if make is pl.DataFrame:
        made = pl.DataFrame({name: frame[name].astype(object).tolist() for name in frame})
    else:
        made = make(frame)
    fitted = FROCC(directions=32).fit(frame)
    assert FROCC(directions=32).fit(made).to_bytes() == fitted.to_bytes()
    assert np.array_equal(fitted.score_samples(made), fitted.score_samples(frame))


# ---- Times with a zone ----------------------------------------------------------------------------


def zoned(n=400, zone="Europe/Berlin"):
    """Over the end of summer time, when the same clock comes twice."""
    rng = np.random.default_rng(3)
    seconds = rng.integers(0, 3 * 86400, n)
    when = pd.Timestamp("2026-10-24", tz=zone) + pd.to_timedelta(seconds, "s")
    when = when.to_series(index=range(n)).mask(seconds % 50 == 7)
    return pd.DataFrame({"when": when, "x": rng.normal(size=n)})


ZONED = {
    "pandas": lambda frame: frame,
    "seconds": lambda frame: frame.astype({"when": f"datetime64[s, {frame['when'].dt.tz}]"}),
    "arrow": lambda frame: pa.Table.from_pandas(frame),
    "arrow types": lambda frame: frame.astype(
        {"when": pd.ArrowDtype(pa.timestamp("us", str(frame["when"].dt.tz).replace("UTC+", "+")))}),
    "chunks": lambda frame: pd.concat([ZONED["arrow types"](frame[a]) for a in (
        slice(0, 150), slice(150, None))]),
    "polars": lambda frame: pl.from_arrow(pa.Table.from_pandas(frame)),
    "objects": lambda frame: frame.assign(when=pd.Series(
        [None if each is pd.NaT else each.to_pydatetime() for each in frame["when"]], dtype=object)),
    "stamps": lambda frame: frame.astype({"when": object}),
}  # fmt: skip


@pytest.mark.parametrize("zone", ["Europe/Berlin", "+09:00", "UTC"])
@pytest.mark.parametrize("kind", ZONED)
@pytest.mark.filterwarnings("error:no explicit representation of timezones")
def test_clocks_of_a_zone(kind, zone, tmp_path):
    frame = zoned(zone=zone)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    assert "+0" in (tmp_path / "rows.csv").read_text()
    made = ZONED[kind](frame)
    theirs = fit(tmp_path / "rows.csv", tmp_path / "m.frocc", "--missing", "keep")
    assert FROCC(directions=64, missing="keep").fit(made).to_bytes() == theirs.read_bytes()
    # The time itself, which only the command learns.
    timed = FROCC.load(fit(tmp_path / "rows.csv", tmp_path / "t.frocc", "--missing", "keep", "--time", "when"))
    for name, model in (("m", FROCC.load(theirs)), ("t", timed)):
        frocc("score", tmp_path / f"{name}.frocc", tmp_path / "rows.csv", "-o", tmp_path / "scores.npy")
        assert np.array_equal(model.score_samples(made), np.load(tmp_path / "scores.npy"))


def test_clocks_of_many_zones_and_of_none(tmp_path):
    offsets = [datetime.timezone(datetime.timedelta(hours=k)) for k in range(-11, 13)]
    start = datetime.datetime(2026, 11, 2, 8, 30)
    when = [(start + datetime.timedelta(hours=7 * k)).replace(tzinfo=offsets[k % 24]) for k in range(120)]
    when[3], when[5] = start, None
    frame = pd.DataFrame({"when": pd.Series(when, dtype=object), "x": np.arange(120.0) % 11})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    model = fit(tmp_path / "rows.csv", tmp_path / "m.frocc", "--missing", "keep", "--time", "when")
    frocc("score", model, tmp_path / "rows.csv", "-o", tmp_path / "scores.npy")
    assert np.array_equal(FROCC.load(model).score_samples(frame), np.load(tmp_path / "scores.npy"))


def test_dates_and_numbers_of_other_types():
    frame = pd.DataFrame({
        "day": [datetime.date(2026, 11, 1 + k % 28) for k in range(60)],
        "price": [decimal.Decimal(k) / 4 for k in range(60)],
        "half": np.arange(60, dtype=np.float16),
    })  # fmt: skip
    plain = frame.assign(day=pd.to_datetime(frame["day"]), price=np.arange(60) / 4,
                         half=np.arange(60.0))  # fmt: skip
    assert FROCC(directions=32).fit(frame).to_bytes() == FROCC(directions=32).fit(plain).to_bytes()


@pytest.mark.parametrize("missing", ["mean", "keep", "drop"])
def test_arrays_without_names(missing, tmp_path):
    rows = np.random.default_rng(5).normal(size=(300, 4))
    rows[7, 2] = rows[290, 0] = np.nan
    np.savetxt(tmp_path / "rows.csv", rows, fmt="%.17g", delimiter=",")
    theirs = fit(tmp_path / "rows.csv", tmp_path / "m.frocc", "--missing", missing)
    fitted = FROCC(directions=64, missing=missing).fit(rows)
    assert fitted.to_bytes() == theirs.read_bytes()
    assert fitted.n_features_in_ == 4
    for model in (fitted, FROCC.load(theirs)):
        assert np.isfinite(model.score_samples(rows[:5])).all()
        if missing == "drop":
            with pytest.raises(DataError, match="missing") as caught:
                model.predict(rows[:290])
            assert (caught.value.row, caught.value.column) == (7, 2)
        else:
            assert np.isfinite(model.score_samples(rows)).all()
            assert np.array_equal(model.score_samples(rows.tolist()), model.score_samples(rows))


def test_a_missing_cell_that_never_was_is_noticed():
    frame = events()
    fitted = FROCC(directions=64, missing="keep").fit(frame)
    odd = frame[:20].assign(size=np.nan)
    assert (fitted.predict(odd) == -1).all() and (fitted.predict(frame[:20]) == 1).all()


@pytest.mark.parametrize("stamps", [
    ["2026-11-02T08:%02d:00" % k for k in range(60)], ["08:%02d" % k for k in range(60)],
    [None, *["2026-11-%02d" % (1 + k % 28) for k in range(59)]],
], ids=["stamps", "times", "dates"])  # fmt: skip
def test_texts_that_may_be_times_are_told_of(stamps):
    frame = pd.DataFrame({"at": stamps, "x": np.arange(60.0)})
    with pytest.warns(UserWarning, match="column 'at' holds texts such as .*pandas.to_datetime"):
        FROCC(directions=16, missing="keep").fit(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", CalibrationWarning)
        FROCC(directions=16, missing="keep").fit(frame.assign(at=pd.Categorical(stamps)))
        FROCC(directions=16, missing="keep").fit(frame.assign(at=["at " + str(s) for s in stamps]))


def test_a_frame_without_rows():
    frame = pd.DataFrame({"when": pd.date_range("2026-11-02", periods=50, freq="h"), "k": ["a", "b"] * 25})
    fitted = FROCC(directions=16).fit(frame)
    for call in (FROCC().fit, fitted.predict, fitted.score_samples):
        with pytest.raises(ValueError, match="Found array with 0 sample"):
            call(frame[:0])


def test_errors_count_the_rows_that_were_given():
    frame = pd.DataFrame({"a": [1.0] * 9, "b": [2.0, None, *[3.0] * 7]})
    frame.loc[6, "a"] = 1e200  # row 5 of those that are left
    with pytest.raises(DataError) as caught:
        FROCC.paper(missing="drop").fit(frame)
    assert (caught.value.row, caught.value.column) == (6, 0)


@pytest.mark.parametrize("missing", ["error", "mean", "drop", "keep"])
def test_errors_count_the_columns_that_were_given(missing):
    """Of a text and of a column with missing cells there are more features."""
    rows = pd.DataFrame({"t": ["u", "v", "w"] * 100, "x": np.arange(300.0) % 7, "y": np.arange(300.0) % 5})
    if missing != "error":
        rows.loc[0, "x"] = np.nan
    wild = rows.assign(y=rows["y"].where(rows.index != 299, 1e30))
    # Of texts something is learnt first, from a sample, whose rows have no numbers.
    with pytest.raises(DataError, match=r"column 2 \('y'\) \(from 0\): .*over 2\^90") as refused:
        FROCC.paper(missing=missing).fit(wild)
    assert (refused.value.row, refused.value.column) == (None, 2)
    far = rows.assign(y=np.where(rows.index % 2, 1e300, -1e300))
    with pytest.raises(DataError, match=r"column 2 \('y'\) \(from 0\): its values are too large") as refused:
        FROCC(missing=missing).fit(far)
    assert (refused.value.row, refused.value.column) == (None, 2)
    fitted = FROCC(missing=missing).fit(rows)
    with pytest.raises(DataError, match=r"row 9, column 2 \('y'\), counted from 0"):
        fitted.predict(wild[290:])


@pytest.mark.parametrize("values, match", [
    ([[1]] * 50, "column 'x' holds values of the type list"),
    (pd.to_timedelta(np.arange(50), "s"), "column 'x' is of the type timedelta64"),
    ([datetime.time(8, k) for k in range(50)], "column 'x' holds values of the type time"),
    (np.arange(50) * 1j, "column 'x' is of the type complex128"),
    ([None] * 49 + ["a"], r"\('x'\).*the cell is missing"),
    ([np.inf] + [1.0] * 49, "infinity|infinite"),
], ids=["list", "timedelta", "times", "complex", "missing", "infinite"])  # fmt: skip
def test_what_cannot_be_used_is_named(values, match):
    frame = pd.DataFrame({"y": np.arange(len(values), dtype=float), "x": values})
    with pytest.raises(ValueError, match=match):
        FROCC().fit(frame)


def test_parameters():
    rows = np.random.default_rng(5).normal(size=(300, 4))
    with pytest.raises(ValueError, match="'missing'.*'keep'"):
        FROCC(missing="median").fit(rows)
    with pytest.raises(TypeError, match="sample_weight cannot matter"):
        FROCC().fit(rows, sample_weight=np.ones(300))
    FROCC().fit(rows, sample_weight=None)
    with pytest.raises(TypeError, match="'weights'"):
        FROCC().fit(rows, weights=1)
    rows[3, 3] = np.nan
    with pytest.raises(DataError, match="missing"):  # every row is to get an answer
        FROCC(missing="drop").fit_predict(rows)
    with pytest.raises(DataError, match="missing='keep', 'mean' or 'drop'"):
        FROCC().fit(rows)


def test_texts_that_name_rows_are_no_feature():
    frame = pd.DataFrame({"id": [f"id {k}" for k in range(1500)], "x": np.arange(1500.0) % 7})
    model = FROCC(directions=16).fit(frame)
    assert model.feature_names_in_.tolist() == ["x"]
    assert np.array_equal(model.score_samples(frame), model.score_samples(frame[["x"]]))


def test_parts_of_times_and_texts_for_missing_cells():
    when = pd.Timestamp("2026-03-02") + pd.to_timedelta(np.arange(300), "h")
    frame = pd.DataFrame({"t": when, "k": ["a", "b", "?!"] * 100, "x": np.arange(300.0)})

    def features(**params):
        return FROCC(directions=16, missing="keep", **params).fit(frame)._columns.feature_names()

    assert features() == ["hour of t (sine)", "hour of t (cosine)", "state of t", "k", "x", "state of x"]
    assert features(time_parts=["weekday", "absolute"])[:3] == ["weekday of t", "t", "state of t"]
    with pytest.raises(DataError, match="missing"):
        FROCC(directions=16, na_values=["?!"]).fit(frame)
    for wrong in ({"time_parts": "year"}, {"na_values": "?!"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            FROCC(**wrong).fit(frame)


def test_nameless_columns_are_called_as_arrays_are(tmp_path):
    rows = np.random.default_rng(5).normal(size=(300, 3))
    rows[7, 2] = np.nan
    model = FROCC(directions=64, missing="keep").fit(rows)
    odd = np.array([[0.0, 0.0, 99.0]])
    assert [str(name) for name in model.explain(odd)[0].feature_names] == [
        name for k in range(3) for name in (f"x{k}", f"state of x{k}")]
    assert model.explain(odd)[0].top(1)[0][0] == "x2"
    with pytest.raises(DataError, match=r"column 2 \('x2'\)"):
        model.fit(np.where(rows == rows[3, 2], 1e200, rows))


def test_advice_about_rows_to_be_scored():
    rows = np.random.default_rng(5).normal(size=(300, 3))
    frame = pd.DataFrame(rows, columns=["a", "b", "c"]).assign(k=["x", "y"] * 150)
    frame.loc[7, "b"] = np.nan
    for call in (lambda: FROCC(missing="drop").fit_predict(frame), lambda: FROCC().fit(frame[8:]).predict(frame)):
        with pytest.raises(DataError, match="leave such rows out, or fit with missing='keep' or 'mean'") as caught:
            call()
        assert "drop" not in str(caught.value) and (caught.value.row, caught.value.column) == (7, 1)


@pytest.mark.parametrize("values, match", [
    ([1.5, datetime.datetime(2026, 11, 2)] * 25, "column 'x' holds times and numbers such as 1.5"),
    ([datetime.date(2026, 11, 2), 3] * 25, "column 'x' holds times and numbers such as 3"),
    ([1, 10**400] * 25, "column 'x' holds a number of 401 digits; expected less than 1.8e308"),
], ids=["times", "dates", "huge"])  # fmt: skip
def test_objects_of_several_kinds_are_named(values, match):
    frame = pd.DataFrame({"y": np.arange(50.0), "x": pd.Series(values, dtype=object)})
    with pytest.raises(ValueError, match=match):
        FROCC().fit(frame)


def marked(n=300):
    """Numbers among which some cells are texts, as exports of spreadsheets have them."""
    rng = np.random.default_rng(7)
    cells = [*map(float, rng.normal(size=n).round(3))]
    cells[3], cells[5], cells[7], cells[9], cells[11], cells[200] = 17, "-", "n/a", "off", None, "2.5"
    return pd.DataFrame({"y": rng.normal(size=n), "x": pd.Series(cells, dtype=object)})


def test_numbers_with_marks_are_judged_as_in_csv(tmp_path):
    frame = marked()
    theirs = fit(write(frame, tmp_path / "train.csv"), tmp_path / "m.frocc", "--missing", "keep")
    fitted = FROCC(directions=64, missing="keep").fit(frame)
    assert fitted.to_bytes() == theirs.read_bytes()
    numbers = frame.assign(x=pd.to_numeric(frame["x"], errors="coerce"))
    assert fitted.score_samples(frame)[300 // 2] == fitted.score_samples(numbers)[300 // 2]
    far = frame.assign(x=pd.Series([1e6, "-"] * 150, dtype=object))
    assert fitted.predict(far)[0] == -1
    with pytest.raises(DataError, match="the cell is missing") as caught:
        FROCC().fit(frame.drop(index=11))
    assert (caught.value.row, caught.value.column) == (5, 1)


def test_few_numbers_among_texts_are_texts(tmp_path):
    frame = marked()
    frame.loc[::2, "x"] = "low"
    frame.loc[1::4, "x"] = "high"
    frame["x"] = frame["x"].fillna("low")
    train = write(frame, tmp_path / "train.csv")
    theirs = fit(train, tmp_path / "m.frocc", "--missing", "keep", "--categorical", "x")
    fitted = FROCC(directions=64, missing="keep").fit(frame)
    assert np.array_equal(fitted.score_samples(frame), FROCC.load(theirs).score_samples(frame))


def test_blocks_with_marks_and_without():
    frame = marked()
    parts = [frame[:12], frame[12:150].astype({"x": float}), frame[150:]]
    whole = FROCC(directions=64, missing="keep").fit(frame)
    assert FROCC(directions=64, missing="keep").fit_stream(parts).to_bytes() == whole.to_bytes()
    with pytest.raises(ValueError, match="'x' holds something else in a later block"):
        FROCC(missing="keep").fit_stream(parts[1:] + parts[:1])


def counted(unit, n=300):
    """Times as numbers since 1970."""
    rng = np.random.default_rng(9)
    seconds = 1_788_220_800 + rng.integers(0, 30 * 86400, n)
    return pd.DataFrame({"seen_at": seconds * unit, "x": rng.normal(size=n), "amount": seconds})


@pytest.mark.parametrize("unit", [1, 10**3, 10**6, 10**9])
@pytest.mark.parametrize("missing", ["error", "keep"])
def test_numbers_that_are_times(unit, missing, tmp_path):
    frame = counted(unit)
    theirs = fit(write(frame, tmp_path / "train.csv"), tmp_path / "m.frocc", "--missing", missing)
    fitted = FROCC(directions=64, missing=missing).fit(frame)
    assert fitted.to_bytes() == theirs.read_bytes()
    assert fitted._columns.feature_names()[2] == "weekday of seen_at"
    frocc("score", theirs, tmp_path / "train.csv", "-o", tmp_path / "scores.npy")
    scores = np.load(tmp_path / "scores.npy")
    stamps = frame.assign(seen_at=pd.to_datetime(frame["seen_at"] // unit, unit="s"))
    for rows in (frame, frame[["amount", "x", "seen_at"]], frame.astype({"seen_at": float}), stamps,
                 pl.DataFrame(frame), frame.astype({"seen_at": object})):
        assert np.array_equal(fitted.score_samples(rows), scores)
    blocks = [frame[:100], frame[100:]]
    assert FROCC(directions=64, missing=missing).fit_stream(blocks).to_bytes() == fitted.to_bytes()


def test_days_that_are_numbers():
    """As many features as columns."""
    frame = counted(1).drop(columns="amount")
    frame["seen_at"] -= frame["seen_at"] % 86400
    fitted = FROCC(directions=64).fit(frame)
    assert fitted._columns.feature_names() == ["weekday of seen_at", "x"]
    later = frame.assign(seen_at=frame["seen_at"] + 52 * 7 * 86400)
    assert np.array_equal(fitted.score_samples(later), fitted.score_samples(frame))


def test_numbers_that_are_no_times(tmp_path):
    frame = counted(1)
    frame.loc[7, "seen_at"] = 5
    theirs = fit(write(frame, tmp_path / "train.csv"), tmp_path / "m.frocc")
    fitted = FROCC(directions=64).fit(frame)
    assert fitted.to_bytes() == theirs.read_bytes() and fitted._columns.n_features == 3
