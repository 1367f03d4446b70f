/* SPDX-License-Identifier: BSD-3-Clause */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/frame.h"
#include "kernels/mathf.h"
#include "kernels/random.h"

oracle *oracle_new(const frocc_params *params, const frocc_frame *frame) {
    size_t d = frocc_frame_features(frame), m = frocc_frame_directions(frame);
    oracle *o = calloc(1, sizeof *o);
    if (o == NULL)
        return NULL;
    o->n_features = d;
    o->n_directions = m;
    o->params = *params;
    o->gamma = (float)(params->gamma == 0 ? 1.0 / (double)d : params->gamma);
    o->coef0 = (float)params->coef0;
    o->directions = malloc(m * d * sizeof *o->directions);
    o->shift = malloc(d * sizeof *o->shift);
    o->scale = malloc(d * sizeof *o->scale);
    o->row = malloc(d * sizeof *o->row);
    o->dots = malloc(m * sizeof *o->dots);
    if (o->directions == NULL || o->shift == NULL || o->scale == NULL || o->row == NULL ||
        o->dots == NULL || frocc_frame_copy_directions(frame, 0, m, o->directions) != FROCC_OK) {
        oracle_free(o);
        return NULL;
    }
    frocc_frame_copy_scaling(frame, o->shift, o->scale);
    return o;
}

void oracle_free(oracle *o) {
    if (o == NULL)
        return;
    free(o->directions);
    free(o->shift);
    free(o->scale);
    free(o->row);
    free(o->dots);
    free(o);
}

/* What scaling made larger than values may be counts as the largest; see docs/algorithm.md. */
static float saturated(float value) {
    const float largest = 0x1p90f;
    return fabsf(value) <= largest ? value : copysignf(largest, value);
}

static void prepare(oracle *o, const double *x) {
    for (size_t j = 0; j < o->n_features; j++) {
        if (o->params.scaling == FROCC_SCALING_NONE) {
            o->row[j] = (float)x[j];
        } else {
            double centred = x[j] - o->shift[j];
            o->row[j] = saturated((float)(centred / o->scale[j]));
        }
    }
}

static float dot(const float *w, const float *x, size_t d) {
    float sum = 0.0f;
    for (size_t j = 0; j < d; j++)
        sum = fmaf(w[j], x[j], sum);
    return sum;
}

/* Sign number i of all: the generator's bits in their order. */
static float sign(const oracle *o, size_t i, float size) {
    uint32_t words[4] = {(uint32_t)(i / 128), 0, FROCC_STREAM_SIGNS, 0};
    frocc__philox(o->params.seed, words);
    return (words[i % 128 / 32] >> i % 32 & 1) != 0 ? -size : size;
}

/* Of the elements of x that are named. */
static void walsh_hadamard(float *x, const size_t *names, size_t count) {
    for (size_t half = count / 2; half > 0; half /= 2)
        for (size_t i = 0; i < count; i++)
            if ((i & half) == 0) {
                float a = x[names[i]], b = x[names[i + half]];
                x[names[i]] = a + b;
                x[names[i + half]] = a - b;
            }
}

/* Three times signs and transforms of blocks: runs of features, runs of 16 features in turn, and
 * runs again. */
static void scramble(const oracle *o, float *x, size_t k, size_t n_blocks, size_t bundle) {
    size_t block = (size_t)1 << k, size = block * n_blocks;
    size_t *names = calloc(block, sizeof *names);
    for (size_t round = 0; round < 3; round++) {
        for (size_t j = 0; j < size; j++)
            x[j] *= sign(o, (bundle * 3 + round) * size + j, 1.0f / (float)(1 << (k + 1) / 2));
        for (size_t b = 0; b < n_blocks; b++) {
            size_t count = 0;
            for (size_t j = 0; j < size; j++)
                if ((round == 1 ? j / 16 % n_blocks : j / block) == b)
                    names[count++] = j;
            walsh_hadamard(x, names, count);
        }
    }
    free(names);
}

