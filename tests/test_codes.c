/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of codes and numbers: the laws by bytes, a row left out as if it had not been counted, more
 * codes than a tally tells apart, and what was counted damaged.
 */
#include "calibrated.h"
#include "codes.h"
#include "model/model.h"
#include "use_all.h"

static frocc_params coded_params(const frocc_schema *schema) {
    frocc_params p;
    frocc_params_init(&p);
    p.n_directions = 48;
    p.n_trees = 3;
    p.threads = 1;
    p.schema = schema;
    return p;
}

/* A frame of the rows, whatever order they come in. */
static frocc_frame *coded_frame(const frocc_params *p, const data *x) {
    frocc_sample *sample = NULL;
    frocc_frame *frame = NULL;
    const frocc_rows rows = data_rows(x);
    check_ok(frocc_sample_new(p, x->d, &sample));
    check_ok(frocc_sample_add(sample, &rows));
    check_ok(frocc_frame_new(p, x->d, sample, &frame));
    frocc_sample_free(sample);
    return frame;
}

/* ---- Laws ------------------------------------------------------------------------------------ */

static void other_orders(rng *r, const frocc_params *p, const data *x, const frocc_model *whole) {
    size_t *order = NEW(size_t, x->n);
    for (int i = 0; i < 3; i++) {
        rng_shuffle(r, order, x->n);
        data y = data_reordered(x, order);
        frocc_model *model = fit(p, &y);
        check_same(whole, model, "rows in another order");
        frocc_model_free(model);
        data_free(&y);
    }
    free(order);
}

static void other_threads(const frocc_params *p, const data *x, const frocc_model *whole) {
    frocc_params q = *p;
    for (q.threads = 2; q.threads <= 4; q.threads++) {
        frocc_model *model = fit(&q, x);
        check_same(whole, model, "another number of threads");
        frocc_model_free(model);
    }
}

/* Fitters of parts merge in random order, and so do models of them. */
static void parts_merge(rng *r, const frocc_params *p, const data *x, const frocc_model *whole) {
    enum { PARTS = 5 };
    frocc_frame *frame = coded_frame(p, x);
    frocc_fitter *fitters[PARTS];
    frocc_model *models[PARTS], *merged = NULL;
    size_t at = 0;
    for (size_t i = 0; i < PARTS; i++) {
        const size_t end = i + 1 == PARTS ? x->n : at + 1 + rng_below(r, x->n / PARTS);
        fitters[i] = fitter_of(frame, p);
        fitter_take(fitters[i], x, at, end - at);
        models[i] = finish(fitters[i]);
        at = end;
    }
    const frocc_model *listed[PARTS] = {models[3], models[0], models[4], models[2], models[1]};
    check_ok(frocc_model_merge(listed, PARTS, &merged));
    check_same(whole, merged, "models of parts");
    frocc_model_free(merged);
    for (size_t left = PARTS; left > 1; left--) {
        const size_t into = rng_below(r, left - 1);
        check_ok(frocc_fitter_merge(fitters[into], fitters[left - 1]));
        frocc_fitter_free(fitters[left - 1]);
    }
    merged = finish(fitters[0]);
    check_same(whole, merged, "fitters of parts");
    frocc_model_free(merged);
    frocc_fitter_free(fitters[0]);
    for (size_t i = 0; i < PARTS; i++)
        frocc_model_free(models[i]);
    frocc_frame_free(frame);
}

static void saves_and_loads(const frocc_model *whole, const data *x) {
    blob bytes = blob_of(whole);
    frocc_model *loaded = NULL;
    const frocc_model *twice[] = {whole, whole}, *mixed[] = {NULL, whole};
    frocc_model *a = NULL, *b = NULL;
    check_ok(frocc_model_from_bytes(bytes.bytes, bytes.size, NULL, &loaded));
    check_same(whole, loaded, "saved and loaded");
    mixed[0] = loaded;
    check_ok(frocc_model_merge(twice, 2, &a));
    check_ok(frocc_model_merge(mixed, 2, &b));
    check_same(a, b, "merged with a loaded model");
    double *scores = scores_of(whole, x), *again = scores_of(loaded, x);
    check(memcmp(scores, again, x->n * sizeof *scores) == 0, "a loaded model scores otherwise");
    free(scores);
    free(again);
    frocc_model_free(a);
    frocc_model_free(b);
    frocc_model_free(loaded);
    blob_free(&bytes);
}

