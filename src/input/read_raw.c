/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of little-endian float32 and nothing else; how many make a row is the caller's knowledge. */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"

#define BLOCK_BYTES ((size_t)1 << 22)

struct raw {
    frocc__input input;
    frocc__stream *stream;
    uint64_t row, end; /* the next one, and the first that is not ours */
    size_t block_rows;
    float *values;
};

/* The bytes are little-endian, whatever the machine is. */
static void to_floats(float *values, size_t count) {
    if (*(const char *)&(const uint16_t){1} == 1)
        return;
    for (size_t i = 0; i < count; i++) {
        unsigned char b[4];
        memcpy(b, &values[i], 4);
        uint32_t bits =
            (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        memcpy(&values[i], &bits, 4);
    }
}

static frocc_status raw_next(frocc__input *input, const frocc__job *job) {
    struct raw *raw = (struct raw *)input;
    size_t row_bytes = input->n_columns * sizeof(float), got = 0;
    do {
        size_t room = (size_t)FROCC_MIN((uint64_t)raw->block_rows, raw->end - raw->row);
        FROCC_TRY(frocc__stream_read(raw->stream, raw->values, room * row_bytes, &got));
        const uint64_t row = raw->row + got / row_bytes + 1;
        if (got % row_bytes != 0) {
            frocc__set_error("%s: ends within row %llu: its size is no multiple of the %zu bytes "
                             "of a row of %zu float32 values; check the number of columns",
                             input->name, (unsigned long long)row, row_bytes, input->n_columns);
            frocc__error_is_at(&(frocc__where){.file = input->name, .row = row});
            return FROCC_ERR_SHAPE;
        }
        if (got == 0 && raw->row == 0 && room > 0)
            return frocc__fail(FROCC_ERR_EMPTY, "%s: is empty; expected float32 values",
                               input->name);
        size_t n_rows = got / row_bytes;
        to_floats(raw->values, n_rows * input->n_columns);
        FROCC_TRY(frocc__dense_deliver(input, job, raw->values, n_rows, raw->row));
        raw->row += n_rows;
    } while (job->buffer->n_rows == 0 && got > 0);
    return FROCC_OK;
}

static void raw_close(frocc__input *input) {
    frocc__free(((struct raw *)input)->values);
}

static frocc_status raw_cut(frocc__input *input, frocc__range *range) {
    struct raw *raw = (struct raw *)input;
    const uint64_t row_bytes = input->n_columns * sizeof(float);
    raw->row = frocc__rows_in_front(range->begin, 0, row_bytes);
    raw->end = frocc__rows_in_front(range->end, 0, row_bytes);
    return frocc__stream_skip(raw->stream, raw->row * row_bytes);
}

static const frocc__input_class raw_class = {.next = raw_next, .close = raw_close, .cut = raw_cut};

/* Whether the file, packed as well as gzip can, might hold a row: nothing is made for one that
 * cannot. Of pipes nobody knows. */
static frocc_status check_size(const char *name, size_t n_columns) {
    const uint64_t most_packed = 1032; /* bytes in one of deflate */
    const size_t row_bytes = n_columns * sizeof(float);
    uint64_t size = 0;
    if (row_bytes <= BLOCK_BYTES || !frocc__path_size(name, &size) ||
        size > row_bytes / most_packed)
        return FROCC_OK;
    return frocc__fail_at(size == 0 ? FROCC_ERR_EMPTY : FROCC_ERR_SHAPE,
                          &(frocc__where){.file = name},
                          "ends within the first row: it has %llu bytes, where a row of %zu "
                          "float32 values has %zu; check the number of columns",
                          (unsigned long long)size, n_columns, row_bytes);
}

frocc_status frocc__raw_open(frocc__stream *stream, const frocc_reader_options *options,
                             frocc__input **input) {
    if (options->n_columns == 0 || options->n_columns > FROCC_MAX_FEATURES)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "%s: raw float32 values do not tell how many make a row; give "
                           "n_columns, 1 to %zu",
                           frocc__stream_name(stream), FROCC_MAX_FEATURES);
    FROCC_TRY(check_size(frocc__stream_name(stream), options->n_columns));
    struct raw *raw = frocc__alloc(1, sizeof *raw);
    if (raw == NULL)
        return FROCC_ERR_MEMORY;
    size_t row_bytes = options->n_columns * sizeof(float);
    raw->stream = stream;
    raw->end = UINT64_MAX;
    raw->block_rows = FROCC_MAX((size_t)1, BLOCK_BYTES / row_bytes);
    raw->values = frocc__alloc(raw->block_rows, row_bytes);
    if (raw->values == NULL) {
        frocc__free(raw);
        return FROCC_ERR_MEMORY;
    }
    raw->input = (frocc__input){.class = &raw_class,
                                .n_columns = options->n_columns,
                                .dtype = FROCC_F32,
                                .fixed_dtype = true};
    *input = &raw->input;
    return FROCC_OK;
}