static void structured_dots(oracle *o) {
    size_t k = 4;
    while ((size_t)1 << k < o->n_features && (k < 10 || (size_t)1 << (2 * k - 4) < o->n_features))
        k++;
    size_t n_blocks = 1;
    while (n_blocks << k < o->n_features)
        n_blocks++;
    size_t size = n_blocks << k;
    float *x = malloc(size * sizeof *x);
    double share = (double)size / (double)o->n_features;
    float scale = (float)sqrt(k % 2 == 0 ? share : 8.0 * share);
    for (size_t i = 0; i < o->n_directions; i++) {
        if (i % size == 0) {
            for (size_t j = 0; j < size; j++)
                x[j] = j < o->n_features ? o->row[j] : 0.0f;
            scramble(o, x, k, n_blocks, i / size);
        }
        o->dots[i] = x[i % size] * scale;
    }
    free(x);
}

static double square_norm(const float *x, size_t d) {
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
        sum = fma((double)x[j], (double)x[j], sum);
    return sum;
}

static float rbf(const oracle *o, float product, const float *w, const float *x) {
    double p = (double)product;
    double both = square_norm(x, o->n_features) + square_norm(w, o->n_features);
    double square_distance = both - 2.0 * p;
    if (square_distance < 0.0)
        square_distance = 0.0;
    return frocc__expf((float)(-(double)o->gamma * square_distance));
}

static float poly(const oracle *o, float product) {
    float t = fmaf(o->gamma, product, o->coef0);
    float power = t;
    for (int i = 1; i < o->params.degree; i++)
        power *= t;
    return power;
}

static float kernel(const oracle *o, float product, const float *w, const float *x) {
    switch (o->params.kernel) {
    case FROCC_KERNEL_RBF:
        return rbf(o, product, w, x);
    case FROCC_KERNEL_POLY:
        return poly(o, product);
    case FROCC_KERNEL_SIGMOID:
        return frocc__tanhf(fmaf(o->gamma, product, o->coef0));
    case FROCC_KERNEL_CUSTOM:
        return o->params.kernel_fn(o->params.kernel_context, x, w, o->n_features);
    default:
        return product;
    }
}

void oracle_values(oracle *o, const double *x, float *values) {
    prepare(o, x);
    for (size_t i = 0; i < o->n_directions; i++)
        o->dots[i] = dot(o->directions + i * o->n_features, o->row, o->n_features);
    if (o->params.family == FROCC_FAMILY_HADAMARD)
        structured_dots(o);
    for (size_t i = 0; i < o->n_directions; i++) {
        float value = kernel(o, o->dots[i], o->directions + i * o->n_features, o->row);
        if (value > FLT_MAX)
            value = FLT_MAX;
        if (value < -FLT_MAX)
            value = -FLT_MAX;
        values[i] = value == 0.0f ? 0.0f : value; /* one zero */
    }
}

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

size_t oracle_intervals(float *values, size_t n, float epsilon, float *lower, float *upper) {
    size_t count = 0;
    qsort(values, n, sizeof *values, by_value);
    float start = values[0], end = values[0];
    float range = values[n - 1] - values[0];
    float margin = epsilon * range;
    for (size_t i = 1; i < n; i++) {
        float reach = end + margin;
        if (values[i] <= end || values[i] < reach || epsilon >= 1.0f) {
            end = values[i];
        } else {
            lower[count] = start;
            upper[count++] = end;
            start = end = values[i];
        }
    }
    lower[count] = start;
    upper[count++] = end;
    return count;
}

bool oracle_member(const float *lower, const float *upper, size_t count, float value) {
    for (size_t i = 0; i < count; i++)
        if (lower[i] <= value && value <= upper[i])
            return true;
    return false;
}

