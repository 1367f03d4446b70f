/* SPDX-License-Identifier: BSD-3-Clause */
/* Which label means outlier. */
#ifndef CLI_LABELS_H
#define CLI_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "arguments/options.h"

#define OUTLIER_OPTION                                                                             \
    {                                                                                              \
        "outlier", 0, "VALUE",                                                                     \
            "The label of outliers. Found out where labels are 0 and 1 (1), 1 and -1 (-1), or "    \
            "normal "                                                                              \
            "and another"                                                                          \
    }

/* A label as text, and as a number where it is one (else NaN), equals what was named. */
bool label_is(const char *wanted, const char *text, double number);

/* Of all labels that there are, the one of normal rows; NULL where that cannot be told. */
const char *labels_normal(char *const *labels, size_t count);

/*
 * Labels as they come. Without --outlier there may be two, numbered 0 and 1 in the order of
 * appearance, and which means outlier is known at the end; with it, 1 is the outlier.
 */
typedef struct cli_labels {
    const char *outlier;
    char *seen[2];
    size_t n_seen;
} cli_labels;

void labels_begin(const cli_arguments *arguments, cli_labels *labels);
size_t labels_number(cli_labels *labels, const char *text, double number);

/* The number that means outlier; dies where it cannot be told. */
size_t labels_outlier(const cli_labels *labels);
void labels_free(cli_labels *labels);

#endif
