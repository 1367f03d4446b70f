# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/accuracy.md from the results. Every number on the page comes from the JSON files; a
sentence that judges is chosen by the numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import detectors
import numpy as np
from common import digits, table
from measure import ALPHAS
from protocol import MANY_ROWS, MOST_UNLABELLED

Result = dict[str, Any]

HELD = 1024  # distinct rows that calibrate at most; copies of one do not vary by themselves


def set_aucs(result: Result) -> np.ndarray:
    return np.array([np.mean(entry["auc"]) for entry in result["sets"].values()])


def mean_auc(result: Result) -> float:
    return float(np.mean(set_aucs(result)))


def short(name: str) -> str:
    """14_glass -> glass"""
    return name.split("_", 1)[1] if name.split("_", 1)[0].isdigit() else name


def size(n: float) -> str:
    return f"{n / 1e6:.1f} MB" if n >= 1e6 else f"{n / 1e3:.0f} kB"


def small_p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}".replace("e-0", "e-")


def holm(p_values: np.ndarray) -> np.ndarray:
    order, n = np.argsort(p_values), len(p_values)
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p_values[order] * (n - np.arange(n))))
    return adjusted


# ---- Detectors -------------------------------------------------------------------------------------

def compared(results: dict[str, Result], names: dict[str, str] | None = None) -> str:
    from scipy.stats import rankdata, wilcoxon

    keys = list(results)
    auc = np.array([set_aucs(results[key]) for key in keys])
    ranks = np.mean([rankdata(-column) for column in auc.T], axis=0)
    frocc, forest = auc[keys.index("frocc")], auc[keys.index("iforest")]
    others = [i for i, key in enumerate(keys) if key != "frocc"]
    raw = np.array([wilcoxon(frocc, auc[i]).pvalue for i in others])
    p = dict(zip(others, zip(raw, holm(raw), strict=True), strict=True))
    rows = []
    for i in sorted(range(len(keys)), key=lambda i: -auc[i].mean()):
        wins = "" if keys[i] == "iforest" else f"{np.sum(auc[i] > forest)} of {len(forest)}"
        against = "" if i not in p else f"{np.sum(frocc > auc[i])} : {np.sum(frocc < auc[i])}"
        tests = ["", ""] if i not in p else [small_p(p[i][0]), small_p(p[i][1])]
        name = names[keys[i]] if names else detectors.DETECTORS[keys[i]][1]
        rows.append([f"**{name}**" if keys[i] == "frocc" else name, f"{auc[i].mean():.4f}",
                     f"{np.median(auc[i]):.4f}", f"{ranks[i]:.2f}", wins, against, *tests])
    return table(["detector", "mean AUC", "median", "mean rank", "above Isolation Forest",
                  "frocc wins : loses", "Wilcoxon p", "after Holm"], rows)


def costs(results: dict[str, Result]) -> str:
    rows = []
    for key, result in results.items():
        entries = [e for e in result["sets"].values() if e["test"] >= 1000]
        times = [e["score_ms_per_1000"] for e in entries]
        many = [e for e in entries if e["train"] > MANY_ROWS]
        rows.append([detectors.DETECTORS[key][1], digits(float(np.median(times))),
                     f"{digits(min(times))} to {digits(max(times))}",
                     digits(float(np.median([e["fit_s"] for e in many]))) if many else "",
                     size(float(np.median([e["model_bytes"] for e in entries]))),
                     size(max(e["model_bytes"] for e in entries))])
    return table(["detector", "ms per 1,000 rows, median set", "least to most",
                  f"s to fit, sets over {MANY_ROWS:,} rows", "model, median", "model, largest"],
                 rows)


def per_set(results: dict[str, Result]) -> str:
    rows = []
    for name, entry in results["frocc"]["sets"].items():
        values = [float(np.mean(result["sets"][name]["auc"])) for result in results.values()]
        best = max(round(v, 3) for v in values)
        rows.append([short(name), f"{entry['train']:,}", str(entry["features"]),
                     *(f"**{v:.3f}**" if round(v, 3) == best else f"{v:.3f}" for v in values)])
    heads = ["frocc", "paper", "IF", "OC-SVM", "LODA", "ECOD", "HBOS", "LOF", "5-NN", "Mahalanobis"]
    return table(["set", "training rows", "features", *heads], rows)


