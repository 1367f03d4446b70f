/* SPDX-License-Identifier: BSD-3-Clause */
/* What is saved loads: numbers that have no place in a file are refused, or mended, before. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "reseal.h"

static void check_comes_back(frocc_model *model, const char *what) {
    char *folder = folder_new(), *path = path_in(folder, "saved.frocc");
    frocc_model *loaded = NULL;
    check_ok(frocc_model_save(model, path));
    frocc_status status = frocc_model_load(path, NULL, &loaded);
    check(status == FROCC_OK, "%s: %s", what, frocc_last_error());
    if (status == FROCC_OK)
        check_same(model, loaded, what);
    frocc_model_free(loaded);
    free(path);
    folder_free(folder);
}

static void negative_zeros_are_learnt_as_zeros(void) {
    static const frocc_scaling scalings[] = {FROCC_SCALING_STANDARD, FROCC_SCALING_MINMAX,
                                             FROCC_SCALING_ASINH, FROCC_SCALING_WHITEN};
    static const double columns[][4] = {
        {-0.0, -0.0, -0.0, -0.0}, {-0.0, 1, 2, 3}, {-0.0, 0.0, -0.0, 5}, {-1, -0.0, 0, 1}};
    for (size_t s = 0; s < 4; s++)
        for (size_t c = 0; c < 4; c++) {
            double values[8];
            for (size_t r = 0; r < 4; r++) {
                values[2 * r] = columns[c][r];
                values[2 * r + 1] = (double)r;
            }
            const frocc_rows rows = frocc_rows_f64(values, 4, 2);
            frocc_params params;
            frocc_model *model = NULL;
            frocc_params_init_paper(&params);
            params.n_directions = 7;
            params.scaling = scalings[s];
            check_ok(frocc_fit(&params, &rows, &model));
            check_comes_back(model, "a column with -0");
            frocc_model_free(model);
        }
}

static void tiny_gammas_are_refused(void) {
    static const frocc_kernel kernels[] = {FROCC_KERNEL_RBF, FROCC_KERNEL_POLY,
                                           FROCC_KERNEL_SIGMOID};
    static const double gammas[] = {1e-30, 1.2e-38, 1.5e-45, 1e-46, 1e-50, 5e-324};
    const float values[] = {1, 2, 3, 4};
    const frocc_rows rows = frocc_rows_f32(values, 2, 2);
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < 6; i++) {
            frocc_params params;
            frocc_model *model = NULL;
            frocc_params_init_paper(&params);
            params.kernel = kernels[k];
            params.gamma = gammas[i];
            params.n_directions = 3;
            frocc_status status = frocc_fit(&params, &rows, &model);
            check_is(status, i < 3 ? FROCC_OK : FROCC_ERR_ARGUMENT);
            if (status == FROCC_OK)
                check_comes_back(model, "a small gamma");
            frocc_model_free(model);
        }
}

static frocc_model *calibrated(void) {
    rng r = rng_seed(4);
    data x = data_new(&r, 60, 3, SHAPE_BLOB, false);
    frocc_params params;
    frocc_params_init(&params);
    params.n_directions = 8;
    params.n_trees = 0;
    params.calibration_rows = 20;
    frocc_model *model = fit(&params, &x);
    data_free(&x);
    return model;
}

/* More copies of held rows than rows would make 0 copies of 2^63 and 2^63. */
static void copies_beyond_all_rows_are_refused(void) {
    frocc_model *model = calibrated(), *loaded = NULL;
    blob b = blob_of(model);
    uint64_t length = 0;
    unsigned char *held = model_section(b.bytes, b.size, "HELD", &length);
    check(held != NULL && model_u64(held + 8) > 1, "nothing is held");
    for (uint64_t copies = 60; copies != 0; copies *= 2) {
        model_put(held + 24, copies, 8);
        model_reseal(b.bytes, b.size);
        check_is(frocc_model_from_bytes(b.bytes, b.size, NULL, &loaded), FROCC_ERR_FORMAT);
    }
    model_put(held + 24, (uint64_t)1 << 63, 8);
    model_reseal(b.bytes, b.size);
    check_is(frocc_model_from_bytes(b.bytes, b.size, NULL, &loaded), FROCC_ERR_FORMAT);
    blob_free(&b);
    frocc_model_free(model);
}

static void too_many_rows_do_not_merge(void) {
    frocc_model *model = calibrated(), *loaded = NULL, *merged = NULL;
    blob b = blob_of(model);
    uint64_t length = 0;
    unsigned char *decision = model_section(b.bytes, b.size, "DECI", &length);
    for (int i = 0; i < 2; i++) {
        model_put(decision + 28, ((uint64_t)1 << 63) - (uint64_t)i, 8);
        model_reseal(b.bytes, b.size);
        check_ok(frocc_model_from_bytes(b.bytes, b.size, NULL, &loaded));
        const frocc_model *both[] = {loaded, loaded};
        check_is(frocc_model_merge(both, 2, &merged), i == 0 ? FROCC_ERR_ARGUMENT : FROCC_OK);
        if (merged != NULL)
            check_comes_back(merged, "many rows");
        frocc_model_free(merged);
        frocc_model_free(loaded);
        merged = NULL;
    }
    blob_free(&b);
    frocc_model_free(model);
}

int main(void) {
    RUN(negative_zeros_are_learnt_as_zeros);
    RUN(tiny_gammas_are_refused);
    RUN(copies_beyond_all_rows_are_refused);
    RUN(too_many_rows_do_not_merge);
    return check_end();
}
