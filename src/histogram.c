/* SPDX-License-Identifier: BSD-3-Clause */
/* Histograms: a multiplication, a floor and an addition a value; O(cells) for a grid that grows. */
#include "histogram.h"

#include <math.h>
#include <string.h>

#include "mem.h"
#include "status.h"

/* ---- The grid ------------------------------------------------------------------------------- */

uint32_t frocc__cells_for(float epsilon) {
    uint32_t n_cells = 1;
    while ((float)n_cells * epsilon < 1.0f)
        n_cells *= 2;
    return n_cells;
}

/* Cells are never narrower than the spacing of float32 at the largest value, so that a cell's
 * number is a float32 without rounding, nor than the smallest normal number. */
int frocc__cell_exponent(float low, float high, uint32_t n_cells) {
    int largest;
    /* Of 0 frexpf says 0, as if it were 1: then a grid could get narrower. */
    (void)frexpf(fmaxf(fmaxf(fabsf(low), fabsf(high)), FLT_MIN), &largest);
    int exponent = FROCC_MAX(largest - 24, -126);
    while (floor(ldexp((double)high, -exponent)) - floor(ldexp((double)low, -exponent)) >=
           (double)n_cells)
        exponent++;
    return exponent;
}

static int exponent_of(const frocc__histograms *h, size_t slot) {
    int exponent;
    (void)frexpf(h->grids[slot].scale, &exponent);
    return 1 - exponent;
}

/* ---- Memory --------------------------------------------------------------------------------- */

static void note_ends(frocc__histograms *h, size_t slot, frocc__ends ends) {
    h->ends[slot] = ends;
    h->grids[slot].low = ends.low[1];
    h->grids[slot].high = ends.high[1];
}

static const frocc__ends no_ends = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};

static void note_empty(frocc__histograms *h) {
    for (size_t slot = 0; slot < h->n_slots; slot++) {
        h->grids[slot] = (frocc__grid){.mask = h->n_cells - 1};
        note_ends(h, slot, no_ends);
    }
}

frocc_status frocc__histograms_new(size_t n_slots, uint32_t n_cells, const frocc__kernels *kernels,
                                   frocc__histograms *histograms) {
    frocc__histograms made = {
        .n_slots = n_slots,
        .n_cells = n_cells,
        .kernels = kernels,
        .ends = frocc__alloc(n_slots, sizeof(frocc__ends)),
        .grids = frocc__alloc(n_slots, sizeof(frocc__grid)),
        .counts = frocc__alloc(n_slots, n_cells * sizeof(uint16_t)),
        .spare = frocc__alloc(n_cells, sizeof(uint16_t)),
        .list = frocc__alloc(n_cells, sizeof(frocc__bin)),
    };
    if (made.ends == NULL || made.grids == NULL || made.counts == NULL || made.spare == NULL ||
        made.list == NULL) {
        frocc__histograms_free(&made);
        return FROCC_ERR_MEMORY;
    }
    note_empty(&made);
    *histograms = made;
    return FROCC_OK;
}

void frocc__histograms_free(frocc__histograms *histograms) {
    frocc__free(histograms->ends);
    frocc__free(histograms->grids);
    frocc__free(histograms->counts);
    frocc__free(histograms->spare);
    frocc__free(histograms->list);
    *histograms = (frocc__histograms){0};
}

/* ---- Counting ------------------------------------------------------------------------------- */

static inline void add_count(uint16_t *count, uint16_t more) {
    const uint32_t sum = (uint32_t)*count + more;
    *count = (uint16_t)FROCC_MIN(sum, (uint32_t)FROCC_LARGEST_COUNT);
}

static uint16_t *ring_of(const frocc__histograms *h, size_t slot) {
    return h->counts + slot * h->n_cells;
}

/* Cells merge, in pairs, pairs of pairs, ...: the cell of a value is the old one's number shifted.
 * Goes through the spare ring. */
static void regrid(frocc__histograms *h, size_t slot, int exponent) {
    uint16_t *ring = ring_of(h, slot);
    const uint32_t mask = h->n_cells - 1;
    const int shift = FROCC_MIN(exponent - exponent_of(h, slot), 31);
    const int32_t last = frocc__cell_number(h->ends[slot].high[0], h->grids[slot].scale);
    for (int32_t i = frocc__cell_number(h->ends[slot].low[0], h->grids[slot].scale); i <= last;
         i++) {
        add_count(&h->spare[(uint32_t)(i >> shift) & mask], ring[(uint32_t)i & mask]);
        ring[(uint32_t)i & mask] = 0;
    }
    memcpy(ring, h->spare, h->n_cells * sizeof *ring);
    memset(h->spare, 0, h->n_cells * sizeof *h->spare);
}

