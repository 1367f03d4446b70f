/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fit against the oracle: in every direction the same intervals, to the last bit. The cases
 * walk through kernels, scalings, families and shapes of data in turn, so each pair meets often.
 */
#include "cases.h"
#include "oracle.h"

typedef struct totals {
    size_t cases, directions, intervals, values;
} totals;

/* The oracle's projections, direction by direction: m x n. */
static float *oracle_table(oracle *o, const data *x) {
    size_t n = x->n, m = o->n_directions;
    float *table = NEW(float, m *n), *values = NEW(float, m);

    for (size_t r = 0; r < n; r++) {
        oracle_values(o, x->f64 + r * x->d, values);
        for (size_t i = 0; i < m; i++)
            table[i * n + r] = values[i];
    }
    free(values);
    return table;
}

static void same_projections(const frocc_frame *frame, const data *x, const float *table) {
    size_t m = frocc_frame_directions(frame);
    float *projections = NEW(float, x->n *m);
    frocc_rows rows = data_rows(x);

    check_ok(frocc_frame_project(frame, &rows, projections));
    for (size_t r = 0; r < x->n; r++)
        for (size_t i = 0; i < m; i++) {
            float ours = projections[r * m + i], theirs = table[i * x->n + r];
            check(ours == theirs, /* of zero there may be two; intervals hold only one */
                  "row %zu, direction %zu: the library projects to %a, the oracle to %a", r, i,
                  (double)ours, (double)theirs);
        }
    free(projections);
}

static size_t same_intervals(const frocc_model *model, size_t i, float *values, size_t n,
                             float epsilon) {
    float *lower = NEW(float, n), *upper = NEW(float, n);
    size_t expected = oracle_intervals(values, n, epsilon, lower, upper), count = 0;
    float *low = NEW(float, expected + 1), *high = NEW(float, expected + 1);

    check_ok(frocc_model_intervals(model, i, low, high, expected + 1, &count));
    check(count == expected, "direction %zu: %zu intervals, the oracle has %zu", i, count,
          expected);
    check(memcmp(low, lower, count * sizeof *low) == 0, "direction %zu: lower ends differ", i);
    check(memcmp(high, upper, count * sizeof *high) == 0, "direction %zu: upper ends differ", i);
    free(lower);
    free(upper);
    free(low);
    free(high);
    return count;
}

static void compare(const setup *s, const data *x, totals *t) {
    frocc_model *model = fit(&s->params, x);
    frocc_frame *frame = frocc_model_frame(model);
    oracle *o = oracle_new(&s->params, frame);
    check(o != NULL, "the oracle has memory");
    float *table = oracle_table(o, x);
    frocc_model_info info = describe(model);
    size_t intervals = 0;

    same_projections(frame, x, table);
    for (size_t i = 0; i < o->n_directions; i++)
        intervals += same_intervals(model, i, table + i * x->n, x->n, s->params.epsilon);
    check(frocc_model_count_intervals(model) == intervals, "n_intervals is %llu, not %zu",
          (unsigned long long)frocc_model_count_intervals(model), intervals);
    check(info.n_rows == x->n, "n_rows is %llu", (unsigned long long)info.n_rows);
    t->cases++;
    t->directions += o->n_directions;
    t->intervals += intervals;
    t->values += x->n * o->n_directions;
    free(table);
    oracle_free(o);
    frocc_frame_free(frame);
    frocc_model_free(model);
}

/* Of ASINH the frame does not say what it does after bending; test_frame looks at that. */
static const frocc_scaling scalings[] = {FROCC_SCALING_NONE, FROCC_SCALING_STANDARD,
                                         FROCC_SCALING_MINMAX, FROCC_SCALING_GIVEN,
                                         FROCC_SCALING_WHITEN};
static const frocc_family families[] = {FROCC_FAMILY_GAUSSIAN, FROCC_FAMILY_GIVEN,
                                        FROCC_FAMILY_MIXED, FROCC_FAMILY_HADAMARD,
                                        FROCC_FAMILY_SPARSE};

/* Case number seed: kernel, scaling, family and shape count through all their pairs. */
static void random_case(uint64_t seed, size_t max_n, size_t max_d, size_t max_m, totals *t) {
    rng r = rng_seed(seed);
    size_t n = rng_size(&r, 1, max_n), d = rng_size(&r, 1, max_d), m = rng_size(&r, 1, max_m);
    shape what = (shape)(seed % SHAPE_COUNT);
    data x = data_new(&r, n, d, what, rng_chance(&r, 2));
    setup s;

    setup_init(&r, &s, (frocc_kernel)(seed / 3 % KERNELS), scalings[seed / 5 % 5],
               families[seed / 7 % FAMILIES], m, d);
    if (!is_possible(s.params.scaling, s.params.family))
        s.params.family = FROCC_FAMILY_GAUSSIAN;
    s.params.threads = 1 + (int)(seed % 3);
    compare(&s, &x, t);
    setup_free(&s);
    data_free(&x);
}

