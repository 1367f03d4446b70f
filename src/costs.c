/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of costs: made in O(cells) a slot, stored as runs of cells that cost the same. */
#include "costs.h"

#include <string.h>

#include "bits.h"
#include "mem.h"
#include "status.h"

/* What a gap of so many empty cells among so many costs. */
static uint32_t gap_cost(const frocc__costs *costs, int32_t empty, int32_t span) {
    const float share = (float)empty / (float)span;
    const float judged = FROCC_MAX(share, costs->judged_epsilon);
    return frocc__log_steps(judged) - frocc__log_steps(costs->judged_epsilon);
}

frocc_status frocc__costs_new(size_t n_slots, uint32_t n_cells, float judged_epsilon,
                              frocc__costs *costs) {
    frocc__costs made = {
        .n_slots = n_slots,
        .n_cells = n_cells,
        .judged_epsilon = judged_epsilon,
        .at_end = frocc__log_steps(1.0f) - frocc__log_steps(judged_epsilon),
        .tables = frocc__alloc(n_slots, sizeof(frocc__cost_table)),
        .bytes = frocc__alloc(n_slots, n_cells),
    };
    if (made.tables == NULL || made.bytes == NULL) {
        frocc__costs_free(&made);
        return FROCC_ERR_MEMORY;
    }
    *costs = made;
    return FROCC_OK;
}

void frocc__costs_free(frocc__costs *costs) {
    frocc__free(costs->tables);
    frocc__free(costs->bytes);
    *costs = (frocc__costs){0};
}

/* The range that distances are measured by; where all values are equal, 1. */
static float range_of(float low, float high) {
    const float range = FROCC_MIN(high - low, FLT_MAX);
    return range > 0.0f ? range : 1.0f;
}

static uint8_t *describe(frocc__costs *costs, size_t slot, float low, float high) {
    uint8_t *bytes = costs->bytes + slot * costs->n_cells;
    costs->tables[slot] = (frocc__cost_table){
        .scale = frocc__cell_scale(frocc__cell_exponent(low, high, costs->n_cells)),
        .low = low,
        .high = high,
        .range = range_of(low, high),
        .mask = costs->n_cells - 1,
        .at_end = costs->at_end,
        .costs = bytes};
    return bytes;
}

/* Cells first .. first + count - 1 of a ring. */
static void fill(uint8_t *ring, uint32_t mask, int32_t first, int32_t count, uint8_t cost) {
    const uint32_t from = (uint32_t)first & mask;
    const uint32_t before_end = FROCC_MIN((uint32_t)count, mask + 1 - from);
    memset(ring + from, cost, before_end);
    memset(ring, cost, (uint32_t)count - before_end);
}

void frocc__costs_set(frocc__costs *costs, size_t slot, const frocc__ends *ends,
                      const frocc__bin *bins, size_t n_bins) {
    uint8_t *ring = describe(costs, slot, ends->low[0], ends->high[0]);
    const int32_t span = bins[n_bins - 1].number - bins[0].number + 1;
    /* Gaps of so many cells cost nothing: most need not be looked at more closely. */
    const int32_t least = (int32_t)(costs->judged_epsilon * 0.999f * (float)span);
    memset(ring, 0, costs->n_cells);
    costs->n_intervals++;
    for (size_t i = 1; i < n_bins; i++) {
        const int32_t empty = bins[i].number - bins[i - 1].number - 1;
        const uint32_t cost = empty > least ? gap_cost(costs, empty, span) : 0;
        if (cost == 0)
            continue;
        fill(ring, costs->n_cells - 1, bins[i - 1].number + 1, empty, (uint8_t)cost);
        costs->n_intervals++;
    }
}

/* ---- Left out ------------------------------------------------------------------------------- */

static uint32_t cost_beyond(const frocc__costs *costs, float value, float end, float range) {
    return frocc__cost_outside(&(frocc__cost_table){.range = range, .at_end = costs->at_end}, value,
                               end);
}

