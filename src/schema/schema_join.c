/* SPDX-License-Identifier: BSD-3-Clause */
/* The schema of parts together: the same columns, with the texts that any part has. */
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/status.h"
#include "schema/schema.h"

static frocc_status fail_at_column(const struct frocc__column *column, size_t i, const char *what) {
    char shown[FROCC__COLUMN_SIZE];
    return frocc__fail(FROCC_ERR_FRAME, "%s %s", frocc__show_column(column->name, i, shown), what);
}

static bool has_same_name(const struct frocc__column *a, const struct frocc__column *b) {
    return a->name == NULL ? b->name == NULL : b->name != NULL && strcmp(a->name, b->name) == 0;
}

static frocc_status check_column(const struct frocc__column *a, const struct frocc__column *b,
                                 size_t i) {
    if (!has_same_name(a, b) || a->role != b->role)
        return fail_at_column(a, i, "is another one in another part, or has another use there");
    if (a->text != b->text || a->time != b->time || a->clock != b->clock ||
        a->seconds != b->seconds)
        return fail_at_column(a, i,
                              "has texts in one part, and only numbers or times in another; name "
                              "it as categorical for all parts");
    if (a->filler != b->filler || a->tells_state != b->tells_state)
        return fail_at_column(
            a, i,
            "was given other values for missing cells by the rows of another part; learn the "
            "columns from all rows at once");
    return FROCC_OK;
}

/* Files of sparse rows have as many columns as the largest index seen. */
static frocc_status check_pair(const frocc_schema *a, const frocc_schema *b) {
    const bool is_open = a->sparse && a->columns == NULL && b->columns == NULL;
    if (a->missing != b->missing || a->sparse != b->sparse || a->index_base != b->index_base ||
        a->named != b->named || (a->columns == NULL) != (b->columns == NULL))
        return frocc__fail(FROCC_ERR_FRAME, "the parts were read in different ways: with and "
                                            "without names or texts, from other kinds of files, or "
                                            "with other rules for missing cells");
    if (!is_open && a->n_columns != b->n_columns)
        return frocc__fail(FROCC_ERR_FRAME, "one part has %zu columns, another %zu", a->n_columns,
                           b->n_columns);
    for (size_t i = 0; a->columns != NULL && i < a->n_columns; i++)
        FROCC_TRY(check_column(&a->columns[i], &b->columns[i], i));
    return FROCC_OK;
}

static frocc_status join_columns(const frocc_schema *const *schemas, size_t n_schemas,
                                 frocc_schema *joined) {
    for (size_t i = 0; joined->columns != NULL && i < joined->n_columns; i++) {
        const struct frocc__column *first = &schemas[0]->columns[i];
        struct frocc__column *column = &joined->columns[i];
        column->role = first->role;
        column->text = first->text;
        column->time = first->time;
        column->clock = first->clock;
        column->weekday = first->weekday;
        column->seconds = first->seconds;
        for (size_t s = 0; s < n_schemas; s++)
            column->hour |= schemas[s]->columns[i].hour;
        column->tells_state = first->tells_state;
        column->filler = first->filler;
        if (first->name != NULL) {
            column->name = frocc__alloc(strlen(first->name) + 1, 1);
            if (column->name == NULL)
                return FROCC_ERR_MEMORY;
            strcpy(column->name, first->name);
        }
        for (size_t s = 0; s < n_schemas; s++)
            FROCC_TRY(frocc__known_merge(&column->known, &schemas[s]->columns[i].known));
    }
    return frocc__schema_finish(joined);
}

frocc_status frocc_schema_join(const frocc_schema *const *schemas, size_t n_schemas,
                               frocc_schema **joined) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(schemas);
    FROCC_REQUIRE(joined);
    if (n_schemas == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "there are no columns to join");
    size_t n_columns = 0;
    for (size_t s = 0; s < n_schemas; s++) {
        FROCC_REQUIRE(schemas[s]);
        FROCC_TRY(check_pair(schemas[0], schemas[s]));
        n_columns = FROCC_MAX(n_columns, schemas[s]->n_columns);
    }
    frocc_schema *made = NULL;
    FROCC_TRY(frocc__schema_new(n_columns, schemas[0]->columns != NULL, &made));
    made->missing = schemas[0]->missing;
    made->sparse = schemas[0]->sparse;
    made->index_base = schemas[0]->index_base;
    made->named = schemas[0]->named;
    frocc_status status = join_columns(schemas, n_schemas, made);
    if (status != FROCC_OK) {
        frocc_schema_free(made);
        return status;
    }
    *joined = made;
    return FROCC_OK;
}
