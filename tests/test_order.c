/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows in the worst orders that are known for intervals: rising, falling, outward, in batches of
 * any size, and with an epsilon so small that every value is an interval. The model is the same
 * bytes, and takes not many times as long. Time is CPU time, and what is compared ran just before.
 */
#include <time.h>

#include "laws.h"

typedef enum order { SHUFFLED, RISING, FALLING, OUTWARD, ORDERS } order;

/* Rows whose projections all go the same way: columns rise with the row, and a little apart. */
static data rows_of(rng *r, size_t n, size_t d) {
    data x = {n, d, NEW(double, n *d), NEW(float, n *d)};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++) {
            x.f32[i * d + j] = (float)((double)i / (double)n + 1e-5 * rng_unit(r));
            x.f64[i * d + j] = (double)x.f32[i * d + j];
        }
    return x;
}

static data in_order(rng *r, const data *x, order how) {
    size_t *at = NEW(size_t, x->n);
    rng_shuffle(r, at, x->n);
    for (size_t i = 0; i < x->n && how != SHUFFLED; i++)
        at[i] = how == RISING    ? i
                : how == FALLING ? x->n - 1 - i
                : i % 2          ? x->n / 2 - 1 - i / 2
                                 : x->n / 2 + i / 2;
    data y = data_reordered(x, at);
    free(at);
    return y;
}

static frocc_params paper(float epsilon, size_t m) {
    frocc_params params;
    frocc_params_init_paper(&params);
    params.epsilon = epsilon;
    params.n_directions = m;
    params.threads = 1;
    return params;
}

/* Three fitters take the rows in batches, and merge while they still have some to take. */
static frocc_model *fit_in_batches(const frocc_params *params, const data *x, size_t batch) {
    frocc_frame *frame = frame_of(params, x);
    frocc_fitter *parts[3];
    for (int p = 0; p < 3; p++)
        parts[p] = fitter_of(frame, params);
    for (size_t i = 0, k = 0; i < x->n; i += batch, k++) {
        if (i >= x->n / 2 && i < x->n / 2 + batch)
            check_ok(frocc_fitter_merge(parts[0], parts[1]));
        const bool is_late = i >= x->n / 2;
        fitter_take(parts[is_late && k % 3 == 1 ? 0 : k % 3], x, i,
                    batch < x->n - i ? batch : x->n - i);
    }
    check_ok(frocc_fitter_merge(parts[2], parts[0]));
    frocc_model *model = finish(parts[2]);
    for (int p = 0; p < 3; p++)
        frocc_fitter_free(parts[p]);
    frocc_frame_free(frame);
    return model;
}

static void any_order_is_the_same_bytes(void) {
    static const float epsilons[] = {0.1f, 1e-3f, 1e-4f, 1e-6f};
    static const size_t batches[] = {1, 7, 100, 1000, 100000};
    const size_t n = (size_t)check_cases(4000, 1500);
    for (size_t e = 0; e < 4; e++) {
        rng r = rng_seed(880000 + e);
        const frocc_params params = paper(epsilons[e], 12);
        data x = rows_of(&r, n, 3);
        data first = in_order(&r, &x, SHUFFLED);
        frocc_model *whole = fit(&params, &first);
        for (int how = 0; how < ORDERS; how++)
            for (size_t b = 0; b < 5; b++) {
                data y = in_order(&r, &x, (order)how);
                frocc_model *model = fit_in_batches(&params, &y, batches[b]);
                check_same(whole, model, "another order");
                frocc_model_free(model);
                data_free(&y);
            }
        frocc_model_free(whole);
        data_free(&first);
        data_free(&x);
    }
}

static double seconds_of(const frocc_params *params, const data *x) {
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        const clock_t start = clock();
        frocc_model_free(fit(params, x));
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        best = seconds < best ? seconds : best;
    }
    return best;
}

/* Valgrind and sanitizers take other times for other things. */
static void no_order_takes_much_longer(void) {
    static const float epsilons[] = {0.1f, 1e-3f, 1e-6f};
    const double most = check_quick() ? 80 : 25;
    for (size_t e = 0; e < 3; e++) {
        rng r = rng_seed(881000 + e);
        const frocc_params params = paper(epsilons[e], 200);
        data x = rows_of(&r, (size_t)check_cases(20000, 4000), 10);
        data y = in_order(&r, &x, SHUFFLED);
        const double usual = seconds_of(&params, &y);
        data_free(&y);
        for (int how = 1; how < ORDERS; how++) {
            y = in_order(&r, &x, (order)how);
            const double seconds = seconds_of(&params, &y);
            printf("# epsilon %g, order %d: %.1f times as long\n", (double)epsilons[e], how,
                   seconds / usual);
            check(seconds < most * usual, "epsilon %g, order %d: %g s, shuffled %g s",
                  (double)epsilons[e], how, seconds, usual);
            data_free(&y);
        }
        data_free(&x);
    }
}

/* Eight times the rows take eight times as long, and a little more. */
static void time_grows_with_rows(void) {
    const size_t n = (size_t)check_cases(8000, 2000);
    const frocc_params params = paper(1e-6f, 50);
    for (int how = 0; how < ORDERS; how++) {
        double seconds[2];
        for (int k = 0; k < 2; k++) {
            rng r = rng_seed(882000);
            data x = rows_of(&r, k ? 8 * n : n, 4), y = in_order(&r, &x, (order)how);
            seconds[k] = seconds_of(&params, &y);
            data_free(&x);
            data_free(&y);
        }
        printf("# order %d: 8 times the rows, %.1f times as long\n", how, seconds[1] / seconds[0]);
        check(seconds[1] < 24 * seconds[0], "order %d: 8 times the rows take %g s after %g s", how,
              seconds[1], seconds[0]);
    }
}

int main(void) {
    RUN(any_order_is_the_same_bytes);
    RUN(no_order_takes_much_longer);
    RUN(time_grows_with_rows);
    return check_end();
}
