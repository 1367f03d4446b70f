# SPDX-License-Identifier: BSD-3-Clause
"""The figures as PNG files in docs/paper. The same results give the same bytes with the same version
of matplotlib: no dates, no versions in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import toys  # noqa: E402

NAMES = {"A1": "diabetes", "A2": "MAGIC", "B1": "vehicle (subset)", "B2": "Kitsune (part)",
         "B3-0": "MNIST, digit 0", "B7": "Omniglot"}
EXTENT = (-toys.SIDE, toys.SIDE, -toys.SIDE, toys.SIDE)


@contextmanager
def figure(file: Path, rows: int, columns: int, size: tuple[float, float],
           **more: Any) -> Iterator[Any]:
    plt.rcParams.update({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False})
    drawn, axes = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False,
                               **more)
    yield axes
    drawn.savefig(file, dpi=80, metadata={"Software": None})
    plt.close(drawn)


def bare(axis: Any) -> None:
    axis.set(xticks=[], yticks=[])
    for side in axis.spines.values():
        side.set_visible(False)


def decision_regions(folder: Path) -> None:
    """Figure 1: agreement as shades, the region that every direction accepts outlined."""
    roc, pixels = toys.roc_of_toys(), toys.picture()
    with figure(folder / "regions.png", 2, 4, (8.4, 4.8)) as axes:
        for line, (name, make) in zip(axes, toys.TOYS.items(), strict=True):
            X = make(1000, np.random.default_rng(0))
            for axis, variant, value in zip(line, toys.VARIANTS, roc[name], strict=True):
                shade = toys.toy_model(X, *variant).score_samples(pixels)
                shade = shade.reshape(toys.PIXELS, -1)
                axis.imshow(shade, origin="lower", extent=EXTENT, cmap="Greys_r", vmin=0, vmax=1)
                axis.contour(shade, [1 - 1e-9], origin="lower", extent=EXTENT, colors="tab:red",
                             linewidths=0.8)
                axis.plot(*X[:200].T, ".", ms=1.5, color="tab:blue")
                axis.set_title(f"{name}, ε {variant[0]:g}, {variant[1]}\nROC {value / 100:.3f}")
                bare(axis)


def contours(folder: Path) -> None:
    X, shares = toys.acceptance(1000)
    with figure(folder / "contours.png", 1, 3, (7.5, 2.7)) as axes:
        for axis, (m, share) in zip(axes[0], shares.items(), strict=True):
            drawn = axis.contourf(share.reshape(toys.PIXELS, -1), np.linspace(0, 1, 11),
                                  origin="lower", extent=EXTENT, cmap="viridis")
            axis.plot(*X.T, ".", ms=2, color="white")
            axis.set_title(f"m = {m}")
            bare(axis)
        axes[0, 0].figure.colorbar(drawn, ax=axes[0].tolist(), label="share of 1,000 models: yes")


def _lines(axis: Any, x: list[float], chosen: np.ndarray, published: np.ndarray) -> None:
    for values, color, label in ((chosen, "tab:red", "chosen kernel and scaling"),
                                 (published, "tab:gray", "published kernel, no scaling")):
        axis.plot(x, values.mean(0), ".-", color=color, label=label, lw=1)
        axis.fill_between(x, values.min(0), values.max(0), color=color, alpha=0.2, lw=0)
    axis.set_xscale("log")


def sensitivity(folder: Path, curves: dict[str, Any], frocc: dict[str, Any]) -> None:
    """Against m at the epsilon that was chosen in run 0, and against epsilon at m 1000."""
    epsilons, ms = curves["epsilons"], curves["directions"]
    panels = [("m", key) for key in ("B3-0", "B1", "B7", "B2") if key in curves["sets"]]
    panels += [("epsilon", key) for key in ("B3-0", "A2") if key in curves["sets"]]
    for what, name in (("m", "directions.png"), ("epsilon", "epsilon.png")):
        some = [key for kind, key in panels if kind == what]
        if not some:
            continue
        with figure(folder / name, 1, len(some), (2.6 * len(some), 2.3)) as axes:
            for axis, key in zip(axes[0], some, strict=True):
                surfaces = {k: 100 * np.array(v) for k, v in curves["sets"][key].items()}
                best = epsilons.index(frocc["sets"][key]["0"]["chosen"]["epsilon"])
                pick = (slice(None), best) if what == "m" else (slice(None), slice(None), -1)
                _lines(axis, ms if what == "m" else epsilons, surfaces["chosen"][pick],
                       surfaces["published"][pick])
                axis.set_title(NAMES[key])
                axis.set_xlabel("m" if what == "m" else "ε")
            axes[0, 0].set_ylabel("ROC AUC, %")
            axes[0, 0].legend(fontsize=6, frameon=False)


def against_time(folder: Path, points: dict[str, tuple[float, float]]) -> None:
    """points: method: (seconds for training and testing, geometric mean over sets; mean AUC)."""
    with figure(folder / "time.png", 1, 1, (5.2, 3.2)) as axes:
        axis = axes[0, 0]
        for name, (spent, merit) in points.items():
            color = "tab:red" if name.startswith("FROCC") else "tab:blue"
            axis.plot(spent, merit, "o", ms=4, color=color)
            axis.annotate(name, (spent, merit), xytext=(4, 3), textcoords="offset points", fontsize=7)
        axis.set(xscale="log", xlabel="seconds to train and test, geometric mean over the sets",
                 ylabel="ROC AUC, %, mean over the sets")
        axis.margins(0.15)


def theory(folder: Path, found: dict[str, Any]) -> None:
    with figure(folder / "theory.png", 1, 2, (7.2, 2.6)) as axes:
        decay, stable = axes[0]
        points = found["decay"]["points"]
        for radius in sorted({p["radius"] for p in points}):
            some = [p for p in points if p["radius"] == radius]
            line, = decay.plot([p["m"] for p in some], [p["predicted"] for p in some], lw=0.8)
            seen = [p for p in some if p["measured"] > 0]
            decay.plot([p["m"] for p in seen], [p["measured"] for p in seen], "o", ms=3,
                       color=line.get_color(), label=f"r = {radius:g}")
        decay.set(xscale="log", yscale="log", ylim=(1e-4, 1.5), xlabel="m",
                  ylabel="share of models that accept", title="(1 − μ)^m, predicted and measured")
        decay.legend(fontsize=6, frameon=False)
        for epsilon, color in ((1.0, "tab:red"), (0.1, "tab:blue")):
            some = [p for p in found["stability"]["points"] if p["epsilon"] == epsilon]
            n = [p["n"] for p in some]
            stable.plot(n, [p["mean"] for p in some], ".-", color=color, lw=1,
                        label=f"ε {epsilon:g}, mean over rows")
            stable.plot(n, [p["largest"] for p in some], ".:", color=color, lw=1,
                        label=f"ε {epsilon:g}, largest")
        stable.set(xscale="log", yscale="log", xlabel="n", ylabel="change in V",
                   title="one row left out")
        stable.legend(fontsize=6, frameon=False)
