/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays in NumPy's npy format, versions 1 to 3: float32 and float64 as they are, other floats,
 * integers and bools as float64. An array in Fortran order has its columns one behind the other;
 * then a buffer of rows is gathered from all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"
#include "input/read_npy.h"

#define BLOCK_BYTES ((size_t)1 << 22)
#define MAX_HEADER_SIZE ((size_t)1 << 20)

struct npy {
    frocc__input input;
    frocc__array_bytes bytes;
    frocc__array_info info;
    uint64_t row, end; /* the next one, and the first that is not ours */
    size_t block_rows;
    char *raw;    /* a buffer as it lies in the file */
    void *values; /* the same as floats; raw itself where nothing must be converted */
    void (*release)(void *context);
    struct npy *label; /* an array of as many values, or NULL */
    double *labels;    /* of a buffer */
};

/* ---- Header ---------------------------------------------------------------------------------- */

static frocc_status bad_header(const char *name, const char *what) {
    return frocc__fail(FROCC_ERR_DATA, "%s: not a usable npy array: %s", name, what);
}

/* The text behind 'key': in the header's dictionary, or NULL. */
static const char *find_key(const char *header, const char *key) {
    const char *p = strstr(header, key);
    if (p == NULL)
        return NULL;
    p += strlen(key);
    while (*p == ' ')
        p++;
    if (*p++ != ':')
        return NULL;
    while (*p == ' ')
        p++;
    return p;
}

static frocc_status read_type(const char *name, const char *header, frocc__array_info *info) {
    const char *p = find_key(header, "'descr'");
    if (p == NULL)
        return bad_header(name, "its header has no 'descr'");
    if (*p == '[')
        return bad_header(name,
                          "it has named fields; save the fields as one two-dimensional array");
    if (*p != '\'' || strlen(p) < 5)
        return bad_header(name, "its 'descr' is damaged");
    char order = p[1];
    info->kind = p[2];
    info->item = p[3] >= '1' && p[3] <= '8' && p[4] == '\'' ? (size_t)(p[3] - '0') : 0;
    size_t item = info->item;
    bool power = item == 1 || item == 2 || item == 4 || item == 8;
    bool known = (strchr("iu", info->kind) != NULL && power) || (info->kind == 'b' && item == 1) ||
                 (info->kind == 'f' && power && item > 1);
    if (!known || info->kind == '\0' || strchr("<>|=", order) == NULL) {
        char shown[FROCC__SHOWN_SIZE], what[120];
        const char *end = strchr(p + 1, '\'');
        size_t length = end == NULL ? 4 : (size_t)(end - p - 1);
        snprintf(what, sizeof what,
                 "its type is '%s'; expected floats of 2, 4 or 8 bytes, integers or bools",
                 frocc__show(p + 1, length, shown));
        return bad_header(name, what);
    }
    bool big_machine = *(const char *)&(const uint16_t){1} == 0;
    info->swap = (order == '>' && !big_machine) || (order == '<' && big_machine);
    return FROCC_OK;
}

static frocc_status read_shape(const char *name, const char *header, frocc__array_info *info) {
    const char *p = find_key(header, "'shape'");
    uint64_t size[2] = {0, 1}, total = 0;
    info->dimensions = 0;
    if (p == NULL || *p++ != '(')
        return bad_header(name, "its header has no 'shape'");
    for (;;) {
        while (*p == ' ' || *p == ',')
            p++;
        if (*p == ')')
            break;
        char *end;
        unsigned long long value = strtoull(p, &end, 10);
        if (*p < '0' || *p > '9')
            return bad_header(name, "its 'shape' is damaged");
        if (info->dimensions == 2)
            return bad_header(name,
                              "it has more than two dimensions; reshape it to rows and columns");
        size[info->dimensions++] = value;
        p = end;
    }
    if (info->dimensions == 0)
        return bad_header(name, "it is a single value; expected rows and columns");
    if (size[0] == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "%s: the array has no rows", name);
    if (size[1] == 0 || size[1] > FROCC_MAX_FEATURES ||
        __builtin_mul_overflow(size[0], size[1] * 8, &total) || total > INT64_MAX)
        return bad_header(name, "its shape is outside of what can be read");
    info->n_rows = size[0];
    info->n_columns = (size_t)size[1];
    return FROCC_OK;
}

