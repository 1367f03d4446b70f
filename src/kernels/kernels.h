/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inner loops, one table per instruction set. All levels give the same bits; the reference is
 * the definition, written to be read, and the others are held to it by tests.
 *
 * Data layout. A panel is FROCC_PANEL rows, packed feature by feature: x[j * FROCC_PANEL + r].
 * A block is FROCC_BLOCK directions, packed the same way: w[j * FROCC_BLOCK + c]. Their product is
 * a tile, direction by direction: tile[c * FROCC_PANEL + r]. Lanes run across rows or directions,
 * never across features, so that every projection is the same chain of fused multiply-adds.
 */
#ifndef FROCC_KERNELS_H
#define FROCC_KERNELS_H

#include <math.h>

#include "base/cpu.h"
#include "kernels/grid.h"

#define FROCC_PANEL 48
#define FROCC_BLOCK 8
#define FROCC_TILE (FROCC_PANEL * FROCC_BLOCK)

/* The most panels and blocks of a macro-tile; see macro_tile.h. */
#define FROCC_MACRO_PANELS 16
#define FROCC_MACRO_BLOCKS 16

/* Columns of doubles that combine sums at once. */
#define FROCC_COMBINED 16
#define FROCC_COMBINED_ROWS 4

/* Rows that are turned to lanes together, since a vector has no more; a panel is three subpanels.
 */
#define FROCC_SUBPANEL 16

/* Features that stay together where segments of a scrambled row are formed: no vector is longer. */
#define FROCC_RUN 16

/* Set bits are rows of a panel. */
typedef uint64_t frocc__row_mask;

/* K(w, x) as a function of <w, x>, in float32. */
typedef struct frocc__transform {
    frocc_kernel kernel;
    float gamma, coef0;
    int degree;
} frocc__transform;

/* A map of the values around some intervals; see filter.h. */
#define FROCC_MAP_CELLS 1024

typedef struct frocc__cell_map {
    uint32_t in[FROCC_MAP_CELLS / 32];
    uint32_t edge[FROCC_MAP_CELLS / 32];
    float origin, scale;
} frocc__cell_map;

/* Rises with value, whatever the rounding; 0 for NaN. Kernels use this very expression. */
static inline uint32_t frocc__map_cell(const frocc__cell_map *cells, float value) {
    float at = fmaf(value - cells->origin, cells->scale, 1.0f);
    at = at > 0.0f ? at : 0.0f;
    at = at < (float)(FROCC_MAP_CELLS - 1) ? at : (float)(FROCC_MAP_CELLS - 1);
    return (uint32_t)(int32_t)at;
}

/* The shape of a scrambled row: n_segments of segment floats, a power of two and at least
 * FROCC_RUN; where there are more segments than one, at least 8 * FROCC_RUN. */
typedef struct frocc__scrambling {
    size_t segment, n_segments;
    float scale;
} frocc__scrambling;

/* Memory that will be read soon, though perhaps by nobody: while there is other work, it is fetched
 * into the caches, so many lines at a time. */
typedef struct frocc__fetching {
    uintptr_t at, end;
    size_t lines;
} frocc__fetching;

static inline void frocc__fetch(frocc__fetching *next, size_t times) {
    const uintptr_t stop = FROCC_MIN(next->at + times * next->lines * FROCC_LINE, next->end);
    for (; next->at < stop; next->at += FROCC_LINE)
        __builtin_prefetch((const void *)next->at, 0, 2);
}

/* A node of a tree; see trees.h. */
typedef struct frocc__node {
    float
        threshold; /* below: to the next node; otherwise, and in a leaf always, to the right one */
    uint32_t direction;
    uint32_t right;
    uint32_t leaf; /* its number, in leaves only */
} frocc__node;

/* Rows that descend a tree at once. */
#define FROCC_DESCENDING 16

/* Values of one slot that are counted at once. */
#define FROCC_COUNTED (FROCC_MACRO_PANELS * FROCC_PANEL)

struct frocc__interval;

