/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows flow one way: prepared, packed into panels, projected block by block, and handed on as
 * tiles. Whoever fits or scores only says what is done with a tile. Nothing of size n x m exists.
 */
#ifndef FROCC_FLOW_H
#define FROCC_FLOW_H

#include <stdatomic.h>

#include "meeting.h"

typedef struct frocc__consumer {
    void *context;
    /* Tiles of the same rows come in the order of the blocks and from one thread. */
    void (*take)(void *context, const frocc__tile *tile);
    /* Whether these rows, which n_directions have seen, need no more tiles; may be NULL. */
    bool (*done)(void *context, size_t first_row, size_t n_rows, size_t n_directions);
    /* Tiles whose values all lie in its widest intervals may be left out; may be NULL. */
    const frocc__filter *filter;
} frocc__consumer;

/* What one thread needs to let rows flow. */
typedef struct frocc__channel {
    frocc__stripe stripe;
    frocc__desk desk;
} frocc__channel;

/* One per thread; the first n_stripes of them with room in their stripes. */
frocc_status frocc__channels_new(const frocc_frame *frame, int threads, int n_stripes,
                                 frocc__channel **channels);
void frocc__channels_free(frocc__channel *channels, int threads);

/* Rows, which threads share out run by run and in order. */
typedef struct frocc__sharing {
    size_t n_rows, team;
    size_t least, most; /* rows of a run, in whole panels; the last one can be shorter */
    atomic_size_t next;
} frocc__sharing;

frocc__sharing frocc__share_out(const frocc_frame *frame, const frocc_rows *rows, int team);

/* The next run, whose length it returns: 0 when there is none. */
size_t frocc__take_run(frocc__sharing *shared, size_t *first);

/* No run is taken any more. */
void frocc__stop_sharing(frocc__sharing *shared);

/* Lets all rows flow to the consumer, threads over rows; there is one channel per thread. */
frocc_status frocc__flow(const frocc_frame *frame, const frocc_rows *rows, frocc__channel *channels,
                         int threads, const frocc__consumer *consumer);

#endif
