/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outliers that somebody knows of and needs no alarm for: a file with a rule a line. A rule has one
 * or more conditions, with "and" between them, all of which must hold, and may end with a last day:
 *
 *     # the login page is being rebuilt
 *     service = login and seconds > 2 until 2026-12-01
 *     bytes 1000000 to 9999999
 *     reason cache
 *
 * COLUMN = TEXT, COLUMN < NUMBER, COLUMN > NUMBER, COLUMN NUMBER to NUMBER; "reason COLUMN": the
 * column is the leading reason. Names and texts with blanks stand in double quotes.
 */
#ifndef CLI_RULES_H
#define CLI_RULES_H

#include "arguments/options.h"

typedef struct cli_rules cli_rules;

/* From the file that --except names; NULL without. Dies where a rule cannot be read. */
cli_rules *rules_read(const cli_arguments *arguments);
void rules_free(cli_rules *rules);

/* The columns that conditions are about, which are to be carried, but for those of --columns; and
 * where each is, once the names of all that are carried are known. */
size_t rules_columns(const cli_rules *rules, const char *const **names);

/* The line of the first rule that holds for the row with these cells, of which the columns of rules
 * are where rules_place said, or 0. leading is the column of the leading reason. Counts. */
void rules_place(cli_rules *rules, const char *name, size_t slot);
size_t rules_find(cli_rules *rules, const char *const *cells, const char *leading);
bool rules_want_reason(const cli_rules *rules);

/* How many rows were silenced, and a note for each rule that silenced some. */
uint64_t rules_count(const cli_rules *rules);
void rules_note(const cli_rules *rules);

#endif
