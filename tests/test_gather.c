/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathering: rows that threads share out bring a sketch to what it would be otherwise, bit for bit,
 * whatever they are; and where it is given up, they leave the sketch as it was.
 */
#include "gather.h"

#include "absorb.h"
#include "alloc_failure.h"
#include "laws.h"

#define TEAM 2

/* What a fitter is made of. */
typedef struct parts {
    frocc_frame *frame;
    frocc__observer observer;
    frocc__channel *channels;
    frocc__absorber absorber;
    frocc__gatherer gatherer;
} parts;

static parts *parts_new(frocc_frame *frame, float epsilon) {
    parts *p = NEW(parts, 1);
    p->frame = frame;
    check_ok(frocc__observer_new(frame->n_directions, epsilon, frame->kernels, TEAM, &p->observer));
    check_ok(frocc__channels_new(frame, TEAM, TEAM, &p->channels));
    check_ok(frocc__absorber_new(frame, &p->observer, p->channels, TEAM, &p->absorber));
    p->gatherer = frocc__gatherer_of(frame, &p->observer, p->channels, TEAM);
    return p;
}

static void parts_free(parts *p) {
    frocc__gatherer_free(&p->gatherer);
    frocc__absorber_free(&p->absorber);
    frocc__channels_free(p->channels, TEAM);
    frocc__observer_free(&p->observer);
    free(p);
}

/* Some rows, a stripe at a time, as the first ones go. */
static void absorb(parts *p, const frocc_rows *rows, size_t first, size_t end) {
    const size_t step = frocc__stripe_rows(p->frame, rows);
    for (size_t count; first < end; first += count) {
        count = FROCC_MIN(step, end - first);
        check_ok(frocc__observer_reserve(&p->observer, count));
        check_ok(frocc__stripe_begin(p->frame, rows, first, count, NULL, p->absorber.stripe));
        check(frocc__absorb_pack(&p->absorber, rows, TEAM) == SIZE_MAX, "all rows are usable");
        check(frocc__absorb(&p->absorber, (frocc__fetching){0}, TEAM), "all values are numbers");
        p->observer.sketch.n_rows += count;
    }
}

static size_t gather(parts *p, const frocc_rows *rows, size_t first) {
    size_t count = 77;
    check_ok(frocc__gather(&p->gatherer, rows, first, TEAM, &count));
    p->observer.sketch.n_rows += count;
    return count;
}

static void check_same_observers(const frocc__observer *a, const frocc__observer *b,
                                 const char *what) {
    const frocc__sketch *x = &a->sketch, *y = &b->sketch;
    check(x->n_rows == y->n_rows, "%s: %llu and %llu rows", what, (unsigned long long)x->n_rows,
          (unsigned long long)y->n_rows);
    for (size_t slot = 0; slot < x->n_slots; slot++) {
        const size_t count = x->count[slot];
        check(count == y->count[slot], "%s: %zu and %u intervals", what, count, y->count[slot]);
        check(memcmp(frocc__slot(x, slot), frocc__slot(y, slot), count * sizeof(frocc__interval)) ==
                  0,
              "%s: intervals of slot %zu differ", what, slot);
    }
}

static void check_same_sketches(const parts *a, const parts *b, const char *what) {
    check_same_observers(&a->observer, &b->observer, what);
}

/* A frame for rows that are gathered: not too many directions for its columns. */
typedef struct fixture {
    setup s;
    data x;
    frocc_frame *frame;
    parts *whole, *some; /* the same frame twice */
} fixture;

static void fixture_init(fixture *f, rng *r, frocc_kernel kernel, shape what, size_t n) {
    const size_t d = rng_size(r, 12, 40), m = rng_size(r, 9, 8 * d);
    f->x = data_new(r, n, d, what, true);
    setup_init(r, &f->s, kernel, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, m, d);
    f->s.params.epsilon = (float)rng_between(r, 0.2, 0.3);
    f->s.params.calibration_rows = 0;
    f->frame = frame_of(&f->s.params, &f->x);
    check(frocc__gathers(f->frame, TEAM), "nothing would be gathered");
    f->whole = parts_new(f->frame, f->s.params.epsilon);
    f->some = parts_new(f->frame, f->s.params.epsilon);
}

