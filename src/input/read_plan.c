/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a schema and an open file to a plan: which column of the file becomes which feature. Columns
 * are matched by name where both sides have names, else by position.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"

/* The columns of the file that are taken out, and for each column the schema's one, or NOT_FOUND.
 */
struct match {
    size_t label, id;
    size_t *column;
};

static enum frocc__role role_of(const frocc_schema *schema, size_t column) {
    if (schema->columns == NULL)
        return FROCC__FEATURE;
    return schema->columns[column].names ? FROCC__SKIPPED : schema->columns[column].role;
}

static size_t feature_columns(const frocc_schema *schema) {
    size_t count = 0;
    for (size_t i = 0; i < schema->n_columns; i++)
        count += role_of(schema, i) == FROCC__FEATURE;
    return count;
}

static frocc_status names_missing(const frocc_schema *schema, const frocc__input *input,
                                  const frocc__vocab *names) {
    char list[200] = "";
    size_t used = 0, count = 0;
    for (size_t i = 0; i < schema->n_columns; i++) {
        const char *name = schema->columns[i].name;
        char shown[FROCC__SHOWN_SIZE];
        if (role_of(schema, i) != FROCC__FEATURE ||
            frocc__vocab_find(names, name, strlen(name)) != FROCC__NOT_FOUND)
            continue;
        if (used < sizeof list - 50)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'",
                                     count > 0 ? ", " : "", frocc__show(name, strlen(name), shown));
        count++;
    }
    if (count == 0)
        return FROCC_OK;
    return frocc__fail(FROCC_ERR_SHAPE,
                       "%s: %zu of the columns that the model or the first file has %s missing in "
                       "the header: %s",
                       input->name, count, count == 1 ? "is" : "are", list);
}

static frocc_status match_names(const frocc_schema *schema, const frocc__input *input,
                                struct match *match) {
    frocc__vocab names = {0};
    frocc_status status = FROCC_OK;
    for (size_t i = 0; i < input->n_columns && status == FROCC_OK; i++)
        status = frocc__vocab_add(&names, input->names[i], strlen(input->names[i]));
    if (status == FROCC_OK)
        status = names_missing(schema, input, &names);
    for (size_t i = 0; i < schema->n_columns && status == FROCC_OK; i++) {
        const char *name = schema->columns[i].name;
        size_t position = frocc__vocab_find(&names, name, strlen(name));
        if (position != FROCC__NOT_FOUND)
            match->column[position] = i;
    }
    frocc__vocab_clear(&names);
    return status;
}

/* Either the file has the layout the schema was learnt from, or just its features in order. */
static frocc_status match_positions(const frocc_schema *schema, const frocc__input *input,
                                    bool ignore_extra, struct match *match) {
    size_t n = input->n_columns, features = feature_columns(schema);
    size_t taken = (match->label != FROCC__NOT_FOUND) +
                   (match->id != FROCC__NOT_FOUND && match->id != match->label);
    bool same =
        (n == schema->n_columns || (ignore_extra && n > schema->n_columns)) &&
        (match->label >= schema->n_columns || role_of(schema, match->label) != FROCC__FEATURE) &&
        (match->id >= schema->n_columns || role_of(schema, match->id) != FROCC__FEATURE);
    if (same) {
        for (size_t i = 0; i < schema->n_columns; i++)
            match->column[i] = i;
        return FROCC_OK;
    }
    if (n - taken != features)
        return frocc__fail(FROCC_ERR_SHAPE,
                           "%s: has %zu columns%s; expected %zu, as in the data the model or the "
                           "first file has%s",
                           input->name, n, taken > 0 ? " with label and id" : "",
                           schema->n_columns == n ? features + taken : schema->n_columns,
                           schema->named ? " (a header would allow matching by name)" : "");
    size_t next = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == match->label || i == match->id)
            continue;
        while (role_of(schema, next) != FROCC__FEATURE)
            next++;
        match->column[i] = next++;
    }
    return FROCC_OK;
}

