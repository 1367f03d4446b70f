/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the caller's: the same rows, schemas, labels and ids as from the same table in CSV. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "schema/schema.h"
#include "test_read.h"

#define N_FIELDS 8
#define N_ROWS 100

/* One table, in batches, and as text. */
static const frocc_field fields[N_FIELDS] = {
    {"x", FROCC_VALUES_F64, 0},   {"color", FROCC_VALUES_TEXT, 0},
    {"n", FROCC_VALUES_I64, 0},   {"single", FROCC_VALUES_F32, 0},
    {"on", FROCC_VALUES_BOOL, 0}, {"size", FROCC_VALUES_TEXT, 0},
    {"id", FROCC_VALUES_I64, 0},  {"when", FROCC_VALUES_TIME, 1000}};

static struct {
    double x[N_ROWS];
    float single[N_ROWS];
    int64_t n[N_ROWS], id[N_ROWS], when[N_ROWS], color_at[N_ROWS + 1], size_at[4];
    int32_t size[N_ROWS], ahead[N_ROWS];
    bool zoned; /* the clock of "when" is ahead of UTC by that */
    unsigned char on[N_ROWS], missing[N_FIELDS][N_ROWS];
    char color_text[16 * N_ROWS], *csv;
    const char *color[N_ROWS];
} rows;

/* Hands the data out. */
typedef struct source {
    size_t batch, next;
    const int *order; /* of fields; NULL: as above */
    size_t n_fields;
    size_t fail_at; /* row; 0: never */
    int rewinds, closed;
} source;

static void put_cells(const source *s, size_t field, size_t row, frocc_cells *cells) {
    const void *values[N_FIELDS] = {rows.x + row,      rows.color_text, rows.n + row,
                                    rows.single + row, rows.on + row,   "SMLXL",
                                    rows.id + row,     rows.when + row};
    const int f = s->order != NULL ? s->order[field] : (int)field;
    *cells = (frocc_cells){.values = values[f], .missing = rows.missing[f] + row};
    if (f == 1)
        cells->offsets = rows.color_at + row;
    if (f == 5) {
        cells->offsets = rows.size_at;
        cells->codes = rows.size + row;
        cells->n_texts = 3;
    }
    if (f == 7 && rows.zoned)
        cells->ahead_of_utc = rows.ahead + row;
}

static frocc_status source_next(void *context, frocc_cells *cells, size_t *n_rows,
                                const char **error) {
    source *s = context;
    if (s->fail_at > 0 && s->next >= s->fail_at) {
        *error = "row group 3 is damaged";
        return FROCC_ERR_IO;
    }
    size_t count = N_ROWS - s->next < s->batch ? N_ROWS - s->next : s->batch;
    for (size_t i = 0; i < s->n_fields; i++)
        put_cells(s, i, s->next, &cells[i]);
    s->next += count;
    *n_rows = count;
    return FROCC_OK;
}

static frocc_status source_rewind(void *context, const char **error) {
    source *s = context;
    (void)error;
    s->next = 0;
    s->rewinds++;
    return FROCC_OK;
}

static void source_close(void *context) {
    ((source *)context)->closed++;
}

static frocc_table table_of(source *s, const frocc_field *own) {
    return (frocc_table){.struct_size = sizeof(frocc_table),
                         .name = "rows.tbl",
                         .fields = own,
                         .n_fields = s->n_fields,
                         .n_rows = N_ROWS,
                         .next = source_next,
                         .rewind = source_rewind,
                         .close = source_close,
                         .context = s};
}

/* The cell of a row as CSV has it. */
static void print_cell(size_t field, size_t row, char out[64]) {
    static const char *const sizes[] = {"S", "M", "LXL"};
    static const char *const zones[] = {"+00:00", "+09:00", "-03:30"};
    *out = '\0';
    if (rows.missing[field][row])
        return;
    switch (field) {
    case 0:
        frocc_print_f64(rows.x[row], out);
        break;
    case 1:
        strcpy(out, rows.color[row]);
        break;
    case 3:
        frocc_print_f64((double)rows.single[row], out);
        break;
    case 4:
        strcpy(out, rows.on[row] ? "True" : "False");
        break;
    case 5:
        strcpy(out, sizes[rows.size[row]]);
        break;
    case 7:
        strcpy(out, row % 2 ? "2026-02-28T23:59:59.250" : "1969-12-31T23:59:59");
        if (rows.zoned)
            strcat(out, zones[row % 3]);
        break;
    default:
        snprintf(out, 64, "%lld", (long long)(field == 2 ? rows.n[row] : rows.id[row]));
        break;
    }
}

