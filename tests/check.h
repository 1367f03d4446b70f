/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check.h - the test harness: a test is a void function, RUN prints one line for it, and the first
 * check that fails ends it. Beside it the tests' own random numbers, which share nothing with the
 * library's, so that a case is named by its seed alone.
 */
#ifndef FROCC_TESTS_CHECK_H
#define FROCC_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frocc_io.h"

/* ---- Checks ---------------------------------------------------------------------------------- */

static struct {
    const char *name;
    uint64_t seed; /* of the case under way; printed with a failure */
    jmp_buf end;
    int failed;
} check_state;

static inline _Noreturn void check_fail(const char *file, int line, const char *format, ...) {
    const char *slash = strrchr(file, '/');
    va_list arguments;

    printf("FAIL %s: ", check_state.name);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf(" [%s:%d, case seed %llu]\n", slash ? slash + 1 : file, line,
           (unsigned long long)check_state.seed);
    fflush(stdout);
    longjmp(check_state.end, 1);
}

static inline _Noreturn void check_skip(const char *why) {
    printf("skip %s: %s\n", check_state.name, why);
    longjmp(check_state.end, 2);
}

/* check(condition, format, ...): the message says what was expected. */
#define check(condition, ...) ((condition) ? (void)0 : check_fail(__FILE__, __LINE__, __VA_ARGS__))

static inline void check_status(const char *file, int line, const char *call, frocc_status got,
                                frocc_status expected) {
    if (got != expected)
        check_fail(file, line, "%s gave %s, not %s: \"%s\"", call, frocc_status_name(got),
                   frocc_status_name(expected), frocc_last_error());
    /* A failure without a sentence helps nobody, so no test lets one pass. */
    if (got != FROCC_OK && strlen(frocc_last_error()) < 10)
        check_fail(file, line, "%s failed with \"%s\", which is no sentence", call,
                   frocc_last_error());
}

#define check_ok(call) check_status(__FILE__, __LINE__, #call, (call), FROCC_OK)
#define check_is(call, expected) check_status(__FILE__, __LINE__, #call, (call), (expected))

/* FROCC_TEST_ONLY leaves only tests with these words in their names. */
static inline bool check_wanted(const char *name) {
    const char *only = getenv("FROCC_TEST_ONLY");
    return only == NULL || strstr(name, only) != NULL;
}

static inline void check_run(const char *name, void (*test)(void)) {
    if (!check_wanted(name))
        return;
    check_state.name = name;
    check_state.seed = 0;
    switch (setjmp(check_state.end)) {
    case 0:
        test();
        printf("ok %s\n", name);
        break;
    case 1:
        check_state.failed++;
        break;
    default: /* skipped */
        break;
    }
    fflush(stdout);
}

#define RUN(test) check_run(#test, test)

static inline int check_end(void) {
    return check_state.failed ? 1 : 0;
}

static inline bool check_asked(const char *variable) {
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

/* `make check`, valgrind, sanitizers and qemu run the same tests on fewer cases. */
static inline bool check_quick(void) {
    return check_asked("FROCC_TEST_QUICK");
}

static inline int check_cases(int full, int quick) {
    return check_quick() ? quick : full;
}

/* The slowest tests have three numbers of cases: only `make torture` asks for all. */
static inline int check_share(int all, int usual, int quick) {
    return check_cases(check_asked("FROCC_TEST_ALL") ? all : usual, quick);
}

/* Memory for the tests themselves; running out of it is not what they test. */
static inline void *test_memory(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size ? size : 1);

    if (!memory) {
        printf("FAIL %s: the test ran out of memory\n", check_state.name);
        exit(1);
    }
    return memory;
}

#define NEW(type, count) ((type *)test_memory((count), sizeof(type)))

/* ---- Random numbers: splitmix64 -------------------------------------------------------------- */

typedef struct rng {
    uint64_t state;
} rng;

static inline rng rng_seed(uint64_t seed) {
    rng r = {seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u};

    check_state.seed = seed;
    return r;
}

static inline uint64_t rng_bits(rng *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 .. n - 1; the bias is below 2^-40 for every n used here */
static inline size_t rng_below(rng *r, size_t n) {
    return n > 0 ? (size_t)(rng_bits(r) % n) : 0;
}

static inline bool rng_chance(rng *r, unsigned one_in) {
    return rng_below(r, one_in) == 0;
}

static inline double rng_unit(rng *r) {
    return (double)(rng_bits(r) >> 11) * 0x1p-53;
}

static inline double rng_between(rng *r, double low, double high) {
    return low + (high - low) * rng_unit(r);
}

/* Integers low .. high with every order of magnitude equally likely. */
static inline size_t rng_size(rng *r, size_t low, size_t high) {
    double x = exp(rng_between(r, log((double)low), log((double)high + 1)));
    size_t n = (size_t)x;

    return n < low ? low : n > high ? high : n;
}

static inline double rng_log_between(rng *r, double low, double high) {
    return exp(rng_between(r, log(low), log(high)));
}

/* Near enough to normal: twelve uniforms. No libm, so the same values on every machine. */
static inline double rng_normal(rng *r) {
    double sum = -6;
    int i;

    for (i = 0; i < 12; i++)
        sum += rng_unit(r);
    return sum;
}

static inline void rng_shuffle(rng *r, size_t *order, size_t n) {
    size_t i, j, t;

    for (i = 0; i < n; i++)
        order[i] = i;
    for (i = n; i > 1; i--) {
        j = rng_below(r, i);
        t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }
}

#endif
