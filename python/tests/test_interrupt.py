# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C ends long calls soon, and what it ended can be used again."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from frocc import FROCC

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent as on Unix")


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(7).normal(size=(1_500_000, 10)).astype(np.float32)


@pytest.fixture(scope="module")
def fitted(rows):
    return FROCC(n_jobs=2).fit(rows[:20_000])


@pytest.fixture(autouse=True)
def as_in_a_terminal():
    """A shell has what runs in the background ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def seconds_to_end(call):
    """From a Ctrl-C in the middle of a call to its end."""
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.15, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    timer.join()
    return time.perf_counter() - sent[0]


@pytest.mark.parametrize("name", ["score_samples", "predict", "fit", "p_values"])
def test_a_long_call_ends(name, fitted, rows):
    usual = fitted.score_samples(rows[:100])
    estimator = FROCC(n_jobs=2) if name == "fit" else fitted
    assert seconds_to_end(lambda: getattr(estimator, name)(rows)) < 1.0  # .2 on an idle machine
    assert (fitted.score_samples(rows[:100]) == usual).all()
    assert not any(thread.name == "frocc" for thread in threading.enumerate())


def test_other_handlers_are_called_meanwhile(fitted, rows):
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(time.perf_counter()))
    try:
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGUSR1))
        timer.start()
        scores = fitted.score_samples(rows[:600_000])
        end = time.perf_counter()
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert len(seen) == 1 and seen[0] < end
    assert (scores[:100] == fitted.score_samples(rows[:100])).all()
