/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads by POSIX, or none where FROCC_NO_THREADS is defined. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/threads.h"

#include <stdlib.h>

#include "base/arithmetic.h"

/* More threads than CPUs are for tests, and no team is larger than MOST_THREADS. */
#define MOST_BEYOND_CPUS 16
#define MOST_THREADS 256

#if !defined(FROCC_NO_THREADS)
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static int n_cpus(void) {
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return FROCC_MIN(FROCC_MAX(CPU_COUNT(&allowed), 1), MOST_THREADS);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : (int)FROCC_MIN(online, (long)MOST_THREADS);
}

/* OMP_NUM_THREADS is what people set who want a process to keep to some of the CPUs. */
static int wanted(int cpus) {
    const char *text = getenv("OMP_NUM_THREADS");
    long limit = text != NULL ? strtol(text, NULL, 10) : 0;
    return limit > 0 && limit < cpus ? (int)limit : cpus;
}

int frocc__threads(int asked) {
    const int cpus = n_cpus();
    return asked > 0 ? FROCC_MIN(asked, FROCC_MAX(cpus, MOST_BEYOND_CPUS)) : wanted(cpus);
}

typedef struct member {
    pthread_t thread;
    bool is_running;
    void (*work)(void *context, int t);
    void *context;
    int t;
} member;

static void *run_member(void *argument) {
    FROCC_OWN_ARITHMETIC; /* not every system hands it on */
    const member *m = argument;
    m->work(m->context, m->t);
    return NULL;
}

void frocc__run_team(int team, void (*work)(void *context, int t), void *context) {
    member members[MOST_THREADS];
    for (int t = 1; t < team; t++) {
        members[t] = (member){.work = work, .context = context, .t = t};
        members[t].is_running =
            pthread_create(&members[t].thread, NULL, run_member, &members[t]) == 0;
    }
    work(context, 0);
    for (int t = 1; t < team; t++) {
        if (members[t].is_running)
            (void)pthread_join(members[t].thread, NULL);
        else
            work(context, t);
    }
}
#else
int frocc__threads(int asked) {
    (void)asked;
    return 1;
}

void frocc__run_team(int team, void (*work)(void *context, int t), void *context) {
    for (int t = 0; t < team; t++)
        work(context, t);
}
#endif

int frocc__team_for(int threads, double work) {
    const double least = 2e6;
    return work < (double)threads * least ? FROCC_MAX((int)(work / least), 1) : threads;
}

typedef struct even_parts {
    int team;
    size_t count;
    void (*work)(void *context, size_t i);
    void *context;
} even_parts;

static void run_part(void *context, int t) {
    const even_parts *all = context;
    const size_t team = (size_t)all->team, own = (size_t)t;
    for (size_t i = all->count * own / team; i < all->count * (own + 1) / team; i++)
        all->work(all->context, i);
}

void frocc__run_each(int team, size_t count, void (*work)(void *context, size_t i), void *context) {
    even_parts all = {FROCC_MAX(team, 1), count, work, context};
    frocc__run_team(all.team, run_part, &all);
}
