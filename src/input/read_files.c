/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a reader, one after the other as one data set. */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read_reader.h"
#include "numbers/number.h"

void frocc__reader_close_file(frocc_reader *r) {
    frocc__input_close(r->input);
    frocc__plan_clear(&r->plan);
    if (r->stream != NULL && r->pipes[r->file] == NULL)
        frocc__stream_close(r->stream);
    r->input = NULL;
    r->stream = NULL;
}

frocc_status frocc__reader_in_file(const frocc_reader *r, frocc_status status) {
    const bool nameless = r->table.next != NULL && r->table.name == NULL;
    if (status != FROCC_OK && status != FROCC__PAUSED && r->file < r->n_paths && !nameless)
        frocc__error_is_at(&(frocc__where){.file = r->stream != NULL ? frocc__stream_name(r->stream)
                                                                     : r->paths[r->file]});
    return status;
}

/* The table of the caller's, at its first row. */
static frocc_status open_own_table(frocc_reader *r) {
    const char *error = NULL;
    frocc_table table = r->table;
    table.close = NULL; /* the reader's turn */
    if (r->table_begun && table.rewind == NULL)
        return frocc__fail(FROCC_ERR_UNSUPPORTED,
                           "%s: must be read twice, and this table can be read only once",
                           r->paths[0]);
    frocc_status status = r->table_begun ? table.rewind(table.context, &error) : FROCC_OK;
    if (status != FROCC_OK)
        return frocc__table_failed(r->paths[0], status, error);
    r->table_begun = true;
    return frocc__table_open(&table, r->paths[0], &r->options, &r->input);
}

/* Has the caller open the file, whose format may be one of his. */
static frocc_status open_foreign(frocc_reader *r) {
    const frocc_table_opener *opener = r->options.opener;
    const char *path = r->paths[r->file], *error = NULL;
    frocc_table table = {.struct_size = sizeof table};
    int known = 0;
    if (opener == NULL)
        return FROCC_OK;
    frocc_status status = opener->open(opener->context, path, &table, &known, &error);
    if (status != FROCC_OK)
        return frocc__table_failed(path, status, error);
    if (known == 0)
        return FROCC_OK;
    table.name = path;
    status = frocc__table_open(&table, path, &r->options, &r->input);
    if (status != FROCC_OK && table.close != NULL)
        table.close(table.context);
    return status == FROCC_OK ? frocc__reader_cut(r, r->input) : status;
}

static frocc_status open_file(frocc_reader *r) {
    if (r->table.next != NULL)
        return open_own_table(r);
    FROCC_TRY(open_foreign(r));
    if (r->input != NULL)
        return FROCC_OK;
    if (r->pipes[r->file] != NULL) {
        r->stream = r->pipes[r->file];
        FROCC_TRY(frocc__stream_rewind(r->stream));
    } else {
        FROCC_TRY(frocc__stream_open(r->paths[r->file], r->keep, &r->stream));
        frocc__stream_limit(r->stream, r->options.max_spool);
        if (frocc__stream_is_pipe(r->stream))
            r->pipes[r->file] = r->stream;
    }
    frocc__input *input = NULL;
    FROCC_TRY(frocc__input_open(r->stream, r->paths[r->file], &r->options, r->schema, r->is_given,
                                &input));
    r->input = input;
    if (frocc__stream_is_live(r->stream))
        frocc__stream_ask(r->stream, r->options.wait, r->options.wait_context);
    FROCC_TRY(frocc__reader_cut(r, input));
    if (r->kept.count == 0 || r->file != r->kept.file)
        return FROCC_OK;
    if (input->class->resume == NULL)
        return frocc__fail(FROCC_ERR_IO, "%s: has become another file since it was first read",
                           input->name);
    return input->class->resume(input, &r->kept.position);
}

frocc_status frocc__reader_open_file(frocc_reader *r) {
    return frocc__reader_in_file(r, open_file(r));
}

frocc_status frocc__reader_open_next(frocc_reader *r) {
    frocc_status status = frocc__reader_open_file(r);
    while (status == FROCC_ERR_EMPTY && r->is_given && r->file + 1 < r->n_paths) {
        frocc__reader_close_file(r);
        r->file++;
        status = frocc__reader_open_file(r);
    }
    return status;
}

uint64_t frocc__reader_taken(const frocc_reader *r) {
    if (r->input != NULL && r->input->class->share != NULL)
        return (uint64_t)(r->input->class->share(r->input) * (double)r->ranges[r->file].end);
    return r->stream != NULL ? frocc__stream_taken(r->stream) : 0;
}

/* Through the schema of a model only what that has learnt can become of missing cells. */
static const char *missing_advice(const frocc_reader *r) {
    if (!r->is_given)
        return "try missing = keep, mean or drop";
    switch (r->schema->missing) {
    case FROCC_MISSING_MEAN:
        return "try missing = mean or missing = drop";
    case FROCC_MISSING_KEEP:
        return "try missing = keep or missing = drop";
    default:
        return "try missing = drop, or fit the model with missing = keep";
    }
}

frocc_status frocc__reader_plan(frocc_reader *r, enum frocc__purpose purpose) {
    frocc__taken taken = {r->label, r->id, r->carry, r->n_carry};
    frocc__plan_clear(&r->plan);
    const frocc_status status = frocc__reader_in_file(
        r, frocc__plan_make(r->schema, r->input, &r->options, &taken, purpose, &r->plan));
    r->plan.missing_advice = missing_advice(r);
    return status;
}

