/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scouts: rows change places and nothing else; those that come first are further out than the
 * others, from the middle of all or, with a small epsilon, of their group; and no sketch changes.
 */
#include "scouts.h"

#include "flow.h"
#include "laws.h"

#define D 10
#define ROWS 6144 /* a stripe of so many columns */
#define GROUPS 40

/* Rows of groups that lie far apart; of each, which group it is of, and how far it is from the
 * middle of that, squared. The first column is a number of its own for each row. */
typedef struct groups {
    data x;
    size_t group[ROWS];
    double away[ROWS];
} groups;

static groups *groups_new(rng *r, size_t n_groups) {
    groups *g = NEW(groups, 1);
    data x = {ROWS, D, NEW(double, (size_t)ROWS *D), NEW(float, (size_t)ROWS *D)};
    double *centres = NEW(double, n_groups *D);
    for (size_t i = 0; i < n_groups * D; i++)
        centres[i] = 100 * rng_normal(r);
    for (size_t i = 0; i < ROWS; i++) {
        g->group[i] = rng_below(r, n_groups);
        for (size_t j = 0; j < D; j++) {
            const double step = j == 0 ? 0.0 : rng_normal(r), centre = centres[g->group[i] * D + j];
            g->away[i] += step * step;
            x.f32[i * D + j] = (float)(j == 0 ? (double)i * 0x1p-20 : centre + step);
            x.f64[i * D + j] = (double)x.f32[i * D + j];
        }
    }
    free(centres);
    g->x = x;
    return g;
}

static void groups_free(groups *g) {
    data_free(&g->x);
    free(g);
}

/* Lets scouts go first in a stripe of these rows; order says which row is where. */
static void send(const frocc_frame *frame, const data *x, size_t first_panels, size_t *order) {
    const frocc_rows rows = frocc_rows_f32(x->f32, x->n, x->d);
    frocc__channel *channel = NULL;
    frocc__scouts scouts;
    check_ok(frocc__channels_new(frame, 1, 1, &channel));
    check_ok(frocc__scouts_new(frame, first_panels, &scouts));
    frocc__stripe *stripe = &channel->stripe;
    check_ok(frocc__stripe_begin(frame, &rows, 0, x->n, NULL, stripe));
    for (size_t p = 0; p < frocc__panels_of(stripe); p++)
        check(frocc__stripe_pack(frame, &rows, stripe, p, &channel->desk) == SIZE_MAX, "unusable");
    frocc__scouts_send(frame, &scouts, stripe, 1);
    for (size_t i = 0; i < x->n; i++) {
        const float *row = frocc__stripe_panel(frame, stripe, i / FROCC_PANEL, 0) + i % FROCC_PANEL;
        order[i] = (size_t)((double)row[0] * 0x1p20 + 0.5);
        for (size_t j = 0; order[i] < x->n && j < D; j++)
            check(row[j * FROCC_PANEL] == x->f32[order[i] * D + j], "row %zu is torn", i);
    }
    frocc__scouts_free(&scouts);
    frocc__channels_free(channel, 1);
}

static void check_permutation(const size_t *order) {
    bool *seen = NEW(bool, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        check(order[i] < ROWS && !seen[order[i]], "row %zu is there twice", order[i]);
        seen[order[i]] = true;
    }
    free(seen);
}

/* Sends scouts where the sketch begins with so many panels. */
static groups *groups_in_order(size_t n_groups, size_t first_panels, size_t *order) {
    rng r = rng_seed(check_state.seed = 2700000 + n_groups);
    groups *g = groups_new(&r, n_groups);
    setup s;
    setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, 400, D);
    frocc_frame *frame = frame_of(&s.params, &g->x);
    send(frame, &g->x, first_panels, order);
    check_permutation(order);
    frocc_frame_free(frame);
    setup_free(&s);
    return g;
}

static double mean_away(const groups *g, const size_t *order, size_t first, size_t end) {
    double sum = 0.0;
    for (size_t i = first; i < end; i++)
        sum += g->away[order[i]];
    return sum / (double)(end - first);
}

static void check_far(size_t n_groups, size_t first_panels, size_t n_scouts) {
    size_t *order = NEW(size_t, ROWS);
    groups *g = groups_in_order(n_groups, first_panels, order);
    const double ratio = mean_away(g, order, 0, n_scouts) / mean_away(g, order, n_scouts, ROWS);
    check(ratio > 2.0, "scouts of %zu groups are %g times as far out", n_groups, ratio);
    groups_free(g);
    free(order);
}

static void far_rows_come_first(void) {
    check_far(1, 1, FROCC_PANEL);
    check_far(12, 5, 3 * FROCC_PANEL);
}

/* More groups than can be told apart: those that have no centre do not take all places. */
static void many_groups_share_the_places(void) {
    size_t *order = NEW(size_t, ROWS), n_there = 0;
    groups *g = groups_in_order(GROUPS, 5, order);
    bool there[GROUPS] = {false};
    for (size_t i = 0; i < 3 * FROCC_PANEL; i++) {
        n_there += !there[g->group[order[i]]];
        there[g->group[order[i]]] = true;
    }
    check(n_there > GROUPS * 3 / 4, "there are only %zu groups", n_there);
    groups_free(g);
    free(order);
}

/* Many directions and a small epsilon, so that there are groups; a row that came before keeps
 * scouts at home. */
static void no_bit_changes(void) {
    const size_t n = (size_t)check_cases(5000, 2600);
    for (uint64_t seed = 0; seed < (uint64_t)check_cases(24, 11); seed++) {
        rng r = rng_seed(check_state.seed = 2800000 + seed);
        const size_t d = rng_size(&r, 1, 20), m = rng_size(&r, 320, 340);
        data x = data_new(&r, n, d, (shape)(seed % SHAPE_COUNT), true);
        setup s;
        setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, m, d);
        s.params.epsilon = (float)rng_between(&r, 0.015, 0.03);
        s.params.calibration_rows = 0;
        s.params.threads = 1 + (int)rng_below(&r, 2);
        frocc_frame *frame = frame_of(&s.params, &x);
        frocc_fitter *with = fitter_of(frame, &s.params), *without = fitter_of(frame, &s.params);
        fitter_take(with, &x, 0, n);
        fitter_take(without, &x, 0, 1);
        fitter_take(without, &x, 1, n - 1);
        check_same_fitters(with, without, "with and without scouts");
        frocc_fitter_free(with);
        frocc_fitter_free(without);
        frocc_frame_free(frame);
        setup_free(&s);
        data_free(&x);
    }
}

int main(void) {
    RUN(far_rows_come_first);
    RUN(many_groups_share_the_places);
    RUN(no_bit_changes);
    return check_end();
}
