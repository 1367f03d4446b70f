/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same fit in two ways, and by the oracle. Bytes choose parameters, the shape of the rows and
 * single values in them. One fit is by the reference kernels, on one thread, in one go; the other
 * by kernels of another level, on several threads, from parts that are merged in another order.
 * Models must be the same bytes, scores the same bits, and both what the definitions in
 * tests/oracle.c say.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "bounded.h"
#include "closeness.h"

/* ---- Any level in one process: the linker puts this in place of the choice ------------------- */

frocc__level __real_frocc__cpu_level(void);
frocc__level __wrap_frocc__cpu_level(void);
static frocc__level wanted = FROCC__REF;

frocc__level __wrap_frocc__cpu_level(void) {
    const frocc__level best = __real_frocc__cpu_level();
    return wanted < best ? wanted : best;
}

/* ---- The case -------------------------------------------------------------------------------- */

typedef struct bytes {
    const uint8_t *data;
    size_t left;
} bytes;

static unsigned take(bytes *in) {
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->data++;
}

typedef struct way {
    frocc__level level;
    int threads;
    size_t parts;
} way;

/* Values that the input names, at places that it names. */
static void overwrite(bytes *in, data *x) {
    while (in->left >= 6 && x->n * x->d > 0) {
        const size_t at = (take(in) << 8 | take(in)) % (x->n * x->d);
        uint32_t bits = 0;
        float value;
        for (int i = 0; i < 4; i++)
            bits = bits << 8 | take(in);
        memcpy(&value, &bits, sizeof value);
        if (fabsf(value) <= 0x1p87f) { /* what is refused is for fuzz_fit */
            x->f32[at] = value;
            x->f64[at] = (double)value;
        }
    }
}

static frocc_status frame_of_parts(const frocc_params *params, const data *x, size_t parts,
                                   frocc_frame **frame) {
    frocc_sample *all = NULL;
    HOLDS(frocc_sample_new(params, x->d, &all) == FROCC_OK);
    for (size_t p = parts; p-- > 0;) {
        const size_t first = x->n * p / parts, end = x->n * (p + 1) / parts;
        frocc_rows rows = data_part(x, first, end - first);
        HOLDS(frocc_sample_add(all, &rows) == FROCC_OK);
    }
    const frocc_status status = frocc_frame_new(params, x->d, all, frame);
    frocc_sample_free(all);
    return status;
}

/* The model, or NULL where no frame can be learnt from the rows. */
static frocc_model *fit_by(const way *how, frocc_params params, const data *x) {
    frocc_frame *frame = NULL;
    frocc_fitter *into = NULL;
    frocc_model *model = NULL;
    wanted = how->level;
    params.threads = how->threads;
    if (frame_of_parts(&params, x, how->parts, &frame) != FROCC_OK)
        return NULL;
    HOLDS(frocc_fitter_new(frame, &params, &into) == FROCC_OK);
    for (size_t p = how->parts; p-- > 0;) {
        const size_t first = x->n * p / how->parts, end = x->n * (p + 1) / how->parts;
        frocc_fitter *part = NULL;
        frocc_rows rows = data_part(x, first, end - first);
        HOLDS(frocc_fitter_new(frame, &params, &part) == FROCC_OK);
        HOLDS(frocc_fitter_add(part, &rows) == FROCC_OK);
        HOLDS(frocc_fitter_merge(into, part) == FROCC_OK);
        frocc_fitter_free(part);
    }
    HOLDS(frocc_fitter_finish(into, &model) == FROCC_OK);
    frocc_fitter_free(into);
    frocc_frame_free(frame);
    return model;
}

static double *scores_by(const way *how, const frocc_model *model, const data *q) {
    double *scores = NEW(double, q->n);
    frocc_scorer *scorer = NULL;
    const size_t parts = how->parts;
    HOLDS(frocc_scorer_new(model, how->threads, &scorer) == FROCC_OK);
    for (size_t p = 0; p < parts; p++) {
        const size_t first = q->n * p / parts, end = q->n * (p + 1) / parts;
        frocc_rows rows = data_part(q, first, end - first);
        HOLDS(frocc_scorer_score(scorer, &rows, scores + first) == FROCC_OK);
    }
    frocc_scorer_free(scorer);
    return scores;
}

/* ---- The definitions ------------------------------------------------------------------------- */

