/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The laws of DESIGN that speak of fitting, by comparing bytes: row order, threads, batches,
 * prefixes in m, coarsening in epsilon, saving, and the forms in which rows can be given.
 */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "laws.h"

static void law_row_order(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    frocc_model *straight = fit(&s->params, x);
    size_t *order = NEW(size_t, x->n);

    for (int i = 0; i < 3; i++) {
        rng_shuffle(r, order, x->n);
        data y = data_reordered(x, order);
        frocc_model *shuffled = fit(&s->params, &y);
        check_same(straight, shuffled, "rows in another order");
        frocc_model_free(shuffled);
        data_free(&y);
    }
    free(order);
    frocc_model_free(straight);
}

static void law_threads(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    frocc_model *one = fit(&s->params, x);

    for (int threads = 0; threads <= 8; threads++) {
        s->params.threads = threads;
        frocc_model *many = fit(&s->params, x);
        check_same(one, many, "another number of threads");
        frocc_model_free(many);
    }
    frocc_model_free(one);
}

static frocc_model *fit_in_batches(const frocc_params *params, const data *x, size_t batch) {
    frocc_frame *frame = frame_of(params, x);
    frocc_fitter *fitter = fitter_of(frame, params);

    for (size_t first = 0; first < x->n; first += batch)
        fitter_take(fitter, x, first, batch < x->n - first ? batch : x->n - first);
    check(frocc_fitter_rows(fitter) == x->n, "the fitter counts %llu of %zu rows",
          (unsigned long long)frocc_fitter_rows(fitter), x->n);
    frocc_model *model = finish(fitter);
    frocc_fitter_free(fitter);
    frocc_frame_free(frame);
    return model;
}

static void law_batches(rng *r, setup *s, const data *x) {
    static const size_t sizes[] = {1, 2, 3, 5, 7, 8, 15, 16, 17, 47, 48, 49, 63, 64, 65, 255, 256};

    setup_either(r, s);
    frocc_model *whole = fit(&s->params, x);
    size_t n_sizes = sizeof sizes / sizeof *sizes;

    for (size_t i = 0; i <= n_sizes; i++) {
        size_t batch = i < n_sizes ? sizes[i] : 1 + rng_below(r, x->n);
        s->params.threads = 1 + (int)(i % 3);
        frocc_model *model = fit_in_batches(&s->params, x, batch);
        check_same(whole, model, "rows in batches");
        frocc_model_free(model);
    }
    frocc_model_free(whole);
}

/* However a model came about, it merges with one that was fitted directly. */
static void merges_with(const frocc_model *fitted, const frocc_model *other, const char *what) {
    const frocc_model *mixed[] = {other, fitted}, *plain[] = {fitted, fitted};
    frocc_model *a = NULL, *b = NULL;

    check_ok(frocc_model_merge(mixed, 2, &a));
    check_ok(frocc_model_merge(plain, 2, &b));
    check_same(a, b, what);
    frocc_model_free(a);
    frocc_model_free(b);
}

/* The first m' directions of a model are the model of m' directions. */
static void law_prefix(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    s->params.n_trees = 0; /* trees look at all directions */
    frocc_model *all = fit(&s->params, x);
    size_t m = s->params.n_directions;

    for (int i = 0; i < 4; i++) {
        frocc_model *shorter = NULL;
        s->params.n_directions = i == 0 ? 1 : i == 1 ? m : 1 + rng_below(r, m);
        check_ok(frocc_model_truncate(all, s->params.n_directions, &shorter));
        frocc_model *direct = fit(&s->params, x);
        check_same(shorter, direct, "fewer directions");
        merges_with(direct, shorter, "merged with a truncated model");
        frocc_model_free(shorter);
        frocc_model_free(direct);
    }
    frocc_model_free(all);
}

static float between(rng *r, float low, float high) {
    float value = (float)rng_between(r, (double)low, (double)high);
    return fminf(fmaxf(value, low), high);
}

/* One fit answers every larger epsilon; in one step or several. */
static void law_coarsening(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    const float most = largest_epsilon(&s->params);
    frocc_model *finest = fit(&s->params, x), *last = NULL;

    check_ok(frocc_model_coarsen(finest, s->params.epsilon, &last));
    check_same(finest, last, "coarsening to the same epsilon");
    for (int i = 0; i < 4; i++) {
        frocc_model *direct, *once = NULL, *again = NULL;
        s->params.epsilon = i == 3 ? most : between(r, s->params.epsilon, most);
        direct = fit(&s->params, x);
        check_ok(frocc_model_coarsen(finest, s->params.epsilon, &once));
        check_ok(frocc_model_coarsen(last, s->params.epsilon, &again));
        check_same(direct, once, "a larger epsilon");
        check_same(direct, again, "a larger epsilon, in steps");
        merges_with(direct, again, "merged with a coarsened model");
        frocc_model_free(direct);
        frocc_model_free(once);
        frocc_model_free(last);
        last = again;
    }
    frocc_model_free(last);
    frocc_model_free(finest);
}

static void law_coarsen_and_truncate_commute(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    s->params.n_trees = 0; /* trees look at all directions */
    size_t m = 1 + rng_below(r, s->params.n_directions);
    float epsilon = between(r, s->params.epsilon, largest_epsilon(&s->params));
    frocc_model *model = fit(&s->params, x);
    frocc_model *c = NULL, *ct = NULL, *t = NULL, *tc = NULL;

    check_ok(frocc_model_coarsen(model, epsilon, &c));
    check_ok(frocc_model_truncate(c, m, &ct));
    check_ok(frocc_model_truncate(model, m, &t));
    check_ok(frocc_model_coarsen(t, epsilon, &tc));
    check_same(ct, tc, "coarsen then truncate, truncate then coarsen");
    frocc_model_free(model);
    frocc_model_free(c);
    frocc_model_free(ct);
    frocc_model_free(t);
    frocc_model_free(tc);
}

