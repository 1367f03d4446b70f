/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader: several files as one data set, handed out some rows at a time, as a frocc_block,
 * through one schema. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/rows.h"
#include "base/status.h"
#include "base/threads.h"
#include "input/read_reader.h"

/* What is filled in is there only where it was learnt. */
static frocc_status check_missing(const frocc_reader_options *o, const frocc_schema *schema) {
    if (o->own_missing && o->missing == FROCC_MISSING_MEAN && schema->missing != FROCC_MISSING_MEAN)
        return frocc__fail(
            FROCC_ERR_ARGUMENT,
            "missing = mean: the model knows no means, as it was fitted without; fit "
            "it with missing = mean, or use missing = drop");
    if (o->own_missing && o->missing == FROCC_MISSING_KEEP && schema->missing != FROCC_MISSING_KEEP)
        return frocc__fail(
            FROCC_ERR_ARGUMENT,
            "missing = keep: the model was not told about missing cells; fit it with missing = "
            "keep, or use missing = drop");
    return FROCC_OK;
}

static frocc_status use_schema(frocc_reader *r, const frocc_schema *schema) {
    FROCC_TRY(check_missing(&r->options, schema));
    FROCC_TRY(frocc_schema_settled(schema, &r->schema));
    r->is_given = true;
    FROCC_TRY(frocc__reader_open_next(r));
    return frocc__reader_name_columns(r);
}

/* ---- The public functions -------------------------------------------------------------------- */

/* From files or, where it is not NULL, a table in place of the one file. */
static frocc_status open_data(const char *const *paths, size_t n_paths, const frocc_table *table,
                              const frocc_reader_options *options, const frocc_schema *schema,
                              frocc_reader **reader) {
    frocc_reader *r = frocc__alloc(1, sizeof *r);
    if (r == NULL)
        return FROCC_ERR_MEMORY;
    r->batch = &r->fresh;
    frocc_status status = frocc__reader_copy(r, paths, n_paths, options);
    if (status == FROCC_OK)
        status = frocc__reader_check(&r->options, schema);
    if (status == FROCC_OK) {
        if (table != NULL)
            memcpy(&r->table, table, FROCC_MIN(table->struct_size, sizeof r->table));
        const frocc_reader_options *o = &r->options;
        bool learns = schema == NULL &&
                      (!o->all_numeric || frocc__fills_missing(o->missing) || o->n_categorical > 0);
        r->options.array = r->array;
        r->threads = frocc__threads(o->threads);
        r->keep = !o->one_pass || learns;
        status = frocc__reader_share_out(r);
    }
    if (status == FROCC_OK)
        status = schema != NULL ? use_schema(r, schema) : frocc__reader_learn(r);
    if (status == FROCC_OK) /* a file that no pass has read is still open at its start */
        status =
            r->input != NULL ? frocc__reader_plan(r, FROCC__READ_ROWS) : frocc_reader_rewind(r);
    if (status != FROCC_OK) {
        r->table.close = NULL; /* it stays the caller's */
        frocc_reader_free(r);
    } else {
        *reader = r;
    }
    return status;
}

frocc_status frocc_reader_open(const char *const *paths, size_t n_paths,
                               const frocc_reader_options *options, const frocc_schema *schema,
                               frocc_reader **reader) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(paths);
    FROCC_REQUIRE(reader);
    if (n_paths == 0)
        return frocc__fail(FROCC_ERR_ARGUMENT, "no file was named; '-' is the standard input");
    return open_data(paths, n_paths, NULL, options, schema, reader);
}

frocc_status frocc_reader_open_table(const frocc_table *table, const frocc_reader_options *options,
                                     const frocc_schema *schema, frocc_reader **reader) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(table);
    FROCC_REQUIRE(reader);
    FROCC_REQUIRE_SIZE(table, frocc_table);
    FROCC_REQUIRE(table->next);
    const char *name = table->name != NULL ? table->name : "the table";
    return open_data(&name, 1, table, options, schema, reader);
}

void frocc_reader_free(frocc_reader *r) {
    if (r == NULL)
        return;
    if (r->n_paths > 0)
        frocc__reader_close_file(r);
    if (r->table.close != NULL)
        r->table.close(r->table.context);
    for (size_t i = 0; i < r->n_paths; i++) {
        frocc__free(r->paths[i]);
        frocc__stream_close(r->pipes[i]);
    }
    frocc__free(r->paths);
    frocc__free(r->pipes);
    frocc__free(r->ranges);
    frocc__free(r->has_rows);
    frocc__free(r->label);
    frocc__free(r->id);
    frocc__free(r->array);
    frocc__names_free(r->carry, r->n_carry);
    frocc__free(r->json);
    frocc__free(r->json_bytes);
    frocc__row_buffer_clear(&r->fresh.buffer);
    frocc__kept_clear(&r->kept);
    frocc_schema_free(r->schema);
    frocc__free(r);
}