static void fixture_free(fixture *f) {
    parts_free(f->whole);
    parts_free(f->some);
    frocc_frame_free(f->frame);
    setup_free(&f->s);
    data_free(&f->x);
}

/* ---- The same sketch --------------------------------------------------------------------------
 */

static void stretch(data *x, size_t row, float by) {
    for (size_t i = row * x->d; i < (row + 1) * x->d; i++)
        x->f64[i] = (double)(x->f32[i] *= by);
}

/* Rows with news all the way: the later, the further out. */
static void let_grow(data *x) {
    for (size_t i = 0; i < x->n; i++)
        stretch(x, i, 1.0f + (float)i / (float)x->n);
}

static void gathered_rows_change_no_bit(void) {
    const size_t n = (size_t)check_cases(5500, 4400);
    for (uint64_t seed = 0; seed < (uint64_t)check_cases(60, 11); seed++) {
        rng r = rng_seed(check_state.seed = 2100000 + seed);
        fixture f;
        fixture_init(&f, &r, (frocc_kernel)(seed % KERNELS), (shape)(seed % SHAPE_COUNT), n);
        size_t at = rng_size(&r, 1000, 1100);
        if (rng_chance(&r, 3))
            let_grow(&f.x);
        stretch(&f.x, at, 2.0f); /* the first one that is gathered */
        csr sparse = csr_new(&r, &f.x);
        frocc_rows views[] = {
            data_rows(&f.x), frocc_rows_f32(f.x.f32, n, f.x.d),
            frocc_rows_csr(FROCC_F64, sparse.f64, sparse.row_start, sparse.columns, n, f.x.d)};
        const frocc_rows *rows = &views[rng_below(&r, 3)];
        absorb(f.whole, rows, 0, n);
        absorb(f.some, rows, 0, at);
        const frocc_rows half = frocc__rows_part(rows, 0, n - 1600); /* copies are made twice */
        at += gather(f.some, &half, at);
        check(at == half.n_rows, "only %zu were gathered", at);
        at += gather(f.some, rows, at);
        check(at == n, "only %zu were gathered", at);
        check_same_sketches(f.whole, f.some, "absorbed and gathered");
        csr_free(&sparse);
        fixture_free(&f);
    }
}

/* A sketch of a few intervals makes room for more. */
static void there_is_room_for_more_intervals(void) {
    rng r = rng_seed(check_state.seed = 2150000);
    fixture f;
    fixture_init(&f, &r, FROCC_KERNEL_LINEAR, SHAPE_EQUAL, 3000);
    for (size_t i = 1000; i < 3000; i++)
        stretch(&f.x, i, i % 50 == 0 ? (float)(i / 50 % 4 + 1) : 1.0f);
    frocc_rows rows = data_rows(&f.x);
    for (size_t i = 0; i < 1000; i++) /* so that no more room is taken than for one each time */
        absorb(f.some, &rows, i, i + 1);
    check(gather(f.some, &rows, 1000) > 0, "nothing was gathered");
    absorb(f.whole, &rows, 0, (size_t)f.some->observer.sketch.n_rows);
    check(frocc__sketch_largest(&f.some->observer.sketch) > 2, "there are %zu intervals",
          frocc__sketch_largest(&f.some->observer.sketch));
    check_same_sketches(f.whole, f.some, "few intervals and then more");
    fixture_free(&f);
}

