/* SPDX-License-Identifier: BSD-3-Clause */
/* The first rows of a CSV file, for those who find out what they tell. A row is at p, and the text
 * ends at end, with a line end. */
#ifndef FROCC_READ_CSV_DETECT_H
#define FROCC_READ_CSV_DETECT_H

#include "input/read.h"

enum frocc__cell_kind {
    FROCC__NUMBER_CELL,
    FROCC__MISSING_CELL,
    FROCC__TIME_CELL,
    FROCC__TEXT_CELL
};

enum frocc__cell_kind frocc__csv_kind(const frocc__cell *cell);

const char *frocc__csv_next_line(const char *p, const char *end);
/* Skips blank lines and comments. */
const char *frocc__csv_next_row(const char *p, const char *end);
/* The row behind the one at p; NULL when it has no end in the sample. */
const char *frocc__csv_skip_row(const char *p, const char *end, char separator, size_t *n_cells);

/* Whether the row at p, of so many cells, has the names of all the features. */
frocc_status frocc__csv_has_names(const char *p, const char *end, char separator, size_t n_cells,
                                  const frocc_schema *schema, bool *result);

/* What separates the cells of the rows; where there is a model, as its columns would have it. */
frocc_status frocc__csv_separator(const frocc__sample *sample, const char *rows,
                                  const frocc_reader_options *options, const frocc_schema *schema,
                                  char *separator);

/* Whether numbers have commas where others have points: where the separator is none, some number of
 * the sample has one that cannot be anything else, and none has a point. Where rows come one by one
 * and the first tell nothing, either may follow. */
enum frocc__decimals frocc__csv_decimals(const frocc__sample *sample, const char *rows,
                                         char separator, bool is_live);

#endif
