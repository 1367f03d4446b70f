/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows as lines of JSON, an object each: id, features, label. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "input/read_json.h"
#include "numbers/number.h"
#include "output/write.h"

static frocc_status write_text(frocc_writer *w, const char *text) {
    FROCC_TRY(frocc__out_write(w->out, "\"", 1));
    while (*text != '\0') {
        char escaped[FROCC__JSON_ESCAPED];
        const size_t length = frocc__json_escape(&text, escaped);
        FROCC_TRY(frocc__out_write(w->out, escaped, length));
    }
    return frocc__out_write(w->out, "\"", 1);
}

/* A name and its colon; before the first of them the object begins. */
static frocc_status write_name(frocc_writer *w, const char *name, bool first) {
    FROCC_TRY(frocc__out_write(w->out, first ? "{" : ",", 1));
    FROCC_TRY(write_text(w, name));
    return frocc__out_write(w->out, ":", 1);
}

static frocc_status write_value(frocc_writer *w, const frocc_rows *rows, size_t i, bool there) {
    char *room;
    FROCC_TRY(frocc__out_room(w->out, &room));
    room[0] = '0';
    frocc__out_used(w->out, there ? frocc__print_at(rows, i, room) : 1);
    return FROCC_OK;
}

static frocc_status write_features(frocc_writer *w, const frocc_rows *rows, size_t row,
                                   bool first) {
    size_t entry = rows->row_start != NULL ? (size_t)rows->row_start[row] : row * rows->row_stride;
    for (size_t i = 0; i < w->n_features; i++) {
        char number[FROCC_NUMBER_SIZE + 1] = "x";
        if (w->names == NULL)
            frocc__print_u64(i + 1, number + 1);
        FROCC_TRY(write_name(w, w->names != NULL ? w->names[i] : number, first && i == 0));
        bool there = rows->row_start == NULL || ((int64_t)entry < rows->row_start[row + 1] &&
                                                 (size_t)rows->columns[entry] == i);
        FROCC_TRY(write_value(w, rows, entry, there));
        entry += there;
    }
    return FROCC_OK;
}

static frocc_status jsonl_row(frocc_writer *w, const frocc_block *block, size_t row) {
    if (block->ids != NULL) {
        FROCC_TRY(write_name(w, w->id_name != NULL ? w->id_name : "id", true));
        FROCC_TRY(write_text(w, block->ids[row]));
    }
    FROCC_TRY(write_features(w, &block->rows, row, block->ids == NULL));
    if (block->labels != NULL) {
        FROCC_TRY(write_name(w, w->label_name != NULL ? w->label_name : "label", false));
        FROCC_TRY(write_text(w, block->labels[row]));
    }
    return frocc__out_write(w->out, "}\n", 2);
}

static frocc_status jsonl_cells(frocc_writer *w, const frocc_cell *cells) {
    for (size_t c = 0; c < w->n_features; c++) {
        const frocc_cell_kind kind = w->columns[c].kind;
        FROCC_TRY(write_name(w, w->columns[c].name, c == 0));
        if (kind == FROCC_CELL_TEXT)
            FROCC_TRY(write_text(w, cells[c].text));
        else if (kind == FROCC_CELL_JSON)
            FROCC_TRY(frocc__out_write(w->out, cells[c].text, strlen(cells[c].text)));
        else if (kind == FROCC_CELL_REAL && isnan(cells[c].real))
            FROCC_TRY(frocc__out_write(w->out, "null", 4));
        else
            FROCC_TRY(frocc__write_number(w, kind, cells[c]));
    }
    return frocc__out_write(w->out, "}\n", 2);
}

const struct frocc__write_format frocc__write_jsonl = {frocc__write_nothing, jsonl_row, jsonl_cells,
                                                       frocc__write_nothing};
