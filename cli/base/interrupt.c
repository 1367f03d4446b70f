/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "base/interrupt.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_UNFINISHED 8

/* The names to remove when the program ends early: a signal handler can only see globals. */
static const char *volatile unfinished[MAX_UNFINISHED];

static void remove_unfinished(void) {
    for (size_t i = 0; i < MAX_UNFINISHED; i++) {
        if (unfinished[i]) {
            unlink(unfinished[i]);
        }
    }
}

/* The default action follows, so that the caller's shell sees how the program ended. */
static void on_signal(int signal_number) {
    remove_unfinished();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void guard_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action = {.sa_handler = on_signal};
        struct sigaction before;
        /* What the caller chose to ignore (nohup) stays ignored. */
        if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
    atexit(remove_unfinished);
}

size_t guard_file(const char *name) {
    size_t guard = 0;
    while (guard < MAX_UNFINISHED && unfinished[guard]) {
        guard++;
    }
    if (guard < MAX_UNFINISHED) {
        unfinished[guard] = name;
    }
    return guard;
}

void release_file(size_t guard) {
    if (guard < MAX_UNFINISHED) {
        unfinished[guard] = NULL;
    }
}