/* The only value at an end of the range, without which the range ends at the next one. */
static bool is_lone_end(const frocc__costs *costs, const frocc__ends *ends, float value,
                        uint32_t *cost) {
    if (value == ends->low[0] && value < ends->low[1])
        *cost = cost_beyond(costs, value, ends->low[1], range_of(ends->low[1], ends->high[0]));
    else if (value == ends->high[0] && value > ends->high[1])
        *cost = cost_beyond(costs, value, ends->high[1], range_of(ends->low[0], ends->high[1]));
    else
        return false;
    return true;
}

/* What a lone value costs when its cell is empty, and with it the gaps on both sides are one. */
static void find_lone(const frocc__costs *costs, const frocc__bin *bins, size_t n_bins,
                      uint8_t *alone) {
    const uint32_t mask = costs->n_cells - 1;
    const int32_t span = bins[n_bins - 1].number - bins[0].number + 1;
    alone[(uint32_t)bins[0].number & mask] = 0;
    alone[(uint32_t)bins[n_bins - 1].number & mask] = 0;
    for (size_t i = 1; i + 1 < n_bins; i++) { /* which are alone, nobody can predict */
        const uint32_t cost = gap_cost(costs, bins[i + 1].number - bins[i - 1].number - 1, span);
        alone[(uint32_t)bins[i].number & mask] = (uint8_t)(bins[i].count == 1 ? cost : 0);
    }
}

void frocc__add_left_out(const frocc__costs *costs, const frocc__kernels *kernels, size_t slot,
                         const frocc__ends *ends, const frocc__bin *bins, size_t n_bins,
                         const float *values, size_t count, uint8_t *alone, uint32_t *sums) {
    frocc__cost_table table = costs->tables[slot];
    find_lone(costs, bins, n_bins, alone);
    table.costs = alone;
    kernels->add_costs(values, count, &table, sums);
    for (size_t i = 0; i < count; i++) {
        uint32_t cost;
        if ((values[i] <= ends->low[0] || values[i] >= ends->high[0]) &&
            is_lone_end(costs, ends, values[i], &cost))
            sums[i] += cost - frocc__cost_of(&table, values[i]);
    }
}

/* ---- Runs ----------------------------------------------------------------------------------- */

/* The cells of a table in order. */
typedef struct walk {
    const frocc__cost_table *table;
    int32_t next, last;
} walk;

static walk begin_walk(const frocc__cost_table *table) {
    return (walk){table, frocc__cell_number(table->low, table->scale),
                  frocc__cell_number(table->high, table->scale)};
}

/* The length of the next run of cells that cost the same; 0 when there is none. */
static uint32_t next_run(walk *w, uint8_t *cost) {
    const frocc__cost_table *t = w->table;
    uint32_t length = 0;
    if (w->next > w->last)
        return 0;
    *cost = t->costs[(uint32_t)w->next & t->mask];
    while (w->next <= w->last && t->costs[(uint32_t)w->next & t->mask] == *cost)
        w->next++, length++;
    return length;
}

size_t frocc__costs_intervals(const frocc__costs *costs, size_t slot, frocc__interval *out,
                              size_t capacity) {
    const frocc__cost_table *t = &costs->tables[slot];
    walk w = begin_walk(t);
    size_t count = 0;
    uint8_t cost;
    for (uint32_t length; (length = next_run(&w, &cost)) > 0;) {
        if (cost > 0)
            continue;
        const float begin = (float)(w.next - (int32_t)length) / t->scale;
        const float end = (float)w.next / t->scale;
        if (count < capacity)
            out[count] = (frocc__interval){FROCC_MAX(begin, t->low), FROCC_MIN(end, t->high)};
        count++;
    }
    return count;
}

float frocc__costs_distance(const frocc__costs *costs, size_t slot, float value) {
    const frocc__cost_table *t = &costs->tables[slot];
    if (!(value <= t->high))
        return isnan(value) ? INFINITY : value - t->high;
    if (value < t->low)
        return t->low - value;
    const int32_t own = frocc__cell_number(value, t->scale);
    int32_t below = own, above = own; /* the ends cost nothing */
    while (t->costs[(uint32_t)below & t->mask] != 0)
        below--;
    while (t->costs[(uint32_t)above & t->mask] != 0)
        above++;
    return below == own
               ? 0.0f
               : fminf(value - (float)(below + 1) / t->scale, (float)above / t->scale - value);
}

