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

static void put_value(frocc_writer *w, size_t i, double value, bool f32) {
    unsigned char *bytes = (unsigned char *)w->row + i * (f32 ? 4 : 8);
    uint64_t bits;
    if (f32) {
        float single = (float)value;
        uint32_t narrow;
        memcpy(&narrow, &single, sizeof narrow);
        bits = narrow;
    } else {
        memcpy(&bits, &value, sizeof bits);
    }
    for (int k = 0; k < (f32 ? 4 : 8); k++)
        bytes[k] = (unsigned char)(bits >> (8 * k));
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
    char text[HEADER_SIZE];
    int length = snprintf(text, sizeof text,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%llu, %zu), }",
                          w->options.dtype == FROCC_F32 ? "<f4" : "<f8",
                          (unsigned long long)w->n_rows, w->n_features);
    memset(header, ' ', HEADER_SIZE);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = HEADER_SIZE - 10;
    header[9] = 0;
    memcpy(header + 10, text, (size_t)length);
    header[HEADER_SIZE - 1] = '\n';
}

static frocc_status npy_begin(frocc_writer *w) {
    char header[HEADER_SIZE];
    FROCC_TRY(reserve_row(w));
    make_header(w, header);
    return frocc__out_write(w->out, header, sizeof header);
}

static frocc_status npy_row(frocc_writer *w, const frocc_block *block, size_t row) {
    return write_row(w, &block->rows, row, w->options.dtype == FROCC_F32);
}

static frocc_status npy_end(frocc_writer *w) {
    char header[HEADER_SIZE];
    make_header(w, header);
    return frocc__out_patch(w->out, 0, header, sizeof header);
}

static frocc_status raw_row(frocc_writer *w, const frocc_block *block, size_t row) {
    return write_row(w, &block->rows, row, true);
}

static frocc_status nothing(frocc_writer *w) {
    (void)w;
    return FROCC_OK;
}

const struct frocc__write_format frocc__write_npy = {npy_begin, npy_row, npy_end};
const struct frocc__write_format frocc__write_raw = {reserve_row, raw_row, nothing};
