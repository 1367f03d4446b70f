/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small model files with a correct checksum that claim to be large: they are refused before what
 * they claim is made. Memory is counted by an allocator, time by the CPU's clock.
 */
#include "load_cost.h"

static bool loads_lightly(unsigned char *bytes, size_t size, const char *what) {
    model_reseal(bytes, size);
    frocc_model *model = load_lightly(bytes, size, what);
    frocc_model_free(model);
    return model != NULL;
}

static frocc_status load_resealed(blob *b, size_t max_memory, frocc_model **model) {
    model_reseal(b->bytes, b->size);
    return load(b->bytes, b->size, max_memory, model);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Fits few rows without a scaling, so that only the head of the frame tells how large it is. */
static blob tiny(frocc_family family, frocc_kernel kernel, frocc_score score, size_t m) {
    static const float directions[] = {1, 0, 0, 1, 0.5f, 0.5f, -1, 1};
    const float values[] = {0.5f, 1, -1, 0.25f, 0, 0, 3, -3};
    const frocc_rows rows = frocc_rows_f32(values, 4, 2);
    frocc_params params;
    frocc_model *model = NULL;
    frocc_params_init_paper(&params);
    params.n_directions = m;
    params.family = family;
    params.kernel = kernel;
    params.kernel_fn = city_block;
    params.kernel_context = &weight;
    params.directions = family == FROCC_FAMILY_GIVEN ? directions : NULL;
    params.density = family == FROCC_FAMILY_SPARSE ? 0.5 : 0;
    params.score = score;
    if (score == FROCC_SCORE_CLOSENESS)
        params.epsilon = FROCC_CLOSENESS_MIN_EPSILON;
    check_ok(frocc_fit(&params, &rows, &model));
    blob b = blob_of(model);
    frocc_model_free(model);
    return b;
}

static void claim(blob *b, uint64_t d, uint64_t m) {
    uint64_t length = 0;
    unsigned char *frame = model_section(b->bytes, b->size, "FRAM", &length);
    model_put(frame, d, 8);
    model_put(frame + 8, m, 8);
}

static void huge_claims_are_cheap(void) {
    static const uint64_t ds[] = {2, 1024, 1 << 20, 1 << 27}, ms[] = {4, 1 << 20, 1 << 24};
    for (int k = 0; k < FAMILIES * 3 * 2; k++) {
        const frocc_family family = (frocc_family)(k % FAMILIES);
        static const frocc_kernel kernels[] = {FROCC_KERNEL_LINEAR, FROCC_KERNEL_RBF,
                                               FROCC_KERNEL_CUSTOM};
        const frocc_score score = (frocc_score)(k / FAMILIES / 3);
        if (family == FROCC_FAMILY_MIXED) /* is learnt: next */
            continue;
        blob b = tiny(family, kernels[k / FAMILIES % 3], score, 4);
        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < 3; j++) {
                char what[80];
                snprintf(what, sizeof what, "case %d, d 2^%zu, m 2^%zu", k, i, j);
                claim(&b, ds[i], ms[j]);
                const bool loaded = loads_lightly(b.bytes, b.size, what);
                check(!loaded || ms[j] == 4, "%s: it loaded", what);
            }
        blob_free(&b);
    }
}

/* Directions that the file does hold values of, over more columns than it says anything about. */
static void many_wide_directions_are_cheap(void) {
    for (int family = 0; family < FAMILIES; family++) {
        if (family == FROCC_FAMILY_MIXED || family == FROCC_FAMILY_GIVEN)
            continue;
        blob b = tiny((frocc_family)family, FROCC_KERNEL_RBF, FROCC_SCORE_AGREEMENT, 2000);
        for (uint64_t d = 1024; d <= 1 << 27; d *= 32) {
            char what[80];
            snprintf(what, sizeof what, "family %d, %u columns", family, (unsigned)d);
            claim(&b, d, 2000);
            loads_lightly(b.bytes, b.size, what);
        }
        blob_free(&b);
    }
}

/* A few bytes of a histogram are 65,536 cells. */
static void cells_are_counted(void) {
    blob b = tiny(FROCC_FAMILY_GAUSSIAN, FROCC_KERNEL_LINEAR, FROCC_SCORE_CLOSENESS, 2000);
    frocc_model *model = NULL;
    check(b.size < 100000, "%zu bytes are not few", b.size);
    check(!loads_lightly(b.bytes, b.size, "many cells"), "it loaded");
    check_is(load_resealed(&b, 0, &model), FROCC_ERR_MEMORY);
    check(strstr(frocc_last_error(), "max_memory") != NULL, "no advice: %s", frocc_last_error());
    check_ok(load_resealed(&b, SIZE_MAX, &model));
    frocc_model_free(model);
    blob_free(&b);
}

