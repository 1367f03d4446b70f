/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sliding window over a stream: a ring of fitters, one for each hour. The window's model is their
 * merge, and an hour is forgotten by replacing its fitter. Here normal drifts to the right; a point
 * that was normal at first is an outlier once the window has moved on.
 */
#include "toy_rows.h"

enum { WINDOW = 3, HOURS = 7, ROWS_PER_HOUR = 200 };

int main(void) {
    frocc_params params;
    frocc_params_init_paper(&params);
    params.n_directions = 100;
    params.epsilon = 1;
    frocc_frame *frame;
    must(frocc_frame_new(&params, 2, NULL, &frame));

    frocc_fitter *ring[WINDOW] = {NULL};
    const double point[2] = {0.5, 0.5};
    for (size_t hour = 0; hour < HOURS; hour++) {
        double values[2 * ROWS_PER_HOUR];
        fill_square(values, ROWS_PER_HOUR, hour * ROWS_PER_HOUR, 0.5 * (double)hour, 0);
        frocc_rows rows = frocc_rows_f64(values, ROWS_PER_HOUR, 2);
        frocc_fitter **oldest = &ring[hour % WINDOW];
        frocc_fitter_free(*oldest);
        must(frocc_fitter_new(frame, &params, oldest));
        must(frocc_fitter_add(*oldest, &rows));

        frocc_fitter *window;
        must(frocc_fitter_new(frame, &params, &window));
        for (size_t i = 0; i < WINDOW && ring[i]; i++) {
            must(frocc_fitter_merge(window, ring[i]));
        }
        frocc_model *model;
        must(frocc_fitter_finish(window, &model));
        frocc_scorer *scorer;
        must(frocc_scorer_new(model, 1, &scorer));
        frocc_rows query = frocc_rows_f64(point, 1, 2);
        double score;
        must(frocc_scorer_score(scorer, &query, &score));
        printf("hour %zu: %llu rows in the window, score of the point %.2f\n", hour,
               (unsigned long long)frocc_fitter_rows(window), score);
        frocc_scorer_free(scorer);
        frocc_model_free(model);
        frocc_fitter_free(window);
    }
    for (size_t i = 0; i < WINDOW; i++) {
        frocc_fitter_free(ring[i]);
    }
    frocc_frame_free(frame);
    return 0;
}
