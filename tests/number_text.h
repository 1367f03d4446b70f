/* SPDX-License-Identifier: BSD-3-Clause */
/* Decimals that a test draws, and how it says what it found. */
#ifndef FROCC_TESTS_NUMBER_TEXT_H
#define FROCC_TESTS_NUMBER_TEXT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

/* FROCC_TEST_ONLY leaves only tests with these words in their names. */
static inline void report(const char *name, long bad) {
    const char *only = getenv("FROCC_TEST_ONLY");
    if (only != NULL && strstr(name, only) == NULL)
        return;
    if (bad == 0)
        printf("ok %s\n", name);
    else
        printf("FAIL %s: %ld cases\n", name, bad);
    failures += bad != 0;
}

static uint64_t state = 88172645463325252u;
static inline uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 2685821657736338717u;
}
static inline int below(int n) {
    return (int)(draw() >> 33) % n;
}

static inline int random_text(char *out) {
    char *p = out;
    int kind = below(8);
    if (kind == 0) {
        uint64_t bits = draw();
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            value = 1.5;
        return sprintf(out, "%.*g", 1 + below(25), value);
    }
    if (kind == 1) {
        uint32_t bits = (uint32_t)draw();
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            value = 1.5f;
        return sprintf(out, "%.*g", 1 + below(15), (double)value);
    }
    if (kind == 2)
        return sprintf(out, "%.*f", below(20), (double)(int64_t)draw() / 4503599627370496.0);
    if (below(3) == 0)
        *p++ = "+-"[below(2)];
    int digits = 1 + below(kind == 3 ? 40 : 20), point = below(digits + 2);
    for (int i = 0; i < digits; i++) {
        if (i == point)
            *p++ = '.';
        *p++ = (char)('0' + below(10));
    }
    if (kind > 5)
        p += sprintf(p, "%c%d", "eE"[below(2)],
                     below(kind == 6 ? 700 : 60) - (kind == 6 ? 360 : 30));
    *p = '\0';
    return (int)(p - out);
}

#endif