static void write_table(const frocc__cost_table *table, frocc__writer *out) {
    uint64_t n_runs = 0, n_cells = 0;
    uint32_t length;
    uint8_t cost;
    for (walk w = begin_walk(table); (length = next_run(&w, &cost)) > 0; n_runs++)
        n_cells += length;
    const unsigned order = frocc__order_for(n_cells - n_runs, n_runs);
    frocc__put_f32(out, table->low);
    frocc__put_f32(out, table->high);
    frocc__bit_writer bits = {.out = out};
    frocc__put_bits(&bits, order, 4);
    for (walk w = begin_walk(table); (length = next_run(&w, &cost)) > 0;) {
        frocc__put_number(&bits, length - 1, order);
        frocc__put_bits(&bits, cost > 0 ? 256u | cost : 0, cost > 0 ? 9 : 1);
    }
    frocc__put_last_bits(&bits);
}

void frocc__costs_write(const frocc__costs *costs, frocc__writer *out) {
    frocc__put_u32(out, costs->n_cells);
    frocc__put_f32(out, costs->judged_epsilon);
    for (size_t slot = 0; slot < costs->n_slots; slot++)
        write_table(&costs->tables[slot], out);
}

/* Runs that cost another than the one before, and nothing at both ends. */
static bool read_runs(frocc__reader *in, const frocc__cost_table *table, uint8_t *ring,
                      uint64_t *n_intervals) {
    const walk all = begin_walk(table);
    frocc__bit_reader bits = {.in = in};
    const unsigned order = frocc__get_bits(&bits, 4);
    uint64_t n_runs = 0;
    uint32_t cost = 256;
    for (int32_t next = all.next; next <= all.last; n_runs++) {
        const uint32_t before = cost, length = frocc__get_number(&bits, order) + 1;
        const bool is_free = frocc__get_bits(&bits, 1) == 0;
        cost = is_free ? 0 : frocc__get_bits(&bits, 8);
        if (in->failed || length > (uint32_t)(all.last - next + 1) || is_free != (cost == 0) ||
            cost == before || (n_runs == 0 && !is_free))
            return false;
        fill(ring, table->mask, next, (int32_t)length, (uint8_t)cost);
        next += (int32_t)length;
        *n_intervals += cost == 0;
    }
    frocc__give_back_bits(&bits);
    const uint64_t n_cells = (uint64_t)(all.last - all.next) + 1;
    return !in->failed && cost == 0 && order == frocc__order_for(n_cells - n_runs, n_runs);
}

static bool is_negative_zero(float value) {
    return value == 0.0f && signbit(value);
}

static bool read_table(frocc__reader *in, frocc__costs *costs, size_t slot) {
    const float low = frocc__get_f32(in), high = frocc__get_f32(in);
    if (in->failed || !(low >= -FLT_MAX && low <= high && high <= FLT_MAX) ||
        is_negative_zero(low) || is_negative_zero(high))
        return false;
    uint8_t *ring = describe(costs, slot, low, high);
    return read_runs(in, &costs->tables[slot], ring, &costs->n_intervals);
}

frocc_status frocc__costs_read(frocc__reader *in, size_t n_slots, frocc__costs *costs) {
    const uint32_t n_cells = frocc__get_u32(in);
    const float judged = frocc__get_f32(in);
    const size_t least = 2 * sizeof(float) + 1; /* bytes of a slot */
    if (in->failed || n_cells < 2 || n_cells > FROCC_MOST_CELLS || (n_cells & (n_cells - 1)) != 0 ||
        !(judged * (float)n_cells >= 1.0f && judged < 1.0f))
        return frocc__damaged("the grid of its cost tables is out of range");
    if (in->left / least < n_slots)
        return frocc__damaged("the cost tables are shorter than their directions");
    frocc__costs made;
    FROCC_TRY(frocc__costs_new(n_slots, n_cells, judged, &made));
    bool usable = true;
    for (size_t slot = 0; slot < n_slots && usable; slot++)
        usable = read_table(in, &made, slot);
    if (!usable || in->left != 0) {
        frocc__costs_free(&made);
        return frocc__damaged("the cost tables are not what a fit produces");
    }
    *costs = made;
    return FROCC_OK;
}