static const char *folder; /* for the files of law_save_load */

static void law_save_load(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    frocc_load_options options = setup_load_options(s);
    frocc_model *model = fit(&s->params, x), *loaded = NULL, *parsed = NULL;
    char *path = path_in(folder, "model.frocc");
    blob bytes = blob_of(model);
    blob file;

    check_ok(frocc_model_save(model, path));
    file = file_read(path);
    check(file.size == bytes.size && memcmp(file.bytes, bytes.bytes, file.size) == 0,
          "the file is not what frocc_model_to_bytes gives");
    check_ok(frocc_model_load(path, &options, &loaded));
    check_same(model, loaded, "saved and loaded");
    merges_with(model, loaded, "merged with a loaded model");
    check_ok(frocc_model_from_bytes(bytes.bytes, bytes.size, &options, &parsed));
    check_same(model, parsed, "to bytes and back");
    free(file.bytes);
    free(path);
    blob_free(&bytes);
    frocc_model_free(model);
    frocc_model_free(loaded);
    frocc_model_free(parsed);
}

static frocc_model *fit_rows(const frocc_params *params, frocc_rows rows) {
    frocc_model *model = NULL;
    check_ok(frocc_fit(params, &rows, &model));
    return model;
}

static void same_as(const frocc_model *expected, const frocc_params *params, frocc_rows rows,
                    const char *what) {
    frocc_model *model = fit_rows(params, rows);
    check_same(expected, model, what);
    frocc_model_free(model);
}

static void law_forms_of_rows(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    const frocc_params *p = &s->params;
    size_t stride = x->d + 1 + rng_below(r, 20);
    float *wide32 = data_apart(x, stride);
    double *wide64 = NEW(double, x->n *stride);
    csr sparse = csr_new(r, x);
    frocc_model *model = fit(p, x);
    frocc_rows rows;

    for (size_t i = 0; i < x->n * stride; i++)
        wide64[i] = (double)wide32[i];
    same_as(model, p, frocc_rows_f32(x->f32, x->n, x->d), "float32 rows");
    rows = frocc_rows_f32(wide32, x->n, x->d);
    rows.row_stride = stride;
    same_as(model, p, rows, "float32 rows with a stride");
    rows = frocc_rows_f64(wide64, x->n, x->d);
    rows.row_stride = stride;
    same_as(model, p, rows, "float64 rows with a stride");
    rows = frocc_rows_csr(FROCC_F64, sparse.f64, sparse.row_start, sparse.columns, x->n, x->d);
    same_as(model, p, rows, "sparse float64 rows");
    rows = frocc_rows_csr(FROCC_F32, sparse.f32, sparse.row_start, sparse.columns, x->n, x->d);
    same_as(model, p, rows, "sparse float32 rows");
    free(wide32);
    free(wide64);
    csr_free(&sparse);
    frocc_model_free(model);
}

static void save_load_save(void) {
    char *made = folder_new();
    folder = made;
    law_everywhere(law_save_load, 170000, law_small());
    check(folder_entries(made) == 1, "there is something beside the model file in its folder");
    folder_free(made);
}

/* Many rows, so that every thread gets several blocks of the library's own choosing. */
static void threads_with_many_rows(void) {
    law_sizes full = {20000, 6, 20, 1, SHAPE_BLOB, 0}, quick = {2000, 4, 4, 1, SHAPE_BLOB, 0};
    law_everywhere(law_threads, 180000, check_quick() ? quick : full);
}

/* Small additions are done by one thread: a team needs many rows, and work. */
static void threads_with_much_work(void) {
    const int step = check_share(1, 2, SCALINGS);

    for (int kernel = 0; kernel < KERNELS; kernel++)
        for (int scaling = kernel % step; scaling < SCALINGS; scaling += step) {
            rng r = rng_seed(190000 + (uint64_t)(kernel * 10 + scaling));
            data x = data_new(&r, 13000, 8, kernel % 2 ? SHAPE_CLUSTERS : SHAPE_MAGNITUDES, true);
            setup s;
            setup_init(&r, &s, (frocc_kernel)kernel, (frocc_scaling)scaling, FROCC_FAMILY_GAUSSIAN,
                       70, 8);
            law_threads(&r, &s, &x);
            setup_free(&s);
            data_free(&x);
        }
}

int main(void) {
    RUN_LAW(row_order, law_row_order, law_usual(), 100000);
    RUN_LAW(threads_1_to_8, law_threads, law_usual(), 110000);
    RUN(threads_with_many_rows);
    RUN(threads_with_much_work);
    RUN_LAW(any_batch_size, law_batches, law_small(), 120000);
    RUN_LAW(prefix_in_m, law_prefix, law_usual(), 130000);
    RUN_LAW(coarsening_in_epsilon, law_coarsening, law_usual(), 140000);
    RUN_LAW(coarsen_and_truncate_commute, law_coarsen_and_truncate_commute, law_usual(), 150000);
    RUN_LAW(forms_of_rows, law_forms_of_rows, law_usual(), 160000);
    RUN_LAW(forms_of_sparse_rows, law_forms_of_rows, law_sparse(), 165000);
    RUN(save_load_save);
    return check_end();
}
