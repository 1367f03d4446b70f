/* SPDX-License-Identifier: BSD-3-Clause */
/* The schema: what the columns of a table become. It is learnt from files, kept in frames. */
#ifndef FROCC_SCHEMA_H
#define FROCC_SCHEMA_H

#include "schema/vocab.h"

enum frocc__role { FROCC__FEATURE = 0, FROCC__SKIPPED = 1, FROCC__LABEL = 2, FROCC__ID = 3 };

struct frocc__column {
    char *name; /* NULL where the file has no names */
    enum frocc__role role;
    bool text;
    bool time;               /* of time stamps, with these features: */
    bool day, hour, seconds; /* day of the week, hour of the day, the time itself */
    bool is_unnamed;    /* the name is only its number. As the next, known while it is learnt, */
    bool counts;        /* and not in the bytes: it was found to count the rows, */
    bool may_count;     /* or a part of them did not tell */
    bool tells_missing; /* its last feature is 1 where the cell is missing, else 0 */
    double filler;      /* what a missing number is read as, or the time itself */
    size_t first_feature;
    frocc__vocab vocab; /* sorted; of text columns. The empty text stands for missing ones */
};

/* What the feature of texts never seen is where the text is missing and none was when the schema
 * was learnt: as far outside as a number would be. */
#define FROCC__MISSING_TEXT 64.0

/* The features of a time stamp, and of one that is missing: hour and day in the middle of the
 * circle, or far outside. Returns how many. */
#define FROCC__TIME_FEATURES 6
struct frocc__time_stamp;
/* What is wrong with a cell that is none of the column's stamps. */
const char *frocc__no_time(const struct frocc__column *column);

/* Whether a stamp is one of the column: days are told of all of its stamps, or of none. */
bool frocc__time_fits(const struct frocc__column *column, const struct frocc__time_stamp *stamp);
size_t frocc__time_features(const struct frocc__column *column,
                            const struct frocc__time_stamp *stamp,
                            double features[FROCC__TIME_FEATURES]);
size_t frocc__missing_time(const struct frocc__column *column, frocc_missing missing,
                           double features[FROCC__TIME_FEATURES]);

/* Where a missing number is read as, in a column that had none missing: far from all it had. NaN
 * where there is no such place among the numbers that can be used. */
double frocc__far_outside(double low, double high);

/* columns is NULL where every column is a nameless number: then feature j is column j. */
struct frocc_schema {
    int references;
    frocc_missing missing;
    bool sparse;
    int index_base; /* of sparse files */
    bool named;
    size_t n_columns, n_features;
    struct frocc__column *columns;
};

frocc_status frocc__schema_new(size_t n_columns, bool with_columns, frocc_schema **schema);
/* Numbers the features; to be called when roles, kinds and vocabularies are known. */
frocc_status frocc__schema_finish(frocc_schema *schema);
/* How many features a column becomes. */
size_t frocc__column_features(const struct frocc__column *column);
frocc_schema *frocc__schema_retain(const frocc_schema *schema);

/* About how much memory a schema of these bytes takes while it is read, or more. */
uint64_t frocc__schema_memory(const void *bytes, size_t size);

/* Whether both are the same bytes, or both NULL. */
frocc_status frocc__schemas_equal(const frocc_schema *a, const frocc_schema *b, bool *are_equal);

#endif
