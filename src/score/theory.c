/* SPDX-License-Identifier: BSD-3-Clause */
/* What the paper's theory speaks of: model size, error decay, the discriminating measure. */
#include <math.h>

#include "base/arithmetic.h"
#include "base/status.h"
#include "kernels/interval.h"

frocc_status frocc_theory_size_bounds(size_t n_directions, float epsilon, uint64_t *at_least,
                                      uint64_t *at_most) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(at_least);
    FROCC_REQUIRE(at_most);
    if (!(epsilon >= FROCC_MIN_EPSILON && epsilon <= 1.0f) || n_directions == 0 ||
        n_directions > FROCC_MAX_DIRECTIONS)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "n_directions %zu or epsilon %g is out of the range of a fit",
                           n_directions, (double)epsilon);
    *at_least = 2 * (uint64_t)n_directions;
    *at_most = 2 * (uint64_t)n_directions * frocc__most_intervals(epsilon);
    return FROCC_OK;
}

/* (1 - mu)^m, without losing a small mu in the subtraction. */
static double acceptance(double mu, double m) {
    double rest = 1.0 - mu;
    return 1.0 - rest == mu ? pow(rest, m) : exp(m * log1p(-mu));
}

frocc_status frocc_theory_directions_needed(double mu, double delta, uint64_t *m) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(m);
    if (!(mu > 0.0 && mu <= 1.0 && delta > 0.0 && delta < 1.0))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "mu is %g and delta %g; they must be within (0, 1] and (0, 1)", mu,
                           delta);
    if (mu == 1.0) {
        *m = 1;
        return FROCC_OK;
    }
    double needed = ceil(log(delta) / log1p(-mu));
    if (!(needed < 1e15))
        return frocc__fail(FROCC_ERR_ARGUMENT, "mu %g is too small: over 1e15 directions", mu);
    while (needed > 1.0 && acceptance(mu, needed - 1.0) <= delta)
        needed -= 1.0;
    while (acceptance(mu, needed) > delta)
        needed += 1.0;
    *m = (uint64_t)fmax(needed, 1.0);
    return FROCC_OK;
}

static frocc_status measure(const frocc_model *model, int threads, const frocc_rows *points,
                            double *mu) {
    frocc_scorer *scorer = NULL;
    FROCC_TRY(frocc_scorer_new(model, threads, &scorer));
    frocc_status status = frocc_scorer_score(scorer, points, mu);
    frocc_scorer_free(scorer);
    for (size_t i = 0; status == FROCC_OK && i < points->n_rows; i++)
        mu[i] = 1.0 - mu[i];
    return status;
}

/* With epsilon 1 a direction rejects exactly what lies outside its range, so the measure is the
 * share of rejecting directions. */
frocc_status frocc_theory_discriminating_measure(const frocc_params *params, const frocc_rows *rows,
                                                 const frocc_rows *points, double *mu) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(params);
    FROCC_REQUIRE(points);
    FROCC_REQUIRE(mu);
    frocc_params whole_range = *params;
    whole_range.epsilon = 1.0f;
    whole_range.score = FROCC_SCORE_AGREEMENT;
    whole_range.threshold = 1.0;
    whole_range.calibration_rows = 0;
    whole_range.contamination = 0.0;
    whole_range.n_trees = 0;
    whole_range.fpr = 0.0;
    frocc_model *model = NULL;
    FROCC_TRY(frocc_fit(&whole_range, rows, &model));
    frocc_status status = measure(model, params->threads, points, mu);
    frocc_model_free(model);
    return status;
}
