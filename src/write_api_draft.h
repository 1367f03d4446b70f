/* SPDX-License-Identifier: BSD-3-Clause */
/* DRAFT of a public section on writing, to be merged into include/frocc.h behind "Files". */
#ifndef FROCC_WRITE_API_DRAFT_H
#define FROCC_WRITE_API_DRAFT_H

#include "frocc.h"

/*
 * Writes rows to a file in one of the formats. The file appears under its name when the writer is
 * finished, complete; until then it has a temporary name in the same folder, and freeing an
 * unfinished writer removes it. "-" is the standard output.
 */
typedef struct frocc_writer frocc_writer;

typedef struct frocc_writer_options {
    size_t struct_size;       /* set by frocc_writer_options_init */
    frocc_format format;      /* AUTO: by the path's ending, else CSV; NPZ cannot be written */
    char separator;           /* CSV; 0: a comma, or a tab for .tsv */
    const char *const *names; /* CSV: the features' names; NULL: no header */
    const char *label_name;   /* CSV, with names; NULL: "label" */
    const char *id_name;      /* CSV, with names; NULL: "id" */
    frocc_dtype dtype;        /* NPY: of the array */
    int index_base;           /* LIBSVM: 0 or 1 */
} frocc_writer_options;

/* Defaults: the format by the ending, no header, float64 arrays, indices from 1. */
FROCC_API void frocc_writer_options_init(frocc_writer_options *options);
FROCC_API frocc_status frocc_writer_open(const char *path, size_t n_features,
                                         const frocc_writer_options *options,
                                         frocc_writer **writer);

/*
 * Appends the block's rows. CSV has the ids first and the labels last, LIBSVM the labels in front;
 * NPY and RAW have features only. Numbers are the shortest decimals that read back the same.
 */
FROCC_API frocc_status frocc_writer_add(frocc_writer *writer, const frocc_block *block);

/* Completes the file and gives it its name. The writer can then only be freed. */
FROCC_API frocc_status frocc_writer_finish(frocc_writer *writer);
FROCC_API void frocc_writer_free(frocc_writer *writer);

#endif
