/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P-values: how many normal rows score as low? Told by rows that calibrate (calibrate.h).
 *
 * Where a share C of the rows may be anomalies, some of those that calibrate are. Let F be the
 * share of all rows with no higher score. Of normal rows it is at least (F - C) / (1 - C), as if
 * every anomaly scored lower, and that is nearly exact where F is well above C. Further out it is
 * told by an exponential tail through two such places. It is never more than F, as if there were no
 * anomaly.
 */
#include <math.h>

#include "base/arithmetic.h"
#include "base/status.h"
#include "kernels/mathf.h"
#include "model/model.h"

static frocc_status check_calibrated(const frocc_model *model) {
    if (frocc__model_counts(model) && model->calibration.scores != NULL)
        return FROCC_OK;
    return frocc__fail(FROCC_ERR_UNSUPPORTED, "the model has no calibration; fit it with closeness "
                                              "and calibration_rows above 0");
}

/* Calibration rows that score at most this; the last score that is not above it tells. */
static uint64_t rows_at_most(const frocc__calibration *calibration, double score) {
    size_t low = 0, high = calibration->n_scores;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (calibration->scores[middle] <= score)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? 0 : calibration->rows[low - 1];
}

/* The largest score that no more than this share of the calibration rows stay below. */
static double score_at(const frocc__calibration *calibration, double share) {
    const double total = (double)frocc__calibration_rows(calibration) + 1.0;
    size_t i = 0;
    while (i + 1 < calibration->n_scores && ((double)calibration->rows[i] + 1.0) / total <= share)
        i++;
    return calibration->scores[i];
}

#define TAIL_NEAR 0.03
#define TAIL_FAR 0.1
#define LOG_OF_RATIO 1.2039728043259361 /* of the two */

typedef struct tail {
    double share; /* that may be anomalies, C */
    double near;  /* the score at TAIL_NEAR */
    double fall;  /* by so much less of a score, a rate falls by a factor of e; 0: not known */
} tail;

static tail tail_of(const frocc_model *model) {
    const frocc__calibration *calibration = &model->calibration;
    tail t = {.share = model->decision.contamination};
    if (!(t.share > 0.0) || calibration->n_scores == 0)
        return (tail){0};
    t.near = score_at(calibration, t.share + TAIL_NEAR * (1.0 - t.share));
    const double far = score_at(calibration, t.share + TAIL_FAR * (1.0 - t.share));
    t.fall = (far - t.near) / LOG_OF_RATIO;
    return t;
}

static double p_value(const frocc__calibration *calibration, const tail *t, double score) {
    const double total = (double)frocc__calibration_rows(calibration) + 1.0, least = 1.0 / total;
    const double all = ((double)rows_at_most(calibration, score) + 1.0) / total;
    if (t->share == 0.0)
        return all;
    const double low = (all - t->share) / (1.0 - t->share);
    double p = low;
    if (score < t->near && t->fall > 0.0)
        p = TAIL_NEAR * (double)frocc__expf((float)((score - t->near) / t->fall));
    return FROCC_MIN(FROCC_MAX(FROCC_MAX(p, low), least), all);
}

frocc_status frocc_model_p_values(const frocc_model *model, const double *scores, size_t n_scores,
                                  double *p_values) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(scores);
    FROCC_REQUIRE(p_values);
    FROCC_TRY(check_calibrated(model));
    const tail t = tail_of(model);
    for (size_t i = 0; i < n_scores; i++)
        p_values[i] = p_value(&model->calibration, &t, scores[i]);
    return FROCC_OK;
}

/* The lowest score with a p-value above a rate; p-values rise with scores. */
static double score_above(const frocc__calibration *calibration, const tail *t, double rate) {
    double low = -1e6, high = calibration->scores[calibration->n_scores - 1];
    for (;;) {
        const double middle = low + (high - low) / 2.0;
        if (middle <= low || middle >= high)
            return high;
        if (p_value(calibration, t, middle) > rate)
            high = middle;
        else
            low = middle;
    }
}

/* p <= fpr means that at most fpr (n + 1) - 1 calibration rows score as low: below the score at
 * which there are more. */
frocc_status frocc_model_threshold(const frocc_model *model, double fpr, double *threshold) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(threshold);
    FROCC_TRY(check_calibrated(model));
    if (!(fpr >= 0.0 && fpr < 1.0))
        return frocc__fail(FROCC_ERR_ARGUMENT, "fpr is %g; it must be 0 to below 1", fpr);
    const frocc__calibration *calibration = &model->calibration;
    const double total = (double)frocc__calibration_rows(calibration) + 1.0;
    const double rate = FROCC_MAX(fpr, 1.0 / total); /* no lower one can be told */
    const tail t = tail_of(model);
    *threshold = fpr > 0.0 ? 0.0 : -HUGE_VAL;
    if (fpr == 0.0 || calibration->n_scores == 0)
        return FROCC_OK;
    *threshold = t.share > 0.0 ? score_above(calibration, &t, rate) : score_at(calibration, rate);
    return FROCC_OK;
}
