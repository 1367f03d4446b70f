/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything the operating system provides: files. */
#ifndef FROCC_OS_H
#define FROCC_OS_H

#include "base/base.h"

/* The whole file in fresh memory. */
frocc_status frocc__file_read(const char *path, void **bytes, size_t *size);

/* What must be written to as it is, since a rename would replace it: a device, a pipe, or another
 * name of an open file, such as /dev/stdout. */
bool frocc__path_is_special(const char *path);

/* In fresh memory: what a symbolic link to a file leads to, or the path again. */
char *frocc__path_follow(const char *path);

#endif
