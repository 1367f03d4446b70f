/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bounded.h - one input takes little time: a slow one is a finding. CPU time of all threads, so
 * that other programs on the machine do not count; memory is bounded by scripts/fuzz.
 */
#ifndef FROCC_FUZZ_BOUNDED_H
#define FROCC_FUZZ_BOUNDED_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "holds.h"

/* Sanitizers take most of it. */
#define SECONDS_OF_AN_INPUT 10.0

/* The target's own: bytes and their number. */
static void try_input(const uint8_t *, size_t);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const clock_t start = clock();
    try_input(data, size);
    HOLDS((double)(clock() - start) / CLOCKS_PER_SEC < SECONDS_OF_AN_INPUT);
    return 0;
}

#endif
