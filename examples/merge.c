/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows that arrive in parts, on threads, processes or machines: each part has a fitter, and merging
 * gives the model of all rows, byte for byte, whatever the order.
 */
#include <string.h>

#include "toy_rows.h"

enum { PARTS = 4, ROWS = 250 };

static frocc_model *fit_in_parts(frocc_frame *frame, const frocc_params *params,
                                 const double *values, const int order[PARTS]) {
    frocc_fitter *all;
    must(frocc_fitter_new(frame, params, &all));
    for (int p = 0; p < PARTS; p++) {
        frocc_fitter *part;
        frocc_rows rows = frocc_rows_f64(values + 2 * ROWS * order[p], ROWS, 2);
        must(frocc_fitter_new(frame, params, &part));
        must(frocc_fitter_add(part, &rows));
        must(frocc_fitter_merge(all, part));
        frocc_fitter_free(part);
    }
    frocc_model *model;
    must(frocc_fitter_finish(all, &model));
    frocc_fitter_free(all);
    return model;
}

int main(void) {
    static double values[2 * PARTS * ROWS];
    fill_square(values, (size_t)PARTS * ROWS, 0, 0, 0);
    frocc_params params;
    frocc_params_init_paper(&params);
    params.n_directions = 64;
    params.epsilon = 0.01f;

    frocc_frame *frame;
    must(frocc_frame_new(&params, 2, NULL, &frame));
    frocc_model *forward = fit_in_parts(frame, &params, values, (int[]){0, 1, 2, 3});
    frocc_model *shuffled = fit_in_parts(frame, &params, values, (int[]){2, 0, 3, 1});
    frocc_model *whole;
    frocc_rows rows = frocc_rows_f64(values, (size_t)PARTS * ROWS, 2);
    must(frocc_fit(&params, &rows, &whole));

    frocc_model *models[] = {forward, shuffled, whole};
    void *bytes[3];
    size_t sizes[3];
    for (int i = 0; i < 3; i++) {
        must(frocc_model_to_bytes(models[i], &bytes[i], &sizes[i]));
    }
    for (int i = 0; i < 2; i++) {
        int same = sizes[i] == sizes[2] && !memcmp(bytes[i], bytes[2], sizes[2]);
        printf("%s: %s\n", i ? "parts in another order" : "parts in order",
               same ? "the same bytes as one fit" : "DIFFERENT");
    }
    for (int i = 0; i < 3; i++) {
        frocc_bytes_free(bytes[i]);
        frocc_model_free(models[i]);
    }
    frocc_frame_free(frame);
    return 0;
}
