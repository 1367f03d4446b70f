# SPDX-License-Identifier: BSD-3-Clause
"""The paper's own figures, as printed in its tables: mean and deviation over 5 runs, in percent."""

from __future__ import annotations

METHODS = ("ocsvm", "iforest", "svdd", "ae", "frocc")


def _table(text: str) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Means and deviations by set and method."""
    means, deviations = {}, {}
    for line in text.strip().splitlines():
        key, *cells = line.split()
        values = [float(cell) for cell in cells]
        means[key] = dict(zip(METHODS, values[::2], strict=True))
        deviations[key] = dict(zip(METHODS, values[1::2], strict=True))
    return means, deviations


# Area under the ROC curve. Columns: OC-SVM, Isolation Forest, Deep SVDD, auto-encoder, FROCC.
ROC, ROC_DEVIATION = _table("""
A1 53.35 0.95 63.48 0.46 73.24 0.65 62.43 0.26 73.18 0.26
A2 68.12 0.85 77.09 0.84 61.39 0.87 75.96 0.44 72.30 0.33
A3 54.22 0.45 81.21 0.14 78.21 0.10 56.27 0.22 69.32 0.30
A4 57.93 0.73 85.10 0.33 56.95 0.53 59.43 0.60 83.57 0.44
B1 73.51 0.41 83.19 0.44 68.36 0.64 76.42 0.76 85.14 0.74
B2 86.01 0.60 80.05 0.43 84.73 0.37 79.23 0.34 86.64 0.51
B3 98.99 0.11 98.86 0.31 97.04 0.08 99.38 0.13 99.61 0.35
B4 52.21 0.39 51.47 0.59 59.32 0.62 56.73 0.47 61.93 0.64
B5 49.62 0.12 54.13 0.17 67.81 0.39 55.73 0.53 71.04 0.37
B6 63.55 0.12 61.23 0.35 71.88 0.36 66.73 0.44 67.12 0.60
B7 90.21 0.63 70.83 0.35 72.70 0.07 62.38 0.12 92.46 0.21
""")

# What the paper calls adjusted precision@n; the same columns.
PRECISION, PRECISION_DEVIATION = _table("""
A1 59.72 0.95 61.64 0.05 72.74 0.13 63.54 0.14 72.83 0.27
A2 78.17 0.15 87.09 0.35 72.23 0.47 78.19 0.32 84.31 0.50
A3 61.05 0.56 79.77 0.73 78.32 0.43 66.17 0.48 71.91 0.36
A4 63.21 0.94 82.83 0.18 60.03 0.35 57.73 0.54 85.91 0.33
B1 74.22 0.44 81.94 0.62 68.36 0.68 76.42 0.60 89.21 0.35
B2 81.35 0.60 87.24 0.65 81.21 0.63 72.94 0.56 83.21 0.65
B3 92.34 0.47 91.65 0.65 93.25 0.45 74.32 0.37 99.80 0.58
B4 50.02 0.75 51.42 0.86 57.32 0.09 51.63 0.18 57.92 0.41
B5 50.08 0.32 50.13 0.43 55.21 0.64 53.40 0.77 55.62 0.38
B6 61.63 0.01 59.13 0.11 69.38 0.30 64.71 0.16 62.46 0.36
B7 88.32 0.10 72.83 0.26 82.70 0.51 65.90 0.47 79.34 0.40
""")

# time(IF) / time(M), training and testing, by set: OC-SVM, Deep SVDD, auto-encoder, FROCC.
_SPEED = """
A1 0.055 0.862 0.034 0.038 0.089 0.090 1.111 1.111
A2 0.057 0.847 0.032 0.038 0.085 0.088 1.333 1.075
A3 0.100 0.840 0.031 0.039 0.082 0.087 1.282 1.075
A4 0.064 0.870 0.038 0.038 0.091 0.091 1.190 1.099
B1 0.074 0.855 0.032 0.038 0.087 0.089 1.075 1.087
B2 0.043 0.524 0.028 0.038 0.062 0.078 1.786 1.176
B3 0.099 0.794 0.043 0.039 0.050 0.080 1.299 1.149
B4 0.099 0.820 0.040 0.039 0.069 0.083 1.389 1.099
B5 0.100 0.826 0.039 0.039 0.074 0.085 1.370 1.087
B6 0.098 0.833 0.039 0.039 0.079 0.086 1.351 1.087
B7 0.100 0.806 0.035 0.039 0.061 0.082 1.449 1.111
"""
SPEED = {
    line.split()[0]: {
        method: (float(line.split()[1 + 2 * i]), float(line.split()[2 + 2 * i]))
        for i, method in enumerate(("ocsvm", "svdd", "ae", "frocc"))
    }
    for line in _SPEED.strip().splitlines()
}

# Features, training rows and test rows.
SHAPES = {
    "A1": (8, 268, 508),
    "A2": (10, 12332, 20870),
    "A3": (50, 18250, 30650),
    "A4": (35, 147, 294),
    "B1": (100, 24623, 36864),
    "B2": (115, 3018972, 3006490),
    "B3": (784, 3457, 5390),
    "B4": (3072, 3000, 5896),
    "B5": (3072, 300, 594),
    "B6": (3072, 284, 562),
    "B7": (33075, 250, 400),
}

# The ROC beside the pictures of Figure 1: epsilon 1 linear, 1 RBF, 0.1 linear, 0.1 RBF.
TOYS = {"gaussians": (81.6, 82.4, 96.8, 83.6), "moons": (73.4, 78.3, 82.3, 91.1)}
