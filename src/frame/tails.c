/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantiles from some rows, clipped moments from all; O(k log k) a column. */
#include "frame/tails.h"

#include <math.h>

#include "base/memory.h"

/* Rows that quantiles are taken from: so many of all columns together, but no fewer than these. */
#define QUANTILE_CELLS ((size_t)1 << 16)
#define QUANTILE_ROWS ((size_t)256)

/* How far clipped values may lie, in distances from the median to a quantile. */
#define CLIP 3.0

/* Above this a positive column gets a logarithm. */
#define SKEWED 3.0

/* A value, and the row that it is of. */
typedef struct frocc__cell {
    double value;
    uint32_t row;
} cell;

/* A value, and how often it came. */
typedef struct frocc__weighed {
    double value, copies;
} weighed;

frocc_status frocc__tails_new(const frocc__members *sample, frocc__tails *tails) {
    const size_t d = sample->n_features;
    size_t count = 0;
    *tails = (frocc__tails){.n_features = d, .n_rows = sample->count};
    for (size_t i = 0; i < sample->count; i++)
        count += sample->rows[i].count;
    tails->start = frocc__alloc(d + 2, sizeof(size_t));
    tails->cells = frocc__alloc_raw(count, sizeof(cell));
    tails->copies = frocc__alloc(sample->count, sizeof(double));
    tails->some = frocc__alloc(sample->count + 1, sizeof(weighed));
    if (tails->some == NULL || tails->start == NULL || tails->cells == NULL ||
        tails->copies == NULL) {
        frocc__tails_free(tails);
        return FROCC_ERR_MEMORY;
    }
    size_t *next = tails->start + 1; /* where the next value of a column goes; it ends as start */
    for (size_t i = 0; i < sample->count; i++)
        for (size_t e = 0; e < sample->rows[i].count; e++)
            next[sample->rows[i].columns[e] + 1]++;
    for (size_t j = 0; j < d; j++)
        next[j + 1] += next[j];
    for (size_t i = 0; i < sample->count; i++) {
        const frocc__member *row = &sample->rows[i];
        tails->copies[i] = (double)row->copies;
        tails->total += tails->copies[i];
        for (size_t e = 0; e < row->count; e++)
            tails->cells[next[row->columns[e]]++] = (cell){row->values[e], (uint32_t)i};
    }
    return FROCC_OK;
}

void frocc__tails_free(frocc__tails *tails) {
    frocc__free(tails->start);
    frocc__free(tails->cells);
    frocc__free(tails->copies);
    frocc__free(tails->some);
    *tails = (frocc__tails){0};
}

/* ---- Quantiles ------------------------------------------------------------------------------ */

static void swap(weighed *a, weighed *b) {
    const weighed kept = *a;
    *a = *b;
    *b = kept;
}

/* Rising; quicksort around the middle one of three, then insertion for what is short. */
static void sort(weighed *values, size_t count) {
    while (count > 12) {
        if (values[count / 2].value < values[0].value)
            swap(&values[0], &values[count / 2]);
        if (values[count - 1].value < values[0].value)
            swap(&values[0], &values[count - 1]);
        if (values[count - 1].value < values[count / 2].value)
            swap(&values[count / 2], &values[count - 1]);
        const double pivot = values[count / 2].value;
        size_t i = 0, j = count - 1;
        for (;; i++, j--) {
            while (values[i].value < pivot)
                i++;
            while (values[j].value > pivot)
                j--;
            if (i >= j)
                break;
            swap(&values[i], &values[j]);
        }
        sort(values, i);
        values += i;
        count -= i;
    }
    for (size_t i = 1; i < count; i++)
        for (size_t at = i; at > 0 && values[at].value < values[at - 1].value; at--)
            swap(&values[at], &values[at - 1]);
}

/* The smallest value that at least this share of all do not exceed. */
static double quantile(const weighed *values, size_t count, double total, double share) {
    double below = 0.0;
    size_t i = 0;
    while (i + 1 < count && (below += values[i].copies) < share * total)
        i++;
    return values[i].value;
}

typedef struct quantiles {
    double low, middle, high;
} quantiles;

/* Of the first rows of the sample, which its hashes have put in a random order. */
static quantiles find_quantiles(const frocc__tails *t, size_t feature) {
    weighed *work = t->some;
    const size_t by_size = FROCC_MAX(QUANTILE_CELLS / t->n_features, QUANTILE_ROWS);
    const size_t n_rows = FROCC_MIN(by_size, t->n_rows);
    size_t count = 0;
    double total = 0.0, seen = 0.0;
    for (size_t i = 0; i < n_rows; i++)
        total += t->copies[i];
    for (size_t at = t->start[feature]; at < t->start[feature + 1] && t->cells[at].row < n_rows;
         at++) {
        const double copies = t->copies[t->cells[at].row];
        work[count++] = (weighed){t->cells[at].value, copies};
        seen += copies;
    }
    if (total > seen)
        work[count++] = (weighed){0.0, total - seen};
    sort(work, count);
    return (quantiles){quantile(work, count, total, 0.01), quantile(work, count, total, 0.5),
                       quantile(work, count, total, 0.99)};
}

/* ---- Moments -------------------------------------------------------------------------------- */

typedef struct moments {
    double mean, deviation, skewness;
} moments;

static double clip(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

static moments find_moments(const frocc__tails *t, size_t feature, double low, double high) {
    const cell *first = t->cells + t->start[feature], *end = t->cells + t->start[feature + 1];
    double named = 0.0, sum = 0.0, square = 0.0, cube = 0.0;
    for (const cell *c = first; c < end; c++) {
        sum += t->copies[c->row] * clip(c->value, low, high);
        named += t->copies[c->row];
    }
    const double zeros = t->total - named, zero = clip(0.0, low, high);
    const double mean = (sum + zeros * zero) / t->total, away = zero - mean;
    for (const cell *c = first; c < end; c++) {
        const double from_mean = clip(c->value, low, high) - mean;
        const double weighed_square = t->copies[c->row] * (from_mean * from_mean);
        square += weighed_square;
        cube += weighed_square * from_mean;
    }
    square = (square + zeros * (away * away)) / t->total;
    cube = (cube + zeros * (away * away * away)) / t->total;
    const double deviation = sqrt(square);
    return (moments){mean, deviation, cube / (square * deviation)};
}

bool frocc__tails_scaling(const frocc__tails *t, size_t feature, double *shift, double *scale) {
    const quantiles q = find_quantiles(t, feature);
    const double below = CLIP * (q.middle - q.low), above = CLIP * (q.high - q.middle);
    moments m = find_moments(t, feature, q.middle - below, q.middle + above);
    if (q.low > 0.0 && m.skewness > SKEWED) {
        *shift = 0.0; /* asinh(2 x / q) is the logarithm of 4 x / q but for values near 0 */
        *scale = q.low;
        return true;
    }
    if (!(m.deviation > 0.0)) /* nearly all rows have one value */
        m = find_moments(t, feature, -INFINITY, INFINITY);
    *shift = m.mean;
    *scale = m.deviation;
    return false;
}
