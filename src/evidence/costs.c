/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of costs: made in O(cells) a slot, stored as runs of cells that cost the same. */
#include "evidence/costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

frocc__needed frocc__needed_for(double contamination, uint64_t n_rows) {
    const double half = contamination * (double)n_rows / 2.0 + 0.5;
    return contamination > 0.0 ? (frocc__needed)FROCC_MAX(FROCC_MIN(half, (double)UINT32_MAX), 1.0)
                               : 0;
}

frocc_status frocc__costs_new(size_t n_slots, uint32_t n_cells, frocc__costs *costs) {
    frocc__costs made = {
        .n_slots = n_slots,
        .n_cells = n_cells,
        .tables = frocc__alloc(n_slots, sizeof(frocc__cost_table)),
        .roots = frocc__alloc(n_slots, n_cells),
    };
    if (made.tables == NULL || made.roots == NULL) {
        frocc__costs_free(&made);
        return FROCC_ERR_MEMORY;
    }
    *costs = made;
    return FROCC_OK;
}

void frocc__costs_free(frocc__costs *costs) {
    frocc__free(costs->tables);
    frocc__free(costs->roots);
    *costs = (frocc__costs){0};
}

static uint8_t *describe(frocc__costs *costs, size_t slot, float low, float high) {
    uint8_t *roots = costs->roots + slot * costs->n_cells;
    const float scale = frocc__cell_scale(frocc__cell_exponent(low, high, costs->n_cells));
    costs->tables[slot] = (frocc__cost_table){{scale, low, high, costs->n_cells - 1}, roots, 0};
    return roots;
}

/* ---- Costs of places ------------------------------------------------------------------------ */

/* The values of a slot, for windows of two sizes: for the default of 1 and of 2, otherwise of as
 * many as are needed and of a fifth of that: a single odd row is lost among many, and a group of
 * them among few. */
typedef struct places {
    frocc__values values, second;
    bool is_default;
    bool is_shared;            /* a cell is wider than the steps of its values */
    float range, second_range; /* cells that windows are measured by */
} places;

/* How far a value in a cell with so many others is from the nearest of these, in cells: half of
 * what they leave each other on average, or nothing where they are many. */
static float room_among(const places *p, uint32_t count) {
    static const float rooms[FROCC_CROWD + 1] = {0,        0.5f / 2, 0.5f / 3, 0.5f / 4, 0.5f / 5,
                                                 0.5f / 6, 0.5f / 7, 0.5f / 8, 0};
    return rooms[p->is_shared ? FROCC_MIN(count, (uint32_t)FROCC_CROWD) : 0];
}

static float range_of(const frocc__values *values) {
    return (float)(values->last - values->first + 1);
}

static places with_ranges(places p) {
    p.range = range_of(&p.values);
    p.second_range = range_of(&p.second);
    return p;
}

static places places_of(const frocc__grid *grid, const frocc__bin *bins, size_t n_bins,
                        uint64_t total, size_t left_out, frocc__needed needed) {
    const uint32_t fewer = needed == 0 ? 2 : FROCC_MAX(needed / 5, 1u);
    return with_ranges(
        (places){.values = frocc__values_of(bins, n_bins, total, left_out, needed > 0 ? needed : 1),
                 .second = frocc__values_of(bins, n_bins, total, left_out, fewer),
                 .is_default = needed == 0,
                 .is_shared = frocc__cells_are_shared(grid)});
}

/* With one value of this bin left out; others are with one of the first and of the last bin. */
static places places_without(const places *no_first, const places *no_last, size_t bin) {
    places p = *no_first;
    p.values = frocc__values_without(&no_first->values, &no_last->values, bin);
    p.second = frocc__values_without(&no_first->second, &no_last->second, bin);
    return with_ranges(p);
}

static float cost_of_width(bool is_outside, float width, float range) {
    const float share = width / range;
    if (!is_outside)
        return share;
    const uint32_t cost = FROCC_COST_END + frocc__log_steps(1.0f + share) * FROCC_COST_STEP;
    return (float)cost / (float)FROCC_COST_ONE;
}

/* The root of what a place costs that is so many empty cells further on than these windows, or that
 * has room among so many values. */
static uint8_t root_of_windows(const places *p, frocc__window w, frocc__window second,
                               int32_t further, float room) {
    const float width = (float)(w.width + further * w.slope) + room;
    const float second_width = (float)(second.width + further * second.slope);
    const float cost = cost_of_width(w.is_outside, width, p->range);
    const float other = cost_of_width(second.is_outside, second_width, p->second_range);
    return (uint8_t)frocc__root_of(p->is_default ? frocc__mixed_cost(cost, other)
                                                 : (cost + other) * 0.5f);
}

