/* SPDX-License-Identifier: BSD-3-Clause */
/* The schema: what the columns of a table become. It is learnt from files, kept in frames. */
#ifndef FROCC_SCHEMA_H
#define FROCC_SCHEMA_H

#include "base/base.h"
#include "schema/known_texts.h"
#include "schema/tally.h"

enum frocc__role { FROCC__FEATURE = 0, FROCC__SKIPPED = 1, FROCC__LABEL = 2, FROCC__ID = 3 };

struct frocc__column {
    char *name; /* NULL where the file has no names */
    enum frocc__role role;
    bool text;
    bool time;                   /* of time stamps, */
    bool clock;                  /* or of times of day alone, with these features: */
    bool yearless;               /* all days without a year, */
    bool month_first;            /* or day and month in front of it, the month first, */
    bool undecided;              /* or no row says which comes first */
    bool hour, weekday, seconds; /* hour of the day, day of the week, the time itself */
    bool is_unnamed;    /* the name is only its number. As the next, known while it is learnt, */
    bool counts;        /* and not in the bytes: it was found to count the rows, */
    bool may_count;     /* or a part of them did not tell */
    bool tells_state;   /* its last feature is 0 where the cell has a value, else a code */
    int64_t per_second; /* of times that are numbers since 1970: their unit; else 0 */
    bool may_be_epochs; /* as its name says; known while it is learnt */
    double filler;      /* what a missing number is read as, or the time itself */
    double span;        /* of the times, in seconds; known while it is learnt */
    size_t first_feature;
    frocc__known_texts known; /* of a number or a time the marks; of other columns all texts that
                                 are neither, or, where texts were asked for, all */
    bool asked_seconds;       /* the time itself is to be a feature */
    bool asked, typed;        /* to be of texts, and that it is in the caller's table */
    bool names;               /* it names the rows: it is no feature */
    frocc__tally tally;       /* where the schema is tallied, as the next */
    frocc__sum *sum;          /* of the numbers, where missing ones are filled in; else NULL */
};

/* The features of a time stamp, and of one that is missing: the hour in the middle of the circle,
 * and a day of the week that there is none of. Returns how many. */
#define FROCC__TIME_FEATURES 5
struct frocc__time_stamp;
/* What is wrong with a cell that is none of the column's stamps. */
const char *frocc__no_time(const struct frocc__column *column);
/* Sorts them, and leaves out those that are there twice. */
frocc_status frocc__schema_set_na(struct frocc_schema *schema, const char *const *texts,
                                  size_t count);

/* Whether a text is one of the column's stamps: days are told of all of them, or of none. */
bool frocc__time_read(const struct frocc__column *column, const char *text, size_t length,
                      struct frocc__time_stamp *stamp);
size_t frocc__time_features(const struct frocc__column *column,
                            const struct frocc__time_stamp *stamp,
                            double features[FROCC__TIME_FEATURES]);
size_t frocc__missing_time(const struct frocc__column *column, double state,
                           double features[FROCC__TIME_FEATURES]);

/* Whether what is missing is filled in by something that has to be learnt. */
static inline bool frocc__fills_missing(frocc_missing missing) {
    return missing == FROCC_MISSING_MEAN || missing == FROCC_MISSING_KEEP;
}

/* Between the first few columns of times, each with each. */
#define FROCC__MOST_TIMES 5
#define FROCC__MOST_DIFFERENCES (FROCC__MOST_TIMES * (FROCC__MOST_TIMES - 1) / 2)

/* columns is NULL where every column is a nameless number: then feature j is column j. */
struct frocc_schema {
    int references;
    frocc_missing missing;
    bool sparse;
    int index_base; /* of sparse files */
    bool named;
    bool is_tallied; /* it knows of its columns what decides on them, so that parts can be joined */
    char **na;       /* what else stands for a missing cell, rising by bytes */
    size_t n_na;
    int time_parts;                           /* as asked for */
    size_t times[FROCC__MOST_TIMES], n_times; /* columns between which differences are features, */
    size_t n_differences;                     /* behind those of all columns */
    size_t n_columns, n_features;
    struct frocc__column *columns;
};

frocc_status frocc__schema_new(size_t n_columns, bool with_columns, frocc_schema **schema);
/* What the columns are, by what was found out about them, and then as the next. */
frocc_status frocc__schema_decide(frocc_schema *schema);
/* Numbers the features; to be called when roles and kinds are known. */
frocc_status frocc__schema_finish(frocc_schema *schema);
/* How many features a column becomes. */
size_t frocc__column_features(const struct frocc__column *column);

/* Whether a feature is a code, which says nothing by its size: a text, a state, a day of the week.
 */
bool frocc__schema_is_code(const frocc_schema *schema, size_t feature);
/* The differences of a row's times, of the columns in times; NaN is one that is missing. */
void frocc__schema_differences(const frocc_schema *schema, const double *seconds,
                               double *differences);
/* The column of a feature; a difference has one of its own, behind all others. */
size_t frocc__schema_column_of(const frocc_schema *schema, size_t feature);
/* The text of a code, where it is one of those that are known; else NULL. */
const char *frocc__schema_text_of(const frocc_schema *schema, size_t feature, uint32_t code);

/* Whether rows become something by this column. */
static inline bool frocc__is_feature(const struct frocc__column *column) {
    return column->role == FROCC__FEATURE && !column->names;
}

frocc_schema *frocc__schema_retain(const frocc_schema *schema);

/* About how much memory a schema of these bytes takes while it is read, or more. */
uint64_t frocc__schema_memory(const void *bytes, size_t size);

/* The bytes without what is only needed to join parts, as models have them. */
frocc_status frocc__schema_to_settled(const frocc_schema *schema, void **bytes, size_t *size);
/* Whether rows become the same by both, or both are NULL. */
frocc_status frocc__schemas_alike(const frocc_schema *a, const frocc_schema *b, bool *are_alike);

#endif
