/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters: the defaults, and the one place that says what is allowed. */
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/rows.h"
#include "base/status.h"

void frocc_params_init_paper(frocc_params *params) {
    if (params == NULL)
        return;
    *params = (frocc_params){.struct_size = sizeof(frocc_params),
                             .n_directions = 1000,
                             .epsilon = 0.1f,
                             .threshold = 1.0,
                             .degree = 3};
}

void frocc_params_init(frocc_params *params) {
    if (params == NULL)
        return;
    frocc_params_init_paper(params);
    params->n_directions = 256;
    params->n_trees = 24;
    params->epsilon = 0x1p-12f;
    params->score = FROCC_SCORE_CLOSENESS;
    params->scaling = FROCC_SCALING_ASINH;
    params->family = FROCC_FAMILY_MIXED;
    params->calibration_rows = FROCC_CALIBRATION_AUTO;
    params->fpr = 0.01;
}

static frocc_status check_score(const frocc_params *p) {
    if (p->score != FROCC_SCORE_AGREEMENT && p->score != FROCC_SCORE_CLOSENESS)
        return frocc__fail(FROCC_ERR_ARGUMENT, "score %d is not known", (int)p->score);
    if (!(p->threshold <= 1.0) || p->threshold < -DBL_MAX ||
        (p->score == FROCC_SCORE_AGREEMENT && p->threshold < 0.0))
        return frocc__fail(
            FROCC_ERR_ARGUMENT,
            "threshold is %g; it must be 0 to 1, or any number up to 1 for closeness",
            p->threshold);
    if (!(p->fpr >= 0.0 && p->fpr < 1.0))
        return frocc__fail(FROCC_ERR_ARGUMENT, "fpr is %g; it must be 0 (none) to below 1", p->fpr);
    if ((p->calibration_rows > (size_t)1 << 24 && p->calibration_rows != FROCC_CALIBRATION_AUTO) ||
        (p->fpr > 0.0 && p->calibration_rows == 0))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "calibration_rows is %zu; it must be at most 2^24, and above 0 for a "
                           "false-alarm rate",
                           p->calibration_rows);
    if (p->score == FROCC_SCORE_CLOSENESS &&
        !(p->epsilon >= FROCC_CLOSENESS_MIN_EPSILON && p->epsilon <= FROCC_CLOSENESS_MAX_EPSILON))
        return frocc__fail(FROCC_ERR_ARGUMENT, "epsilon is %g; for closeness it must be %g to %g",
                           (double)p->epsilon, (double)FROCC_CLOSENESS_MIN_EPSILON,
                           (double)FROCC_CLOSENESS_MAX_EPSILON);
    if (p->score != FROCC_SCORE_CLOSENESS &&
        (p->calibration_rows > 0 || p->contamination > 0.0 || p->n_trees > 0))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "calibration, contamination and trees are of closeness only; agreement "
                           "needs calibration_rows, fpr, contamination and n_trees 0");
    if (!(p->contamination >= 0.0 && p->contamination <= 0.5))
        return frocc__fail(FROCC_ERR_ARGUMENT, "contamination is %g; it must be 0 to 0.5",
                           p->contamination);
    if (p->n_trees > 4096)
        return frocc__fail(FROCC_ERR_ARGUMENT, "n_trees is %zu; it must be at most 4096",
                           p->n_trees);
    return FROCC_OK;
}

static frocc_status check_sizes(const frocc_params *p, size_t n_features) {
    if (n_features == 0 || n_features > FROCC_MAX_FEATURES)
        return frocc__fail(FROCC_ERR_SHAPE,
                           "rows of %zu columns cannot be used; there must be 1 "
                           "to %zu",
                           n_features, FROCC_MAX_FEATURES);
    if (p->n_directions == 0 || p->n_directions > FROCC_MAX_DIRECTIONS)
        return frocc__fail(FROCC_ERR_ARGUMENT, "n_directions is %zu; it must be 1 to %zu",
                           p->n_directions, FROCC_MAX_DIRECTIONS);
    if (!(p->epsilon >= FROCC_MIN_EPSILON && p->epsilon <= 1.0f))
        return frocc__fail(FROCC_ERR_ARGUMENT, "epsilon is %g; it must be %g to 1",
                           (double)p->epsilon, (double)FROCC_MIN_EPSILON);
    if (p->sample_rows > (size_t)1 << 30)
        return frocc__fail(FROCC_ERR_ARGUMENT, "sample_rows is %zu; it must be at most 2^30",
                           p->sample_rows);
    if (p->threads < 0)
        return frocc__fail(FROCC_ERR_ARGUMENT, "threads is %d; it must be 0 (all) or more",
                           p->threads);
    return FROCC_OK;
}

