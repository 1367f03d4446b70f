/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* ppoll */
#include "base/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
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

static volatile sig_atomic_t stopped, hung_up;

/* Once; a second one ends the program as ever. */
static void on_stop(int signal_number) {
    stopped = signal_number;
    signal(signal_number, on_signal);
}

static void on_hang_up(int signal_number) {
    hung_up = signal_number;
}

static void hold_signal(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler}, before;
    if (!sigaction(number, NULL, &before) && before.sa_handler != SIG_IGN) {
        sigaction(number, &action, NULL);
    }
}

void hold_signals(void) {
    hold_signal(SIGINT, on_stop);
    hold_signal(SIGTERM, on_stop);
    hold_signal(SIGHUP, on_hang_up);
}

bool asked_to_stop(void) {
    return stopped != 0;
}

bool asked_to_reload(void) {
    const bool asked = hung_up != 0;
    hung_up = 0;
    return asked;
}

/* A signal between a look at what has come and the wait would be missed, so they come in the wait
 * only. */
bool wait_for_bytes(int file) {
    sigset_t held, before;
    struct pollfd pipe = {.fd = file, .events = POLLIN};
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, &before);
    bool is_ready = false, is_broken = false;
    while (!stopped && !hung_up && !is_ready && !is_broken) {
        const int found = ppoll(&pipe, 1, NULL, &before);
        is_ready = found > 0;
        is_broken = found < 0 && errno != EINTR;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return !stopped && !hung_up;
}

void end_if_stopped(void) {
    if (stopped) {
        fflush(NULL);
        on_signal(stopped);
    }
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
