/* SPDX-License-Identifier: BSD-3-Clause */
/* What R calls. Each returns what it says, or a list of class frocc_failure. */
#ifndef FROCC_R_CALLS_H
#define FROCC_R_CALLS_H

#include "glue.h"

/* fit.c: the parts of a model */
SEXP frocc_r_fit(SEXP rows, SEXP params);
SEXP frocc_r_update(SEXP object, SEXP rows, SEXP threads);
SEXP frocc_r_merge(SEXP objects);
SEXP frocc_r_read(SEXP path, SEXP max_memory);
SEXP frocc_r_write(SEXP object, SEXP path);

/* score.c: a value a row, NA for rows that are left out; explain has matrices */
SEXP frocc_r_score(SEXP object, SEXP rows, SEXP n_rows, SEXP threads);
SEXP frocc_r_decide(SEXP object, SEXP rows, SEXP n_rows, SEXP threads);
SEXP frocc_r_p_values(SEXP object, SEXP scores);
SEXP frocc_r_explain(SEXP object, SEXP rows, SEXP n_rows);

/* rows.c: how many rows a file has */
SEXP frocc_r_count(SEXP object, SEXP rows);

/* describe.c */
SEXP frocc_r_describe(SEXP object);
SEXP frocc_r_threshold(SEXP object, SEXP fpr);
SEXP frocc_r_ranges(SEXP object);
SEXP frocc_r_columns(SEXP object);

#endif