static frocc_status name_column(const frocc__input *input, const char *what, char **reference) {
    size_t column = 0;
    if (input->sparse || input->names == NULL)
        return FROCC_OK;
    FROCC_TRY(
        frocc__column_find(input->name, what, *reference, input->names, input->n_columns, &column));
    if (column == FROCC__NOT_FOUND)
        return FROCC_OK;
    frocc__free(*reference);
    *reference = NULL;
    return frocc__copy_text(input->names[column], reference);
}

/* What a reference means, column by column: by their names, or their numbers where there are none.
 */
static frocc_status add_carried(frocc_reader *r, const char *reference, bool *marks) {
    const frocc__input *input = r->input;
    memset(marks, 0, input->n_columns * sizeof *marks);
    FROCC_TRY(frocc__columns_find(input->name, "carry", reference, input->names, input->n_columns,
                                  marks));
    for (size_t i = 0; i < input->n_columns; i++) {
        char number[FROCC_NUMBER_SIZE];
        if (!marks[i])
            continue;
        const char *name = number;
        frocc__print_u64(i + 1, number);
        if (input->names != NULL)
            name = input->names[i];
        for (size_t k = 0; k < r->n_carry; k++)
            if (strcmp(r->carry[k], name) == 0)
                return frocc__fail(FROCC_ERR_ARGUMENT,
                                   "%s: the column '%s' for carry is named twice", input->name,
                                   name);
        char **names =
            frocc__grow(r->carry, r->n_carry * sizeof *names, r->n_carry + 1, sizeof *names);
        if (names == NULL)
            return FROCC_ERR_MEMORY;
        r->carry = names;
        FROCC_TRY(frocc__copy_text(name, &names[r->n_carry]));
        r->n_carry++;
    }
    return FROCC_OK;
}

static frocc_status find_carried(frocc_reader *r) {
    const frocc_reader_options *o = &r->options;
    if (o->n_carry == 0)
        return FROCC_OK;
    if (r->input->sparse)
        return frocc__fail(FROCC_ERR_UNSUPPORTED,
                           "%s: a LIBSVM file has no columns whose texts could be carried",
                           r->input->name);
    bool *marks = frocc__alloc(r->input->n_columns, sizeof *marks);
    frocc_status status = marks == NULL ? FROCC_ERR_MEMORY : FROCC_OK;
    for (size_t i = 0; i < o->n_carry && status == FROCC_OK; i++)
        status = add_carried(r, o->carry[i], marks);
    frocc__free(marks);
    return status;
}

frocc_status frocc__reader_name_columns(frocc_reader *r) {
    FROCC_TRY(find_carried(r));
    FROCC_TRY(name_column(r->input, "label", &r->label));
    return name_column(r->input, "id", &r->id);
}

void frocc__reader_start_again(frocc_reader *r) {
    frocc__reader_close_file(r);
    r->file = r->kept.file;
    r->rows_before = r->kept.rows_before;
    r->next_kept = 0;
    r->batch = &r->fresh;
    r->fresh.buffer.n_rows = 0;
    r->fresh.file = 0;
    r->fresh.taken = 0;
    r->handed_out = 0;
    /* Kept rows bring along what was dropped before them. */
    r->dropped = r->kept.count == 0 ? r->kept.dropped : 0;
    r->headers = 0; /* there are none among kept rows */
}

frocc_status frocc__reader_read(frocc_reader *r) {
    frocc__row_buffer *buffer = &r->fresh.buffer;
    buffer->n_rows = buffer->n_bad_rows = 0;
    while (r->file < r->n_paths) {
        if (!frocc__reader_has_rows_in(r, r->file)) {
            frocc__reader_close_file(r);
            r->file++;
            continue;
        }
        if (r->input == NULL) {
            const frocc_status status = frocc__reader_open_file(r);
            if (status == FROCC_ERR_EMPTY && r->is_given && r->n_paths > 1) {
                frocc__reader_close_file(r);
                r->file++;
                continue;
            }
            FROCC_TRY(status);
            if (!frocc__reader_has_rows_in(r, r->file)) /* it cannot be cut, as is known by now */
                continue;
            FROCC_TRY(frocc__reader_plan(r, FROCC__READ_ROWS));
        }
        frocc__job job = {.plan = &r->plan,
                          .buffer = buffer,
                          .file = r->file,
                          .threads = r->threads,
                          .numbers_only = r->options.all_numeric != 0};
        buffer->dropped = buffer->headers = 0;
        FROCC_TRY(frocc__reader_next_of_input(r, &job));
        for (size_t i = 0; i < buffer->n_rows; i++)
            buffer->row_numbers[i] += r->rows_before;
        for (size_t i = 0; i < buffer->n_bad_rows; i++)
            buffer->bad_rows[i].row_number += r->rows_before;
        r->fresh.row_numbers = buffer->row_numbers;
        r->dropped += buffer->dropped;
        r->has_rows[r->file] |= buffer->n_rows + buffer->n_bad_rows + buffer->dropped > 0;
        r->headers += buffer->headers;
        r->fresh.file = r->file;
        r->fresh.rows_before = r->rows_before;
        r->fresh.taken = frocc__reader_taken(r);
        r->fresh.dropped = r->dropped;
        r->fresh.has_label = r->plan.has_label;
        r->fresh.has_id = r->plan.has_id;
        r->fresh.n_carried = r->plan.n_carried;
        if (buffer->n_rows + buffer->n_bad_rows > 0)
            return FROCC_OK;
        r->rows_before += buffer->file_rows;
        frocc__reader_close_file(r);
        r->file++;
    }
    return FROCC_OK;
}
