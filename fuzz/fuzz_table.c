/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of the caller's, of any fields and cells: codes that mean no text, offsets that fall,
 * times and numbers of any bits, clocks that are ahead of UTC by anything, names that are there
 * twice, failures in the middle. The same rows must come whatever the batches; through the schema
 * that was learnt they come again; and a table of other fields is read through that schema, or
 * refused. What a batch claims is there in memory, as a caller must see to.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "bounded.h"
#include "input.h"
#include "read_all.h"

#define MAX_FIELDS 6
#define MAX_ROWS 48
#define MAX_TEXT 12

typedef struct field_cells {
    double f64[MAX_ROWS];
    float f32[MAX_ROWS];
    int64_t whole[MAX_ROWS], offsets[MAX_ROWS + 1];
    int32_t codes[MAX_ROWS], ahead[MAX_ROWS];
    unsigned char flags[MAX_ROWS], missing[MAX_ROWS];
    char text[MAX_ROWS * MAX_TEXT + 1];
    size_t n_texts;
    bool has_codes, has_missing, has_ahead;
} field_cells;

typedef struct table {
    frocc_field fields[MAX_FIELDS];
    field_cells cells[MAX_FIELDS];
    size_t n_fields, n_rows, next, batch;
    bool fails;
    size_t fail_at; /* row */
    frocc_status failure;
    int closed;
} table;

/* ---- What the bytes say ---------------------------------------------------------------------- */

static void read_text(input *in, field_cells *c, size_t row) {
    static const char *const usual[] = {"",     "NA",         "1.5",  "-0",  "nan", "True",
                                        "1e99", "2026-11-18", "a\"b", "x,y", "red", "blue"};
    char *at = c->text + c->offsets[row];
    const unsigned how = take(in);
    size_t length = how % MAX_TEXT;
    if (how < 128)
        length = (size_t)snprintf(at, MAX_TEXT + 1, "%s", usual[length]);
    else
        for (size_t i = 0; i < length; i++)
            at[i] = (char)take(in);
    c->offsets[row + 1] = c->offsets[row] + (int64_t)length;
}

static int64_t read_whole(input *in) {
    uint64_t bits = 0;
    const unsigned how = take(in);
    if (how < 200)
        return (int64_t)how - 100;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | take(in);
    return (int64_t)bits;
}

/* Mostly less than a day. */
static int32_t read_ahead(input *in) {
    const int how = (int)take(in);
    return how > 252 ? INT32_MIN + (how - 253) : how > 250 ? 86400 : 691 * (how - 125);
}

static void read_cells(input *in, field_cells *c, size_t n_rows, bool times) {
    const unsigned how = take(in);
    c->has_missing = how % 2 == 1;
    c->has_codes = how / 2 % 2 == 1;
    c->n_texts = how / 4 % 4 == 0 ? take(in) % (MAX_ROWS + 1) : MAX_ROWS;
    for (size_t row = 0; row < n_rows; row++) {
        c->f32[row] = read_value(in, how / 16 % 4);
        c->f64[row] = (double)c->f32[row] * (how / 64 % 2 == 1 ? 1e280 : 1.0);
        c->whole[row] = read_whole(in);
        c->flags[row] = (unsigned char)take(in);
        c->missing[row] = take(in) > 240;
        c->codes[row] = (int32_t)(take(in) % (MAX_ROWS + 8)) - 4;
        read_text(in, c, row);
    }
    for (size_t row = n_rows; row < MAX_ROWS; row++) /* texts that only codes may mean */
        c->offsets[row + 1] = c->offsets[row];
    if (how == 255) /* within the memory, and no order in it */
        for (size_t i = 0; i <= MAX_ROWS; i++)
            c->offsets[i] = (int64_t)(take(in) % (MAX_ROWS * MAX_TEXT)) - 3;
    c->has_ahead = times && how / 128 == 1;
    for (size_t row = 0; c->has_ahead && row < n_rows; row++)
        c->ahead[row] = read_ahead(in);
}

static void read_field(input *in, frocc_field *field, bool named) {
    static const char *const names[] = {"a", "b", "c", "1", "2", "", "time", "a"};
    static const int64_t units[] = {1, 1000, 1000000, 1000000000, 60, 0};
    const unsigned how = take(in), unit = take(in);
    field->kind = (frocc_values)(how == 255 ? 9 : how % 7); /* mostly one that there is */
    field->per_second = units[unit < 240 ? unit % 4 : unit % 6];
    if (named)
        field->name = names[how / 6 % 8];
}

static void read_table(input *in, table *t) {
    memset(t, 0, sizeof *t);
    const unsigned how = take(in), fails = take(in);
    t->n_fields = how % (MAX_FIELDS + 1);
    t->n_rows = take(in) % (MAX_ROWS + 1);
    t->fails = fails > 240;
    if (t->fails) {
        t->fail_at = take(in) % (MAX_ROWS + 1);
        t->failure = (frocc_status)(1 + take(in) % 20);
    }
    for (size_t i = 0; i < t->n_fields; i++) {
        read_field(in, &t->fields[i], how / 8 % 2 == 0);
        read_cells(in, &t->cells[i], t->n_rows, t->fields[i].kind == FROCC_VALUES_TIME);
    }
}

