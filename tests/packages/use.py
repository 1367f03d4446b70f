# SPDX-License-Identifier: BSD-3-Clause
"""In a folder where the command was used: the same from Python, as python.frocc and *.npy."""

import csv
import warnings

import numpy as np

from frocc import FROCC


def read(name):
    return np.loadtxt(name, delimiter=",", skiprows=1)


warnings.simplefilter("ignore")  # of columns that have no names here
normal, new = read("normal.csv"), read("new.csv")
fitted = FROCC().fit(normal)
fitted.save("python.frocc")
loaded = FROCC.load("command.frocc")
np.save("python.npy", fitted.score_samples(new))
np.save("loaded.npy", loaded.score_samples(new))

flags = np.loadtxt("flags.csv", delimiter=",", skiprows=1)
assert np.array_equal(loaded.predict(new) == -1, flags != 0), "predict differs from the command's"

with open("reasons.csv") as lines:
    row, score, _, name, _, value, better, _ = list(csv.reader(lines))[1]
assert float(score) == loaded.score_samples(new).min(), "explain has another score"
top, size = loaded.explain(new[[int(row) - 1]])[0].top(1)[0]
assert name == top, "explain differs from the command's"
assert np.isclose(float(value) - float(better), size, rtol=1e-3), "explain has other values"
