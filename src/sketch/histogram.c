/* SPDX-License-Identifier: BSD-3-Clause */
/* Histograms: a multiplication, a floor and an addition a value; O(cells) for a grid that grows. */
#include "sketch/histogram.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* ---- The grid ------------------------------------------------------------------------------- */

uint32_t frocc__cells_for(float epsilon) {
    uint32_t n_cells = 1;
    while ((float)n_cells * epsilon < 1.0f)
        n_cells *= 2;
    return n_cells;
}

/* ---- Memory --------------------------------------------------------------------------------- */

frocc_status frocc__histograms_new(size_t n_slots, uint32_t n_cells, const frocc__kernels *kernels,
                                   frocc__histograms *histograms) {
    frocc__histograms made = {
        .n_slots = n_slots,
        .n_cells = n_cells,
        .kernels = kernels,
        .grids = frocc__alloc(n_slots, sizeof(frocc__grid)),
        .counts = frocc__alloc(n_slots, n_cells * sizeof(uint16_t)),
        .spare = frocc__alloc(n_cells, sizeof(uint16_t)),
    };
    if (made.grids == NULL || made.counts == NULL || made.spare == NULL) {
        frocc__histograms_free(&made);
        return FROCC_ERR_MEMORY;
    }
    for (size_t slot = 0; slot < n_slots; slot++)
        made.grids[slot] = (frocc__grid){.low = INFINITY, .high = -INFINITY, .mask = n_cells - 1};
    *histograms = made;
    return FROCC_OK;
}

void frocc__histograms_free(frocc__histograms *histograms) {
    frocc__free(histograms->grids);
    frocc__free(histograms->counts);
    frocc__free(histograms->spare);
    *histograms = (frocc__histograms){0};
}

/* ---- Counting ------------------------------------------------------------------------------- */

static uint16_t *ring_of(const frocc__histograms *h, size_t slot) {
    return h->counts + slot * h->n_cells;
}

/* Cells merge, in pairs, pairs of pairs, ...: the cell of a value is the old one's number shifted.
 * Goes through the spare ring. */
static void regrid(frocc__histograms *h, size_t slot, int shift) {
    uint16_t *ring = ring_of(h, slot);
    const frocc__grid *grid = &h->grids[slot];
    const int32_t last = frocc__cell_number(grid->high, grid->scale);
    for (int32_t i = frocc__cell_number(grid->low, grid->scale); i <= last; i++) {
        frocc__add_count(&h->spare[(uint32_t)(i >> shift) & grid->mask],
                         ring[(uint32_t)i & grid->mask]);
        ring[(uint32_t)i & grid->mask] = 0;
    }
    memcpy(ring, h->spare, h->n_cells * sizeof *ring);
    memset(h->spare, 0, h->n_cells * sizeof *h->spare);
}

/* Lets a slot's range include this one, and gives it the grid that asks for. */
static void widen(frocc__histograms *h, size_t slot, float low, float high) {
    frocc__grid *grid = &h->grids[slot];
    const bool was_empty = frocc__grid_is_empty(grid);
    const float least = FROCC_MIN(grid->low, low + 0.0f); /* no -0: equal models, equal bytes */
    const float most = FROCC_MAX(grid->high, high + 0.0f);
    const int exponent = frocc__cell_exponent(least, most, h->n_cells);
    const int shift = FROCC_MIN(exponent - frocc__scale_exponent(grid->scale), 31);
    if (!was_empty && shift > 0)
        regrid(h, slot, shift);
    *grid = (frocc__grid){frocc__cell_scale(exponent), least, most, grid->mask};
}

bool frocc__histogram_add(frocc__histograms *histograms, size_t slot, const float *values,
                          size_t count) {
    frocc__histograms *h = histograms;
    frocc__grid *grid = &h->grids[slot];
    if (!frocc__grid_is_empty(grid) &&
        h->kernels->count_values(values, count, grid, ring_of(h, slot)))
        return true;
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            return false;
        low = FROCC_MIN(low, values[i]);
        high = FROCC_MAX(high, values[i]);
    }
    widen(h, slot, low, high);
    return h->kernels->count_values(values, count, grid, ring_of(h, slot));
}

void frocc__include(frocc__histograms *histograms, size_t slot, float value) {
    widen(histograms, slot, value, value);
}

/* ---- Merging -------------------------------------------------------------------------------- */

void frocc__histogram_merge(frocc__histograms *into, size_t slot, float low, float high,
                            const frocc__bin *bins, size_t n_bins, int exponent) {
    if (n_bins == 0)
        return;
    widen(into, slot, low, high);
    uint16_t *ring = ring_of(into, slot);
    const frocc__grid *grid = &into->grids[slot];
    const int shift = FROCC_MIN(frocc__scale_exponent(grid->scale) - exponent, 31);
    for (size_t i = 0; i < n_bins; i++)
        frocc__add_count(&ring[(uint32_t)(bins[i].number >> shift) & grid->mask], bins[i].count);
}

void frocc__histograms_merge(frocc__histograms *into, const frocc__histograms *from,
                             frocc__bin *list) {
    for (size_t slot = 0; slot < into->n_slots; slot++) {
        const frocc__grid *grid = &from->grids[slot];
        const size_t n_bins = frocc__histogram_list(from, slot, list);
        frocc__histogram_merge(into, slot, grid->low, grid->high, list, n_bins,
                               frocc__scale_exponent(grid->scale));
    }
}

size_t frocc__histogram_list(const frocc__histograms *histograms, size_t slot, frocc__bin *list) {
    const uint16_t *ring = ring_of(histograms, slot);
    const frocc__grid *grid = &histograms->grids[slot];
    if (frocc__grid_is_empty(grid))
        return 0;
    const int32_t last = frocc__cell_number(grid->high, grid->scale);
    size_t count = 0;
    for (int32_t i = frocc__cell_number(grid->low, grid->scale); i <= last;) {
        uint64_t four = 1; /* cells at once, where they lie together; mostly all are empty */
        if ((i & 3) == 0)
            memcpy(&four, &ring[(uint32_t)i & grid->mask], sizeof four);
        if (four == 0) {
            i += 4;
            continue;
        }
        list[count] = (frocc__bin){i, ring[(uint32_t)i & grid->mask]};
        count += list[count].count > 0;
        i++;
    }
    return count;
}

uint32_t frocc__histogram_occupied(const frocc__histograms *histograms, size_t slot) {
    const uint16_t *ring = ring_of(histograms, slot);
    uint32_t occupied = 0;
    for (unsigned i = 0; i < FROCC_LEAF_CELLS; i++)
        occupied |= (uint32_t)(ring[i] > 0) << i;
    return occupied;
}

size_t frocc__bins_widen(frocc__bin *bins, size_t n_bins, int shift) {
    size_t last = 0;
    for (size_t i = 0; i < n_bins && shift > 0; i++) {
        const frocc__bin wide = {bins[i].number >> FROCC_MIN(shift, 31), bins[i].count};
        if (i > 0 && bins[last].number == wide.number)
            frocc__add_count(&bins[last].count, wide.count);
        else
            bins[i > 0 ? ++last : 0] = wide;
    }
    return shift > 0 && n_bins > 0 ? last + 1 : n_bins;
}
