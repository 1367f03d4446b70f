/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting projections: direction by direction, then tree by tree, then feature by feature. */
#include "sketch/counts.h"

#include "base/memory.h"
#include "base/status.h"
#include "sketch/leaf_bytes.h"

static size_t leaf_slots(const frocc_frame *frame) {
    return frame->trees.n_leaves * FROCC_LEAF_DIRECTIONS;
}

frocc_status frocc__counts_new(const frocc_frame *frame, uint32_t n_cells, frocc__counts *counts) {
    *counts = (frocc__counts){.frame = frame};
    frocc_status status =
        frocc__histograms_new(frame->n_directions, n_cells, frame->kernels, &counts->directions);
    if (status == FROCC_OK)
        status = frocc__histograms_new(leaf_slots(frame), FROCC_LEAF_CELLS, frame->kernels,
                                       &counts->leaves);
    if (status == FROCC_OK)
        status = frocc__extremes_new(frocc__has_extremes(frame) ? frame->columns.n_inputs : 0,
                                     &counts->extremes);
    if (status == FROCC_OK)
        status = frocc__codes_new(frame, &counts->codes);
    counts->bins = frocc__alloc(FROCC_MAX(n_cells, FROCC_LEAF_CELLS), sizeof(frocc__bin));
    if (status == FROCC_OK && counts->bins == NULL)
        status = FROCC_ERR_MEMORY;
    if (status != FROCC_OK)
        frocc__counts_free(counts);
    return status;
}

