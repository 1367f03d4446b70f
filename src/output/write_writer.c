/* SPDX-License-Identifier: BSD-3-Clause */
/* The writer: chooses the format, checks what it is given, and passes the rows on. */
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/rows.h"
#include "base/status.h"
#include "input/read.h"
#include "numbers/number.h"
#include "output/write.h"

void frocc_writer_options_init(frocc_writer_options *options) {
    if (options != NULL)
        *options = (frocc_writer_options){
            .struct_size = sizeof *options, .dtype = FROCC_F64, .index_base = 1};
}

double frocc__value_at(const frocc_rows *rows, size_t i) {
    return rows->dtype == FROCC_F32 ? (double)((const float *)rows->values)[i]
                                    : ((const double *)rows->values)[i];
}

size_t frocc__print_at(const frocc_rows *rows, size_t i, char *text) {
    return rows->dtype == FROCC_F32 ? frocc__print_f32(((const float *)rows->values)[i], text)
                                    : frocc_print_f64(((const double *)rows->values)[i], text);
}

frocc_status frocc__write_number(frocc_writer *w, frocc_cell_kind kind, frocc_cell cell) {
    char *room;
    size_t used = 0;
    FROCC_TRY(frocc__out_room(w->out, &room));
    if (kind == FROCC_CELL_REAL) {
        used = frocc_print_f64(cell.real, room);
    } else {
        const bool is_negative = cell.whole < 0;
        room[0] = '-';
        used = is_negative +
               frocc__print_u64(is_negative ? -(uint64_t)cell.whole : (uint64_t)cell.whole,
                                room + is_negative);
    }
    frocc__out_used(w->out, used);
    return FROCC_OK;
}

frocc_status frocc__write_nothing(frocc_writer *w) {
    (void)w;
    return FROCC_OK;
}

static frocc_status choose_format(frocc_writer *w, const char *path) {
    char separator = ',';
    frocc_format named = frocc__format_of_name(path, &separator);
    frocc_format format = w->options.format != FROCC_FORMAT_AUTO ? w->options.format : named;
    if (w->options.separator == '\0')
        w->options.separator = separator != '\0' ? separator : ',';
    size_t length = strlen(path);
    w->is_packed = length >= 3 && strcmp(path + length - 3, ".gz") == 0;
    switch (format) {
    case FROCC_FORMAT_NPY:
        w->format = &frocc__write_npy;
        break;
    case FROCC_FORMAT_LIBSVM:
        w->format = &frocc__write_libsvm;
        break;
    case FROCC_FORMAT_RAW:
        w->format = &frocc__write_raw;
        break;
    case FROCC_FORMAT_JSONL:
        w->format = &frocc__write_jsonl;
        break;
    case FROCC_FORMAT_NPZ:
        return frocc__fail(FROCC_ERR_UNSUPPORTED, "%s: npz files cannot be written; use npy", path);
    default:
        w->format = &frocc__write_csv;
    }
    return FROCC_OK;
}

static frocc_status copy_text(const char *text, char **copy) {
    *copy = text == NULL ? NULL : frocc__alloc(strlen(text) + 1, 1);
    if (text != NULL && *copy == NULL)
        return FROCC_ERR_MEMORY;
    if (text != NULL)
        strcpy(*copy, text);
    return FROCC_OK;
}

static frocc_status copy_options(frocc_writer *w, const frocc_writer_options *options) {
    frocc_writer_options_init(&w->options);
    if (options != NULL) {
        FROCC_REQUIRE_SIZE(options, frocc_writer_options);
        memcpy(&w->options, options, FROCC_MIN(options->struct_size, sizeof *options));
    }
    const frocc_writer_options *o = &w->options;
    if ((o->index_base != 0 && o->index_base != 1) ||
        (o->dtype != FROCC_F32 && o->dtype != FROCC_F64) || (int)o->in_place < 0 ||
        o->in_place > FROCC_IN_PLACE_ON)
        return frocc__fail(FROCC_ERR_ARGUMENT, "a writer option has a value that it cannot have; "
                                               "start with frocc_writer_options_init");
    FROCC_TRY(copy_text(o->label_name, &w->label_name));
    FROCC_TRY(copy_text(o->id_name, &w->id_name));
    if (o->names == NULL)
        return FROCC_OK;
    w->names = frocc__alloc(w->n_features, sizeof *w->names);
    if (w->names == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t i = 0; i < w->n_features; i++) {
        FROCC_REQUIRE(o->names[i]);
        FROCC_TRY(copy_text(o->names[i], &w->names[i]));
    }
    return FROCC_OK;
}

