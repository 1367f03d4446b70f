/* SPDX-License-Identifier: BSD-3-Clause */
/* Price lists, made once per model. */
#include "prices.h"

#include "mem.h"
#include "sketch.h"

#define MOST_CELLS 8192

/* How many cells the range is cut into, so that each is narrower than the smallest gap. */
static size_t cells_over_range(const frocc__interval *list, size_t count) {
    double range = (double)list[count - 1].hi - (double)list[0].lo, smallest = range;
    for (size_t i = 0; i + 1 < count; i++)
        smallest = fmin(smallest, (double)list[i + 1].lo - (double)list[i].hi);
    if (count < 2 || range > (double)FLT_MAX)
        return 0;
    /* A little more, for the rounding of cells. */
    return (size_t)fmin(range / smallest * 1.01 + 1.0, (double)MOST_CELLS);
}

/* Without cells over the range there is one cell for everything. */
static void lay_cells(frocc__prices *prices, const frocc__interval *list, size_t count) {
    float cells = (float)cells_over_range(list, count);
    float scale = cells / (list[count - 1].hi - list[0].lo);
    if (!(cells > 0.0f && scale <= FLT_MAX))
        return;
    prices->origin = list[0].lo;
    prices->scale = scale;
    prices->last_cell = cells + 2.0f;
}

static size_t n_cells(const frocc__prices *prices) {
    return (size_t)prices->last_cell + 1;
}

static size_t n_ends(const frocc__prices *prices) {
    return prices->last_place + FROCC_PRICE_STEPS;
}

/* Everything of a list but its tables. */
static frocc__prices describe(const frocc__interval *list, size_t count, float epsilon) {
    frocc__prices prices = {.epsilon = epsilon,
                            .low = list[0].lo,
                            .high = list[count - 1].hi,
                            .range = frocc__closeness_range(list, count),
                            .last_place = (uint32_t)(2 * count)};
    lay_cells(&prices, list, count);
    return prices;
}

static void write_ends(const frocc__prices *prices, const frocc__interval *list, float *ends,
                       float *costs) {
    size_t count = prices->last_place / 2;
    for (size_t i = 0; i < count; i++) {
        ends[2 * i] = list[i].lo;
        ends[2 * i + 1] = nextafterf(list[i].hi, INFINITY);
        if (i + 1 < count)
            costs[2 * i + 2] =
                frocc__gap_cost(list[i + 1].lo - list[i].hi, prices->range, prices->epsilon);
    }
    for (size_t i = 2 * count; i < n_ends(prices); i++)
        ends[i] = INFINITY;
}

/* Counts the ends per cell, then those before it. */
static void count_ends(frocc__prices *prices, uint16_t *before) {
    if (prices->last_place > UINT16_MAX) {
        prices->steps = FROCC_PRICE_STEPS + 1;
        return;
    }
    for (uint32_t i = 0; i < prices->last_place; i++)
        before[frocc__price_cell(prices, prices->ends[i])]++;
    uint16_t total = 0;
    for (size_t c = 0; c < n_cells(prices); c++) {
        uint16_t own = before[c];
        prices->steps = FROCC_MAX(prices->steps, (uint32_t)own);
        before[c] = total;
        total = (uint16_t)(total + own);
    }
}

static frocc_status book_new(const frocc__sketch *sketch, frocc__price_book *book) {
    size_t cells = 0, ends = 0;
    *book = (frocc__price_book){.lists = frocc__alloc(sketch->n_slots, sizeof(frocc__prices))};
    for (size_t s = 0; book->lists != NULL && s < sketch->n_slots; s++) {
        book->lists[s] = describe(frocc__slot(sketch, s), sketch->count[s], sketch->epsilon);
        cells += n_cells(&book->lists[s]);
        ends += n_ends(&book->lists[s]);
    }
    book->before = frocc__alloc(cells + 1, sizeof(uint16_t));
    book->ends = frocc__alloc(ends, sizeof(float));
    book->costs = frocc__alloc(ends, sizeof(float));
    if (book->lists == NULL || book->before == NULL || book->ends == NULL || book->costs == NULL) {
        frocc__price_book_free(book);
        return FROCC_ERR_MEMORY;
    }
    return FROCC_OK;
}

frocc_status frocc__price_book_of(const frocc__sketch *sketch, frocc__price_book *book) {
    FROCC_TRY(book_new(sketch, book));
    uint16_t *before = book->before;
    float *ends = book->ends, *costs = book->costs;
    for (size_t s = 0; s < sketch->n_slots; s++) {
        frocc__prices *prices = &book->lists[s];
        prices->before = before;
        prices->ends = ends;
        prices->costs = costs;
        write_ends(prices, frocc__slot(sketch, s), ends, costs);
        count_ends(prices, before);
        before += n_cells(prices);
        ends += n_ends(prices);
        costs += n_ends(prices);
    }
    return FROCC_OK;
}

void frocc__price_book_free(frocc__price_book *book) {
    frocc__free(book->lists);
    frocc__free(book->before);
    frocc__free(book->ends);
    frocc__free(book->costs);
    *book = (frocc__price_book){0};
}
