# SPDX-License-Identifier: BSD-3-Clause
"""Novelty detection on a real set: benign tumours are normal, malignant ones are to be found.

No label is used to fit; the labels only tell how well it went.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score

from frocc import FROCC

data = load_breast_cancer(as_frame=True)
benign = data.data[data.target == 1].sample(frac=1.0, random_state=0)
malignant = data.data[data.target == 0]
train, rest = benign[:180], benign[180:]

detector = FROCC(fpr=0.05).fit(train)
print(f"{detector.n_samples_seen_} benign tumours learnt, {detector.n_features_in_} features")

scores = np.concatenate([detector.score_samples(rest), detector.score_samples(malignant)])
truth = np.repeat([1, 0], [len(rest), len(malignant)])
print(f"ROC AUC {roc_auc_score(truth, scores):.3f}")
print(f"benign called abnormal:    {(detector.predict(rest) == -1).mean():6.1%}")
print(f"malignant called abnormal: {(detector.predict(malignant) == -1).mean():6.1%}")

worst = malignant.iloc[[int(detector.score_samples(malignant).argmin())]]
print("\nthe most abnormal tumour, and what is strange about it:")
for name, excess in detector.explain(worst)[0].top(5):
    side = "high" if excess > 0 else "low"
    print(f"  {name:24s} {worst[name].iloc[0]:10.4g}  is {abs(excess):.3g} too {side}")
