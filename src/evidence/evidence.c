/* SPDX-License-Identifier: BSD-3-Clause */
/* Evidence: O(m + trees (depth + directions of a leaf) + d) a row. */
#include "evidence/evidence.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "frame/directions.h"
#include "kernels/mathf.h"
#include "sketch/leaf_bytes.h"

frocc_status frocc__evidence_new(const frocc_frame *frame, frocc__needed needed,
                                 frocc__evidence *evidence) {
    *evidence = (frocc__evidence){.frame = frame,
                                  .needed = needed,
                                  .is_single = frocc__alloc(frame->n_directions, 1),
                                  .ranges = frocc__alloc(frame->n_directions, sizeof(float))};
    if (evidence->is_single == NULL || evidence->ranges == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t i = 0; i < frame->n_directions; i++) {
        evidence->is_single[i] = frocc__is_single(frame, i);
        evidence->n_single += evidence->is_single[i];
    }
    return FROCC_OK;
}

void frocc__evidence_free(frocc__evidence *evidence) {
    frocc__free(evidence->is_single);
    frocc__free(evidence->ranges);
    frocc__costs_free(&evidence->costs);
    frocc__leaves_free(&evidence->leaves);
    frocc__extremes_free(&evidence->extremes);
    *evidence = (frocc__evidence){0};
}

static frocc__leaf_table leaf_of_counts(const frocc__evidence *e, const frocc__counts *counts,
                                        size_t slot) {
    const frocc__grid *direction = &counts->directions.grids[e->frame->trees.leaf_directions[slot]];
    const frocc__grid *grid = &counts->leaves.grids[slot];
    if (e->needed <= 1)
        return frocc__leaf_of_cells(direction, grid,
                                    frocc__histogram_occupied(&counts->leaves, slot));
    const size_t n_bins = frocc__histogram_list(&counts->leaves, slot, counts->bins);
    return frocc__leaf_of_bins(direction, grid, counts->bins, n_bins, e->needed);
}