static frocc_status open_writer(frocc_writer *w, const char *path,
                                const frocc_writer_options *options) {
    FROCC_TRY(copy_text(path, &w->path));
    FROCC_TRY(copy_options(w, options));
    FROCC_TRY(choose_format(w, path));
    if (w->columns != NULL && w->format->cells == NULL)
        return frocc__fail(FROCC_ERR_UNSUPPORTED, "%s: tables are written as csv, jsonl or npy",
                           path);
    const bool is_npy = w->format == &frocc__write_npy;
    if (is_npy && w->is_packed)
        return frocc__fail(FROCC_ERR_UNSUPPORTED, "%s: npy files are not written as gzip", path);
    FROCC_TRY(frocc__out_open(strcmp(path, "-") == 0 ? NULL : path, is_npy, &w->out));
    if (w->is_packed)
        FROCC_TRY(frocc__out_pack(w->out));
    FROCC_TRY(w->format->begin(w));
    const frocc_in_place in_place = w->options.in_place;
    if (in_place == FROCC_IN_PLACE_ON && (is_npy || w->is_packed))
        return frocc__fail(FROCC_ERR_UNSUPPORTED,
                           "%s: such a file cannot go on where it ended; use csv or jsonl", path);
    return in_place == FROCC_NOT_IN_PLACE || is_npy || w->is_packed
               ? FROCC_OK
               : frocc__out_in_place(w->out, in_place == FROCC_IN_PLACE_ON);
}

static frocc_status copy_columns(frocc_writer *w, const frocc_table_column *columns) {
    w->columns = frocc__alloc(w->n_features, sizeof *w->columns);
    if (w->columns == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t c = 0; c < w->n_features; c++) {
        char *name = NULL;
        FROCC_REQUIRE(columns[c].name);
        FROCC_TRY(copy_text(columns[c].name, &name));
        w->columns[c] = columns[c];
        w->columns[c].name = name;
    }
    return FROCC_OK;
}

/* For rows of features, or, with columns, for a table. */
static frocc_status new_writer(const char *path, size_t n_features,
                               const frocc_table_column *columns,
                               const frocc_writer_options *options, frocc_writer **writer) {
    FROCC_REQUIRE(path);
    FROCC_REQUIRE(writer);
    if (n_features == 0 || n_features > FROCC_MAX_FEATURES)
        return frocc__fail(FROCC_ERR_ARGUMENT, "rows of %zu features cannot be written",
                           n_features);
    frocc_writer *w = frocc__alloc(1, sizeof *w);
    if (w == NULL)
        return FROCC_ERR_MEMORY;
    w->n_features = n_features;
    frocc_status status = columns != NULL ? copy_columns(w, columns) : FROCC_OK;
    if (status == FROCC_OK)
        status = open_writer(w, path, options);
    if (status != FROCC_OK)
        frocc_writer_free(w);
    else
        *writer = w;
    return status;
}

frocc_status frocc_writer_open(const char *path, size_t n_features,
                               const frocc_writer_options *options, frocc_writer **writer) {
    FROCC_OWN_ARITHMETIC;
    return new_writer(path, n_features, NULL, options, writer);
}