static void laws_by_bytes(void) {
    const size_t sizes[] = {20, 300, 2500};
    for (size_t i = 0; i < (check_quick() ? 2 : 3); i++) {
        rng r = rng_seed(1410000 + i);
        frocc_schema *schema = schema_of(CODED);
        data x = coded_rows(&r, sizes[i]);
        frocc_params p = coded_params(schema);
        p.contamination = i == 1 ? 0.1 : 0;
        frocc_model *whole = fit(&p, &x);
        other_orders(&r, &p, &x, whole);
        other_threads(&p, &x, whole);
        parts_merge(&r, &p, &x, whole);
        saves_and_loads(whole, &x);
        frocc_model_free(whole);
        data_free(&x);
        frocc_schema_free(schema);
    }
}

/* ---- Left out -------------------------------------------------------------------------------- */

/* Each row scores as in a model of all others in the same frame, to the last bit. */
static void check_left_out(const char *kinds, const data *x, const char *what) {
    frocc_schema *schema = schema_of(kinds);
    const frocc_params p = coded_params(schema);
    frocc_frame *frame = coded_frame(&p, x);
    frocc_fitter *all = fitter_of(frame, &p);
    fitter_take(all, x, 0, x->n);
    frocc_model *model = finish(all);
    frocc_scorer *scorer = NULL;
    const frocc_rows rows = data_rows(x);
    double *scores = NEW(double, x->n);
    check_ok(frocc_scorer_new(model, 1, &scorer));
    check_ok(frocc_scorer_score_left_out(scorer, &rows, scores));
    for (size_t i = 0; i < x->n; i++) {
        frocc_fitter *others = fitter_of(frame, &p);
        if (i > 0)
            fitter_take(others, x, 0, i);
        if (i + 1 < x->n)
            fitter_take(others, x, i + 1, x->n - i - 1);
        frocc_model *without = finish(others);
        double *alone = scores_of(without, x);
        check(alone[i] == scores[i], "%s: row %zu has %.17g left out, %.17g by a model without it",
              what, i, scores[i], alone[i]);
        free(alone);
        frocc_model_free(without);
        frocc_fitter_free(others);
    }
    free(scores);
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    frocc_fitter_free(all);
    frocc_frame_free(frame);
    frocc_schema_free(schema);
}

static data columns_of(const data *x, const size_t *columns, size_t d) {
    data y = {x->n, d, NEW(double, x->n *d), NEW(float, x->n *d)};
    for (size_t i = 0; i < x->n * d; i++) {
        y.f64[i] = x->f64[i / d * x->d + columns[i % d]];
        y.f32[i] = (float)y.f64[i];
    }
    return y;
}

static void codes_alone_left_out(void) {
    static const size_t texts[] = {1, 3, 4};
    rng r = rng_seed(1420000);
    data x = coded_rows(&r, check_quick() ? 60 : 200), codes = columns_of(&x, texts, 3);
    check_left_out("ttt", &codes, "codes alone");
    data_free(&codes);
    data_free(&x);
}

/* With numbers, too, where no grid is another one without the row: each row is there twice. */
static void codes_and_numbers_left_out(void) {
    rng r = rng_seed(1421000);
    data x = coded_rows(&r, check_quick() ? 60 : 200);
    for (size_t i = 1; i < x.n; i += 2) {
        memcpy(x.f64 + i * x.d, x.f64 + (i - 1) * x.d, x.d * sizeof *x.f64);
        memcpy(x.f32 + i * x.d, x.f32 + (i - 1) * x.d, x.d * sizeof *x.f32);
    }
    check_left_out(CODED, &x, "codes and numbers");
    data_free(&x);
}

/* ---- Many codes ------------------------------------------------------------------------------ */