static void random_cases_match_the_paper(void) {
    int i, cases = check_share(2000, 600, 80);
    bool quick = check_quick();
    totals t = {0, 0, 0, 0};

    for (i = 0; i < cases; i++)
        random_case((uint64_t)i + 1, quick ? 300 : 5000, quick ? 60 : 200, quick ? 24 : 64, &t);
    printf("# %zu cases, %zu directions with %zu intervals over %zu projections: 0 differ\n",
           t.cases, t.directions, t.intervals, t.values);
}

static void the_largest_sizes_match_the_paper(void) {
    totals t = {0, 0, 0, 0};
    int kernel;

    for (kernel = 0; kernel < KERNELS; kernel++) {
        rng r = rng_seed(900000 + (uint64_t)kernel);
        size_t n = (size_t)check_cases(5000, 200);
        data x = data_new(&r, n, 200, kernel % 2 ? SHAPE_CLUSTERS : SHAPE_OFFSET, true);
        setup s;
        setup_init(&r, &s, (frocc_kernel)kernel, scalings[kernel], FROCC_FAMILY_GAUSSIAN, 64, 200);
        s.params.epsilon = 0.001f;
        compare(&s, &x, &t);
        setup_free(&s);
        data_free(&x);
    }
}

/*
 * Where the float32 steps are as wide as the margin, rounding the reach down makes more than
 * 1/epsilon + 1 intervals: a step of 1 and a margin of 1.4 leave every integer alone, one interval
 * for each of range + 1 = 1.4/epsilon + 1 points. A sketch of fixed size would overflow here.
 */
static void more_intervals_than_one_over_epsilon(void) {
    size_t points = 1401, most = 0;
    int offset;

    for (offset = 0; offset < 3; offset++) {
        rng r = rng_seed(910000 + (uint64_t)offset);
        data x = data_new(&r, points, 1, SHAPE_BLOB, true);
        setup s;
        totals t = {0, 0, 0, 0};
        setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GIVEN, 1, 1);
        s.directions[0] = 1.0f;
        s.params.epsilon = 0.001f;
        for (size_t i = 0; i < points; i++) /* at 2^23 float32 counts in ones; not in order */
            x.f64[i] = (offset == 1 ? -1 : 1) * (0x1p23 + (double)(i * 1000 % points));
        compare(&s, &x, &t);
        most = t.intervals > most ? t.intervals : most;
        setup_free(&s);
        data_free(&x);
    }
    check(most == points, "the case was to have %zu intervals but has %zu", points, most);
}

/* One column, one direction of length 1: the values are what is sorted. */
static void compare_values(const double *values, size_t n, float direction, float epsilon) {
    rng r = rng_seed(920000 + n);
    data x = data_new(&r, n, 1, SHAPE_BLOB, true);
    setup s;
    totals t = {0, 0, 0, 0};

    setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GIVEN, 1, 1);
    s.directions[0] = direction;
    s.params.epsilon = epsilon;
    memcpy(x.f64, values, n * sizeof *values);
    compare(&s, &x, &t);
    setup_free(&s);
    data_free(&x);
}

/* k + 1 points 1 apart and a margin of 1, or one ulp of epsilon to either side of it. */
static void gaps_as_wide_as_the_margin(void) {
    double values[101];

    for (size_t k = 1; k <= 100; k++) {
        float epsilon = (float)(1.0 / (double)k);
        for (size_t i = 0; i <= k; i++)
            values[i] = (double)(i * 7 % (k + 1)) - 3;
        compare_values(values, k + 1, 1.0f, epsilon);
        compare_values(values, k + 1, 1.0f, nextafterf(epsilon, 0.0f));
        if (k > 1)
            compare_values(values, k + 1, -1.0f, nextafterf(epsilon, 1.0f));
    }
}

/* Products that vanish below the subnormals come out as -0 or +0, and only one is written. */
static void zeros_of_both_signs(void) {
    static const double first[] = {-1e-45, 1e-45, 0, 1}, last[] = {1, 1e-45, -1e-45, -0.0, -1};
    static const double alone[] = {-1e-45};

    for (int sign = -1; sign <= 1; sign += 2) {
        compare_values(first, 4, 0.25f * (float)sign, 0.125f);
        compare_values(last, 5, 0.25f * (float)sign, 0.125f);
        compare_values(alone, 1, 0.25f * (float)sign, 0.125f);
        compare_values(alone, 1, 0.25f * (float)sign, 1.0f);
    }
}

