# SPDX-License-Identifier: BSD-3-Clause
"""Files, bytes, pickles and copies: the same bits, and no trust in what is read."""

import copy
import pickle
import stat

import joblib
import numpy as np
import pandas as pd
import pytest

from frocc import FROCC, ModelFileError

CASES = [
    {}, {"scaling": "none", "family": "gaussian", "score_method": "agreement"},
    {"fpr": 0.1}, {"threshold": 0.5, "calibration": 100}, {"contamination": 0.1, "trees": 3},
    {"scaling": "whiten", "family": "gaussian"}, {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"scaling": "standard", "fpr": 0.1}, {"random_state": 2**63 + 5},
    {"scaling": (np.arange(5.0), np.full(5, 2.0)), "family": np.eye(5, dtype=np.float32)},
]  # fmt: skip


@pytest.fixture(params=CASES, ids=lambda params: "-".join(params) or "plain")
def fitted(request, X):
    return FROCC(**{"directions": 80, **request.param}).fit(X)


WAYS = {
    "pickle": lambda e, path: pickle.loads(pickle.dumps(e)),
    "pickle 2": lambda e, path: pickle.loads(pickle.dumps(e, protocol=2)),
    "copy": lambda e, path: copy.copy(e),
    "deepcopy": lambda e, path: copy.deepcopy(e),
    "joblib": lambda e, path: (joblib.dump(e, path), joblib.load(path))[1],
    "file": lambda e, path: (e.save(path), FROCC.load(path))[1],
    "str path": lambda e, path: (e.save(str(path)), FROCC.load(str(path)))[1],
    "bytes": lambda e, path: FROCC.from_bytes(e.to_bytes()),
    "bytearray": lambda e, path: FROCC.from_bytes(bytearray(e.to_bytes())),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_same_bits(fitted, way, queries, tmp_path):
    other = WAYS[way](fitted, tmp_path / "mödel.frocc")
    assert other.to_bytes() == fitted.to_bytes()
    assert other.score_samples(queries).tobytes() == fitted.score_samples(queries).tobytes()
    assert np.array_equal(other.predict(queries), fitted.predict(queries))
    assert other.offset_ == fitted.offset_


def test_a_loaded_estimator_has_the_parameters(fitted, X):
    loaded = FROCC.from_bytes(fitted.to_bytes())
    loaded.fit(X)
    assert loaded.to_bytes() == fitted.to_bytes()


def test_pickle_keeps_names_and_goes_on(X):
    frame = pd.DataFrame(X, columns=list("abcde"))
    fitted = FROCC(directions=50, fpr=0.1).fit(frame[:300])
    other = pickle.loads(pickle.dumps(fitted))
    assert other.feature_names_in_.tolist() == list("abcde")
    assert other.partial_fit(frame[300:]).to_bytes() == fitted.partial_fit(frame[300:]).to_bytes()


def test_unfitted_pickles(X):
    other = pickle.loads(pickle.dumps(FROCC(directions=50)))
    assert other.get_params() == FROCC(directions=50).get_params()


def test_a_file_is_the_bytes(X, tmp_path):
    fitted = FROCC(directions=50).fit(X)
    fitted.save(tmp_path / "m.frocc")
    assert (tmp_path / "m.frocc").read_bytes() == fitted.to_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["m.frocc"]
    assert stat.S_IMODE((tmp_path / "m.frocc").stat().st_mode) & 0o600 == 0o600


def test_damaged_bytes_are_refused(X):
    data = FROCC(directions=20).fit(X).to_bytes()
    for size in range(0, len(data), 97):
        with pytest.raises(ModelFileError):
            FROCC.from_bytes(data[:size])
    for place in range(0, len(data), 31):
        broken = bytearray(data)
        broken[place] ^= 4
        with pytest.raises(ModelFileError):
            FROCC.from_bytes(broken)


def test_a_damaged_pickle_is_refused(X):
    state = pickle.dumps(FROCC(directions=20).fit(X))
    data = FROCC(directions=20).fit(X).to_bytes()
    place = state.find(data) + len(data) // 2
    with pytest.raises(ModelFileError):
        pickle.loads(state[:place] + bytes([state[place] ^ 1]) + state[place + 1 :])


def test_memory_is_limited(X, tmp_path):
    fitted = FROCC(directions=500).fit(X)
    path = tmp_path / "m.frocc"
    fitted.save(path)
    for load, what in ((FROCC.load, path), (FROCC.from_bytes, fitted.to_bytes())):
        with pytest.raises(MemoryError, match="max_memory"):
            load(what, max_memory=path.stat().st_size + 1)
        assert load(what, max_memory=1 << 30).to_bytes() == fitted.to_bytes()


def test_pickles_have_no_limit(X):
    wide = FROCC(directions=800, epsilon=2.0**-16, trees=0).fit(X[:2])
    assert len(wide.to_bytes()) * 512 < 800 * 65536
    with pytest.raises(MemoryError):
        FROCC.from_bytes(wide.to_bytes())
    assert pickle.loads(pickle.dumps(wide)).to_bytes() == wide.to_bytes()


def test_files_that_cannot_be(X, tmp_path):
    with pytest.raises(FileNotFoundError):
        FROCC.load(tmp_path / "none.frocc")
    with pytest.raises(OSError):
        FROCC.load(tmp_path)
    with pytest.raises(OSError, match="nowhere"):
        FROCC(directions=5).fit(X).save(tmp_path / "nowhere" / "m.frocc")
    with pytest.raises(ValueError, match="NUL byte"):  # C would write cut.frocc
        FROCC(directions=5).fit(X).save(str(tmp_path / "cut.frocc") + "\0evil")
    assert not (tmp_path / "cut.frocc").exists()
    (tmp_path / "threads.frocc").write_text("not a model")
    with pytest.raises(ModelFileError, match="threads.frocc"):  # a name, no word to translate
        FROCC.load(tmp_path / "threads.frocc")