/* A bin at either end costs no more than what lies beyond it. */
#define MOST_AT_END 90 /* 90 * 90 is just below FROCC_COST_END */

static uint8_t root_of_bin(const places *p, size_t bin) {
    const int32_t number = p->values.bins[bin].number;
    const uint32_t count = p->values.bins[bin].count - (bin == p->values.left_out);
    const float room = p->is_default && count > 0 ? room_among(p, count) : 0.0f;
    const uint8_t root = root_of_windows(p, frocc__window_at(&p->values, bin, number),
                                         frocc__window_at(&p->second, bin, number), 0, room);
    const bool is_end = bin == 0 || bin == p->values.n_bins - 1;
    return p->is_default && is_end ? FROCC_MIN(root, (uint8_t)MOST_AT_END) : root;
}

/* ---- Short ways ----------------------------------------------------------------------------- */

/* For the default, most places have two bins on either side: then their windows are told by those.
 */
static bool is_inner(const places *p, size_t bin) {
    return p->is_default && bin >= 2 && bin + 3 < p->values.n_bins;
}

/* The second value below or above a place whose nearest bin is this one, as far as it counts. */
static int32_t second_below(const places *p, size_t bin) {
    const frocc__bin *bins = p->values.bins;
    return FROCC_MAX(bins[bins[bin].count > 1 ? bin : bin - 1].number, p->second.first);
}

static int32_t second_above(const places *p, size_t bin) {
    const frocc__bin *bins = p->values.bins;
    return FROCC_MIN(bins[bins[bin].count > 1 ? bin : bin + 1].number, p->second.last);
}

/* ---- Tables --------------------------------------------------------------------------------- */

/* Inner bins that are looked at together. */
#define TOGETHER 64

/* The widths of the windows of 1 and of 2 values. */
typedef struct widths {
    float first[TOGETHER], second[TOGETHER];
    uint8_t roots[TOGETHER];
} widths;

static void find_roots(const places *p, const frocc__kernels *kernels, size_t count, widths *w) {
    kernels->find_roots(w->first, w->second, count, p->range, p->second_range, w->roots);
}

/* The window of 2 around a bin that has one value. */
static int32_t second_around(const places *p, size_t bin) {
    const frocc__bin *bins = p->values.bins;
    return FROCC_MIN(bins[bin + 1].number, p->second.last) -
           FROCC_MAX(bins[bin - 1].number, p->second.first) - 1;
}

static void fill(uint8_t *ring, uint32_t mask, int32_t first, int32_t end, uint8_t root) {
    for (int32_t i = first; i < end; i++)
        ring[(uint32_t)i & mask] = root;
}

/* Inner bins, and the empty cells after each. */
static void set_inner(const places *p, const frocc__kernels *kernels, size_t first, size_t count,
                      uint32_t mask, uint8_t *ring) {
    const frocc__bin *bins = p->values.bins;
    widths lone = {0}, gaps = {0};
    for (size_t k = 0; k < count; k++) {
        const size_t i = first + k;
        lone.first[k] = room_among(p, bins[i].count);
        lone.second[k] = bins[i].count > 1 ? 0.0f : (float)second_around(p, i);
        gaps.first[k] = (float)(bins[i + 1].number - bins[i].number - 1);
        gaps.second[k] = (float)(second_above(p, i + 1) - second_below(p, i) - 1);
    }
    find_roots(p, kernels, count, &lone);
    find_roots(p, kernels, count, &gaps);
    for (size_t k = 0; k < count; k++) {
        const int32_t number = bins[first + k].number;
        ring[(uint32_t)number & mask] = lone.roots[k];
        fill(ring, mask, number + 1, bins[first + k + 1].number, gaps.roots[k]);
    }
}

/* Any bin, and the empty cells after it. */
static void set_bin(const places *p, size_t bin, uint32_t mask, uint8_t *ring) {
    const frocc__bin *bins = p->values.bins;
    const int32_t first = bins[bin].number + 1;
    ring[(uint32_t)bins[bin].number & mask] = root_of_bin(p, bin);
    if (bin + 1 == p->values.n_bins || bins[bin + 1].number == first)
        return;
    const frocc__window w = frocc__window_at(&p->values, bin, first);
    const frocc__window second = frocc__window_at(&p->second, bin, first);
    for (int32_t i = 0; i < bins[bin + 1].number - first; i++)
        ring[(uint32_t)(first + i) & mask] = root_of_windows(p, w, second, i, 0.0f);
}

