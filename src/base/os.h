/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything the operating system provides: files. */
#ifndef FROCC_OS_H
#define FROCC_OS_H

#include "base/base.h"

/* Says whether a file that begins like this, and is so long, is worth reading. */
typedef frocc_status (*frocc__head_check)(void *context, const void *head, size_t length,
                                          uint64_t size);
#define FROCC__HEAD_SIZE 16

/* The whole of a regular file in fresh memory, once its head, and what a large one takes, is known
 * to be worth it. Does not wait for anybody to write to a pipe. */
frocc_status frocc__file_read(const char *path, frocc__head_check check, void *context,
                              void **bytes, size_t *size);

/* What must be written to as it is, since a rename would replace it: a device, a pipe, or another
 * name of an open file, such as /dev/stdout. */
bool frocc__path_is_special(const char *path);

/* In fresh memory: what a symbolic link leads to, be it there or not, or the path again. */
char *frocc__path_follow(const char *path);

#endif
