/* SPDX-License-Identifier: BSD-3-Clause */
#include "frocc.h"

#include <stdio.h>

/* A far row must score below one among those that were learnt. */
int main(void) {
    double normal[200][2];
    for (int i = 0; i < 200; i++) {
        normal[i][0] = i % 20;
        normal[i][1] = i / 20;
    }
    const double fresh[2][2] = {{9.5, 4.5}, {1000, -1000}};
    double scores[2];
    frocc_params params;
    frocc_params_init(&params);
    frocc_rows learnt = frocc_rows_f64(normal[0], 200, 2);
    frocc_rows rows = frocc_rows_f64(fresh[0], 2, 2);
    frocc_model *model = NULL;
    frocc_scorer *scorer = NULL;
    int failed = frocc_fit(&params, &learnt, &model) || frocc_scorer_new(model, 1, &scorer) ||
                 frocc_scorer_score(scorer, &rows, scores);
    if (failed) {
        fprintf(stderr, "use: %s\n", frocc_last_error());
    } else {
        printf("%g %g\n", scores[0], scores[1]);
        failed = !(scores[1] < scores[0]);
    }
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    return failed;
}
