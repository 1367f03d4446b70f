# SPDX-License-Identifier: BSD-3-Clause
"""A pipeline tuned with labels: scikit-learn's grid search, and frocc's own one-pass grid."""

import time

import numpy as np
from sklearn.datasets import load_wine
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from frocc import FROCC


class OneClass(FROCC):
    """Learns from the normal rows of a labelled set, so that cross-validation can judge it."""

    def fit(self, X, y=None):
        return super().fit(X if y is None else X[np.asarray(y) == 1])


X, wine = load_wine(return_X_y=True)
y = np.where(wine == 1, 1, -1)  # one cultivar is normal, the other two are not
X_fit, X_test, y_fit, y_test = train_test_split(X, y, random_state=0, stratify=y)

search = GridSearchCV(
    make_pipeline(StandardScaler(), OneClass.paper(directions=500)),
    {"oneclass__epsilon": [0.01, 0.05, 0.2], "oneclass__kernel": ["linear", "rbf"]},
    scoring="roc_auc",
    cv=StratifiedKFold(3, shuffle=True, random_state=0),
).fit(X_fit, y_fit)
print("grid search:", search.best_params_)
print(f"ROC AUC on test rows {roc_auc_score(y_test, search.decision_function(X_test)):.3f}")

# One fit answers every larger epsilon and every smaller number of directions.
scaler = StandardScaler().fit(X_fit)
model = OneClass.paper(directions=500, epsilon=0.005).fit(scaler.transform(X_fit), y_fit)
epsilons, directions = [0.005, 0.01, 0.05, 0.1, 0.2, 0.5], [10, 50, 100, 500]
start = time.perf_counter()
grid = model.grid_scores(scaler.transform(X_test), directions, epsilons)
print(f"\n{len(epsilons) * len(directions)} models in {1000 * (time.perf_counter() - start):.1f} ms")
print("epsilon" + "".join(f"   m {m:4d}" for m in directions))
for e, epsilon in enumerate(epsilons):
    areas = (roc_auc_score(y_test, grid[:, e, k]) for k in range(len(directions)))
    print(f"{epsilon:7g}" + "".join(f"{area:9.3f}" for area in areas))
