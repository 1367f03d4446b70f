# SPDX-License-Identifier: BSD-3-Clause
"""What rows may look like, and what is said about rows that cannot be used."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from frocc import FROCC, DataError, _rows


@pytest.fixture(scope="module")
def data():
    return np.random.default_rng(3).normal(size=(300, 4)).astype(np.float32)


@pytest.fixture(scope="module")
def fitted(data):
    return FROCC.paper(directions=50).fit(data)


NAMES = ["a", "b", "c", "d"]
FORMS = {
    "float64": lambda X: X.astype(np.float64),
    "fortran": np.asfortranarray,
    "sliced rows": lambda X: np.repeat(X, 3, axis=0)[::3],
    "sliced columns": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "inner columns": lambda X: np.pad(X, ((0, 0), (2, 3)))[:, 2:6],
    "reversed": lambda X: X[::-1][::-1],
    "negative stride": lambda X: np.ascontiguousarray(X[::-1])[::-1],
    "big-endian": lambda X: X.astype(">f4"),
    "unaligned": lambda X: np.frombuffer(b"x" + X.tobytes(), np.uint8)[1:].view(np.float32)
    .reshape(X.shape),
    "list": lambda X: X.tolist(),
    "object": lambda X: X.astype(object),
    "longdouble": lambda X: X.astype(np.longdouble),
    "pandas": pd.DataFrame,
    "pandas mixed": lambda X: pd.DataFrame(X).astype({0: np.float64}),
    "csr": sp.csr_matrix,
    "csr array": sp.csr_array,
    "csc": sp.csc_matrix,
    "coo": sp.coo_array,
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_any_form_gives_the_same_model_and_scores(data, fitted, form):
    rows = FORMS[form](data)
    assert FROCC.paper(directions=50).fit(rows).to_bytes() == fitted.to_bytes()
    assert np.array_equal(fitted.score_samples(FORMS[form](2 * data)), fitted.score_samples(2 * data))


@pytest.mark.parametrize("frame", [
    lambda X: pd.DataFrame(X, columns=NAMES),
    lambda X: pl.DataFrame(X, schema=NAMES),
    lambda X: pa.table({name: X[:, j] for j, name in enumerate(NAMES)}),
    lambda X: pa.record_batch({name: X[:, j] for j, name in enumerate(NAMES)}),
], ids=["pandas", "polars", "arrow table", "arrow batch"])  # fmt: skip
def test_frames_keep_their_names(data, fitted, frame):
    named = FROCC.paper(directions=50).fit(frame(data))
    assert named.feature_names_in_.tolist() == NAMES
    assert named.to_bytes() == FROCC.paper(directions=50).fit(frame(data)).to_bytes()
    assert FROCC.from_bytes(named.to_bytes()).feature_names_in_.tolist() == NAMES
    assert np.array_equal(named.score_samples(frame(2 * data)), fitted.score_samples(2 * data))
    why = named.explain(frame(9 * data[:1]))[0]
    assert why.feature_names.tolist() == NAMES
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.score_samples(data)


@pytest.mark.parametrize("make", [pd.DataFrame, lambda frame: pl.DataFrame(dict(frame)),
                                  pa.Table.from_pandas], ids=["pandas", "polars", "arrow"])  # fmt: skip
def test_columns_are_put_right_by_name(data, make):
    frame = pd.DataFrame(data, columns=NAMES)
    named = FROCC.paper(directions=50).fit(make(frame))
    other = 2 * frame
    expected = named.score_samples(make(other))
    for model in (named, FROCC.from_bytes(named.to_bytes())):
        reversed_ = model.score_samples(make(other[NAMES[::-1]]))
        assert np.array_equal(reversed_, expected)
        more = model.score_samples(make(other.assign(other=1.0)[["other", *NAMES]]))
        assert np.array_equal(more, expected)
        with pytest.raises(ValueError, match=f"now missing:\n- {NAMES[1]}"):
            model.predict(make(other.drop(columns=NAMES[1])))


def test_two_columns_of_one_name_are_refused(data):
    with pytest.raises(ValueError, match="two columns are called 'a'"):
        FROCC().fit(pd.DataFrame(data, columns=["a", "a", *NAMES[2:]]))


def requests(n, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "ms": rng.normal(20, 5, n), "kind": rng.choice(["get", "put"], n),
        "size": rng.integers(0, 50, n),
    })  # fmt: skip


def test_texts_are_features(tmp_path):
    fitted = FROCC(directions=64).fit(requests(600))
    assert fitted.n_features_in_ == 3 and fitted.info_["n_features"] == 3
    assert fitted.feature_names_in_.tolist() == ["ms", "kind", "size"]
    new = requests(50, 1)
    odd = new.assign(kind="delete")
    for model in (fitted, FROCC.from_bytes(fitted.to_bytes())):
        scores = model.score_samples(new)
        assert np.array_equal(model.score_samples(new[["size", "kind", "ms"]]), scores)
        assert (model.score_samples(odd) < scores).all()
        assert model.explain(odd[:1])[0].feature_names.tolist() == [
            "ms", "kind", "size"]
        with pytest.raises(ValueError, match="- kind"):
            model.predict(new[["ms", "size"]])
        with pytest.raises(ValueError, match="data frame with the columns 'ms', 'kind', 'size'"):
            model.predict(new[["ms", "size"]].to_numpy())
    with pytest.raises(DataError, match=r"\('kind'\).*the cell is missing") as caught:
        fitted.predict(new.assign(kind=["get"] * 7 + [None] * 43))
    assert (caught.value.row, caught.value.column) == (7, 1)
    with pytest.raises(DataError, match=r"\('ms'\).*'long' is not a number"):
        fitted.predict(new.assign(ms="long"))
    more = fitted.partial_fit(requests(300, 2))
    assert more.n_samples_seen_ == 900
    categories = new.assign(kind=new["kind"].astype("category"))
    assert np.array_equal(more.score_samples(categories), more.score_samples(new))


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.bool_, np.float16])
def test_other_numbers_are_converted(data, dtype):
    rows = (3 * data).astype(dtype)
    expected = FROCC.paper(directions=50).fit(rows.astype(np.float64))
    assert FROCC.paper(directions=50).fit(rows).to_bytes() == expected.to_bytes()


@pytest.mark.parametrize("form", ["float64", "sliced rows", "inner columns"])
def test_no_copy(data, form):
    rows = FORMS[form](data)
    rows.flags.writeable = False
    view = _rows.view(FROCC(), rows, reset=True)
    assert np.shares_memory(view.values, rows)
    assert view.struct.values == rows.__array_interface__["data"][0]
    memory_map = rows.view(np.memmap)
    assert np.shares_memory(_rows.view(FROCC(), memory_map, reset=True).values, rows)


def test_csr_is_not_copied(data):
    rows = sp.csr_matrix(data)
    view = _rows.view(FROCC(), rows, reset=True)
    assert np.shares_memory(view.values.data, rows.data)


def test_csr_of_any_kind(data):
    sparse = data * (np.random.default_rng(0).random(data.shape) < 0.3)
    expected = FROCC.paper(directions=50).fit(sparse)
    rows = sp.csr_matrix(sparse)
    shuffled = rows.copy()
    for r in range(rows.shape[0]):
        part = slice(*rows.indptr[r : r + 2])
        shuffled.indices[part] = rows.indices[part][::-1]
        shuffled.data[part] = rows.data[part][::-1]
    shuffled.has_sorted_indices = False
    shuffled.has_canonical_format = False
    before = shuffled.indices.copy()
    wide = rows.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    doubled = sp.csr_matrix((np.tile(rows.tocoo().data / 2, 2),
                             (np.tile(rows.tocoo().row, 2), np.tile(rows.tocoo().col, 2))),
                            shape=rows.shape)  # fmt: skip
    for form in (rows, shuffled, wide, doubled, rows[::-1][::-1]):
        assert FROCC.paper(directions=50).fit(form).to_bytes() == expected.to_bytes()
    assert np.array_equal(shuffled.indices, before)  # the caller's matrix is left alone
    assert np.array_equal(expected.score_samples(3 * rows), expected.score_samples(3 * sparse))


def test_inputs_are_not_changed(data):
    rows = data.copy()
    FROCC(directions=50, scaling="standard", fpr=0.1).fit(rows).predict(rows)
    assert np.array_equal(rows, data)


# ---- What cannot be used ---------------------------------------------------------------------------

QUESTIONS = ["score_samples", "decision_function", "predict", "agreement", "explain"]


@pytest.mark.parametrize("question", QUESTIONS)
class TestRefused:
    def refuse(self, fitted, question, rows, error, match):
        with pytest.raises(error, match=match):
            getattr(fitted, question)(rows)

    def test_width(self, fitted, question, data):
        self.refuse(fitted, question, data[:, :3], ValueError,
                    "X has 3 features, but FROCC is expecting 4 features as input")  # fmt: skip

    def test_no_rows(self, fitted, question, data):
        self.refuse(fitted, question, data[:0], ValueError,
                    r"Found array with 0 sample\(s\) \(shape=\(0, 4\)\) while a minimum of 1")  # fmt: skip

    def test_one_dimension(self, fitted, question, data):
        self.refuse(fitted, question, data[0], ValueError, "Expected 2D array, got 1D array")

    def test_three_dimensions(self, fitted, question, data):
        self.refuse(fitted, question, data[None], ValueError, "Found array with dim 3")

    def test_nan(self, fitted, question, data):
        for sparse in (np.asarray, sp.csr_matrix):
            rows = data.copy()
            rows[17, 2] = np.nan
            self.refuse(fitted, question, sparse(rows), DataError,
                        r"Input X contains NaN\.\n.*row 17, column 2")  # fmt: skip

    def test_infinity(self, fitted, question, data):
        rows = data.copy()
        rows[17, 2] = -np.inf
        self.refuse(fitted, question, rows, ValueError,
                    r"Input X contains infinity or a value too large for dtype\('float32'\)")  # fmt: skip

    def test_huge(self, fitted, question, data):
        rows = data.astype(np.float64)
        rows[17, 2] = 1e200
        self.refuse(fitted, question, rows, ValueError,
                    r"Input X contains a value too large\.\n.*row 17, column 2.*units")  # fmt: skip

    def test_text(self, fitted, question, data):
        rows = data.astype(object)
        rows[3, 1] = "high"
        self.refuse(fitted, question, rows, ValueError, "could not convert string to float: 'high'")

    def test_complex(self, fitted, question, data):
        self.refuse(fitted, question, data * 1j, ValueError, "Complex data not supported")

    def test_ragged(self, fitted, question, data):
        self.refuse(fitted, question, [[1, 2, 3, 4], [1, 2]], ValueError, "inhomogeneous|setting an")

    def test_not_an_array(self, fitted, question, data):
        self.refuse(fitted, question, None, ValueError, "Expected 2D array, got scalar|None")

    def test_not_fitted(self, fitted, question, data):
        self.refuse(FROCC(), question, data, NotFittedError, "This FROCC instance is not fitted yet")


@pytest.mark.parametrize("params", [{}, {"scaling": "standard"}, {"score_method": "closeness"}])
def test_fit_names_row_and_column(data, params):
    rows = np.tile(data.astype(np.float64), (100, 1))
    rows[20123, 3] = np.nan
    estimator = FROCC.paper(directions=2000, **params)
    with pytest.raises(ValueError, match=r"contains NaN\.\n.*row 20123, column 3"):
        estimator.fit(rows)
    with pytest.raises(ValueError, match=r"row 20123, column 3 \('d'\)"):
        estimator.fit(pd.DataFrame(rows, columns=NAMES))
    with pytest.raises(NotFittedError):
        estimator.predict(data)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("ask", ["fit", "partial_fit", "explain"])
def test_errors_know_row_and_column(data, make, ask):
    estimator = FROCC.paper(directions=20)
    if ask in ("partial_fit", "explain"):
        estimator.fit(data)
    rows = data.copy()
    rows[123, 1] = np.inf
    with pytest.raises(DataError) as caught:
        getattr(estimator, ask)(make(rows))
    assert (caught.value.row, caught.value.column) == (123, 1)
    assert DataError("without a place").row is None


def test_a_failed_partial_fit_changes_nothing(data):
    estimator = FROCC(directions=50, fpr=0.1).fit(data)
    before = estimator.to_bytes()
    with pytest.raises(ValueError):
        estimator.partial_fit(data * np.nan)
    with pytest.raises(ValueError, match="features"):
        estimator.partial_fit(data[:, :2])
    assert estimator.to_bytes() == before


@pytest.mark.parametrize("params, match", [
    ({"directions": 0}, "directions"), ({"directions": -1}, "directions"),
    ({"directions": 10.0}, "directions"), ({"directions": 1 << 30}, "directions"),
    ({"directions": True}, "directions"), ({"directions": "many"}, "directions"),
    ({"epsilon": 0}, "epsilon"), ({"epsilon": 1.5}, "epsilon"), ({"epsilon": np.nan}, "epsilon"),
    ({"epsilon": "small"}, "epsilon"), ({"kernel": "cubic"}, "kernel.*'rbf'"),
    ({"kernel": None}, "kernel"), ({"kernel": "rbf", "gamma": -1.0}, "gamma"),
    ({"gamma": "large"}, "gamma"), ({"degree": 0, "kernel": "poly"}, "degree"),
    ({"degree": 2.5}, "degree"), ({"coef0": np.inf}, "coef0"), ({"scaling": "log"}, "scaling"),
    ({"scaling": 3}, "scaling"), ({"scaling": (1, 2, 3)}, "scaling"),
    ({"scaling": (np.zeros(4), np.zeros(4))}, "scaling"), ({"family": "none"}, "family"),
    ({"family": [["x"] * 4]}, "family"), ({"score_method": "best"}, "score_method"),
    ({"threshold": 2.0}, "threshold"), ({"threshold": "high"}, "threshold"),
    ({"fpr": -0.1}, "fpr"), ({"fpr": 1.0}, "fpr"), ({"fpr": "auto"}, "fpr"), ({"fpr": 0.1}, "fpr.*threshold"),
    ({"score_method": "closeness", "threshold": 0.5, "fpr": 0.1}, "fpr.*threshold"),
    ({"score_method": "closeness", "calibration": 0, "fpr": 0.1}, "calibration"),
    ({"contamination": -0.1}, "contamination"), ({"contamination": 0.6}, "contamination"),
    ({"contamination": "auto"}, "contamination.*'fpr'"), ({"contamination": True}, "contamination"),
    ({"contamination": 0.1}, "contamination.*agreement"),
    ({"trees": -1}, "trees"), ({"trees": 2.0}, "trees"),
    ({"score_method": "closeness", "trees": 5000}, "^trees is 5000"),
    ({"score_method": "closeness", "epsilon": 0.3}, "epsilon.*closeness"),
    ({"score_method": "closeness", "epsilon": 2**-17}, "epsilon.*closeness"), ({"random_state": -1}, "random_state"),
    ({"random_state": "x"}, "random_state"), ({"n_jobs": 0}, "n_jobs"),
], ids=str)  # fmt: skip
def test_parameters_that_cannot_be(data, params, match):
    with pytest.raises(ValueError, match=match):
        FROCC.paper(**params).fit(data)


# ---- Names, and fits that fail --------------------------------------------------------------------


def texts_and_numbers(n=200):
    return pd.DataFrame({"a": np.arange(n) % 7 * 1.0, "b": ["x", "y"] * (n // 2)})


def bad_blocks():
    yield pd.DataFrame({"other": np.arange(100.0)})
    raise RuntimeError("the source is gone")


BAD = {
    "fit": lambda model: model.fit(pd.DataFrame({"b": [1.0, np.nan] * 50, "c": ["p", "q"] * 50})),
    "fit numbers": lambda model: model.fit(pd.DataFrame({"c": [1.0, np.nan] * 50, "b": 1.0})),
    "fit array": lambda model: model.fit(np.array([[1.0, np.nan, 2.0]] * 9)),
    "fit parameters": lambda model: model.set_params(directions=0).fit(np.ones((9, 3))),
    "fit_stream": lambda model: model.fit_stream(bad_blocks),
    "fit_stream texts": lambda model: model.fit_stream([pd.DataFrame({"b": ["x"] * 9}), 5]),
    "partial_fit": lambda model: model.partial_fit(texts_and_numbers().assign(a=np.nan)),
    "partial_fit names": lambda model: model.partial_fit(pd.DataFrame({"q": [*"xyz", None]})),
}


@pytest.mark.parametrize("spoil", BAD)
@pytest.mark.parametrize("first", ["texts", "numbers", "array", "none"])
def test_a_failed_fit_leaves_all_as_it_was(first, spoil):
    good = texts_and_numbers()
    if first == "numbers":
        good = good.assign(b=np.arange(200.0))
    if first == "array":
        good = np.random.default_rng(0).normal(size=(200, 2))
    model = FROCC(directions=16)
    if first != "none":
        model.fit(good)
    before = {name: value for name, value in vars(model).items() if name not in model.get_params()}
    scores = None if first == "none" else model.score_samples(good)
    with pytest.raises(Exception):
        BAD[spoil](model)
    after = {name: value for name, value in vars(model).items() if name not in model.get_params()}
    assert set(after) == set(before) and all(after[name] is before[name] for name in before)
    if first == "none":
        with pytest.raises(NotFittedError):
            model.score_samples(good)
    else:
        assert np.array_equal(model.score_samples(good), scores)


ODD_NAMES = {
    "texts": lambda frame: frame.set_axis([0, 1], axis=1),
    "one text": lambda frame: frame.set_axis(["a", 1], axis=1),
    "truths": lambda frame: pd.DataFrame({0: frame["a"], 1: frame["b"] == "x"}),
    "digits": lambda frame: pd.DataFrame({0: frame["a"].astype(str)}),
    "categories": lambda frame: pd.DataFrame({0: pd.Categorical(frame["a"])}),
    "times": lambda frame: pd.DataFrame({0: pd.date_range("2026-11-02", periods=len(frame), freq="h")}),
    "pairs": lambda frame: frame.set_axis(pd.MultiIndex.from_tuples([("a", 1), ("b", 2)]), axis=1),
    "NUL": lambda frame: frame.set_axis(["a", "b\0"], axis=1),
}


@pytest.mark.parametrize("missing", ["error", "keep"])
@pytest.mark.parametrize("make", ODD_NAMES)
def test_frames_without_names_are_numbers(make, missing):
    frame = ODD_NAMES[make](texts_and_numbers())
    numbers = FROCC(directions=16).fit(np.arange(float(frame.size)).reshape(frame.shape))
    stream = FROCC(directions=16, missing=missing)
    for call in (FROCC(directions=16, missing=missing).fit, numbers.score_samples,
                 lambda frame: stream.fit_stream([frame, frame])):  # fmt: skip
        with pytest.raises(ValueError, match=r"the name of a column, .*frame.columns.map\(str\)"):
            call(frame)
    if make != "NUL":
        frame.columns = frame.columns.map(str)
        assert FROCC(directions=16).fit(frame).feature_names_in_.tolist() == frame.columns.tolist()


def test_a_scored_frame_with_a_column_twice():
    frame = texts_and_numbers()
    model = FROCC(directions=16).fit(frame)
    with pytest.raises(ValueError, match="two columns are called 'b'; give each a name"):
        model.predict(pd.concat([frame, frame[["b"]]], axis=1))
    extra = pd.concat([frame, pd.DataFrame(0, index=frame.index, columns=["z", "z"])], axis=1)
    assert np.array_equal(model.predict(extra), model.predict(frame))


# ---- Arrow tables ---------------------------------------------------------------------------------


def indexed():
    """The index has a name, and whole numbers have gaps."""
    rng = np.random.default_rng(0)
    return pd.DataFrame({
        "a": rng.normal(size=300), "b": pd.array([None, *range(299)], "Int64"),
        "c": rng.choice(["x", "y"], 300),
    }, index=pd.Index(rng.integers(0, 9, 300), name="load"))  # fmt: skip


@pytest.mark.parametrize("index", ["load", None, "first"])
def test_an_index_with_a_name_is_a_column(index, tmp_path):
    frame = indexed().rename_axis(index if index == "load" else None)
    if index == "first":
        frame = indexed().set_index("c", append=True)
    table = pa.Table.from_pandas(frame)
    pq.write_table(table, tmp_path / "rows.parquet")
    words = [sys.executable, "-m", "frocc", "fit", "-m", "16", "--missing", "keep", "-o", "m.frocc", "rows.parquet"]
    subprocess.run(words, cwd=tmp_path, check=True)
    expected = (tmp_path / "m.frocc").read_bytes()
    detector = FROCC(directions=16, missing="keep")
    assert detector.fit(table).to_bytes() == expected
    assert detector.feature_names_in_.tolist() == [name for name in table.column_names if "__" not in name]
    assert detector.fit_stream(tmp_path / "rows.parquet").to_bytes() == expected
    assert detector.fit_stream(table.to_batches(max_chunksize=90)).to_bytes() == expected
    kinds = _rows._from_arrow(table).dtypes
    assert str(kinds["b"]) == "Int64"


def test_names_of_a_table_are_texts():
    table = pa.Table.from_pandas(pd.DataFrame({0: ["x", "y"] * 50, 1: np.arange(100.0)}))
    assert FROCC(directions=16).fit(table).feature_names_in_.tolist() == ["0", "1"]
