/* SPDX-License-Identifier: BSD-3-Clause */
/* How the command ends, and what it says on standard error. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stdio.h>

#include "frocc.h"

/* The exit codes are part of the interface: scripts act on them. */
enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_MISUSE = 2, EXIT_OUTLIERS = 3, EXIT_NO_ROWS = 4 };

/* Prints "frocc: " and the sentence, then ends with this code. Unfinished output files go away. */
_Noreturn void die(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For a program of several processes that must end together: says the sentence and ends, in place
 * of what die does. NULL in the command itself. */
extern void (*die_together)(int code, const char *sentence);

/* What comes from files, such as their names and those of columns, must not command a terminal:
 * control characters become ?. The functions of this file do that themselves. */
void disarm(char *text);

/* Ends with the library's own sentence when it reports a failure; what may be NULL. */
void check(frocc_status status, const char *what);

/* A sentence of the library with the options of the command in place of the names that programs
 * use; free() releases it. */
char *in_options(const char *sentence);

/* The library's last sentence so, the names of files and columns left as they are; free() releases
 * it. */
char *library_error(void);

/* Dies where a file of this name cannot be written: better before long work than after it. NULL, as
 * "-", is standard output. */
void check_writable(const char *path);

/* Prints "frocc: " and the sentence, and goes on. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* malloc, calloc and strdup that end the command when there is no memory; free() releases. */
void *must_allocate(size_t count, size_t size);
void *must_resize(void *memory, size_t count, size_t size);
char *must_copy(const char *text);

/* A text between the quotes of JSON. */
void write_json(FILE *file, const char *text);

#endif