float oracle_distance(const float *lower, const float *upper, size_t count, float value) {
    float nearest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (lower[i] <= value && value <= upper[i])
            return 0.0f;
        float away = value < lower[i] ? lower[i] - value : value - upper[i];
        nearest = away < nearest ? away : nearest;
    }
    return nearest;
}

/* ---- Closeness ------------------------------------------------------------------------------- */

/* A cost of 1, what the end of a range costs, and a sixteenth of an octave beyond it. */
enum { ONE = 255 * 255, END = ONE / 8, STEP = 2817, MOST_AT_END = 90 };

/* Of leaves: cells, what no values cost, and the largest cost. */
enum { LEAF_CELLS = 32, EMPTY_LEAF = 361, MOST_IN_LEAF = 65535 };

void oracle_sort(oracle_rows *rows) {
    memcpy(rows->sorted, rows->values, rows->n_rows * rows->n_directions * sizeof(float));
    for (size_t i = 0; i < rows->n_directions; i++)
        qsort(rows->sorted + i * rows->n_rows, rows->n_rows, sizeof(float), by_value);
}

uint32_t oracle_needed(double contamination, size_t n_rows) {
    double half = floor(contamination * (double)n_rows / 2 + 0.5);
    return contamination > 0 ? (uint32_t)(half > 1 ? half : 1) : 0;
}

/* Sixteenths of an octave above 1, linear within an octave: the upper bits of a float32. */
static uint32_t log_steps(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits >> 19) - (127 << 4);
}

double oracle_cells(float epsilon) {
    double cells = 1;
    while (cells * (double)epsilon < 1)
        cells *= 2;
    return cells;
}

/* Cells are as narrow as can be: no narrower than the steps of float32 at the larger end or the
 * smallest normal number, and no more of them than there is room for. */
double oracle_cell_width(float low, float high, double n_cells) {
    double larger = fmax(fabs((double)low), fabs((double)high)), width = 0x1p-126;
    while (larger >= width * 0x1p24)
        width *= 2;
    while (floor((double)high / width) - floor((double)low / width) >= n_cells)
        width *= 2;
    return width;
}

/* Whether cells that values from low to high are in are wider than the steps of float32. */
static bool cells_are_shared(float low, float high, double width) {
    double larger = fmax(fabs((double)low), fabs((double)high)), narrowest = 0x1p-126;
    while (larger >= narrowest * 0x1p24)
        narrowest *= 2;
    return width > narrowest;
}

static double cell_of(float value, double width) {
    return floor((double)value / width);
}

static float finite(float value) {
    return !(value <= FLT_MAX) ? FLT_MAX : value < -FLT_MAX ? -FLT_MAX : value;
}

/* Values, rising, without one of those that equal left_out, which is NaN for none. */
static size_t others_of(const float *sorted, size_t n, float left_out, float *others) {
    size_t count = 0;
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        bool is_own = !found && sorted[i] == left_out;
        found |= is_own;
        if (!is_own)
            others[count++] = sorted[i];
    }
    return count;
}

/* The window of k values on each side around a cell, in cells; values are in the cells that are
 * listed, rising. Beyond the k-th smallest and largest, how far. */
typedef struct window {
    bool is_outside;
    double width, range;
} window;

static window window_of(const double *cells, size_t n, size_t k, double own) {
    k = k < (n + 1) / 2 ? k : (n + 1) / 2;
    double first = cells[k - 1], last = cells[n - k];
    window w = {own < first || own > last, 0, last - first + 1};
    size_t before = 0, here = 0;
    for (size_t i = 0; i < n; i++) {
        before += cells[i] < own;
        here += cells[i] == own;
    }
    if (w.is_outside) {
        w.width = (own < first ? first - own : own - last) - 1;
    } else if (here < k) {
        size_t need = k - here, after = before + here + need;
        double below = before >= need ? fmax(cells[before - need], first) : first;
        double above = after <= n ? fmin(cells[after - 1], last) : last;
        w.width = fmax(above - below - 1, 0);
    }
    return w;
}

