# SPDX-License-Identifier: BSD-3-Clause
"""Images: one digit is normal, the others are not. Draws the scores and the strangest images."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score

from frocc import FROCC, plot

images, digit = load_digits(return_X_y=True)
images = images.astype(np.float32)
rng = np.random.default_rng(0)

print("normal digit   ROC AUC against the other nine")
for normal in range(10):
    own = rng.permutation(np.flatnonzero(digit == normal))
    train, rest = own[: len(own) // 2], own[len(own) // 2 :]
    test = np.concatenate([rest, np.flatnonzero(digit != normal)])
    detector = FROCC(n_jobs=-1).fit(images[train])
    y = np.where(digit[test] == normal, 1, -1)
    print(f"{normal:12d}   {roc_auc_score(y, detector.score_samples(images[test])):.3f}")

figure, axes = plt.subplots(2, 2, figsize=(9, 7))
plot.score_histogram(detector, images[test], y, ax=axes[0, 0])
plot.roc(detector, images[test], y, ax=axes[0, 1])
plain = FROCC(trees=0).fit(images[train])  # trees look at all directions
plot.auc_by_directions(plain, images[test], y, ax=axes[1, 0])
strangest = rest[np.argsort(detector.score_samples(images[rest]))[:16]]
axes[1, 1].imshow(np.block([[images[strangest[4 * r + c]].reshape(8, 8) for c in range(4)]
                            for r in range(4)]), cmap="gray_r")  # fmt: skip
axes[1, 1].set_title("the strangest nines")
axes[1, 1].axis("off")
figure.tight_layout()
figure.savefig("images.png", dpi=120)
print("\nimages.png shows the last of them")