static void print_data(void) {
    free(rows.csv);
    rows.csv = NEW(char, (size_t)N_ROWS * 300 + 300);
    char *p = rows.csv;
    for (size_t f = 0; f < N_FIELDS; f++)
        p += sprintf(p, "%s%s", fields[f].name, f + 1 < N_FIELDS ? "," : "\n");
    for (size_t r = 0; r < N_ROWS; r++)
        for (size_t f = 0; f < N_FIELDS; f++) {
            char cell[64];
            print_cell(f, r, cell);
            p += sprintf(p, "%s%s", cell, f + 1 < N_FIELDS ? "," : "\n");
        }
}

static void make_data(bool missing) {
    static const char *const colors[] = {"red", "green", "blue", "a colour, \303\274"};
    memset(rows.missing, 0, sizeof rows.missing);
    size_t used = 0;
    for (size_t r = 0; r < N_ROWS; r++) {
        rows.x[r] = (double)(r * r % 37) / 7 - 2;
        rows.single[r] = (float)(r % 13) / 3.0F;
        rows.n[r] = (int64_t)(r % 5) - 2;
        rows.id[r] = INT64_MIN + (int64_t)r;
        rows.when[r] = r % 2 ? 1772323199250 : -1000;
        rows.ahead[r] = r % 3 == 0 ? 0 : r % 3 == 1 ? 32400 : -12600;
        rows.on[r] = r % 3 == 0;
        rows.size[r] = (int32_t)(r % 3);
        rows.color[r] = colors[r % 3];
        rows.color_at[r] = (int64_t)used;
        used += strlen(strcpy(rows.color_text + used, rows.color[r]));
        for (size_t f = 0; missing && f < N_FIELDS; f++)
            rows.missing[f][r] = (r * 7 + f * 3) % 11 == 0;
        if (rows.missing[5][r])
            rows.size[r] = -1; /* the other way to say so */
    }
    rows.color_at[N_ROWS] = (int64_t)used;
    memcpy(rows.size_at, (int64_t[]){0, 1, 2, 5}, sizeof rows.size_at);
    print_data();
}

/* A number in each row of the column, but in one of so many one of four texts. */
static void set_colors(const char *const texts[4], size_t every) {
    static char numbers[N_ROWS][16];
    size_t used = 0;
    for (size_t r = 0; r < N_ROWS; r++) {
        snprintf(numbers[r], sizeof numbers[r], "%zu.5", r % 30);
        rows.color[r] = r % every == 0 ? texts[r / every % 4] : numbers[r];
        rows.color_at[r] = (int64_t)used;
        used += strlen(strcpy(rows.color_text + used, rows.color[r]));
    }
    rows.color_at[N_ROWS] = (int64_t)used;
    print_data();
}

static frocc_status read_table(source *s, const frocc_field *own, const frocc_reader_options *o,
                               const frocc_schema *given, table *t, frocc_schema **schema) {
    const frocc_table given_table = table_of(s, own);
    frocc_reader *reader = NULL;
    memset(t, 0, sizeof *t);
    frocc_status status = frocc_reader_open_table(&given_table, o, given, &reader);
    check((status == FROCC_OK) == (reader != NULL) && s->closed == 0, "open or not?");
    if (status != FROCC_OK)
        return status;
    status = reader_all(reader, t);
    if (status == FROCC_OK) {
        table again;
        check(frocc_reader_share(reader) == 1.0, "the share is %g", frocc_reader_share(reader));
        check_ok(frocc_reader_rewind(reader));
        check_ok(reader_all(reader, &again));
        check_equal(&again, t);
        table_free(&again);
    } else {
        table_free(t);
    }
    if (schema != NULL)
        *schema = frocc_reader_schema(reader);
    frocc_reader_free(reader);
    check(s->closed == 1, "closed %d times", s->closed);
    return status;
}

