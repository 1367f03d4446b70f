/* SPDX-License-Identifier: BSD-3-Clause */
/* Features of a row as a person says them: a number, a category, that a cell is missing. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include "frocc_io.h"

/* A feature of a row, with what explains it, as it is to be shown. */
typedef struct shown_feature {
    char *name; /* the caller frees */
    double value, better;
} shown_feature;

/*
 * As it is, but of time stamps an hour is 0 to 24; a day is 1, Monday, to 7; a state 0 where the
 * cell has a number and 1 where it is missing; and of texts, whose codes say nothing, NAN. value
 * and better point into the row, at the feature.
 */
shown_feature show_feature(const frocc_schema *schema, size_t feature, const double *value,
                           const double *better);

/* What values features usually have; NULL where that is what training rows had. */
typedef struct usual_values {
    double *low, *high; /* a feature each; none is usual where low > high */
} usual_values;

/* Why a feature of a row counts against it; values and better are of the whole row. */
frocc_reason say_feature(const frocc_model *model, const frocc_schema *schema,
                         const usual_values *usual, size_t feature, const double *values,
                         const double *better);

/* What a row has in common with others that are alike in this feature: the column and, where it is
 * beyond what is usual, in which direction. Writes at most size bytes, too. */
void say_group(const frocc_model *model, const frocc_schema *schema, size_t feature,
               const double *values, const double *better, char *text, size_t size);

/* The column of a feature; the caller frees. */
char *feature_column(const frocc_schema *schema, size_t feature);

#endif
