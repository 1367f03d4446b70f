/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's own exp and tanh against libm's in double: within 2 ulp over all the floats that
 * matter (every stride-th of them, or every one when FROCC_TEST_ALL_FLOATS is set), not falling
 * where the function rises, and exact at the ends.
 */
#include "check.h"
#include "kernels/mathf.h"

/* Floats in the order of their values: an integer line that can be walked with a stride. */
static int64_t place_of(float x) {
    uint32_t bits = frocc__bits_of_float(x);
    return (bits & 0x80000000u) ? -(int64_t)(bits & 0x7fffffffu) : (int64_t)bits;
}

static float float_at(int64_t place) {
    uint32_t bits = place < 0 ? 0x80000000u | (uint32_t)-place : (uint32_t)place;
    return frocc__float_of_bits(bits);
}

/* The error in units of the last place of the true value's binade, at least the smallest float. */
static double ulps(float got, double exact) {
    int exponent;
    frexp(exact, &exponent);
    int last = exponent - 24 < -149 ? -149 : exponent - 24;
    return fabs((double)got - exact) / ldexp(1.0, last);
}

typedef struct function {
    const char *name;
    float (*ours)(float);
    double (*theirs)(double);
    int may_fall; /* by so many ulp below an earlier value */
} function;

static float our_exp(float x) {
    return frocc__expf(x);
}
static float our_tanh(float x) {
    return frocc__tanhf(x);
}
static float our_log(float x) {
    return frocc__logf(x);
}
/* tanh is the quotient of two rounded numbers, which can step back by two ulp. No law depends on
 * its order: a sketch sorts kernel values, not what they were made from. */
static const function exp_function = {"exp", our_exp, exp, 0};
static const function tanh_function = {"tanh", our_tanh, tanh, 2};
static const function log_function = {"log", our_log, log, 0};

/* Returns the largest error; checks that the values do not fall. */
static double walk(const function *f, float from, float to, int64_t stride) {
    int64_t place, last = place_of(to);
    float before = -INFINITY;
    double worst = 0;

    for (place = place_of(from); place <= last; place += stride) {
        float x = float_at(place);
        float y = f->ours(x);
        double error = ulps(y, f->theirs((double)x));
        check(error <= 2, "%s(%a) = %a is %.2f ulp off", f->name, (double)x, (double)y, error);
        check(place_of(y) >= place_of(before) - f->may_fall, "%s falls at %a: %a after %a", f->name,
              (double)x, (double)y, (double)before);
        worst = error > worst ? error : worst;
        before = y > before ? y : before;
    }
    return worst;
}

static int64_t stride(void) {
    return getenv("FROCC_TEST_ALL_FLOATS") ? 1 /* a minute or two */
                                           : check_share(61, 251, 100003);
}

static void exp_within_2_ulp_and_rising(void) {
    double below = walk(&exp_function, -103.0f, -0x1p-26f, stride());
    double above = walk(&exp_function, 0.0f, 88.722f, stride());
    printf("# exp: worst error %.3f ulp\n", fmax(below, above));
}

static void tanh_within_2_ulp_and_rising(void) {
    double below = walk(&tanh_function, -12.0f, -0x1p-126f, stride());
    double above = walk(&tanh_function, 0.0f, 12.0f, stride());
    printf("# tanh: worst error %.3f ulp\n", fmax(below, above));
}

/* The reduction changes its integer at (k + 1/2) ln 2, where a step would hide from a stride. */
static void exp_and_tanh_rise_where_the_reduction_steps(void) {
    int k, width = check_cases(20000, 500);

    for (k = -148; k <= 126; k++) {
        float x = (float)((k + 0.5) * 0.69314718055994530942);
        int64_t at = place_of(x);
        walk(&exp_function, float_at(at - width), float_at(at + width), 1);
    }
    for (k = 0; k <= 26; k++) {
        int64_t at = place_of((float)((k + 0.5) * 0.69314718055994530942 / 2));
        walk(&tanh_function, float_at(at - width), float_at(at + width), 1);
    }
}

static void values_at_the_ends(void) {
    check(frocc__expf(0.0f) == 1.0f, "exp(0)");
    check(frocc__expf(-0.0f) == 1.0f, "exp(-0)");
    check(frocc__expf(-200.0f) == 0.0f, "exp(-200)");
    check(frocc__expf(-INFINITY) == 0.0f, "exp(-inf)");
    check(frocc__expf(INFINITY) >= 3.402e38f && isfinite(frocc__expf(INFINITY)), "exp(inf)");
    check(frocc__tanhf(0.0f) == 0.0f, "tanh(0)");
    check(frocc__tanhf(FLT_MAX) == 1.0f, "tanh(max)");
    check(frocc__tanhf(-FLT_MAX) == -1.0f, "tanh(-max)");
    check(frocc__tanhf(-0.5f) == -frocc__tanhf(0.5f), "tanh is odd");
    check(frocc__tanhf(1e-30f) == 1e-30f, "tanh of a small value");
    check(frocc__tanhf(1e-42f) == 1e-42f, "tanh of a subnormal");
}

/* log and sine serve the directions, whose bits are pinned by the checksums; here, their sense. */
static void log_and_sine_are_what_they_say(void) {
    int i, n = check_cases(1 << 20, 1 << 12);

    walk(&log_function, 0x1p-40f, 0.9f, check_share(61, 251, 10007));
    walk(&log_function, 1.1f, 0x1p40f, check_share(61, 251, 10007));
    for (i = 0; i < n; i++) {
        float turn = (float)i / (float)n, s, c;
        frocc__sincos_turn(turn, &s, &c);
        double angle = 6.28318530717958647693 * (double)turn;
        check(fabs((double)s - sin(angle)) < 3e-7, "sin(%g turns)", (double)turn);
        check(fabs((double)c - cos(angle)) < 3e-7, "cos(%g turns)", (double)turn);
    }
}

int main(void) {
    RUN(exp_within_2_ulp_and_rising);
    RUN(tanh_within_2_ulp_and_rising);
    RUN(exp_and_tanh_rise_where_the_reduction_steps);
    RUN(values_at_the_ends);
    RUN(log_and_sine_are_what_they_say);
    return check_end();
}