static void a_limit_is_kept_to(void) {
    blob b = tiny(FROCC_FAMILY_GAUSSIAN, FROCC_KERNEL_LINEAR, FROCC_SCORE_AGREEMENT, 100);
    const size_t limits[] = {1 << 16, 1 << 18, 1 << 20, 1 << 22};
    for (size_t i = 0; i < 4; i++)
        for (uint64_t d = 2; d < 100000; d = d * 3 / 2 + 1) {
            frocc_model *model = NULL;
            claim(&b, d, 100);
            frocc_status status = load_resealed(&b, limits[i], &model);
            check(status == FROCC_OK || status == FROCC_ERR_MEMORY, "%s", frocc_last_error());
            check(status != FROCC_OK || atomic_load(&cost.most) < limits[i] + (1 << 18),
                  "%u columns took %zu of %zu bytes", (unsigned)d, atomic_load(&cost.most),
                  limits[i]);
            frocc_model_free(model);
        }
    blob_free(&b);
}

/* ---- What honest files take ------------------------------------------------------------------ */

static frocc_status load_kind(frocc_kind kind, const blob *b, size_t max_memory) {
    const frocc_load_options options = {sizeof options, city_block, &weight, max_memory};
    frocc_model *model = NULL;
    frocc_fitter *fitter = NULL;
    frocc_frame *frame = NULL;
    atomic_store(&cost.most, atomic_load(&cost.live));
    const frocc_status status =
        kind == FROCC_KIND_MODEL ? frocc_model_from_bytes(b->bytes, b->size, &options, &model)
        : kind == FROCC_KIND_FITTER
            ? frocc_fitter_from_bytes(b->bytes, b->size, &options, 1, &fitter)
            : frocc_frame_from_bytes(b->bytes, b->size, &options, &frame);
    frocc_model_free(model);
    frocc_fitter_free(fitter);
    frocc_frame_free(frame);
    return status;
}

/* By default it loads, and with any limit it is refused or takes no more, its bytes among them; but
 * for what is the same for all. */
static void check_limits(frocc_kind kind, const blob *b, const char *what) {
    const size_t for_all = 1 << 15;
    check_ok(load_kind(kind, b, 0));
    size_t refused = 0;
    for (size_t limit = b->size / 2; limit < SIZE_MAX / 2; limit += limit / 16 + 1) {
        const size_t before = atomic_load(&cost.live);
        const frocc_status status = load_kind(kind, b, limit);
        const size_t taken = atomic_load(&cost.most) - before;
        check(taken + (status == FROCC_OK ? b->size : 0) <= limit + for_all,
              "%s: %s, took %zu bytes beside its %zu where %zu are allowed", what,
              frocc_status_name(status), taken, b->size, limit);
        if (status == FROCC_OK)
            break;
        check_is(status, FROCC_ERR_MEMORY);
        refused++;
    }
    check(refused > 0, "%s: less than its size is enough", what);
}

static void check_kinds(const frocc_params *params, const data *x, const char *what) {
    char name[80];
    frocc_frame *frame = frame_of(params, x);
    frocc_fitter *fitter = fitter_of(frame, params);
    frocc_model *model = NULL;
    blob b[4] = {{NULL, 0}};
    check_ok(frocc_fitter_to_bytes(fitter, &b[3].bytes, &b[3].size)); /* of no rows */
    fitter_take(fitter, x, 0, x->n);
    check_ok(frocc_fitter_to_bytes(fitter, &b[1].bytes, &b[1].size));
    check_ok(frocc_fitter_finish(fitter, &model));
    check_ok(frocc_model_to_bytes(model, &b[0].bytes, &b[0].size));
    check_ok(frocc_frame_to_bytes(frame, &b[2].bytes, &b[2].size));
    for (int i = 0; i < 4; i++) {
        static const frocc_kind kinds[] = {FROCC_KIND_MODEL, FROCC_KIND_FITTER, FROCC_KIND_FRAME,
                                           FROCC_KIND_FITTER};
        static const char *const names[] = {"a model", "a fitter", "a frame", "a new fitter"};
        snprintf(name, sizeof name, "%s: %s", what, names[i]);
        check_limits(kinds[i], &b[i], name);
        blob_free(&b[i]);
    }
    frocc_model_free(model);
    frocc_fitter_free(fitter);
    frocc_frame_free(frame);
}

