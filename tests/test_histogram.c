/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms against naive ones that sort all values: any order and any split of the rows, merged
 * in any tree, is the same histogram and the same bytes; cells that merge are the cells of a
 * coarser grid; bytes read back, or are refused; and tables of costs, with and without a value, are
 * what the oracle says.
 */
#include "sketch/histogram.h"

#include <float.h>

#include "check.h"
#include "evidence/costs.h"
#include "oracle.h"

/* ---- Values ---------------------------------------------------------------------------------- */

typedef enum form {
    FORM_NORMAL,
    FORM_TIES,
    FORM_OFFSET, /* near 1e6, where float32 has steps of 1/16 */
    FORM_TINY,   /* below the smallest normal number */
    FORM_HUGE,   /* up to the largest float of both signs: their difference is infinite */
    FORM_MAGNITUDES,
    FORM_ZEROS, /* of both signs, and a few values that are next to nothing */
    FORM_EQUAL,
    FORM_RISING,   /* the range doubles again and again */
    FORM_NEGATIVE, /* far from zero on the other side */
    FORM_VAST,     /* huge values, and such that are nothing beside them */
    FORMS
} form;

static float value_of(rng *r, form what, size_t row) {
    double normal = rng_normal(r);

    switch (what) {
    case FORM_TIES:
        return (float)rng_below(r, 5) - 2.0f;
    case FORM_OFFSET:
        return (float)(1e6 + 100 * normal);
    case FORM_TINY:
        return (float)(normal * 1e-40);
    case FORM_HUGE:
        return rng_chance(r, 8) ? (normal < 0 ? -FLT_MAX : FLT_MAX) : (float)(normal * 5e37);
    case FORM_MAGNITUDES:
        return (float)ldexp(normal, (int)rng_below(r, 120) - 60);
    case FORM_ZEROS:
        return rng_chance(r, 10) ? (float)ldexp(normal, -70) : rng_chance(r, 2) ? -0.0f : 0.0f;
    case FORM_EQUAL:
        return -3.25f;
    case FORM_RISING:
        return (float)ldexp(normal, (int)(row % 40) - 20);
    case FORM_NEGATIVE:
        return (float)(-5000 + normal);
    case FORM_VAST:
        return (float)ldexp(normal, rng_chance(r, 4) ? 100 : -60 - (int)rng_below(r, 60));
    default:
        return (float)normal;
    }
}

/* Some slots of n values each, slot after slot. */
typedef struct table {
    size_t n, n_slots;
    uint32_t n_cells;
    float *values;
} table;

static table table_new(rng *r, size_t max_n, size_t max_slots) {
    table t = {rng_size(r, 1, max_n), rng_size(r, 1, max_slots), 4u << rng_below(r, 15), NULL};

    t.values = NEW(float, t.n *t.n_slots);
    for (size_t slot = 0; slot < t.n_slots; slot++) {
        form what = (form)rng_below(r, FORMS);
        for (size_t i = 0; i < t.n; i++)
            t.values[slot * t.n + i] = value_of(r, what, i);
    }
    return t;
}

/* ---- The naive form -------------------------------------------------------------------------- */

static int by_value(const void *left, const void *right) {
    float a = *(const float *)left, b = *(const float *)right;

    return (a > b) - (a < b);
}

typedef struct naive {
    frocc__grid grid;
    size_t count;
    frocc__bin *bins;
} naive;

static naive naive_new(const float *values, size_t n, uint32_t n_cells) {
    naive h = {{0}, 0, NEW(frocc__bin, n)};
    float *sorted = NEW(float, n);

    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    double width = oracle_cell_width(sorted[0], sorted[n - 1], n_cells);
    h.grid = (frocc__grid){(float)(1 / width), sorted[0] + 0.0f, sorted[n - 1] + 0.0f,
                           n_cells - 1}; /* one zero */
    for (size_t i = 0; i < n; i++) {
        int32_t number = (int32_t)floor((double)sorted[i] / width);
        if (h.count == 0 || h.bins[h.count - 1].number != number)
            h.bins[h.count++] = (frocc__bin){number, 0};
        h.bins[h.count - 1].count += h.bins[h.count - 1].count < 65535;
    }
    free(sorted);
    return h;
}