static frocc_status target_of(const frocc_schema *schema, const frocc__input *input,
                              size_t position, const struct match *match,
                              enum frocc__purpose purpose, frocc__target *target) {
    size_t column = match->column[position];
    bool feature = column != FROCC__NOT_FOUND && role_of(schema, column) == FROCC__FEATURE;
    const char *name = input->names == NULL ? NULL : input->names[position];
    char where[FROCC__COLUMN_SIZE];
    *target = (frocc__target){.action = FROCC__TO_NOTHING, .feature = column};
    if (position == match->label || position == match->id) {
        target->action = position == match->label ? FROCC__TO_LABEL : FROCC__TO_ID;
        if (feature)
            return frocc__fail(FROCC_ERR_ARGUMENT,
                               "%s: %s is a feature of the model, so it cannot be label or id",
                               input->name, frocc__show_column(name, position, where));
        return FROCC_OK;
    }
    if (!feature)
        return FROCC_OK;
    const struct frocc__column *c = schema->columns != NULL ? &schema->columns[column] : NULL;
    bool text = c != NULL && c->text, time = c != NULL && c->time;
    if ((text || time) && !input->text)
        return frocc__fail(FROCC_ERR_SHAPE,
                           "%s: the model has %s in %s; this file has only "
                           "numbers",
                           input->name, text ? "texts" : "time stamps",
                           frocc__show_column(name, position, where));
    if (purpose != FROCC__READ_ROWS) {
        target->action = text ? FROCC__TO_TEXTS : FROCC__TO_NUMBER;
        return FROCC_OK;
    }
    target->action = FROCC__TO_NUMBER;
    if (c != NULL) {
        target->action = text             ? FROCC__TO_CATEGORY
                         : time           ? FROCC__TO_TIME
                         : c->tells_state ? FROCC__TO_NUMBER_TOLD
                                          : FROCC__TO_NUMBER;
        target->feature = c->first_feature;
        target->filler = c->filler;
        target->column = c;
        target->time = FROCC__NOT_FOUND;
        for (size_t i = 0; i < schema->n_times; i++)
            if (schema->times[i] == column)
                target->time = i;
    }
    return FROCC_OK;
}