static frocc_status check_kernel(const frocc_params *p) {
    if ((int)p->kernel < FROCC_KERNEL_LINEAR || p->kernel > FROCC_KERNEL_CUSTOM)
        return frocc__fail(FROCC_ERR_ARGUMENT, "kernel %d is not known", (int)p->kernel);
    if (!(p->gamma >= 0.0 && p->gamma <= FLT_MAX))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "gamma is %g; it must be positive, or 0 for 1 / n_features", p->gamma);
    if (p->gamma > 0.0 && (float)p->gamma == 0.0f) /* which stands for something else */
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "gamma is %g; it must be at least %g, or 0 for 1 / n_features", p->gamma,
                           (double)FLT_TRUE_MIN);
    if (!(fabs(p->coef0) <= FLT_MAX))
        return frocc__fail(FROCC_ERR_ARGUMENT, "coef0 is %g; it must be finite", p->coef0);
    if (p->degree < 1 || p->degree > FROCC_MAX_DEGREE)
        return frocc__fail(FROCC_ERR_ARGUMENT, "degree is %d; it must be 1 to %d", p->degree,
                           FROCC_MAX_DEGREE);
    if (p->kernel != FROCC_KERNEL_CUSTOM)
        return FROCC_OK;
    if (p->kernel_fn == NULL)
        return frocc__fail(FROCC_ERR_ARGUMENT, "a custom kernel needs kernel_fn");
    if (p->kernel_name != NULL && strlen(p->kernel_name) >= FROCC_KERNEL_NAME_SIZE)
        return frocc__fail(FROCC_ERR_ARGUMENT, "kernel_name must be shorter than %d bytes",
                           FROCC_KERNEL_NAME_SIZE);
    return FROCC_OK;
}

static frocc_status check_scaling(const frocc_params *p, size_t n_features) {
    if ((int)p->scaling < FROCC_SCALING_NONE || p->scaling > FROCC_SCALING_WHITEN)
        return frocc__fail(FROCC_ERR_ARGUMENT, "scaling %d is not known", (int)p->scaling);
    if (p->scaling == FROCC_SCALING_WHITEN &&
        (p->family == FROCC_FAMILY_GIVEN || p->family == FROCC_FAMILY_HADAMARD ||
         p->family == FROCC_FAMILY_SPARSE))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "given, structured and sparse directions cannot be whitened; take "
                           "gaussian or mixed ones, or another scaling");
    if (p->scaling != FROCC_SCALING_GIVEN)
        return FROCC_OK;
    if (p->shift == NULL || p->scale == NULL)
        return frocc__fail(FROCC_ERR_ARGUMENT, "a given scaling needs both shift and scale");
    for (size_t j = 0; j < n_features; j++)
        if (!isfinite(p->shift[j]) || !isfinite(p->scale[j]) || p->scale[j] == 0.0)
            return frocc__fail(FROCC_ERR_ARGUMENT,
                               "the scaling of column %zu (from 0) is not finite or divides by 0",
                               j);
    return FROCC_OK;
}

static frocc_status check_directions(const frocc_params *p, size_t n_features) {
    if ((int)p->family < FROCC_FAMILY_GAUSSIAN || p->family > FROCC_FAMILY_AUTO)
        return frocc__fail(FROCC_ERR_ARGUMENT, "family %d is not known", (int)p->family);
    if (!(p->density >= 0.0 && p->density <= 1.0))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "density is %g; it must be at most 1, or 0 for 1 / sqrt(n_features)",
                           p->density);
    size_t count = 0;
    if (__builtin_mul_overflow(p->n_directions, n_features, &count) || count > SIZE_MAX / 64)
        return frocc__fail(FROCC_ERR_ARGUMENT, "%zu directions of %zu columns do not fit in memory",
                           p->n_directions, n_features);
    if (p->family != FROCC_FAMILY_GIVEN)
        return FROCC_OK;
    if (p->directions == NULL)
        return frocc__fail(FROCC_ERR_ARGUMENT, "the given family needs directions");
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(p->directions[i]) <= FROCC_LARGEST_COMPONENT))
            return frocc__fail(FROCC_ERR_ARGUMENT,
                               "direction %zu, column %zu (from 0): %g is not within -%g to %g",
                               i / n_features, i % n_features, (double)p->directions[i],
                               (double)FROCC_LARGEST_COMPONENT, (double)FROCC_LARGEST_COMPONENT);
    return FROCC_OK;
}

frocc_status frocc_params_check(const frocc_params *params, size_t n_features) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(params);
    if (params->struct_size != sizeof(frocc_params))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "the parameters are not initialised; call frocc_params_init first");
    if (params->schema != NULL && frocc_schema_features(params->schema) != n_features)
        return frocc__fail(FROCC_ERR_SHAPE,
                           "the schema makes %zu features of its columns, the rows have %zu",
                           frocc_schema_features(params->schema), n_features);
    FROCC_TRY(check_sizes(params, n_features));
    FROCC_TRY(check_score(params));
    FROCC_TRY(check_kernel(params));
    FROCC_TRY(check_scaling(params, n_features));
    return check_directions(params, n_features);
}