def more_rows(capped: dict[str, Result], full: dict[str, Result]) -> str:
    """Sets that have more training rows in the full protocol than in the capped one."""
    names = [name for name, e in full["frocc"]["sets"].items()
             if e["train"] > capped["frocc"]["sets"][name]["train"]]
    rows = []
    for key in full:
        few, many = ([float(np.mean(r["sets"][name]["auc"])) for name in names]
                     for r in (capped[key], full[key]))
        change = np.subtract(many, few)
        i = int(np.argmin(change))
        rows.append([detectors.DETECTORS[key][1], f"{np.mean(few):.4f}", f"{np.mean(many):.4f}",
                     f"{np.mean(change):+.4f}", f"{short(names[i])} ({change[i]:+.3f})"])
    return (", ".join(map(short, names)) + ".\n\n" +
            table(["detector", "capped", "full", "change", "worst change"], rows))


def losses(results: dict[str, Result], key: str, by: float = 0.02) -> str:
    names = list(results["frocc"]["sets"])
    lost = set_aucs(results[key]) - set_aucs(results["frocc"])
    worst = [i for i in np.argsort(-lost) if lost[i] >= by]
    return ", ".join(f"{short(names[i])} ({lost[i]:.2f})" for i in worst) or "none"


# ---- False alarms ----------------------------------------------------------------------------------

def alarm_rates(result: Result, alpha: float) -> list[tuple[str, float, float]]:
    """(set, share of fresh normal rows with a p-value of at most alpha, its standard error) of the
    sets with enough rows for that alpha."""
    rates = []
    for name, entry in result["sets"].items():
        e = entry["false_alarms"]
        fresh, held = np.array(e["fresh"]), np.minimum(e["calibration_rows"], HELD)
        if (held + 1).min() * alpha < 1 or fresh.min() * alpha < 10:
            continue
        variance = alpha * (1 - alpha) * np.mean(1 / fresh + 1 / (held + 2)) / len(fresh)
        rates.append((short(name), float(np.mean(np.array(e[str(alpha)]) / fresh)),
                      float(np.sqrt(variance))))
    return rates


def chance_above(alpha: float, fresh: int, held: int) -> float:
    """The probability that a model whose p-values are exact has a share of false alarms above
    2 alpha: its true rate is Beta(k, h + 1 - k), and the number of alarms binomial given that."""
    from scipy.stats import betabinom

    held = min(held, HELD)
    k = int(np.floor(alpha * (held + 1) + 1e-9))
    if k == 0:
        return 0.0
    return float(betabinom.sf(np.floor(2 * alpha * fresh), fresh, k, held + 1 - k))


def single_runs(result: Result, alpha: float) -> tuple[int, int, float]:
    """Runs, a set with a seed each and all sets; those with a share above 2 alpha; and how many of
    these chance alone would make."""
    runs = [run for entry in result["sets"].values() for run in
            zip(*(entry["false_alarms"][key] for key in (str(alpha), "fresh", "calibration_rows")),
                strict=True)]
    above = sum(count > 2 * alpha * fresh for count, fresh, _ in runs)
    return len(runs), above, sum(chance_above(alpha, fresh, held) for _, fresh, held in runs)


def alarms(result: Result) -> str:
    rows = []
    for alpha in ALPHAS:
        rates = alarm_rates(result, alpha)
        if not rates:
            continue
        mean = float(np.mean([rate for _, rate, _ in rates]))
        error = float(np.sqrt(np.sum([e * e for _, _, e in rates])) / len(rates))
        worst = max(rates, key=lambda r: r[1])
        runs, above, expected = single_runs(result, alpha)
        rows.append([f"{alpha:g}", str(len(rates)), f"{mean:.5f}", f"{error:.5f}",
                     "yes" if mean <= alpha + error else "**no**",
                     f"{worst[1]:.5f} ({worst[0]}, ± {worst[2]:.5f})",
                     "yes" if worst[1] <= 2 * alpha else "**no**", f"{above} of {runs}",
                     f"{expected:.1f}"])
    return table(["α", "sets", "mean false alarms", "standard error", "mean ≤ α + error",
                  "largest set", "largest ≤ 2α", "single runs above 2α", "by chance alone"], rows)


