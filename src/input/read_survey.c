/* SPDX-License-Identifier: BSD-3-Clause */
/* What the threads of a learning pass find out, and how it becomes one. */
#include <stdio.h>
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
            frocc__vocab_clear(&s[t].columns[i].vocab);
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

void frocc__survey_add(frocc__survey *s, size_t column, double value) {
    struct frocc__finding *finding = &s->columns[column];
    const bool first = s->sums[column].count == 0;
    finding->low = first ? value : FROCC_MIN(finding->low, value);
    finding->high = first ? value : FROCC_MAX(finding->high, value);
    frocc__sum_add(&s->sums[column], value);
}

static frocc_status too_many(const frocc_schema *schema, size_t column, size_t limit,
                             const char *file) {
    const frocc__where where = {
        .file = file, .column = column + 1, .column_name = schema->columns[column].name};
    const char *name = where.column_name;
    char shown[FROCC__COLUMN_SIZE], told[FROCC__SHOWN_SIZE];
    /* The name, where it can be written so; its number will do as well. */
    if (name == NULL || *name == '\0' || strlen(name) >= sizeof told ||
        strcspn(name, " ,'\"\\$`;|&<>()*?[]#~!{}") < strlen(name) ||
        strcmp(frocc__show(name, strlen(name), told), name) != 0)
        snprintf(told, sizeof told, "%zu", column + 1);
    frocc__set_error("%s: %s holds texts, more than %zu different ones; leave it out by drop = %s, "
                     "or, where it names the rows, by id = %s; or give a larger max_categories",
                     file, frocc__show_column(name, column, shown), limit, told, told);
    frocc__error_is_at(&where);
    return FROCC_ERR_DATA;
}

frocc_status frocc__surveys_join_texts(frocc__survey *s, int count, size_t max_categories,
                                       const frocc_schema *schema, const char *file) {
    for (size_t i = 0; i < s->n_columns; i++) {
        frocc__vocab *all = &s[0].columns[i].vocab;
        for (int t = 1; t < count; t++) {
            struct frocc__finding *part = &s[t].columns[i];
            for (; part->merged < part->vocab.count; part->merged++) {
                const char *text = frocc__vocab_text(&part->vocab, part->merged);
                FROCC_TRY(frocc__vocab_add(all, text, strlen(text)));
            }
        }
        if (all->count > max_categories)
            return too_many(schema, i, max_categories, file);
    }
    return FROCC_OK;
}

/* What values told. */
static void merge_values(struct frocc__finding *into, const struct frocc__finding *from,
                         frocc__sum *into_sum, frocc__sum *from_sum) {
    const bool any = into_sum->count > 0;
    if (from_sum->count > 0) {
        into->low = any ? FROCC_MIN(into->low, from->low) : from->low;
        into->high = any ? FROCC_MAX(into->high, from->high) : from->high;
    }
    frocc__sum_merge(into_sum, from_sum);
}

static void merge_finding(struct frocc__finding *into, const struct frocc__finding *from) {
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
}

void frocc__surveys_merge(frocc__survey *s, int count) {
    for (int t = 1; t < count; t++) {
        for (size_t i = 0; i < s->n_columns; i++) {
            merge_finding(&s[0].columns[i], &s[t].columns[i]);
            if (s->values)
                merge_values(&s[0].columns[i], &s[t].columns[i], &s[0].sums[i], &s[t].sums[i]);
        }
        frocc__counting_merge(&s[0].counting, &s[t].counting);
        s[0].n_rows += s[t].n_rows;
        s[0].max_index = FROCC_MAX(s[0].max_index, s[t].max_index);
        s[0].zero_index = s[0].zero_index || s[t].zero_index;
    }
}
