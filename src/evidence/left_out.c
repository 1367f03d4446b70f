/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows left out: tables in O(cells) a direction, once; then about what evidence costs, which is
 * O(m + trees (depth + cells of a leaf) + d) a row.
 */
#include "evidence/left_out.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* ---- Leaves --------------------------------------------------------------------------------- */

/* The range of a direction without one value, on the grid of all; and that grid's exponent. */
static float range_without(const frocc__histograms *h, size_t slot, float value, int *exponent) {
    const frocc__grid *grid = &h->grids[slot];
    const uint16_t *ring = h->counts + slot * h->n_cells;
    int32_t first = frocc__cell_number(grid->low, grid->scale);
    int32_t last = frocc__cell_number(grid->high, grid->scale);
    const int32_t own = frocc__cell_number(value, grid->scale);
    *exponent = frocc__scale_exponent(grid->scale);
    if (first == last || (own != first && own != last) || ring[(uint32_t)own & grid->mask] != 1)
        return (float)(last - first + 1) / grid->scale;
    while (own == first || (own < first && ring[(uint32_t)first & grid->mask] == 0))
        first++;
    while (own == last || (own > last && ring[(uint32_t)last & grid->mask] == 0))
        last--;
    return (float)(last - first + 1) / grid->scale;
}

static bool is_counted(const frocc__histograms *h, size_t slot, float value) {
    const frocc__grid *grid = &h->grids[slot];
    if (!(value >= grid->low && value <= grid->high))
        return false;
    const uint32_t cell = (uint32_t)frocc__cell_number(value, grid->scale) & grid->mask;
    return h->counts[slot * h->n_cells + cell] > 0;
}

/* Adds what row r costs in its leaf of one tree. False when it was not counted there. */
static bool add_leaf(const frocc__evidence *e, const frocc__counts *counts, uint32_t leaf,
                     const float *descending, size_t r, uint64_t *local) {
    for (size_t q = 0; q < FROCC_LEAF_DIRECTIONS; q++) {
        const size_t slot = (size_t)leaf * FROCC_LEAF_DIRECTIONS + q;
        const uint32_t direction = e->frame->trees.leaf_directions[slot];
        const float value = descending[direction * FROCC_DESCENDING + r];
        if (!is_counted(&counts->leaves, slot, value))
            return false;
        int exponent;
        const float range = range_without(&counts->directions, direction, value, &exponent);
        *local +=
            frocc__leaf_cost_left_out(&e->leaves, &counts->leaves, slot, range, exponent, value);
    }
    return true;
}

size_t frocc__left_out_of_leaves(const frocc__evidence *evidence, const frocc__counts *counts,
                                 const float *descending, size_t some, frocc__against *rows) {
    const frocc__trees *trees = &evidence->frame->trees;
    size_t foreign = SIZE_MAX;
    for (size_t t = 0; t < trees->n_trees; t++) {
        uint32_t leaves[FROCC_DESCENDING];
        frocc__trees_descend(trees, evidence->frame->kernels, t, descending, leaves);
        for (size_t r = 0; r < some; r++)
            if (!add_leaf(evidence, counts, leaves[r], descending, r, &rows[r].local))
                foreign = FROCC_MIN(foreign, r);
    }
    return foreign;
}

/* ---- Made ----------------------------------------------------------------------------------- */

static frocc_status make_tables(frocc__left_out *made) {
    const frocc__evidence *e = made->evidence;
    frocc__bin *bins = made->counts.bins;
    for (size_t slot = 0; slot < e->costs.n_slots; slot++) {
        const size_t n_bins = frocc__histogram_list(&made->counts.directions, slot, bins);
        if (n_bins == 1 && bins[0].count == 1)
            return frocc__fail(FROCC_ERR_EMPTY, "the model has learnt one row: without that one "
                                                "there is nothing to compare it with");
        made->tables[slot] = frocc__costs_left_out(&e->costs, e->frame->kernels, slot, bins, n_bins,
                                                   0, made->roots + slot * e->costs.n_cells);
        if (e->needed > 0)
            made->wide[slot] =
                frocc__costs_left_out(&e->wide, e->frame->kernels, slot, bins, n_bins, e->needed,
                                      made->roots + (e->costs.n_slots + slot) * e->costs.n_cells);
    }
    return FROCC_OK;
}

