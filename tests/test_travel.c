/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples, frames and fitters that travel as bytes: what arrives goes on as if it had never been
 * stored, the same content is the same bytes, and bytes that are not what they were are refused.
 */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "frocc_io.h"
#include "laws.h"
#include "reseal.h"

#define UNTOUCHED ((void *)(uintptr_t)0x5a5a)

/* ---- There and back -------------------------------------------------------------------------- */

static blob blob_of_sample(const frocc_sample *sample) {
    blob b = {NULL, 0};
    check_ok(frocc_sample_to_bytes(sample, &b.bytes, &b.size));
    return b;
}

static blob blob_of_frame(const frocc_frame *frame) {
    blob b = {NULL, 0};
    check_ok(frocc_frame_to_bytes(frame, &b.bytes, &b.size));
    return b;
}

static blob blob_of_fitter(frocc_fitter *fitter) {
    blob b = {NULL, 0};
    check_ok(frocc_fitter_to_bytes(fitter, &b.bytes, &b.size));
    return b;
}

static void check_blobs(blob a, blob b, const char *what) {
    check(blob_equal(&a, &b), "%s: %zu and %zu bytes differ", what, a.size, b.size);
    blob_free(&a);
    blob_free(&b);
}

static frocc_sample *sample_sent(frocc_sample *sample) {
    frocc_sample *arrived = NULL;
    blob b = blob_of_sample(sample);
    check_ok(frocc_sample_from_bytes(b.bytes, b.size, &arrived));
    check(frocc_sample_features(arrived) == frocc_sample_features(sample), "its columns");
    frocc_sample_free(sample);
    check_blobs(b, blob_of_sample(arrived), "a sample that arrived");
    return arrived;
}

static frocc_frame *frame_sent(frocc_frame *frame, setup *s) {
    const frocc_load_options options = setup_load_options(s);
    frocc_frame *arrived = NULL;
    blob b = blob_of_frame(frame);
    check_ok(frocc_frame_from_bytes(b.bytes, b.size, &options, &arrived));
    check(frocc_frame_checksum(arrived) == frocc_frame_checksum(frame), "its checksum");
    frocc_frame_free(frame);
    check_blobs(b, blob_of_frame(arrived), "a frame that arrived");
    return arrived;
}

static frocc_fitter *fitter_sent(frocc_fitter *fitter, setup *s) {
    const frocc_load_options options = setup_load_options(s);
    const int threads = s->params.threads;
    frocc_fitter *arrived = NULL;
    blob b = blob_of_fitter(fitter);
    check_ok(frocc_fitter_from_bytes(b.bytes, b.size, &options, threads, &arrived));
    check(frocc_fitter_rows(arrived) == frocc_fitter_rows(fitter), "its rows");
    frocc_fitter_free(fitter);
    check_blobs(b, blob_of_fitter(arrived), "a fitter that arrived");
    return arrived;
}

/* ---- Laws ------------------------------------------------------------------------------------ */

static frocc_sample *sample_of_part(const setup *s, const data *x, size_t first, size_t end) {
    frocc_sample *sample = NULL;
    const frocc_rows rows = data_part(x, first, end - first);
    check_ok(frocc_sample_new(&s->params, x->d, &sample));
    if (end > first)
        check_ok(frocc_sample_add(sample, &rows));
    return sample;
}

/* Samples that were sent learn and merge like samples that were not, rows after it included. */
static void law_samples_travel(rng *r, setup *s, const data *x) {
    const size_t first = rng_below(r, x->n + 1), second = first + rng_below(r, x->n - first + 1);
    frocc_sample *a = sample_sent(sample_of_part(s, x, 0, first));
    frocc_sample *b = sample_sent(sample_of_part(s, x, first, second));
    frocc_sample *whole = sample_of_part(s, x, 0, x->n);
    const frocc_rows rest = data_part(x, second, x->n - second);
    check_ok(frocc_sample_merge(b, a));
    if (rest.n_rows > 0)
        check_ok(frocc_sample_add(b, &rest));
    check_blobs(blob_of_sample(whole), blob_of_sample(b), "samples of parts that were sent");
    if (is_learnt(&s->params)) {
        frocc_frame *frame = NULL, *expected = frame_of(&s->params, x);
        check_ok(frocc_frame_new(&s->params, x->d, b, &frame));
        check_blobs(blob_of_frame(expected), blob_of_frame(frame), "frames of samples");
        frocc_frame_free(frame);
        frocc_frame_free(expected);
    }
    frocc_sample_free(a);
    frocc_sample_free(b);
    frocc_sample_free(whole);
}

