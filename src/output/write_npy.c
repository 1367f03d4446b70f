/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows as numbers: npy (version 1) and raw little-endian float32. The number of rows is known at
 * the end only, so npy's header is written with room for it, and again when the rows are there.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "output/write.h"

#define HEADER_SIZE 128

static frocc_status reserve_row(frocc_writer *w) {
    w->row = frocc__alloc(w->n_features, sizeof(double));
    return w->row == NULL ? FROCC_ERR_MEMORY : FROCC_OK;
}

static void put_bits(frocc_writer *w, size_t i, uint64_t bits, size_t size) {
    unsigned char *bytes = (unsigned char *)w->row + i * size;
    for (size_t k = 0; k < size; k++)
        bytes[k] = (unsigned char)(bits >> (8 * k));
}

static void put_value(frocc_writer *w, size_t i, double value, bool f32) {
    uint64_t bits;
    if (f32) {
        float single = (float)value;
        uint32_t narrow;
        memcpy(&narrow, &single, sizeof narrow);
        bits = narrow;
    } else {
        memcpy(&bits, &value, sizeof bits);
    }
    put_bits(w, i, bits, f32 ? 4 : 8);
}

static frocc_status write_row(frocc_writer *w, const frocc_rows *rows, size_t row, bool f32) {
    size_t bytes = w->n_features * (f32 ? 4 : 8);
    if (rows->row_start != NULL) {
        memset(w->row, 0, bytes);
        for (int64_t k = rows->row_start[row]; k < rows->row_start[row + 1]; k++)
            put_value(w, (size_t)rows->columns[k], frocc__value_at(rows, (size_t)k), f32);
    } else {
        for (size_t i = 0; i < w->n_features; i++)
            put_value(w, i, frocc__value_at(rows, row * rows->row_stride + i), f32);
    }
    return frocc__out_write(w->out, w->row, bytes);
}

static void make_header(const frocc_writer *w, char header[HEADER_SIZE]) {
    char text[HEADER_SIZE], shape[48];
    if (w->is_flat)
        snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)w->n_rows);
    else
        snprintf(shape, sizeof shape, "(%llu, %zu)", (unsigned long long)w->n_rows, w->width);
    int length =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                 w->descr, shape);
    memset(header, ' ', HEADER_SIZE);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = HEADER_SIZE - 10;
    header[9] = 0;
    memcpy(header + 10, text, (size_t)length);
    header[HEADER_SIZE - 1] = '\n';
}

/* One type for the whole array: whole numbers only where every column is one. */
static frocc_status choose_array(frocc_writer *w) {
    bool all_whole = true;
    w->width = w->n_features;
    w->descr = w->options.dtype == FROCC_F32 ? "<f4" : "<f8";
    if (w->columns == NULL)
        return FROCC_OK;
    w->width = 0;
    for (size_t c = 0; c < w->n_features; c++) {
        frocc_table_column *column = &w->columns[c];
        column->is_aside |= frocc__is_text(column->kind);
        w->width += !column->is_aside;
        all_whole &= column->is_aside || column->kind == FROCC_CELL_WHOLE;
    }
    w->is_flat = w->width == 1;
    w->descr = all_whole ? "<i8" : "<f8";
    if (w->width == 0)
        return frocc__fail(FROCC_ERR_UNSUPPORTED,
                           "%s: an npy file holds numbers, and there are none; try .csv", w->path);
    return FROCC_OK;
}

static frocc_status npy_begin(frocc_writer *w) {
    char header[HEADER_SIZE];
    FROCC_TRY(choose_array(w));
    FROCC_TRY(reserve_row(w));
    make_header(w, header);
    return frocc__out_write(w->out, header, sizeof header);
}

static frocc_status npy_row(frocc_writer *w, const frocc_block *block, size_t row) {
    return write_row(w, &block->rows, row, w->options.dtype == FROCC_F32);
}

static frocc_status npy_cells(frocc_writer *w, const frocc_cell *cells) {
    const bool all_whole = w->descr[1] == 'i';
    size_t i = 0;
    for (size_t c = 0; c < w->n_features; c++) {
        const bool is_whole = w->columns[c].kind == FROCC_CELL_WHOLE;
        if (w->columns[c].is_aside)
            continue;
        if (all_whole)
            put_bits(w, i++, (uint64_t)cells[c].whole, 8);
        else
            put_value(w, i++, is_whole ? (double)cells[c].whole : cells[c].real, false);
    }
    return frocc__out_write(w->out, w->row, w->width * 8);
}

static frocc_status npy_end(frocc_writer *w) {
    char header[HEADER_SIZE];
    make_header(w, header);
    return frocc__out_patch(w->out, 0, header, sizeof header);
}

static frocc_status raw_row(frocc_writer *w, const frocc_block *block, size_t row) {
    return write_row(w, &block->rows, row, true);
}

const struct frocc__write_format frocc__write_npy = {npy_begin, npy_row, npy_cells, npy_end};
const struct frocc__write_format frocc__write_raw = {reserve_row, raw_row, NULL,
                                                     frocc__write_nothing};