frocc_status frocc_writer_open_table(const char *path, const frocc_table_column *columns,
                                     size_t n_columns, const frocc_writer_options *options,
                                     frocc_writer **writer) {
    FROCC_REQUIRE(columns);
    frocc_writer_options own;
    frocc_writer_options_init(&own);
    if (options != NULL) {
        FROCC_REQUIRE_SIZE(options, frocc_writer_options);
        memcpy(&own, options, FROCC_MIN(options->struct_size, sizeof own));
    }
    own.names = NULL; /* the columns have them */
    return new_writer(path, n_columns, columns, &own, writer);
}

/* Rows go to a writer of rows, and cells to one of tables, as long as it is not finished. */
static frocc_status check_open(const frocc_writer *w, bool is_table) {
    if (w->finished)
        return frocc__fail(FROCC_ERR_ARGUMENT, "the writer has been finished");
    if (is_table != (w->columns != NULL))
        return frocc__fail(FROCC_ERR_ARGUMENT, "the writer has been opened for %s",
                           is_table ? "rows of features; use frocc_writer_add"
                                    : "a table; use frocc_writer_add_cells");
    return FROCC_OK;
}

frocc_status frocc_writer_add_cells(frocc_writer *w, const frocc_cell *cells) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(w);
    FROCC_REQUIRE(cells);
    FROCC_TRY(check_open(w, true));
    for (size_t c = 0; c < w->n_features; c++)
        if (frocc__is_text(w->columns[c].kind))
            FROCC_REQUIRE(cells[c].text);
    FROCC_TRY(w->format->cells(w, cells));
    w->n_rows++;
    return FROCC_OK;
}

static frocc_status check_rows(const frocc_rows *rows, size_t n_features) {
    if (rows->n_features != n_features)
        return frocc__fail(FROCC_ERR_SHAPE, "a block of %zu features for a file of %zu",
                           rows->n_features, n_features);
    FROCC_TRY(frocc__rows_check(rows, n_features));
    for (size_t row = 0; rows->row_start != NULL && row < rows->n_rows; row++) {
        const frocc__row entries = frocc__rows_at(rows, row);
        if (!frocc__row_is_valid(&entries, n_features))
            return frocc__rows_failure(rows, row);
    }
    return FROCC_OK;
}

frocc_status frocc_writer_add(frocc_writer *w, const frocc_block *block) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(w);
    FROCC_REQUIRE(block);
    FROCC_REQUIRE_SIZE(block, frocc_block);
    frocc_block b = {0}; /* what an older caller does not know of is absent */
    memcpy(&b, block, FROCC_MIN(block->struct_size, sizeof b));
    FROCC_TRY(check_open(w, false));
    FROCC_TRY(check_rows(&b.rows, w->n_features));
    for (size_t row = 0; row < b.rows.n_rows; row++) {
        FROCC_TRY(w->format->row(w, &b, row));
        w->n_rows++;
    }
    return FROCC_OK;
}

frocc_status frocc_writer_flush(frocc_writer *w) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(w);
    if (w->finished)
        return frocc__fail(FROCC_ERR_ARGUMENT, "the writer has been finished");
    return frocc__out_flush(w->out);
}

frocc_status frocc_writer_finish(frocc_writer *w) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(w);
    if (w->finished)
        return frocc__fail(FROCC_ERR_ARGUMENT, "the writer has been finished");
    w->finished = true;
    FROCC_TRY(w->format->end(w));
    return frocc__out_finish(w->out);
}

const char *frocc_writer_temporary(const frocc_writer *w) {
    return w == NULL ? NULL : frocc__out_temporary(w->out);
}

void frocc_writer_free(frocc_writer *w) {
    if (w == NULL)
        return;
    frocc__out_free(w->out);
    frocc__names_free(w->names, w->n_features);
    for (size_t c = 0; w->columns != NULL && c < w->n_features; c++)
        frocc__free((char *)w->columns[c].name);
    frocc__free(w->columns);
    frocc__free(w->path);
    frocc__free(w->label_name);
    frocc__free(w->id_name);
    frocc__free(w->row);
    frocc__free(w);
}