/* Parts that are sent before, between and after their rows, and merge in a random tree. */
static void law_fitters_travel(rng *r, setup *s, const data *x) {
    if (s->params.score == FROCC_SCORE_AGREEMENT)
        setup_either(r, s);
    frocc_model *whole = fit(&s->params, x);
    frocc_frame *frame = frame_sent(frame_of(&s->params, x), s);
    frocc_fitter *fitters[6], *direct = fitter_of(frame, &s->params);
    size_t parts = 1 + rng_below(r, 6);
    for (size_t i = 0, at = 0; i < parts; i++) {
        const size_t end = i + 1 == parts ? x->n : at + rng_below(r, x->n - at + 1);
        s->params.threads = 1 + (int)rng_below(r, 3);
        fitters[i] = fitter_sent(fitter_of(frame, &s->params), s);
        for (size_t step; at < end; at += step) {
            step = 1 + rng_below(r, end - at);
            fitter_take(fitters[i], x, at, step);
            if (rng_chance(r, 3))
                fitters[i] = fitter_sent(fitters[i], s);
        }
    }
    while (parts > 1) {
        size_t a = rng_below(r, parts), b = rng_below(r, parts - 1);
        b += b >= a;
        check_ok(frocc_fitter_merge(fitters[a], fitters[b]));
        frocc_fitter_free(fitters[b]);
        fitters[b] = fitters[--parts];
        const size_t sent = rng_below(r, parts);
        fitters[sent] = fitter_sent(fitters[sent], s);
    }
    frocc_model *merged = finish(fitters[0]);
    check_same(whole, merged, "parts that were sent");
    fitter_take(direct, x, 0, x->n);
    check_blobs(blob_of_fitter(direct), blob_of_fitter(fitters[0]), "the fitter of the whole");
    frocc_fitter_free(fitters[0]);
    frocc_fitter_free(direct);
    frocc_frame_free(frame);
    frocc_model_free(merged);
    frocc_model_free(whole);
}

static void samples_travel(void) {
    law_everywhere(law_samples_travel, 910000, law_small());
}

static void fitters_travel(void) {
    law_everywhere(law_fitters_travel, 920000, law_small());
}

/* The default, with rows enough that some of them calibrate and others teach. */
static void the_default_travels(void) {
    law_sizes sizes = {check_quick() ? 1500 : 4000, 9, 1, 1, SHAPE_CLUSTERS, 1200};
    rng r = rng_seed(930000);
    for (int i = 0; i < check_cases(6, 2); i++) {
        data x = data_new(&r, sizes.max_n, 1 + rng_below(&r, sizes.max_d), SHAPE_CLUSTERS, false);
        setup s = {0};
        frocc_params_init(&s.params);
        s.params.seed = rng_bits(&r);
        law_samples_travel(&r, &s, &x);
        law_fitters_travel(&r, &s, &x);
        data_free(&x);
    }
}