static void same_bins(const naive *expected, const frocc__grid *grid, const frocc__bin *bins,
                      size_t count, const char *what) {
    check(memcmp(&expected->grid, grid, sizeof *grid) == 0,
          "%s: %a .. %a by %a, not %a .. %a by %a", what, (double)grid->low, (double)grid->high,
          (double)grid->scale, (double)expected->grid.low, (double)expected->grid.high,
          (double)expected->grid.scale);
    check(count == expected->count, "%s: %zu cells, not %zu", what, count, expected->count);
    for (size_t i = 0; i < count; i++)
        check(bins[i].number == expected->bins[i].number &&
                  bins[i].count == expected->bins[i].count,
              "%s: cell %d has %u values, not cell %d %u", what, bins[i].number, bins[i].count,
              expected->bins[i].number, expected->bins[i].count);
}

/* All slots, as a table of values has them. */
static void same_histograms(const table *t, const frocc__histograms *h, const char *what) {
    for (size_t slot = 0; slot < t->n_slots; slot++) {
        naive expected = naive_new(t->values + slot * t->n, t->n, h->n_cells);
        frocc__bin *bins = NEW(frocc__bin, h->n_cells);
        size_t count = frocc__histogram_list(h, slot, bins);
        same_bins(&expected, &h->grids[slot], bins, count, what);
        free(bins);
        free(expected.bins);
    }
}

/* ---- Counting -------------------------------------------------------------------------------- */

static frocc__histograms histograms_of(size_t n_slots, uint32_t n_cells) {
    frocc__histograms h;

    check_ok(frocc__histograms_new(n_slots, n_cells, frocc__kernels_best(), &h));
    return h;
}

/* Counts some rows slot by slot, a single one by itself now and then. What lies behind them is no
 * number, so that it shows when it is looked at. */
static bool count_rows(frocc__histograms *h, const table *t, const size_t *rows, size_t count) {
    float *values = NEW(float, count + FROCC_PANEL);
    bool usable = true;

    for (size_t slot = 0; slot < t->n_slots; slot++) {
        for (size_t i = 0; i < count + FROCC_PANEL; i++)
            values[i] = i < count ? t->values[slot * t->n + rows[i]] : NAN;
        if (count == 1 && rows[0] % 2 && values[0] == values[0])
            frocc__histogram_add_one(h, slot, values[0]);
        else
            for (size_t i = 0; i < count; i += FROCC_COUNTED)
                usable &= frocc__histogram_add(
                    h, slot, values + i, count - i < FROCC_COUNTED ? count - i : FROCC_COUNTED);
    }
    free(values);
    return usable;
}

static void count_in_batches(rng *r, frocc__histograms *h, const table *t, const size_t *rows,
                             size_t n) {
    static const size_t most[] = {1, 7, FROCC_PANEL, FROCC_COUNTED};

    for (size_t first = 0, count; first < n; first += count) {
        count = 1 + rng_below(r, most[rng_below(r, 4)]);
        count = count < n - first ? count : n - first;
        check(count_rows(h, t, rows + first, count), "a number was called none");
    }
}

#define MOST_PARTS 6

static void merge(frocc__histograms *into, const frocc__histograms *from) {
    frocc__bin *list = NEW(frocc__bin, from->n_cells);

    frocc__histograms_merge(into, from, list);
    free(list);
}

/* Rows are dealt to parts, which are merged two by two at random until one is left. */
static frocc__histograms count_in_parts(rng *r, const table *t, const size_t *order) {
    frocc__histograms parts[MOST_PARTS];
    size_t n_parts = 1 + rng_below(r, MOST_PARTS), *own = NEW(size_t, t->n);

    for (size_t p = 0; p < n_parts; p++) {
        size_t count = 0;
        parts[p] = histograms_of(t->n_slots, t->n_cells);
        for (size_t i = 0; i < t->n; i++)
            if ((order[i] * 2654435761u >> 7) % n_parts == p) /* some parts may stay empty */
                own[count++] = order[i];
        count_in_batches(r, &parts[p], t, own, count);
    }
    for (; n_parts > 1; n_parts--) {
        size_t into = rng_below(r, n_parts - 1);
        merge(&parts[into], &parts[n_parts - 1]);
        frocc__histograms_free(&parts[n_parts - 1]);
    }
    free(own);
    return parts[0];
}

/* ---- Order and splits ------------------------------------------------------------------------ */

static frocc__bytes_out bytes_of(const frocc__histograms *h, size_t slot) {
    frocc__bytes_out out = {0};
    frocc__bin *bins = NEW(frocc__bin, h->n_cells);
    size_t count = frocc__histogram_list(h, slot, bins);

    frocc__histogram_write(&h->grids[slot], bins, count, &out);
    check(!out.failed, "no memory");
    free(bins);
    return out;
}