typedef struct frocc__kernels {
    const char *name;

    /* tile = panel times block, chains starting at +0, or where tile has them when it goes on with
     * more features. */
    void (*project_panel)(const float *x, const float *w, size_t n_features, bool goes_on,
                          float *tile);

    /* The same, but false when every value c is within [lower[c], upper[c]]; then tile may not have
     * been written. No value is NaN. */
    bool (*project_outside)(const float *x, const float *w, size_t n_features, bool goes_on,
                            const float *lower, const float *upper, float *tile);

    /*
     * One row against n_blocks blocks: out[b * FROCC_BLOCK + c]. columns is NULL for a dense row,
     * otherwise values holds only the entries of these columns.
     */
    void (*project_row)(const float *values, const int32_t *columns, size_t count, const float *w,
                        size_t n_features, size_t n_blocks, float *out);

    /* Applies the kernel function in place to at most FROCC_TILE values; norms[i] is
     * |x|^2 + |w|^2, for RBF only. */
    void (*transform)(const frocc__transform *how, const double *norms, float *values,
                      size_t count);

    /* Whether some value of a tile is not within its direction's [lower[c], upper[c]], and per
     * direction the rows of those. */
    bool (*outside)(const float *tile, const float *lower, const float *upper);
    void (*outside_rows)(const float *tile, const float *lower, const float *upper,
                         frocc__row_mask rows[FROCC_BLOCK]);

    /* Marks the cells of intervals: "edge" where they end, and "in" strictly between. */
    void (*map_intervals)(const struct frocc__interval *list, size_t count, frocc__cell_map *cells);

    /* Marks the "in" cells of an interval that lie between from and to; see frocc__growth. */
    void (*map_grown)(float lo, float hi, float from, float to, frocc__cell_map *cells);

    /*
     * Per direction of a tile, which of some rows fall in "in" cells, and which in "edge" cells;
     * nothing is written for a direction without rows. edge may be NULL.
     */
    void (*look_up)(const float *tile, const frocc__cell_map *cells,
                    const frocc__row_mask rows[FROCC_BLOCK], frocc__row_mask in[FROCC_BLOCK],
                    frocc__row_mask *edge);

    /* Adds to counts[r] how many of the masks hold row r; counts has room for a panel. */
    void (*tally)(const frocc__row_mask rows[FROCC_BLOCK], uint32_t *counts);

    /* Adds values, at most FROCC_COUNTED, to a histogram (histogram.h), whose counts stop at
     * UINT16_MAX; or, where one of them is not within its grid, none, and says false. */
    bool (*count_values)(const float *values, size_t count, const frocc__grid *grid,
                         uint16_t *counts);

    /* Adds to sums[i] what values[i] costs. */
    void (*add_costs)(const float *values, size_t count, const frocc__cost_table *table,
                      uint32_t *sums);

    /* The roots of what places cost whose windows of 1 and of 2 values are so wide, in cells, and
     * are measured by so many; see costs.c. */
    void (*find_roots)(const float *widths, const float *seconds, size_t count, float range,
                       float second_range, uint8_t *roots);

    /* Lets FROCC_DESCENDING rows, of which row r's projection on direction j is
     * values[j * FROCC_DESCENDING + r], take so many steps from the nodes at[r]. */
    void (*descend)(const frocc__node *nodes, uint32_t steps, const float *values, uint32_t *at);

    /* What FROCC_LOOKED_UP values in slots of leaves cost, times 255; 0 where one is not within its
     * slot's range, or may not be. */
    void (*find_leaf_costs)(const frocc__look_ups *at, uint32_t *costs);

    /* The smallest and the largest of at least one value, none of which is NaN. */
    void (*find_range)(const float *values, size_t count, float *low, float *high);

    /* Sorts count values of each direction of a block: values[i * FROCC_BLOCK + c]. */
    void (*sort_block)(float *values, size_t count);

    /* Whether all values are numbers of a size up to 2^90, the largest that a row may have. */
    bool (*all_usable)(const float *values, size_t count);

    /* The sum of the hashes of entries, in columns from first_column on; see hash.h. */
    uint64_t (*hash_entries)(const uint64_t *bits, size_t first_column, size_t count);

    /* out[i] = (values[i] - shift[i]) / scale[i] in double, rounded once. out may be values. */
    void (*scale)(const void *values, frocc_dtype dtype, const double *shift, const double *scale,
                  size_t count, float *out);

    /* values[i] becomes asinh(2 values[i]); sizes above 2^60 count as 2^60. */
    void (*asinh_values)(float *values, size_t count);

    /* For each of n_rows rows, at most FROCC_COMBINED_ROWS, of a, stride apart: sums[c] = sum over
     * k of a[k] * b[k * FROCC_COMBINED + c], a chain of fused multiply-adds in the order of k. */
    void (*combine)(const double *a, size_t stride, size_t n_rows, const double *b, size_t count,
                    double *sums);

    /* Draws the unit directions first, first + step, ... as a block. */
    void (*draw_block)(uint64_t seed, uint32_t first, uint32_t step, size_t n_features, float *w);

    /* Turns a subpanel of rows, stride apart, to lanes: out[j * FROCC_PANEL + r] for j < count.
     * Says whether all of them are of a usable size; see rows.h. */
    bool (*transpose)(const float *rows, size_t stride, size_t count, float *out);

    /* A panel on a direction over few features, named in rising order: out[r], chains as above. */
    void (*project_panel_list)(const float *x, const int32_t *features, const float *weights,
                               size_t count, float *out);

    /* One row on directions over few features: out[i] for those whose list is not empty. */
    void (*project_row_lists)(const float *row, const size_t *start, const int32_t *features,
                              const float *weights, size_t n_directions, float *out);

    /*
     * A row, with zeros from n_features on, goes three times through signs and Walsh-Hadamard
     * transforms of segments; see hadamard.h. signs holds those of the three rounds one after
     * another. out[i] is result i times scale, for i < wanted. work has room for one segment more
     * than the row.
     */
    void (*scramble)(const float *row, size_t n_features, const frocc__scrambling *how,
                     const float *signs, size_t wanted, float *work, float *out);
} frocc__kernels;