static void limits_hold_for_honest_files(void) {
    rng r = rng_seed(1360000);
    data x = data_new(&r, 1000, 6, SHAPE_BLOB, true);
    frocc_params p;
    frocc_params_init(&p);
    check_kinds(&p, &x, "the default");
    p.n_directions = 64;
    p.n_trees = 400;
    check_kinds(&p, &x, "400 trees");
    p.n_trees = 0;
    check_kinds(&p, &x, "no trees");
    p.epsilon = FROCC_CLOSENESS_MIN_EPSILON;
    check_kinds(&p, &x, "the smallest epsilon");
    frocc_params_init_paper(&p);
    check_kinds(&p, &x, "the paper's");
    p.epsilon = 0.001f;
    check_kinds(&p, &x, "a small epsilon");
    data_free(&x);

    x = data_new(&r, 300, 500, SHAPE_BLOB, true);
    for (int family = 0; family < FAMILIES; family++) {
        static const frocc_kernel kernels[] = {FROCC_KERNEL_LINEAR, FROCC_KERNEL_RBF};
        if (family == FROCC_FAMILY_GIVEN)
            continue;
        frocc_params_init(&p);
        p.n_directions = 100;
        p.family = (frocc_family)family;
        p.kernel = kernels[family % 2];
        char what[40];
        snprintf(what, sizeof what, "family %d", family);
        check_kinds(&p, &x, what);
    }
    frocc_params_init_paper(&p);
    p.scaling = FROCC_SCALING_WHITEN;
    check_kinds(&p, &x, "whitened");
    data_free(&x);
}

/* Columns of a few bytes each, nameless and of numbers or of one text, the empty one. */
static void check_schema(bool of_texts, size_t n_columns) {
    enum { HEAD = 24, KIND = 1, COLUMN = 15, TEXT = 12 };
    const size_t a_column = of_texts ? COLUMN + TEXT : COLUMN;
    const size_t size = HEAD + n_columns * a_column, d = n_columns;
    unsigned char *bytes = NEW(unsigned char, size);
    memset(bytes, 0, size);
    bytes[0] = 2; /* its version */
    bytes[7] = 2; /* columns are told one by one */
    model_put(bytes + 8, n_columns, 8);
    model_put(bytes + 16, d, 8);
    for (size_t i = 0; of_texts && i < n_columns; i++) {
        bytes[HEAD + i * a_column + KIND] = 1;
        bytes[HEAD + i * a_column + COLUMN - 4] = 1; /* text, which has no bytes */
    }
    frocc_params params;
    frocc_schema *schema = NULL;
    frocc_frame *frame = NULL;
    blob b = {NULL, 0};
    check_ok(frocc_schema_from_bytes(bytes, size, &schema));
    frocc_params_init_paper(&params);
    params.n_directions = 1;
    params.family = FROCC_FAMILY_SPARSE;
    params.schema = schema;
    frocc_sample *sample = NULL;
    double *zeros = NEW(double, 2 * d);
    const frocc_rows rows = frocc_rows_f64(zeros, 2, d);
    check_ok(frocc_sample_new(&params, d, &sample));
    check_ok(frocc_sample_add(sample, &rows));
    check_ok(frocc_frame_new(&params, d, of_texts ? sample : NULL, &frame));
    frocc_sample_free(sample);
    free(zeros);
    check_ok(frocc_frame_to_bytes(frame, &b.bytes, &b.size));
    check_limits(FROCC_KIND_FRAME, &b, of_texts ? "columns of texts" : "columns of numbers");
    blob_free(&b);
    frocc_frame_free(frame);
    frocc_schema_free(schema);
    free(bytes);
}

static void schemas_are_counted(void) {
    check_schema(false, 20000);
    check_schema(true, 20000);
}

int main(void) {
    count_memory();
    RUN(huge_claims_are_cheap);
    RUN(many_wide_directions_are_cheap);
    RUN(cells_are_counted);
    RUN(a_limit_is_kept_to);
    RUN(limits_hold_for_honest_files);
    RUN(schemas_are_counted);
    return check_end();
}