/* Gives a slot new ends, and the grid that they ask for. */
static void widen(frocc__histograms *h, size_t slot, frocc__ends ends) {
    const bool was_empty = h->ends[slot].low[0] > h->ends[slot].high[0];
    const int exponent = frocc__cell_exponent(ends.low[0], ends.high[0], h->n_cells);
    if (!was_empty && exponent != exponent_of(h, slot))
        regrid(h, slot, exponent);
    h->grids[slot].scale = frocc__cell_scale(exponent);
    note_ends(h, slot, ends);
}

static void add_low(frocc__ends *ends, float value) {
    if (value < ends->low[1]) {
        ends->low[1] = FROCC_MAX(value, ends->low[0]);
        ends->low[0] = FROCC_MIN(value, ends->low[0]);
    }
}

static void add_high(frocc__ends *ends, float value) {
    if (value > ends->high[1]) {
        ends->high[1] = FROCC_MIN(value, ends->high[0]);
        ends->high[0] = FROCC_MAX(value, ends->high[0]);
    }
}

/* Lets values of one direction move the ends and the grid. False when one is NaN. */
static bool take_ends(frocc__histograms *h, size_t slot, const float *values, size_t count) {
    frocc__ends ends = h->ends[slot];
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            return false;
        add_low(&ends, values[i] + 0.0f); /* -0 becomes +0: equal models must be equal bytes */
        add_high(&ends, values[i] + 0.0f);
    }
    if (ends.low[0] < h->ends[slot].low[0] || ends.high[0] > h->ends[slot].high[0])
        widen(h, slot, ends);
    else
        note_ends(h, slot, ends);
    return true;
}

bool frocc__count(frocc__histograms *histograms, const frocc__tile *tile) {
    frocc__histograms *h = histograms;
    for (size_t c = 0; c < tile->n_directions; c++) {
        const size_t slot = tile->block * FROCC_BLOCK + c;
        const float *values = tile->values + c * tile->stride;
        if (h->grids[slot].low <= h->grids[slot].high &&
            h->kernels->count_values(values, tile->n_rows, &h->grids[slot], ring_of(h, slot)))
            continue;
        if (!take_ends(h, slot, values, tile->n_rows))
            return false;
        frocc__grid all = h->grids[slot];
        all.low = h->ends[slot].low[0];
        all.high = h->ends[slot].high[0];
        (void)h->kernels->count_values(values, tile->n_rows, &all, ring_of(h, slot));
    }
    return true;
}

/* ---- Merging -------------------------------------------------------------------------------- */

void frocc__histogram_merge(frocc__histograms *into, size_t slot, const frocc__ends *ends,
                            const frocc__bin *cells, size_t n_cells, int exponent) {
    frocc__ends all = into->ends[slot];
    if (n_cells == 0)
        return;
    for (int i = 0; i < 2; i++) {
        add_low(&all, ends->low[i]);
        add_high(&all, ends->high[i]);
    }
    widen(into, slot, all);
    uint16_t *ring = ring_of(into, slot);
    const int shift = FROCC_MIN(exponent_of(into, slot) - exponent, 31);
    for (size_t i = 0; i < n_cells; i++)
        add_count(&ring[(uint32_t)(cells[i].number >> shift) & (into->n_cells - 1)],
                  cells[i].count);
}

void frocc__histograms_merge(frocc__histograms *into, const frocc__histograms *from) {
    for (size_t slot = 0; slot < into->n_slots; slot++) {
        const size_t n_cells = frocc__histogram_list(from, slot);
        frocc__histogram_merge(into, slot, &from->ends[slot], from->list, n_cells,
                               exponent_of(from, slot));
    }
}

size_t frocc__histogram_list(const frocc__histograms *histograms, size_t slot) {
    const frocc__histograms *h = histograms;
    const uint16_t *ring = ring_of(h, slot);
    const uint32_t mask = h->n_cells - 1;
    if (h->ends[slot].low[0] > h->ends[slot].high[0])
        return 0;
    const int32_t first = frocc__cell_number(h->ends[slot].low[0], h->grids[slot].scale);
    const int32_t last = frocc__cell_number(h->ends[slot].high[0], h->grids[slot].scale);
    size_t count = 0;
    for (int32_t i = first; i <= last;) {
        uint64_t four = 1; /* cells at once, where they lie together; mostly all are empty */
        if ((i & 3) == 0)
            memcpy(&four, &ring[(uint32_t)i & mask], sizeof four);
        if (four == 0) {
            i += 4;
            continue;
        }
        h->list[count] = (frocc__bin){i, ring[(uint32_t)i & mask]};
        count += h->list[count].count > 0;
        i++;
    }
    return count;
}
