# SPDX-License-Identifier: BSD-3-Clause
"""The page's tables. Every number comes from the results and from the paper's own tables."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import reference
import sets
from common import digits, table

Results = dict[str, dict[str, Any]]

#: our key: (file, name on the page, key in the paper's tables)
METHODS = {
    "chosen": ("frocc", "FROCC", "frocc"),
    "ocsvm": ("peers", "OC-SVM", "ocsvm"),
    "iforest": ("peers", "Isolation Forest", "iforest"),
    "ae": ("deep", "auto-encoder", "ae"),
    "svdd-hard": ("deep", "Deep SVDD, hard", "svdd"),
    "svdd-soft": ("deep", "Deep SVDD, soft", "svdd"),
    "knn": ("peers", "5-NN", None),
    "loda": ("peers", "LODA", None),
    "ecod": ("peers", "ECOD", None),
    "hbos": ("peers", "HBOS", None),
    "published": ("frocc", "FROCC, published", "frocc"),
    "label-free": ("default", "frocc's default", None),
}
#: The five of the paper; of the two kinds of Deep SVDD the hard one, which its authors recommend.
OF_THE_PAPER = ("chosen", "ocsvm", "iforest", "ae", "svdd-hard")
PEERS_OF_TODAY = ("knn", "loda", "ecod", "hbos", "svdd-soft")
MUST = ("A1", "A2", "A4", "B3", "B4", "B5")


def values(results: Results, method: str, key: str, what: str = "auc") -> np.ndarray:
    """Percent, one a run; empty where there is no result."""
    runs = results.get(METHODS[method][0], {}).get("sets", {}).get(key, {})
    return np.array([100 * run[method][what] for run in runs.values() if method in run])


def mean(results: Results, method: str, key: str, what: str = "auc") -> float:
    found = values(results, method, key, what)
    return float(found.mean()) if len(found) else float("nan")


def keys(results: Results) -> list[str]:
    return [each.key for each in sets.SETS if each.key in results["frocc"]["sets"]]


def number(x: float, sign: bool = False) -> str:
    return "–" if np.isnan(x) else f"{x:+.1f}" if sign else f"{x:.1f}"


def spread(found: np.ndarray) -> str:
    return "–" if not len(found) else f"{found.mean():.2f} ± {found.std():.2f}"


def cell(ours: float, paper: float | None) -> str:
    if paper is None or np.isnan(ours):
        return number(ours)
    return f"{ours:.1f} / {paper:.1f} ({ours - paper:+.1f})"


# ---- FROCC -----------------------------------------------------------------------------------------

def usual(runs: dict[str, Any], name: str) -> str:
    """What the runs chose, the most frequent first."""
    found = Counter(f"{run['chosen'][name]:g}" if name in ("epsilon", "m") else run["chosen"][name]
                    for run in runs.values())
    return ", ".join(f"{value}" + (f" ×{n}" if len(found) > 1 else "")
                     for value, n in found.most_common())


def frocc(results: Results) -> str:
    rows = []
    for key in keys(results):
        each, found = sets.BY_KEY[key], values(results, "chosen", key)
        paper = reference.ROC[each.of]["frocc"]
        runs = results["frocc"]["sets"][key]
        rows.append([
            f"{key} {each.what}", spread(found),
            f"{paper:.2f} ± {reference.ROC_DEVIATION[each.of]['frocc']:.2f}",
            f"{found.mean() - paper:+.2f}", spread(values(results, "published", key)),
            spread(values(results, "label-free", key)),
            *(usual(runs, name) for name in ("kernel", "scaling", "epsilon", "m"))])
    rows.insert(next((i for i, row in enumerate(rows) if row[0].startswith("A4 ")), len(rows)),
                ["A3 MiniBooNE", "–", f"{reference.ROC['A3']['frocc']:.2f}", "–", "–", "–",
                 "no background rows here", "–", "–", "–"])
    return table(["set", "chosen on validation", "paper", "difference", "published parameters",
                  "frocc's default, no labels", "kernel", "scaling", "ε", "m"], rows)


def refused(results: Results) -> str:
    """What the default could not be fitted to."""
    found = {key: sum("refused" in run for run in runs.values())
             for key, runs in results["default"]["sets"].items()}
    some = [f"{key} in {n} of {sets.RUNS} runs" for key, n in found.items() if n]
    return "" if not some else (
        f"The default refuses the training rows of {', '.join(some)}: a column hardly varies in the "
        "sample its scaling is learnt from, and another row then overflows; the figure is over the "
        "other runs.")


def must_show(results: Results) -> str:
    rows = []
    for of in MUST:
        some = [key for key in keys(results) if sets.BY_KEY[key].of == of]
        found = {key: mean(results, "chosen", key) for key in some}
        paper = reference.ROC[of]["frocc"]
        rows.append([of, f"{paper:.2f}", ", ".join(f"{key} {v:.2f}" for key, v in found.items()),
                     ", ".join("yes" if v >= paper - 2 else f"**no** ({key})"
                               for key, v in found.items())])
    return table(["set", "paper", "ours", "within 2 points or above"], rows)


def below(results: Results) -> list[str]:
    return [key for key in keys(results) if sets.BY_KEY[key].of in MUST and
            mean(results, "chosen", key) < reference.ROC[sets.BY_KEY[key].of]["frocc"] - 2]


# ---- All methods -----------------------------------------------------------------------------------

def merits(results: Results, what: str, paper: dict[str, dict[str, float]] | None) -> str:
    """The paper's five methods, ours / the paper's (difference); bold is the best of ours."""
    rows = []
    for key in keys(results):
        found = {m: mean(results, m, key, what) for m in OF_THE_PAPER}
        best = np.nanmax(list(found.values()))
        cells = []
        for method, ours in found.items():
            name = METHODS[method][2]
            words = cell(ours, paper[sets.BY_KEY[key].of][name] if paper and name else None)
            cells.append(f"**{words}**" if ours == best else words)
        rows.append([key, *cells])
        if key == "A2" and paper:
            rows.append(["A3", *(f"– / {paper['A3'][METHODS[m][2] or '']:.1f}"
                                 for m in OF_THE_PAPER)])
    return table(["set", *(METHODS[m][1] for m in OF_THE_PAPER)], rows)


def others(results: Results, what: str) -> str:
    methods = ("chosen", *PEERS_OF_TODAY, "label-free")
    rows = []
    for key in keys(results):
        found = [mean(results, method, key, what) for method in methods]
        best = np.nanmax(found)
        rows.append([key, *(f"**{number(v)}**" if v == best else number(v) for v in found)])
    means = [np.nanmean([mean(results, m, key, what) for key in keys(results)]) for m in methods]
    rows.append(["mean", *(number(float(v)) for v in means)])
    return table(["set", *(METHODS[m][1] for m in methods)], rows)


def kernels_of_svm(results: Results) -> str:
    found = Counter(run["ocsvm"]["kernel"] for runs in results["peers"]["sets"].values()
                    for run in runs.values())
    return ", ".join(f"{kernel} {n}" for kernel, n in found.most_common())


# ---- Speed -----------------------------------------------------------------------------------------

def speed(results: Results) -> str:
    """time(IF) / time(M), training and testing."""
    rows = []
    timed, deep = results["speed"]["sets"], results["deep-times"]["sets"]
    for key, entry in timed.items():
        forest, paper = entry["times"]["iforest"], reference.SPEED[sets.BY_KEY[key].of]
        line = [key]
        for name in ("published-1", "published-2", "chosen-1", "chosen-2", "ocsvm"):
            base = entry["wall"]["iforest"] if name.endswith("-2") else forest
            ratio = [f / t for f, t in zip(base, entry["times"][name], strict=True)]
            theirs = paper["ocsvm"] if name == "ocsvm" else \
                paper["frocc"] if name == "published-1" else None
            words = f"{digits(ratio[0])}, {digits(ratio[1])}"
            line.append(words + (f" / {theirs[0]:.2f}, {theirs[1]:.2f}" if theirs else ""))
        for name, theirs in (("svdd-hard", paper["svdd"]), ("ae", paper["ae"])):
            run = deep.get(key, {}).get("0", {}).get(name)
            line.append("–" if not run else
                        f"{forest[0] / run['train_s']:.3f}, {forest[1] / run['test_s']:.2f}"
                        f" / {theirs[0]:.3f}, {theirs[1]:.3f}")
        line.append(f"{1000 * forest[0]:.0f}, {1000 * forest[1]:.0f}")
        rows.append(line)
    return table(["set", "FROCC published, 1 core / paper", "2 cores", "FROCC chosen, 1 core",
                  "2 cores", "OC-SVM / paper", "Deep SVDD (GPU) / paper",
                  "auto-encoder (GPU) / paper", "ms of IF"], rows)


def time_points(results: Results) -> dict[str, tuple[float, float]]:
    """For the figure: (seconds, AUC) of every method over the sets that were timed."""
    some = [key for key in results["speed"]["sets"] if key in results["peers"]["sets"]]

    def spent(method: str, key: str) -> float:
        if method in ("published", "chosen"):
            return sum(results["speed"]["sets"][key]["times"][f"{method}-1"])
        if method in ("iforest", "ocsvm"):
            return sum(results["speed"]["sets"][key]["times"][method])
        file = "deep-times" if METHODS[method][0] == "deep" else METHODS[method][0]
        run = results[file]["sets"][key]["0"][method]
        return run["train_s"] + run["test_s"]

    names = {"chosen": "FROCC, chosen", "published": "FROCC, published",
             "label-free": "FROCC, default"}
    return {names.get(method, METHODS[method][1]):
            (float(np.exp(np.mean([np.log(max(spent(method, key), 1e-6)) for key in some]))),
             float(np.mean([mean(results, method, key) for key in some])))
            for method in METHODS if some and all(len(values(results, method, key)) for key in some)}


# ---- Why -------------------------------------------------------------------------------------------

def steps(results: Results) -> str:
    found = results["experiments"]["steps"]
    names = ("published", "m", "kernel", "epsilon", "scaling", "scaling and epsilon")
    return table(["set", "published, m at most 1000", "m alone", "kernel alone", "ε alone",
                  "scaling alone", "scaling and ε", "all (chosen)"],
                 [[key, *(number(100 * entry.get(name, np.nan)) for name in names),
                   number(mean(results, "chosen", key))] for key, entry in found.items()])


def gains(results: Results) -> str:
    """Which single replacement gains most, by set."""
    best: dict[str, list[str]] = {}
    for key, entry in results["experiments"]["steps"].items():
        rise = {name: 100 * (entry[name] - entry["published"])
                for name in ("m", "kernel", "epsilon", "scaling") if name in entry}
        name = max(rise, key=lambda name: rise[name])
        best.setdefault(name, []).append(f"{key} ({rise[name]:+.1f})")
    words = {"m": "m", "kernel": "the kernel", "epsilon": "ε", "scaling": "the scaling"}
    return "; ".join(f"{words[name]} on {', '.join(some)}" for name, some in best.items())


def suspects(results: Results) -> str:
    found = results["experiments"]["suspects"]
    return table(["NSP 2 as the normal class", "training rows", "test rows", "chosen", "published"],
                 [[name, str(e["train"]), str(e["test"]), f"{100 * e['chosen']:.1f}",
                   f"{100 * e['published']:.1f}"] for name, e in found.items()])


def swapped(results: Results) -> str:
    found = results["experiments"]["swapped"]
    return table(["set", "normal class", "Isolation Forest", "with the class above", "paper", "FROCC",
                  "with the class above", "paper"],
                 [[key, e["class"], spread(100 * np.array(e["auc"])),
                   spread(values(results, "iforest", key)), f"{reference.ROC[key]['iforest']:.2f}",
                   spread(100 * np.array(e["frocc"])), spread(values(results, "chosen", key)),
                   f"{reference.ROC[key]['frocc']:.2f}"] for key, e in found.items()])


def decay(results: Results) -> str:
    points = results["theory"]["decay"]["points"]
    ms = sorted({p["m"] for p in points})
    rows = []
    for radius in sorted({p["radius"] for p in points}):
        some = {p["m"]: p for p in points if p["radius"] == radius}
        rows.append([f"{radius:g}", f"{1 - 1 / radius:.3f}",
                     *(f"{some[m]['measured']:.4f} / {some[m]['predicted']:.4f}" for m in ms)])
    return table(["r", "μ", *(f"m = {m}" for m in ms)], rows)


def stability(results: Results) -> str:
    points = results["theory"]["stability"]["points"]
    return table(["n", "ε 1: mean", "largest", "ε 0.1: mean", "largest"],
                 [[str(a["n"]), f"{a['mean']:.5f}", f"{a['largest']:.2f}", f"{b['mean']:.5f}",
                   f"{b['largest']:.2f}"] for a, b in zip(points[::2], points[1::2], strict=True)])


def toys(results: Results) -> str:
    rows = []
    for name, ours in results["theory"]["toys"].items():
        rows.append([name, *(f"{v:.1f} / {p:.1f} ({v - p:+.1f})"
                             for v, p in zip(ours, reference.TOYS[name], strict=True))])
    return table(["set", "ε 1, linear", "ε 1, RBF", "ε 0.1, linear", "ε 0.1, RBF"], rows)


def partial() -> str:
    rows = [["A3 MiniBooNE", "absent", "only signal rows are public here: no AUC"]]
    for each in sets.SETS:
        f, train, test = reference.SHAPES[each.of]
        rows.append([f"{each.key} {each.what}", "partial" if each.partial else "complete",
                     (each.partial + "; " if each.partial else "") +
                     f"paper: {f:,} columns, {train:,} training and {test:,} test rows"])
    return table(["set", "here", "notes"], rows)
