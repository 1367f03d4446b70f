/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CSV and its relatives: rows of cells, as RFC 4180 has them, with any separator.
 *
 * Threads take pieces of whole lines. A piece has at most as many rows as lines, so each knows
 * where its rows go before any is parsed; afterwards the gaps are closed. The rows, their order and
 * the first error are those of one thread.
 */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read_csv.h"

#define VALUES_BUDGET ((size_t)1 << 25) /* bytes of values a thread may fill in a buffer */

static frocc_status reserve_parsers(struct frocc__csv *csv, size_t count) {
    if (count <= csv->n_parsers)
        return FROCC_OK;
    struct frocc__csv_parser *parsers =
        frocc__grow(csv->parsers, csv->n_parsers * sizeof *parsers, count, sizeof *parsers);
    if (parsers == NULL)
        return FROCC_ERR_MEMORY;
    csv->parsers = parsers;
    csv->n_parsers = count;
    return FROCC_OK;
}

static void start_parser(struct frocc__csv *csv, const frocc__job *job, size_t i,
                         size_t first_row) {
    struct frocc__csv_parser *s = &csv->parsers[i];
    s->csv = csv;
    s->job = job;
    s->plan = job->plan;
    s->survey = NULL;
    s->piece = &csv->lines.pieces[i];
    s->end = s->piece->end;
    s->first_row = first_row;
    s->n_rows = s->n_seen = s->n_headers = 0;
    s->row_bytes = job->plan->n_features * frocc__csv_value_size(job->plan);
    s->drop = false;
    if (job->surveys == NULL) {
        s->texts = &job->buffer->texts[i];
        s->row = (char *)job->buffer->values + first_row * s->row_bytes;
    }
}

/* Pieces that are longer, of very long rows, go the way for any row. */
#define MAX_ENDS ((size_t)1 << 19)

/* A piece has at most as many ends as characters. */
static frocc_status reserve_ends(struct frocc__csv *csv, int threads) {
    size_t room = 0;
    for (size_t i = 0; i < csv->lines.n_pieces; i++) {
        const frocc__piece *piece = &csv->lines.pieces[i];
        room = FROCC_MAX(room, (size_t)(piece->end - piece->begin));
    }
    room = FROCC_MIN(room + FROCC__ENDS_MARGIN, MAX_ENDS);
    if (!frocc__parse_cells_fast() || csv->separator == ' ' || room <= csv->ends_room)
        return FROCC_OK;
    frocc__free(csv->ends);
    csv->ends_room = 0;
    room = FROCC_MIN(room + room / 8, MAX_ENDS);
    csv->ends = frocc__alloc((size_t)threads * room, sizeof *csv->ends);
    if (csv->ends == NULL)
        return FROCC_ERR_MEMORY;
    csv->ends_room = room;
    return FROCC_OK;
}

/* JSON lines: for each thread a row's number, and the last row with each column. */
static frocc_status reserve_marks(struct frocc__csv *csv, int threads) {
    if (csv->ends != NULL)
        return FROCC_OK;
    csv->ends_room = csv->keys.count + 1;
    csv->ends = frocc__alloc((size_t)threads * csv->ends_room, sizeof *csv->ends);
    return csv->ends == NULL ? FROCC_ERR_MEMORY : FROCC_OK;
}

static void find_runs(struct frocc__csv *csv, const frocc__plan *plan) {
    const frocc__target *t = plan->targets;
    csv->n_text_columns = 0;
    for (size_t i = plan->n_columns; i-- > 0;) {
        csv->n_text_columns += t[i].action == FROCC__TO_TEXTS;
        bool goes_on = i + 1 < plan->n_columns && t[i + 1].feature == t[i].feature + 1;
        csv->runs[i] = t[i].action != FROCC__TO_NUMBER ? 0 : 1 + (goes_on ? csv->runs[i + 1] : 0);
    }
}

/* The rows of a piece at most. Of CSV a row has a byte for each column, so that blank lines take no
 * room; one more, as one with a mistake begins like a row. */
static size_t most_rows(const struct frocc__csv *csv, const frocc__piece *piece) {
    const size_t bytes = (size_t)(piece->end - piece->begin);
    const size_t least = csv->keys.count > 0 ? 1 : csv->input.n_columns;
    return FROCC_MIN(piece->lines, bytes / least + 1);
}

static frocc_status prepare(struct frocc__csv *csv, const frocc__job *job) {
    size_t n_pieces = csv->lines.n_pieces, n_rows = 0;
    find_runs(csv, job->plan);
    FROCC_TRY(reserve_parsers(csv, n_pieces));
    FROCC_TRY(csv->is_json ? reserve_marks(csv, job->threads) : reserve_ends(csv, job->threads));
    for (size_t i = 0; i < n_pieces; i++)
        n_rows += most_rows(csv, &csv->lines.pieces[i]);
    /* A survey overwrites one row per thread. */
    if (job->surveys != NULL)
        FROCC_TRY(frocc__row_buffer_reserve(job->buffer, job->plan, (size_t)job->threads, 1));
    else
        FROCC_TRY(frocc__row_buffer_reserve(job->buffer, job->plan, n_rows, n_pieces));
    n_rows = 0;
    for (size_t i = 0; i < n_pieces; i++) {
        start_parser(csv, job, i, n_rows);
        n_rows += most_rows(csv, &csv->lines.pieces[i]);
    }
    return FROCC_OK;
}

