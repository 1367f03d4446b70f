/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frame by itself: directions that are what the theory asks for, scalings that are what their
 * names say, samples that hold what they promise, and a checksum that tells frames apart.
 */
#include "laws.h"

static frocc_frame *plain_frame(uint64_t seed, size_t m, size_t d) {
    frocc_params p;
    frocc_frame *frame = NULL;

    frocc_params_init_paper(&p);
    p.seed = seed;
    p.n_directions = m;
    check_ok(frocc_frame_new(&p, d, NULL, &frame));
    check(frocc_frame_features(frame) == d && frocc_frame_directions(frame) == m, "its sizes");
    return frame;
}

static float *directions_of(const frocc_frame *frame) {
    size_t m = frocc_frame_directions(frame), d = frocc_frame_features(frame);
    float *w = NEW(float, m *d);
    check_ok(frocc_frame_copy_directions(frame, 0, m, w));
    return w;
}

static void directions_have_length_1(void) {
    static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 1000};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t d = sizes[k], m = 200;
        frocc_frame *frame = plain_frame(k, m, d);
        float *w = directions_of(frame);
        for (size_t i = 0; i < m; i++) {
            double square = 0;
            for (size_t j = 0; j < d; j++)
                square += (double)w[i * d + j] * (double)w[i * d + j];
            check(fabs(sqrt(square) - 1) < 1e-6, "direction %zu of %zu has length %g", i, d,
                  sqrt(square));
        }
        free(w);
        frocc_frame_free(frame);
    }
}

/* A direction is a function of seed and number only; copying a part copies that part. */
static void first_directions_do_not_depend_on_m(void) {
    for (uint64_t seed = 1; seed < 20; seed++) {
        size_t d = 1 + (size_t)seed * 3, few = (size_t)seed, many = few + 37;
        frocc_frame *a = plain_frame(seed, few, d), *b = plain_frame(seed, many, d);
        float *w = directions_of(a), *v = directions_of(b), *part = NEW(float, 5 * d);
        check(memcmp(w, v, few * d * sizeof *w) == 0, "the first %zu of %zu differ", few, many);
        check_ok(frocc_frame_copy_directions(b, few + 3, 5, part));
        check(memcmp(part, v + (few + 3) * d, 5 * d * sizeof *w) == 0, "a part differs");
        free(w);
        free(v);
        free(part);
        frocc_frame_free(a);
        frocc_frame_free(b);
    }
}

/*
 * Uniform on the sphere: each coordinate has mean 0, variance 1/d and fourth moment 3/(d(d+2));
 * two coordinates are uncorrelated; neighbouring directions and seeds are unrelated.
 */
static void directions_are_uniform(void) {
    size_t m = (size_t)check_cases(40000, 4000);
    double bound = 5 / sqrt((double)m); /* five standard errors of a variable of variance 1 */

    for (size_t d = 2; d <= 5; d++) {
        frocc_frame *frame = plain_frame(77 + d, m, d), *other = plain_frame(78 + d, m, d);
        float *w = directions_of(frame), *v = directions_of(other);
        double wide = (double)d;
        for (size_t j = 0; j < d; j++) {
            double mean = 0, square = 0, fourth = 0, cross = 0, lagged = 0, seeds = 0;
            for (size_t i = 0; i < m; i++) {
                double x = (double)w[i * d + j], y = (double)w[i * d + (j + 1) % d];
                mean += x * sqrt(wide);
                square += x * x * wide - 1;
                fourth += x * x * x * x - 3 / (wide * (wide + 2));
                cross += x * y * wide;
                lagged += i ? x * (double)w[(i - 1) * d + j] * wide : 0;
                seeds += x * (double)v[i * d + j] * wide;
            }
            check(fabs(mean) / (double)m < bound, "mean of coordinate %zu of %zu", j, d);
            check(fabs(square) / (double)m < bound, "variance of coordinate %zu of %zu", j, d);
            check(fabs(fourth) / (double)m < bound, "fourth moment of %zu of %zu", j, d);
            check(fabs(cross) / (double)m < bound, "coordinates %zu of %zu correlate", j, d);
            check(fabs(lagged) / (double)m < bound, "neighbours correlate, %zu of %zu", j, d);
            check(fabs(seeds) / (double)m < bound, "seeds correlate, %zu of %zu", j, d);
        }
        free(w);
        free(v);
        frocc_frame_free(frame);
        frocc_frame_free(other);
    }
}