frocc_status frocc_reader_rewind(frocc_reader *r) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(r);
    frocc__reader_start_again(r);
    if (r->kept.count > 0 || r->file == r->n_paths)
        return FROCC_OK;
    FROCC_TRY(frocc__reader_open_next(r));
    return frocc__reader_plan(r, FROCC__READ_ROWS);
}

/* The next rows, kept or fresh; none at the end. */
static frocc_status next_batch(frocc_reader *r) {
    const frocc__kept *kept = &r->kept;
    r->handed_out = r->handed_bad = 0;
    if (r->next_kept < kept->count) {
        r->batch = &kept->batches[r->next_kept++];
        r->has_rows[r->batch->file] = true;
        r->dropped = r->batch->dropped;
        return FROCC_OK;
    }
    if (r->batch != &r->fresh) {
        r->batch = &r->fresh;
        r->dropped = kept->dropped;
    }
    return frocc__reader_read(r);
}

/* The bad rows in front of the rows from first on, and behind the last of all. */
static void hand_out_bad(frocc_reader *r, size_t first, size_t count, frocc_block *block) {
    const frocc__row_buffer *b = &r->batch->buffer;
    size_t end = r->handed_bad;
    for (; end < b->n_bad_rows; end++) {
        if (b->bad_rows[end].before >= first + count && first + count < b->n_rows)
            break;
        b->bad_rows[end].before -= first;
    }
    block->n_bad_rows = end - r->handed_bad;
    if (block->n_bad_rows > 0)
        block->bad_rows = b->bad_rows + r->handed_bad;
    r->handed_bad = end;
}

static frocc_status hand_out(frocc_reader *r, frocc_block *out) {
    const frocc__row_buffer *b = &r->batch->buffer;
    size_t first = r->handed_out, count = b->n_rows - first;
    if (r->options.block_rows > 0)
        count = FROCC_MIN(count, r->options.block_rows);
    frocc_block block = {.struct_size = out->struct_size};
    hand_out_bad(r, first, count, &block);
    frocc_rows all = {.n_features = r->schema->n_features, .dtype = b->dtype, .values = b->rows};
    if (b->sparse) {
        all.row_start = b->row_start;
        all.columns = b->columns;
    } else {
        all.row_stride = b->row_stride;
    }
    block.rows = frocc__rows_part(&all, first, count);
    if (r->batch->has_label) {
        block.labels = b->labels + first;
        block.label_values = b->label_values + first;
    }
    if (r->batch->has_id)
        block.ids = b->ids + first;
    block.n_carried = r->batch->n_carried;
    if (block.n_carried > 0)
        block.carried = b->carried + first * block.n_carried;
    if (block.n_carried > 0 && r->carries_json)
        FROCC_TRY(
            frocc__reader_carried_json(r, block.carried, count * block.n_carried, &block.carried));
    block.row_numbers = r->batch->row_numbers + first;
    r->handed_first = first;
    r->handed_out += count;
    memcpy(out, &block, FROCC_MIN(out->struct_size, sizeof block));
    return FROCC_OK;
}

frocc_status frocc_reader_next(frocc_reader *r, frocc_block *block) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(r);
    FROCC_REQUIRE(block);
    FROCC_REQUIRE_SIZE(block, frocc_block);
    frocc_status status = FROCC_OK;
    if (r->handed_out == r->batch->buffer.n_rows)
        status = next_batch(r);
    const bool is_paused = status == FROCC__PAUSED;
    if (!is_paused)
        FROCC_TRY(status);
    if (!is_paused && r->batch->buffer.n_rows + r->batch->buffer.n_bad_rows > 0)
        return hand_out(r, block);
    frocc_block end = {.struct_size = block->struct_size,
                       .is_paused = is_paused,
                       .rows = {.n_features = r->schema->n_features, .dtype = r->options.dtype}};
    memcpy(block, &end, FROCC_MIN(block->struct_size, sizeof end));
    return FROCC_OK;
}

static frocc_status source_next(void *context, frocc_rows *rows) {
    frocc_block block = {.struct_size = sizeof block};
    do {
        FROCC_TRY(frocc_reader_next(context, &block));
    } while (block.rows.n_rows == 0 && (block.n_bad_rows > 0 || block.is_paused));
    *rows = block.rows;
    return FROCC_OK;
}

static frocc_status source_rewind(void *context) {
    return frocc_reader_rewind(context);
}

frocc_source frocc_reader_source(frocc_reader *reader) {
    bool once = reader != NULL && reader->options.one_pass;
    return (frocc_source){source_next, once ? NULL : source_rewind, reader};
}

