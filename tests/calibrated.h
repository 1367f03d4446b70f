/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrated.h - parameters of models with calibration, and the scores models give. */
#ifndef FROCC_TESTS_CALIBRATED_H
#define FROCC_TESTS_CALIBRATED_H

#include "laws.h"

/* Some calibration for any setup; k far below and far above the number of rows. */
static inline void calibrated(rng *r, setup *s) {
    static const size_t most[] = {1, 2, 8, 50, 1024};
    frocc_params *p = &s->params;

    setup_closeness(r, s);
    p->calibration_rows = most[rng_below(r, sizeof most / sizeof *most)];
    p->fpr = rng_chance(r, 3) ? 0 : rng_log_between(r, 0.005, 0.9);
}

/* The default, with fewer directions. */
static inline frocc_params label_free(size_t m, size_t calibration_rows) {
    frocc_params p;

    frocc_params_init(&p);
    p.n_directions = m;
    p.calibration_rows = calibration_rows;
    p.threads = 1;
    return p;
}

static inline double *scores_of(const frocc_model *model, const data *x) {
    double *scores = NEW(double, x->n);
    frocc_rows rows = data_rows(x);
    frocc_scorer *scorer = NULL;

    check_ok(frocc_scorer_new(model, 1, &scorer));
    check_ok(frocc_scorer_score(scorer, &rows, scores));
    frocc_scorer_free(scorer);
    return scores;
}

static inline int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

#endif