/* A fitter of no rows is what all parts begin with. */
static void no_rows_travel(void) {
    rng r = rng_seed(940000);
    data x = data_new(&r, 500, 4, SHAPE_BLOB, true);
    for (int paper = 0; paper < 2; paper++) {
        setup s = {0};
        (paper ? frocc_params_init_paper : frocc_params_init)(&s.params);
        frocc_frame *frame = frame_of(&s.params, &x);
        frocc_fitter *empty = fitter_sent(fitter_of(frame, &s.params), &s);
        frocc_fitter *part = fitter_sent(fitter_of(frame, &s.params), &s);
        frocc_model *model = UNTOUCHED, *whole = fit(&s.params, &x);
        check_is(frocc_fitter_finish(empty, &model), FROCC_ERR_EMPTY);
        fitter_take(part, &x, 0, x.n);
        check_ok(frocc_fitter_merge(empty, part));
        model = finish(empty);
        check_same(whole, model, "a fitter that had no rows");
        frocc_frame *again = frocc_fitter_frame(empty);
        check(frocc_frame_checksum(again) == frocc_frame_checksum(frame), "its frame");
        frocc_frame_free(again);
        frocc_frame_free(frame);
        frocc_fitter_free(empty);
        frocc_fitter_free(part);
        frocc_model_free(model);
        frocc_model_free(whole);
    }
    data_free(&x);
}

/* ---- Bytes that are not what they were ------------------------------------------------------- */

/* The bytes of one thing, and its loader, which uses what it has loaded. */
typedef struct thing {
    const char *name;
    frocc_kind kind;
    frocc_status (*load)(const void *bytes, size_t size, blob *again);
    blob bytes;
} thing;

static data some_rows(uint64_t seed) {
    rng r = rng_seed(seed);
    return data_new(&r, 40, 3, SHAPE_CLUSTERS, true);
}

/* Little memory, so that a row of what bytes claim is soon taken. */
static const frocc_load_options little = {.struct_size = sizeof little, .max_memory = 1 << 22};

static frocc_status load_sample(const void *bytes, size_t size, blob *again) {
    frocc_sample *sample = UNTOUCHED, *twin = NULL;
    const frocc_status status = frocc_sample_from_bytes(bytes, size, &sample);
    if (status != FROCC_OK) {
        check(sample == UNTOUCHED, "a failed load changed the result");
        return status;
    }
    *again = blob_of_sample(sample);
    check_ok(frocc_sample_from_bytes(bytes, size, &twin));
    const frocc_status merged = frocc_sample_merge(sample, twin);
    if (merged != FROCC_ERR_ARGUMENT) /* 2^63 rows twice are refused */
        check_ok(merged);
    frocc_sample_free(twin);
    frocc_sample_free(sample);
    return FROCC_OK;
}

static frocc_status load_frame(const void *bytes, size_t size, blob *again) {
    frocc_frame *frame = UNTOUCHED;
    const frocc_status status = frocc_frame_from_bytes(bytes, size, &little, &frame);
    if (status != FROCC_OK) {
        check(frame == UNTOUCHED, "a failed load changed the result");
        return status;
    }
    *again = blob_of_frame(frame);
    frocc_frame_free(frame);
    return FROCC_OK;
}

/* Rows, a merge, a model and bytes: none may do harm, whatever the numbers are. */
static void use_fitter(frocc_fitter *fitter, frocc_fitter *twin) {
    frocc_frame *frame = frocc_fitter_frame(fitter);
    const size_t d = frocc_frame_features(frame);
    frocc_model *model = NULL;
    blob b = {NULL, 0};
    if (d <= 1000) {
        double *values = NEW(double, 2 * d);
        for (size_t i = 0; i < 2 * d; i++)
            values[i] = (double)(i % 5);
        const frocc_rows rows = frocc_rows_f64(values, 2, d);
        (void)frocc_fitter_add(fitter, &rows); /* its scaling may be anything */
        free(values);
    }
    (void)frocc_fitter_merge(fitter, twin); /* 2^63 rows twice are refused */
    if (frocc_fitter_finish(fitter, &model) == FROCC_OK)
        frocc_model_free(model);
    if (frocc_fitter_to_bytes(fitter, &b.bytes, &b.size) == FROCC_OK)
        blob_free(&b);
    frocc_frame_free(frame);
}

