/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting projections: direction by direction, then tree by tree, then feature by feature. */
#include "sketch/counts.h"

#include "base/memory.h"
#include "base/status.h"

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
        status = frocc__extremes_new(frocc__has_extremes(frame) ? frame->n_features : 0,
                                     &counts->extremes);
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

static void take_leaves(frocc__counts *counts, const frocc__projections *projections) {
    const frocc__trees *trees = &counts->frame->trees;
    for (size_t r = 0; trees->n_trees > 0 && r < projections->n_rows; r += FROCC_DESCENDING) {
        const size_t some = FROCC_MIN(projections->n_rows - r, (size_t)FROCC_DESCENDING);
        frocc__projections_copy(projections, counts->frame->n_directions, r, some);
        for (size_t t = 0; t < trees->n_trees; t++) {
            uint32_t leaves[FROCC_DESCENDING];
            frocc__trees_descend(trees, counts->frame->kernels, t, projections->descending, leaves);
            count_leaves(counts, projections->descending, some, leaves);
        }
    }
}

static void take_extremes(frocc__counts *counts, const frocc__projections *projections) {
    const frocc_frame *frame = counts->frame;
    for (size_t r = 0; r < projections->n_rows && counts->extremes.n_features > 0;
         r += projections->panel) {
        const float *x = projections->x + r * frame->n_features;
        for (size_t j = 0; j < frame->n_features; j++)
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
    return true;
}

void frocc__counts_merge(frocc__counts *into, const frocc__counts *from) {
    frocc__histograms_merge(&into->directions, &from->directions, into->bins);
    frocc__histograms_merge(&into->leaves, &from->leaves, into->bins);
    frocc__extremes_merge(&into->extremes, &from->extremes);
}

/* ---- As bytes ------------------------------------------------------------------------------- */

static void write_all(const frocc__histograms *histograms, frocc__bin *bins,
                      frocc__bytes_out *out) {
    for (size_t slot = 0; slot < histograms->n_slots; slot++) {
        const size_t n_bins = frocc__histogram_list(histograms, slot, bins);
        frocc__histogram_write(&histograms->grids[slot], bins, n_bins, out);
    }
}

void frocc__counts_write(const frocc__counts *counts, frocc__bytes_out *out) {
    frocc__extremes_write(&counts->extremes, out);
    write_all(&counts->directions, counts->bins, out);
    write_all(&counts->leaves, counts->bins, out);
}

static frocc_status merge_all(frocc__histograms *into, uint32_t most, frocc__bin *bins,
                              frocc__bytes_in *in) {
    for (size_t slot = 0; slot < into->n_slots; slot++) {
        frocc__grid grid;
        size_t n_bins;
        FROCC_TRY(frocc__histogram_read(in, most, &grid, bins, &n_bins));
        frocc__histogram_merge(into, slot, grid.low, grid.high, bins, n_bins,
                               frocc__scale_exponent(grid.scale));
    }
    return FROCC_OK;
}

frocc_status frocc__counts_merge_bytes(frocc__counts *into, uint32_t most, frocc__bytes_in in) {
    frocc__extremes extremes;
    FROCC_TRY(frocc__extremes_read(&in, into->extremes.n_features, &extremes));
    frocc__extremes_merge(&into->extremes, &extremes);
    frocc__extremes_free(&extremes);
    frocc__bin *bins = frocc__alloc(FROCC_MAX(most, FROCC_LEAF_CELLS), sizeof *bins);
    if (bins == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = merge_all(&into->directions, most, bins, &in);
    if (status == FROCC_OK)
        status = merge_all(&into->leaves, FROCC_LEAF_CELLS, bins, &in);
    frocc__free(bins);
    return status;
}

static frocc_status seal_all(size_t n_slots, uint32_t most, uint32_t needed, frocc__bin *bins,
                             frocc__bytes_in *in, frocc__bytes_out *out) {
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
    FROCC_TRY(
        frocc__extremes_read(&in, frocc__has_extremes(frame) ? frame->n_features : 0, &extremes));
    frocc__extremes_write(&extremes, out);
    frocc__extremes_free(&extremes);
    frocc__bin *bins = frocc__alloc(FROCC_MAX(most, FROCC_LEAF_CELLS), sizeof *bins);
    if (bins == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status =
        seal_all(frame->n_directions, most, needed > 0 ? needed : 2, bins, &in, out);
    if (status == FROCC_OK)
        status =
            seal_all(leaf_slots(frame), FROCC_LEAF_CELLS, FROCC_MAX(needed, 1u), bins, &in, out);
    frocc__free(bins);
    return status == FROCC_OK && out->failed ? FROCC_ERR_MEMORY : status;
}
