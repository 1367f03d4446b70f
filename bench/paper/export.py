# SPDX-License-Identifier: BSD-3-Clause
"""Writes the sets with their splits as files that deep.py reads, for a machine that has a GPU and
neither the sets nor the packages of this harness.

    bench/paper/run --export FOLDER [--only B3-0 B4]"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import sets


def pooled(X: np.ndarray, shape: tuple[int, ...], by: int = 3) -> tuple[np.ndarray, tuple[int, ...]]:
    """Means of by x by pixels, as bytes: networks of this size see nothing more in 105 x 105."""
    c, h, w = shape
    X = X.reshape(-1, c, h // by, by, w // by, by).mean(axis=(3, 5)) * 255
    return np.rint(X).astype(np.uint8).reshape(len(X), -1), (c, h // by, w // by)


def export(data: Path, folder: Path, keys: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for each in sets.SETS:
        if (keys and each.key not in keys) or not each.is_there(data):
            continue
        rows = each.load(data)
        splits = [sets.split(rows, run) for run in range(sets.RUNS)]
        parts = ("train", "test")
        used = np.unique(np.concatenate([getattr(s, part) for s in splits for part in parts]))
        place = np.zeros(len(rows.X), np.int32)
        place[used] = np.arange(len(used))
        arrays = {"shape": np.array(rows.shape, np.int64)}
        X = rows.X[used]
        if rows.shape and rows.shape[-1] > 64:
            X, arrays["shape"] = pooled(X, rows.shape)
        for run, s in enumerate(splits):
            arrays |= {f"{part}_{run}": place[getattr(s, part)] for part in parts}
            arrays[f"anomaly_{run}"] = s.anomaly
        np.savez_compressed(folder / f"{each.key}.npz", X=X, **arrays)
        print(f"{each.key}: {len(used)} rows, {(folder / f'{each.key}.npz').stat().st_size / 1e6:.1f} MB")
