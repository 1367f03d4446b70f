/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well scores tell labelled outliers from normal rows. A score is higher for normal rows; an
 * outlier is what is looked for, the positive class. Everything is computed from a tally of
 * distinct scores: exact while there are at most 65,536 of them, and agreement has at most m + 1.
 * Beyond that, scores are rounded to a grid just fine enough, so memory does not grow with the
 * rows.
 */
#ifndef CLI_MEASURE_H
#define CLI_MEASURE_H

#include <stddef.h>
#include <stdint.h>

typedef struct tally_entry {
    double score;
    double normal, outliers; /* rows with this score */
} tally_entry;

typedef struct cli_tally {
    tally_entry *entries; /* settled ones first, in rising order of the score; then new ones */
    size_t count;         /* of the settled */
    size_t used, capacity;
    double step; /* scores are multiples of this; 0 while they are exact */
} cli_tally;

void tally_add(cli_tally *tally, double score, double normal, double outliers);
/* Sorts what was added; the functions below need it. */
void tally_settle(cli_tally *tally);

/* Takes normal rows for outliers and the other way round. */
void tally_swap(cli_tally *tally);
void tally_free(cli_tally *tally);

typedef struct measures {
    double n_normal, n_outliers;
    double roc_auc;            /* the chance that a normal row scores above an outlier, ties half */
    double average_precision;  /* over the outliers, from the lowest score up */
    double precision_at_n;     /* of the n lowest scores, n the number of outliers */
    double adjusted_precision; /* (P@n - n/N) / (1 - n/N): 0 for chance, 1 for all found */
    double precision, recall, f1; /* of score < threshold */
} measures;

/* Measures that need both classes are NaN where one is missing. */
measures measure(const cli_tally *tally, double threshold);

/* The measures' middle 95 % over resampled rows, by the Poisson bootstrap. */
typedef struct measure_range {
    measures low, high;
} measure_range;
measure_range measure_bootstrap(const cli_tally *rows, double threshold, size_t replicates,
                                uint64_t seed);

#endif
