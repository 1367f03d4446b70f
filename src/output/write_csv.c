/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows as CSV: id, features, label; texts in quotes where RFC 4180 wants them. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "numbers/number.h"
#include "output/write.h"

static bool needs_quotes(const char *text, char separator) {
    size_t length = strlen(text);
    if (length == 0)
        return false;
    if (*text == ' ' || *text == '#' || text[length - 1] == ' ')
        return true;
    for (; *text != '\0'; text++)
        if (*text == separator || *text == '"' || *text == '\n' || *text == '\r')
            return true;
    return false;
}

/* Whether a spreadsheet would compute the text; a tab or a carriage return may come first. */
static bool is_formula(const char *text) {
    double value;
    const char *begin = text + strspn(text, " \t\r\n");
    return *begin != '\0' && strchr("=+-@", *begin) != NULL &&
           !frocc__parse_f64(text, strlen(text), &value);
}

static frocc_status write_text(frocc_writer *w, const char *text) {
    if (w->options.no_formulas && is_formula(text)) {
        FROCC_TRY(frocc__out_write(w->out, "\"'", 2));
    } else if (!needs_quotes(text, w->options.separator)) {
        return frocc__out_write(w->out, text, strlen(text));
    } else {
        FROCC_TRY(frocc__out_write(w->out, "\"", 1));
    }
    for (; *text != '\0'; text++) {
        FROCC_TRY(frocc__out_write(w->out, text, 1));
        if (*text == '"')
            FROCC_TRY(frocc__out_write(w->out, text, 1));
    }
    return frocc__out_write(w->out, "\"", 1);
}

static frocc_status csv_header(frocc_writer *w, const frocc_block *block) {
    w->header_done = true;
    if (w->names == NULL)
        return FROCC_OK;
    if (block->ids != NULL) {
        FROCC_TRY(write_text(w, w->id_name != NULL ? w->id_name : "id"));
        FROCC_TRY(frocc__out_write(w->out, &w->options.separator, 1));
    }
    for (size_t i = 0; i < w->n_features; i++) {
        if (i > 0)
            FROCC_TRY(frocc__out_write(w->out, &w->options.separator, 1));
        FROCC_TRY(write_text(w, w->names[i]));
    }
    if (block->labels != NULL) {
        FROCC_TRY(frocc__out_write(w->out, &w->options.separator, 1));
        FROCC_TRY(write_text(w, w->label_name != NULL ? w->label_name : "label"));
    }
    return frocc__out_write(w->out, "\n", 1);
}

/* The features of a row; those a sparse row does not name are zero. */
static frocc_status write_features(frocc_writer *w, const frocc_rows *rows, size_t row) {
    int64_t entry = rows->row_start != NULL ? rows->row_start[row] : 0;
    for (size_t i = 0; i < w->n_features; i++) {
        char *room;
        size_t used = 0;
        FROCC_TRY(frocc__out_room(w->out, &room));
        if (i > 0)
            room[used++] = w->options.separator;
        if (rows->row_start == NULL)
            used += frocc__print_at(rows, row * rows->row_stride + i, room + used);
        else if (entry < rows->row_start[row + 1] && (size_t)rows->columns[entry] == i)
            used += frocc__print_at(rows, (size_t)entry++, room + used);
        else
            room[used++] = '0';
        frocc__out_used(w->out, used);
    }
    return FROCC_OK;
}

static frocc_status csv_row(frocc_writer *w, const frocc_block *block, size_t row) {
    if (!w->header_done)
        FROCC_TRY(csv_header(w, block));
    if (block->ids != NULL) {
        FROCC_TRY(write_text(w, block->ids[row]));
        FROCC_TRY(frocc__out_write(w->out, &w->options.separator, 1));
    }
    FROCC_TRY(write_features(w, &block->rows, row));
    if (block->labels != NULL) {
        FROCC_TRY(frocc__out_write(w->out, &w->options.separator, 1));
        FROCC_TRY(write_text(w, block->labels[row]));
    }
    return frocc__out_write(w->out, "\n", 1);
}

static frocc_status csv_begin(frocc_writer *w) {
    for (size_t c = 0; w->columns != NULL && c < w->n_features; c++) {
        if (c > 0)
            FROCC_TRY(frocc__out_write(w->out, &w->options.separator, 1));
        FROCC_TRY(write_text(w, w->columns[c].name));
    }
    return w->columns != NULL ? frocc__out_write(w->out, "\n", 1) : FROCC_OK;
}

static frocc_status csv_cells(frocc_writer *w, const frocc_cell *cells) {
    for (size_t c = 0; c < w->n_features; c++) {
        const frocc_cell_kind kind = w->columns[c].kind;
        if (c > 0)
            FROCC_TRY(frocc__out_write(w->out, &w->options.separator, 1));
        if (frocc__is_text(kind))
            FROCC_TRY(write_text(w, cells[c].text));
        else if (kind == FROCC_CELL_WHOLE || !isnan(cells[c].real))
            FROCC_TRY(frocc__write_number(w, kind, cells[c]));
    }
    return frocc__out_write(w->out, "\n", 1);
}

const struct frocc__write_format frocc__write_csv = {csv_begin, csv_row, csv_cells,
                                                     frocc__write_nothing};