static frocc_status load_fitter(const void *bytes, size_t size, blob *again) {
    frocc_fitter *fitter = UNTOUCHED, *twin = NULL;
    const frocc_status status = frocc_fitter_from_bytes(bytes, size, &little, 1, &fitter);
    if (status != FROCC_OK) {
        check(fitter == UNTOUCHED, "a failed load changed the result");
        return status;
    }
    *again = blob_of_fitter(fitter);
    check_ok(frocc_fitter_from_bytes(bytes, size, &little, 1, &twin));
    use_fitter(fitter, twin);
    frocc_fitter_free(twin);
    frocc_fitter_free(fitter);
    return FROCC_OK;
}

enum { SAMPLES = 2, FRAMES = 2, FITTERS = 5, THINGS = SAMPLES + FRAMES + FITTERS };

static void fitter_parameters(int which, frocc_params *params) {
    const bool paper = which == 0;
    (paper ? frocc_params_init_paper : frocc_params_init)(params);
    params->n_directions = which == 3 ? 6 : 2; /* held rows as prepared, and as projections */
    params->epsilon = paper ? 0.2f : 0.02f;
    params->n_trees = which == 1 || which == 4 ? 2 : 0;
    params->calibration_rows = paper ? 0 : 4;
}

static thing fitter_thing(int which) {
    data x = some_rows(950000);
    frocc_params params;
    fitter_parameters(which, &params);
    frocc_frame *frame = frame_of(&params, &x);
    frocc_fitter *fitter = fitter_of(frame, &params);
    if (which != 4) /* which has no rows */
        fitter_take(fitter, &x, 0, x.n);
    thing made = {"fitter", FROCC_KIND_FITTER, load_fitter, blob_of_fitter(fitter)};
    frocc_fitter_free(fitter);
    frocc_frame_free(frame);
    data_free(&x);
    return made;
}

static thing frame_thing(int which) {
    data x = some_rows(960000);
    frocc_params params;
    fitter_parameters(which, &params);
    frocc_frame *frame = frame_of(&params, &x);
    thing made = {"frame", FROCC_KIND_FRAME, load_frame, blob_of_frame(frame)};
    frocc_frame_free(frame);
    data_free(&x);
    return made;
}

/* Of dense rows, and of rows with few entries. */
static thing sample_thing(int which) {
    rng r = rng_seed(970000);
    data x = data_new(&r, 9, which == 0 ? 3 : 12, which == 0 ? SHAPE_BLOB : SHAPE_SPARSE, true);
    setup s = {0};
    frocc_params_init(&s.params);
    s.params.sample_rows = 7;
    frocc_sample *sample = sample_of_part(&s, &x, 0, x.n);
    thing made = {"sample", FROCC_KIND_SAMPLE, load_sample, blob_of_sample(sample)};
    frocc_sample_free(sample);
    data_free(&x);
    return made;
}

static thing thing_new(int i) {
    return i < SAMPLES            ? sample_thing(i)
           : i < SAMPLES + FRAMES ? frame_thing(i - SAMPLES)
                                  : fitter_thing(i - SAMPLES - FRAMES);
}

static void each_thing(void (*test)(thing *t)) {
    for (int i = 0; i < THINGS; i++) {
        thing t = thing_new(i);
        test(&t);
        blob_free(&t.bytes);
    }
}

static bool is_refusal(frocc_status status) {
    return status == FROCC_ERR_FORMAT || status == FROCC_ERR_VERSION;
}

static void refused(const thing *t, const void *bytes, size_t size, const char *what,
                    size_t where) {
    blob again = {NULL, 0};
    const frocc_status status = t->load(bytes, size, &again);
    check(is_refusal(status), "%s, %s %zu: %s", t->name, what, where, frocc_status_name(status));
    check(strlen(frocc_last_error()) > 10, "%s, %s %zu: no sentence", t->name, what, where);
}

/* The copy ends where the memory ends, so that a read past the end is seen by the sanitizers. */
static void cut_everywhere(thing *t) {
    for (size_t size = 0; size < t->bytes.size; size++) {
        void *copy = malloc(size ? size : 1);
        check(copy != NULL, "memory");
        memcpy(copy, t->bytes.bytes, size);
        refused(t, copy, size, "cut to", size);
        free(copy);
    }
}

