/* SPDX-License-Identifier: BSD-3-Clause */
/* The schema of parts together: what was found out about their cells adds up, and says anew what
 * the columns are, as if all rows had been read at once. */
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
                                 size_t i, bool tallied) {
    if (!has_same_name(a, b) || a->role != b->role || a->asked != b->asked ||
        a->typed != b->typed || a->asked_seconds != b->asked_seconds ||
        (a->seconds != b->seconds && !tallied))
        return fail_at_column(a, i, "is another one in another part, or has another use there");
    if (tallied)
        return FROCC_OK;
    if (a->text != b->text || a->time != b->time || a->clock != b->clock ||
        a->yearless != b->yearless || a->month_first != b->month_first ||
        a->per_second != b->per_second || a->tells_state != b->tells_state ||
        a->filler != b->filler)
        return fail_at_column(a, i,
                              "is not the same in all parts; learn the columns anew from "
                              "their rows");
    return FROCC_OK;
}

static bool have_same_na(const frocc_schema *a, const frocc_schema *b) {
    bool same = a->n_na == b->n_na;
    for (size_t i = 0; same && i < a->n_na; i++)
        same = strcmp(a->na[i], b->na[i]) == 0;
    return same;
}

/* Files of sparse rows have as many columns as the largest index seen. */
static frocc_status check_pair(const frocc_schema *a, const frocc_schema *b) {
    const bool is_open = a->sparse && a->columns == NULL && b->columns == NULL;
    if (a->missing != b->missing || a->sparse != b->sparse || a->index_base != b->index_base ||
        a->named != b->named || (a->columns == NULL) != (b->columns == NULL) ||
        !have_same_na(a, b) || a->time_parts != b->time_parts ||
        (!a->is_tallied && a->n_times != b->n_times))
        return frocc__fail(FROCC_ERR_FRAME, "the parts were read in different ways: with and "
                                            "without names or texts, from other kinds of files, or "
                                            "with other rules for missing cells");
    if (!is_open && a->n_columns != b->n_columns)
        return frocc__fail(FROCC_ERR_FRAME, "one part has %zu columns, another %zu", a->n_columns,
                           b->n_columns);
    for (size_t i = 0; a->columns != NULL && i < a->n_columns; i++)
        FROCC_TRY(check_column(&a->columns[i], &b->columns[i], i, a->is_tallied && b->is_tallied));
    return FROCC_OK;
}

static frocc_status add_column(struct frocc__column *into, const struct frocc__column *from) {
    frocc__tally_merge(&into->tally, &from->tally);
    if (from->sum != NULL) {
        frocc__sum part = *from->sum; /* merging passes on the carries of both */
        if (into->sum == NULL)
            into->sum = frocc__alloc(1, sizeof *into->sum);
        if (into->sum == NULL)
            return FROCC_ERR_MEMORY;
        frocc__sum_merge(into->sum, &part);
    }
    return frocc__known_merge(&into->known, &from->known);
}

static frocc_status copy_column(const struct frocc__column *from, struct frocc__column *into) {
    *into = *from;
    into->name = NULL;
    into->sum = NULL;
    memset(&into->known, 0, sizeof into->known);
    memset(&into->tally, 0, sizeof into->tally);
    if (from->name == NULL)
        return FROCC_OK;
    into->name = frocc__alloc(strlen(from->name) + 1, 1);
    if (into->name == NULL)
        return FROCC_ERR_MEMORY;
    strcpy(into->name, from->name);
    return FROCC_OK;
}

static frocc_status join_columns(const frocc_schema *const *schemas, size_t n_schemas,
                                 frocc_schema *joined) {
    for (size_t i = 0; joined->columns != NULL && i < joined->n_columns; i++) {
        FROCC_TRY(copy_column(&schemas[0]->columns[i], &joined->columns[i]));
        for (size_t s = 0; s < n_schemas; s++)
            FROCC_TRY(add_column(&joined->columns[i], &schemas[s]->columns[i]));
    }
    return joined->is_tallied ? frocc__schema_decide(joined) : frocc__schema_finish(joined);
}

frocc_status frocc_schema_join(const frocc_schema *const *schemas, size_t n_schemas,
                               frocc_schema **joined) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(schemas);
    FROCC_REQUIRE(joined);
    if (n_schemas == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "there are no columns to join");
    size_t n_columns = 0;
    bool tallied = true;
    for (size_t s = 0; s < n_schemas; s++) {
        FROCC_REQUIRE(schemas[s]);
        FROCC_TRY(check_pair(schemas[0], schemas[s]));
        n_columns = FROCC_MAX(n_columns, schemas[s]->n_columns);
        tallied = tallied && schemas[s]->is_tallied;
    }
    frocc_schema *made = NULL;
    FROCC_TRY(frocc__schema_new(n_columns, schemas[0]->columns != NULL, &made));
    made->missing = schemas[0]->missing;
    made->sparse = schemas[0]->sparse;
    made->index_base = schemas[0]->index_base;
    made->named = schemas[0]->named;
    made->is_tallied = tallied;
    made->time_parts = schemas[0]->time_parts;
    made->n_times = schemas[0]->n_times;
    memcpy(made->times, schemas[0]->times, sizeof made->times);
    frocc_status status =
        frocc__schema_set_na(made, (const char *const *)schemas[0]->na, schemas[0]->n_na);
    if (status == FROCC_OK)
        status = join_columns(schemas, n_schemas, made);
    if (status != FROCC_OK) {
        frocc_schema_free(made);
        return status;
    }
    *joined = made;
    return FROCC_OK;
}