/* How many inner bins come next, to be taken together; 0 where the next one is not inner. */
static size_t next_inner(const places *p, size_t bin) {
    return is_inner(p, bin) ? FROCC_MIN(p->values.n_bins - 3 - bin, (size_t)TOGETHER) : 0;
}

/* A gap of a thousandth of the range is next to nothing; and where windows are wide, because rows
 * are few or may be anomalies, so is what costs little more than the best cell. */
#define NEXT_TO_NOTHING 9 /* 255 / 32 and a little */

static uint32_t find_close(const frocc__cost_table *table) {
    uint32_t least = UINT8_MAX;
    for (int32_t i = frocc__table_first(table); i <= frocc__table_last(table); i++)
        least = FROCC_MIN(least, frocc__root_at(table, i));
    return FROCC_MAX(least + least / 4, (uint32_t)NEXT_TO_NOTHING);
}

void frocc__costs_set(frocc__costs *costs, const frocc__kernels *kernels, size_t slot,
                      const frocc__grid *grid, const frocc__bin *bins, size_t n_bins,
                      frocc__needed needed) {
    const places p =
        places_of(grid, bins, n_bins, frocc__bins_total(bins, n_bins), SIZE_MAX, needed);
    const uint32_t mask = costs->n_cells - 1;
    uint8_t *ring = describe(costs, slot, grid->low, grid->high);
    for (size_t i = 0, count; i < n_bins; i += FROCC_MAX(count, (size_t)1)) {
        count = next_inner(&p, i);
        if (count > 0)
            set_inner(&p, kernels, i, count, mask, ring);
        else
            set_bin(&p, i, mask, ring);
    }
    costs->tables[slot].close = find_close(&costs->tables[slot]);
}

/* ---- Left out ------------------------------------------------------------------------------- */

/* What values of inner bins cost when each is left out; they are far enough from both ends to
 * change neither. */
static void leave_out_inner(const places *p, const frocc__kernels *kernels, size_t first,
                            size_t count, uint32_t mask, uint8_t *alone) {
    const frocc__bin *bins = p->values.bins;
    widths w = {0};
    for (size_t k = 0; k < count; k++) {
        const size_t i = first + k;
        const int32_t gap = bins[i + 1].number - bins[i - 1].number - 1;
        const uint16_t values = bins[i].count;
        w.first[k] = values == 1 ? (float)gap : room_among(p, values - 1u);
        w.second[k] = values == 1   ? (float)(second_above(p, i + 1) - second_below(p, i - 1) - 1)
                      : values == 2 ? (float)gap
                                    : 0.0f;
    }
    find_roots(p, kernels, count, &w);
    for (size_t k = 0; k < count; k++)
        alone[(uint32_t)bins[first + k].number & mask] = w.roots[k];
}

static void find_left_out(const frocc__grid *grid, const places *p, const frocc__kernels *kernels,
                          frocc__needed needed, uint8_t *alone) {
    const uint32_t mask = grid->mask;
    const frocc__bin *bins = p->values.bins;
    const size_t n_bins = p->values.n_bins, margin = 4;
    const uint32_t crowd = FROCC_MAX(needed, (uint32_t)FROCC_CROWD);
    const places no_first = places_of(grid, bins, n_bins, p->values.total, 0, needed);
    const places no_last = places_of(grid, bins, n_bins, p->values.total, n_bins - 1, needed);
    for (size_t i = 0, count; i < n_bins; i += FROCC_MAX(count, (size_t)1)) {
        count = 0;
        if (p->is_default && i >= margin && i + margin < n_bins) {
            count = FROCC_MIN(n_bins - margin - i, (size_t)TOGETHER);
            leave_out_inner(p, kernels, i, count, mask, alone);
        } else {
            const places others = places_without(&no_first, &no_last, i);
            alone[(uint32_t)bins[i].number & mask] =
                bins[i].count > crowd ? 0 : root_of_bin(&others, i);
        }
    }
}

/* The cost of the only value of the first or the last bin, beyond all others. */
static uint32_t cost_of_lone_end(const frocc__grid *grid, const places *all, bool is_first,
                                 frocc__needed needed) {
    const frocc__bin *bins = all->values.bins;
    const size_t n = all->values.n_bins, own = is_first ? 0 : n - 1;
    const size_t next = is_first ? 1 : own - 1, other = is_first ? n - 1 : 0;
    const places others = places_of(grid, bins, n, all->values.total, own, needed);
    const uint32_t root = needed > 0 ? root_of_bin(&others, next) : 0;
    const int32_t beyond = abs(bins[own].number - bins[next].number) - 1;
    const int32_t span = abs(bins[other].number - bins[next].number) + 1;
    const float ranges = 1.0f + (float)beyond / (float)span;
    return FROCC_MAX(root * root, (uint32_t)FROCC_COST_END) +
           frocc__log_steps(ranges) * FROCC_COST_STEP;
}