static void same_bytes(const frocc__histograms *a, const frocc__histograms *b) {
    for (size_t slot = 0; slot < a->n_slots; slot++) {
        frocc__bytes_out x = bytes_of(a, slot), y = bytes_of(b, slot);
        check(x.size == y.size && memcmp(x.data, y.data, x.size) == 0,
              "slot %zu: %zu and %zu bytes differ", slot, x.size, y.size);
        frocc_bytes_free(x.data);
        frocc_bytes_free(y.data);
    }
}

static void any_order_and_split_is_the_same(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(1500, 100); i++) {
        rng r = rng_seed(1400000 + i);
        table t = table_new(&r, 2000, 20);
        size_t *order = NEW(size_t, t.n);
        frocc__histograms straight = histograms_of(t.n_slots, t.n_cells);

        rng_shuffle(&r, order, t.n);
        count_in_batches(&r, &straight, &t, order, t.n);
        same_histograms(&t, &straight, "all rows");
        rng_shuffle(&r, order, t.n);
        frocc__histograms merged = count_in_parts(&r, &t, order);
        same_histograms(&t, &merged, "parts");
        same_bytes(&straight, &merged);
        frocc__histograms_free(&straight);
        frocc__histograms_free(&merged);
        free(order);
        free(t.values);
    }
}

/* Cells of a finer histogram, merged into one with room for fewer. */
static void fewer_cells_are_cells_merged(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(600, 60); i++) {
        rng r = rng_seed(1410000 + i);
        table t = table_new(&r, 500, 8);
        size_t *order = NEW(size_t, t.n);
        frocc__bin *bins = NEW(frocc__bin, t.n_cells);
        frocc__histograms fine = histograms_of(t.n_slots, t.n_cells), coarse;

        rng_shuffle(&r, order, t.n);
        count_in_batches(&r, &fine, &t, order, t.n);
        coarse = histograms_of(t.n_slots, 4u << rng_below(&r, 15));
        if (coarse.n_cells <= fine.n_cells) {
            for (size_t slot = 0; slot < t.n_slots; slot++) {
                const frocc__grid *grid = &fine.grids[slot];
                size_t count = frocc__histogram_list(&fine, slot, bins);
                frocc__histogram_merge(&coarse, slot, grid->low, grid->high, bins, count,
                                       frocc__scale_exponent(grid->scale));
            }
            same_histograms(&t, &coarse, "fewer cells");
        }
        frocc__histograms_free(&fine);
        frocc__histograms_free(&coarse);
        free(bins);
        free(order);
        free(t.values);
    }
}

/* Counts stop at 65535, whether values come one by one or in parts. */
static void counts_stop(void) {
    enum { N = 70000 };
    table t = {N, 1, 16, NEW(float, N)};
    frocc__histograms whole = histograms_of(1, 16), halves[2];
    size_t *rows = NEW(size_t, N);
    rng r = rng_seed(1420000);

    for (size_t i = 0; i < N; i++) {
        rows[i] = i;
        t.values[i] = i % 1000 == 999 ? (float)(i % 7) : 3.0f;
    }
    count_in_batches(&r, &whole, &t, rows, N);
    same_histograms(&t, &whole, "many rows");
    for (int k = 0; k < 2; k++) {
        halves[k] = histograms_of(1, 16);
        count_in_batches(&r, &halves[k], &t, rows + k * N / 2, N / 2);
    }
    merge(&halves[1], &halves[0]);
    same_histograms(&t, &halves[1], "many rows in halves");
    same_bytes(&whole, &halves[1]);
    for (int k = 0; k < 2; k++)
        frocc__histograms_free(&halves[k]);
    frocc__histograms_free(&whole);
    free(rows);
    free(t.values);
}