static void agreement_is_the_oracles(const setup *s, const frocc_model *model, const data *x,
                                     const data *q, const double *scores) {
    frocc_frame *frame = frocc_model_frame(model);
    oracle *o = oracle_new(&s->params, frame);
    const size_t m = frocc_frame_directions(frame);
    HOLDS(o != NULL);
    float *values = NEW(float, m), *column = NEW(float, x->n), *table = NEW(float, x->n *m);
    float *lower = NEW(float, x->n), *upper = NEW(float, x->n), *asked = NEW(float, q->n *m);
    uint32_t *accepted = NEW(uint32_t, q->n);
    for (size_t r = 0; r < x->n; r++)
        oracle_values(o, x->f64 + r * x->d, table + r * m);
    for (size_t r = 0; r < q->n; r++)
        oracle_values(o, q->f64 + r * q->d, asked + r * m);
    for (size_t i = 0; i < m; i++) {
        for (size_t r = 0; r < x->n; r++)
            column[r] = table[r * m + i];
        const size_t count = oracle_intervals(column, x->n, s->params.epsilon, lower, upper);
        size_t ours = 0;
        HOLDS(frocc_model_intervals(model, i, NULL, NULL, 0, &ours) == FROCC_OK);
        HOLDS(ours == count);
        for (size_t r = 0; r < q->n; r++)
            accepted[r] += oracle_member(lower, upper, count, asked[r * m + i]);
    }
    for (size_t r = 0; r < q->n; r++)
        HOLDS(scores[r] == (double)accepted[r] / (double)m);
    oracle_free(o);
    frocc_frame_free(frame);
    free(values);
    free(column);
    free(table);
    free(lower);
    free(upper);
    free(asked);
    free(accepted);
}

static void closeness_is_the_oracles(const frocc_model *model, const data *x, const data *q,
                                     const double *scores) {
    oracle_rows learnt = oracle_rows_of(model, x);
    oracle_queries asked = oracle_queries_of(model, q);
    for (size_t r = 0; r < q->n; r++) {
        oracle_row row = oracle_query(&asked, r);
        HOLDS(scores[r] == oracle_closeness(&learnt, ORACLE_NONE, &row));
    }
    oracle_queries_free(&asked);
    oracle_rows_free(&learnt);
}

/* ---- Both ways ------------------------------------------------------------------------------- */

static void compare(const setup *s, const data *x, const data *q, const way *other) {
    static const way plain = {FROCC__REF, 1, 1};
    frocc_model *model = fit_by(&plain, s->params, x), *again = fit_by(other, s->params, x);
    HOLDS((model == NULL) == (again == NULL));
    if (model == NULL)
        return;
    check_same(model, again, "another level, threads and split");
    double *scores = scores_by(&plain, model, q), *too = scores_by(other, again, q);
    HOLDS(memcmp(scores, too, q->n * sizeof *scores) == 0);
    wanted = FROCC__REF;
    if (s->params.score == FROCC_SCORE_CLOSENESS)
        closeness_is_the_oracles(model, x, q, scores);
    else if (s->params.scaling != FROCC_SCALING_ASINH) /* the frame does not tell how it bends */
        agreement_is_the_oracles(s, model, x, q, scores);
    free(scores);
    free(too);
    frocc_model_free(model);
    frocc_model_free(again);
}

static void try_case(bytes in) {
    setup s;
    const frocc_kernel kernel = (frocc_kernel)(take(&in) % KERNELS);
    const frocc_scaling scaling = (frocc_scaling)(take(&in) % SCALINGS);
    const frocc_family family = (frocc_family)(take(&in) % FAMILIES);
    const shape what = (shape)(take(&in) % SHAPE_COUNT);
    const unsigned n = 1 + take(&in) % 120, d = 1 + take(&in) % 40, m = 1 + take(&in) % 40;
    const unsigned how = take(&in), parts = 1 + take(&in) % 9;
    const way other = {(frocc__level)(how / 4 % (FROCC__AVX512 + 1)), 1 + (int)(how % 4), parts};
    if (!is_possible(scaling, family))
        return;
    rng r = rng_seed((uint64_t)take(&in) << 8 | take(&in));
    data x = data_new(&r, how == 255 ? n * 8 : n, d, what, true);
    setup_init(&r, &s, kernel, scaling, family, m, d);
    if (take(&in) % 2 == 0)
        setup_closeness(&r, &s);
    overwrite(&in, &x);
    data q = rows_between(&r, &x, 8);
    compare(&s, &x, &q, &other);
    data_free(&q);
    data_free(&x);
    setup_free(&s);
}

static void try_input(const uint8_t *given, size_t size) {
    static bytes in;
    in = (bytes){given, size};
    if (setjmp(check_state.end) != 0) /* a check of the helpers failed */
        abort();
    try_case(in);
}
