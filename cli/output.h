/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output files that are whole or not there. What is written goes to a temporary name in the same
 * folder and takes the real name only when all of it is on disk; an error, an interrupt or a
 * crash leaves the old file as it was.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_output cli_output;

/* Makes interrupts remove unfinished files. Call it once, first. */
void output_guard_signals(void);

/* Removes this file when the program ends early, until it is released; NULL guards nothing. The
 * name must stay as it is. */
size_t output_guard_file(const char *name);
void output_release_file(size_t guard);

/* Dies where a file of this name cannot be written: better before long work than after it. */
void output_check(const char *path);

/* A path of NULL or "-" is standard output; a device or pipe is written directly. */
cli_output *output_open(const char *path);
const char *output_name(const cli_output *output);
bool output_is_stdout(const cli_output *output);

void output_write(cli_output *output, const void *bytes, size_t count);
void output_text(cli_output *output, const char *text);
void output_format(cli_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Room for count bytes to be filled in by the caller, and how many of them were. */
char *output_room(cli_output *output, size_t count);
void output_filled(cli_output *output, size_t count);

/* Overwrites bytes at an offset of a regular file; false where there is no going back. */
bool output_can_patch(const cli_output *output);
void output_patch(cli_output *output, size_t offset, const void *bytes, size_t count);

/* Flushes, gives the file its name and frees. */
void output_finish(cli_output *output);

#endif
