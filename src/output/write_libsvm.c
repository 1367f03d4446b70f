/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows as LIBSVM: the label, 0 where there is none, and the values that are not zero. */
#include <string.h>

#include "base/status.h"
#include "numbers/number.h"
#include "output/write.h"

static frocc_status write_entry(frocc_writer *w, const frocc_rows *rows, size_t i, size_t feature) {
    char *room;
    size_t used = 1;
    if (frocc__value_at(rows, i) == 0)
        return FROCC_OK;
    FROCC_TRY(frocc__out_room(w->out, &room));
    room[0] = ' ';
    used += frocc__print_u64(feature + (size_t)w->options.index_base, room + used);
    room[used++] = ':';
    used += frocc__print_at(rows, i, room + used);
    frocc__out_used(w->out, used);
    return FROCC_OK;
}

static frocc_status libsvm_row(frocc_writer *w, const frocc_block *block, size_t row) {
    const frocc_rows *rows = &block->rows;
    const char *label = block->labels != NULL ? block->labels[row] : "0";
    if (*label == '\0' || strpbrk(label, " \t\r\n:#") != NULL)
        return frocc__fail_at(FROCC_ERR_DATA,
                              &(frocc__where){.file = w->path, .row = w->n_rows + 1},
                              "the label '%.40s' cannot stand in a LIBSVM file; expected a number "
                              "or one word",
                              label);
    FROCC_TRY(frocc__out_write(w->out, label, strlen(label)));
    if (rows->row_start != NULL)
        for (int64_t k = rows->row_start[row]; k < rows->row_start[row + 1]; k++)
            FROCC_TRY(write_entry(w, rows, (size_t)k, (size_t)rows->columns[k]));
    else
        for (size_t i = 0; i < w->n_features; i++)
            FROCC_TRY(write_entry(w, rows, row * rows->row_stride + i, i));
    return frocc__out_write(w->out, "\n", 1);
}

const struct frocc__write_format frocc__write_libsvm = {frocc__write_nothing, libsvm_row, NULL,
                                                        frocc__write_nothing};