frocc_status frocc__left_out_new(const frocc__evidence *evidence, frocc__bytes_in bytes,
                                 frocc__left_out *left_out) {
    const frocc__costs *costs = &evidence->costs;
    frocc__left_out made = {.evidence = evidence};
    frocc_status status = frocc__counts_new(evidence->frame, costs->n_cells, &made.counts);
    if (status == FROCC_OK)
        status = frocc__counts_merge_bytes(&made.counts, costs->n_cells, bytes);
    const size_t n_wide = evidence->needed > 0 ? costs->n_slots : 0;
    made.tables = frocc__alloc(costs->n_slots, sizeof *made.tables);
    made.wide = frocc__alloc(n_wide, sizeof *made.wide);
    made.roots = frocc__alloc(costs->n_slots + n_wide, costs->n_cells);
    if (status == FROCC_OK && (made.tables == NULL || made.wide == NULL || made.roots == NULL))
        status = FROCC_ERR_MEMORY;
    if (status == FROCC_OK)
        status = make_tables(&made);
    if (status != FROCC_OK) {
        frocc__left_out_free(&made);
        return status;
    }
    *left_out = made;
    return FROCC_OK;
}

void frocc__left_out_free(frocc__left_out *left_out) {
    frocc__counts_free(&left_out->counts);
    frocc__free(left_out->tables);
    frocc__free(left_out->wide);
    frocc__free(left_out->roots);
    *left_out = (frocc__left_out){0};
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* The first row with a value outside those of a direction. */
static size_t find_outside(const frocc__grid *grid, const float *values, size_t count) {
    size_t r = 0;
    while (r < count && values[r] >= grid->low && values[r] <= grid->high)
        r++;
    return r;
}

static size_t add_directions(const frocc__left_out *l, const frocc__projections *projections,
                             frocc__against *rows) {
    const frocc__evidence *e = l->evidence;
    const size_t n = projections->n_rows;
    size_t foreign = SIZE_MAX;
    for (size_t i = 0; i < e->costs.n_slots; i++) {
        const float *values = projections->values + i * projections->stride;
        uint32_t sums[FROCC_COUNTED] = {0};
        if (!frocc__add_left_out(&l->tables[i], e->frame->kernels, values, n, sums))
            foreign = FROCC_MIN(foreign, find_outside(&l->tables[i].table.grid, values, n));
        for (size_t r = 0; r < n; r++)
            *(e->is_single[i] ? &rows[r].single : &rows[r].mixed) += sums[r];
        if (e->needed == 0 || foreign != SIZE_MAX)
            continue;
        memset(sums, 0, sizeof sums);
        (void)frocc__add_left_out(&l->wide[i], e->frame->kernels, values, n, sums);
        for (size_t r = 0; r < n; r++)
            *(e->is_single[i] ? &rows[r].wide_single : &rows[r].wide_mixed) += sums[r];
    }
    return foreign;
}

static size_t add_leaves(const frocc__left_out *l, const frocc__projections *projections,
                         frocc__against *rows) {
    const frocc_frame *frame = l->evidence->frame;
    size_t foreign = SIZE_MAX;
    for (size_t r = 0; frame->trees.n_trees > 0 && r < projections->n_rows; r += FROCC_DESCENDING) {
        const size_t some = FROCC_MIN(projections->n_rows - r, (size_t)FROCC_DESCENDING);
        frocc__projections_copy(projections, frame->n_directions, r, some);
        const size_t found = frocc__left_out_of_leaves(l->evidence, &l->counts,
                                                       projections->descending, some, rows + r);
        foreign = FROCC_MIN(foreign, found == SIZE_MAX ? found : r + found);
    }
    return foreign;
}

static void add_extremes(const frocc__evidence *e, const frocc__projections *projections,
                         frocc__against *rows) {
    const size_t d = e->extremes.n_features;
    for (size_t first = 0; d > 0 && first < projections->n_rows; first += projections->panel) {
        const size_t some = FROCC_MIN(projections->n_rows - first, projections->panel);
        for (size_t j = 0; j < d; j++) {
            const float *values =
                projections->x + first * e->frame->n_features + j * projections->panel;
            const frocc__ends *ends = &e->extremes.ends[j];
            float low, high;
            e->frame->kernels->find_range(values, some, &low, &high);
            if (low > ends->low[0] && high < ends->high[0])
                continue;
            for (size_t r = 0; r < some; r++) {
                const float far = frocc__extremes_left_out(&e->extremes, e->frame, j, values[r]);
                rows[first + r].furthest = FROCC_MAX(rows[first + r].furthest, far);
            }
        }
    }
}

size_t frocc__left_out_add(const frocc__left_out *left_out, const frocc__projections *projections,
                           frocc__against *rows) {
    const size_t in_directions = add_directions(left_out, projections, rows);
    const size_t in_leaves =
        in_directions == SIZE_MAX ? add_leaves(left_out, projections, rows) : SIZE_MAX;
    add_extremes(left_out->evidence, projections, rows);
    frocc__evidence_add_codes(left_out->evidence, projections, 1, rows);
    return FROCC_MIN(in_directions, in_leaves);
}