static void check_same_schemas(const frocc_schema *a, const frocc_schema *b) {
    void *bytes[2];
    size_t sizes[2];
    check_ok(frocc__schema_to_settled(a, &bytes[0], &sizes[0]));
    check_ok(frocc__schema_to_settled(b, &bytes[1], &sizes[1]));
    check(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0, "the schemas differ");
    frocc_bytes_free(bytes[0]);
    frocc_bytes_free(bytes[1]);
}

static frocc_reader_options usual_options(void) {
    static const char *const when[] = {"when"};
    frocc_reader_options o = default_options();
    o.id = "id";
    o.drop = when;
    o.n_drop = 1;
    return o;
}

/* Table and text, learnt by the same options, and each through what the other has learnt; in the
 * text some columns have to be called texts. */
static void compare_as(const frocc_field *own_fields, const frocc_reader_options *o,
                       const char *const *texts, size_t n_texts) {
    char *path = path_in(folder, "rows.csv");
    const char *const paths[1] = {path};
    file_write(path, rows.csv, strlen(rows.csv));
    frocc_reader_options text = *o, through = *o;
    text.categorical = texts;
    text.n_categorical = n_texts;
    through.n_use = through.n_drop = through.n_categorical = through.n_time = 0;
    table from_text, from_table;
    frocc_schema *schema = NULL, *own = NULL;
    check_ok(read_files(paths, 1, &text, NULL, &from_text, &schema));
    static const size_t batches[] = {1, 7, N_ROWS, 1000};
    for (size_t i = 0; i < 4; i++) {
        source learn = {.batch = batches[i], .n_fields = N_FIELDS}, use = learn;
        check_ok(read_table(&learn, own_fields, o, NULL, &from_table, &own));
        check_equal(&from_table, &from_text);
        check_same_schemas(schema, own);
        table_free(&from_table);
        check_ok(read_table(&use, own_fields, &through, schema, &from_table, NULL));
        check_equal(&from_table, &from_text);
        table_free(&from_table);
        frocc_schema_free(own);
    }
    table_free(&from_text);
    frocc_schema_free(schema);
    free(path);
}

static void compare(const frocc_reader_options *o) {
    static const char *const texts[] = {"color", "on", "size", "n"};
    compare_as(fields, o, texts, o->n_categorical > 0 ? 4 : 3);
}

static void refuse(const frocc_field *own, const frocc_reader_options *o, frocc_status status,
                   const char *sentence) {
    source s = {.batch = 10, .n_fields = N_FIELDS};
    table t;
    check_is(read_table(&s, own, o, NULL, &t, NULL), status);
    check(strstr(frocc_last_error(), sentence) != NULL, "\"%s\" does not say \"%s\"",
          frocc_last_error(), sentence);
}

static void test_same_as_text(void) {
    frocc_reader_options o = usual_options();
    make_data(false);
    compare(&o);
    o.dtype = FROCC_F32;
    compare(&o);
    o.dtype = FROCC_F64;
    o.label = "n";
    compare(&o);
    o.label = "color";
    o.threads = 3;
    o.block_rows = 11;
    compare(&o);
    o.label = NULL;
    o.id = "when"; /* and id is a feature of 19 digits */
    o.n_drop = 0;
    compare(&o);
    const char *const categorical[] = {"n"};
    o.categorical = categorical;
    o.n_categorical = 1;
    compare(&o);
}