static void nan_is_noticed(void) {
    for (uint64_t i = 0; i < 400; i++) {
        rng r = rng_seed(1430000 + i);
        table t = table_new(&r, 300, 12);
        size_t *rows = NEW(size_t, t.n), bad = rng_below(&r, t.n * t.n_slots);
        frocc__histograms h = histograms_of(t.n_slots, t.n_cells);

        rng_shuffle(&r, rows, t.n);
        if (i % 2) /* the grid is there already */
            check(count_rows(&h, &t, rows, t.n), "a number was called none");
        t.values[bad] = NAN;
        check(!count_rows(&h, &t, rows, t.n), "NaN was counted");
        frocc__histograms_free(&h);
        free(rows);
        free(t.values);
    }
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* In memory that ends where the bytes do, so that a read past the end is seen by the sanitizers. */
static frocc_status read_slot(const unsigned char *bytes, size_t size, uint32_t n_cells, naive *h,
                              size_t *left) {
    unsigned char *copy = NEW(unsigned char, size);
    frocc__bytes_in in = {copy, size, false};

    memcpy(copy, bytes, size);
    *h = (naive){.bins = NEW(frocc__bin, n_cells)};
    frocc_status status = frocc__histogram_read(&in, n_cells, &h->grid, h->bins, &h->count);
    *left = in.left;
    free(copy);
    return status;
}

/* What can be used: no values, or cells that rise from the one of the smallest value to that of the
 * largest. */
static void check_usable(const naive *h, uint32_t n_cells) {
    if (frocc__grid_is_empty(&h->grid)) {
        check(h->count == 0, "%zu cells of no values", h->count);
        return;
    }
    double width = oracle_cell_width(h->grid.low, h->grid.high, n_cells);
    check((double)h->grid.scale == 1 / width, "cells by %a", (double)h->grid.scale);
    check(h->count > 0 && h->count <= n_cells, "%zu cells of %u", h->count, n_cells);
    check(h->bins[0].number == (int32_t)floor((double)h->grid.low / width) &&
              h->bins[h->count - 1].number == (int32_t)floor((double)h->grid.high / width),
          "the cells do not go with the ends");
    for (size_t i = 0; i < h->count; i++)
        check(h->bins[i].count > 0 && (i == 0 || h->bins[i].number > h->bins[i - 1].number),
              "cell %zu is empty or does not rise", i);
}

static void check_spoilt(rng *r, const frocc__bytes_out *out, uint32_t n_cells) {
    unsigned char *spoilt = NEW(unsigned char, out->size);
    naive h;
    size_t left;

    for (size_t size = 0; size < out->size; size += 1 + out->size / 50) {
        check_is(read_slot(out->data, size, n_cells, &h, &left), FROCC_ERR_FORMAT);
        free(h.bins);
    }
    for (int k = 0; k < 40; k++) {
        memcpy(spoilt, out->data, out->size);
        for (size_t flips = 1 + rng_below(r, 3); flips > 0; flips--)
            spoilt[rng_below(r, out->size)] ^= (unsigned char)(1u << rng_below(r, 8));
        frocc_status status = read_slot(spoilt, out->size, n_cells, &h, &left);
        check(status == FROCC_OK || status == FROCC_ERR_FORMAT, "%s", frocc_status_name(status));
        if (status == FROCC_OK)
            check_usable(&h, n_cells);
        free(h.bins);
    }
    free(spoilt);
}

static void bytes_read_back_or_are_refused(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(300, 40); i++) {
        rng r = rng_seed(1440000 + i);
        table t = table_new(&r, 2000, 4);
        size_t *rows = NEW(size_t, t.n), left;
        frocc__histograms h = histograms_of(t.n_slots, t.n_cells);

        rng_shuffle(&r, rows, t.n);
        count_in_batches(&r, &h, &t, rows, t.n);
        for (size_t slot = 0; slot < t.n_slots; slot++) {
            naive expected = naive_new(t.values + slot * t.n, t.n, t.n_cells), again;
            frocc__bytes_out out = bytes_of(&h, slot);
            check_spoilt(&r, &out, t.n_cells);
            size_t size = out.size;
            frocc__put_u32(&out, 0xffffffffu); /* what follows is left alone */
            check_ok(read_slot(out.data, out.size, t.n_cells, &again, &left));
            check(left == out.size - size, "%zu bytes are left of %zu", left, out.size - size);
            same_bins(&expected, &again.grid, again.bins, again.count, "read back");
            free(again.bins);
            free(expected.bins);
            frocc_bytes_free(out.data);
        }
        frocc__histograms_free(&h);
        free(rows);
        free(t.values);
    }
}

/* ---- Costs ----------------------------------------------------------------------------------- */

/* Values of the slot, between them, around its ends, and far away. */
static float probe(rng *r, const float *values, size_t n) {
    static const float odd[] = {0.0f, -0.0f, NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 1e-45f};
    float a = values[rng_below(r, n)], b = values[rng_below(r, n)];

    switch (rng_below(r, 6)) {
    case 0:
        return odd[rng_below(r, sizeof odd / sizeof *odd)];
    case 1:
        return nextafterf(a, rng_chance(r, 2) ? INFINITY : -INFINITY);
    case 2:
        return (float)((double)a + rng_between(r, -3, 4) * ((double)b - (double)a));
    default:
        return (float)((double)a + rng_unit(r) * ((double)b - (double)a));
    }
}

