/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "base/progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FIRST_AFTER 1.0 /* seconds: short work needs no bar */
#define EVERY 0.2
#define BAR_WIDTH 24

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void progress_begin(progress *bar, int verbosity) {
    *bar = (progress){.shown = verbosity >= 0 && isatty(STDERR_FILENO), .started = now()};
    bar->last = bar->started + FIRST_AFTER - EVERY;
}

void progress_pass(progress *bar) {
    bar->pass_started = now();
    bar->reading = bar->reading > 0 ? bar->reading : bar->pass_started;
    bar->rows = 0;
}

double progress_seconds(const progress *bar) {
    return now() - bar->started;
}

static void draw(const progress *bar, double time, double share) {
    double seconds = time - bar->reading;
    char text[BAR_WIDTH + 1] = "";
    fputs("\r\x1b[K", stderr);
    if (!isnan(share)) {
        for (int i = 0; i < BAR_WIDTH; i++) {
            text[i] = (double)i < share * BAR_WIDTH ? '#' : '.';
        }
        fprintf(stderr, "[%s] %3.0f %%  ", text, 100 * share);
    }
    fprintf(stderr, "%llu rows, %.0f rows/s", (unsigned long long)bar->rows,
            (double)bar->rows / (time - bar->pass_started));
    if (!isnan(share) && share > 0.01) {
        fprintf(stderr, ", %.0f s left", ceil(seconds * (1 - share) / share));
    }
    fflush(stderr);
}

void progress_step(progress *bar, uint64_t rows, double share) {
    bar->rows += rows;
    if (!bar->shown) {
        return;
    }
    double time = now();
    if (time - bar->last >= EVERY) {
        bar->last = time;
        bar->drawn = true;
        draw(bar, time, share);
    }
}

void progress_end(progress *bar) {
    if (bar->drawn) {
        fputs("\r\x1b[K", stderr);
        bar->drawn = false;
    }
}