/* The entries of a level that are named after it; those it shares with others follow. */
#define FROCC_ENTRIES_OF(level)                                                                    \
    .project_panel = project_panel_##level, .project_outside = project_outside_##level,            \
    .project_row = project_row_##level, .transform = transform_##level,                            \
    .outside = outside_##level, .outside_rows = outside_rows_##level,                              \
    .map_intervals = map_intervals_##level, .map_grown = map_grown_##level,                        \
    .sort_block = sort_block_##level, .asinh_values = asinh_values_##level,                        \
    .all_usable = all_usable_##level, .combine = combine_##level,                                  \
    .hash_entries = hash_entries_##level, .draw_block = draw_block_##level,                        \
    .project_panel_list = project_panel_list_##level,                                              \
    .project_row_lists = project_row_lists_##level, .scramble = scramble_##level,                  \
    .scale = scale_##level, .find_roots = find_roots_##level, .descend = descend_##level,          \
    .find_leaf_costs = find_leaf_costs_##level, .find_range = find_range_##level,                  \
    .count_values = count_values_##level, .add_costs = add_costs_##level

/* For levels without faster ones. */
bool frocc__transpose_scalar(const float *rows, size_t stride, size_t count, float *out);
void frocc__tally_scalar(const frocc__row_mask rows[FROCC_BLOCK], uint32_t *counts);
void frocc__look_up_scalar(const float *tile, const frocc__cell_map *cells,
                           const frocc__row_mask rows[FROCC_BLOCK], frocc__row_mask in[FROCC_BLOCK],
                           frocc__row_mask *edge);

extern const frocc__kernels frocc__kernels_ref;
#if defined(__x86_64__)
extern const frocc__kernels frocc__kernels_avx2, frocc__kernels_avx512;
#endif
#if defined(__aarch64__)
extern const frocc__kernels frocc__kernels_neon;
#endif

/* The table for this CPU, or the one FROCC_CPU asks for. */
const frocc__kernels *frocc__kernels_best(void);

#endif
