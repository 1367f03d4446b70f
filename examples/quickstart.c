/* SPDX-License-Identifier: BSD-3-Clause */
/* Fit on normal rows, score new ones, save the model and load it again. */
#include <frocc.h>
#include <stdio.h>
#include <stdlib.h>

static void must(frocc_status status) {
    if (status != FROCC_OK) {
        fprintf(stderr, "%s\n", frocc_last_error());
        exit(1);
    }
}

int main(void) {
    /* Normal rows: pulse and temperature of healthy people. */
    static const double normal[][2] = {{62, 36.6}, {71, 36.8}, {58, 36.4}, {66, 36.7}, {75, 36.9},
                                       {69, 36.5}, {80, 37.0}, {64, 36.9}, {73, 36.6}, {60, 36.7}};
    static const double fresh[][2] = {{68, 36.7}, {120, 39.2}, {66, 36.6}, {80, 36.0}};

    frocc_params params;
    frocc_params_init_paper(&params);
    params.n_directions = 200;
    params.scaling = FROCC_SCALING_STANDARD;
    params.epsilon = 1;

    frocc_rows rows = frocc_rows_f64(normal[0], 10, 2);
    frocc_model *model;
    must(frocc_fit(&params, &rows, &model));
    must(frocc_model_save(model, "quickstart.frocc"));
    frocc_model_free(model);

    must(frocc_model_load("quickstart.frocc", NULL, &model));
    remove("quickstart.frocc");
    frocc_scorer *scorer;
    must(frocc_scorer_new(model, 1, &scorer));
    double scores[4];
    uint8_t is_normal[4];
    rows = frocc_rows_f64(fresh[0], 4, 2);
    must(frocc_scorer_score(scorer, &rows, scores));
    must(frocc_scorer_decide(scorer, &rows, 0.9, is_normal));
    for (int i = 0; i < 4; i++) {
        printf("pulse %3.0f, temperature %.1f: score %.3f, %s\n", fresh[i][0], fresh[i][1],
               scores[i], is_normal[i] ? "normal" : "outlier");
    }
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    return 0;
}
