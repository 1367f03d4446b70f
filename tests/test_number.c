/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decimal to binary and back: against strtod and strtof on random and on hard strings, the table of
 * powers against big integers, printing against reading and against the C library's %.*e.
 */
#include "numbers/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "number_text.h"
#include "numbers/number_powers.h"

/* 1 when frocc reads text otherwise than the C library. */
static long differs(const char *text) {
    char copy[4096];
    double d = 7, want_d = strtod(text, NULL);
    float f = 7, want_f = strtof(text, NULL);
    size_t length = strlen(text);
    memset(copy, 0, sizeof copy);
    memcpy(copy, text, length);
    bool ok = frocc__scan_f64(copy, &d) == copy + length && memcmp(&d, &want_d, sizeof d) == 0 &&
              frocc__scan_f32(copy, &f) == copy + length && memcmp(&f, &want_f, sizeof f) == 0;
    if (!ok)
        printf("# %s: read %a and %a, expected %a and %a\n", text, d, (double)f, want_d,
               (double)want_f);
    return !ok;
}

static long differs_all(const char *const *texts, size_t count) {
    long bad = 0;
    for (size_t i = 0; i < count; i++)
        bad += differs(texts[i]);
    return bad;
}

static void test_random(long count) {
    long bad = 0;
    char text[128];
    for (long i = 0; i < count && bad < 10; i++) {
        random_text(text);
        bad += differs(text);
    }
    report("random decimals as strtod and strtof", bad);
}

/* The exact decimal expansion of a point half way between two neighbours, and its neighbourhood:
 * the C library prints doubles exactly, and a half-way point of floats is a double; for doubles the
 * long double of x86 holds it, elsewhere the test takes only floats. */
static long half_way(long double half) {
    char text[2400], other[2500];
    sprintf(text, "%.*Le", 1100, half);
    char *e = strchr(text, 'e');
    if (e == NULL)
        return 1;
    long bad = differs(text);
    size_t length = (size_t)(e - text);
    memcpy(other, text, length);
    sprintf(other + length, "1%s", e);
    bad += differs(other);
    sprintf(other + length, "00000000000000000000000000000000000000000001%s", e);
    bad += differs(other);
    for (size_t i = length; i-- > 2;)
        if (other[i] != '0' && other[i] != '.') {
            other[i]--;
            sprintf(other + length, "9%s", e);
            return bad + differs(other);
        }
    return bad;
}

static void test_half_way(long count) {
    long bad = 0;
    for (long i = 0; i < count && bad < 10; i++) {
        uint32_t bits = (uint32_t)draw() & 0x7fffffff;
        if (i % 3 == 0)
            bits &= 0x1ffffff; /* subnormal and just above */
        float value;
        memcpy(&value, &bits, sizeof value);
        float next = nextafterf(value, INFINITY);
        if (isfinite(next))
            bad += half_way((long double)value + ((long double)next - (long double)value) / 2);
        if (LDBL_MANT_DIG < 64)
            continue;
        uint64_t wide = draw() & 0x7fffffffffffffff;
        if (i % 3 == 0)
            wide &= 0x3fffffffffffff;
        double value_d;
        memcpy(&value_d, &wide, sizeof value_d);
        double next_d = nextafter(value_d, INFINITY);
        if (isfinite(next_d))
            bad += half_way((long double)value_d + ((long double)next_d - value_d) / 2);
    }
    report("half-way points and their neighbourhood", bad);
}

static void test_hard(void) {
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0",
        "-0.0e5",
        "00000000000000000000000001",
        "1",
        "1.",
        ".5",
        "+.5e0",
        "1e0",
        "0.1",
        "0.2",
        "0.3",
        "1e22",
        "1e23",
        "8.5e22",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.0000000000000000000000000000000000000000001",
        "1e-323",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.47e-324",
        "2.48e-324",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1.797693134862315807e308",
        "1e308",
        "1e309",
        "-1e309",
        "1e999",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0e99999999999999999999",
        "16777217",
        "16777217.0000001",
        "16777218.5",
        "3.4028235e38",
        "3.4028235677973366e38",
        "3.40282356779733661637539395e38",
        "3.4028236e38",
        "1e39",
        "1.4e-45",
        "7e-46",
        "7.00649232162408535461864791644958e-46",
        "7.006492321624085354618e-46",
        "7.006492321624085355e-46",
        "1.1754943508e-38",
        "1.17549435e-38",
        "1.1754942106924411e-38",
        "18446744073709551615",
        "18446744073709551616",
        "184467440737095516150",
        "9999999999999999999",
        "99999999999999999999",
        "0.000000000000000000000000000000000000000000000001",
        "123456789012345678901234567890",
        "6.02214076e23",
        "8.442911973260991817129021e-309",
        "7.2057594037927933e16",
        "36893488147419103232",
        "0.50000000000000000",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "5e-324",
        "1.5e-45",
        "2.2250738585072013831e-308",
        "0.00000000000000000000000000000000000000000000000000000000000000000000000000000000001e83",
        "100000000000000000000000000000000000000000000000000000000000000000000000000000e-77"};
    report("hard decimals", differs_all(texts, sizeof texts / sizeof *texts));
}

