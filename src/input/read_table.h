/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the caller's in two parts: batches and rows (read_table.c), and the cells of a column
 * (read_table_cells.c). */
#ifndef FROCC_READ_TABLE_H
#define FROCC_READ_TABLE_H

#include "input/read.h"

struct frocc__table {
    frocc__input input;
    frocc_table source;
    frocc_cells *cells; /* of the batch */
    size_t batch_rows;
    size_t next_row;      /* of the batch */
    uint64_t rows_before; /* the batch */
    unsigned char *drop;  /* for each row that is being read, whether it is left out */
    size_t drop_room;
    uint32_t *known; /* the code of each text that the batch numbers; 0 is not known yet */
    size_t known_room;
    double *times; /* of the rows that are being read, those between which differences are wanted */
    size_t times_room;
    bool finished;
};

/* Whether cells are texts, of whichever kind the column turns out to be. */
static inline bool frocc__holds_text(const frocc_field *field) {
    return field->kind == FROCC_VALUES_TEXT || field->kind == FROCC_VALUES_CELLS;
}

/* Some rows of a column, on their way to the buffer or the survey. */
struct frocc__strip {
    struct frocc__table *table;
    const frocc__job *job;
    const frocc_cells *cells;
    const frocc_field *field;
    size_t column;
    size_t first, count; /* rows of the batch; they go to the buffer's first rows */
};

/* The column's cells to where they go. Cells that are missing mark rows to be left out. */
frocc_status frocc__strip_take(const struct frocc__strip *strip);
/* The differences between the times of the rows. */
void frocc__strip_subtract_times(const struct frocc__strip *strip);

#endif
