/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON lines: an object a line. Its keys are names of columns, in any order; one that is not there,
 * or null, is a missing cell. Strings are texts whatever they look like, true and false the texts
 * True and False, as in tables of the caller's, or 1 and 0 where a model has numbers.
 *
 * The columns are those of the schema, where there is one already, and then the keys of the first
 * lines as they appear. Everything behind that is the way of CSV: pieces, cells, buffers.
 */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read_csv.h"
#include "input/read_json.h"

#define SAMPLE_SIZE ((size_t)1 << 18)

/* ---- Objects --------------------------------------------------------------------------------- */

/* What becomes of the members of an object. */
struct visitor {
    frocc_status (*take)(void *context, const char *at, const char *key, size_t length,
                         const frocc__json_value *value);
    void *context;
    char **scratch; /* for keys */
    size_t *scratch_size;
    frocc__json_mistake mistake; /* set where it is one of JSON */
};

static frocc_status reserve(char **scratch, size_t *size, size_t need) {
    if (need <= *size)
        return FROCC_OK;
    frocc__free(*scratch);
    *size = 0;
    *scratch = frocc__alloc(2 * need, 1);
    if (*scratch == NULL)
        return FROCC_ERR_MEMORY;
    *size = 2 * need;
    return FROCC_OK;
}

static frocc_status mistake(struct visitor *v, const char *at, const char *what) {
    v->mistake = (frocc__json_mistake){at, what};
    return FROCC_ERR_DATA;
}

/* "key": value at *position, which then stands behind it. */
static frocc_status visit_member(struct visitor *v, const char **position) {
    frocc__json_value key, value;
    const char *at = *position, *p = at;
    if (*p != '"')
        return mistake(v, p, "no name begins here; expected one in quotes");
    p = frocc__json_value_at(p, &key, &v->mistake);
    if (p == NULL)
        return FROCC_ERR_DATA;
    if (!key.plain) {
        FROCC_TRY(reserve(v->scratch, v->scratch_size, key.length + 1));
        if (!frocc__json_decode(&key, *v->scratch, &key.length, &v->mistake))
            return FROCC_ERR_DATA;
        key.text = *v->scratch;
    }
    if (memchr(key.text, '\0', key.length) != NULL)
        return mistake(v, at, "a name holds a NUL character");
    p = frocc__json_skip_blanks(p);
    if (*p != ':')
        return mistake(v, p, "a name is not followed by a colon");
    p = frocc__json_skip_blanks(p + 1);
    p = frocc__json_value_at(p, &value, &v->mistake);
    if (p == NULL)
        return FROCC_ERR_DATA;
    *position = p;
    return v->take(v->context, at, key.text, key.length, &value);
}