/* By chi-square: on the circle the angle is uniform, on the 3-sphere a coordinate is. */
static void angles_are_uniform(void) {
    enum { BINS = 64 };
    size_t m = (size_t)check_cases(50000, 5000);

    for (size_t d = 2; d <= 3; d++) {
        frocc_frame *frame = plain_frame(5 + d, m, d);
        float *w = directions_of(frame);
        double bins[BINS] = {0}, square = 0, each = (double)m / BINS;
        for (size_t i = 0; i < m; i++) {
            double x = (double)w[i * d], y = (double)w[i * d + 1];
            double u = d == 2 ? atan2(y, x) / 6.283185307179586 + 0.5 : x / 2 + 0.5;
            int bin = (int)(u * BINS);
            bins[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin]++;
        }
        for (int b = 0; b < BINS; b++)
            square += (bins[b] - each) * (bins[b] - each) / each;
        /* chi-square of 63 degrees: mean 63, standard deviation 11.2 */
        check(square > 63 - 50 && square < 63 + 60, "chi-square is %g in %zu dimensions", square,
              d);
        free(w);
        frocc_frame_free(frame);
    }
}

/* ---- Scalings -------------------------------------------------------------------------------- */

static void law_scaling_is_what_it_says(rng *r, setup *s, const data *x) {
    frocc_frame *frame;
    double *shift = NEW(double, x->d), *scale = NEW(double, x->d);

    (void)r;
    s->params.sample_rows = x->n; /* everything is in the sample */
    s->params.calibration_rows = 0;
    frame = frame_of(&s->params, x);
    frocc_frame_copy_scaling(frame, shift, scale);
    for (size_t j = 0; j < x->d; j++) {
        double low = INFINITY, high = -INFINITY, sum = 0, square = 0, expected, around;
        for (size_t i = 0; i < x->n; i++) {
            low = fmin(low, x->f64[i * x->d + j]);
            high = fmax(high, x->f64[i * x->d + j]);
            sum += x->f64[i * x->d + j] / (double)x->n;
        }
        for (size_t i = 0; i < x->n; i++)
            square += (x->f64[i * x->d + j] - sum) * (x->f64[i * x->d + j] - sum) / (double)x->n;
        around = 1e-9 * fmax(fabs(low), fabs(high));
        switch (s->params.scaling) {
        case FROCC_SCALING_NONE:
            check(shift[j] == 0 && scale[j] == 1, "column %zu is scaled", j);
            break;
        case FROCC_SCALING_GIVEN:
            check(shift[j] == s->shift[j] && scale[j] == s->scale[j], "column %zu", j);
            break;
        case FROCC_SCALING_ASINH: /* by clipped moments, or a logarithm; see below */
            check(isfinite(shift[j]) && scale[j] > 0, "column %zu: %g %g", j, shift[j], scale[j]);
            break;
        case FROCC_SCALING_MINMAX:
            expected = high > low ? high - low : 1;
            check(shift[j] == low && scale[j] == expected, "column %zu: %g %g", j, shift[j],
                  scale[j]);
            break;
        default:
            expected = high > low ? sqrt(square) : 1;
            check(fabs(shift[j] - sum) <= around, "column %zu: mean %g, not %g", j, shift[j], sum);
            check(fabs(scale[j] - expected) <= 1e-6 * expected + around,
                  "column %zu: deviation %g, not %g", j, scale[j], expected);
            break;
        }
    }
    free(shift);
    free(scale);
    frocc_frame_free(frame);
}

/* A constant is a constant even where its mean is rounded: 0.1 added up is not n times 0.1. */
static void constant_columns_are_only_shifted(void) {
    static const double values[] = {0.1, -3.3, 1e6 + 0.1, 1e-30, 0, 7};
    size_t n_values = sizeof values / sizeof *values;

    for (size_t k = 0; k < n_values * 2; k++) {
        for (size_t n = 1; n < 40; n += 3) {
            rng r = rng_seed(k * 100 + n);
            data x = data_new(&r, n, 2, SHAPE_BLOB, false);
            double shift[2], scale[2];
            setup s;
            setup_init(&r, &s, FROCC_KERNEL_LINEAR,
                       k < n_values ? FROCC_SCALING_STANDARD : FROCC_SCALING_MINMAX,
                       FROCC_FAMILY_GAUSSIAN, 3, 2);
            s.params.sample_rows = s.params.calibration_rows = 0;
            for (size_t i = 0; i < n; i++) /* the other column keeps the rows apart */
                x.f64[i * 2 + 1] = values[k % n_values];
            frocc_frame *frame = frame_of(&s.params, &x);
            frocc_frame_copy_scaling(frame, shift, scale);
            check(scale[1] == 1, "%zu times %g: the scale is %g, not 1", n, values[k % n_values],
                  scale[1]);
            check(fabs(shift[1] - values[k % n_values]) <= 1e-12 * fabs(values[k % n_values]),
                  "%zu times %g: the shift is %g", n, values[k % n_values], shift[1]);
            frocc_frame_free(frame);
            setup_free(&s);
            data_free(&x);
        }
    }
}