/* Texts among which some are numbers: what CSV makes of them, by what nearly all are. */
static void test_cells(void) {
    static const char *const marks[] = {"-", "n/a", "off", "7"};
    static const char *const texts[] = {"on", "size"};
    frocc_field own[N_FIELDS];
    memcpy(own, fields, sizeof own);
    own[1].kind = FROCC_VALUES_CELLS;
    for (size_t every = 2; every <= 20; every += 18) { /* categories, then numbers with marks */
        make_data(false);
        set_colors(marks, every);
        frocc_reader_options o = usual_options();
        o.missing = FROCC_MISSING_KEEP;
        compare_as(own, &o, texts, 2);
        const frocc_column_kind kind = every == 20 ? FROCC_COLUMN_NUMBER : FROCC_COLUMN_CATEGORY;
        source s = {.batch = 7, .n_fields = N_FIELDS};
        frocc_schema *schema = NULL;
        frocc_column_info info = {.struct_size = sizeof info};
        table t;
        check_ok(read_table(&s, own, &o, NULL, &t, &schema));
        check_ok(frocc_schema_column(schema, 1, &info));
        check(info.kind == kind, "the column is of kind %d", (int)info.kind);
        table_free(&t);
        frocc_schema_free(schema);
    }
}

/* Hours, weekdays and, when asked for, seconds. */
static void test_times(void) {
    static const char *const when[] = {"when"};
    frocc_reader_options o = usual_options();
    o.n_drop = 0;
    for (int missing = 0; missing < 2; missing++) {
        make_data(missing != 0);
        o.missing = missing != 0 ? FROCC_MISSING_KEEP : FROCC_MISSING_ERROR;
        o.n_time = 0;
        compare(&o);
        o.time = when;
        o.n_time = 1;
        compare(&o);
    }
    make_data(false);
    o = usual_options();
    o.categorical = when;
    o.n_drop = 0;
    o.n_categorical = 1;
    source learn = {.batch = N_ROWS, .n_fields = N_FIELDS};
    frocc_schema *schema = NULL;
    frocc_column_info info = {.struct_size = sizeof info};
    table t;
    check_ok(read_table(&learn, fields, &o, NULL, &t, &schema));
    check_ok(frocc_schema_column(schema, 7, &info));
    check(info.kind == FROCC_COLUMN_CATEGORY && info.n_texts == 2, "categorical was not heeded");
    table_free(&t);
    frocc_schema_free(schema);
    for (size_t r = 0; r < N_ROWS; r++)
        rows.when[r] = 86400000 * (int64_t)r; /* dates alone */
    o = usual_options();
    o.n_drop = 0;
    source dates = {.batch = N_ROWS, .n_fields = N_FIELDS};
    check_ok(read_table(&dates, fields, &o, NULL, &t, &schema));
    check_ok(frocc_schema_column(schema, 7, &info));
    check(info.kind == FROCC_COLUMN_TIME && !info.has_hour && info.n_features == 1,
          "midnights have hours");
    table_free(&t);
    frocc_schema_free(schema);
}

/* Clocks that are ahead of UTC or behind it: hours are theirs, the time itself is the same
 * everywhere, and texts say so. */
static void test_clocks(void) {
    static const char *const when[] = {"when"};
    rows.zoned = true;
    for (int missing = 0; missing < 2; missing++) {
        frocc_reader_options o = usual_options();
        make_data(missing != 0);
        o.missing = missing != 0 ? FROCC_MISSING_KEEP : FROCC_MISSING_ERROR;
        o.n_drop = 0;
        compare(&o);
        o.time = when;
        o.n_time = 1;
        compare(&o);
        o.n_time = 0;
        o.id = "when";
        compare(&o);
    }
    rows.zoned = false;
}