static float minus_zero(void *context, const float *row, const float *direction, size_t d) {
    (void)context;
    (void)direction;
    (void)d;
    return row[0] > 0 ? -0.0f : row[0] < -1 ? -INFINITY : 0.0f;
}

static void zeros_and_infinities_of_a_kernel(void) {
    for (uint64_t seed = 930000; seed < 930020; seed++) {
        rng r = rng_seed(seed);
        data x = data_new(&r, 1 + rng_below(&r, 60), 3, SHAPE_BLOB, true);
        setup s;
        totals t = {0, 0, 0, 0};
        setup_init(&r, &s, FROCC_KERNEL_CUSTOM, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, 9, 3);
        s.params.kernel_fn = minus_zero;
        compare(&s, &x, &t);
        setup_free(&s);
        data_free(&x);
    }
}

/* Directions that are rows themselves: the distance is 0, and rounding may leave less. */
static void rbf_on_its_own_rows(void) {
    for (uint64_t seed = 950000; seed < 950040; seed++) {
        rng r = rng_seed(seed);
        size_t d = 1 + rng_below(&r, 40), m = 1 + rng_below(&r, 20);
        data x = data_new(&r, m + rng_below(&r, 50), d, SHAPE_CLUSTERS, true);
        setup s;
        totals t = {0, 0, 0, 0};
        setup_init(&r, &s, FROCC_KERNEL_RBF, FROCC_SCALING_NONE, FROCC_FAMILY_GIVEN, m, d);
        s.params.gamma = rng_log_between(&r, 0.1, 1000);
        memcpy(s.directions, x.f32, m * d * sizeof *s.directions);
        compare(&s, &x, &t);
        setup_free(&s);
        data_free(&x);
    }
}

/* Parameters as large as they may be: what overflows counts as the largest float. */
static void kernels_that_overflow(void) {
    for (uint64_t seed = 940000; seed < 940060; seed++) {
        rng r = rng_seed(seed);
        size_t d = 1 + rng_below(&r, 6);
        data x = data_new(&r, 1 + rng_below(&r, 80), d, seed % 2 ? SHAPE_HUGE : SHAPE_BLOB, true);
        setup s;
        totals t = {0, 0, 0, 0};
        setup_init(&r, &s, (frocc_kernel)(seed % 4), FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, 12,
                   d);
        s.params.gamma = rng_log_between(&r, 1e-30, 1e38);
        s.params.coef0 = rng_chance(&r, 2) ? -3e38 : rng_log_between(&r, 1e-30, 1e38);
        s.params.degree = 1 + (int)rng_below(&r, FROCC_MAX_DEGREE);
        compare(&s, &x, &t);
        setup_free(&s);
        data_free(&x);
    }
}

/* Rows of one block and of several, the last of them full or not; directions of a part of a bundle,
 * of all, and of more. With more than 65,536 features blocks are larger. */
static void structured_directions_of_wide_rows(void) {
    static const size_t sizes[][3] = {
        /* n, d, m */
        {60, 100, 130}, {9, 128, 20},   {9, 1000, 1025}, {9, 1024, 512}, {9, 1025, 2050},
        {50, 1500, 30}, {3, 3072, 700}, {9, 3073, 1025}, {2, 17000, 20}, {2, 65537, 9}};
    totals t = {0, 0, 0, 0};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        rng r = rng_seed(960000 + i);
        data x = data_new(&r, sizes[i][0], sizes[i][1], (shape)(i % SHAPE_COUNT), true);
        setup s;
        setup_init(&r, &s, FROCC_KERNEL_LINEAR, i % 2 ? FROCC_SCALING_NONE : FROCC_SCALING_STANDARD,
                   FROCC_FAMILY_HADAMARD, sizes[i][2], sizes[i][1]);
        compare(&s, &x, &t);
        setup_free(&s);
        data_free(&x);
    }
}

int main(void) {
    RUN(random_cases_match_the_paper);
    RUN(the_largest_sizes_match_the_paper);
    RUN(more_intervals_than_one_over_epsilon);
    RUN(gaps_as_wide_as_the_margin);
    RUN(zeros_of_both_signs);
    RUN(zeros_and_infinities_of_a_kernel);
    RUN(rbf_on_its_own_rows);
    RUN(kernels_that_overflow);
    RUN(structured_directions_of_wide_rows);
    return check_end();
}