/* More codes than a tally tells apart are the same bytes in any order and split. */
static void too_many_codes(void) {
    rng r = rng_seed(1430000);
    frocc_schema *schema = schema_of(CODED);
    data x = coded_rows(&r, 3 * FROCC_MOST_TALLIED);
    frocc_params p = coded_params(schema);
    p.n_directions = 4;
    p.n_trees = 0;
    frocc_model *whole = fit(&p, &x);
    const frocc__code_tally *tallies = whole->evidence.codes.codes.tallies;
    check(tallies[0].bits == 24 && tallies[1].bits == 24, "few codes are told apart");
    check(tallies[2].bits < 24 && tallies[2].used <= FROCC_MOST_TALLIED &&
              2 * tallies[2].used > FROCC_MOST_TALLIED,
          "%u codes by %u bits", tallies[2].used, tallies[2].bits);
    other_orders(&r, &p, &x, whole);
    parts_merge(&r, &p, &x, whole);
    saves_and_loads(whole, &x);
    frocc_model_free(whole);
    data_free(&x);
    frocc_schema_free(schema);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static const frocc_load_options all_memory = {.struct_size = sizeof all_memory,
                                              .max_memory = SIZE_MAX};

/* Where the codes begin among what was counted, and how many bytes they are. */
static size_t codes_begin(const frocc_model *model, uint64_t *length) {
    frocc__bytes_in in = {model->counts, model->counts_size, false};
    frocc__extremes extremes;
    check_ok(frocc__extremes_read(&in, model->frame->columns.n_inputs, &extremes));
    frocc__extremes_free(&extremes);
    *length = frocc__get_u64(&in);
    return model->counts_size - in.left;
}

/* Loads, or not: then it saves as the same bytes, and all can be done with it. */
static bool is_taken(unsigned char *bytes, size_t size) {
    frocc_model *model = NULL;
    model_reseal(bytes, size);
    const frocc_status status = frocc_model_from_bytes(bytes, size, &all_memory, &model);
    if (status != FROCC_OK) {
        check_is(status, FROCC_ERR_FORMAT);
        return false;
    }
    blob again = blob_of(model);
    check(again.size == size && memcmp(again.bytes, bytes, size) == 0,
          "a file loads and saves as another one");
    const char *wrong = use_model(model, &all_memory);
    check(wrong == NULL, "of a mutant: %s: %s", wrong, frocc_last_error());
    blob_free(&again);
    frocc_model_free(model);
    return true;
}

/* Which bytes of the codes say what other bytes say, too: all of tallies and ranks, but which codes
 * are not known. 1 a byte. */
static unsigned char *told_twice(const frocc__codes *codes, size_t length) {
    unsigned char *told = NEW(unsigned char, length);
    size_t at = 0;
    memset(told, 0, length);
    for (size_t k = 0; k < codes->columns->n_codes; k++) {
        memset(told + at, 1, 8); /* bits, and how many codes */
        at += 8;
        for (uint32_t i = 0; i < codes->tallies[k].used; i++, at += 8)
            memset(told + at + 4, 1, 4); /* rows */
        const size_t ranked = 4 * ((size_t)codes->columns->known[k].count + 1);
        memset(told + at, 1, ranked);
        at += ranked;
    }
    check(at < length, "%zu of %zu bytes", at, length);
    return told;
}

/* What other bytes contradict does not load; where another count or code may be as good, all can be
 * done with what loads. */
static void forge(const frocc_model *model, const blob *b) {
    uint64_t length = 0, counted = 0;
    unsigned char *codes = model_section(b->bytes, b->size, "COUN", &counted);
    codes += codes_begin(model, &length);
    check(length > 100 && length < counted, "%zu of %zu bytes", (size_t)length, (size_t)counted);
    unsigned char *told = told_twice(&model->evidence.codes.codes, (size_t)length);
    size_t loads = 0;
    for (size_t at = 0; at < length; at += check_quick() ? 5 : 1)
        for (int bit = 0; bit < 8; bit += check_quick() ? 3 : 1) {
            codes[at] ^= (unsigned char)(1 << bit);
            const bool is_loaded = is_taken(b->bytes, b->size);
            check(!is_loaded || !told[at], "bit %d of byte %zu was changed, and it loads", bit, at);
            loads += is_loaded;
            codes[at] ^= (unsigned char)(1 << bit);
        }
    printf("# %zu of %zu bits of codes may be others\n", loads, (size_t)length * 8);
    check(is_taken(b->bytes, b->size), "what was not changed is refused");
    free(told);
}

static void forged_codes_are_refused(void) {
    rng r = rng_seed(1440000);
    frocc_schema *schema = schema_of(CODED);
    data x = coded_rows(&r, 60);
    const frocc_params p = coded_params(schema);
    frocc_model *model = fit(&p, &x);
    blob b = blob_of(model);
    forge(model, &b);
    blob_free(&b);
    frocc_model_free(model);
    data_free(&x);
    frocc_schema_free(schema);
}

int main(void) {
    RUN(laws_by_bytes);
    RUN(codes_alone_left_out);
    RUN(codes_and_numbers_left_out);
    RUN(too_many_codes);
    RUN(forged_codes_are_refused);
    return check_end();
}