static frocc_status parse_piece(frocc__input *input, const frocc__job *job, size_t piece,
                                int thread) {
    struct frocc__csv *csv = (struct frocc__csv *)input;
    struct frocc__csv_parser *s = &csv->parsers[piece];
    s->ends = csv->ends == NULL ? NULL : csv->ends + (size_t)thread * csv->ends_room;
    if (job->surveys != NULL) {
        s->survey = &job->surveys[thread];
        s->row = (char *)job->buffer->values + (size_t)thread * s->row_bytes;
    }
    return csv->parse(s);
}

/* Moves a piece's rows to where the ones before it end. */
static void close_gap(frocc__row_buffer *buffer, const struct frocc__csv_parser *s) {
    size_t to = buffer->n_rows, from = s->first_row, n = s->n_rows;
    memmove((char *)buffer->values + to * s->row_bytes,
            (char *)buffer->values + from * s->row_bytes, n * s->row_bytes);
    memmove(buffer->row_numbers + to, buffer->row_numbers + from, n * sizeof *buffer->row_numbers);
    if (s->plan->has_label) {
        memmove(buffer->label_values + to, buffer->label_values + from,
                n * sizeof *buffer->label_values);
        memmove(buffer->label_offsets + to, buffer->label_offsets + from,
                n * sizeof *buffer->label_offsets);
    }
    if (s->plan->has_id)
        memmove(buffer->id_offsets + to, buffer->id_offsets + from, n * sizeof *buffer->id_offsets);
    frocc__row_buffer_move_carried(buffer, to, from, n);
}

static frocc_status join(struct frocc__csv *csv, const frocc__job *job) {
    frocc__row_buffer *buffer = job->buffer;
    for (size_t i = 0; i < csv->lines.n_pieces; i++) {
        const struct frocc__csv_parser *s = &csv->parsers[i];
        FROCC_TRY(frocc__row_buffer_take_bad(buffer, s->texts, csv->n_rows));
        if (s->first_row != buffer->n_rows)
            close_gap(buffer, s);
        for (size_t row = buffer->n_rows; row < buffer->n_rows + s->n_rows; row++) {
            buffer->row_numbers[row] += csv->n_rows;
            if (s->plan->has_label)
                buffer->labels[row] = s->texts->bytes + buffer->label_offsets[row];
            if (s->plan->has_id)
                buffer->ids[row] = s->texts->bytes + buffer->id_offsets[row];
        }
        frocc__row_buffer_point_carried(buffer, i, buffer->n_rows, s->n_rows);
        buffer->n_rows += s->n_rows;
        buffer->dropped += s->n_seen - s->n_rows - s->texts->n_bad;
        buffer->headers += s->n_headers;
        csv->n_rows += s->n_seen;
    }
    buffer->file_rows = csv->n_rows;
    return FROCC_OK;
}

static frocc_status csv_next(frocc__input *input, const frocc__job *job) {
    struct frocc__csv *csv = (struct frocc__csv *)input;
    const frocc__plan *plan = job->plan;
    /* Few columns may become many features; then a buffer takes fewer rows. */
    csv->lines.bytes_each = FROCC_MAX(
        (size_t)4096, VALUES_BUDGET / 8 / FROCC_MAX(plan->n_features, 1) * plan->n_columns);
    /* An object may name none of its columns. */
    if (csv->keys.count > 0 && job->surveys == NULL)
        csv->lines.most_lines = 1 + (size_t)job->threads * VALUES_BUDGET /
                                        (FROCC_MAX(plan->n_features, 1) * sizeof(double));
    do {
        FROCC_TRY(frocc__lines_next(&csv->lines, job->threads));
        FROCC_TRY(prepare(csv, job));
        FROCC_TRY(frocc__lines_parse(&csv->lines, input, job, parse_piece));
        if (job->surveys != NULL) {
            job->buffer->n_rows = csv->lines.n_pieces; /* not the end yet */
            return FROCC_OK;
        }
        FROCC_TRY(join(csv, job));
    } while (job->buffer->n_rows + job->buffer->n_bad_rows == 0 && csv->lines.n_pieces > 0);
    return FROCC_OK;
}