# ---- Blind spots -----------------------------------------------------------------------------------

BLIND = {"clusters": "anomalies midway between k clusters, AUC; k",
         "gross": "one feature moved by so many σ, share found at 1 % false alarms",
         "dirty": "so many anomalies among 2,000 training rows, AUC"}


def blind(results: dict[str, Result]) -> str:
    parts = []
    for what, title in BLIND.items():
        heads = list(results["frocc"]["means"][what])
        rows = [[detectors.DETECTORS[key][1], *(f"{result['means'][what][h]:.3f}" for h in heads)]
                for key, result in results.items()]
        parts.append(table([title, *heads], rows))
    return "\n\n".join(parts)


# ---- Speed -----------------------------------------------------------------------------------------

TREE_FEATURES = 15  # up to which "auto" of scikit-learn takes a k-d tree


def neighbour_times(entry: Result) -> dict[str, float]:
    """us a row: by brute force, by what scikit-learn chooses, and by the fastest of all."""
    times = entry["neighbours_us"]
    chosen = "kd_tree" if entry["features"] <= TREE_FEATURES else "brute"
    return {"brute force": times["brute"], "auto": times[chosen], "fastest": min(times.values())}


def speed(result: Result) -> str:
    rows = []
    for name, e in result["sets"].items():
        times = neighbour_times(e)
        rows.append([short(name), f"{e['train']:,}", str(e["features"]), digits(e["frocc_us"]),
                     *(f"{digits(t)} ({t / e['frocc_us']:.0f} ×)" for t in times.values()),
                     size(e["frocc_bytes"]), size(e["frocc_bytes_of_a_tenth"]),
                     size(e["neighbours_bytes"])])
    return table(["set", "training rows", "features", "frocc, µs a row", "5-NN, brute force",
                  "5-NN, auto", "5-NN, fastest", "frocc's model", "the same, a tenth of the rows",
                  "rows kept by 5-NN"], rows)


def speed_reading(result: Result) -> str:
    words = []
    for way, what in (("brute force", "brute force"), ("auto", "what scikit-learn chooses"),
                      ("fastest", "the fastest exact search")):
        ratios = {short(name): neighbour_times(e)[way] / e["frocc_us"]
                  for name, e in result["sets"].items()}
        good = [f"{name} ({ratio:.0f})" for name, ratio in ratios.items() if ratio >= 100]
        bad = [f"{name} ({ratio:.0f})" for name, ratio in ratios.items() if ratio < 100]
        words.append(f"- Against {what}: at least 100 times as fast on {', '.join(good) or 'none'}"
                     + (f"; **not 100 times as fast** on {', '.join(bad)}." if bad else "."))
    return "\n".join(words)


# ---- The page --------------------------------------------------------------------------------------

def few_seeds(results: dict[str, Result]) -> str:
    sets = {short(name) for result in results.values() for name, e in result["sets"].items()
            if len(e["auc"]) < result["seeds"]}
    slow = [detectors.DETECTORS[key][1] for key, result in results.items()
            if any(len(e["auc"]) < result["seeds"] for e in result["sets"].values())]
    return f"{', '.join(slow)} ran with seed 0 only on {', '.join(sorted(sets))}"


