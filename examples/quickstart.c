/* SPDX-License-Identifier: BSD-3-Clause */
/* Fit on normal rows, save the model and load it again, score and judge new ones. */
#include <frocc.h>
#include <stdio.h>
#include <stdlib.h>

static void must(frocc_status status) {
    if (status != FROCC_OK) {
        fprintf(stderr, "%s\n", frocc_last_error());
        exit(1);
    }
}

/* A number around 0, mostly within -2 to 2: twelve throws of a die. */
static double around_zero(void) {
    static uint32_t state = 1;
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        state = state * 1664525u + 1013904223u;
        sum += (double)(state >> 8) / (1 << 24);
    }
    return sum;
}

int main(void) {
    /* Normal rows: pulse and temperature of healthy people, which rise together. */
    static double normal[1000][2];
    for (int i = 0; i < 1000; i++) {
        double effort = around_zero();
        normal[i][0] = 68 + 6 * effort + 3 * around_zero();
        normal[i][1] = 36.7 + 0.2 * effort + 0.1 * around_zero();
    }
    static const double fresh[][2] = {{68, 36.7}, {120, 39.2}, {74, 36.9}, {80, 36.2}};

    frocc_params params;
    frocc_params_init(&params);
    frocc_rows rows = frocc_rows_f64(normal[0], 1000, 2);
    frocc_model *model;
    must(frocc_fit(&params, &rows, &model));
    must(frocc_model_save(model, "quickstart.frocc"));
    frocc_model_free(model);

    must(frocc_model_load("quickstart.frocc", NULL, &model));
    remove("quickstart.frocc");
    frocc_scorer *scorer;
    must(frocc_scorer_new(model, 1, &scorer));
    double scores[4], p_values[4];
    uint8_t is_normal[4];
    rows = frocc_rows_f64(fresh[0], 4, 2);
    must(frocc_scorer_score(scorer, &rows, scores));
    must(frocc_model_p_values(model, scores, 4, p_values));
    must(frocc_scorer_decide(scorer, &rows, FROCC_OWN_THRESHOLD, is_normal));
    for (int i = 0; i < 4; i++) {
        printf("pulse %3.0f, temperature %.1f: score %.3f, p-value %.3f, %s\n", fresh[i][0],
               fresh[i][1], scores[i], p_values[i], is_normal[i] ? "normal" : "outlier");
    }
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    return 0;
}
