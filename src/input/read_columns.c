/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns by name or number, and the roles the caller gives them. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"
#include "schema/time_stamp.h"

/* Reads a number from 1, or from -1 for the last, at *p; 0 when there is none. */
static size_t read_number(const char **p, size_t n_columns) {
    bool from_end = **p == '-';
    const char *q = *p + from_end;
    size_t number = 0;
    if (*q < '0' || *q > '9')
        return 0;
    for (; *q >= '0' && *q <= '9'; q++)
        number = number > n_columns ? number : number * 10 + (size_t)(*q - '0');
    *p = q;
    if (from_end)
        return number <= n_columns ? n_columns + 1 - number : n_columns + 1;
    return number == 0 ? n_columns + 1 : number;
}

/* "3", "-1", "3-7", "3-": first and last, from 1; false when it is none of these. */
static bool read_range(const char *reference, size_t n_columns, size_t *first, size_t *last) {
    const char *p = reference;
    *first = *last = read_number(&p, n_columns);
    if (*first == 0)
        return false;
    if (*p == '-') {
        p++;
        *last = *p == '\0' ? n_columns : read_number(&p, n_columns);
    }
    return *p == '\0' && *last != 0;
}

static frocc_status unknown_column(const char *file, const char *what, const char *reference,
                                   char *const *names, size_t n_columns) {
    char list[200] = "";
    size_t used = 0;
    if (names == NULL)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "%s: there is no column '%s' for %s; the file has no header, so columns "
                           "are numbers from 1 to %zu",
                           file, reference, what, n_columns);
    for (size_t i = 0; i < n_columns && used < sizeof list - 50; i++) {
        char shown[FROCC__SHOWN_SIZE];
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                                 frocc__show(names[i], strlen(names[i]), shown));
        if (used >= sizeof list - 50 && i + 1 < n_columns)
            snprintf(list + used, sizeof list - used, ", ...");
    }
    return frocc__fail(FROCC_ERR_ARGUMENT,
                       "%s: there is no column '%s' for %s; the columns are: %s (or numbers from 1 "
                       "to %zu)",
                       file, reference, what, list, n_columns);
}

frocc_status frocc__columns_find(const char *file, const char *what, const char *reference,
                                 char *const *names, size_t n_columns, bool *marks) {
    size_t first = 0, last = 0;
    for (size_t i = 0; names != NULL && i < n_columns; i++)
        if (strcmp(names[i], reference) == 0) {
            marks[i] = true;
            return FROCC_OK;
        }
    if (!read_range(reference, n_columns, &first, &last))
        return unknown_column(file, what, reference, names, n_columns);
    if (first > n_columns || last > n_columns || first > last)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "%s: column %s for %s is outside of 1 to %zu, the columns of the file",
                           file, reference, what, n_columns);
    for (size_t i = first; i <= last; i++)
        marks[i - 1] = true;
    return FROCC_OK;
}