/* Lets all slots of an observer of one block have some values: its first ones, or more. */
static void observe_values(frocc__observer *observer, const float *values, size_t count) {
    _Alignas(FROCC_LINE) float tile_values[FROCC_TILE] = {0};
    for (size_t i = 0; i < FROCC_BLOCK * count; i++)
        tile_values[i / count * FROCC_PANEL + i % count] = values[i % count];
    const frocc__tile tile = {.values = tile_values,
                              .stride = FROCC_PANEL,
                              .n_rows = count,
                              .rows = ((frocc__row_mask)1 << count) - 1,
                              .n_directions = FROCC_BLOCK};
    size_t new_values;
    if (frocc__wants_batch(observer, 0, 0)) {
        frocc__batch_collect(observer, &tile, 0, 0);
        check(frocc__batch_observe(observer, 0, count, 0), "all are numbers");
    } else {
        check(frocc__observe(observer, &tile, &new_values), "all are numbers");
    }
}

/* A sketch that two copies share: [0, 1] is its widest interval, and 3 is alone. */
typedef struct sharing {
    frocc__observer all, one, two, together;
    float known_lo[FROCC_BLOCK], known_hi[FROCC_BLOCK];
} sharing;

static void sharing_init(sharing *s) {
    const frocc__kernels *kernels = frocc__kernels_best();
    const float first[] = {0.0f, 0.25f, 0.5f, 0.75f, 1.0f, 3.0f};
    frocc__observer *observers[] = {&s->all, &s->together};
    for (int i = 0; i < 2; i++) {
        check_ok(frocc__observer_new(FROCC_BLOCK, 0.1f, kernels, 1, observers[i]));
        check_ok(frocc__observer_reserve(observers[i], 100));
        observe_values(observers[i], first, 6);
    }
    s->one = s->two = (frocc__observer){0};
    check_ok(frocc__observer_like(&s->together, &s->one));
    check_ok(frocc__observer_like(&s->together, &s->two));
    frocc__observer_copy(&s->together, &s->one);
    frocc__observer_copy(&s->together, &s->two);
    memcpy(s->known_lo, s->together.filter.wide_lo, sizeof s->known_lo);
    memcpy(s->known_hi, s->together.filter.wide_hi, sizeof s->known_hi);
}

static void learn(sharing *s, frocc__observer *copy, const float *values, size_t count) {
    observe_values(copy, values, count);
    observe_values(&s->all, values, count);
}

static void share(sharing *s, frocc__observer *copy, const float *values, size_t count) {
    learn(s, copy, values, count);
    frocc__filter_share(&copy->filter, FROCC_BLOCK, s->known_lo, s->known_hi);
}

static void sharing_end(sharing *s) {
    frocc__observer_join(&s->together, &s->one, 0, 0);
    frocc__observer_join(&s->together, &s->two, 0, 0);
    check_same_observers(&s->all, &s->together, "without copies and with them");
    frocc__observer_free(&s->all);
    frocc__observer_free(&s->one);
    frocc__observer_free(&s->two);
    frocc__observer_free(&s->together);
}

static void check_widest(const frocc__observer *copy, float lo, float hi) {
    for (size_t slot = 0; slot < FROCC_BLOCK; slot++)
        check(copy->filter.wide_lo[slot] == lo && copy->filter.wide_hi[slot] == hi,
              "[%g, %g] is known", (double)copy->filter.wide_lo[slot],
              (double)copy->filter.wide_hi[slot]);
}

/* A copy knows what another has learnt, and keeps it when its own interval grows. */
static void copies_tell_each_other(void) {
    sharing s;
    sharing_init(&s);
    share(&s, &s.one, (const float[]){1.2f, 1.3f}, 2);
    share(&s, &s.two, (const float[]){0.5f}, 1);
    check_widest(&s.two, 0.0f, 1.3f);
    learn(&s, &s.two, (const float[]){-0.2f}, 1); /* its own one is narrower */
    check_widest(&s.two, -0.2f, 1.3f);
    learn(&s, &s.two, (const float[]){-0.4f}, 1); /* and wider */
    check_widest(&s.two, -0.4f, 1.3f);
    share(&s, &s.two, (const float[]){0.5f}, 1);
    share(&s, &s.one, (const float[]){0.5f}, 1);
    check_widest(&s.one, -0.4f, 1.3f);
    sharing_end(&s);
}