static void test_long(void) {
    char text[3000];
    long bad = 0;
    for (int digits = 1; digits < 1200; digits += 7) {
        memset(text, '3', (size_t)digits);
        sprintf(text + digits, "e-%d", digits);
        bad += differs(text);
        text[0] = '.';
        memset(text + 1, '0', (size_t)digits);
        sprintf(text + digits + 1, "17e%d", digits);
        bad += differs(text);
        for (int i = 0; i < digits; i++)
            text[i] = (char)('0' + below(10));
        sprintf(text + digits, "e%d", below(700) - 350 - digits);
        bad += differs(text);
    }
    report("long decimals", bad);
}

static void test_end(void) {
    static const struct {
        const char *text;
        int length;
    } cases[] = {{"", 0},          {"-", 0},         {"+", 0},       {".", 0},     {"e5", 0},
                 {"abc", 0},       {"-.e1", 0},      {"nan", 0},     {"inf", 0},   {"1e", 1},
                 {"1e+", 1},       {"1e-x", 1},      {"1.5.2", 3},   {"1,5", 1},   {"0x10", 1},
                 {"--1", 0},       {"1 2", 1},       {"1_000", 1},   {"1e5e5", 3}, {"1.e3", 4},
                 {"12345678a", 8}, {"12345678:", 8}, {"1234567/", 7}};
    long bad = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char copy[64] = {0};
        double value = 7;
        strcpy(copy, cases[i].text);
        int length = (int)(frocc__scan_f64(copy, &value) - copy);
        bool whole = frocc__parse_f64(cases[i].text, strlen(cases[i].text), &value);
        if (length != cases[i].length || (length == 0 && value != 7) ||
            whole != (length > 0 && (size_t)length == strlen(cases[i].text))) {
            printf("# '%s' ended at %d\n", cases[i].text, length);
            bad++;
        }
    }
    report("where a number ends", bad);
}

/* Big integers of 64 words of 32 bits, enough for 5^342 * 2^130. */
typedef struct {
    uint32_t w[64];
} wide;