/* Of a second and of nearly a day; a day is too much, where the cell is there. */
static void test_far_clocks(void) {
    static const char *const when[] = {"when"};
    static const int32_t far[] = {86400, -86400, INT32_MAX, INT32_MIN};
    frocc_reader_options o = usual_options(), carrying = o;
    o.n_drop = 0;
    carrying.id = "when";
    make_data(false);
    rows.zoned = true;
    rows.ahead[0] = -1;
    rows.ahead[1] = 86399;
    carrying.carry = when;
    carrying.n_carry = 1;
    source s = {.batch = N_ROWS, .n_fields = N_FIELDS};
    const frocc_table own = table_of(&s, fields);
    frocc_reader *reader = NULL;
    frocc_block block = {.struct_size = sizeof block};
    check_ok(frocc_reader_open_table(&own, &carrying, NULL, &reader));
    check_ok(frocc_reader_next(reader, &block));
    check(strcmp(block.carried[0], "1969-12-31T23:59:59-00:00:01") == 0 &&
              strcmp(block.ids[1], "2026-02-28T23:59:59.250+23:59:59") == 0,
          "%s, %s", block.carried[0], block.ids[1]);
    frocc_reader_free(reader);
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        rows.ahead[53] = far[i];
        refuse(fields, &o, FROCC_ERR_DATA,
               "row 54, column 8 ('when'): its clock is a day or more away from UTC");
        refuse(fields, &carrying, FROCC_ERR_DATA, "row 54, column 8 ('when'): its clock is");
    }
    rows.missing[7][53] = 1;
    o.missing = FROCC_MISSING_KEEP;
    table t;
    s = (source){.batch = 10, .n_fields = N_FIELDS};
    check_ok(read_table(&s, fields, &o, NULL, &t, NULL));
    table_free(&t);
    rows.zoned = false;
}

static void test_missing(void) {
    frocc_reader_options o = usual_options();
    make_data(true);
    o.missing = FROCC_MISSING_MEAN;
    compare(&o);
    o.missing = FROCC_MISSING_DROP;
    compare(&o);
    o.label = "x";
    compare(&o);
    o.missing = FROCC_MISSING_KEEP;
    compare(&o);
}

/* Nothing was missing when the schema was learnt. */
static void test_missing_later(void) {
    frocc_reader_options o = usual_options();
    o.missing = FROCC_MISSING_KEEP;
    o.n_drop = 0;
    make_data(false);
    source learn = {.batch = N_ROWS, .n_fields = N_FIELDS}, use = learn;
    table from_table, from_text;
    frocc_schema *schema = NULL;
    check_ok(read_table(&learn, fields, &o, NULL, &from_table, &schema));
    table_free(&from_table);
    make_data(true);
    char *path = path_in(folder, "rows.csv");
    const char *const paths[1] = {path};
    file_write(path, rows.csv, strlen(rows.csv));
    o.n_drop = 0;
    check_ok(read_table(&use, fields, &o, schema, &from_table, NULL));
    check_ok(read_files(paths, 1, &o, schema, &from_text, NULL));
    check_equal(&from_table, &from_text);
    table_free(&from_table);
    table_free(&from_text);
    frocc_schema_free(schema);
    free(path);
}

static void test_categories_in_use(void) {
    make_data(false);
    for (size_t r = 0; r < N_ROWS; r++)
        rows.size[r] = (int32_t)(r % 2);
    print_data(); /* nobody has LXL, so it is no category */
    frocc_reader_options o = usual_options();
    compare(&o);
}

/* Some of the fields, in an order of their own, and of other kinds. */
static void test_through_schema(void) {
    const char *text = "size,n,on,x\nS,0,0,1.5\n";
    const double first[] = {frocc__text_code("S", 1), -2, 1, -2};
    const int order[] = {7, 2, 0, 5, 4};
    frocc_field own[5];
    for (size_t i = 0; i < 5; i++)
        own[i] = fields[order[i]];
    make_data(false);
    char *path = path_in(folder, "small.csv");
    const char *const paths[1] = {path};
    table t;
    frocc_schema *schema = NULL;
    file_write(path, text, strlen(text));
    check_ok(read_files(paths, 1, NULL, NULL, &t, &schema));
    table_free(&t);
    source s = {.batch = 9, .order = order, .n_fields = 5};
    check_ok(read_table(&s, own, NULL, schema, &t, NULL));
    check(t.n_rows == N_ROWS && t.n_features == 4, "%zu x %zu", t.n_rows, t.n_features);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        check(t.values[i] == first[i], "value %zu is %g, not %g", i, t.values[i], first[i]);
    table_free(&t);
    s = (source){.batch = 9, .order = order, .n_fields = 4};
    check_is(read_table(&s, own, NULL, schema, &t, NULL), FROCC_ERR_SHAPE);
    check(strstr(frocc_last_error(), "rows.tbl: 1 of the columns") != NULL &&
              strstr(frocc_last_error(), "'on'") != NULL,
          "\"%s\"", frocc_last_error());
    frocc_schema_free(schema);
    free(path);
}

