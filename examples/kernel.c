/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kernel of your own: how strongly a row responds to a direction. This one is the L1 distance
 * from a scaled direction, so intervals become diamond-shaped rings.
 */
#include <math.h>

#include "toy_rows.h"

static float city_block(void *context, const float *row, const float *direction,
                        size_t n_features) {
    float radius = *(const float *)context;
    float sum = 0;
    for (size_t j = 0; j < n_features; j++) {
        sum += fabsf(row[j] - radius * direction[j]);
    }
    return sum;
}

int main(void) {
    double values[2 * 500];
    fill_square(values, 500, 0, -0.5, -0.5);
    float radius = 2;
    frocc_params params;
    frocc_params_init_paper(&params);
    params.n_directions = 100;
    params.epsilon = 0.2f;
    params.kernel = FROCC_KERNEL_CUSTOM;
    params.kernel_fn = city_block;
    params.kernel_context = &radius;
    params.kernel_name = "city-block";

    frocc_rows rows = frocc_rows_f64(values, 500, 2);
    frocc_model *model;
    must(frocc_fit(&params, &rows, &model));

    /* The file keeps the kernel's name; the function itself has to be given again. */
    void *bytes;
    size_t size;
    must(frocc_model_to_bytes(model, &bytes, &size));
    frocc_model_free(model);
    if (frocc_model_from_bytes(bytes, size, NULL, &model) != FROCC_OK) {
        printf("without the function: %s\n", frocc_last_error());
    }
    frocc_load_options options = {
        .struct_size = sizeof options, .kernel_fn = city_block, .kernel_context = &radius};
    must(frocc_model_from_bytes(bytes, size, &options, &model));
    frocc_bytes_free(bytes);

    const double points[][2] = {{0, 0}, {0.6, 0}, {1, 1}};
    frocc_scorer *scorer;
    must(frocc_scorer_new(model, 1, &scorer));
    rows = frocc_rows_f64(points[0], 3, 2);
    double scores[3];
    must(frocc_scorer_score(scorer, &rows, scores));
    for (int i = 0; i < 3; i++) {
        printf("(%.1f, %.1f) scores %.2f\n", points[i][0], points[i][1], scores[i]);
    }
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    return 0;
}