frocc__left_out_table frocc__costs_left_out(const frocc__costs *costs,
                                            const frocc__kernels *kernels, size_t slot,
                                            const frocc__bin *bins, size_t n_bins,
                                            frocc__needed needed, uint8_t *roots) {
    frocc__left_out_table made = {.table = costs->tables[slot]};
    const frocc__grid *grid = &made.table.grid;
    const places all =
        places_of(grid, bins, n_bins, frocc__bins_total(bins, n_bins), SIZE_MAX, needed);
    made.table.roots = roots;
    find_left_out(grid, &all, kernels, needed, roots);
    if (n_bins > 1 && bins[0].count == 1)
        made.low = cost_of_lone_end(grid, &all, true, needed);
    if (n_bins > 1 && bins[n_bins - 1].count == 1)
        made.high = cost_of_lone_end(grid, &all, false, needed);
    return made;
}

bool frocc__add_left_out(const frocc__left_out_table *table, const frocc__kernels *kernels,
                         const float *values, size_t count, uint32_t *sums) {
    const frocc__grid *grid = &table->table.grid;
    float low, high;
    kernels->find_range(values, count, &low, &high);
    if (!(low >= grid->low && high <= grid->high))
        return false;
    kernels->add_costs(values, count, &table->table, sums);
    if ((table->low == 0 || low > grid->low) && (table->high == 0 || high < grid->high))
        return true;
    for (size_t i = 0; i < count; i++) {
        const uint32_t lone = values[i] == grid->low    ? table->low
                              : values[i] == grid->high ? table->high
                                                        : 0;
        sums[i] += lone > 0 ? lone - frocc__cost_of(&table->table, values[i]) : 0;
    }
    return true;
}

/* ---- Intervals ------------------------------------------------------------------------------ */

/* The cells of a table in order. */
typedef struct walk {
    const frocc__cost_table *table;
    int32_t next, last;
} walk;

static walk begin_walk(const frocc__cost_table *table) {
    return (walk){table, frocc__table_first(table), frocc__table_last(table)};
}

/* The length of the next stretch of cells that are close to training values, or are not; 0 when
 * there is none. */
static uint32_t next_stretch(walk *w, bool *is_close) {
    const int32_t begin = w->next;
    if (w->next <= w->last)
        *is_close = frocc__root_at(w->table, w->next) <= w->table->close;
    while (w->next <= w->last &&
           (frocc__root_at(w->table, w->next) <= w->table->close) == *is_close)
        w->next++;
    return (uint32_t)(w->next - begin);
}

size_t frocc__costs_intervals(const frocc__costs *costs, size_t slot, frocc__interval *out,
                              size_t capacity) {
    const frocc__grid *grid = &costs->tables[slot].grid;
    walk w = begin_walk(&costs->tables[slot]);
    size_t count = 0;
    bool is_close = false;
    for (uint32_t length; (length = next_stretch(&w, &is_close)) > 0;) {
        if (!is_close)
            continue;
        const float begin = (float)(w.next - (int32_t)length) / grid->scale;
        const float end = (float)w.next / grid->scale;
        if (count < capacity)
            out[count] = (frocc__interval){FROCC_MAX(begin, grid->low), FROCC_MIN(end, grid->high)};
        count++;
    }
    return count;
}

float frocc__costs_distance(const frocc__costs *costs, size_t slot, float value) {
    const frocc__cost_table *t = &costs->tables[slot];
    const float scale = t->grid.scale;
    if (isnan(value))
        return INFINITY;
    if (value > t->grid.high || value < t->grid.low)
        return value > t->grid.high ? value - t->grid.high : t->grid.low - value;
    const walk all = begin_walk(t);
    const int32_t own = frocc__cell_number(value, scale), first = all.next, last = all.last;
    int32_t below = own, above = own;
    while (below >= first && frocc__root_at(t, below) > t->close)
        below--;
    while (above <= last && frocc__root_at(t, above) > t->close)
        above++;
    if (below == own)
        return 0.0f;
    const float to_below = below >= first ? value - (float)(below + 1) / scale : INFINITY;
    const float to_above = above <= last ? (float)above / scale - value : INFINITY;
    return fminf(to_below, to_above);
}