def write(folder: Path, out: Path) -> None:
    found = {file.stem: json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))}
    by = {which: {key: found[f"{which}-{key}"] for key in detectors.DETECTORS
                  if f"{which}-{key}" in found} for which in ("capped", "full")}
    odd = {key: found[f"odd-{key}"] for key in detectors.DETECTORS if f"odd-{key}" in found}
    blind_spots = {key: found[f"blind-{key}"] for key in detectors.DETECTORS
                   if f"blind-{key}" in found}
    missing = [f"{which}-{key}" for which in by for key in detectors.DETECTORS
               if key not in by[which]] + [n for n in ("speed", "script", "blind-frocc")
                                           if n not in found]
    missing += [f"odd-{key}" for key in detectors.DETECTORS if key not in odd]
    unlabelled = {key: found[f"unsupervised-{key}"] for key in detectors.UNSUPERVISED
                  if f"unsupervised-{key}" in found}
    missing += [f"unsupervised-{key}" for key in detectors.UNSUPERVISED if key not in unlabelled]
    if missing:
        raise SystemExit(f"no page: results are missing: {', '.join(missing)}")
    capped, full, script = by["capped"], by["full"], found["script"]
    machines = sorted({result["machine"] for result in found.values()})
    packages = {k: v for result in found.values() for k, v in result.get("versions", {}).items()}
    scripted = (f"`adbench_eval.py --seeds {script['seeds']}`, as it is, gives a mean AUC of "
                f"**{script['mean']:.4f}** for the command without flags." if script.get("mean") else
                "The evaluation script was not there when this page was written.")
    out.write_text(TEXT.format(
        n=len(capped["frocc"]["sets"]),
        scripted=scripted,
        capped=compared(capped),
        full=compared(full),
        more_rows=more_rows(capped, full),
        costs=costs(full),
        per_set=per_set(full),
        alarms=alarms(full["frocc"]),
        odd=compared(odd),
        n_odd=len(odd["frocc"]["sets"]),
        unlabelled=compared(unlabelled, detectors.UNSUPERVISED),
        most_unlabelled=f"{MOST_UNLABELLED:,}",
        lost_unlabelled=losses(unlabelled, "iforest", 0.05),
        blind=blind(blind_spots),
        speed=speed(found["speed"]),
        speed_reading=speed_reading(found["speed"]),
        few_seeds=few_seeds(full),
        svm_rows=f"{detectors.OneClassSVM.most_rows:,}",
        lost_forest=losses(full, "iforest"),
        lost_svm=losses(full, "ocsvm"),
        lost_neighbours=losses(full, "knn"),
        lost_lof=losses(full, "lof"),
        lost_paper=losses(full, "frocc-paper"),
        machines=", ".join(machines),
        packages=", ".join(f"{name} {version}" for name, version in sorted(packages.items())),
    ))
    print(f"wrote {out}")


