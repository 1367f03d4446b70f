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

void frocc__finding_time(struct frocc__finding *finding, const frocc__time_stamp *stamp) {
    finding->n_time++;
    finding->n_clock += !stamp->has_day;
    finding->has_hour |= stamp->has_hour;
}

static frocc_status merge_finding(struct frocc__finding *into, const struct frocc__finding *from) {
    bool earlier = from->first_file < into->first_file ||
                   (from->first_file == into->first_file && from->first_line < into->first_line);
    into->n_missing += from->n_missing;
    into->n_time += from->n_time;
    into->n_clock += from->n_clock;
    into->has_hour |= from->has_hour;
    if (from->text && (!into->text || earlier)) {
        into->text = true;
        into->first_file = from->first_file;
        into->first_line = from->first_line;
        memcpy(into->first_text, from->first_text, sizeof into->first_text);
    }
    return frocc__known_merge(&into->known, &from->known);
}

frocc_status frocc__surveys_merge(frocc__survey *s, int count) {
    for (int t = 1; t < count; t++) {
        for (size_t i = 0; i < s->n_columns; i++) {
            FROCC_TRY(merge_finding(&s[0].columns[i], &s[t].columns[i]));
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