/* The object at p, and nothing but blanks behind it in the line. */
static frocc_status visit_object(struct visitor *v, const char *p) {
    if (*p != '{')
        return mistake(v, p,
                       *p == '[' ? "the line is no object but an array; expected an object a line "
                                   "(jq -c '.[]' makes that of an array)"
                                 : "the line is no object; expected {\"name\": value, ...}");
    p = frocc__json_skip_blanks(p + 1);
    while (*p != '}') {
        FROCC_TRY(visit_member(v, &p));
        p = frocc__json_skip_blanks(p);
        if (*p != ',' && *p != '}')
            return mistake(v, p,
                           *p == '\n' ? "the object is not closed; one must end in its line"
                                      : "a value is not followed by a comma or a brace");
        if (*p == ',') {
            p = frocc__json_skip_blanks(p + 1);
            if (*p == '}')
                return mistake(v, p, "nothing follows the last comma");
        }
    }
    p = frocc__json_skip_blanks(p + 1);
    return *p == '\n' ? FROCC_OK : mistake(v, p, "something follows the object in its line");
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static frocc_status fail_at(const struct frocc__csv_parser *s, const char *at, size_t column,
                            const char *what) {
    const bool known = column != FROCC__NOT_FOUND;
    const frocc__where place = {.file = s->csv->input.name,
                                .line = frocc__csv_line_at(s, at),
                                .column = known ? column + 1 : 0,
                                .column_name = known ? s->csv->input.names[column] : NULL};
    return frocc__fail_at(FROCC_ERR_DATA, &place, "%s", what);
}

static frocc_status unknown_key(const struct frocc__csv_parser *s, const char *at, const char *key,
                                size_t length) {
    char shown[FROCC__SHOWN_SIZE];
    const frocc__where place = {.file = s->csv->input.name, .line = frocc__csv_line_at(s, at)};
    return frocc__fail_at(FROCC_ERR_SHAPE, &place,
                          "has the name '%s', which is not in the first lines; let a row with all "
                          "names be among them, or give ignore_extra",
                          frocc__show(key, length, shown));
}

static frocc_status nested(const struct frocc__csv_parser *s, const char *at, size_t column) {
    const char *name = s->csv->input.names[column];
    char shown[FROCC__SHOWN_SIZE];
    const frocc__where place = {.file = s->csv->input.name,
                                .line = frocc__csv_line_at(s, at),
                                .column = column + 1,
                                .column_name = name};
    return frocc__fail_at(FROCC_ERR_DATA, &place,
                          "the value is an object or an array; expected a number or a text (leave "
                          "the column out by drop = %s)",
                          frocc__show(name, strlen(name), shown));
}

/* Names mostly come in the order of the columns. */
static size_t find_column(struct frocc__csv_parser *s, const char *key, size_t length) {
    const frocc__vocab *keys = &s->csv->keys;
    const char *next = s->column < keys->count ? frocc__vocab_text(keys, s->column) : NULL;
    if (next == NULL || strncmp(next, key, length) != 0 || next[length] != '\0')
        s->column = frocc__vocab_find(keys, key, length);
    return s->column == FROCC__NOT_FOUND ? s->column : s->column++;
}

/* The cell that a value is; what is no text of its own is decoded. */
static frocc_status cell_of(struct frocc__csv_parser *s, const char *at, size_t column,
                            const frocc__json_value *value, frocc__cell *cell) {
    const frocc__target *target = &s->plan->targets[column];
    const bool number =
        target->action == FROCC__TO_NUMBER || target->action == FROCC__TO_NUMBER_TOLD;
    const bool is_true = value->kind == FROCC__JSON_TRUE;
    frocc__json_mistake wrong;
    *cell = (frocc__cell){.text = value->text, .length = value->length};
    switch (value->kind) {
    case FROCC__JSON_NULL:
        cell->length = 0;
        return FROCC_OK;
    case FROCC__JSON_NUMBER:
        return FROCC_OK;
    case FROCC__JSON_TRUE:
    case FROCC__JSON_FALSE:
        if (number && (s->survey == NULL || s->job->numbers_only))
            *cell = (frocc__cell){.text = is_true ? "1" : "0", .length = 1};
        else if (target->action != FROCC__TO_LABEL && target->action != FROCC__TO_ID)
            *cell = (frocc__cell){
                .text = frocc__truth_text(is_true), .length = value->length, .is_text = true};
        return FROCC_OK;
    case FROCC__JSON_NESTED:
        return nested(s, at, column);
    default:
        cell->is_text = true;
        if (value->plain)
            return FROCC_OK;
        FROCC_TRY(reserve(&s->scratch, &s->scratch_size, value->length + 1));
        cell->text = s->scratch;
        return frocc__json_decode(value, s->scratch, &cell->length, &wrong)
                   ? FROCC_OK
                   : fail_at(s, wrong.at, column, wrong.what);
    }
}

static frocc_status carry(const struct frocc__csv_parser *s, size_t column, const char *text,
                          size_t length, bool is_bare) {
    const size_t slot = s->plan->n_carried == 0 ? FROCC__NOT_FOUND : s->plan->carry_slot[column];
    const size_t piece = (size_t)(s->piece - s->csv->lines.pieces);
    if (slot == FROCC__NOT_FOUND || s->survey != NULL)
        return FROCC_OK;
    return frocc__row_buffer_carry(s->job->buffer, piece, s->first_row + s->n_rows, slot, text,
                                   length, is_bare);
}

static bool is_carried(const struct frocc__csv_parser *s, size_t column) {
    return s->survey == NULL && s->plan->n_carried > 0 &&
           s->plan->carry_slot[column] != FROCC__NOT_FOUND;
}

static frocc_status take_member(void *context, const char *at, const char *key, size_t length,
                                const frocc__json_value *value) {
    struct frocc__csv_parser *s = context;
    const size_t column = find_column(s, key, length);
    frocc__cell cell;
    if (column == FROCC__NOT_FOUND)
        return s->csv->takes_any_key ? FROCC_OK : unknown_key(s, at, key, length);
    if (s->ends[1 + column] == s->ends[0])
        return fail_at(s, at, column, "the name stands twice in the object");
    s->ends[1 + column] = s->ends[0];
    const bool unused = s->plan->targets[column].action == FROCC__TO_NOTHING;
    const bool as_it_lies = value->kind != FROCC__JSON_STRING && value->kind != FROCC__JSON_NULL;
    if (as_it_lies)
        FROCC_TRY(carry(s, column, value->text, value->length, true));
    if (unused && (as_it_lies || !is_carried(s, column)))
        return FROCC_OK;
    FROCC_TRY(cell_of(s, at, column, value, &cell));
    if (!as_it_lies)
        FROCC_TRY(carry(s, column, cell.text, cell.length, value->kind == FROCC__JSON_NULL));
    return unused ? FROCC_OK : frocc__csv_take_cell(s, column, at, &cell);
}

/* Columns that the object has not named. */
static frocc_status take_others(struct frocc__csv_parser *s, const char *at) {
    const frocc__cell none = {.text = ""};
    for (size_t column = 0; column < s->plan->n_columns; column++) {
        if (s->ends[1 + column] == s->ends[0])
            continue;
        FROCC_TRY(carry(s, column, "", 0, true));
        if (s->plan->targets[column].action != FROCC__TO_NOTHING)
            FROCC_TRY(frocc__csv_take_cell(s, column, at, &none));
    }
    return FROCC_OK;
}

static frocc_status parse_row(struct frocc__csv_parser *s, const char *p) {
    struct visitor v = {.take = take_member,
                        .context = s,
                        .scratch = &s->scratch,
                        .scratch_size = &s->scratch_size};
    if (++s->ends[0] == 0) { /* marks of columns that were seen count rows */
        memset(s->ends, 0, (s->plan->n_columns + 1) * sizeof *s->ends);
        s->ends[0] = 1;
    }
    s->column = 0;
    frocc_status status = visit_object(&v, p);
    if (v.mistake.what != NULL)
        return fail_at(s, v.mistake.at, FROCC__NOT_FOUND, v.mistake.what);
    FROCC_TRY(status);
    return take_others(s, p);
}

/* A line that is a row, or NULL. */
static const char *row_at(const char *p) {
    p = frocc__json_skip_blanks(p);
    return *p == '\n' ? NULL : p;
}

static frocc_status parse_piece(struct frocc__csv_parser *s) {
    for (const char *p = s->piece->begin; p < s->piece->end;) {
        const char *row = row_at(p);
        if (row != NULL) {
            const frocc_status status = parse_row(s, row);
            if (status == FROCC_OK)
                frocc__csv_row_done(s);
            else
                FROCC_TRY(frocc__csv_row_failed(s, status));
        }
        p = (const char *)memchr(p, '\n', (size_t)(s->piece->end - p)) + 1;
    }
    return FROCC_OK;
}

static uint64_t row_line(const struct frocc__csv_parser *s, uint64_t row) {
    uint64_t line = s->piece->line;
    for (const char *p = s->piece->begin; p < s->piece->end; line++) {
        row -= row_at(p) != NULL;
        if (row == 0)
            break;
        p = (const char *)memchr(p, '\n', (size_t)(s->piece->end - p)) + 1;
    }
    return line;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Bytes of a byte order mark in front. */
static size_t mark_of(const frocc__sample *s) {
    return s->end - s->text >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static bool has_row(const frocc__sample *s) {
    for (const char *p = s->text + mark_of(s), *end = s->end; p < end;
         p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1)
        if (row_at(p) != NULL)
            return true;
    return false;
}

static frocc_status take_key(void *context, const char *at, const char *key, size_t length,
                             const frocc__json_value *value) {
    (void)at, (void)value;
    return frocc__vocab_add(context, key, length);
}

static frocc_status take_keys(const char *file, const frocc__sample *s, const frocc_schema *schema,
                              bool lists_bad_rows, struct frocc__csv *csv) {
    frocc__vocab *keys = &csv->keys;
    for (size_t i = 0; schema != NULL && schema->named && i < schema->n_columns; i++)
        FROCC_TRY(frocc__vocab_add(keys, schema->columns[i].name, strlen(schema->columns[i].name)));
    for (const char *p = s->text + mark_of(s), *end = s->end; p < end;
         p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1) {
        struct visitor v = {.take = take_key,
                            .context = keys,
                            .scratch = &csv->scratch,
                            .scratch_size = &csv->scratch_size};
        frocc_status status = row_at(p) == NULL ? FROCC_OK : visit_object(&v, row_at(p));
        if (v.mistake.what != NULL && lists_bad_rows)
            continue;
        if (v.mistake.what != NULL)
            return frocc__fail_at(
                FROCC_ERR_DATA,
                &(frocc__where){.file = file,
                                .line = 1 + frocc__count_lines(s->text, v.mistake.at)},
                "%s", v.mistake.what);
        FROCC_TRY(status);
    }
    if (keys->count == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "%s: its objects have no names, so no columns", file);
    return FROCC_OK;
}

static frocc_status name_columns(struct frocc__csv *csv) {
    const frocc__vocab *keys = &csv->keys;
    csv->input.names = frocc__alloc(keys->count, sizeof *csv->input.names);
    csv->runs = frocc__alloc(keys->count, sizeof *csv->runs);
    if (csv->input.names == NULL || csv->runs == NULL)
        return FROCC_ERR_MEMORY;
    csv->input.n_columns = keys->count;
    for (size_t i = 0; i < keys->count; i++)
        FROCC_TRY(frocc__copy_text(frocc__vocab_text(keys, i), &csv->input.names[i]));
    return FROCC_OK;
}

static frocc_status open_sampled(frocc__stream *stream, const frocc_reader_options *options,
                                 const frocc_schema *schema, frocc__sample *s,
                                 struct frocc__csv *csv) {
    const char *file = frocc__stream_name(stream);
    FROCC_TRY(frocc__sample_take(stream, SAMPLE_SIZE, csv->lines.max_line, has_row, s));
    if (!has_row(s))
        return frocc__fail(FROCC_ERR_EMPTY, "%s: is empty; expected an object a line", file);
    FROCC_TRY(take_keys(file, s, schema, options->list_bad_rows != 0, csv));
    FROCC_TRY(frocc__check_columns(file, csv->keys.count, options));
    FROCC_TRY(name_columns(csv));
    csv->lines.taken = mark_of(s);
    return frocc__stream_skip(stream, mark_of(s));
}

frocc_status frocc__jsonl_open(frocc__stream *stream, const frocc_reader_options *options,
                               const frocc_schema *schema, bool is_given, frocc__input **input) {
    frocc__sample s = {0};
    struct frocc__csv *csv = frocc__alloc(1, sizeof *csv);
    if (csv == NULL)
        return FROCC_ERR_MEMORY;
    csv->input = (frocc__input){.class = &frocc__jsonl_class, .text = true};
    csv->is_json = true;
    csv->parse = parse_piece;
    csv->row_line = row_line;
    csv->takes_any_key = is_given || options->ignore_extra != 0;
    csv->lines = (frocc__lines){
        .stream = stream, .separator = ',', .line = 1, .max_line = frocc__longest_line(options)};
    frocc_status status = open_sampled(stream, options, schema, &s, csv);
    frocc__free(s.text);
    if (status != FROCC_OK)
        frocc__input_close(&csv->input);
    else
        *input = &csv->input;
    return status;
}