static float cost_of_window(window w) {
    float share = (float)w.width / (float)w.range;
    return w.is_outside ? (float)(END + log_steps(1.0f + share) * STEP) / (float)ONE : share;
}

/* Where several values share a cell that is wider than the steps of float32, half of what they
 * leave each other, as long as they are fewer than 8. */
static double room_in(const double *cells, size_t n, double own, bool is_shared) {
    size_t here = 0;
    for (size_t i = 0; i < n; i++)
        here += cells[i] == own;
    return is_shared && here > 0 && here < 8 ? (double)(0.5f / (float)(here + 1)) : 0;
}

/* 255 times the root of what a cell costs, as a whole number. */
static uint32_t root_of(const double *cells, size_t n, uint32_t needed, double own,
                        bool is_shared) {
    window w = window_of(cells, n, needed > 0 ? needed : 1, own);
    w.width += needed == 0 ? room_in(cells, n, own, is_shared) : 0;
    size_t fewer = needed == 0 ? 2 : needed >= 5 ? needed / 5 : 1;
    float cost = cost_of_window(w), other = cost_of_window(window_of(cells, n, fewer, own));
    cost = needed == 0 ? cost * (15.0f / 16.0f) + other * (1.0f / 16.0f) : (cost + other) / 2;
    uint32_t root = (uint32_t)(255.0f * sqrtf(cost < 1.0f ? cost : 1.0f) + 0.5f);
    bool is_end = own == cells[0] || own == cells[n - 1];
    return needed == 0 && is_end && root > MOST_AT_END ? MOST_AT_END : root;
}

/* How a value lies to a range that it is not in, in cells of this width: so many empty cells, or
 * fewer than none. */
static double empty_cells(float low, float high, float value, double width) {
    return (value < low ? cell_of(low, width) - cell_of(value, width)
                        : cell_of(value, width) - cell_of(high, width)) -
           1;
}

static double range_in_cells(float low, float high, double width) {
    return cell_of(high, width) - cell_of(low, width) + 1;
}

/* By windows of so many values; 0 for the default. */
static uint32_t cost_by(const oracle_rows *rows, uint32_t needed, size_t direction, size_t left_out,
                        float value) {
    const float *sorted = rows->sorted + direction * rows->n_rows;
    double n_cells = oracle_cells(rows->epsilon);
    double width = oracle_cell_width(sorted[0], sorted[rows->n_rows - 1], n_cells); /* of all */
    float *others = calloc(rows->n_rows, sizeof *others);
    double *cells = calloc(rows->n_rows, sizeof *cells);
    size_t n = others_of(sorted, rows->n_rows, left_out == ORACLE_NONE ? NAN : value, others);
    float low = others[0], high = others[n - 1];
    bool is_shared = cells_are_shared(sorted[0], sorted[rows->n_rows - 1], width);
    uint32_t root, cost;
    for (size_t i = 0; i < n; i++)
        cells[i] = cell_of(others[i], width);
    if (value >= low && value <= high) {
        root = root_of(cells, n, needed, cell_of(value, width), is_shared);
        cost = root * root;
    } else {
        value = finite(value);
        double both = oracle_cell_width(fminf(low, value), fmaxf(high, value), n_cells);
        double empty = empty_cells(low, high, value, both);
        root = root_of(cells, n, needed, value < low ? cells[0] : cells[n - 1], is_shared);
        cost = root * root;
        if (empty >= 0)
            cost = (cost > END ? cost : END) +
                   log_steps(1.0f + (float)empty / (float)range_in_cells(low, high, both)) * STEP;
    }
    free(others);
    free(cells);
    return cost;
}

