/* SPDX-License-Identifier: BSD-3-Clause */
/* Evidence: O(m + trees (depth + directions of a leaf) + d) a row. */
#include "evidence/evidence.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "frame/directions.h"
#include "kernels/mathf.h"
#include "sketch/leaf_bytes.h"

frocc_status frocc__evidence_new(const frocc_frame *frame, double contamination, uint64_t n_rows,
                                 frocc__evidence *evidence) {
    *evidence = (frocc__evidence){.frame = frame,
                                  .contamination = contamination,
                                  .needed = frocc__needed_for(contamination, n_rows),
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
    frocc__costs_free(&evidence->wide);
    frocc__leaves_free(&evidence->leaves);
    frocc__code_evidence_free(&evidence->codes);
    frocc__extremes_free(&evidence->extremes);
    *evidence = (frocc__evidence){0};
}

static frocc_status new_costs(frocc__evidence *e, uint32_t n_cells) {
    const size_t n_slots = e->frame->n_directions;
    FROCC_TRY(frocc__costs_new(n_slots, n_cells, &e->costs));
    return e->needed > 0 ? frocc__costs_new(n_slots, n_cells, &e->wide) : FROCC_OK;
}

void frocc__evidence_set_costs(frocc__evidence *e, size_t slot, const frocc__grid *grid,
                               const frocc__bin *bins, size_t n_bins) {
    frocc__costs_set(&e->costs, e->frame->kernels, slot, grid, bins, n_bins, 0);
    if (e->needed > 0)
        frocc__costs_set(&e->wide, e->frame->kernels, slot, grid, bins, n_bins, e->needed);
}

static frocc__leaf_table leaf_of_counts(const frocc__evidence *e, const frocc__counts *counts,
                                        size_t slot) {
    const frocc__grid *direction = &counts->directions.grids[e->frame->trees.leaf_directions[slot]];
    const frocc__grid *grid = &counts->leaves.grids[slot];
    return frocc__leaf_of_cells(direction, grid, frocc__histogram_occupied(&counts->leaves, slot));
}

frocc_status frocc__evidence_begin(frocc__evidence *evidence, const frocc__counts *counts) {
    FROCC_TRY(new_costs(evidence, counts->directions.n_cells));
    FROCC_TRY(frocc__code_evidence_of(evidence->frame, evidence->contamination, &counts->codes,
                                      counts->bins, &evidence->codes));
    const size_t n_slots = counts->leaves.n_slots;
    FROCC_TRY(frocc__leaves_new(n_slots, &evidence->leaves));
    for (size_t i = 0; i < evidence->frame->n_directions; i++)
        evidence->ranges[i] = frocc__direction_range(&counts->directions.grids[i]);
    for (size_t slot = 0; slot < n_slots; slot++)
        frocc__leaves_set(&evidence->leaves, slot, leaf_of_counts(evidence, counts, slot));
    return frocc__extremes_copy(&counts->extremes, &evidence->extremes);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* The sums of some rows, with 32 bits each, which are enough for 1024 directions. */
typedef struct sums {
    uint32_t mixed[FROCC_COUNTED], single[FROCC_COUNTED];
} sums;

static void add_costs(const frocc__evidence *e, const frocc__costs *costs,
                      const frocc__projections *projections, size_t first, size_t end, sums *s) {
    memset(s, 0, sizeof *s);
    for (size_t i = first; i < end; i++)
        e->frame->kernels->add_costs(projections->values + i * projections->stride,
                                     projections->n_rows, &costs->tables[i],
                                     e->is_single[i] ? s->single : s->mixed);
}

static void add_directions(const frocc__evidence *e, const frocc__projections *projections,
                           frocc__against *rows) {
    sums s;
    for (size_t i = 0; i < e->costs.n_slots; i += 1024) {
        const size_t end = FROCC_MIN(i + 1024, e->costs.n_slots);
        add_costs(e, &e->costs, projections, i, end, &s);
        for (size_t r = 0; r < projections->n_rows; r++) {
            rows[r].mixed += s.mixed[r];
            rows[r].single += s.single[r];
        }
        if (e->needed == 0)
            continue;
        add_costs(e, &e->wide, projections, i, end, &s);
        for (size_t r = 0; r < projections->n_rows; r++) {
            rows[r].wide_mixed += s.mixed[r];
            rows[r].wide_single += s.single[r];
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
            const float *values =
                projections->x + first * e->frame->n_features + j * projections->panel;
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

void frocc__against_codes(frocc__against *row, const frocc__surprise *surprise) {
    row->single += surprise->cost;
    row->together = (float)surprise->together;
    row->apart = (float)surprise->apart;
}

void frocc__evidence_add_codes(const frocc__evidence *e, const frocc__projections *projections,
                               uint32_t left_out, frocc__against *rows) {
    if (e->codes.alone == NULL)
        return;
    uint32_t *ranks = frocc__alloc(e->frame->columns.n_codes, sizeof *ranks);
    const size_t d = e->frame->n_features, panel = projections->panel;
    for (size_t r = 0; r < projections->n_rows; r++) {
        const float *x = projections->x + r / panel * panel * d + r % panel;
        const frocc__surprise s = frocc__surprise_of(&e->codes, x, panel, left_out, ranks);
        frocc__against_codes(&rows[r], &s);
    }
    frocc__free(ranks);
}

void frocc__evidence_add(const frocc__evidence *evidence, const frocc__projections *projections,
                         frocc__against *rows) {
    add_directions(evidence, projections, rows);
    add_leaves(evidence, projections, rows);
    add_extremes(evidence, projections, rows);
    frocc__evidence_add_codes(evidence, projections, 0, rows);
}

/* ---- The score ------------------------------------------------------------------------------ */

/* A mean cost of nothing is not infinitely good evidence. */
#define LEAST_COST 1e-5f

/* The mean of two means: over mixed directions, and over single features and codes. */
static double mean_cost(const frocc__evidence *e, uint64_t mixed, uint64_t single, size_t n_codes) {
    const double one = FROCC_COST_ONE;
    const size_t n_single = e->n_single + n_codes, n_mixed = e->costs.n_slots - e->n_single;
    const double of_mixed = n_mixed > 0 ? (double)mixed / (one * (double)n_mixed) : 0.0;
    const double of_single = n_single > 0 ? (double)single / (one * (double)n_single) : 0.0;
    const double mean = of_mixed + of_single;
    return n_mixed > 0 && n_single > 0 ? mean / 2.0 : mean;
}

double frocc__wide_oddness(const frocc__evidence *e, const frocc__against *against) {
    const double mean = mean_cost(e, against->wide_mixed, against->wide_single, 0);
    return (double)frocc__logf((float)mean + LEAST_COST);
}

/* Leaves look at numbers: they have the say of these among all columns, twice. */
static double leaf_weight(const frocc__evidence *e) {
    const frocc__columns *c = &e->frame->columns;
    return 2.0 * (double)c->n_numbers / (double)(c->n_numbers + c->n_texts);
}

double frocc__oddness(const frocc__evidence *e, const frocc__against *against) {
    const size_t n_codes = e->codes.alone != NULL ? e->frame->columns.n_texts : 0;
    const double mean = mean_cost(e, against->mixed, against->single, n_codes);
    double value = (double)frocc__logf((float)mean + LEAST_COST);
    if (e->leaves.n_slots > 0) {
        const double places = (double)(e->frame->trees.n_trees * FROCC_LEAF_DIRECTIONS) * 255.0;
        value += leaf_weight(e) * (double)frocc__logf((float)((double)against->local / places));
    }
    const double octave = 0.69314718055994531 / 16.0;
    value += 2.0 * octave * (double)frocc__log_steps(1.0f + against->furthest);
    value += (double)frocc__logf(1.0f + against->together / 3.0f);
    value += (double)frocc__logf(1.0f + against->apart / 10.0f);
    return value;
}

double frocc__closeness(const frocc__evidence *e, const frocc__against *against) {
    double value = frocc__oddness(e, against);
    double best = (double)frocc__logf(LEAST_COST);
    if (e->leaves.n_slots > 0)
        best += leaf_weight(e) * (double)frocc__logf(FROCC_LEAF_LEAST / 255.0f);
    if (e->wide_slope > 0.0) {
        const double wide = e->wide_shift + e->wide_slope * frocc__wide_oddness(e, against);
        value = FROCC_MAX(value, wide);
    }
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
        frocc__evidence_set_costs(e, slot, &grid, bins, n_bins);
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
        frocc__leaves_set(&e->leaves, slot, frocc__leaf_of_cells(direction, &grid, occupied));
    }
    return FROCC_OK;
}

frocc_status frocc__evidence_of_bytes(frocc__evidence *evidence, uint32_t n_cells,
                                      frocc__bytes_in in) {
    const frocc_frame *frame = evidence->frame;
    const size_t n_slots = frame->trees.n_leaves * FROCC_LEAF_DIRECTIONS;
    FROCC_TRY(frocc__extremes_read(&in, frocc__has_extremes(frame) ? frame->columns.n_inputs : 0,
                                   &evidence->extremes));
    FROCC_TRY(frocc__code_evidence_read(frame, evidence->contamination, &in, &evidence->codes));
    if (in.left / FROCC_LEAF_HEAD < n_slots || in.left / (2 * sizeof(float)) < frame->n_directions)
        return frocc__damaged("its counts are cut short");
    FROCC_TRY(new_costs(evidence, n_cells));
    FROCC_TRY(frocc__leaves_new(n_slots, &evidence->leaves));
    frocc__bin *bins = frocc__alloc(n_cells, sizeof *bins);
    if (bins == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = read_directions(evidence, bins, &in);
    if (status == FROCC_OK)
        status = read_leaves(evidence, in);
    frocc__free(bins);
    return status;
}
