/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same bits everywhere: fixed fits of every kind, with the checksums of their model files and
 * scores. The build compares these lines across kernel levels, compilers and machines. The rows
 * come from integers and powers of two alone, so that no libm or compiler has a say in them.
 */
#include "laws.h"

/* FNV-1a, over bytes put in little-endian order by hand. */
typedef struct digest {
    uint64_t value;
} digest;

static void digest_bytes(digest *d, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        d->value = (d->value ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
}

static void digest_u64(digest *d, uint64_t value) {
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    digest_bytes(d, bytes, 8);
}

static void digest_float(digest *d, float value) {
    uint32_t bits;
    float one_zero = value == 0 ? 0.0f : value;

    memcpy(&bits, &one_zero, sizeof bits);
    digest_u64(d, bits);
}

static void digest_model(digest *d, const frocc_model *model) {
    blob b = blob_of(model);
    digest_bytes(d, b.bytes, b.size);
    blob_free(&b);
}

/* ---- Rows that every machine makes alike ----------------------------------------------------- */

/* Multiples of 2^-12 in -8 .. 8; with wide set, multiples of 2^-36, which float32 cannot hold. */
static data exact_data(rng *r, size_t n, size_t d, bool wide) {
    data x = {n, d, NEW(double, n *d), NEW(float, n *d)};

    for (size_t i = 0; i < n * d; i++) {
        int64_t units = (int64_t)(rng_bits(r) >> (wide ? 24 : 48));
        units -= (int64_t)1 << (wide ? 39 : 15);
        double value = (double)units * (wide ? 0x1p-36 : 0x1p-12);
        value = rng_chance(r, 4) ? 0 : value + (double)(i / d % 3) * 16;
        x.f64[i] = value;
        x.f32[i] = (float)value;
    }
    return x;
}

/* Like setup_init, without numbers from libm. */
static void exact_setup(rng *r, setup *s, frocc_kernel kernel, frocc_scaling scaling,
                        frocc_family family, size_t m, size_t d) {
    memset(s, 0, sizeof *s);
    frocc_params_init_paper(&s->params);
    s->params.seed = rng_bits(r);
    s->params.n_directions = m;
    s->params.epsilon = 0.02f;
    s->params.threshold = 0.75;
    s->params.kernel = kernel;
    s->params.scaling = scaling;
    s->params.family = family;
    s->params.sample_rows = 50;
    if (((unsigned)kernel + (unsigned)scaling + (unsigned)family) % 2 == 0) {
        s->params.score = FROCC_SCORE_CLOSENESS;
        s->params.calibration_rows = 20;
    }
    s->params.threads = 2;
    s->params.gamma = kernel == FROCC_KERNEL_POLY ? 0.125 : 0.03125;
    s->params.coef0 = -0.5;
    s->context = 0.5f;
    s->params.kernel_fn = city_block;
    s->params.kernel_context = &s->context;
    s->params.kernel_name = "city block";
    s->params.shift = s->shift = NEW(double, d);
    s->params.scale = s->scale = NEW(double, d);
    s->params.directions = s->directions = NEW(float, m *d);
    for (size_t j = 0; j < d; j++) {
        s->shift[j] = (double)rng_below(r, 16) - 8;
        s->scale[j] = 0.75 + (double)rng_below(r, 4);
    }
    for (size_t k = 0; k < m * d; k++)
        s->directions[k] = (float)((double)rng_below(r, 4096) - 2048) * 0x1p-11f;
}

/* ---- What is summed up ----------------------------------------------------------------------- */

static void digest_scores(digest *sum, const frocc_model *model, const data *q) {
    frocc_rows rows = data_rows(q);
    frocc_model_info info = describe(model);
    uint32_t *counts = NEW(uint32_t, q->n);
    double *scores = NEW(double, q->n);
    float *distances = NEW(float, q->n *info.n_directions);
    uint8_t *normal = NEW(uint8_t, q->n);
    frocc_scorer *scorer = NULL;

    check_ok(frocc_scorer_new(model, 2, &scorer));
    if (info.score == FROCC_SCORE_AGREEMENT)
        check_ok(frocc_scorer_count(scorer, &rows, counts));
    check_ok(frocc_scorer_distances(scorer, &rows, distances));
    check_ok(frocc_scorer_decide(scorer, &rows, FROCC_OWN_THRESHOLD, normal));
    check_ok(frocc_scorer_score(scorer, &rows, scores));
    for (size_t i = 0; i < q->n; i++) {
        uint64_t bits;
        memcpy(&bits, &scores[i], sizeof bits);
        digest_u64(sum, bits);
        digest_u64(sum, (uint64_t)counts[i] << 8 | normal[i]);
    }
    for (size_t i = 0; i < q->n * info.n_directions; i++)
        digest_float(sum, distances[i]);
    frocc_scorer_free(scorer);
    free(counts);
    free(scores);
    free(distances);
    free(normal);
}

static void digest_frame(digest *sum, const frocc_model *model, const data *q) {
    frocc_frame *frame = frocc_model_frame(model);
    size_t m = frocc_frame_directions(frame), d = frocc_frame_features(frame);
    float *values = NEW(float, q->n *m), *directions = NEW(float, m *d);
    double *scaling = NEW(double, 2 * d);
    frocc_rows rows = data_rows(q);

    check_ok(frocc_frame_project(frame, &rows, values));
    check_ok(frocc_frame_copy_directions(frame, 0, m, directions));
    frocc_frame_copy_scaling(frame, scaling, scaling + d);
    for (size_t i = 0; i < q->n * m; i++)
        digest_float(sum, values[i]);
    for (size_t i = 0; i < m * d; i++)
        digest_float(sum, directions[i]);
    for (size_t i = 0; i < 2 * d; i++) {
        uint64_t bits;
        memcpy(&bits, &scaling[i], sizeof bits);
        digest_u64(sum, bits);
    }
    digest_u64(sum, frocc_frame_checksum(frame));
    free(values);
    free(directions);
    free(scaling);
    frocc_frame_free(frame);
}

static void digest_derived(digest *sum, const frocc_model *model, const data *q) {
    frocc_model *coarse = NULL, *sealed = NULL, *merged = NULL, *shorter = NULL, *clean = NULL;
    const frocc_model *both[] = {model, model};

    check_ok(frocc_model_coarsen(model, 0.125f, &coarse));
    check_ok(frocc_model_merge(both, 2, &merged));
    digest_model(sum, coarse);
    digest_model(sum, merged);
    if (describe(model).n_trees == 0) {
        check_ok(frocc_model_truncate(model, describe(model).n_directions / 2 + 1, &shorter));
        digest_model(sum, shorter);
    }
    if (describe(model).score == FROCC_SCORE_CLOSENESS) {
        check_ok(frocc_model_decontaminate(model, 0.1, &clean));
        digest_model(sum, clean);
        digest_scores(sum, clean, q);
        frocc_model_free(clean);
    }
    check_ok(frocc_model_seal(model, &sealed));
    digest_model(sum, sealed);
    digest_scores(sum, sealed, q);
    frocc_model_free(coarse);
    frocc_model_free(sealed);
    frocc_model_free(merged);
    frocc_model_free(shorter);
}

/* What parts of the same fit would send to each other, there and back. */
static void digest_travel(digest *sum, setup *s, const data *x, const frocc_model *model) {
    const frocc_load_options options = setup_load_options(s);
    frocc_frame *frame = frocc_model_frame(model);
    frocc_fitter *fitter = fitter_of(frame, &s->params), *arrived = NULL;
    frocc_sample *sample = NULL;
    const frocc_rows rows = data_rows(x);
    blob parts[3];

    check_ok(frocc_sample_new(&s->params, x->d, &sample));
    check_ok(frocc_sample_add(sample, &rows));
    fitter_take(fitter, x, 0, x->n);
    check_ok(frocc_sample_to_bytes(sample, &parts[0].bytes, &parts[0].size));
    check_ok(frocc_frame_to_bytes(frame, &parts[1].bytes, &parts[1].size));
    check_ok(frocc_fitter_to_bytes(fitter, &parts[2].bytes, &parts[2].size));
    check_ok(frocc_fitter_from_bytes(parts[2].bytes, parts[2].size, &options, 2, &arrived));
    check_ok(frocc_fitter_merge(arrived, fitter));
    frocc_model *twice = finish(arrived);
    digest_model(sum, twice);
    for (int i = 0; i < 3; i++) {
        digest_bytes(sum, parts[i].bytes, parts[i].size);
        blob_free(&parts[i]);
    }
    frocc_model_free(twice);
    frocc_fitter_free(arrived);
    frocc_fitter_free(fitter);
    frocc_sample_free(sample);
    frocc_frame_free(frame);
}

/* ---- The fits -------------------------------------------------------------------------------- */

static const char *const kernel_names[] = {"linear", "rbf", "poly", "sigmoid", "custom"};
static const char *const scaling_names[] = {"none",  "standard", "minmax",
                                            "given", "asinh",    "whiten"};
static const char *const family_names[] = {"gaussian", "matrix", "mixed", "hadamard", "sparse"};
static const char *const form_names[] = {"f32", "f64", "wide64", "csr32", "csr64"};
#define FORMS 5

static frocc_rows rows_in_form(const data *x, const csr *sparse, int form) {
    switch (form) {
    case 0:
        return frocc_rows_f32(x->f32, x->n, x->d);
    case 3:
        return frocc_rows_csr(FROCC_F32, sparse->f32, sparse->row_start, sparse->columns, x->n,
                              x->d);
    case 4:
        return frocc_rows_csr(FROCC_F64, sparse->f64, sparse->row_start, sparse->columns, x->n,
                              x->d);
    default:
        return data_rows(x);
    }
}

static void checksum_of(int kernel, int scaling, int family, int form) {
    rng r = rng_seed((uint64_t)(((kernel * 10 + scaling) * 10 + family) * 10 + form) + 7);
    size_t n = 40 + rng_below(&r, 80), d = 1 + rng_below(&r, 20), m = 3 + rng_below(&r, 30);
    data x = exact_data(&r, n, d, form == 2), q = exact_data(&r, 55, d, false);
    csr sparse = csr_new(&r, &x);
    setup s;
    frocc_model *model = NULL;
    frocc_rows rows = rows_in_form(&x, &sparse, form);
    digest file = {0xcbf29ce484222325u}, rest = file;

    exact_setup(&r, &s, (frocc_kernel)kernel, (frocc_scaling)scaling, (frocc_family)family, m, d);
    check_ok(frocc_fit(&s.params, &rows, &model));
    digest_model(&file, model);
    digest_scores(&rest, model, &q);
    digest_frame(&rest, model, &q);
    digest_derived(&rest, model, &q);
    digest_travel(&rest, &s, &x, model);
    printf("checksum %s-%s-%s-%s %016llx%016llx\n", kernel_names[kernel], scaling_names[scaling],
           family_names[family], form_names[form], (unsigned long long)file.value,
           (unsigned long long)rest.value);
    frocc_model_free(model);
    setup_free(&s);
    csr_free(&sparse);
    data_free(&x);
    data_free(&q);
}

static void every_kind_of_fit(void) {
    for (int kernel = 0; kernel < KERNELS; kernel++)
        for (int scaling = 0; scaling < SCALINGS; scaling++)
            for (int family = 0; family < FAMILIES; family++)
                if (is_possible((frocc_scaling)scaling, (frocc_family)family))
                    checksum_of(kernel, scaling, family, (kernel + scaling + family) % FORMS);
}

static void every_form_of_rows(void) {
    for (int form = 0; form < FORMS; form++)
        for (int kernel = 0; kernel < 2; kernel++)
            checksum_of(kernel, form % 4, 1 - (form + kernel) % 2, form);
}

/* Long rows, so that the loops over features run long; many directions, so that blocks fill up. */
static void larger_fit(frocc_family family, size_t n, size_t d) {
    rng r = rng_seed(99);
    data x = exact_data(&r, n, d, false);
    digest sum = {0xcbf29ce484222325u};
    setup s;

    exact_setup(&r, &s, FROCC_KERNEL_RBF, FROCC_SCALING_STANDARD, family, 100, d);
    frocc_model *model = fit(&s.params, &x);
    digest_model(&sum, model);
    digest_scores(&sum, model, &x);
    printf("checksum larger-%s-%zu %016llx\n", family_names[family], d,
           (unsigned long long)sum.value);
    frocc_model_free(model);
    setup_free(&s);
    data_free(&x);
}

static void larger_fits(void) {
    for (int family = 0; family < FAMILIES; family++)
        larger_fit((frocc_family)family, 150, 300);
    larger_fit(FROCC_FAMILY_HADAMARD, 60, 2100); /* of several blocks */
}

/* Values among the subnormals, where a CPU that flushes them to zero would show. */
static void subnormal_fit(frocc_family family) {
    rng r = rng_seed(98);
    data x = exact_data(&r, 60, 4, false);
    digest sum = {0xcbf29ce484222325u};
    setup s;

    for (size_t i = 0; i < x.n * x.d; i++)
        x.f64[i] *= 0x1p-135;
    exact_setup(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, family, 20, 4);
    frocc_model *model = fit(&s.params, &x);
    digest_model(&sum, model);
    digest_scores(&sum, model, &x);
    printf("checksum subnormal-%s %016llx\n", family_names[family], (unsigned long long)sum.value);
    frocc_model_free(model);
    setup_free(&s);
    data_free(&x);
}

/* A fit with closeness and one with agreement. */
static void subnormal_values(void) {
    subnormal_fit(FROCC_FAMILY_GAUSSIAN);
    subnormal_fit(FROCC_FAMILY_HADAMARD);
}

int main(void) {
    printf("# level %s\n", frocc_cpu_level());
    RUN(every_kind_of_fit);
    RUN(every_form_of_rows);
    RUN(larger_fits);
    RUN(subnormal_values);
    return check_end();
}
