/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is found out about the cells of a column while it is learnt what it is: counts, extremes and
 * exact sums. They are those of the set of the rows: tallies of parts merge to that of the whole.
 */
#ifndef FROCC_TALLY_H
#define FROCC_TALLY_H

#include "base/base.h"

/* ---- Exact sums (sum.c) ---------------------------------------------------------------------- */

/* A sum of doubles without rounding, so that it does not depend on their order: one fixed-point
 * number with a position for every bit a double can have, in signed words of 32 bits and room. */
#define FROCC__SUM_WORDS 70
typedef struct frocc__sum {
    int64_t word[FROCC__SUM_WORDS];
    uint64_t count;
    uint32_t pending; /* additions since the carries were last passed on */
} frocc__sum;

void frocc__sum_add(frocc__sum *sum, double value);
void frocc__sum_merge(frocc__sum *into, frocc__sum *from);
double frocc__sum_mean(const frocc__sum *sum);
/* Makes it the magnitude, with words of 32 bits; whether the sum was below 0. */
bool frocc__sum_magnitude(frocc__sum *sum);

/* ---- Columns that count (counting.c) --------------------------------------------------------- */

/* What is known of the values of a column that may be there only to count rows: as long as it is
 * open, all that were added. Merging is order-free. */
typedef struct frocc__counting {
    bool is_open;
    uint64_t count, low, high, sum; /* sum: of their hashes */
} frocc__counting;
void frocc__counting_add(frocc__counting *counting, double value, frocc_dtype dtype);
void frocc__counting_merge(frocc__counting *into, const frocc__counting *from);
bool frocc__counting_holds(
    const frocc__counting *counting); /* in the end; takes time by the rows */

/* ---- Tallies --------------------------------------------------------------------------------- */

typedef struct frocc__tally {
    uint64_t n_numbers, n_missing;
    uint64_t n_dashes;          /* which are missing, unless the column is of texts */
    uint64_t n_times, n_clocks; /* time stamps, of which so many are times of day alone */
    uint64_t n_yearless;        /* and so many have no year, */
    uint64_t n_slashed;         /* or day and month in front of it, of which so many can only be */
    uint64_t n_day_first, n_month_first; /* one of the two */
    uint64_t n_commas;                   /* numbers that have commas, or points between thousands */
    uint64_t n_marks;                    /* whatever else stands there */
    bool has_hour;                       /* whether any time stamp is more than a date */
    double first_by_month, last_by_month; /* as the next, if months stand first */
    double first, last;                   /* the times, in seconds; where there are any */
    /* Of the numbers, as long as all are times since 1970 in one unit: their ends, and whether any
     * is no midnight; else 0. */
    bool no_epochs, epoch_has_hour;
    double first_epoch, last_epoch;
} frocc__tally;

struct frocc__time_stamp;
void frocc__tally_time(frocc__tally *tally, const struct frocc__time_stamp *stamp);
/* A number, of those that may be times; NaN is none. */
void frocc__tally_epoch(frocc__tally *tally, double number);
void frocc__tally_no_epochs(frocc__tally *tally);
/* The unit of the numbers of a column that are times; 0 where they are not. */
int64_t frocc__tally_epochs(const frocc__tally *tally);
/* Of a text; false where it is no stamp. */
bool frocc__tally_text(frocc__tally *tally, const char *text, size_t length);
/* Whether months stand first, and whether nothing says so. */
bool frocc__tally_month_first(const frocc__tally *tally, bool *undecided);
void frocc__tally_merge(frocc__tally *into, const frocc__tally *from);

/* Whether a cell stands for a missing value wherever it stands, and whether it does among numbers
 * and times. */
bool frocc__is_missing(const char *text, size_t length);
bool frocc__is_dash(const char *text, size_t length);

/* Whether it is a number as other countries write it: 3,14, 1,234.5, 1.234,5 or 1.234.567. */
bool frocc__has_commas(const char *text, size_t length);

/* Whether a column is of numbers, or of time stamps: nine of ten cells are that are not missing, or
 * more, and what else stands there, the marks, is of few kinds. */
#define FROCC__MOST_MARKS 20
bool frocc__tally_has_numbers(const frocc__tally *tally, size_t n_kinds);
/* Whether texts name the rows: nearly each is another. */
bool frocc__tally_has_names(const frocc__tally *tally, double n_texts);
bool frocc__tally_has_times(const frocc__tally *tally, size_t n_kinds);

#endif
