/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user's first program does: learn a line of points, then ask about two. */
#include <frocc.h>

#include <stdio.h>

int main(void) {
    float train[20], query[2] = {0.5f, 9.0f};
    double scores[2] = {0, 0};
    frocc_rows rows = frocc_rows_f32(train, 20, 1), queries = frocc_rows_f32(query, 2, 1);
    frocc_params params;
    frocc_model *model = NULL;
    frocc_scorer *scorer = NULL;
    int fine;

    for (int i = 0; i < 20; i++)
        train[i] = (float)i / 19;
    frocc_params_init_paper(&params);
    params.n_directions = 50;
    fine = frocc_fit(&params, &rows, &model) == FROCC_OK &&
           frocc_scorer_new(model, 1, &scorer) == FROCC_OK &&
           frocc_scorer_score(scorer, &queries, scores) == FROCC_OK;
    if (fine)
        printf("frocc %s: %g %g\n", frocc_version(), scores[0], scores[1]);
    else
        printf("failed: %s\n", frocc_last_error());
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    return !(fine && scores[0] == 1.0 && scores[1] == 0.0);
}