/* Widest intervals that do not meet hold nothing together: 2 lies between them, and is new. */
static void copies_know_no_gaps(void) {
    sharing s;
    sharing_init(&s);
    share(&s, &s.one, (const float[]){3.2f, 3.4f, 3.6f, 3.8f, 4.0f, 4.2f, 4.4f}, 7);
    check_widest(&s.one, 3.0f, 4.4f);
    share(&s, &s.two, (const float[]){-0.1f}, 1);
    check_widest(&s.two, -0.1f, 1.0f);
    check(s.known_lo[0] == 3.0f && s.known_hi[0] == 4.4f, "the wider one is known");
    share(&s, &s.two, (const float[]){2.0f}, 1);
    share(&s, &s.one, (const float[]){0.5f}, 1);
    sharing_end(&s);
}

/* The same through the front door, in pieces of any size. */
static void threads_change_no_bit(void) {
    const size_t n = (size_t)check_cases(6000, 4000);
    for (uint64_t seed = 0; seed < (uint64_t)check_cases(30, 5); seed++) {
        rng r = rng_seed(check_state.seed = 2200000 + seed);
        fixture f;
        fixture_init(&f, &r, (frocc_kernel)(seed % KERNELS), (shape)(seed % SHAPE_COUNT), n);
        f.s.params.calibration_rows = rng_chance(&r, 4) ? 50 : 0;
        frocc_fitter *one = fitter_of(f.frame, &f.s.params);
        f.s.params.threads = 2 + (int)rng_below(&r, 2);
        frocc_fitter *many = fitter_of(f.frame, &f.s.params);
        fitter_take(one, &f.x, 0, n);
        for (size_t at = 0, count; at < n; at += count) {
            count = rng_size(&r, 1, n - at);
            fitter_take(many, &f.x, at, count);
        }
        check_same_fitters(one, many, "one thread and several");
        frocc_fitter_free(one);
        frocc_fitter_free(many);
        fixture_free(&f);
    }
}

/* ---- Not at all -------------------------------------------------------------------------------
 */

static void few_rows_are_not_gathered(void) {
    rng r = rng_seed(2300000);
    fixture f;
    fixture_init(&f, &r, FROCC_KERNEL_LINEAR, SHAPE_BLOB, 3000);
    frocc_rows rows = data_rows(&f.x);
    check(gather(f.some, &rows, 0) == 0, "there is no sketch to copy");
    absorb(f.some, &rows, 0, 200);
    check(gather(f.some, &rows, 200) == 0, "the sketch has seen too little");
    absorb(f.some, &rows, 200, 1000);
    check(gather(f.some, &rows, 2990) == 0, "it is not worth it");
    check(gather(f.some, &rows, 1000) > 0, "it is worth it");
    fixture_free(&f);
}

/* Copies of a sketch that may have very many intervals would be too large. */
static void large_sketches_are_not_copied(void) {
    rng r = rng_seed(2350000);
    fixture f;
    fixture_init(&f, &r, FROCC_KERNEL_LINEAR, SHAPE_BLOB, 3000);
    frocc_rows rows = data_rows(&f.x);
    absorb(f.some, &rows, 0, 1000);
    f.some->observer.sketch.epsilon = 1e-6f;
    f.some->observer.sketch.n_rows = 1000000000;
    check(gather(f.some, &rows, 1000) == 0, "copies are too large");
    fixture_free(&f);
}

