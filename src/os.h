/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything the operating system provides: files, the environment, the number of threads. */
#ifndef FROCC_OS_H
#define FROCC_OS_H

#include "base.h"

/* The whole file in fresh memory. */
frocc_status frocc__file_read(const char *path, void **bytes, size_t *size);

/* What must be written to as it is, since a rename would replace it: a device, a pipe, or another
 * name of an open file, such as /dev/stdout. */
bool frocc__path_is_special(const char *path);

/* In fresh memory: what a symbolic link to a file leads to, or the path again. */
char *frocc__path_follow(const char *path);

/* Replaces path by these bytes: through a temporary name in the same folder, flushed, renamed. */
frocc_status frocc__file_replace(const char *path, const void *bytes, size_t size);

/* What the caller asked for, or, for 0, what OpenMP would use; at least 1. */
int frocc__threads(int asked);

/* How many of these threads may work now: 1 in a child that was forked off a process that had more,
 * since OpenMP would wait there for threads that did not come along. */
int frocc__team(int threads);

/* Which thread of the current team this is, from 0. */
size_t frocc__thread_number(void);

#endif
