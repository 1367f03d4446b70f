# SPDX-License-Identifier: BSD-3-Clause
"""What the Python layer costs, in time of the processor.

A busy machine varies by more than the 2 % in question, so whole calls are not compared: the layer is
timed alone, with a stand-in for the library's function. A fixed number of runs and one verdict; a
test that is repeated until it passes would prove nothing.
"""

import ctypes
import time

import numpy as np
import pytest

from frocc import FROCC, _library
from frocc._library import lib


def seconds(call, repeat=1):
    start = time.thread_time()
    for _ in range(repeat):
        call()
    return (time.thread_time() - start) / repeat


@pytest.fixture(scope="module", params=[FROCC(), FROCC.paper()], ids=["default", "paper"])
def case(request):
    X = np.random.default_rng(0).normal(size=(1_000_000, 10)).astype(np.float32)
    return request.param.fit(X[:12_000]), X


def test_a_million_rows_cost_what_the_library_costs(case, monkeypatch):
    model, X = case
    rows = _library.Rows(len(X), 10, _library.F32, X.ctypes.data, 10)
    scores = np.empty(len(X))
    scorer = _library.new(lib.frocc_scorer_new, model._model.handle, 1)
    native = min(
        seconds(lambda: lib.frocc_scorer_score(scorer, rows, scores.ctypes.data)) for _ in range(5)
    )
    lib.frocc_scorer_free(scorer)
    assert np.array_equal(scores, model.score_samples(X))

    def stand_in(scorer, rows, out):
        # Writes the scores, as the library does: the pages of a new array cost time at first use.
        ctypes.memset(out, 0, scores.nbytes)
        return 0

    monkeypatch.setattr(lib, "frocc_scorer_score", stand_in)
    layer = np.median([seconds(lambda: model.score_samples(X)) for _ in range(21)])
    print(f"layer {1e3 * layer:.2f} ms, library {1e3 * native:.1f} ms: {layer / native:.2%}")
    assert layer < 0.02 * native


def test_one_row_costs_less_than_a_hundred_calls(case, monkeypatch):
    """Beside the library's own work; in calls of a Python function that does nothing, as machines
    differ in how fast they are. The fastest of many short runs, all in turn."""
    model, X = case
    for function in ("frocc_scorer_score", "frocc_scorer_count", "frocc_scorer_decide"):
        monkeypatch.setattr(lib, function, lambda *arguments: 0)
    asks = {
        (method, dtype.__name__): (getattr(model, method), X[:1].astype(dtype))
        for method in ("score_samples", "decision_function", "predict")
        for dtype in (np.float32, np.float64)
    }
    asks["call"] = lambda row: None, X[:1]
    found = {name: [] for name in asks}
    for _ in range(150):
        for name, (ask, row) in asks.items():
            found[name].append(seconds(lambda: ask(row), 50))
    call = min(found.pop("call"))
    for name, times in found.items():
        print(*name, f"fastest {1e6 * min(times):.1f} us, {min(times) / call:.0f} calls")
    assert max(min(times) for times in found.values()) < 100 * call