/* The values of one slot, and the table of costs that they make. */
typedef struct costed {
    table t;
    frocc__histograms h;
    frocc__costs costs;
    oracle_rows rows;
    frocc__bin *bins;
    size_t n_bins;
} costed;

/* By windows of 1 and 2 values, the default, or of some others. */
static costed costed_new(rng *r, size_t max_n) {
    costed c = {.t = table_new(r, max_n, 1)};
    size_t *rows = NEW(size_t, c.t.n);

    rng_shuffle(r, rows, c.t.n);
    c.h = histograms_of(1, c.t.n_cells);
    count_in_batches(r, &c.h, &c.t, rows, c.t.n);
    c.rows = (oracle_rows){.n_rows = c.t.n,
                           .n_directions = 1,
                           .values = c.t.values,
                           .sorted = NEW(float, c.t.n),
                           .epsilon = 1.0f / (float)c.t.n_cells,
                           .needed = rng_chance(r, 2) ? 0 : (uint32_t)rng_size(r, 1, 300)};
    oracle_sort(&c.rows);
    check_ok(frocc__costs_new(1, c.t.n_cells, &c.costs));
    c.bins = NEW(frocc__bin, c.t.n_cells);
    c.n_bins = frocc__histogram_list(&c.h, 0, c.bins);
    frocc__costs_set(&c.costs, c.h.kernels, 0, &c.h.grids[0], c.bins, c.n_bins, c.rows.needed);
    free(rows);
    return c;
}

static void costed_free(costed *c) {
    frocc__histograms_free(&c->h);
    frocc__costs_free(&c->costs);
    free(c->rows.sorted);
    free(c->bins);
    free(c->t.values);
}

/* One by one, and by the kernel of this level. */
static void costs_are_the_oracles(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(1500, 100); i++) {
        rng r = rng_seed(1450000 + i);
        costed c = costed_new(&r, 400);
        float values[100];
        uint32_t sums[100] = {0};

        for (size_t k = 0; k < 100; k++)
            values[k] = probe(&r, c.t.values, c.t.n);
        c.h.kernels->add_costs(values, 100, &c.costs.tables[0], sums);
        for (size_t k = 0; k < 100; k++) {
            uint32_t expected = oracle_cost(&c.rows, 0, ORACLE_NONE, values[k]);
            check(frocc__cost_of(&c.costs.tables[0], values[k]) == expected && sums[k] == expected,
                  "%a costs %u and %u, by the definition %u", (double)values[k],
                  frocc__cost_of(&c.costs.tables[0], values[k]), sums[k], expected);
        }
        costed_free(&c);
    }
}

/* What a value costs by the counts is what it costs when it is taken away. */
static void left_out_as_if_never_there(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(1500, 100); i++) {
        rng r = rng_seed(1460000 + i);
        costed c = costed_new(&r, 200);
        uint32_t *sums = NEW(uint32_t, c.t.n);
        uint8_t *alone = NEW(uint8_t, c.t.n_cells);
        float *values = NEW(float, c.t.n);

        memset(alone, 0xa5, c.t.n_cells); /* of another slot */
        for (size_t k = 0; k < c.t.n; k++)
            values[k] = c.t.values[k] + 0.0f;
        if (c.t.n > 1) {
            const frocc__left_out_table others = frocc__costs_left_out(
                &c.costs, c.h.kernels, 0, c.bins, c.n_bins, c.rows.needed, alone);
            check(frocc__add_left_out(&others, c.h.kernels, values, c.t.n, sums),
                  "a value is lost");
        }
        for (size_t k = 0; k < c.t.n && c.t.n > 1; k++) {
            uint32_t expected = oracle_cost(&c.rows, 0, k, values[k]);
            check(sums[k] == expected, "%a costs %u left out, by the definition %u",
                  (double)values[k], sums[k], expected);
        }
        free(sums);
        free(alone);
        free(values);
        costed_free(&c);
    }
}

int main(void) {
    RUN(any_order_and_split_is_the_same);
    RUN(fewer_cells_are_cells_merged);
    RUN(counts_stop);
    RUN(nan_is_noticed);
    RUN(bytes_read_back_or_are_refused);
    RUN(costs_are_the_oracles);
    RUN(left_out_as_if_never_there);
    return check_end();
}