static void every_length_is_refused(void) {
    each_thing(cut_everywhere);
}

static void flip_everywhere(thing *t) {
    unsigned char *bytes = t->bytes.bytes;
    for (size_t bit = 0; bit < t->bytes.size * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        refused(t, bytes, t->bytes.size, "flipped bit", bit);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

static void every_flipped_bit_is_refused(void) {
    each_thing(flip_everywhere);
}

/* Refused, or loaded as exactly what the bytes say. */
static bool survives(const thing *t, unsigned char *bytes, size_t size, size_t where) {
    blob again = {NULL, 0};
    model_reseal(bytes, size);
    const frocc_status status = t->load(bytes, size, &again);
    check(status == FROCC_OK || is_refusal(status) || status == FROCC_ERR_UNSUPPORTED ||
              status == FROCC_ERR_MEMORY,
          "%s, byte %zu: %s: %s", t->name, where, frocc_status_name(status), frocc_last_error());
    if (status != FROCC_OK)
        return false;
    const blob said = {bytes, size};
    if (t->kind == FROCC_KIND_FITTER) { /* whose numbers may have been written otherwise */
        blob twice = {NULL, 0};
        check_ok(t->load(again.bytes, again.size, &twice));
        check(blob_equal(&again, &twice), "a fitter, changed at byte %zu, never rests", where);
        blob_free(&twice);
    } else {
        check(blob_equal(&again, &said), "%s, changed at byte %zu, loads as another", t->name,
              where);
    }
    blob_free(&again);
    return true;
}

static void lie_everywhere(thing *t) {
    static const unsigned char masks[] = {1, 2, 4, 8, 16, 32, 64, 128, 255, 0x7f};
    unsigned char *copy = NEW(unsigned char, t->bytes.size);
    size_t believed = 0;
    for (size_t at = 0; at + MODEL_TAIL < t->bytes.size; at++)
        for (size_t k = 0; k < sizeof masks; k += check_quick() ? 3 : 1) {
            memcpy(copy, t->bytes.bytes, t->bytes.size);
            copy[at] ^= masks[k];
            believed += survives(t, copy, t->bytes.size, at);
        }
    check(believed > 0, "no lie about a %s was believed: is the checksum right?", t->name);
    free(copy);
}

static void one_byte_lies(void) {
    each_thing(lie_everywhere);
}

static void lie_at_random(thing *t) {
    static const uint64_t words[] = {0,          ~(uint64_t)0,       0x7fc00000,
                                     0x7f800000, 0x80000000,         0x7fffffff,
                                     1,          0x7ff8000000000000, 0x8000000000000000};
    unsigned char *copy = NEW(unsigned char, t->bytes.size);
    rng r = rng_seed(980000 + t->bytes.size);
    for (int i = 0; i < check_cases(4000, 300); i++) {
        size_t size = t->bytes.size;
        memcpy(copy, t->bytes.bytes, size);
        for (size_t k = rng_below(&r, 3) + 1; k > 0; k--) {
            const size_t at = rng_below(&r, size - MODEL_TAIL);
            const int wide = size - MODEL_TAIL - at < 8 ? 1 : rng_chance(&r, 2) ? 4 : 8;
            model_put(copy + at, words[rng_below(&r, sizeof words / sizeof *words)], wide);
        }
        if (rng_chance(&r, 8))
            size -= rng_below(&r, 40);
        (void)survives(t, copy, size, (size_t)i);
    }
    free(copy);
}

static void random_lies(void) {
    each_thing(lie_at_random);
}

/* ---- What is asked for ----------------------------------------------------------------------- */

/* Each loader names what it was given. */
static void kinds_are_told_apart(void) {
    for (int i = 0; i < THINGS; i++) {
        thing a = thing_new(i);
        frocc_kind kind = FROCC_KIND_MODEL;
        check_ok(frocc_bytes_kind(a.bytes.bytes, a.bytes.size, &kind));
        check(kind == a.kind, "the kind of a %s", a.name);
        for (int k = 0; k < THINGS; k++) {
            thing b = thing_new(k);
            blob again = {NULL, 0};
            if (a.kind != b.kind) {
                check_is(b.load(a.bytes.bytes, a.bytes.size, &again), FROCC_ERR_FORMAT);
                check(strstr(frocc_last_error(), a.name) && strstr(frocc_last_error(), b.name),
                      "'%s' does not name both", frocc_last_error());
            }
            blob_free(&b.bytes);
        }
        frocc_model *model = UNTOUCHED;
        check_is(frocc_model_from_bytes(a.bytes.bytes, a.bytes.size, NULL, &model),
                 FROCC_ERR_FORMAT);
        blob_free(&a.bytes);
    }
    frocc_kind kind = FROCC_KIND_MODEL;
    check_is(frocc_bytes_kind("not ours at all", 15, &kind), FROCC_ERR_FORMAT);
}

/* A few bytes that claim much are refused before it is taken. */
static void claims_of_memory_are_refused(void) {
    frocc_params params;
    frocc_params_init_paper(&params);
    frocc_frame *frame = NULL, *loaded = UNTOUCHED;
    check_ok(frocc_frame_new(&params, 8, NULL, &frame));
    frocc_fitter *fitter = fitter_of(frame, &params), *other = UNTOUCHED;
    blob blobs[] = {blob_of_frame(frame), blob_of_fitter(fitter)};
    for (int i = 0; i < 2; i++) {
        uint64_t length = 0;
        unsigned char *payload = model_section(blobs[i].bytes, blobs[i].size, "FRAM", &length);
        model_put(payload, (uint64_t)1 << 20, 8);
        model_put(payload + 8, (uint64_t)1 << 20, 8);
        model_reseal(blobs[i].bytes, blobs[i].size);
    }
    check_is(frocc_frame_from_bytes(blobs[0].bytes, blobs[0].size, NULL, &loaded),
             FROCC_ERR_MEMORY);
    check_is(frocc_fitter_from_bytes(blobs[1].bytes, blobs[1].size, NULL, 1, &other),
             FROCC_ERR_MEMORY);
    check(strstr(frocc_last_error(), "max_memory") != NULL, "no way out is named");
    blob_free(&blobs[0]);
    blob_free(&blobs[1]);
    frocc_fitter_free(fitter);
    frocc_frame_free(frame);
}

/* Samples know what their columns are; those of other columns do not merge, and make no frame. */
static void schemas_travel_with_samples(void) {
    static const unsigned char two_numbers[] = {2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,
                                                0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
    static const unsigned char others[] = {
        2, 0, 0, 0, FROCC_MISSING_DROP, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
    frocc_schema *schema = NULL, *other = NULL, *arrived = NULL;
    frocc_sample *with = NULL, *without = NULL;
    frocc_frame *frame = NULL;
    frocc_params params;
    const double values[] = {1, 2, 3, 5, 2, 4, 0, 1};
    const frocc_rows rows = frocc_rows_f64(values, 4, 2);
    frocc_params_init(&params);
    params.calibration_rows = 0;
    params.fpr = 0;
    check_ok(frocc_sample_new(&params, 2, &without));
    check_ok(frocc_schema_from_bytes(two_numbers, sizeof two_numbers, &schema));
    params.schema = schema;
    check_ok(frocc_sample_new(&params, 2, &with));
    check_ok(frocc_sample_add(with, &rows));
    with = sample_sent(with);
    check_is(frocc_sample_merge(with, without), FROCC_ERR_FRAME);
    check_is(frocc_sample_merge(without, with), FROCC_ERR_FRAME);
    check_ok(frocc_schema_from_bytes(others, sizeof others, &other));
    params.schema = other;
    check_is(frocc_frame_new(&params, 2, with, &frame), FROCC_ERR_FRAME);
    check(frame == NULL, "a failure changed the result");
    check_ok(frocc_sample_add(without, &rows));
    check_ok(frocc_frame_new(&params, 2, without, &frame)); /* which says nothing of columns */
    frocc_frame_free(frame);
    params.schema = schema;
    check_ok(frocc_frame_new(&params, 2, with, &frame));
    frocc_frame_free(frame);
    params.schema = NULL;
    check_ok(frocc_frame_new(&params, 2, with, &frame));
    arrived = frocc_frame_schema(frame);
    check(arrived != NULL && frocc_schema_features(arrived) == 2, "the schema of the frame");
    frocc_schema_free(arrived);
    frocc_schema_free(schema);
    frocc_schema_free(other);
    frocc_frame_free(frame);
    frocc_sample_free(with);
    frocc_sample_free(without);
}

/* A sample of the rows, in which the first one came as often as is said. */
static frocc_sample *sample_claiming(const frocc_rows *rows, uint64_t copies) {
    const size_t at = 4 * sizeof(uint64_t); /* columns, seed, size, and how many rows */
    frocc_params params;
    frocc_sample *sample = NULL;
    uint64_t length = 0;
    frocc_params_init(&params);
    check_ok(frocc_sample_new(&params, rows->n_features, &sample));
    check_ok(frocc_sample_add(sample, rows));
    blob b = blob_of_sample(sample);
    frocc_sample_free(sample);
    unsigned char *payload = model_section(b.bytes, b.size, "SAMP", &length);
    check(payload != NULL && length > at && model_u64(payload + at) == 1, "the first row");
    model_put(payload + at, copies, 8);
    model_reseal(b.bytes, b.size);
    check_ok(frocc_sample_from_bytes(b.bytes, b.size, &sample));
    blob_free(&b);
    return sample;
}

/* Copies are counted in 64 bits: more rows than that are refused, and the sample stays. */
static void samples_of_too_many_rows(void) {
    static const double one[] = {1, 2, 3, 4}, two[] = {5, 6, 7, 8.5}, row[] = {1, 2};
    const frocc_rows of_one = frocc_rows_f64(one, 2, 2), of_two = frocc_rows_f64(two, 2, 2);
    const frocc_rows more = frocc_rows_f64(row, 1, 2);
    frocc_sample *a = sample_claiming(&of_one, (uint64_t)1 << 63);
    frocc_sample *b = sample_claiming(&of_two, (uint64_t)1 << 63);
    frocc_sample *c = sample_claiming(&of_two, ((uint64_t)1 << 63) - 3);
    blob before = blob_of_sample(a);
    check_is(frocc_sample_merge(a, b), FROCC_ERR_ARGUMENT);
    check_blobs(before, blob_of_sample(a), "a sample that was too much to merge with");
    check_ok(frocc_sample_merge(a, c)); /* 2^64 - 1 rows in all */
    before = blob_of_sample(a);
    check_is(frocc_sample_add(a, &more), FROCC_ERR_ARGUMENT);
    check_blobs(before, blob_of_sample(a), "a sample of as many rows as can be");
    frocc_sample_free(a);
    frocc_sample_free(b);
    frocc_sample_free(c);
}

/* A file of ours is read whatever it is; another, or one that is too large, is not. */
static void files_of_any_kind(void) {
    char *folder = folder_new(), *path = path_in(folder, "file");
    for (int i = 0; i < THINGS; i++) {
        thing t = thing_new(i);
        blob loaded = {UNTOUCHED, 77};
        file_write(path, t.bytes.bytes, t.bytes.size);
        const frocc_load_options tight = {.struct_size = sizeof tight,
                                          .max_memory = t.bytes.size - 1};
        check_is(frocc_bytes_load(path, &tight, &loaded.bytes, &loaded.size), FROCC_ERR_MEMORY);
        check(loaded.bytes == UNTOUCHED && loaded.size == 77, "a failure changed the result");
        check_ok(frocc_bytes_load(path, NULL, &loaded.bytes, &loaded.size));
        check(blob_equal(&loaded, &t.bytes), "the bytes of a %s", t.name);
        blob_free(&loaded);
        blob_free(&t.bytes);
    }
    blob none = {UNTOUCHED, 77};
    file_write(path, "a,b\n1,2\n", 8);
    check_is(frocc_bytes_load(path, NULL, &none.bytes, &none.size), FROCC_ERR_FORMAT);
    check(strstr(frocc_last_error(), path) != NULL, "the file is not named");
    check_is(frocc_bytes_load(folder, NULL, &none.bytes, &none.size), FROCC_ERR_IO);
    check_is(frocc_bytes_load(NULL, NULL, &none.bytes, &none.size), FROCC_ERR_ARGUMENT);
    check(none.bytes == UNTOUCHED && none.size == 77, "a failure changed the result");
    free(path);
    folder_free(folder);
}

/* ---- The columns of parts -------------------------------------------------------------------- */

/* A schema learnt from one column of texts, "kind", each text a letter. */
static frocc_schema *schema_of_letters(const char *letters) {
    char *folder = folder_new(), *path = path_in(folder, "kind.csv");
    const char *const paths[] = {path};
    FILE *file = fopen(path, "w");
    frocc_reader *reader = NULL;
    check(file != NULL, "%s cannot be written", path);
    fprintf(file, "kind\n");
    for (; *letters != '\0'; letters++)
        fprintf(file, "%c\n", *letters);
    fclose(file);
    check_ok(frocc_reader_open(paths, 1, NULL, NULL, &reader));
    frocc_schema *schema = frocc_reader_schema(reader);
    frocc_reader_free(reader);
    free(path);
    folder_free(folder);
    return schema;
}

static blob blob_of_schema(const frocc_schema *schema) {
    blob b = {NULL, 0};
    check_ok(frocc_schema_to_bytes(schema, &b.bytes, &b.size));
    return b;
}

/* In any order and any tree. */
static void texts_of_parts_join(void) {
    frocc_schema *parts[] = {schema_of_letters("bdx"), schema_of_letters("a"),
                             schema_of_letters("cd")};
    frocc_schema *all = schema_of_letters("abcddx"), *joined = NULL, *twice = NULL;
    const frocc_schema *list[] = {parts[0], parts[1], parts[2]}, *turned[] = {parts[2], parts[1]};
    check_ok(frocc_schema_join(list, 3, &joined));
    check_blobs(blob_of_schema(all), blob_of_schema(joined), "the texts of all parts");
    frocc_schema_free(joined);
    check_ok(frocc_schema_join(turned, 2, &twice));
    const frocc_schema *tree[] = {twice, parts[0]};
    check_ok(frocc_schema_join(tree, 2, &joined));
    check_blobs(blob_of_schema(all), blob_of_schema(joined), "the same by a tree");
    frocc_schema_free(joined);
    frocc_schema_free(twice);
    joined = UNTOUCHED;
    check_is(frocc_schema_join(list, 0, &joined), FROCC_ERR_EMPTY);
    check_is(frocc_schema_join(NULL, 1, &joined), FROCC_ERR_ARGUMENT);
    check_is(frocc_schema_join(list, 1, NULL), FROCC_ERR_ARGUMENT);
    check(joined == UNTOUCHED, "a failure changed the result");
    for (int i = 0; i < 3; i++)
        frocc_schema_free(parts[i]);
    frocc_schema_free(all);
}

int main(void) {
    RUN(samples_travel);
    RUN(fitters_travel);
    RUN(the_default_travels);
    RUN(no_rows_travel);
    RUN(every_length_is_refused);
    RUN(every_flipped_bit_is_refused);
    RUN(one_byte_lies);
    RUN(random_lies);
    RUN(kinds_are_told_apart);
    RUN(claims_of_memory_are_refused);
    RUN(schemas_travel_with_samples);
    RUN(samples_of_too_many_rows);
    RUN(texts_of_parts_join);
    RUN(files_of_any_kind);
    return check_end();
}
