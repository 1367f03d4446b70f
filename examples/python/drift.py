# SPDX-License-Identifier: BSD-3-Clause
"""A stream that drifts: what is normal is what the last ten blocks were.

A sketch of each block is kept in a ring. Their merge is, to the last bit, the model of all rows in
the window, so old blocks are forgotten without keeping any row.
"""

from collections import deque

import numpy as np

from frocc import FROCC

rng = np.random.default_rng(0)
everything = None
window = deque(maxlen=10)

print("block  centre   alarms of the window   alarms of all blocks so far")
for block in range(60):
    centre = 0.0 if block < 20 else 0.25 * (block - 20)  # it starts to move, slowly
    rows = rng.normal(size=(500, 4)) + centre

    if len(window) == window.maxlen and block % 5 == 0:
        old = rng.normal(size=(500, 4))  # what was normal at the beginning
        recent = sum(window)
        found = [f"{1 - model.agreement(old).mean():22.1%}" for model in (recent, everything)]
        print(f"{block:5d} {centre:7.2f} {found[0]} {found[1]}")

    sketch = FROCC.paper(directions=200, epsilon=0.05).fit(rows)
    window.append(sketch)
    everything = sketch if everything is None else everything + sketch

rows = np.vstack([rng.normal(size=(10, 4)) + 9.75, rng.normal(size=(10, 4))])
print("\nnew rows, then rows as at the beginning:")
print("window    ", "".join("." if label == 1 else "X" for label in sum(window).predict(rows)))
print("all blocks", "".join("." if label == 1 else "X" for label in everything.predict(rows)))
