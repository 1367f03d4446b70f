/* SPDX-License-Identifier: BSD-3-Clause */
/* What is measured, each by name. */
#ifndef FROCC_BENCH_MEASURE_H
#define FROCC_BENCH_MEASURE_H

#include "data.h"

typedef struct bench bench;

/* Seconds of one call, the median of some: by the wall clock, and of the calling thread's CPU. */
typedef struct sample {
    double wall, cpu;
    int calls;
} sample;

/* The name's family; false where the library has no such family. */
bool family_named(const char *name, frocc_family *family);

/*
 * Makes rows, frame, model and scorers. threads is for the measures that end in "_threads"; all
 * others have one. False, after a message, on failure.
 */
bench *bench_new(const shape *what, const frocc_params *params, int threads);
void bench_free(bench *old);

/* Writes PREFIX.rows, .queries and .directions, raw float32, and .scores of the queries, float64.
 */
bool bench_save(bench *of, const char *prefix);

/* False, after a message, when there is no such measure or it fails. */
bool bench_measure(bench *of, const char *name, sample *out);

/* What belongs to a measure beside its time, as members of a JSON object, each after a comma. */
void bench_print_more(const bench *of, const char *name);

#endif