/* A cell as JSON, by what it is in CSV. */
static void print_json(size_t field, size_t row, char out[70]) {
    const frocc_values kind = fields[field].kind;
    char cell[64];
    print_cell(field, row, cell);
    if (*cell == '\0')
        strcpy(out, "null");
    else if (kind == FROCC_VALUES_TEXT || kind == FROCC_VALUES_TIME)
        sprintf(out, "\"%s\"", cell);
    else if (kind == FROCC_VALUES_BOOL)
        strcpy(out, rows.on[row] ? "true" : "false");
    else
        strcpy(out, cell);
}

/* Cells that are carried, as JSON; of float32 as its own shortest decimals. */
static void test_carried_json(void) {
    static const char *const carried[] = {"x", "color", "n", "on", "size", "id", "when"};
    static const size_t field_of[] = {0, 1, 2, 4, 5, 6, 7};
    enum { N_CARRIED = sizeof field_of / sizeof *field_of };
    frocc_reader_options o = usual_options();
    make_data(true);
    o.missing = FROCC_MISSING_KEEP;
    o.carry = carried;
    o.n_carry = N_CARRIED;
    source s = {.batch = 30, .n_fields = N_FIELDS};
    const frocc_table own = table_of(&s, fields);
    frocc_reader *reader = NULL;
    frocc_block block = {.struct_size = sizeof block};
    size_t row = 0;
    check_ok(frocc_reader_open_table(&own, &o, NULL, &reader));
    check_ok(frocc_reader_carry_json(reader, 1));
    check_ok(frocc_reader_next(reader, &block));
    for (; block.rows.n_rows > 0; check_ok(frocc_reader_next(reader, &block)))
        for (size_t i = 0; i < block.rows.n_rows; i++, row++)
            for (size_t c = 0; c < N_CARRIED; c++) {
                char expected[70];
                print_json(field_of[c], row, expected);
                check(strcmp(block.carried[i * N_CARRIED + c], expected) == 0,
                      "row %zu has %s, not %s", row, block.carried[i * N_CARRIED + c], expected);
            }
    check(row == N_ROWS, "%zu rows", row);
    frocc_reader_free(reader);
}

static void test_refused(void) {
    frocc_reader_options o = usual_options();
    frocc_field own[N_FIELDS];
    memcpy(own, fields, sizeof own);
    make_data(false);
    rows.x[53] = (double)NAN;
    refuse(fields, &o, FROCC_ERR_DATA, "rows.tbl: row 54, column 1 ('x'): the cell is missing");
    rows.x[53] = (double)INFINITY;
    refuse(fields, &o, FROCC_ERR_DATA, "rows.tbl: row 54, column 1 ('x'): the value is infinite");
    rows.x[53] = 0;
    rows.missing[5][2] = 1;
    refuse(fields, &o, FROCC_ERR_DATA, "rows.tbl: row 3, column 6 ('size'): the cell is missing");
    rows.missing[5][2] = 0;
    rows.size[99] = 3;
    refuse(fields, &o, FROCC_ERR_DATA, "row 100, column 6 ('size'): its code means none");
    rows.size[99] = 0;
    rows.color_text[0] = '\0';
    refuse(fields, &o, FROCC_ERR_DATA, "row 1, column 2 ('color'): the text holds a NUL byte");
    rows.color_text[0] = 'r';
    o.all_numeric = 1;
    refuse(fields, &o, FROCC_ERR_DATA, "column 2 ('color'): 'red' is not a number");
    o = usual_options();
    o.n_drop = 0;
    o.missing = FROCC_MISSING_MEAN;
    o.all_numeric = 1;
    static const char *const texts[] = {"color", "on", "size"};
    o.drop = texts;
    o.n_drop = 3;
    refuse(fields, &o, FROCC_ERR_DATA, "rows.tbl: column 8 ('when'): it holds times");
    o = usual_options();
    o.n_drop = 0;
    own[3].name = "x";
    refuse(own, &o, FROCC_ERR_DATA, "has the name 'x' twice");
    own[3].name = NULL;
    refuse(own, &o, FROCC_ERR_ARGUMENT, "column 4: all columns have names or none");
    own[3] = fields[3];
    own[3].kind = FROCC_VALUES_NONE;
    refuse(own, &o, FROCC_ERR_DATA,
           "('single'): it holds no numbers, texts or times; name it in drop");
    own[3] = fields[3];
    own[7].per_second = 60;
    refuse(own, &o, FROCC_ERR_ARGUMENT, "column 8: a time has 1, 1000");
}

