/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why was a row rejected? Every rejecting direction names its distance from what normal rows fill,
 * and a feature's part in a projection is its component times its scaled value. Weighting the parts
 * with the distances shows which features drive the rejection.
 */
#include <math.h>

#include "toy_rows.h"

enum { N_ROWS = 500, N_FEATURES = 4, N_DIRECTIONS = 300 };

int main(void) {
    static const char *const names[N_FEATURES] = {"pressure", "voltage", "current", "speed"};
    double values[N_ROWS * N_FEATURES];
    for (size_t i = 0; i < N_ROWS * N_FEATURES; i++) {
        values[i] = spread(i * 13 + i / N_FEATURES);
    }
    const double query[N_FEATURES] = {0.5, 0.5, 2.0, 0.4}; /* too much current */

    frocc_params params;
    frocc_params_init_paper(&params);
    params.n_directions = N_DIRECTIONS;
    params.epsilon = 1;
    params.scaling = FROCC_SCALING_STANDARD;
    frocc_rows rows = frocc_rows_f64(values, N_ROWS, N_FEATURES);
    frocc_model *model;
    must(frocc_fit(&params, &rows, &model));
    frocc_scorer *scorer;
    must(frocc_scorer_new(model, 1, &scorer));
    float distances[N_DIRECTIONS];
    rows = frocc_rows_f64(query, 1, N_FEATURES);
    must(frocc_scorer_distances(scorer, &rows, distances));

    static float directions[N_DIRECTIONS][N_FEATURES];
    frocc_frame *frame = frocc_model_frame(model);
    must(frocc_frame_copy_directions(frame, 0, N_DIRECTIONS, directions[0]));
    double shift[N_FEATURES], scale[N_FEATURES];
    frocc_frame_copy_scaling(frame, shift, scale);
    double blame[N_FEATURES] = {0}, total = 0;
    int rejecting = 0;
    for (int i = 0; i < N_DIRECTIONS; i++) {
        rejecting += distances[i] > 0;
        for (int j = 0; j < N_FEATURES; j++) {
            double scaled = (query[j] - shift[j]) / scale[j];
            double part = (double)distances[i] * fabs((double)directions[i][j] * scaled);
            blame[j] += part;
            total += part;
        }
    }
    printf("%d of %d directions reject the row\n", rejecting, N_DIRECTIONS);
    for (int j = 0; j < N_FEATURES; j++) {
        printf("  %-8s %2.0f %%\n", names[j], 100 * blame[j] / total);
    }
    frocc_frame_free(frame);
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    return 0;
}
