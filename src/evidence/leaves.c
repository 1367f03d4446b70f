/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of leaves: 32 bytes a slot. */
#include "evidence/leaves.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* A leaf that has no values, and the largest cost. */
#define EMPTY_COST 361 /* 255 times the root of 2 */
#define MOST_COST 65535.0f

/* No width is less than this share of the direction's range. */
#define LEAST_SHARE (1.0f / 1024.0f)

frocc_status frocc__leaves_new(size_t n_slots, frocc__leaves *leaves) {
    *leaves = (frocc__leaves){n_slots, frocc__alloc(n_slots, sizeof(frocc__leaf_table))};
    return leaves->tables != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

void frocc__leaves_free(frocc__leaves *leaves) {
    frocc__free(leaves->tables);
    *leaves = (frocc__leaves){0};
}

/* 255 times the root of a width in ranges. */
static uint32_t cost_of_width(float width, float range) {
    const float share = FROCC_MAX(width / range, LEAST_SHARE);
    return (uint32_t)FROCC_MIN(255.0f * sqrtf(share) + 0.5f, MOST_COST);
}

static uint32_t cost_beyond(int32_t beyond, int32_t span, float cell, float range) {
    return cost_of_width(FROCC_MAX((float)span * cell, range * LEAST_SHARE) + (float)beyond * cell,
                         range);
}

static uint32_t cost_of_window(frocc__window w, int32_t further, int32_t span, float cell,
                               float range) {
    const int32_t width = w.width + further * w.slope;
    return w.is_outside ? cost_beyond(width, span, cell, range)
                        : cost_of_width((float)width * cell, range);
}

/* The range of a direction in the units of its values, on the grid that it has together with a
 * value, and that grid's exponent. */
static float range_with(const frocc__grid *direction, float value, int *exponent) {
    *exponent = frocc__cell_exponent(FROCC_MIN(direction->low, value),
                                     FROCC_MAX(direction->high, value), direction->mask + 1);
    const float scale = frocc__cell_scale(*exponent);
    return (float)(frocc__cell_number(direction->high, scale) -
                   frocc__cell_number(direction->low, scale) + 1) /
           scale;
}

void frocc__leaves_set(frocc__leaves *leaves, size_t slot, const frocc__grid *direction,
                       const frocc__grid *grid, frocc__bin *bins, size_t n_bins,
                       frocc__needed needed) {
    frocc__leaf_table *table = &leaves->tables[slot];
    *table = (frocc__leaf_table){*grid, {0}};
    table->grid.mask = FROCC_LEAF_CELLS - 1;
    if (n_bins == 0)
        return;
    int exponent;
    const float range = range_with(direction, direction->low, &exponent);
    const int own = frocc__scale_exponent(grid->scale);
    n_bins = frocc__bins_widen(bins, n_bins, exponent - own);
    table->grid.scale = frocc__cell_scale(FROCC_MAX(own, exponent));
    const frocc__values values = frocc__values_of(bins, n_bins, frocc__bins_total(bins, n_bins),
                                                  SIZE_MAX, FROCC_MAX(needed, 1u));
    const int32_t span = values.last - values.first + 1;
    const float cell = 1.0f / table->grid.scale;
    for (size_t bin = 0; bin < n_bins; bin++) {
        const int32_t end = bin + 1 < n_bins ? bins[bin + 1].number : bins[bin].number + 1;
        frocc__window w = {0};
        for (int32_t i = bins[bin].number; i < end; i++) { /* the bin, and the gap after it */
            const int32_t further = FROCC_MAX(i - bins[bin].number - 1, 0);
            if (further == 0)
                w = frocc__window_at(&values, bin, i);
            const uint32_t root = cost_of_window(w, further, span, cell, range);
            table->roots[(uint32_t)i & table->grid.mask] = (uint8_t)FROCC_MIN(root, 255u);
        }
    }
}

uint32_t frocc__leaf_cost(const frocc__leaf_table *table, const frocc__grid *direction,
                          float value) {
    const frocc__grid *grid = &table->grid;
    if (value >= grid->low && value <= grid->high)
        return table->roots[(uint32_t)frocc__cell_number(value, grid->scale) & grid->mask];
    if (frocc__grid_is_empty(grid))
        return EMPTY_COST;
    value = frocc__finite(value);
    int exponent;
    const float range = range_with(direction, value, &exponent);
    const frocc__beyond at = frocc__beyond_of(grid, value, exponent);
    const float end = value < grid->low ? grid->low : grid->high;
    const uint32_t root = table->roots[(uint32_t)frocc__cell_number(end, grid->scale) & grid->mask];
    if (at.beyond < 0)
        return root;
    return FROCC_MAX(root, cost_beyond(at.beyond, at.span, 1.0f / at.scale, range));
}

/* The bin of a number that is there. */
static size_t bin_of(const frocc__bin *bins, size_t n_bins, int32_t number) {
    size_t i = 0;
    while (i + 1 < n_bins && bins[i].number < number)
        i++;
    return i;
}

/* A lone value's place between its neighbours in the ring, where cells are those of the leaf. */
static uint32_t cost_in_ring(const frocc__histograms *h, size_t slot, float direction_range,
                             float value) {
    const frocc__grid *grid = &h->grids[slot];
    const uint16_t *ring = h->counts + slot * h->n_cells;
    const int32_t own = frocc__cell_number(value, grid->scale);
    const int32_t first = frocc__cell_number(grid->low, grid->scale);
    const int32_t last = frocc__cell_number(grid->high, grid->scale);
    const float cell = 1.0f / grid->scale;
    if (ring[(uint32_t)own & grid->mask] > 1)
        return cost_of_width(0.0f, direction_range);
    int32_t below = own - 1, above = own + 1;
    while (below >= first && ring[(uint32_t)below & grid->mask] == 0)
        below--;
    while (above <= last && ring[(uint32_t)above & grid->mask] == 0)
        above++;
    if (below < first && above > last)
        return EMPTY_COST;
    if (below < first)
        return cost_beyond(above - own - 1, last - above + 1, cell, direction_range);
    if (above > last)
        return cost_beyond(own - below - 1, below - first + 1, cell, direction_range);
    return cost_of_width((float)(above - below - 1) * cell, direction_range);
}

uint32_t frocc__leaf_cost_left_out(const frocc__histograms *histograms, size_t slot,
                                   float direction_range, int direction_exponent,
                                   frocc__needed needed, float value, frocc__bin *bins) {
    const frocc__grid *grid = &histograms->grids[slot];
    const int own = frocc__scale_exponent(grid->scale);
    if (needed <= 1 && own >= direction_exponent)
        return cost_in_ring(histograms, slot, direction_range, value);
    size_t n_bins = frocc__histogram_list(histograms, slot, bins);
    n_bins = frocc__bins_widen(bins, n_bins, direction_exponent - own);
    const float scale = frocc__cell_scale(FROCC_MAX(own, direction_exponent));
    const int32_t number = frocc__cell_number(value, scale);
    const size_t bin = bin_of(bins, n_bins, number);
    const uint64_t total = frocc__bins_total(bins, n_bins);
    if (total < 2)
        return EMPTY_COST;
    const frocc__values others = frocc__values_of(bins, n_bins, total, bin, FROCC_MAX(needed, 1u));
    const float cell = 1.0f / scale;
    const bool is_beyond = n_bins > 1 && bins[bin].count == 1 && (bin == 0 || bin + 1 == n_bins);
    const size_t nearest = !is_beyond ? bin : bin == 0 ? 1 : bin - 1;
    const int32_t end = bins[nearest].number;
    const uint32_t root =
        FROCC_MIN(cost_of_window(frocc__window_at(&others, nearest, end), 0,
                                 others.last - others.first + 1, cell, direction_range),
                  255u);
    if (!is_beyond)
        return root;
    const int32_t span = bin == 0 ? bins[n_bins - 1].number - end + 1 : end - bins[0].number + 1;
    return FROCC_MAX(root, cost_beyond(abs(number - end) - 1, span, cell, direction_range));
}
