/* SPDX-License-Identifier: BSD-3-Clause */
/* The one merge: the paper's scan (Algorithm 2) over two sorted lists of intervals at once. */
#include "interval.h"

#include <stdlib.h>

size_t frocc__merge(const frocc__interval *a, size_t n_a, const frocc__interval *b, size_t n_b,
                    float epsilon, frocc__interval *out) {
    if (n_a + n_b == 0)
        return 0;
    float min = n_a == 0 ? b[0].lo : n_b == 0 ? a[0].lo : fminf(a[0].lo, b[0].lo);
    float max = n_a == 0   ? b[n_b - 1].hi
                : n_b == 0 ? a[n_a - 1].hi
                           : fmaxf(a[n_a - 1].hi, b[n_b - 1].hi);
    float margin = frocc__margin(epsilon, min, max);
    size_t i = 0, j = 0, count = 0;
    while (i < n_a || j < n_b) {
        bool from_a = j == n_b || (i < n_a && a[i].lo <= b[j].lo);
        frocc__interval next = from_a ? a[i++] : b[j++];
        if (count > 0 && frocc__joins(out[count - 1].hi, next.lo, margin))
            out[count - 1].hi = fmaxf(out[count - 1].hi, next.hi);
        else
            out[count++] = next;
    }
    return count;
}

size_t frocc__most_intervals(float epsilon) {
    return epsilon < 1.0f ? (size_t)(1.5 * (1.0 + 1e-6) / (double)epsilon) + 1 : 1;
}

frocc__interval frocc__widest(const frocc__interval *list, size_t count) {
    frocc__interval widest = {INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++)
        if (i == 0 || list[i].hi - list[i].lo > widest.hi - widest.lo)
            widest = list[i];
    return widest;
}

static int compare_floats(const void *left, const void *right) {
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

void frocc__points_of(float *values, size_t count, frocc__interval *points) {
    qsort(values, count, sizeof(float), compare_floats);
    for (size_t i = 0; i < count; i++)
        points[i].lo = points[i].hi = values[i];
}
