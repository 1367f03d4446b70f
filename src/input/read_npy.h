/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays in the npy format, from wherever their bytes come: a file of their own, or an npz. */
#ifndef FROCC_READ_NPY_H
#define FROCC_READ_NPY_H

#include "input/read.h"

typedef struct frocc__array_info {
    char kind;   /* f, i, u or b */
    size_t item; /* bytes */
    bool swap, fortran;
    int dimensions;
    uint64_t n_rows;
    size_t n_columns;
    size_t header_size; /* magic included */
} frocc__array_info;

typedef struct frocc__array_bytes {
    frocc__pull pull; /* what follows the header, in turn */
    void *context;
    frocc__stream *random; /* the whole array at any position, from base on; for Fortran order */
    uint64_t base;
} frocc__array_bytes;

frocc_status frocc__array_header(const char *name, frocc__pull pull, void *context,
                                 frocc__array_info *info);

/* Array has a value for each row of rows, its label, from now on; it is closed with it. */
frocc_status frocc__array_label(frocc__input *rows, frocc__input *array);

/* release(bytes->context), if there is one, is called when the input is closed. */
frocc_status frocc__array_open(const frocc__array_info *info, const frocc__array_bytes *bytes,
                               void (*release)(void *context), frocc__input **input);

#endif
