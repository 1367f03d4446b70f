# SPDX-License-Identifier: BSD-3-Clause
"""What the Python layer costs, in time of the processor. Alternating runs and their minimum, so that
a busy machine does not decide; what is still too slow then is measured again before it counts."""

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


def attempts(limit, measure, times=5):
    found = []
    for _ in range(times):
        found.append(measure())
        if found[-1] < limit:
            return
    pytest.fail(f"{found}, not below {limit}")


def test_a_million_rows_cost_what_the_library_costs(case):
    model, X = case
    rows = _library.Rows(len(X), 10, _library.F32, X.ctypes.data, 10)
    scores = np.empty(len(X))
    scorer = _library.new(lib.frocc_scorer_new, model._model.handle, 1)

    def native():
        lib.frocc_scorer_score(scorer, rows, scores.ctypes.data)

    def overhead():
        pairs = [(seconds(native), seconds(lambda: model.score_samples(X))) for _ in range(4)]
        return min(ours for _, ours in pairs) / min(theirs for theirs, _ in pairs) - 1

    attempts(0.02, overhead)
    lib.frocc_scorer_free(scorer)
    assert np.array_equal(scores, model.score_samples(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["score_samples", "decision_function", "predict"])
def test_one_row_takes_microseconds(case, method, dtype):
    model, X = case
    row = X[:1].astype(dtype)
    ask = getattr(model, method)
    attempts(20e-6, lambda: min(seconds(lambda: ask(row), 200) for _ in range(20)))