uint32_t oracle_cost(const oracle_rows *rows, size_t direction, size_t left_out, float value) {
    return cost_by(rows, rows->needed, direction, left_out, value);
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

uint32_t oracle_leaf(const frocc_frame *frame, size_t tree, const float *values) {
    const frocc__node *nodes = frame->trees.nodes;
    uint32_t at = frame->trees.root[tree];
    while (nodes[at].threshold > -INFINITY)
        at = values[nodes[at].direction] < nodes[at].threshold ? at + 1 : nodes[at].right;
    return nodes[at].leaf;
}

/* 255 times the root of a width in ranges, which is no less than a 1024th. */
static uint32_t cost_of_width(float width, float range) {
    float share = width / range;
    float root = 255.0f * sqrtf(share > 1.0f / 1024.0f ? share : 1.0f / 1024.0f) + 0.5f;
    return (uint32_t)(root < (float)MOST_IN_LEAF ? root : (float)MOST_IN_LEAF);
}

/* Outside: the leaf's whole range and the cells between. */
static uint32_t cost_outside(double empty, double span, double width, float range) {
    float own = (float)span * (float)width;
    return cost_of_width(
        (own > range / 1024.0f ? own : range / 1024.0f) + (float)empty * (float)width, range);
}

/* In a cell: the gap around it, or outside of all cells. */
static uint32_t cost_in_leaf(const double *cells, size_t n, double own, double width, float range) {
    double below = -INFINITY, above = INFINITY;
    for (size_t i = 0; i < n; i++) {
        below = cells[i] <= own ? cells[i] : below;
        above = cells[n - 1 - i] >= own ? cells[n - 1 - i] : above;
    }
    if (own < cells[0] || own > cells[n - 1])
        return cost_outside((own < cells[0] ? above - own : own - below) - 1,
                            cells[n - 1] - cells[0] + 1, width, range);
    double gap = below == own ? 0 : above - below - 1;
    uint32_t cost = cost_of_width((float)gap * (float)width, range);
    return cost < 255 ? cost : 255;
}

/* The rows of a leaf, the direction it looks at, and the value that is asked about. */
typedef struct leaf_place {
    const oracle_rows *rows;
    const float *direction; /* of all rows but the one that is left out, rising */
    size_t n_direction;
    const float *leaf; /* of those in the leaf */
    size_t n_leaf;
    float value;
} leaf_place;

static float range_of(const leaf_place *p, double width) {
    return (float)(range_in_cells(p->direction[0], p->direction[p->n_direction - 1], width) *
                   width);
}

static uint32_t cost_at(const leaf_place *p, double width, float range) {
    double *cells = calloc(p->n_leaf, sizeof *cells);
    for (size_t i = 0; i < p->n_leaf; i++)
        cells[i] = cell_of(p->leaf[i], width);
    uint32_t cost = cost_in_leaf(cells, p->n_leaf, cell_of(p->value, width), width, range);
    free(cells);
    return cost;
}

/* Left out: on the cells of all rows, where the value is one. */
static uint32_t leaf_cost_without(const leaf_place *p) {
    float low = p->leaf[0], high = p->leaf[p->n_leaf - 1];
    float least = p->direction[0], most = p->direction[p->n_direction - 1];
    double of_all = oracle_cell_width(fminf(least, p->value), fmaxf(most, p->value),
                                      oracle_cells(p->rows->epsilon));
    double own = oracle_cell_width(fminf(low, p->value), fmaxf(high, p->value), LEAF_CELLS);
    return cost_at(p, fmax(of_all, own), range_of(p, of_all));
}

/* On the cells of the leaf, but where the value lies outside on the wider ones that the ends and
 * the value ask for. */
static uint32_t leaf_cost(const leaf_place *p) {
    float low = p->leaf[0], high = p->leaf[p->n_leaf - 1], value = finite(p->value);
    float least = p->direction[0], most = p->direction[p->n_direction - 1];
    double n_cells = oracle_cells(p->rows->epsilon);
    double of_all = oracle_cell_width(least, most, n_cells);
    double width = fmax(of_all, oracle_cell_width(low, high, LEAF_CELLS));
    if (p->value >= low && p->value <= high)
        return cost_at(p, width, range_of(p, of_all));
    of_all = oracle_cell_width(fminf(least, value), fmaxf(most, value), n_cells);
    double asked = oracle_cell_width(fminf(low, value), fmaxf(high, value), LEAF_CELLS);
    width = fmax(fmax(width, asked), of_all);
    double empty = empty_cells(low, high, value, width);
    if (empty < 0)
        return cost_of_width(0, 1);
    return cost_outside(empty, range_in_cells(low, high, width), width, range_of(p, of_all));
}

/* What a row costs in one of the directions that its leaf of a tree looks at. */
static uint32_t cost_of_slot(const oracle_rows *rows, size_t tree, uint32_t leaf,
                             uint32_t direction, size_t left_out, float value) {
    float *others = calloc(rows->n_rows, sizeof *others);
    float *own = calloc(rows->n_rows, sizeof *own);
    leaf_place p = {rows, others, 0, own, 0, value};
    p.n_direction = others_of(rows->sorted + direction * rows->n_rows, rows->n_rows,
                              left_out == ORACLE_NONE ? NAN : value, others);
    for (size_t r = 0; r < rows->n_rows; r++)
        if (r != left_out && rows->leaves[tree * rows->n_rows + r] == leaf)
            own[p.n_leaf++] = rows->values[direction * rows->n_rows + r];
    qsort(own, p.n_leaf, sizeof *own, by_value);
    uint32_t cost = p.n_leaf == 0             ? EMPTY_LEAF
                    : left_out == ORACLE_NONE ? leaf_cost(&p)
                                              : leaf_cost_without(&p);
    free(others);
    free(own);
    return cost;
}

static uint64_t cost_of_leaves(const oracle_rows *rows, size_t left_out, const float *values) {
    const frocc__trees *trees = &rows->frame->trees;
    uint64_t sum = 0;
    for (size_t t = 0; t < trees->n_trees; t++) {
        uint32_t leaf = oracle_leaf(rows->frame, t, values);
        for (size_t q = 0; q < FROCC_LEAF_DIRECTIONS; q++) {
            uint32_t direction = trees->leaf_directions[leaf * FROCC_LEAF_DIRECTIONS + q];
            sum += cost_of_slot(rows, t, leaf, direction, left_out, values[direction]);
        }
    }
    return sum;
}

/* ---- Extremes -------------------------------------------------------------------------------- */

/* A prepared value in standard deviations, before asinh: (exp t - exp -t) / 4; a logarithm as it
 * is.
 */
static float unfolded(const frocc_frame *frame, size_t feature, float value) {
    if (frame->is_log[feature])
        return value;
    float t = (float)((double)value * frame->asinh_scale[feature] + frame->asinh_shift[feature]);
    return 0.25f * (frocc__expf(t) - frocc__expf(-t));
}

/* How far outside of all other rows a row is in the feature where that is most. */
static float furthest_outside(const oracle_rows *rows, size_t left_out, const float *prepared) {
    size_t d = rows->frame->n_features;
    float furthest = 0.0f;
    for (size_t j = 0; j < d; j++) {
        float low = INFINITY, high = -INFINITY;
        for (size_t r = 0; r < rows->n_rows; r++)
            if (r != left_out) {
                low = fminf(low, rows->prepared[r * d + j]);
                high = fmaxf(high, rows->prepared[r * d + j]);
            }
        if (prepared[j] >= low && prepared[j] <= high)
            continue;
        float end = prepared[j] < low ? low : high;
        float away = fabsf(unfolded(rows->frame, j, prepared[j]) - unfolded(rows->frame, j, end));
        away = away < FLT_MAX ? away : FLT_MAX;
        furthest = away > furthest ? away : furthest;
    }
    return furthest;
}

/* ---- All together ---------------------------------------------------------------------------- */

/* Of every four directions of the family mixed the second is a single feature, as long as there are
 * features, of which so many count. */
enum { MOST_SINGLES = 64 };

static bool is_single(const oracle_rows *rows, size_t direction) {
    size_t d = rows->frame->n_features;
    return rows->frame->family == FROCC_FAMILY_MIXED && direction % 4 == 1 &&
           direction / 4 < (d < MOST_SINGLES ? d : MOST_SINGLES);
}

/* The mean of what mixed directions cost and of what single features cost. */
static double global_cost(const oracle_rows *rows, uint32_t needed, size_t left_out,
                          const float *values) {
    uint64_t sum[2] = {0, 0}; /* whole numbers: no rounding */
    size_t count[2] = {0, 0};
    for (size_t i = 0; i < rows->n_directions; i++) {
        bool single = is_single(rows, i);
        sum[single] += cost_by(rows, needed, i, left_out, values[i]);
        count[single]++;
    }
    double mixed = count[0] > 0 ? (double)sum[0] / ((double)ONE * (double)count[0]) : 0;
    double single = count[1] > 0 ? (double)sum[1] / ((double)ONE * (double)count[1]) : 0;
    return count[0] > 0 && count[1] > 0 ? (mixed + single) / 2 : mixed + single;
}

static const float least_cost = 1e-5f;

static double oddness(const oracle_rows *rows, size_t left_out, const oracle_row *row) {
    size_t n_trees = rows->frame->trees.n_trees;
    double global = global_cost(rows, 0, left_out, row->values);
    double value = (double)frocc__logf((float)global + least_cost);
    if (n_trees > 0) {
        double local = (double)cost_of_leaves(rows, left_out, row->values) /
                       ((double)(n_trees * FROCC_LEAF_DIRECTIONS) * 255);
        value += 2 * (double)frocc__logf((float)local);
    }
    if (row->prepared != NULL) {
        float furthest = furthest_outside(rows, left_out, row->prepared);
        value += 2 * (0.69314718055994531 / 16) * (double)log_steps(1.0f + furthest);
    }
    return value;
}

static double wide_oddness(const oracle_rows *rows, size_t left_out, const oracle_row *row) {
    double global = global_cost(rows, rows->needed, left_out, row->values);
    return (double)frocc__logf((float)global + least_cost);
}

double oracle_closeness(const oracle_rows *rows, size_t left_out, const oracle_row *row) {
    double value = oddness(rows, left_out, row), best = (double)frocc__logf(least_cost);
    if (rows->frame->trees.n_trees > 0)
        best += 2 * (double)frocc__logf(8.0f / 255.0f);
    if (rows->wide_slope > 0)
        value =
            fmax(value, rows->wide_shift + rows->wide_slope * wide_oddness(rows, left_out, row));
    return value / best;
}

static int by_number(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of n numbers, rising, the largest that fewer than this share of all come before. */
static double at_share(const double *sorted, size_t n, double share) {
    size_t i = 0;
    while (i + 1 < n && (double)(i + 1) < share * (double)n)
        i++;
    return sorted[i];
}

void oracle_align(oracle_rows *rows, const oracle_row *asked, const size_t *numbers, size_t count) {
    double *own = calloc(count + 1, sizeof *own), *wide = calloc(count + 1, sizeof *wide);
    rows->wide_slope = rows->wide_shift = 0;
    for (size_t i = 0; i < count; i++) {
        own[i] = oddness(rows, numbers[i], &asked[i]);
        wide[i] = wide_oddness(rows, numbers[i], &asked[i]);
    }
    qsort(own, count, sizeof *own, by_number);
    qsort(wide, count, sizeof *wide, by_number);
    if (count > 0) {
        double tail = at_share(own, count, 0.9) - at_share(own, count, 0.5);
        double wide_tail = at_share(wide, count, 0.9) - at_share(wide, count, 0.5);
        if (tail > 0 && wide_tail > 0) {
            rows->wide_slope = tail / wide_tail;
            rows->wide_shift =
                at_share(own, count, 0.5) - rows->wide_slope * at_share(wide, count, 0.5);
        }
    }
    free(own);
    free(wide);
}
