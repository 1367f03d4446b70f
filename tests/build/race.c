/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is the ThreadSanitizer run worth anything? The threads of `race clean` synchronise as the
 * library's do, by starting and ending; `race dirty` has a race, which must be seen.
 */
#include <string.h>

#include "base/threads.h"

typedef struct job {
    bool dirty;
    int sums[4], sum;
} job;

static void add(void *context, int t) {
    job *all = context;

    for (int i = 0; i < 64; i++)
        *(all->dirty ? &all->sum : &all->sums[t]) += i;
}

int main(int argc, char **argv) {
    job all = {.dirty = argc > 1 && strcmp(argv[1], "dirty") == 0};

    frocc__run_team(4, add, &all);
    for (int t = 0; t < 4; t++)
        all.sum += all.sums[t];
    return !all.dirty && all.sum != 4 * 63 * 32;
}
