/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A filter in front of the exact search, per slot: the widest interval, and a map of 1024 cells
 * over the range. A cell is "in" when it lies strictly between the cells of one interval's ends,
 * "edge" when it holds an end; everything else is out. The cell of a value is a monotone
 * expression, so "in" and "out" are certain, and only values in edge cells have to be searched for.
 *
 * While fitting, intervals only grow: an old map's "in" stays true, and more cells become "in" in
 * it; its "out" does not stay true.
 */
#ifndef FROCC_FILTER_H
#define FROCC_FILTER_H

#include "kernels/interval.h"
#include "kernels/kernels.h"
#include "project/macro_tile.h"

typedef struct frocc__filter {
    const frocc__kernels *kernels;
    frocc__inner widest; /* the widest intervals */
    frocc__cell_map *cells;
    /* Per block, a bit per slot: it is worth little to compare with its widest interval; it has
     * only one interval, and no cells. */
    uint8_t *narrow, *single;
} frocc__filter;

frocc_status frocc__filter_new(size_t n_slots, const frocc__kernels *kernels,
                               frocc__filter *filter);
void frocc__filter_free(frocc__filter *filter);

/* Notes that an interval has grown: it may now be the widest, and have more cells. */
void frocc__filter_note_grown(frocc__filter *filter, size_t slot, const frocc__growth *growth);

/* Notes the widest interval; no cell is in any. For those who need not know what is out. */
void frocc__filter_note_widest(frocc__filter *filter, size_t slot, const frocc__interval *list,
                               size_t count);

/* Notes all intervals. Their map has room on both sides, so much of their range, for those that
 * still grow. */
void frocc__filter_note(frocc__filter *filter, size_t slot, const frocc__interval *list,
                        size_t count, float room);

/*
 * Per direction of a tile the rows, among some, that its widest interval does not hold; for blocks
 * with mostly narrow slots simply all of them. False when there are none; has_outside says that
 * it is not worth asking.
 */
bool frocc__filter_outside(const frocc__filter *filter, const float *tile, size_t block,
                           frocc__row_mask among, bool has_outside,
                           frocc__row_mask rows[FROCC_BLOCK]);

#endif