frocc_status frocc__evidence_begin(frocc__evidence *evidence, const frocc__counts *counts) {
    FROCC_TRY(
        frocc__costs_new(counts->directions.n_slots, counts->directions.n_cells, &evidence->costs));
    const size_t n_slots = counts->leaves.n_slots;
    FROCC_TRY(frocc__leaves_new(n_slots, &evidence->leaves));
    for (size_t i = 0; i < evidence->frame->n_directions; i++)
        evidence->ranges[i] = frocc__direction_range(&counts->directions.grids[i]);
    for (size_t slot = 0; slot < n_slots; slot++)
        frocc__leaves_set(&evidence->leaves, slot, leaf_of_counts(evidence, counts, slot));
    if (evidence->needed > 0)
        return frocc__extremes_new(0, &evidence->extremes);
    return frocc__extremes_copy(&counts->extremes, &evidence->extremes);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static void add_directions(const frocc__evidence *e, const frocc__projections *projections,
                           frocc__against *rows) {
    uint32_t mixed[FROCC_COUNTED] = {0}, single[FROCC_COUNTED] = {0};
    for (size_t i = 0; i < e->costs.n_slots; i++) {
        uint32_t *sums = e->is_single[i] ? single : mixed;
        e->frame->kernels->add_costs(projections->values + i * projections->stride,
                                     projections->n_rows, &e->costs.tables[i], sums);
        if (i % 1024 < 1023 && i + 1 < e->costs.n_slots)
            continue;
        for (size_t r = 0; r < projections->n_rows; r++) { /* before 32 bits are too few */
            rows[r].mixed += mixed[r];
            rows[r].single += single[r];
            mixed[r] = single[r] = 0;
        }
    }
}

_Static_assert(FROCC_LOOKED_UP == FROCC_DESCENDING * FROCC_LEAF_DIRECTIONS, "a tree at a time");

/* Where some rows look in their leaves of one tree. */
static void find_slots(const frocc__evidence *e, const float *values, const uint32_t *leaves,
                       frocc__look_ups *at) {
    enum { COUNT = FROCC_LEAF_DIRECTIONS };
    for (size_t r = 0, i = 0; r < FROCC_DESCENDING; r++, i += COUNT) {
        const frocc__leaf *leaf = &e->leaves.leaves[leaves[r]];
        const uint32_t *directions = e->frame->trees.leaf_directions + (size_t)leaves[r] * COUNT;
        memcpy(at->scale + i, leaf->scale, sizeof leaf->scale);
        memcpy(at->low + i, leaf->low, sizeof leaf->low);
        memcpy(at->high + i, leaf->high, sizeof leaf->high);
        memcpy(at->occupied + i, leaf->occupied, sizeof leaf->occupied);
        for (size_t q = 0; q < COUNT; q++) {
            at->range[i + q] = e->ranges[directions[q]];
            at->value[i + q] = values[directions[q] * FROCC_DESCENDING + r];
        }
    }
}

static uint32_t cost_outside(const frocc__evidence *e, const frocc__look_ups *at, size_t i,
                             uint32_t leaf) {
    const size_t slot = (size_t)leaf * FROCC_LEAF_DIRECTIONS + i % FROCC_LEAF_DIRECTIONS;
    const frocc__leaf_table table = {at->scale[i], at->low[i], at->high[i], at->occupied[i]};
    const uint32_t direction = e->frame->trees.leaf_directions[slot];
    return frocc__leaf_cost_outside(table, &e->costs.tables[direction].grid, at->value[i]);
}

/* What some rows cost in their leaves of one tree. */
static void add_tree(const frocc__evidence *e, const float *values, size_t n_rows,
                     const uint32_t *leaves, frocc__against *rows) {
    frocc__look_ups at;
    uint32_t costs[FROCC_LOOKED_UP];
    find_slots(e, values, leaves, &at);
    e->frame->kernels->find_leaf_costs(&at, costs);
    for (size_t i = 0; i < n_rows * FROCC_LEAF_DIRECTIONS; i++) {
        const size_t r = i / FROCC_LEAF_DIRECTIONS;
        rows[r].local += costs[i] > 0 ? costs[i] : cost_outside(e, &at, i, leaves[r]);
    }
}

static void add_leaves(const frocc__evidence *e, const frocc__projections *projections,
                       frocc__against *rows) {
    const frocc__trees *trees = &e->frame->trees;
    for (size_t r = 0; trees->n_trees > 0 && r < projections->n_rows; r += FROCC_DESCENDING) {
        const size_t some = FROCC_MIN(projections->n_rows - r, (size_t)FROCC_DESCENDING);
        frocc__projections_copy(projections, e->frame->n_directions, r, some);
        for (size_t t = 0; t < trees->n_trees; t++) {
            uint32_t leaves[FROCC_DESCENDING];
            frocc__trees_descend(trees, e->frame->kernels, t, projections->descending, leaves);
            add_tree(e, projections->descending, some, leaves, rows + r);
        }
    }
}

static void add_extremes(const frocc__evidence *e, const frocc__projections *projections,
                         frocc__against *rows) {
    const size_t d = e->extremes.n_features;
    for (size_t first = 0; d > 0 && first < projections->n_rows; first += projections->panel) {
        const size_t some = FROCC_MIN(projections->n_rows - first, projections->panel);
        for (size_t j = 0; j < d; j++) {
            const float *values = projections->x + first * d + j * projections->panel;
            const frocc__ends *ends = &e->extremes.ends[j];
            float low, high;
            e->frame->kernels->find_range(values, some, &low, &high);
            if (low >= ends->low[0] && high <= ends->high[0])
                continue;
            for (size_t r = 0; r < some; r++) {
                const float far = frocc__extremes_distance(&e->extremes, e->frame, j, values[r]);
                rows[first + r].furthest = FROCC_MAX(rows[first + r].furthest, far);
            }
        }
    }
}

void frocc__evidence_add(const frocc__evidence *evidence, const frocc__projections *projections,
                         frocc__against *rows) {
    add_directions(evidence, projections, rows);
    add_leaves(evidence, projections, rows);
    add_extremes(evidence, projections, rows);
}

/* ---- The score ------------------------------------------------------------------------------ */

/* A mean cost of nothing is not infinitely good evidence. */
#define LEAST_COST 1e-5f

double frocc__closeness(const frocc__evidence *evidence, const frocc__against *against) {
    const size_t n_single = evidence->n_single;
    const size_t n_mixed = evidence->costs.n_slots - n_single;
    const double one = FROCC_COST_ONE;
    const double mixed = n_mixed > 0 ? (double)against->mixed / (one * (double)n_mixed) : 0.0;
    const double single = n_single > 0 ? (double)against->single / (one * (double)n_single) : 0.0;
    const double global = n_mixed > 0 && n_single > 0 ? (mixed + single) / 2.0 : mixed + single;
    double value = (double)frocc__logf((float)global + LEAST_COST);
    double best = (double)frocc__logf(LEAST_COST);
    if (evidence->leaves.n_slots > 0) {
        const double places =
            (double)(evidence->frame->trees.n_trees * FROCC_LEAF_DIRECTIONS) * 255.0;
        const double weight = evidence->needed > 0 ? 1.0 : 2.0;
        value += weight * (double)frocc__logf((float)((double)against->local / places));
        best += weight * (double)frocc__logf(FROCC_LEAF_LEAST / 255.0f);
    }
    const double octave = 0.69314718055994531 / 16.0;
    value += 2.0 * octave * (double)frocc__log_steps(1.0f + against->furthest);
    return value / best;
}

/* ---- From bytes ------------------------------------------------------------------------------ */

static frocc_status read_directions(frocc__evidence *e, frocc__bin *bins, frocc__bytes_in *in) {
    for (size_t slot = 0; slot < e->costs.n_slots; slot++) {
        frocc__grid grid;
        size_t n_bins;
        FROCC_TRY(frocc__histogram_read(in, e->costs.n_cells, &grid, bins, &n_bins));
        if (n_bins == 0)
            return frocc__damaged("a direction has no values");
        frocc__costs_set(&e->costs, e->frame->kernels, slot, &grid, bins, n_bins, e->needed);
        e->ranges[slot] = frocc__direction_range(&grid);
    }
    return FROCC_OK;
}

static frocc_status read_leaves(frocc__evidence *e, frocc__bytes_in in) {
    frocc__leaf_reader reader;
    FROCC_TRY(frocc__leaf_reader_open(in, e->leaves.n_slots, &reader));
    for (size_t slot = 0; slot < e->leaves.n_slots; slot++) {
        const frocc__grid *direction = &e->costs.tables[e->frame->trees.leaf_directions[slot]].grid;
        frocc__grid grid;
        uint32_t occupied;
        FROCC_TRY(frocc__leaf_read(&reader, &grid, &occupied));
        if (e->needed <= 1) {
            frocc__leaves_set(&e->leaves, slot, frocc__leaf_of_cells(direction, &grid, occupied));
            continue;
        }
        frocc__bin bins[FROCC_LEAF_CELLS];
        size_t n_bins;
        FROCC_TRY(frocc__leaf_read_bins(&reader, &grid, occupied, bins, &n_bins));
        frocc__leaves_set(&e->leaves, slot,
                          frocc__leaf_of_bins(direction, &grid, bins, n_bins, e->needed));
    }
    return FROCC_OK;
}

frocc_status frocc__evidence_of_bytes(frocc__evidence *evidence, uint32_t n_cells,
                                      frocc__bytes_in in) {
    const frocc_frame *frame = evidence->frame;
    const size_t n_slots = frame->trees.n_leaves * FROCC_LEAF_DIRECTIONS;
    FROCC_TRY(frocc__extremes_read(&in, frocc__has_extremes(frame) ? frame->n_features : 0,
                                   &evidence->extremes));
    if (in.left / FROCC_LEAF_HEAD < n_slots || in.left / (2 * sizeof(float)) < frame->n_directions)
        return frocc__damaged("its counts are cut short");
    FROCC_TRY(frocc__costs_new(frame->n_directions, n_cells, &evidence->costs));
    FROCC_TRY(frocc__leaves_new(n_slots, &evidence->leaves));
    frocc__bin *bins = frocc__alloc(n_cells, sizeof *bins);
    if (bins == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = read_directions(evidence, bins, &in);
    if (status == FROCC_OK)
        status = read_leaves(evidence, in);
    frocc__free(bins);
    if (evidence->needed > 0) { /* where rows may be wild, wild values tell nothing */
        frocc__extremes_free(&evidence->extremes);
        evidence->extremes.n_features = 0;
    }
    return status;
}