frocc_status frocc__column_find(const char *file, const char *what, const char *reference,
                                char *const *names, size_t n_columns, size_t *column) {
    *column = FROCC__NOT_FOUND;
    if (reference == NULL)
        return FROCC_OK;
    bool *marks = frocc__alloc(n_columns, sizeof *marks);
    if (marks == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = frocc__columns_find(file, what, reference, names, n_columns, marks);
    size_t count = 0;
    for (size_t i = 0; status == FROCC_OK && i < n_columns; i++)
        if (marks[i]) {
            *column = i;
            count++;
        }
    frocc__free(marks);
    if (status == FROCC_OK && count != 1)
        status = frocc__fail(FROCC_ERR_ARGUMENT, "%s: %s must be one column; '%s' names %zu", file,
                             what, reference, count);
    return status;
}

static frocc_status mark_all(const frocc__input *input, const char *what,
                             const char *const *references, size_t count, bool *marks) {
    for (size_t i = 0; i < count; i++)
        FROCC_TRY(frocc__columns_find(input->name, what, references[i], input->names,
                                      input->n_columns, marks));
    return FROCC_OK;
}

/* use, then drop, then label and id. */
static frocc_status set_roles(const frocc__input *input, const frocc_reader_options *o, bool *marks,
                              frocc_schema *schema) {
    size_t n = input->n_columns, label = 0, id = 0;
    if (o->n_use > 0) {
        FROCC_TRY(mark_all(input, "use", o->use, o->n_use, marks));
        for (size_t i = 0; i < n; i++)
            schema->columns[i].role = marks[i] ? FROCC__FEATURE : FROCC__SKIPPED;
        memset(marks, 0, n * sizeof *marks);
    }
    FROCC_TRY(mark_all(input, "drop", o->drop, o->n_drop, marks));
    for (size_t i = 0; i < n; i++)
        if (marks[i])
            schema->columns[i].role = FROCC__SKIPPED;
    memset(marks, 0, n * sizeof *marks);
    FROCC_TRY(frocc__column_find(input->name, "label", input->has_labels ? NULL : o->label,
                                 input->names, n, &label));
    FROCC_TRY(frocc__column_find(input->name, "id", o->id, input->names, n, &id));
    if (label != FROCC__NOT_FOUND)
        schema->columns[label].role = FROCC__LABEL;
    if (id != FROCC__NOT_FOUND && id != label)
        schema->columns[id].role = FROCC__ID;
    FROCC_TRY(mark_all(input, "categorical", o->categorical, o->n_categorical, marks));
    for (size_t i = 0; i < n; i++)
        schema->columns[i].text = schema->columns[i].asked =
            marks[i] && schema->columns[i].role == FROCC__FEATURE;
    memset(marks, 0, n * sizeof *marks);
    FROCC_TRY(mark_all(input, "time", o->time, o->n_time, marks));
    for (size_t i = 0; i < n; i++)
        schema->columns[i].asked_seconds = marks[i];
    return FROCC_OK;
}

/* Columns of a table that hold texts, unless all are to be numbers. */
static void set_kinds(const frocc__input *input, const frocc_reader_options *o,
                      frocc_schema *schema) {
    for (size_t i = 0; input->knows_kinds && !o->all_numeric && i < input->n_columns; i++)
        if (schema->columns[i].role == FROCC__FEATURE && frocc__table_holds_text(input, i))
            schema->columns[i].text = schema->columns[i].typed = true;
}

/* Whether numbers may be times since 1970. */
static bool may_be_epochs(const frocc__input *input, size_t i) {
    return input->names != NULL && frocc__names_epochs(input->names[i]) &&
           (!input->knows_kinds || frocc__table_may_hold_epochs(input, i));
}

static frocc_status copy_names(const frocc__input *input, frocc_schema *schema) {
    schema->named = input->names != NULL;
    schema->columns[0].is_unnamed = input->is_unnamed;
    for (size_t i = 0; i < input->n_columns; i++)
        schema->columns[i].may_be_epochs = input->text && may_be_epochs(input, i);
    for (size_t i = 0; schema->named && i < input->n_columns; i++) {
        schema->columns[i].name = frocc__alloc(strlen(input->names[i]) + 1, 1);
        if (schema->columns[i].name == NULL)
            return FROCC_ERR_MEMORY;
        strcpy(schema->columns[i].name, input->names[i]);
    }
    return FROCC_OK;
}

static frocc_status check_features(const frocc__input *input, const frocc_schema *schema) {
    for (size_t i = 0; i < schema->n_columns; i++) {
        if (schema->columns[i].role != FROCC__FEATURE)
            continue;
        if (schema->columns[i].text && !input->text)
            return frocc__fail(FROCC_ERR_ARGUMENT,
                               "%s: column %zu cannot be categorical: the file "
                               "has only numbers",
                               input->name, i + 1);
        return FROCC_OK;
    }
    return frocc__fail(FROCC_ERR_ARGUMENT,
                       "%s: no column is left as a feature once use, drop, label and id have been "
                       "heeded",
                       input->name);
}

/* A sparse schema has no columns of its own otherwise, whatever its indices are. */
#define MAX_SELECTED ((size_t)1 << 22)

frocc_status frocc__schema_select(const frocc__input *input, const frocc_reader_options *options,
                                  frocc_schema *schema) {
    if (input->n_columns > MAX_SELECTED)
        return frocc__fail(FROCC_ERR_UNSUPPORTED,
                           "%s: has %zu features; use and drop can choose among %zu at most",
                           input->name, input->n_columns, MAX_SELECTED);
    bool *marks = frocc__alloc(input->n_columns, sizeof *marks);
    schema->columns = frocc__alloc(input->n_columns, sizeof *schema->columns);
    frocc_status status = FROCC_ERR_MEMORY;
    if (marks != NULL && schema->columns != NULL)
        status = set_roles(input, options, marks, schema);
    frocc__free(marks);
    return status == FROCC_OK ? check_features(input, schema) : status;
}

frocc_status frocc__schema_start(const frocc__input *input, const frocc_reader_options *options,
                                 frocc_schema **schema) {
    bool plain = input->names == NULL && !input->text && !frocc__fills_missing(options->missing) &&
                 (options->label == NULL || input->has_labels) && options->id == NULL &&
                 options->n_use == 0 && options->n_drop == 0 && options->n_categorical == 0 &&
                 options->n_time == 0 && options->n_na == 0;
    frocc_schema *s = NULL;
    FROCC_TRY(frocc__schema_new(input->n_columns, !plain, &s));
    s->missing = options->missing;
    s->time_parts = options->time_parts;
    frocc_status status = frocc__schema_set_na(s, options->na, options->n_na);
    if (!plain && status == FROCC_OK) {
        bool *marks = frocc__alloc(input->n_columns, sizeof *marks);
        status = marks == NULL ? FROCC_ERR_MEMORY : set_roles(input, options, marks, s);
        frocc__free(marks);
        if (status == FROCC_OK)
            status = copy_names(input, s);
        set_kinds(input, options, s);
        if (status == FROCC_OK)
            status = check_features(input, s);
    }
    if (status != FROCC_OK)
        frocc_schema_free(s);
    else
        *schema = s;
    return status;
}