frocc_status frocc_reader_use_schema(frocc_reader *r, const frocc_schema *schema) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(r);
    FROCC_REQUIRE(schema);
    if (!r->is_given || r->handed_out < r->batch->buffer.n_rows)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "another schema replaces one that was given, between two blocks");
    FROCC_TRY(check_missing(&r->options, schema));
    frocc_schema *before = r->schema, *settled = NULL;
    FROCC_TRY(frocc_schema_settled(schema, &settled));
    r->schema = settled;
    frocc_status status = r->input != NULL ? frocc__reader_plan(r, FROCC__READ_ROWS) : FROCC_OK;
    frocc_schema_free(status == FROCC_OK ? before : r->schema);
    if (status != FROCC_OK) {
        frocc__error failure;
        frocc__error_copy(&failure);
        r->schema = before;
        status = frocc__reader_plan(r, FROCC__READ_ROWS) == FROCC_OK ? status : FROCC_ERR_MEMORY;
        frocc__error_restore(&failure);
    }
    return status;
}

/* Up to where the data have been read: a file, and its bytes. */
static void find_position(const frocc_reader *r, size_t *file, uint64_t *taken) {
    bool kept = r->kept.count > 0 && (r->next_kept == 0 || r->batch != &r->fresh);
    *file = kept ? r->batch->file : r->file;
    *taken = kept ? r->batch->taken : frocc__reader_taken(r);
}

double frocc_reader_share(const frocc_reader *r) {
    FROCC_OWN_ARITHMETIC;
    uint64_t total = 0, done = 0, taken = 0;
    size_t file = 0;
    if (r != NULL)
        find_position(r, &file, &taken);
    for (size_t i = 0; r != NULL && i < r->n_paths; i++) {
        const frocc__range *range = &r->ranges[i];
        const uint64_t at = i < file ? range->end : i == file ? taken : range->begin;
        total += range->end - range->begin;
        done += FROCC_MIN(FROCC_MAX(at, range->begin), range->end) - range->begin;
    }
    return total == 0 ? (double)NAN : (double)done / (double)total;
}

const char *frocc_reader_file(const frocc_reader *r) {
    if (r == NULL || r->batch->file >= r->n_paths)
        return NULL;
    const frocc__stream *pipe = r->pipes[r->batch->file];
    return pipe != NULL ? frocc__stream_name(pipe) : r->paths[r->batch->file];
}

/* The line is 0 where the file has none; then there is the row. */
static frocc_status find_row(const frocc_reader *r, size_t row, uint64_t *line, uint64_t *in_file) {
    const frocc__batch *batch = r->batch;
    size_t index = r->handed_first + row;
    bool fresh = batch == &r->fresh;
    if ((fresh && r->input == NULL) || index >= r->handed_out)
        return frocc__fail(FROCC_ERR_ARGUMENT, "row %zu is not one of the last block", row);
    *in_file = batch->row_numbers[index] - batch->rows_before;
    *line = 0;
    if (!fresh)
        *line = *in_file + batch->line_before;
    else if (r->input->class->line != NULL)
        *line = r->input->class->line(r->input, *in_file);
    if (*line > 0)
        *line += frocc__reader_lines_before(r, batch->file);
    return FROCC_OK;
}

frocc_status frocc_reader_locate(const frocc_reader *r, size_t row, char *text, size_t size) {
    FROCC_OWN_ARITHMETIC;
    uint64_t line = 0, in_file = 0;
    FROCC_REQUIRE(r);
    FROCC_REQUIRE(text);
    FROCC_TRY(find_row(r, row, &line, &in_file));
    snprintf(text, size, "%s: %s %llu", frocc_reader_file(r), line > 0 ? "line" : "row",
             (unsigned long long)(line > 0 ? line : in_file));
    return FROCC_OK;
}

frocc_status frocc_reader_line(const frocc_reader *r, size_t row, uint64_t *line) {
    FROCC_OWN_ARITHMETIC;
    uint64_t found = 0, in_file = 0;
    FROCC_REQUIRE(r);
    FROCC_REQUIRE(line);
    FROCC_TRY(find_row(r, row, &found, &in_file));
    *line = found > 0 ? found : in_file;
    return FROCC_OK;
}

uint64_t frocc_reader_dropped(const frocc_reader *reader) {
    return reader == NULL ? 0 : reader->dropped;
}

const char *frocc_reader_empty_file(const frocc_reader *r, size_t *n_files) {
    const char *first = NULL;
    *n_files = 0;
    /* Rows of kept files that were left out belong to nobody knows which. */
    const bool is_known = r != NULL && r->file >= r->n_paths && r->options.n_parts == 0 &&
                          (r->kept.count == 0 || r->dropped == 0);
    for (size_t i = 0; is_known && i < r->n_paths; i++) {
        first = first == NULL && !r->has_rows[i] ? r->paths[i] : first;
        *n_files += !r->has_rows[i];
    }
    return first;
}

uint64_t frocc_reader_headers(const frocc_reader *reader) {
    return reader == NULL ? 0 : reader->headers;
}

frocc_schema *frocc_reader_schema(const frocc_reader *reader) {
    return reader == NULL ? NULL : frocc__schema_retain(reader->schema);
}
