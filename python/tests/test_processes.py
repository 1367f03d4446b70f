# SPDX-License-Identifier: BSD-3-Clause
"""Threads, forked and spawned processes, joblib, and memory over many models.

What could hang runs in a process of its own with a time limit.
"""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import Parallel, delayed

from frocc import FROCC


def run(code, seconds=600):
    result = subprocess.run(
        [sys.executable, "-c", code], timeout=seconds, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return result.stdout.split()


# The parent uses threads first: a child that took them for its own would wait for ever.
CHILDREN = """
import multiprocessing, pickle, sys
import numpy as np
from frocc import FROCC
X = np.random.default_rng(0).normal(size=(20000, 8))

def fit(part):
    return FROCC(directions=200, scaling="standard", n_jobs=4).fit(part).to_bytes()

def score(arguments):
    model, rows = arguments
    return model.score_samples(rows), len(model.explain(rows[:1]))

if __name__ == "__main__":
    model = FROCC(directions=200, n_jobs=4).fit(X)
    expected = model.score_samples(2 * X)
    parts = np.array_split(X, 4)
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(2) as pool:
        fitted = pool.map(fit, parts)
        scores = pool.map(score, [(model, 2 * part) for part in parts])
    assert fitted == [fit(part) for part in parts]
    assert np.array_equal(np.concatenate([s for s, _ in scores]), expected)
    assert np.array_equal(model.score_samples(2 * X), expected)  # the parent is as it was
    print("fine")
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method, tmp_path):
    script = tmp_path / "children.py"
    script.write_text(CHILDREN)
    result = subprocess.run([sys.executable, script, method], timeout=600, capture_output=True,
                            text=True)  # fmt: skip
    assert result.stdout.split() == ["fine"], result.stderr[-2000:]


INHERITED = """
import os
import numpy as np
from frocc import FROCC
X = np.random.default_rng(0).normal(size=(20000, 8))
model = FROCC(directions=200, n_jobs=4).fit(X)
expected = model.score_samples(2 * X)
for _ in range(3):
    child = os.fork()
    if child == 0:
        same = np.array_equal(model.score_samples(2 * X), expected)
        again = FROCC.from_bytes(model.to_bytes()).partial_fit(X).set_params(n_jobs=-1)
        same = same and np.array_equal(again.fit(X).score_samples(2 * X), expected)
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
print("fine")
"""


def test_a_forked_child_uses_its_parents_model():
    assert run(INHERITED) == ["fine"]


THREADS = """
import os, threading
import numpy as np
from frocc import FROCC
X = np.random.default_rng(0).normal(size=(200000, 8))
model = FROCC(directions=200, n_jobs=4).fit(X[:2000])
model.score_samples(X)
if os.fork() == 0:
    most, done = 0, threading.Event()
    def watch():
        global most
        while not done.is_set():
            most = max(most, len(os.listdir("/proc/self/task")))
    watcher = threading.Thread(target=watch)
    watcher.start()
    model.score_samples(X)
    done.set()
    watcher.join()
    os._exit(most)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="no /proc/self/task")
def test_a_forked_child_uses_threads():
    (most,) = run(THREADS)
    assert int(most) > 2  # its own one, and the one that watches


def fit_and_score(X, seed):
    return FROCC(directions=50, random_state=seed, n_jobs=2).fit(X).score_samples(2 * X)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_joblib(X, backend):
    expected = [fit_and_score(X, seed) for seed in range(6)]
    found = Parallel(n_jobs=2, backend=backend)(delayed(fit_and_score)(X, s) for s in range(6))
    assert np.array_equal(found, expected)


def test_joblib_shares_one_model(X):
    model = FROCC(directions=50, n_jobs=-1).fit(X)
    found = Parallel(n_jobs=2)(delayed(model.score_samples)(2 * X) for _ in range(4))
    assert all(np.array_equal(scores, model.score_samples(2 * X)) for scores in found)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_share_one_model(n_jobs):
    X = np.random.default_rng(0).normal(size=(3000, 6))
    model = FROCC(directions=300, n_jobs=n_jobs).fit(X)
    expected = model.score_samples(2 * X), model.predict(2 * X)
    start = threading.Barrier(8)

    def work(k):
        start.wait()
        for _ in range(5):
            scores, labels = model.score_samples(2 * X[k:]), model.predict(2 * X[k:])
            assert np.array_equal(scores, expected[0][k:])
            assert np.array_equal(labels, expected[1][k:])
        return FROCC(directions=300).fit(X).to_bytes()

    with ThreadPoolExecutor(8) as pool:
        fitted = list(pool.map(work, range(8)))
    assert set(fitted) == {model.to_bytes()}


def test_an_error_in_one_thread_stays_there(X):
    model = FROCC(directions=50).fit(X)
    expected = model.score_samples(X)
    bad = X.copy()
    bad[5, 3] = np.nan

    def work(k):
        if k % 2:
            with pytest.raises(ValueError, match="row 5, column 3"):
                model.score_samples(bad)
        else:
            assert np.array_equal(model.score_samples(X), expected)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(200)))


GROWTH = """
import ctypes, gc, pickle
import numpy as np
from frocc import FROCC

PR_SET_THP_DISABLE = 41  # a large page counts as 2 MiB, whenever the system makes one
ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4

X = np.random.default_rng(0).normal(size=(200, 10))
def work(k):
    make = FROCC if k % 10 == 0 else FROCC.paper
    model = make(directions=100, random_state=k, scaling="standard").fit(X)
    model.score_samples(X); model.predict(X); model.explain(4 * X[:1]); model.seal()
    model.coarsen(0.2); model + model; pickle.loads(pickle.dumps(model))
    if model.trees == 0:
        model.truncate(3)
    else:
        model.decontaminate(0.1)
    model.directions_, model.intervals_
    try:
        model.predict(X * np.nan)
    except ValueError:
        pass
for k in range(300):
    work(k)
gc.collect()
grown = []
for part in range(3):  # a leak shows every time, a large page that the system makes does not
    before = resident()
    for k in range(400):
        work(k)
    gc.collect()
    grown.append(resident() - before)
print(min(grown))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc/self/statm")
def test_a_thousand_models_leave_nothing_behind():
    (grown,) = run(GROWTH)
    assert int(grown) < 2048, f"{grown} KiB"
