/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of results with a row per row of data, which is named by what the data have of it. */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "data/data.h"
#include "data/table.h"

/* For the tables of options of commands that write such a table. */
#define COLUMNS_OPTION                                                                             \
    {                                                                                              \
        "columns", 0, "COLUMNS",                                                                   \
            "Carry these columns of the data to the output, as they stand there"                   \
    }

/* Its columns are those in front, id, the columns to carry, and then the results. */
cli_table *results_open(const cli_arguments *arguments, const cli_data *data,
                        const frocc_table_column *front, size_t n_front,
                        const frocc_table_column *results, size_t n_results,
                        frocc_in_place in_place);

/* What stands between a row's number and its results; id and carried are NULL where there are
 * none, as of a row that could not be read. */
void results_names(cli_table *table, const cli_data *data, const char *id,
                   const char *const *carried);

#endif