void frocc__counts_free(frocc__counts *counts) {
    frocc__histograms_free(&counts->directions);
    frocc__histograms_free(&counts->leaves);
    frocc__extremes_free(&counts->extremes);
    frocc__codes_free(&counts->codes);
    frocc__free(counts->bins);
    *counts = (frocc__counts){0};
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* The slots of some rows' leaves in one tree. */
static void count_leaves(frocc__counts *counts, const float *values, size_t n_rows,
                         const uint32_t *leaves) {
    const uint32_t *directions = counts->frame->trees.leaf_directions;
    for (size_t r = 0; r < n_rows; r++) {
        const size_t first = (size_t)leaves[r] * FROCC_LEAF_DIRECTIONS;
        for (size_t i = first; i < first + FROCC_LEAF_DIRECTIONS; i++)
            frocc__histogram_add_one(&counts->leaves, i,
                                     values[directions[i] * FROCC_DESCENDING + r]);
    }
}

/* Asks for the counts of some rows' leaves, which are all over the memory, before they are needed.
 */
static void fetch_leaves(const frocc__counts *counts, const uint32_t *leaves) {
    for (size_t r = 0; r < FROCC_DESCENDING; r++) {
        const size_t first = (size_t)leaves[r] * FROCC_LEAF_DIRECTIONS;
        __builtin_prefetch(&counts->leaves.grids[first]);
        for (size_t i = first; i < first + FROCC_LEAF_DIRECTIONS; i++)
            __builtin_prefetch(&counts->leaves.counts[i * FROCC_LEAF_CELLS], 1);
    }
}

static void take_leaves(frocc__counts *counts, const frocc__projections *projections) {
    const frocc__trees *trees = &counts->frame->trees;
    for (size_t r = 0; trees->n_trees > 0 && r < projections->n_rows; r += FROCC_DESCENDING) {
        const size_t some = FROCC_MIN(projections->n_rows - r, (size_t)FROCC_DESCENDING);
        frocc__projections_copy(projections, counts->frame->n_directions, r, some);
        uint32_t leaves[2][FROCC_DESCENDING];
        frocc__trees_descend(trees, counts->frame->kernels, 0, projections->descending, leaves[0]);
        for (size_t t = 0; t < trees->n_trees; t++) {
            if (t + 1 < trees->n_trees) {
                frocc__trees_descend(trees, counts->frame->kernels, t + 1, projections->descending,
                                     leaves[(t + 1) % 2]);
                fetch_leaves(counts, leaves[(t + 1) % 2]);
            }
            count_leaves(counts, projections->descending, some, leaves[t % 2]);
        }
    }
}

static void take_extremes(frocc__counts *counts, const frocc__projections *projections) {
    const frocc_frame *frame = counts->frame;
    for (size_t r = 0; r < projections->n_rows && counts->extremes.n_features > 0;
         r += projections->panel) {
        const float *x = projections->x + r * frame->n_features;
        for (size_t j = 0; j < counts->extremes.n_features; j++)
            frocc__extremes_take(&counts->extremes, frame->kernels, j, x + j * projections->panel,
                                 FROCC_MIN(projections->n_rows - r, projections->panel));
    }
}

bool frocc__counts_take(frocc__counts *counts, const frocc__projections *projections) {
    for (size_t i = 0; i < counts->frame->n_directions; i++)
        if (!frocc__histogram_add(&counts->directions, i,
                                  projections->values + i * projections->stride,
                                  projections->n_rows))
            return false;
    take_leaves(counts, projections);
    take_extremes(counts, projections);
    frocc__codes_take(&counts->codes, counts->frame, projections);
    return true;
}

void frocc__counts_merge(frocc__counts *into, const frocc__counts *from) {
    frocc__histograms_merge(&into->directions, &from->directions, into->bins);
    frocc__histograms_merge(&into->leaves, &from->leaves, into->bins);
    frocc__extremes_merge(&into->extremes, &from->extremes);
    frocc__codes_merge(&into->codes, &from->codes, into->bins);
}

/* ---- As bytes ------------------------------------------------------------------------------- */

void frocc__counts_write(const frocc__counts *counts, frocc__bytes_out *out) {
    frocc__extremes_write(&counts->extremes, out);
    frocc__codes_write(&counts->codes, counts->bins, out);
    for (size_t slot = 0; slot < counts->directions.n_slots; slot++) {
        const size_t n_bins = frocc__histogram_list(&counts->directions, slot, counts->bins);
        frocc__histogram_write(&counts->directions.grids[slot], counts->bins, n_bins, out);
    }
    frocc__leaf_histograms_write(&counts->leaves, counts->bins, out);
}

static frocc_status merge_directions(frocc__histograms *into, uint32_t most, frocc__bin *bins,
                                     frocc__bytes_in *in) {
    for (size_t slot = 0; slot < into->n_slots; slot++) {
        frocc__grid grid;
        size_t n_bins;
        FROCC_TRY(frocc__histogram_read(in, most, &grid, bins, &n_bins));
        if (n_bins == 0)
            return frocc__damaged("a direction has no values");
        frocc__histogram_merge(into, slot, grid.low, grid.high, bins, n_bins,
                               frocc__scale_exponent(grid.scale));
    }
    return FROCC_OK;
}

static frocc_status merge_leaves(frocc__histograms *into, frocc__bin *bins, frocc__bytes_in in) {
    frocc__leaf_reader reader;
    FROCC_TRY(frocc__leaf_reader_open(in, into->n_slots, &reader));
    for (size_t slot = 0; slot < into->n_slots; slot++) {
        frocc__grid grid;
        uint32_t occupied;
        size_t n_bins;
        FROCC_TRY(frocc__leaf_read(&reader, &grid, &occupied));
        FROCC_TRY(frocc__leaf_read_bins(&reader, &grid, occupied, bins, &n_bins));
        frocc__histogram_merge(into, slot, grid.low, grid.high, bins, n_bins,
                               frocc__scale_exponent(grid.scale));
    }
    return frocc__leaf_reader_close(&reader);
}

frocc_status frocc__counts_merge_bytes(frocc__counts *into, uint32_t most, frocc__bytes_in in) {
    frocc__extremes extremes;
    FROCC_TRY(frocc__extremes_read(&in, into->extremes.n_features, &extremes));
    frocc__extremes_merge(&into->extremes, &extremes);
    frocc__extremes_free(&extremes);
    FROCC_TRY(frocc__codes_merge_bytes(&into->codes, &in));
    frocc__bin *bins = frocc__alloc(FROCC_MAX(most, FROCC_LEAF_CELLS), sizeof *bins);
    if (bins == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = merge_directions(&into->directions, most, bins, &in);
    if (status == FROCC_OK)
        status = into->leaves.n_slots > 0 ? merge_leaves(&into->leaves, bins, in) : FROCC_OK;
    frocc__free(bins);
    return status;
}

static frocc_status seal_directions(size_t n_slots, uint32_t most, uint32_t needed,
                                    frocc__bin *bins, frocc__bytes_in *in, frocc__bytes_out *out) {
    for (size_t slot = 0; slot < n_slots; slot++) {
        frocc__grid grid;
        size_t n_bins;
        FROCC_TRY(frocc__histogram_read(in, most, &grid, bins, &n_bins));
        for (size_t i = 0; i < n_bins; i++)
            bins[i].count = (uint16_t)FROCC_MIN((uint32_t)bins[i].count, needed);
        frocc__histogram_write(&grid, bins, n_bins, out);
    }
    return FROCC_OK;
}

frocc_status frocc__counts_seal(const frocc_frame *frame, uint32_t most, frocc__needed needed,
                                frocc__bytes_in in, frocc__bytes_out *out) {
    frocc__extremes extremes;
    FROCC_TRY(frocc__extremes_read(&in, frocc__has_extremes(frame) ? frame->columns.n_inputs : 0,
                                   &extremes));
    frocc__extremes_write(&extremes, out);
    frocc__extremes_free(&extremes);
    if (frocc__judges_codes(frame))
        FROCC_TRY(frocc__codes_copy_bytes(&in, out));
    frocc__bin *bins = frocc__alloc(most, sizeof *bins);
    if (bins == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = seal_directions(frame->n_directions, most,
                                          needed > 0 ? needed : FROCC_CROWD, bins, &in, out);
    if (status == FROCC_OK)
        status = frocc__leaf_histograms_cap(in, leaf_slots(frame), 0, out);
    frocc__free(bins);
    return status == FROCC_OK && out->failed ? FROCC_ERR_MEMORY : status;
}