/* A column that holds nothing that can be read matters where it is used. */
static void test_left_out(void) {
    static const char *const single[] = {"when", "single"};
    frocc_field own[N_FIELDS];
    frocc_reader_options o = usual_options();
    o.drop = single;
    o.n_drop = 2;
    memcpy(own, fields, sizeof own);
    own[3].kind = FROCC_VALUES_NONE;
    make_data(false);
    table t, there;
    source s = {.batch = 10, .n_fields = N_FIELDS};
    check_ok(read_table(&s, fields, &o, NULL, &t, NULL));
    s = (source){.batch = 10, .n_fields = N_FIELDS};
    check_ok(read_table(&s, own, &o, NULL, &there, NULL));
    check_equal(&t, &there);
    table_free(&t);
    table_free(&there);
    o.carry = &single[1];
    o.n_carry = 1;
    refuse(own, &o, FROCC_ERR_DATA, "('single'): it holds no numbers, texts or times");
}

/* In rows of the caller's, places count from 0 as his do. */
static void test_place(void) {
    frocc_reader_options o = usual_options();
    frocc_reader *reader = NULL;
    make_data(false);
    rows.x[53] = (double)NAN;
    source s = {.batch = 10, .n_fields = N_FIELDS};
    frocc_table nameless = table_of(&s, fields);
    nameless.name = NULL;
    check_is(frocc_reader_open_table(&nameless, &o, NULL, &reader), FROCC_ERR_DATA);
    frocc_error_place place = {.struct_size = sizeof place};
    frocc_last_error_place(&place);
    check(place.row == 53 && place.column == 0 && place.file == NULL &&
              strcmp(place.column_name, "x") == 0,
          "row %lld, column %lld", (long long)place.row, (long long)place.column);
    check(reader == NULL && s.closed == 0, "a table that was refused stays the caller's");
}

static void test_failing_source(void) {
    frocc_reader_options o = usual_options();
    frocc_reader *reader = NULL;
    table t;
    make_data(false);
    source s = {.batch = 10, .n_fields = N_FIELDS, .fail_at = 50};
    check_is(read_table(&s, fields, &o, NULL, &t, NULL), FROCC_ERR_IO);
    check(strcmp(frocc_last_error(), "rows.tbl: row group 3 is damaged") == 0, "\"%s\"",
          frocc_last_error());
    s = (source){.batch = 10, .n_fields = N_FIELDS};
    frocc_table once = table_of(&s, fields);
    once.rewind = NULL;
    check_is(frocc_reader_open_table(&once, &o, NULL, &reader), FROCC_ERR_UNSUPPORTED);
    check(strstr(frocc_last_error(), "rows.tbl: must be read twice") != NULL, "\"%s\"",
          frocc_last_error());
    const char *const use[] = {"x", "n"}; /* nothing to learn about numbers */
    o.use = use;
    o.n_use = 2;
    s.next = 0;
    check_ok(frocc_reader_open_table(&once, &o, NULL, &reader));
    check_ok(reader_all(reader, &t));
    check(t.n_rows == N_ROWS && t.n_features == 2, "%zu rows", t.n_rows);
    table_free(&t);
    frocc_reader_free(reader);
}

/* ---- Files that the caller opens ------------------------------------------------------------- */

static struct {
    int opened;
    source source;
    bool fails;
} foreign;

