/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Price lists against what they stand for: at every end of an interval, beside it, in every gap and
 * far outside, the cost that frocc__closeness_cost finds by searching, to the last bit; one value
 * at a time, and by panels with the kernels of this CPU.
 */
#include "check.h"
#include "kernels.h"
#include "points.h"
#include "prices.h"
#include "sketch.h"

#define PER_END 3 /* values tried around each end */

typedef struct line {
    frocc__sketch sketch; /* of one slot */
    frocc__price_book book;
    size_t n_values;
    float *values; /* whole panels */
} line;

/* Points of one kind or another: spread out, in clusters, with ties, or of any size. */
static float draw_point(rng *r, size_t kind) {
    switch (kind) {
    case 0:
        return (float)rng_normal(r);
    case 1:
        return (float)((double)rng_below(r, 5) * 10 + 1e-3 * rng_normal(r));
    case 2:
        return (float)rng_below(r, 12);
    case 3:
        return (float)(rng_log_between(r, 1e-3, 1e6) * (rng_chance(r, 2) ? 1 : -1));
    case 4:
        return (float)(rng_log_between(r, 1e-44, 1e38) * (rng_chance(r, 2) ? 3 : -3));
    default:
        return 2.5f;
    }
}

static void add_value(line *l, float value) {
    l->values[l->n_values++] = value;
}

/* Around all ends, in between, and outside; the rest of the last panel is NaN. */
static void choose_values(rng *r, line *l) {
    const frocc__interval *list = frocc__slot(&l->sketch, 0);
    size_t count = l->sketch.count[0];
    float ends[2] = {list[0].lo, list[count - 1].hi}, range = ends[1] - ends[0];
    l->values = NEW(float, (2 * PER_END + 1) * count + 5 * (size_t)FROCC_PANEL);
    for (size_t i = 0; i < count; i++) {
        float both[2] = {list[i].lo, list[i].hi};
        for (int e = 0; e < 2; e++) {
            add_value(l, both[e]);
            add_value(l, nextafterf(both[e], -INFINITY));
            add_value(l, nextafterf(both[e], INFINITY));
        }
        if (i + 1 < count)
            add_value(l, list[i].hi + (list[i + 1].lo - list[i].hi) * (float)rng_unit(r));
    }
    for (int i = 0; i < FROCC_PANEL; i++) {
        add_value(l, ends[0] + range * (float)rng_between(r, -1, 2));
        add_value(l, ends[rng_below(r, 2)] * (float)rng_log_between(r, 1e-6, 1e6));
    }
    add_value(l, FLT_MAX);
    add_value(l, -FLT_MAX);
    add_value(l, 0.0f);
    add_value(l, -0.0f);
    do
        add_value(l, NAN);
    while (l->n_values % FROCC_PANEL != 0);
    for (size_t i = 0; i < l->n_values; i++) /* infinities are clamped before they get here */
        if (isinf(l->values[i]))
            l->values[i] = copysignf(FLT_MAX, l->values[i]);
}

static line line_new(rng *r, size_t kind, size_t n_points, float epsilon) {
    line l = {0};
    float *points = NEW(float, n_points);
    for (size_t i = 0; i < n_points; i++)
        points[i] = draw_point(r, kind);
    check_ok(frocc__sketch_new(1, epsilon, &l.sketch));
    check_ok(frocc__sketch_observe(&l.sketch, points, n_points));
    check_ok(frocc__price_book_of(&l.sketch, &l.book));
    choose_values(r, &l);
    free(points);
    return l;
}

static void line_free(line *l) {
    frocc__sketch_free(&l->sketch);
    frocc__price_book_free(&l->book);
    free(l->values);
}

static bool same_bits(const void *a, const void *b, size_t size) {
    return memcmp(a, b, size) == 0;
}

static void check_single(const line *l) {
    for (size_t i = 0; i < l->n_values; i++) {
        float cost = frocc__price(&l->book.lists[0], l->values[i]);
        float searched = frocc__closeness_cost(frocc__slot(&l->sketch, 0), l->sketch.count[0],
                                               l->sketch.epsilon, l->values[i]);
        check(same_bits(&cost, &searched, sizeof cost),
              "%.9g costs %.9g by the list, %.9g searched", (double)l->values[i], (double)cost,
              (double)searched);
    }
}

static void check_panels(rng *r, const line *l) {
    const frocc__kernels *kernels = frocc__kernels_best();
    float *panel = aligned_alloc(64, FROCC_PANEL * sizeof(float));
    check(panel != NULL, "no memory");
    for (size_t first = 0; first < l->n_values; first += FROCC_PANEL) {
        double sums[FROCC_PANEL], expected[FROCC_PANEL];
        frocc__row_mask rows = rng_bits(r) & ~(frocc__row_mask)0 >> (64 - FROCC_PANEL);
        rows = rng_chance(r, 3) ? rows & rng_bits(r) & rng_bits(r) & rng_bits(r) : rows;
        memcpy(panel, l->values + first, FROCC_PANEL * sizeof(float));
        for (int i = 0; i < FROCC_PANEL; i++) {
            sums[i] = expected[i] = rng_between(r, 0, 3);
            if ((rows >> i & 1) != 0)
                expected[i] += (double)frocc__price(&l->book.lists[0], panel[i]);
        }
        kernels->add_costs(panel, &l->book.lists[0], rows, sums);
        for (int i = 0; i < FROCC_PANEL; i++)
            check(same_bits(&sums[i], &expected[i], sizeof *sums),
                  "%.9g, asked for: %d, gives %.17g by panel, %.17g alone", (double)panel[i],
                  (int)(rows >> i & 1), sums[i], expected[i]);
    }
    free(panel);
}

static void prices_are_closeness_costs(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(1200, 120); i++) {
        rng r = rng_seed(1900000 + i);
        float epsilon = (float)rng_log_between(&r, i % 4 == 0 ? 1e-6 : 1e-3, 0.9);
        line l = line_new(&r, (size_t)(i % 6), rng_size(&r, 1, 3000), epsilon);
        check_single(&l);
        check_panels(&r, &l);
        line_free(&l);
    }
}

/* The promise that makes lists fast: with cells enough, no cell holds more than one interval. */
static void two_comparisons_do(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(200, 40); i++) {
        rng r = rng_seed(1910000 + i);
        line l = line_new(&r, (size_t)(i % 3), rng_size(&r, 1, 3000), 0.001f);
        check(l.book.lists[0].steps <= 2, "%u ends in one cell", (unsigned)l.book.lists[0].steps);
        line_free(&l);
    }
}

static void check_searched(uint64_t seed, size_t kind, size_t n_points, size_t least_ends) {
    rng r = rng_seed(seed);
    line l = line_new(&r, kind, n_points, 1e-6f);
    const frocc__prices *list = &l.book.lists[0];
    check(list->steps > FROCC_PRICE_STEPS, "only %u ends in the fullest cell",
          (unsigned)list->steps);
    check(list->last_place >= least_ends, "only %u ends", (unsigned)list->last_place);
    check_single(&l);
    check_panels(&r, &l);
    line_free(&l);
}

/* Where intervals crowd in one cell, or are more than a cell can count, they are searched for. */
static void crowded_cells(void) {
    check_searched(1920000, 3, 40000, 1000);
}

static void more_ends_than_a_cell_counts(void) {
    check_searched(1930000, 0, 60000, (size_t)UINT16_MAX + 1);
}

int main(void) {
    RUN(prices_are_closeness_costs);
    RUN(two_comparisons_do);
    RUN(crowded_cells);
    RUN(more_ends_than_a_cell_counts);
    return check_end();
}
