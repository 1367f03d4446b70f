/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One fit, every (m, epsilon): a fit with the most directions and the smallest epsilon also knows
 * what every fit with fewer directions or a larger epsilon would say.
 */
#include "toy_rows.h"

enum { N_ROWS = 400, N_EPSILONS = 3, N_MS = 3 };

int main(void) {
    /* Two squares with a gap between them; the query lies in the gap. */
    double values[2 * N_ROWS];
    fill_square(values, N_ROWS / 2, 0, 0, 0);
    fill_square(values + N_ROWS, N_ROWS / 2, 1000, 1.5, 0);
    const double query[2] = {1.25, 0.5};

    frocc_params params;
    frocc_params_init_paper(&params);
    params.n_directions = 256;
    params.epsilon = 0.05f;
    frocc_rows rows = frocc_rows_f64(values, N_ROWS, 2);
    frocc_model *model;
    must(frocc_fit(&params, &rows, &model));

    const float epsilons[N_EPSILONS] = {0.05f, 0.15f, 1};
    const uint32_t ms[N_MS] = {16, 64, 256};
    uint32_t counts[N_EPSILONS][N_MS];
    frocc_scorer *scorer;
    must(frocc_scorer_new(model, 1, &scorer));
    rows = frocc_rows_f64(query, 1, 2);
    must(frocc_scorer_grid(scorer, &rows, epsilons, N_EPSILONS, ms, N_MS, counts[0]));
    printf("directions that accept the query\n%8s", "epsilon");
    for (int j = 0; j < N_MS; j++) {
        printf("  m = %3u", ms[j]);
    }
    for (int i = 0; i < N_EPSILONS; i++) {
        printf("\n%8.2f", (double)epsilons[i]);
        for (int j = 0; j < N_MS; j++) {
            printf("%9u", counts[i][j]);
        }
    }
    printf("\n");

    /* The same as a model of its own, to be saved or shared. */
    frocc_model *coarser, *shorter;
    must(frocc_model_coarsen(model, 0.15f, &coarser));
    must(frocc_model_truncate(coarser, 64, &shorter));
    frocc_scorer *small;
    must(frocc_scorer_new(shorter, 1, &small));
    uint32_t count;
    must(frocc_scorer_count(small, &rows, &count));
    printf("coarsened to 0.15 and truncated to 64: %u\n", count);
    frocc_scorer_free(small);
    frocc_scorer_free(scorer);
    frocc_model_free(shorter);
    frocc_model_free(coarser);
    frocc_model_free(model);
    return 0;
}