static frocc_status pull_exactly(const char *name, frocc__pull pull, void *context, void *bytes,
                                 size_t size) {
    size_t got = 0;
    FROCC_TRY(pull(context, bytes, size, &got));
    return got == size ? FROCC_OK : bad_header(name, "it ends within the header");
}

static frocc_status read_dictionary(const char *name, const char *header, frocc__array_info *info) {
    FROCC_TRY(read_type(name, header, info));
    FROCC_TRY(read_shape(name, header, info));
    const char *order = find_key(header, "'fortran_order'");
    if (order == NULL || (strncmp(order, "True", 4) != 0 && strncmp(order, "False", 5) != 0))
        return bad_header(name, "its header has no 'fortran_order'");
    info->fortran = *order == 'T' && info->n_columns > 1;
    return FROCC_OK;
}

frocc_status frocc__array_header(const char *name, frocc__pull pull, void *context,
                                 frocc__array_info *info) {
    unsigned char start[12];
    FROCC_TRY(pull_exactly(name, pull, context, start, 10));
    if (memcmp(start, "\x93NUMPY", 6) != 0)
        return bad_header(name, "it does not begin with NumPy's magic bytes");
    if (start[6] < 1 || start[6] > 3)
        return bad_header(name, "its version is not 1, 2 or 3");
    size_t size = start[8] | (size_t)start[9] << 8;
    info->header_size = 10;
    if (start[6] > 1) {
        FROCC_TRY(pull_exactly(name, pull, context, start + 10, 2));
        size |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
        info->header_size = 12;
    }
    if (size > MAX_HEADER_SIZE)
        return bad_header(name, "its header is longer than 1 MiB");
    info->header_size += size;
    char *header = frocc__alloc(size + 1, 1);
    if (header == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = pull_exactly(name, pull, context, header, size);
    if (status == FROCC_OK)
        status = read_dictionary(name, header, info);
    frocc__free(header);
    return status;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static double half_to_double(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double sign = bits >> 15 != 0 ? -1 : 1, value;
    if (exponent == 31)
        return fraction != 0 ? (double)__builtin_nanf("") : sign * (double)__builtin_inff();
    value = exponent == 0 ? fraction * 0x1p-24 : (1024 + fraction) * 0x1p-25;
    for (int i = 0; i < exponent; i++)
        value *= 2;
    return sign * value;
}

static double item_to_double(const frocc__array_info *info, uint64_t bits) {
    if (info->kind == 'f')
        return half_to_double((uint16_t)bits);
    if (info->kind == 'b')
        return bits != 0;
    if (info->kind == 'u')
        return (double)bits;
    unsigned unused = (64 - 8 * (unsigned)info->item) & 63; /* bits above the sign */
    int64_t value = (int64_t)(bits << unused) / ((int64_t)1 << unused);
    return (double)value;
}

static uint64_t load_item(const char *bytes, size_t item, bool swap) {
    unsigned char reversed[8] = {0};
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    for (size_t i = 0; i < item; i++)
        reversed[i] = (unsigned char)bytes[swap ? item - 1 - i : i];
    switch (item) {
    case 1:
        return memcpy(&u8, reversed, 1), u8;
    case 2:
        return memcpy(&u16, reversed, 2), u16;
    case 4:
        return memcpy(&u32, reversed, 4), u32;
    default:
        return memcpy(&u64, reversed, 8), u64;
    }
}

static bool as_stored(const frocc__array_info *info) {
    return info->kind == 'f' && info->item >= 4;
}

/* count items, each step items behind the other, to values. */
static void convert(const struct npy *npy, const char *raw, size_t count, size_t first,
                    size_t step) {
    const frocc__array_info *info = &npy->info;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = load_item(raw + i * info->item, info->item, info->swap);
        size_t position = first + i * step;
        if (info->kind == 'f' && info->item == 4) {
            uint32_t narrow = (uint32_t)bits;
            memcpy((float *)npy->values + position, &narrow, 4);
        } else if (info->kind == 'f' && info->item == 8) {
            memcpy((double *)npy->values + position, &bits, 8);
        } else {
            ((double *)npy->values)[position] = item_to_double(info, bits);
        }
    }
}

static frocc_status read_rows(struct npy *npy, size_t n_rows) {
    const frocc__array_info *info = &npy->info;
    size_t count = n_rows * info->n_columns, got = 0;
    FROCC_TRY(npy->bytes.pull(npy->bytes.context, npy->raw, count * info->item, &got));
    const uint64_t row = npy->row + got / info->item / info->n_columns + 1;
    if (got < count * info->item) {
        frocc__set_error("%s: ends within row %llu of %llu; the file is cut off", npy->input.name,
                         (unsigned long long)row, (unsigned long long)info->n_rows);
        frocc__error_is_at(&(frocc__where){.file = npy->input.name, .row = row});
        return FROCC_ERR_DATA;
    }
    if (npy->values != npy->raw)
        convert(npy, npy->raw, count, 0, 1);
    return FROCC_OK;
}

static frocc_status read_columns(struct npy *npy, size_t n_rows) {
    const frocc__array_info *info = &npy->info;
    for (size_t column = 0; column < info->n_columns; column++) {
        uint64_t position = (column * info->n_rows + npy->row) * info->item;
        FROCC_TRY(frocc__stream_read_at(npy->bytes.random,
                                        npy->bytes.base + info->header_size + position, npy->raw,
                                        n_rows * info->item));
        convert(npy, npy->raw, n_rows, column, info->n_columns);
    }
    return FROCC_OK;
}

/* Behind the last row there must be nothing more; asking shows a wrong checksum, too. */
static frocc_status check_end(struct npy *npy) {
    size_t got = 0;
    char byte;
    if (!npy->info.fortran && npy->release != NULL)
        FROCC_TRY(npy->bytes.pull(npy->bytes.context, &byte, 1, &got));
    return got == 0 ? FROCC_OK : bad_header(npy->input.name, "it is longer than its shape says");
}

/* The labels of the rows that are in the buffer; an array of wider rows has fewer in one. */
static frocc_status read_labels(struct npy *npy, size_t n_rows) {
    struct npy *label = npy->label;
    if (label == NULL || n_rows == 0)
        return label == NULL ? FROCC_OK : check_end(label);
    FROCC_TRY(read_rows(label, n_rows));
    label->row += n_rows;
    for (size_t i = 0; i < n_rows; i++)
        npy->labels[i] = label->input.dtype == FROCC_F32 ? (double)((const float *)label->values)[i]
                                                         : ((const double *)label->values)[i];
    npy->input.labels = npy->labels;
    return FROCC_OK;
}

static frocc_status npy_next(frocc__input *input, const frocc__job *job) {
    struct npy *npy = (struct npy *)input;
    do {
        size_t n_rows = (size_t)FROCC_MIN((uint64_t)npy->block_rows, npy->end - npy->row);
        if (n_rows > 0)
            FROCC_TRY(npy->info.fortran ? read_columns(npy, n_rows) : read_rows(npy, n_rows));
        FROCC_TRY(read_labels(npy, n_rows));
        FROCC_TRY(frocc__dense_deliver(input, job, npy->values, n_rows, npy->row));
        npy->row += n_rows;
        if (n_rows == 0)
            return check_end(npy);
    } while (job->buffer->n_rows == 0);
    return FROCC_OK;
}

static void npy_close(frocc__input *input) {
    struct npy *npy = (struct npy *)input;
    if (npy->values != npy->raw)
        frocc__free(npy->values);
    frocc__free(npy->raw);
    frocc__free(npy->labels);
    if (npy->label != NULL)
        frocc__input_close(&npy->label->input);
    if (npy->release != NULL)
        npy->release(npy->bytes.context);
}

/* Rows are those of the array in any order, as if they lay one behind the other. */
static frocc_status npy_cut(frocc__input *input, frocc__range *range) {
    struct npy *npy = (struct npy *)input;
    const frocc__array_info *info = &npy->info;
    const uint64_t row_bytes = info->n_columns * info->item;
    npy->row =
        FROCC_MIN(frocc__rows_in_front(range->begin, info->header_size, row_bytes), npy->end);
    npy->end = FROCC_MIN(frocc__rows_in_front(range->end, info->header_size, row_bytes), npy->end);
    return info->fortran ? FROCC_OK : frocc__stream_skip(npy->bytes.random, npy->row * row_bytes);
}

static const frocc__input_class npy_class = {.next = npy_next, .close = npy_close, .cut = npy_cut};
static const frocc__input_class archived_class = {.next = npy_next, .close = npy_close};

static frocc_status reserve(struct npy *npy) {
    const frocc__array_info *info = &npy->info;
    size_t row_bytes = info->n_columns * 8;
    npy->block_rows = FROCC_MAX((size_t)1, BLOCK_BYTES / row_bytes);
    npy->raw = frocc__alloc(npy->block_rows, row_bytes);
    if (npy->raw == NULL)
        return FROCC_ERR_MEMORY;
    npy->values = npy->raw;
    if (!as_stored(info) || info->swap || info->fortran)
        npy->values = frocc__alloc(npy->block_rows, row_bytes);
    return npy->values == NULL ? FROCC_ERR_MEMORY : FROCC_OK;
}

frocc_status frocc__array_open(const frocc__array_info *info, const frocc__array_bytes *bytes,
                               void (*release)(void *context), frocc__input **input) {
    struct npy *npy = frocc__alloc(1, sizeof *npy);
    if (npy == NULL)
        return FROCC_ERR_MEMORY;
    npy->info = *info;
    npy->end = info->n_rows;
    npy->bytes = *bytes;
    npy->input =
        (frocc__input){.class = release != NULL ? &archived_class : &npy_class,
                       .n_columns = info->n_columns,
                       .dtype = info->kind == 'f' && info->item == 4 ? FROCC_F32 : FROCC_F64,
                       .fixed_dtype = true};
    frocc_status status = reserve(npy);
    if (status != FROCC_OK) {
        npy_close(&npy->input);
        frocc__free(npy);
        return status;
    }
    npy->release = release;
    *input = &npy->input;
    return FROCC_OK;
}

frocc_status frocc__array_label(frocc__input *rows, frocc__input *array) {
    struct npy *npy = (struct npy *)rows, *label = (struct npy *)array;
    npy->labels = frocc__alloc(npy->block_rows, sizeof *npy->labels);
    if (npy->labels == NULL)
        return FROCC_ERR_MEMORY;
    npy->label = label;
    npy->input.has_labels = true;
    return FROCC_OK;
}

static frocc_status pull_stream(void *context, void *bytes, size_t size, size_t *got) {
    return frocc__stream_read(context, bytes, size, got);
}

frocc_status frocc__npy_open(frocc__stream *stream, const frocc_reader_options *options,
                             frocc__input **input) {
    frocc__array_bytes bytes = {.pull = pull_stream, .context = stream, .random = stream};
    frocc__array_info info = {0};
    uint64_t size, look = 1 << 16;
    const char *start;
    size_t got;
    /* Looked at first, so that a pipe can still be copied whole for Fortran order. */
    FROCC_TRY(frocc__stream_peek(stream, (size_t)look, &start, &got));
    FROCC_TRY(frocc__array_header(frocc__stream_name(stream), pull_stream, stream, &info));
    FROCC_TRY(frocc__check_columns(frocc__stream_name(stream), info.n_columns, options));
    if (info.fortran)
        FROCC_TRY(frocc__stream_random(stream, &size));
    return frocc__array_open(&info, &bytes, NULL, input);
}
