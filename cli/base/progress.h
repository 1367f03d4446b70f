/* SPDX-License-Identifier: BSD-3-Clause */
/* A line on the terminal that says how far long work is. Nothing is shown in a pipe or with -q. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool shown; /* whether anything may be shown */
    bool drawn; /* whether a line stands on the terminal */
    double started;
    double reading;      /* when the first pass over the rows began */
    double pass_started; /* and when the one under way did */
    double last;
    uint64_t rows; /* in this pass */
} progress;

void progress_begin(progress *bar, int verbosity);

/* A pass over the rows begins. */
void progress_pass(progress *bar);

/* share is how much of the work is done, 0 to 1, or NaN where nobody knows. */
void progress_step(progress *bar, uint64_t rows, double share);
void progress_end(progress *bar);

/* Seconds since progress_begin. */
double progress_seconds(const progress *bar);

#endif
