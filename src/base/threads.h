/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that live as long as one call. They wait in the operating system, never in a loop, so
 * that they take nothing from other programs; and a thread that cannot be had is a thread less, no
 * failure. There is no pool: nothing is left behind in a process that forks, and some 20 us a call
 * do not matter for work that is worth sharing.
 */
#ifndef FROCC_THREADS_H
#define FROCC_THREADS_H

#include "base/base.h"

/* What the caller asked for or, for 0, the CPUs this process may run on, of which OMP_NUM_THREADS
 * may want fewer; at least 1, and never so many that they are a danger to the process. */
int frocc__threads(int asked);

/* How many of these threads are worth it for so many multiply-adds, or what takes as long: below a
 * tenth of a millisecond each, one. */
int frocc__team_for(int threads, double work);

/* Calls work(context, t) for every t below team, at the same time where that is possible; t = 0,
 * and those that no thread could be had for, by the calling thread. */
void frocc__run_team(int team, void (*work)(void *context, int t), void *context);

/* Calls work(context, i) for every i below count, shared out evenly among the team. */
void frocc__run_each(int team, size_t count, void (*work)(void *context, size_t i), void *context);

#endif
