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

int main(void) {
    count_memory();
    RUN(huge_claims_are_cheap);
    RUN(many_wide_directions_are_cheap);
    RUN(cells_are_counted);
    RUN(a_limit_is_kept_to);
    return check_end();
}