static void read_options(input *in, frocc_reader_options *o) {
    static const char *const columns[] = {"1", "2", "-1", "a", "b", "2-3", "time", "9"};
    const unsigned how = take(in), what = take(in), which = take(in);
    const char *const *chosen = &columns[which % 8], *const *other = &columns[which / 8 % 8];
    frocc_reader_options_init(o);
    o->missing = (frocc_missing)(how % 4);
    o->all_numeric = how / 4 % 8 == 0;
    o->dtype = (frocc_dtype)(how / 32 % 2);
    o->ignore_extra = how / 64 % 2;
    o->label = what % 8 == 1 ? *chosen : NULL;
    o->id = what % 8 == 2 ? *chosen : NULL;
    o->use = o->drop = o->categorical = o->time = chosen;
    o->n_use = what % 8 == 3;
    o->n_drop = what % 8 == 4;
    o->n_categorical = what % 8 == 5;
    o->n_time = what % 8 == 6;
    o->carry = other;
    o->n_carry = what / 8 % 2;
    if (what / 16 % 4 == 0) {
        o->n_parts = 1 + which % 3;
        o->part = which / 3 % 3;
    }
}

/* ---- The source ------------------------------------------------------------------------------ */

static const void *values_from(const field_cells *c, const frocc_field *field, size_t row) {
    switch (field->kind) {
    case FROCC_VALUES_F64:
        return c->f64 + row;
    case FROCC_VALUES_F32:
        return c->f32 + row;
    case FROCC_VALUES_BOOL:
        return c->flags + row;
    case FROCC_VALUES_TEXT:
        return c->text;
    default:
        return c->whole + row;
    }
}

static frocc_status next(void *context, frocc_cells *cells, size_t *n_rows, const char **error) {
    table *t = context;
    const size_t left = t->n_rows - t->next;
    if (t->fails && t->next + t->batch > t->fail_at) {
        *error = t->failure % 2 == 0 ? "as the bytes say" : NULL;
        return t->failure;
    }
    *n_rows = left < t->batch ? left : t->batch;
    for (size_t i = 0; i < t->n_fields; i++) {
        const field_cells *c = &t->cells[i];
        cells[i] = (frocc_cells){.values = values_from(c, &t->fields[i], t->next),
                                 .missing = c->has_missing ? c->missing + t->next : NULL,
                                 .ahead_of_utc = c->has_ahead ? c->ahead + t->next : NULL};
        if (t->fields[i].kind != FROCC_VALUES_TEXT)
            continue;
        cells[i].offsets = c->has_codes ? c->offsets : c->offsets + t->next;
        cells[i].codes = c->has_codes ? c->codes + t->next : NULL;
        cells[i].n_texts = c->n_texts;
    }
    t->next += *n_rows;
    return FROCC_OK;
}

static frocc_status rewind_to_first(void *context, const char **error) {
    (void)error;
    ((table *)context)->next = 0;
    return FROCC_OK;
}

static void closed(void *context) {
    ((table *)context)->closed++;
}

/* ---- What must hold -------------------------------------------------------------------------- */

static frocc_status read_by(table *t, size_t batch, const frocc_reader_options *options,
                            const frocc_schema *given, uint64_t *hash, frocc_schema **schema) {
    const frocc_table source = {.struct_size = sizeof source,
                                .name = "table",
                                .fields = t->fields,
                                .n_fields = t->n_fields,
                                .n_rows = t->n_rows,
                                .next = next,
                                .rewind = rewind_to_first,
                                .close = closed,
                                .context = t};
    frocc_reader *reader = NULL;
    t->batch = batch;
    t->next = 0;
    t->closed = 0;
    const frocc_status opened = frocc_reader_open_table(&source, options, given, &reader);
    frocc_status status = opened;
    HOLDS((opened == FROCC_OK) == (reader != NULL) && t->closed == 0);
    if (status == FROCC_OK)
        status = read_all(reader, hash);
    HOLDS(status == FROCC_OK || strlen(frocc_last_error()) > 9);
    if (status == FROCC_OK && schema != NULL)
        *schema = frocc_reader_schema(reader);
    frocc_reader_free(reader);
    HOLDS(t->closed == (opened == FROCC_OK));
    return status;
}

/* Columns are chosen by the schema then. */
static void read_through(table *t, const frocc_schema *schema, frocc_reader_options options,
                         uint64_t expected, input *in) {
    uint64_t hash = 0;
    options.n_use = options.n_drop = options.n_categorical = options.n_time = 0;
    HOLDS(read_by(t, 5, &options, schema, &hash, NULL) == FROCC_OK && hash == expected);
    read_table(in, t);
    options.own_missing = (int)(take(in) % 2);
    (void)read_by(t, 7, &options, schema, &hash, NULL);
}

static void try_input(const uint8_t *data, size_t size) {
    static table t;
    input in = {data, size};
    frocc_reader_options options;
    frocc_schema *schema = NULL;
    uint64_t hash = 0, other = 0;
    read_options(&in, &options);
    read_table(&in, &t);
    const frocc_status status = read_by(&t, MAX_ROWS, &options, NULL, &hash, &schema);
    options.block_rows = 2;
    const frocc_status again = read_by(&t, 1 + take(&in) % 9, &options, NULL, &other, NULL);
    if (!t.fails)
        HOLDS(status == again && (status != FROCC_OK || hash == other));
    if (status == FROCC_OK && again == FROCC_OK)
        read_through(&t, schema, options, hash, &in);
    frocc_schema_free(schema);
}