static frocc_status open_foreign(void *context, const char *path, frocc_table *out, int *known,
                                 const char **error) {
    (void)context;
    *known = strstr(path, ".tbl") != NULL;
    if (!*known)
        return FROCC_OK;
    if (foreign.fails) {
        *error = "is no table";
        return FROCC_ERR_FORMAT;
    }
    foreign.opened++;
    foreign.source.next = 0;
    foreign.source.batch = 9;
    foreign.source.n_fields = N_FIELDS;
    *out = table_of(&foreign.source, fields);
    return FROCC_OK;
}

static void test_opener(void) {
    static const frocc_table_opener opener = {open_foreign, NULL};
    frocc_reader_options o = usual_options();
    make_data(false);
    char *csv = path_in(folder, "rows.csv"), *own = path_in(folder, "rows.tbl");
    const char *const texts[] = {csv, csv}, *const mixed[] = {csv, own};
    file_write(csv, rows.csv, strlen(rows.csv));
    file_write(own, "?", 1);
    table t, expected;
    frocc_schema *schema = NULL, *same = NULL;
    check_ok(read_files(texts, 2, &o, NULL, &expected, &schema));
    o.opener = &opener;
    check_ok(read_files(mixed, 2, &o, NULL, &t, &same));
    check_equal(&t, &expected);
    check_same_schemas(schema, same);
    check(foreign.opened > 0 && foreign.source.closed == foreign.opened, "%d opened, %d closed",
          foreign.opened, foreign.source.closed);
    foreign.fails = true;
    table none;
    check_is(read_files(&mixed[1], 1, &o, NULL, &none, NULL), FROCC_ERR_FORMAT);
    check(strncmp(frocc_last_error(), own, strlen(own)) == 0 &&
              strstr(frocc_last_error(), ": is no table") != NULL,
          "\"%s\"", frocc_last_error());
    foreign.fails = false;
    table_free(&t);
    table_free(&expected);
    frocc_schema_free(schema);
    frocc_schema_free(same);
    free(csv);
    free(own);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static struct { long until_failure, living; } memory;

static void *allocate(void *context, size_t bytes) {
    void *block = memory.until_failure-- > 0 ? malloc(bytes) : NULL;
    (void)context;
    memory.living += block != NULL;
    return block;
}

static void release(void *context, void *block) {
    (void)context;
    memory.living -= block != NULL;
    free(block);
}

static void test_allocations(void) {
    const frocc_allocator failing = {allocate, release, NULL};
    frocc_reader_options o = usual_options();
    make_data(true);
    o.missing = FROCC_MISSING_MEAN;
    o.label = "n";
    o.threads = 1;
    frocc_set_allocator(&failing);
    frocc_status status = FROCC_ERR_MEMORY;
    for (long n = 0; status == FROCC_ERR_MEMORY; n++) {
        source s = {.batch = 30, .n_fields = N_FIELDS};
        const frocc_table own = table_of(&s, fields);
        frocc_reader *reader = NULL;
        frocc_block block = {.struct_size = sizeof block};
        memory.until_failure = n;
        status = frocc_reader_open_table(&own, &o, NULL, &reader);
        do {
            if (status == FROCC_OK)
                status = frocc_reader_next(reader, &block);
        } while (status == FROCC_OK && block.rows.n_rows > 0);
        frocc_reader_free(reader);
        if (status != FROCC_OK && status != FROCC_ERR_MEMORY)
            break;
        if (memory.living != 0)
            break;
    }
    frocc_set_allocator(NULL);
    check_ok(status);
    check(memory.living == 0, "%ld blocks leaked", memory.living);
}

int main(void) {
    folder = folder_new();
    RUN(test_same_as_text);
    RUN(test_cells);
    RUN(test_times);
    RUN(test_clocks);
    RUN(test_far_clocks);
    RUN(test_missing);
    RUN(test_missing_later);
    RUN(test_categories_in_use);
    RUN(test_through_schema);
    RUN(test_carried_json);
    RUN(test_refused);
    RUN(test_left_out);
    RUN(test_place);
    RUN(test_failing_source);
    RUN(test_opener);
    RUN(test_allocations);
    free(rows.csv);
    folder_free(folder);
    return check_end();
}
