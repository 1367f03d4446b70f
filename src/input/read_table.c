/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of the caller's: batches of columns, of any size, are taken a few rows at a time, column
 * by column. The rows, and what is learnt from them, are those of the same table in a CSV file.
 */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read_table.h"
#include "numbers/number.h"

#define BLOCK_VALUES ((size_t)1 << 17) /* of a buffer: they should stay in a cache meanwhile */

frocc_status frocc__table_failed(const char *name, frocc_status status, const char *error) {
    return frocc__fail(status, "%s: %s", name,
                       error != NULL ? error : "cannot be read: its source reported a failure");
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* What can be told without looking at every cell. */
static frocc_status check_batch(const struct frocc__table *t) {
    for (size_t i = 0; t->batch_rows > 0 && i < t->input.n_columns; i++) {
        const frocc_cells *cells = &t->cells[i];
        const bool text = frocc__holds_text(&t->source.fields[i]);
        if (t->source.fields[i].kind == FROCC_VALUES_NONE)
            continue;
        const bool none = text && cells->codes != NULL && cells->n_texts == 0;
        if (!none && (text ? cells->offsets == NULL : cells->values == NULL))
            return frocc__fail(FROCC_ERR_ARGUMENT, "%s: a batch has no values for column %zu",
                               t->input.name, i + 1);
    }
    return FROCC_OK;
}

static frocc_status next_batch(struct frocc__table *t) {
    const char *error = NULL;
    t->rows_before += t->batch_rows;
    t->batch_rows = t->next_row = 0;
    memset(t->cells, 0, t->input.n_columns * sizeof *t->cells);
    frocc_status status = t->source.next(t->source.context, t->cells, &t->batch_rows, &error);
    if (status != FROCC_OK) {
        t->batch_rows = 0;
        return frocc__table_failed(t->input.name, status, error);
    }
    t->finished = t->batch_rows == 0;
    return check_batch(t);
}

static frocc_status reserve(struct frocc__table *t, const frocc__job *job, size_t n_rows) {
    if (n_rows > t->drop_room) {
        frocc__free(t->drop);
        t->drop_room = 0;
        t->drop = frocc__alloc(n_rows, 1);
        if (t->drop == NULL)
            return FROCC_ERR_MEMORY;
        t->drop_room = n_rows;
    }
    memset(t->drop, 0, n_rows);
    if (job->plan->schema->n_times > 0 && n_rows > t->times_room) {
        frocc__free(t->times);
        t->times_room = 0;
        t->times = frocc__alloc(n_rows, FROCC__MOST_TIMES * sizeof *t->times);
        if (t->times == NULL)
            return FROCC_ERR_MEMORY;
        t->times_room = n_rows;
    }
    frocc__plan narrow = *job->plan; /* a survey needs no room for values */
    if (job->surveys != NULL)
        narrow.n_features = 0;
    FROCC_TRY(frocc__row_buffer_reserve(job->buffer, &narrow, n_rows, 1));
    for (size_t i = 0; i < n_rows; i++)
        job->buffer->row_numbers[i] = t->rows_before + t->next_row + i + 1;
    return FROCC_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Labels and ids point to their texts, and rows that are left out are closed up. */
static void close_gaps(const struct frocc__table *t, const frocc__plan *plan,
                       frocc__row_buffer *buffer, size_t n_rows) {
    size_t row_bytes =
        buffer->row_stride * (buffer->dtype == FROCC_F32 ? sizeof(float) : sizeof(double));
    char *values = buffer->values;
    for (size_t row = 0, to = 0; row < n_rows; row++) {
        if (t->drop[row] != 0)
            continue;
        if (to < row)
            memmove(values + to * row_bytes, values + row * row_bytes, row_bytes);
        buffer->row_numbers[to] = buffer->row_numbers[row];
        if (plan->has_label) {
            buffer->label_values[to] = buffer->label_values[row];
            buffer->labels[to] = buffer->texts[0].bytes + buffer->label_offsets[row];
        }
        if (plan->has_id)
            buffer->ids[to] = buffer->texts[0].bytes + buffer->id_offsets[row];
        frocc__row_buffer_move_carried(buffer, to, row, 1);
        frocc__row_buffer_point_carried(buffer, 0, to, 1);
        buffer->n_rows = ++to;
    }
    buffer->dropped += n_rows - buffer->n_rows;
}

/* The next rows of the batch, up to as many as a buffer should have. */
static frocc_status take_rows(struct frocc__table *t, const frocc__job *job) {
    size_t most = FROCC_MAX(BLOCK_VALUES / FROCC_MAX(job->plan->n_features, (size_t)1), (size_t)16);
    size_t n_rows = FROCC_MIN(t->batch_rows - t->next_row, most);
    FROCC_TRY(reserve(t, job, n_rows));
    struct frocc__strip strip = {.table = t, .job = job, .first = t->next_row, .count = n_rows};
    for (size_t i = 0; i < t->input.n_columns; i++) {
        strip.column = i;
        strip.cells = &t->cells[i];
        strip.field = &t->source.fields[i];
        FROCC_TRY(frocc__strip_take(&strip));
    }
    if (job->surveys == NULL && job->plan->schema->n_differences > 0)
        frocc__strip_subtract_times(&strip);
    if (job->surveys != NULL) {
        job->surveys->n_rows += n_rows;
        job->buffer->n_rows = n_rows; /* not the end yet */
    } else {
        close_gaps(t, job->plan, job->buffer, n_rows);
    }
    t->next_row += n_rows;
    return FROCC_OK;
}

static frocc_status table_next(frocc__input *input, const frocc__job *job) {
    struct frocc__table *t = (struct frocc__table *)input;
    job->buffer->n_rows = 0;
    while (job->buffer->n_rows == 0 && !t->finished) {
        if (t->next_row == t->batch_rows)
            FROCC_TRY(next_batch(t));
        if (!t->finished)
            FROCC_TRY(take_rows(t, job));
    }
    job->buffer->file_rows = t->rows_before + t->next_row;
    return FROCC_OK;
}

static double table_share(const frocc__input *input) {
    const struct frocc__table *t = (const struct frocc__table *)input;
    const double done = (double)(t->rows_before + t->next_row);
    return t->source.n_rows == 0 ? 0 : FROCC_MIN(done / (double)t->source.n_rows, 1.0);
}

static void table_close(frocc__input *input) {
    struct frocc__table *t = (struct frocc__table *)input;
    if (t->source.close != NULL)
        t->source.close(t->source.context);
    frocc__free(t->cells);
    frocc__free(t->drop);
    frocc__free(t->times);
    frocc__free(t->known);
}

static const frocc__input_class table_class = {
    .next = table_next, .close = table_close, .share = table_share};

/* ---- Opening --------------------------------------------------------------------------------- */

static frocc_status check_source(const frocc_table *source, const char *name) {
    if (source->next == NULL || source->fields == NULL)
        return frocc__fail(FROCC_ERR_ARGUMENT, "%s: a table needs fields and a function next",
                           name);
    if (source->n_fields == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "%s: has no columns", name);
    for (size_t i = 0; i < source->n_fields; i++) {
        const frocc_field *field = &source->fields[i];
        const int64_t unit = field->per_second;
        if ((int)field->kind < 0 || field->kind > FROCC_VALUES_CELLS)
            return frocc__fail(FROCC_ERR_ARGUMENT, "%s: column %zu has an unknown kind of values",
                               name, i + 1);
        if (field->kind == FROCC_VALUES_TIME && unit != 1 && unit != 1000 && unit != 1000000 &&
            unit != 1000000000)
            return frocc__fail(FROCC_ERR_ARGUMENT,
                               "%s: column %zu: a time has 1, 1000, 1000000 or 1000000000 units a "
                               "second",
                               name, i + 1);
        if ((field->name == NULL) != (source->fields[0].name == NULL))
            return frocc__fail(FROCC_ERR_ARGUMENT, "%s: column %zu: all columns have names or none",
                               name, i + 1);
    }
    return FROCC_OK;
}

static frocc_status copy_names(const frocc_table *source, struct frocc__table *t) {
    t->input.names = frocc__alloc(source->n_fields, sizeof *t->input.names);
    if (t->input.names == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t i = 0; i < source->n_fields; i++) {
        char number[FROCC_NUMBER_SIZE];
        frocc__print_u64(i + 1, number); /* in place of no name, as in CSV */
        const char *name = source->fields[i].name;
        FROCC_TRY(frocc__copy_text(*name == '\0' ? number : name, &t->input.names[i]));
    }
    return frocc__names_check(t->input.name, t->input.names, source->n_fields);
}

static frocc_status copy_source(const frocc_table *source, struct frocc__table *t) {
    t->source = *source;
    t->source.close = NULL; /* until it is open */
    t->cells = frocc__alloc(source->n_fields, sizeof *t->cells);
    if (t->cells == NULL)
        return FROCC_ERR_MEMORY;
    return source->fields[0].name != NULL ? copy_names(source, t) : FROCC_OK;
}

frocc_status frocc__table_open(const frocc_table *source, const char *name,
                               const frocc_reader_options *options, frocc__input **input) {
    frocc_table given = {0};
    memcpy(&given, source, FROCC_MIN(source->struct_size, sizeof given));
    FROCC_TRY(check_source(&given, name));
    FROCC_TRY(frocc__check_columns(name, given.n_fields, options));
    struct frocc__table *t = frocc__alloc(1, sizeof *t);
    if (t == NULL)
        return FROCC_ERR_MEMORY;
    t->input = (frocc__input){.class = &table_class,
                              .name = name,
                              .n_columns = given.n_fields,
                              .text = true,
                              .knows_kinds = true};
    frocc_status status = copy_source(&given, t);
    if (status != FROCC_OK) {
        frocc__input_close(&t->input);
        return status;
    }
    t->source.close = given.close;
    *input = &t->input;
    return FROCC_OK;
}

bool frocc__table_holds_text(const frocc__input *input, size_t column) {
    const frocc_values kind = ((const struct frocc__table *)input)->source.fields[column].kind;
    return kind == FROCC_VALUES_TEXT || kind == FROCC_VALUES_BOOL;
}

bool frocc__table_may_hold_epochs(const frocc__input *input, size_t column) {
    const frocc_values kind = ((const struct frocc__table *)input)->source.fields[column].kind;
    return kind == FROCC_VALUES_F64 || kind == FROCC_VALUES_I64 || kind == FROCC_VALUES_CELLS;
}

bool frocc__table_may_hold_times(const frocc__input *input, size_t column) {
    const frocc_values kind = ((const struct frocc__table *)input)->source.fields[column].kind;
    return kind == FROCC_VALUES_TIME || kind == FROCC_VALUES_CELLS;
}