static void wide_times(wide *b, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < 64; i++) {
        carry += (uint64_t)b->w[i] * factor;
        b->w[i] = (uint32_t)carry;
        carry >>= 32;
    }
}
static int wide_bits(const wide *b) {
    for (int i = 63; i >= 0; i--)
        if (b->w[i] != 0)
            return 32 * i + 32 - __builtin_clz(b->w[i]);
    return 0;
}
static int wide_bit(const wide *b, int i) {
    return i >= 0 ? b->w[i / 32] >> (i % 32) & 1 : 0;
}
static int wide_compare(const wide *a, const wide *b) {
    for (int i = 63; i >= 0; i--)
        if (a->w[i] != b->w[i])
            return a->w[i] < b->w[i] ? -1 : 1;
    return 0;
}
static void wide_subtract(wide *a, const wide *b) {
    int64_t carry = 0;
    for (int i = 0; i < 64; i++) {
        carry += (int64_t)a->w[i] - b->w[i];
        a->w[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* The table's entry by schoolbook arithmetic: leading bits of 5^q, or of a long division. */
static long power_differs(int q) {
    wide power = {{1}}, remainder = {{1}};
    for (int i = 0; i < abs(q); i++)
        wide_times(&power, 5);
    int bits = wide_bits(&power);
    uint64_t want[2] = {0, 0};
    if (q < 0)
        for (int i = 0; i < bits - 1; i++)
            wide_times(&remainder, 2);
    for (int i = 0; i < 128; i++) {
        int bit = wide_bit(&power, bits - 1 - i);
        if (q < 0) {
            wide_times(&remainder, 2);
            bit = wide_compare(&remainder, &power) >= 0;
            if (bit)
                wide_subtract(&remainder, &power);
        }
        want[i / 64] = want[i / 64] << 1 | (uint64_t)bit;
    }
    const uint64_t *have = frocc__powers_of_five[q - FROCC__POWER_FIRST];
    double log2_10 = 3.321928094887362347870319429489390175864831393024580612;
    bool exponents = floor(q * log2_10) == (double)((q * 217706) >> 16) &&
                     floor(q * log2_10) == (double)((q * 1741647) >> 19);
    return have[0] != want[0] || have[1] != want[1] || !exponents;
}

static void test_powers(void) {
    long bad = 0;
    for (int q = FROCC__POWER_FIRST; q <= FROCC__POWER_LAST; q++)
        bad += power_differs(q);
    report("powers of five", bad);
}

static int significant(const char *text) {
    int count = 0, zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++)
        if (*text >= '1' && *text <= '9') {
            count += zeros + 1;
            zeros = 0;
        } else if (*text == '0' && count > 0) {
            zeros++;
        }
    return count;
}

/* Reads back the same, and no decimal with a digit less does; as near as %.*e of that length. */
static long print_differs_f64(double value) {
    char text[FROCC_NUMBER_SIZE], other[64];
    double back = 0;
    size_t length = frocc_print_f64(value, text);
    bool ok = length == strlen(text) && frocc__parse_f64(text, length, &back) &&
              memcmp(&back, &value, sizeof back) == 0;
    int digits = significant(text);
    if (ok && digits > 1) {
        snprintf(other, sizeof other, "%.*e", digits - 2, value);
        ok = strtod(other, NULL) != value;
    }
    if (ok && digits > 0) {
        snprintf(other, sizeof other, "%.*e", digits - 1, value);
        ok = strtod(other, NULL) != value || significant(other) < digits ||
             strtold(other, NULL) == strtold(text, NULL);
    }
    if (!ok)
        printf("# %.17g was printed as %s\n", value, text);
    return !ok;
}
static long print_differs_f32(float value) {
    char text[FROCC_NUMBER_SIZE], other[64];
    float back = 0;
    size_t length = frocc__print_f32(value, text);
    bool ok = length == strlen(text) && frocc__parse_f32(text, length, &back) &&
              memcmp(&back, &value, sizeof back) == 0;
    int digits = significant(text);
    if (ok && digits > 1) {
        snprintf(other, sizeof other, "%.*e", digits - 2, (double)value);
        ok = strtof(other, NULL) != value;
    }
    if (!ok)
        printf("# %.9g was printed as %s\n", (double)value, text);
    return !ok;
}

static void test_print(long count) {
    static const double values[] = {0.0,
                                    -0.0,
                                    1,
                                    -1,
                                    0.1,
                                    0.3,
                                    100,
                                    1e21,
                                    1e22,
                                    1e23,
                                    5e-324,
                                    1e-5,
                                    1e-4,
                                    123456,
                                    1e16,
                                    1e17,
                                    DBL_MAX,
                                    DBL_MIN,
                                    2e-323,
                                    9e15,
                                    0.5,
                                    1.5,
                                    1e100,
                                    1e-100,
                                    9007199254740993.0,
                                    4503599627370496.5,
                                    2.2250738585072011e-308};
    long bad = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        bad += print_differs_f64(values[i]) +
               print_differs_f32((float)values[i] < INFINITY ? (float)values[i] : 1.0f);
    for (int e = 0; e < 2047; e++) {
        uint64_t bits = (uint64_t)e << 52;
        double value;
        memcpy(&value, &bits, sizeof value);
        bad += print_differs_f64(value) + print_differs_f64(nextafter(value, 0));
    }
    for (long i = 0; i < count && bad < 10; i++) {
        uint64_t bits = draw();
        double value;
        float single;
        memcpy(&value, &bits, sizeof value);
        memcpy(&single, &bits, sizeof single);
        bad += isfinite(value) ? print_differs_f64(value) : 0;
        bad += isfinite(single) ? print_differs_f32(single) : 0;
        bad += print_differs_f64((double)below(1000000) / (double)(1 + below(1000)));
    }
    report("shortest decimals", bad);
}

static void test_layout(void) {
    static const struct {
        double value;
        const char *text;
    } cases[] = {{1, "1"},
                 {-2.5, "-2.5"},
                 {0.001, "0.001"},
                 {1e-5, "0.00001"},
                 {1e-6, "1e-6"},
                 {1e16, "10000000000000000"},
                 {1e17, "1e17"},
                 {1.25e-7, "1.25e-7"},
                 {1234567.5, "1234567.5"},
                 {1.5e300, "1.5e300"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"},
                 {-0.0, "-0"},
                 {120, "120"}};
    long bad = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[FROCC_NUMBER_SIZE];
        frocc_print_f64(cases[i].value, text);
        if (strcmp(text, cases[i].text) != 0) {
            printf("# %s, expected %s\n", text, cases[i].text);
            bad++;
        }
    }
    report("layout of printed numbers", bad);
}

int main(void) {
    test_powers();
    test_hard();
    test_long();
    test_end();
    test_layout();
    test_half_way(check_share(3000, 1000, 300));
    test_print(check_share(1000000, 300000, 50000));
    test_random(check_share(12000000, 3000000, 200000));
    return failures != 0;
}