/* They are tried again only when all of them come again; and what was given up leaves no trace. */
static void unusable_rows_are_not_gathered(void) {
    for (uint64_t seed = 0; seed < 6; seed++) {
        rng r = rng_seed(check_state.seed = 2400000 + seed);
        fixture f;
        fixture_init(&f, &r, FROCC_KERNEL_LINEAR, SHAPE_CLUSTERS, 3000);
        frocc_rows rows = data_rows(&f.x);
        absorb(f.whole, &rows, 0, 1000);
        absorb(f.some, &rows, 0, 1000);
        for (size_t i = 1000; i < 1500; i++)
            stretch(&f.x, i, 0.1f * (float)(i % 50));
        f.x.f64[2960 * f.x.d + 3] = NAN;
        check(gather(f.some, &rows, 1000) == 0, "a row was not usable");
        check_same_sketches(f.whole, f.some, "a sketch after an unusable row");
        memcpy(f.x.f64 + 1000 * f.x.d, f.x.f64, 1990 * f.x.d / 2 * sizeof(double));
        f.x.f64[2960 * f.x.d + 3] = 0.0;
        stretch(&f.x, 1600, 1.5f);
        check(gather(f.some, &rows, 1000) == 0, "it is tried again at once");
        f.some->gatherer.gave_up = false;
        check(gather(f.some, &rows, 1000) > 0, "nothing was gathered");
        absorb(f.whole, &rows, 1000, (size_t)f.some->observer.sketch.n_rows);
        check_same_sketches(f.whole, f.some, "a sketch after another try");
        fixture_free(&f);
    }
}

static float sometimes_nan(void *context, const float *row, const float *direction, size_t d) {
    return row[0] > 1e6f ? NAN : city_block(context, row, direction, d);
}

static void nan_is_not_gathered(void) {
    rng r = rng_seed(2500000);
    fixture f;
    fixture_init(&f, &r, FROCC_KERNEL_CUSTOM, SHAPE_BLOB, 3000);
    f.frame->kernel_fn = sometimes_nan;
    frocc_rows rows = data_rows(&f.x);
    absorb(f.whole, &rows, 0, 1000);
    absorb(f.some, &rows, 0, 1000);
    f.x.f64[2000 * f.x.d] = 2e6;
    check(gather(f.some, &rows, 1000) == 0, "a value was not a number");
    check_same_sketches(f.whole, f.some, "a sketch after NaN");
    fixture_free(&f);
}

/* ---- Memory -----------------------------------------------------------------------------------
 */

static fixture at;

#define FIRST_ROWS 1100 /* enough for a sketch that is copied */

/* A fitter that ran out of memory holds what it counts, and can go on. */
static frocc_status op_gather(void) {
    frocc_fitter *fitter = UNTOUCHED, *other = fitter_of(at.frame, &at.s.params);
    frocc_rows first = data_part(&at.x, 0, FIRST_ROWS),
               rest = data_part(&at.x, FIRST_ROWS, at.x.n - FIRST_ROWS);
    arm();
    frocc_status status = frocc_fitter_new(at.frame, &at.s.params, &fitter);
    if (status == FROCC_OK)
        status = frocc_fitter_add(fitter, &first);
    if (status == FROCC_OK)
        status = frocc_fitter_add(fitter, &rest);
    disarm();
    if (fitter != UNTOUCHED) {
        const size_t held = (size_t)frocc_fitter_rows(fitter);
        fitter_take(fitter, &at.x, held, at.x.n - held);
        fitter_take(other, &at.x, 0, at.x.n);
        check_same_fitters(other, fitter, "a fitter that went on");
        frocc_fitter_free(fitter);
    }
    frocc_fitter_free(other);
    return status;
}

static void memory_may_run_out(void) {
    rng r = rng_seed(2600000);
    fixture_init(&at, &r, FROCC_KERNEL_LINEAR, SHAPE_BLOB, 3000);
    at.s.params.threads = TEAM;
    const frocc_rows rows = data_rows(&at.x);
    absorb(at.some, &rows, 0, FIRST_ROWS);
    check(gather(at.some, &rows, FIRST_ROWS) > 0, "nothing is gathered");
    check(fail_each("gathering", op_gather) > 10, "a fitter takes memory");
    fixture_free(&at);
}

int main(void) {
    count_allocations();
    RUN(gathered_rows_change_no_bit);
    RUN(there_is_room_for_more_intervals);
    RUN(copies_tell_each_other);
    RUN(copies_know_no_gaps);
    RUN(threads_change_no_bit);
    RUN(few_rows_are_not_gathered);
    RUN(large_sketches_are_not_copied);
    RUN(unusable_rows_are_not_gathered);
    RUN(nan_is_not_gathered);
    RUN(memory_may_run_out);
    return check_end();
}
