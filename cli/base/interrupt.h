/* SPDX-License-Identifier: BSD-3-Clause */
/* What an interrupt must not leave behind: files that are not finished. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>

/* Makes interrupts remove unfinished files. Call it once, first. */
void guard_signals(void);

/* For a command that goes on for as long as lines come: from now on SIGINT and SIGTERM ask it to
 * stop, a second one ends it, and SIGHUP asks it to read its model anew. asked_to_reload forgets.
 */
void hold_signals(void);
bool asked_to_stop(void);
bool asked_to_reload(void);

/* Waits until the file has bytes, or ends; false where one of those signals has come. */
bool wait_for_bytes(int file);

/* Ends the program by the signal that asked it to stop, if there was one, as its caller expects. */
void end_if_stopped(void);

/* Removes this file when the program ends early, until it is released; NULL guards nothing. The
 * name must stay as it is. */
size_t guard_file(const char *name);
void release_file(size_t guard);

#endif