static frocc_status make_targets(const frocc_schema *schema, const frocc__input *input,
                                 const frocc_reader_options *options, const frocc__taken *taken,
                                 enum frocc__purpose purpose, struct match *match,
                                 frocc__plan *plan) {
    size_t n = input->n_columns;
    FROCC_TRY(frocc__column_find(input->name, "label", input->has_labels ? NULL : taken->label,
                                 input->names, n, &match->label));
    FROCC_TRY(frocc__column_find(input->name, "id", taken->id, input->names, n, &match->id));
    plan->has_label = match->label != FROCC__NOT_FOUND || input->has_labels;
    plan->has_id = match->id != FROCC__NOT_FOUND && match->id != match->label;
    for (size_t i = 0; i < n; i++)
        match->column[i] = FROCC__NOT_FOUND;
    if (schema->named && input->names != NULL)
        FROCC_TRY(match_names(schema, input, match));
    else
        FROCC_TRY(match_positions(schema, input, options->ignore_extra != 0, match));
    plan->targets = frocc__alloc(n, sizeof *plan->targets);
    if (plan->targets == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        FROCC_TRY(target_of(schema, input, i, match, purpose, &plan->targets[i]));
    return FROCC_OK;
}

static frocc_status find_carried(const frocc__input *input, const frocc__taken *taken,
                                 frocc__plan *plan) {
    if (taken->n_carry == 0)
        return FROCC_OK;
    plan->carry_slot = frocc__alloc(input->n_columns, sizeof *plan->carry_slot);
    if (plan->carry_slot == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t i = 0; i < input->n_columns; i++)
        plan->carry_slot[i] = FROCC__NOT_FOUND;
    for (; plan->n_carried < taken->n_carry; plan->n_carried++) {
        size_t column = 0;
        FROCC_TRY(frocc__column_find(input->name, "carry", taken->carry[plan->n_carried],
                                     input->names, input->n_columns, &column));
        plan->carry_slot[column] = plan->n_carried;
    }
    return FROCC_OK;
}

static frocc_status check_sparse(const frocc_schema *schema, const frocc__input *input) {
    for (size_t i = 0; schema->columns != NULL && i < schema->n_columns; i++) {
        const struct frocc__column *c = &schema->columns[i];
        if (c->text || c->time || c->tells_state)
            return frocc__fail(FROCC_ERR_SHAPE,
                               "%s: is a sparse file of numbers; the model has %s in column %zu",
                               input->name,
                               c->text   ? "texts"
                               : c->time ? "time stamps"
                                         : "missing cells",
                               i + 1);
    }
    return FROCC_OK;
}

/* The indices of a sparse file are its columns where the schema is of such a file too, and features
 * where it is not. */
static frocc_status select_entries(const frocc_schema *schema, enum frocc__purpose purpose,
                                   frocc__plan *plan) {
    plan->n_columns = plan->n_features;
    if (!schema->sparse || schema->columns == NULL || purpose != FROCC__READ_ROWS)
        return FROCC_OK;
    plan->n_columns = schema->n_columns;
    plan->targets = frocc__alloc(plan->n_columns, sizeof *plan->targets);
    if (plan->targets == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t i = 0; i < plan->n_columns; i++) {
        bool feature = schema->columns[i].role == FROCC__FEATURE;
        plan->targets[i].action = feature ? FROCC__TO_NUMBER : FROCC__TO_NOTHING;
        plan->targets[i].feature = schema->columns[i].first_feature;
    }
    return FROCC_OK;
}

frocc_status frocc__plan_make(const frocc_schema *schema, const frocc__input *input,
                              const frocc_reader_options *options, const frocc__taken *taken,
                              enum frocc__purpose purpose, frocc__plan *plan) {
    *plan = (frocc__plan){.n_columns = input->n_columns,
                          .n_features =
                              purpose == FROCC__READ_ROWS ? schema->n_features : schema->n_columns,
                          .names = input->names,
                          .schema = schema,
                          .learns_kinds = purpose == FROCC__LEARN && !options->all_numeric,
                          .missing = options->own_missing ? options->missing : schema->missing,
                          .dtype = input->fixed_dtype ? input->dtype : options->dtype,
                          .index_base = schema->index_base,
                          .ignore_extra = options->ignore_extra != 0,
                          .lists_bad_rows = options->list_bad_rows != 0};
    if (input->sparse) {
        plan->has_label = true;
        FROCC_TRY(check_sparse(schema, input));
        return select_entries(schema, purpose, plan);
    }
    struct match match = {0};
    match.column = frocc__alloc(input->n_columns, sizeof *match.column);
    frocc_status status = FROCC_ERR_MEMORY;
    if (match.column != NULL)
        status = make_targets(schema, input, options, taken, purpose, &match, plan);
    if (status == FROCC_OK)
        status = find_carried(input, taken, plan);
    frocc__free(match.column);
    if (status != FROCC_OK)
        frocc__plan_clear(plan);
    return status;
}

bool frocc__target_lacks(const frocc__plan *plan, const frocc__target *target, const char *text,
                         size_t length) {
    if (frocc__is_missing(text, length))
        return true;
    for (size_t i = 0; i < plan->schema->n_na; i++)
        if (strlen(plan->schema->na[i]) == length && memcmp(plan->schema->na[i], text, length) == 0)
            return true;
    return !plan->learns_kinds && frocc__is_dash(text, length) &&
           (target->action == FROCC__TO_NUMBER || target->action == FROCC__TO_NUMBER_TOLD ||
            target->action == FROCC__TO_TIME);
}

void frocc__plan_clear(frocc__plan *plan) {
    frocc__free(plan->targets);
    frocc__free(plan->carry_slot);
    memset(plan, 0, sizeof *plan);
}