/* Of values so small that their squares are 0 there is a scale as well; the range will do. */
static void tiny_columns_have_a_scale(void) {
    static const frocc_scaling scalings[] = {FROCC_SCALING_STANDARD, FROCC_SCALING_MINMAX,
                                             FROCC_SCALING_ASINH, FROCC_SCALING_WHITEN};
    static const double sizes[] = {0x1p-1074, 1e-200, 1e-160};
    for (size_t k = 0; k < 12; k++) {
        rng r = rng_seed(870000 + k);
        data x = data_new(&r, 200, 3, SHAPE_BLOB, false);
        double shift[3], scale[3], score = 0;
        frocc_params params;
        for (size_t i = 0; i < x.n; i++)
            x.f64[i * 3 + 1] = sizes[k % 3] * (double)(i % 5);
        frocc_params_init(&params);
        params.scaling = scalings[k / 3];
        frocc_frame *frame = frame_of(&params, &x);
        frocc_frame_copy_scaling(frame, shift, scale);
        const double least = k % 3 == 2 ? 0 : 4 * sizes[k % 3];
        check(scale[1] > 0 && scale[1] >= least && scale[1] < 1e-150, "the scale is %g", scale[1]);
        frocc_frame_free(frame);
        frocc_model *model = fit(&params, &x);
        frocc_scorer *scorer = NULL;
        x.f64[1] = 100;
        const frocc_rows row = data_part(&x, 0, 1);
        check_ok(frocc_scorer_new(model, 1, &scorer));
        check_ok(frocc_scorer_score(scorer, &row, &score));
        check(score < 0, "a value outside by far scores %g", score);
        frocc_scorer_free(scorer);
        frocc_model_free(model);
        data_free(&x);
    }
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* What is beyond three times the distance from the median to the quantiles of 1 % and 99 %. */
static void clipping(const data *x, size_t j, double ends[2]) {
    double *sorted = NEW(double, x->n);

    for (size_t i = 0; i < x->n; i++)
        sorted[i] = x->f64[i * x->d + j];
    qsort(sorted, x->n, sizeof *sorted, by_size);
    double low = sorted[x->n / 100 - 1], middle = sorted[x->n / 2 - 1],
           high = sorted[x->n * 99 / 100 - 1];
    ends[0] = middle - 3 * (middle - low);
    ends[1] = middle + 3 * (high - middle);
    free(sorted);
}

/*
 * ASINH by its description, in double: centred and scaled by clipped moments, asinh(2 z), standard.
 * The prepared values are seen through directions that each look at one column.
 */
static void asinh_bends_and_scales_again(void) {
    enum { N = 200, D = 3 };
    rng r = rng_seed(450000);
    data x = data_new(&r, N, D, SHAPE_BLOB, false);
    float directions[D * D] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, *values = NEW(float, N *D);
    frocc_params p;

    for (size_t i = 0; i < N * D; i++) /* long tails */
        x.f64[i] = x.f64[i] * x.f64[i] * x.f64[i] * 100 + 7;
    frocc_params_init_paper(&p);
    p.n_directions = D;
    p.scaling = FROCC_SCALING_ASINH;
    p.family = FROCC_FAMILY_GIVEN;
    p.directions = directions;
    frocc_frame *frame = frame_of(&p, &x);
    frocc_rows rows = data_rows(&x);
    check_ok(frocc_frame_project(frame, &rows, values));
    for (size_t j = 0; j < D; j++) {
        double bent[N], mean = 0, square = 0, ends[2];
        clipping(&x, j, ends);
        for (int pass = 0; pass < 2; pass++) {
            mean = square = 0;
            for (size_t i = 0; i < N; i++)
                mean += (pass ? bent[i] : fmin(fmax(x.f64[i * D + j], ends[0]), ends[1])) / N;
            for (size_t i = 0; i < N; i++)
                square +=
                    pow((pass ? bent[i] : fmin(fmax(x.f64[i * D + j], ends[0]), ends[1])) - mean,
                        2) /
                    N;
            for (size_t i = 0; i < N && pass == 0; i++)
                bent[i] = asinh(2 * (x.f64[i * D + j] - mean) / sqrt(square));
        }
        for (size_t i = 0; i < N; i++)
            check(fabs((double)values[i * D + j] - (bent[i] - mean) / sqrt(square)) < 1e-4,
                  "row %zu, column %zu: %g, not %g", i, j, (double)values[i * D + j],
                  (bent[i] - mean) / sqrt(square));
    }
    free(values);
    frocc_frame_free(frame);
    data_free(&x);
}

/* How many features direction i of the family mixed looks at: in turn all; one, and two when every
 * feature had its turn; two; three or four. */
static size_t mixed_features(size_t i, size_t d) {
    size_t turn = i / 4;

    return i % 4 == 0 ? d : i % 4 == 1 ? (turn < d ? 1 : 2) : i % 4 == 2 ? 2 : 3 + turn % 2;
}

/* MIXED: fewer features where the draw meets one twice; unit vectors all. */
static void mixed_directions_look_at_few_features(void) {
    rng r = rng_seed(460000);
    data x = data_new(&r, 300, 9, SHAPE_BLOB, false);
    frocc_params p;
    size_t seen[9] = {0}, exact = 0;

    frocc_params_init_paper(&p);
    p.n_directions = 400;
    p.family = FROCC_FAMILY_MIXED;
    frocc_frame *frame = frame_of(&p, &x);
    float *w = directions_of(frame);
    for (size_t i = 0; i < 400; i++) {
        size_t used = 0;
        double square = 0;
        for (size_t j = 0; j < 9; j++) {
            used += w[i * 9 + j] != 0;
            seen[j] += i % 4 && w[i * 9 + j] != 0;
            square += (double)w[i * 9 + j] * (double)w[i * 9 + j];
        }
        check(used >= 1 && used <= mixed_features(i, 9),
              "direction %zu looks at %zu features, not %zu", i, used, mixed_features(i, 9));
        exact += used == mixed_features(i, 9);
        check(fabs(square - 1) < 1e-5, "direction %zu has length %g", i, sqrt(square));
    }
    check(exact > 350, "only %zu of 400 directions look at as many features as they should", exact);
    for (size_t j = 0; j < 9; j++) /* 100 each are expected, give or take 10 */
        check(seen[j] > 50 && seen[j] < 150, "feature %zu is looked at %zu times", j, seen[j]);
    free(w);
    frocc_frame_free(frame);
    data_free(&x);
}

/* HADAMARD: without padding the directions of a bundle are orthogonal unit vectors, from one block
 * of features or from several; with padding their squared lengths are 1 on average. */
static void structured_directions_are_orthogonal(void) {
    static const size_t features[] = {16, 512, 1024, 3072};
    enum { M = 40 };

    for (int i = 0; i < 4; i++) {
        size_t d = features[i];
        frocc_params p;
        frocc_frame *frame;
        frocc_params_init_paper(&p);
        p.n_directions = d < M ? d : M;
        p.family = FROCC_FAMILY_HADAMARD;
        check_ok(frocc_frame_new(&p, d, NULL, &frame));
        float *w = directions_of(frame);
        for (size_t a = 0; a < p.n_directions; a++)
            for (size_t b = 0; b <= a; b++) {
                double dot = 0;
                for (size_t j = 0; j < d; j++)
                    dot += (double)w[a * d + j] * (double)w[b * d + j];
                check(fabs(dot - (a == b ? 1 : 0)) < 1e-6, "d %zu: directions %zu and %zu: %g", d,
                      a, b, dot);
            }
        free(w);
        frocc_frame_free(frame);
    }
}

/* HADAMARD: every direction of a bundle sees every feature, about equally: the fourth moment of its
 * components is that of normal numbers, 3, up to chance. */
static void structured_directions_are_like_gaussian_ones(void) {
    enum { D = 33075, M = 64 };
    frocc_params p;
    frocc_frame *frame;
    double squares = 0, fourths = 0;

    frocc_params_init_paper(&p);
    p.n_directions = M;
    p.family = FROCC_FAMILY_HADAMARD;
    check_ok(frocc_frame_new(&p, D, NULL, &frame));
    float *w = directions_of(frame);
    for (size_t i = 0; i < (size_t)M * D; i++) {
        double square = (double)w[i] * (double)w[i] * D;
        squares += square / (M * (double)D);
        fourths += square * square / (M * (double)D);
    }
    for (size_t j = 0; j < D; j++) {
        double share = 0;
        for (size_t i = 0; i < M; i++)
            share += (double)w[i * D + j] * (double)w[i * D + j] * D / M;
        check(share > 0.2 && share < 2.5, "feature %zu has %g of the average share", j, share);
    }
    check(fabs(squares - 1) < 0.01, "the mean squared length is %g", squares);
    check(fabs(fourths - 3) < 0.05, "the fourth moment is %g", fourths);
    free(w);
    frocc_frame_free(frame);
}

/*
 * WHITEN: with S = L L' and a unit vector g, the direction is w = L'^-1 g made a unit vector, and
 * the rows' variance along it is w'Sw = 1 / |L'^-1 g|^2. So the mean of 1 / (w'Sw) over directions
 * is the mean of g'S^-1 g, a share 1/d of the trace of the inverse.
 */
static void whitened_directions_crowd_where_rows_are_narrow(void) {
    enum { N = 4000, M = 4000 };
    rng r = rng_seed(470000);
    data x = data_new(&r, N, 2, SHAPE_BLOB, false);
    double s[3] = {0, 0, 0}, c, shrunk, mean = 0, expected;
    frocc_params p;

    for (size_t i = 0; i < N; i++)
        x.f64[2 * i + 1] = 0.8 * x.f64[2 * i] + 0.6 * x.f64[2 * i + 1];
    frocc_params_init_paper(&p);
    p.n_directions = M;
    p.scaling = FROCC_SCALING_WHITEN;
    p.sample_rows = N;
    frocc_frame *frame = frame_of(&p, &x);
    float *w = directions_of(frame);
    double shift[2], scale[2];
    frocc_frame_copy_scaling(frame, shift, scale);
    for (size_t i = 0; i < N; i++) {
        double a = (x.f64[2 * i] - shift[0]) / scale[0];
        double b = (x.f64[2 * i + 1] - shift[1]) / scale[1];
        s[0] += a * a / N;
        s[1] += a * b / N;
        s[2] += b * b / N;
    }
    c = s[1] / sqrt(s[0] * s[2]);
    shrunk = c * 31 / 32;
    for (size_t i = 0; i < M; i++) {
        double u = (double)w[2 * i], v = (double)w[2 * i + 1];
        mean += 1 / (u * u + 2 * shrunk * u * v + v * v) / M;
    }
    expected = 1 / (1 - shrunk * shrunk); /* half the trace of the inverse */
    check(fabs(mean - expected) < 0.1 * expected, "1/variance along directions: %g, not %g", mean,
          expected);
    free(w);
    frocc_frame_free(frame);
    data_free(&x);
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* n distinct rows, each of them copies[] times over, in any order and any batches. */
static void sample_holds(size_t k, size_t distinct, size_t copies) {
    rng r = rng_seed(k * 1000003 + distinct * 1009 + copies);
    size_t n = distinct * copies, *order = NEW(size_t, n), got = 0;
    double *values = NEW(double, n);
    frocc_params p;
    frocc_sample *sample = NULL;

    frocc_params_init_paper(&p);
    p.scaling = FROCC_SCALING_STANDARD;
    p.sample_rows = k;
    rng_shuffle(&r, order, n);
    for (size_t i = 0; i < n; i++)
        values[i] = (double)(order[i] % distinct);
    check_ok(frocc_sample_new(&p, 1, &sample));
    for (size_t at = 0; at < n;) {
        size_t count = 1 + rng_below(&r, n - at);
        frocc_rows rows = frocc_rows_f64(values + at, count, 1);
        check_ok(frocc_sample_add(sample, &rows));
        at += count;
    }
    check_ok(frocc_sample_size(sample, &got));
    check(got == (distinct < k ? distinct : k), "a sample of %zu holds %zu of %zu distinct rows", k,
          got, distinct);
    frocc_sample_free(sample);
    free(values);
    free(order);
}

static void samples_hold_k_distinct_rows(void) {
    static const size_t ks[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 256, 512};

    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
        size_t k = ks[i];
        sample_holds(k, k, 1);
        sample_holds(k, k + 1, 1);
        sample_holds(k, 2 * k, 1);
        sample_holds(k, 2 * k + 1, 1);
        sample_holds(k, 10 * k + 1, 2);
        sample_holds(k, k, 5);
        sample_holds(k, 1, 3 * k);
    }
}

/* The default size, with more rows than it holds. */
static void the_default_sample_takes_any_number_of_rows(void) {
    rng r = rng_seed(4097);
    data x = data_new(&r, 20000, 3, SHAPE_BLOB, false);
    size_t got = 0;
    frocc_params p;
    frocc_sample *sample = NULL;
    frocc_rows rows = data_rows(&x);

    frocc_params_init_paper(&p);
    p.scaling = FROCC_SCALING_MINMAX;
    check_ok(frocc_sample_new(&p, 3, &sample));
    check_ok(frocc_sample_add(sample, &rows));
    check_ok(frocc_sample_size(sample, &got));
    check(got >= 256 && got < 20000, "the default sample holds %zu of 20000 rows", got);
    frocc_sample_free(sample);
    data_free(&x);
}

/* ---- Checksums ------------------------------------------------------------------------------- */

static uint64_t checksum_with(const frocc_params *p, size_t d) {
    frocc_frame *frame = NULL;
    uint64_t sum;

    check_ok(frocc_frame_new(p, d, NULL, &frame));
    sum = frocc_frame_checksum(frame);
    frocc_frame_free(frame);
    return sum;
}

/* What changes a projection changes the checksum; what does not, does not. */
static void checksums_tell_frames_apart(void) {
    static const double zeros[4] = {0, 0, 0, 0}, ones[4] = {1, 1, 1, 1}, twos[4] = {2, 2, 2, 2};
    uint64_t sums[16];
    int count = 0;
    frocc_params p, base;

    frocc_params_init_paper(&base);
    base.n_directions = 10;
    base.kernel = FROCC_KERNEL_POLY;
    base.gamma = 0.5;
    sums[count++] = checksum_with(&base, 4);
    sums[count++] = checksum_with(&base, 5);
    p = base, p.seed = 1, sums[count++] = checksum_with(&p, 4);
    p = base, p.n_directions = 11, sums[count++] = checksum_with(&p, 4);
    p = base, p.gamma = 0.25, sums[count++] = checksum_with(&p, 4);
    p = base, p.coef0 = 1, sums[count++] = checksum_with(&p, 4);
    p = base, p.degree = 4, sums[count++] = checksum_with(&p, 4);
    p = base, p.kernel = FROCC_KERNEL_LINEAR, sums[count++] = checksum_with(&p, 4);
    p = base, p.kernel = FROCC_KERNEL_SIGMOID, sums[count++] = checksum_with(&p, 4);
    p = base, p.kernel = FROCC_KERNEL_RBF, sums[count++] = checksum_with(&p, 4);
    p = base, p.scaling = FROCC_SCALING_GIVEN, p.shift = zeros, p.scale = twos;
    sums[count++] = checksum_with(&p, 4);
    p.shift = ones, sums[count++] = checksum_with(&p, 4);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a; b++)
            check(sums[a] != sums[b], "frames %d and %d have the same checksum", b, a);
    p = base, p.epsilon = 0.5f, p.threshold = 0.5, p.threads = 3;
    check(checksum_with(&p, 4) == sums[0], "epsilon, threshold or threads changed the frame");
}

int main(void) {
    RUN(directions_have_length_1);
    RUN(first_directions_do_not_depend_on_m);
    RUN(directions_are_uniform);
    RUN(angles_are_uniform);
    RUN_LAW(scalings_are_what_they_say, law_scaling_is_what_it_says, law_usual(), 400000);
    RUN(constant_columns_are_only_shifted);
    RUN(tiny_columns_have_a_scale);
    RUN(asinh_bends_and_scales_again);
    RUN(mixed_directions_look_at_few_features);
    RUN(structured_directions_are_orthogonal);
    RUN(structured_directions_are_like_gaussian_ones);
    RUN(whitened_directions_crowd_where_rows_are_narrow);
    RUN(samples_hold_k_distinct_rows);
    RUN(the_default_sample_takes_any_number_of_rows);
    RUN(checksums_tell_frames_apart);
    return check_end();
}
