/* SPDX-License-Identifier: BSD-3-Clause */
/* What the threads of a learning pass find out, and how it becomes one. */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"
#include "schema/time_stamp.h"

frocc_status frocc__surveys_new(size_t n_columns, int count, bool values, frocc__survey **surveys) {
    frocc__survey *s = frocc__alloc((size_t)count, sizeof *s);
    if (s == NULL)
        return FROCC_ERR_MEMORY;
    for (int t = 0; t < count; t++) {
        s[t].n_columns = n_columns;
        s[t].values = values;
        s[t].columns = frocc__alloc(n_columns, sizeof *s[t].columns);
        s[t].sums = values ? frocc__alloc(n_columns, sizeof *s[t].sums) : NULL;
        if (s[t].columns == NULL || (values && s[t].sums == NULL)) {
            frocc__surveys_free(s, count);
            return FROCC_ERR_MEMORY;
        }
    }
    *surveys = s;
    return FROCC_OK;
}

void frocc__surveys_free(frocc__survey *s, int count) {
    for (int t = 0; s != NULL && t < count; t++) {
        for (size_t i = 0; s[t].columns != NULL && i < s[t].n_columns; i++)
            frocc__known_clear(&s[t].columns[i].known);
        frocc__free(s[t].columns);
        frocc__free(s[t].sums);
    }
    frocc__free(s);
}

frocc_status frocc__survey_text(struct frocc__finding *finding, const char *text, size_t length) {
    frocc__time_stamp stamp;
    if (frocc__time_stamp_read(text, length, &stamp)) {
        frocc__tally_time(&finding->tally, &stamp);
        return FROCC_OK;
    }
    const bool is_dash = frocc__is_dash(text, length);
    finding->tally.n_dashes += is_dash;
    finding->tally.n_marks += !is_dash;
    return frocc__known_take(&finding->known, text, length);
}

frocc_status frocc__surveys_merge(frocc__survey *s, int count) {
    for (int t = 1; t < count; t++) {
        for (size_t i = 0; i < s->n_columns; i++) {
            frocc__tally_merge(&s[0].columns[i].tally, &s[t].columns[i].tally);
            FROCC_TRY(frocc__known_merge(&s[0].columns[i].known, &s[t].columns[i].known));
            if (s->values)
                frocc__sum_merge(&s[0].sums[i], &s[t].sums[i]);
        }
        frocc__counting_merge(&s[0].counting, &s[t].counting);
        s[0].n_rows += s[t].n_rows;
        s[0].max_index = FROCC_MAX(s[0].max_index, s[t].max_index);
        s[0].zero_index = s[0].zero_index || s[t].zero_index;
    }
    return FROCC_OK;
}