TEXT = """\
# Accuracy

How well frocc tells normal rows from others when nobody tunes it, next to detectors that people
use. Written by `make accuracy` from [bench/accuracy/results](../bench/accuracy/results); do not edit.

No labels are used: every detector is fitted on normal rows with one setting for all sets, and
labels only measure. **The comparison is not neutral**: frocc's default was chosen by its mean AUC over
these same sets, while the peers have defaults that their authors chose elsewhere. Its means are
therefore optimistic by an unknown amount, and so are the p-values below. The figure is the area under
the ROC curve (AUC): how often a normal row scores above an anomaly. The sets are the {n} tabular sets
of ADBench in `../shared/data/adbench`.

## Protocols

- **Full**: the normal rows are shuffled with seed s; the first half, at most 50,000 rows, trains;
  the other half and all anomalies test. Seeds 0 to 4; a set counts with the mean over its seeds.
- **Capped**: the same with at most 3,000 training rows and at most 2,000 normal and 2,000 anomalous
  test rows, as in `../shared/adbench_eval.py`; seeds 0 to 4.

| detector | setting |
| --- | --- |
| frocc (default) | `frocc fit data`: closeness, 256 mixed directions, 24 trees, asinh scaling |
| frocc as in the paper | agreement, m 1000, ε 0.1, linear, on standardised columns |
| Isolation Forest, OC-SVM (RBF), LOF (novelty, 20 neighbours) | scikit-learn's defaults |
| LODA, ECOD, HBOS | PyOD's defaults. PyOD's ECOD looks at the test rows, too, when it scores |
| 5 nearest neighbours | distance to the fifth nearest training row, exact |
| Mahalanobis distance | from the mean, by the covariance of the training rows (scikit-learn) |

All but frocc's default get columns of mean 0 and variance 1 over the training rows. To end within
an hour, OC-SVM trains on at most {svm_rows} rows, and in the full protocol {few_seeds}.

Ranks are over all detectors of a table, 1 is best. The paired test is Wilcoxon's signed-rank test,
two-sided, of frocc's default against the detector over the sets; beside it the p-value after Holm's
correction for the comparisons of the table.

## Capped protocol

{scripted}

{capped}

## OddBench

Other tables than ADBench's: the {n_odd} that are in `../shared/data/oddbench`, real ones, split into at
most 3,000 normal training rows and test rows. The default was chosen on these, too
([algorithm](algorithm.md#without-labels-closeness)); other tables of it are kept back for others to
measure.

{odd}

## The odd rows of a table

Without normal rows to learn from: all rows of a set train, anomalies among them, and each training row
gets a score, as users of PyOD have it (`decision_scores_`); labels only measure. {n} sets of ADBench, of
the larger ones {most_unlabelled} rows drawn at random, seeds 0 to 2 for the draw and for the detectors that
have one. Detectors of PyOD with its defaults on columns of mean 0 and variance 1; frocc is
`frocc.pyod.FROCC()`, contamination 0.1 like PyOD's, which scores each row as if it had not been there.
How contaminated rows are judged was chosen among about 50 settings on these very sets, with seeds 0 and 1
([algorithm](algorithm.md)), so frocc's mean is optimistic.

{unlabelled}

By 0.05 or more frocc loses to Isolation Forest on {lost_unlabelled}.

## What a detector must not be blind to

`../shared/blind_spots.py`, each detector with its one setting; means over seeds and sets.

{blind}

## Full protocol

{full}

### More training rows

The sets that have over 3,000 training rows in the full protocol. Test rows differ as well, and some
peers have one seed, so small changes mean nothing: {more_rows}

### Costs

CPU time on one thread, rows scored in one batch, on a machine that others used at the same time:
three runs of the speed table below differed by up to 60 % in a time, and by a third in a ratio. Over
the sets with at least 1,000 test rows. A model's size is that of its file, or of the pickled object
for the others.

{costs}

### Every set

{per_set}

## False alarms

The default model turns scores into p-values. Below is the share of fresh normal rows, those of the
full protocol's test part, with a p-value of at most α, averaged over seeds. A set counts for an α
when its calibration rows allow a p-value that small and α promises at least 10 alarms in each run. The
standard error has two sources, the fresh rows and the h calibration rows, of which 1,024 count at most
(the others are copies of them): variance α (1 − α) (1/fresh + 1/(h + 2)) / seeds. It takes the seeds
for independent; they split the same rows, so it is somewhat too small, and more so where rows have
many copies, as in donors.

The last two columns take every set with every seed by itself, few rows or not. A single model's
threshold rests on at most 1,024 rows, so its rate varies even where p-values are exact: as
Beta(k, h + 1 − k) with k = ⌊α (h + 1)⌋, and the alarms among the fresh rows binomially around that.
How many runs would be above 2α by chance alone, if they were independent, is the last column.

{alarms}

The means may lie below α, by design: the claim P(p ≤ α) ≤ α is one-sided
([algorithm](algorithm.md#calibration)), and rows that score alike, as they do in sets with few distinct
values, count against a fresh row.

## Scoring speed at 50,000 training rows

Against exact 5-nearest-neighbour search of scikit-learn by brute force (matrix products), k-d tree
and ball tree (trees up to 100 features), one thread, CPU time, the best of three runs each, large
batches; in brackets how many times as fast frocc is. "auto" is what `NearestNeighbors` chooses: a k-d
tree up to 15 features, else brute force. The size of frocc's model has a bound by m, ε, the number of
features and of calibration rows; below the bound it varies with the data.

{speed}

{speed_reading}

With few features a tree finds neighbours in microseconds, and no method that looks at 256 directions
and 24 trees is a hundred times as fast as that.

## Where frocc's default loses

By 0.02 AUC or more in the full protocol:

- to Isolation Forest: {lost_forest}
- to OC-SVM: {lost_svm}
- to 5 nearest neighbours: {lost_neighbours}
- to LOF: {lost_lof}
- to frocc as in the paper: {lost_paper}

## How to repeat

    make                            # build/libfrocc.so and build/frocc
    make accuracy                   # frocc anew, peers from the kept results; writes this page
    bench/accuracy/run --fresh      # everything anew
    bench/accuracy/run --page       # only this page
    bench/accuracy/run --quick      # a test: small sets, one seed, under a minute

`FROCC_DATA` names the folder of the sets when it is not `../shared/data`. Results here: {machines};
{packages}.
"""