static void csv_close(frocc__input *input) {
    struct frocc__csv *csv = (struct frocc__csv *)input;
    for (size_t i = 0; i < csv->n_parsers; i++)
        frocc__free(csv->parsers[i].scratch);
    frocc__free(csv->parsers);
    frocc__free(csv->ends);
    frocc__free(csv->runs);
    frocc__free(csv->header);
    frocc__vocab_clear(&csv->keys);
    frocc__free(csv->scratch);
    frocc__lines_clear(&csv->lines);
}

static uint64_t csv_line(const frocc__input *input, uint64_t row) {
    const struct frocc__csv *csv = (const struct frocc__csv *)input;
    uint64_t before = csv->n_rows;
    for (size_t i = csv->lines.n_pieces; i-- > 0;) {
        before -= csv->parsers[i].n_seen;
        if (row > before)
            return csv->row_line(&csv->parsers[i], row - before);
    }
    return 0;
}

static void csv_position(const frocc__input *input, frocc__position *position) {
    const struct frocc__csv *csv = (const struct frocc__csv *)input;
    *position = (frocc__position){csv->lines.taken, csv->n_rows, csv->lines.line};
}

static frocc_status csv_resume(frocc__input *input, const frocc__position *position) {
    struct frocc__csv *csv = (struct frocc__csv *)input;
    if (position->bytes < csv->lines.taken)
        return frocc__fail(FROCC_ERR_IO,
                           "changed while it was being read: its header is longer than "
                           "before; read it again from the beginning");
    FROCC_TRY(frocc__stream_skip(csv->lines.stream, position->bytes - csv->lines.taken));
    csv->lines.taken = position->bytes;
    csv->lines.line = position->line;
    csv->n_rows = position->rows;
    return FROCC_OK;
}

static frocc_status csv_cut(frocc__input *input, frocc__range *range) {
    return frocc__lines_cut(&((struct frocc__csv *)input)->lines, range);
}

static const frocc__input_class csv_class = {.next = csv_next,
                                             .close = csv_close,
                                             .line = csv_line,
                                             .position = csv_position,
                                             .resume = csv_resume,
                                             .cut = csv_cut};

/* Its rows are not kept: whether true is a text or a number is not known before the schema is. */
const frocc__input_class frocc__jsonl_class = {
    .next = csv_next, .close = csv_close, .line = csv_line, .cut = csv_cut};

/* What a header would name: the columns of the file's own, or those of the schema, of which a file
 * without names may have all, or the features. */
static frocc_status know_names(struct frocc__csv *csv, const frocc_schema *schema) {
    const frocc__input *input = &csv->input;
    for (size_t i = 0; input->names != NULL && i < input->n_columns; i++)
        FROCC_TRY(frocc__vocab_add(&csv->keys, input->names[i], strlen(input->names[i])));
    if (input->names != NULL || !schema->named)
        return FROCC_OK;
    for (size_t i = 0; i < schema->n_columns; i++) {
        const struct frocc__column *column = &schema->columns[i];
        if (column->role == FROCC__FEATURE || input->n_columns >= schema->n_columns)
            FROCC_TRY(frocc__vocab_add(&csv->keys, column->name, strlen(column->name)));
    }
    return FROCC_OK;
}

frocc_status frocc__csv_open(frocc__stream *stream, const frocc_reader_options *options,
                             char separator, const frocc_schema *schema, frocc__input **input) {
    frocc__csv_shape shape;
    FROCC_TRY(frocc__csv_detect(stream, options, separator, schema, &shape));
    struct frocc__csv *csv = frocc__alloc(1, sizeof *csv);
    uint32_t *runs = frocc__alloc(shape.n_columns, sizeof *runs);
    frocc_status status = csv == NULL || runs == NULL ? FROCC_ERR_MEMORY : FROCC_OK;
    if (status == FROCC_OK)
        status = frocc__stream_skip(stream, shape.skip_bytes);
    if (status != FROCC_OK) {
        frocc__names_free(shape.names, shape.n_columns);
        frocc__free(shape.header);
        frocc__free(csv);
        frocc__free(runs);
        return status;
    }
    csv->runs = runs;
    csv->parse = frocc__csv_parse_piece;
    csv->row_line = frocc__csv_row_line;
    csv->input = (frocc__input){.class = &csv_class,
                                .n_columns = shape.n_columns,
                                .names = shape.names,
                                .is_unnamed = shape.is_unnamed,
                                .text = true};
    csv->separator = shape.separator;
    csv->decimals = shape.decimals;
    csv->header = shape.header;
    csv->header_length = shape.header == NULL ? 0 : strlen(shape.header);
    csv->lines = (frocc__lines){.stream = stream,
                                .quotes = options->list_bad_rows == 0,
                                .separator = shape.separator,
                                .line = 1 + shape.skip_lines,
                                .taken = shape.skip_bytes,
                                .max_line = frocc__longest_line(options)};
    status = options->list_bad_rows != 0 ? know_names(csv, schema) : FROCC_OK;
    if (status != FROCC_OK)
        frocc__input_close(&csv->input);
    else
        *input = &csv->input;
    return status;
}
