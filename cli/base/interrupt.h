/* SPDX-License-Identifier: BSD-3-Clause */
/* What an interrupt must not leave behind: files that are not finished. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stddef.h>

/* Makes interrupts remove unfinished files. Call it once, first. */
void guard_signals(void);

/* Removes this file when the program ends early, until it is released; NULL guards nothing. The
 * name must stay as it is. */
size_t guard_file(const char *name);
void release_file(size_t guard);

#endif
