/* SPDX-License-Identifier: BSD-3-Clause */
/* All rows to a consumer: stripe by stripe, the last few row by row. */
#include "project/drive.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/threads.h"
#include "frame/single_row.h"
#include "frame/whole_rows.h"

/* Fewer rows than this are cheaper one by one than as a padded panel. */
#define FEW_ROWS 7

/* Blocks projected between two looks at whether a single row is decided. */
#define BLOCKS_AT_ONCE 16

/* As many panels as fit in half of a second-level cache with their projections, or one. */
static size_t panels_of_band(const frocc_frame *frame) {
    const size_t bytes = frame->n_blocks * FROCC_TILE * sizeof(float);
    return FROCC_MAX(FROCC_MIN(((size_t)1 << 19) / bytes, (size_t)FROCC_BAND), (size_t)1);
}

void frocc__channels_free(frocc__channel *channels, int threads) {
    for (int t = 0; channels != NULL && t < threads; t++) {
        frocc__free(channels[t].band);
        frocc__free(channels[t].few);
        frocc__stripe_free(&channels[t].stripe);
        frocc__desk_free(&channels[t].desk);
    }
    frocc__free(channels);
}

static frocc_status make_band(const frocc_frame *frame, frocc__channel *channel) {
    channel->band_panels = panels_of_band(frame);
    channel->band =
        frocc__alloc_raw(frame->n_blocks * FROCC_TILE, channel->band_panels * sizeof(float));
    channel->few = frocc__alloc(frame->n_blocks * FROCC_BLOCK, FROCC_DESCENDING * sizeof(float));
    return channel->band != NULL && channel->few != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

frocc_status frocc__channels_new(const frocc_frame *frame, int threads, bool has_bands,
                                 frocc__channel **channels) {
    frocc__channel *made = frocc__alloc((size_t)threads, sizeof *made);
    frocc_status status = made != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    for (int t = 0; t < threads && status == FROCC_OK; t++) {
        status = frocc__desk_new(frame, &made[t].desk);
        if (status == FROCC_OK)
            status = frocc__stripe_new(frame, &made[t].stripe);
        if (status == FROCC_OK && has_bands)
            status = make_band(frame, &made[t]);
    }
    if (status != FROCC_OK) {
        frocc__channels_free(made, threads);
        return status;
    }
    *channels = made;
    return FROCC_OK;
}

/* ---- Row by row ----------------------------------------------------------------------------- */

/* How a run ended: FROCC_OK, a failure of the consumer, or FROCC_ERR_DATA for a row that cannot be
 * used. */
typedef struct outcome {
    frocc_status status;
    size_t bad_row; /* SIZE_MAX when the rows are not to blame */
} outcome;

static const outcome fine = {FROCC_OK, SIZE_MAX};

static outcome expect(const frocc__consumer *consumer, const frocc_rows *rows, size_t first,
                      size_t count) {
    if (consumer->expect == NULL || count == 0)
        return fine;
    return (outcome){consumer->expect(consumer->context, rows, first, count), SIZE_MAX};
}

static void take_tiles(const frocc_frame *frame, size_t r, const frocc__prepared *row,
                       frocc__desk *desk, const frocc__consumer *consumer) {
    for (size_t first = 0; first < frame->n_blocks; first += BLOCKS_AT_ONCE) {
        if (consumer->done != NULL && consumer->done(consumer->context, r, 1, first * FROCC_BLOCK))
            break;
        size_t count = FROCC_MIN(frame->n_blocks - first, (size_t)BLOCKS_AT_ONCE);
        frocc__project_one(frame, row, first, count, desk->work, desk->lines);
        for (size_t b = first; b < first + count; b++) {
            frocc__tile tile = {.values = desk->lines + b * FROCC_BLOCK,
                                .stride = 1,
                                .first_row = r,
                                .n_rows = 1,
                                .rows = 1,
                                .block = b,
                                .n_directions = frocc__directions_in(frame, b)};
            consumer->take(consumer->context, &tile);
        }
    }
}

static outcome flow_one_row(const frocc_frame *frame, const frocc_rows *rows,
                            frocc__channel *channel, size_t r, const frocc__consumer *consumer) {
    frocc__desk *desk = &channel->desk;
    frocc__prepared row;
    if (!frocc__prepare_one(frame, rows, r, desk->rows, &row))
        return (outcome){FROCC_ERR_DATA, r};
    const outcome expected = expect(consumer, rows, r, 1);
    if (expected.status != FROCC_OK)
        return expected;
    if (consumer->take_band == NULL) {
        take_tiles(frame, r, &row, desk, consumer);
        return fine;
    }
    frocc__project_one(frame, &row, 0, frame->n_blocks, desk->work, desk->lines);
    const frocc__band band = {channel->desk.lines, 1, r, 1, row.values, 1, channel->few};
    consumer->take_band(consumer->context, &band);
    return fine;
}

/* ---- All rows ------------------------------------------------------------------------------- */

/* Some panels meet some blocks; those that are done stay away. */
static void flow_meeting(const frocc_frame *frame, frocc__channel *channel,
                         const frocc__consumer *consumer, size_t first_panel, size_t n_panels,
                         size_t first_block, size_t n_blocks) {
    const frocc__stripe *stripe = &channel->stripe;
    frocc__meeting meeting = {.first_block = first_block, .n_blocks = n_blocks};
    for (size_t p = first_panel; p < first_panel + n_panels; p++) {
        const size_t first_row = stripe->first_row + p * FROCC_PANEL;
        if (consumer->done == NULL ||
            !consumer->done(consumer->context, first_row, frocc__rows_in(stripe, p),
                            first_block * FROCC_BLOCK))
            meeting.panels[meeting.n_panels++] = p;
    }
    if (meeting.n_panels == 0)
        return;
    frocc__meet(frame, stripe, consumer->inner, &meeting, &channel->desk);
    for (size_t p = 0; p < meeting.n_panels; p++)
        for (size_t b = 0; b < n_blocks; b++) {
            frocc__tile tile;
            if (frocc__meeting_tile(frame, stripe, &meeting, p, b, consumer->inner, &channel->desk,
                                    &tile))
                consumer->take(consumer->context, &tile);
        }
}

/* Tiles of one panel, where directions are lists of few features. */
static void flow_lists(const frocc_frame *frame, frocc__channel *channel,
                       const frocc__consumer *consumer, size_t panel, size_t first_block,
                       size_t n_blocks) {
    const frocc__stripe *stripe = &channel->stripe;
    if (consumer->done != NULL &&
        consumer->done(consumer->context, stripe->first_row + panel * FROCC_PANEL,
                       frocc__rows_in(stripe, panel), first_block * FROCC_BLOCK))
        return;
    frocc__lists_tiles(frame, stripe, panel, first_block, n_blocks, &channel->desk,
                       channel->desk.tiles, FROCC_PANEL);
    for (size_t b = 0; b < n_blocks; b++) {
        frocc__tile tile;
        frocc__describe_tile(frame, stripe, panel, first_block + b,
                             channel->desk.tiles + b * FROCC_TILE, &tile);
        consumer->take(consumer->context, &tile);
    }
}

static void flow_tiles(const frocc_frame *frame, frocc__channel *channel,
                       const frocc__consumer *consumer, size_t n_panels) {
    if (frocc__has_lists(frame)) {
        for (size_t p = 0; p < n_panels; p++)
            for (size_t b = 0; b < frame->n_blocks; b += FROCC_LIST_BLOCKS)
                flow_lists(frame, channel, consumer, p, b,
                           FROCC_MIN(frame->n_blocks - b, (size_t)FROCC_LIST_BLOCKS));
        return;
    }
    for (size_t b = 0; b < frame->n_blocks; b += FROCC_GROUP)
        for (size_t p = 0; p < n_panels; p += FROCC_BAND)
            flow_meeting(frame, channel, consumer, p, FROCC_MIN(n_panels - p, (size_t)FROCC_BAND),
                         b, FROCC_MIN(frame->n_blocks - b, (size_t)FROCC_GROUP));
}

void frocc__band_copy(const frocc__band *band, size_t n_directions, size_t first, size_t count) {
    const float *from = band->values + first;
    if (count == FROCC_DESCENDING) {
        for (size_t i = 0; i < n_directions; i++)
            memcpy(band->few + i * FROCC_DESCENDING, from + i * band->stride,
                   FROCC_DESCENDING * sizeof(float));
        return;
    }
    for (size_t i = 0; i < n_directions; i++)
        for (size_t r = 0; r < count; r++)
            band->few[i * FROCC_DESCENDING + r] = from[i * band->stride + r];
}

/* ---- Bands ----------------------------------------------------------------------------------- */

/* The projections of one panel, as columns of a band. */
static void fill_band(const frocc_frame *frame, frocc__channel *channel, size_t panel, float *out,
                      size_t stride) {
    if (frocc__has_lists(frame)) {
        for (size_t b = 0; b < frame->n_blocks; b += FROCC_LIST_BLOCKS)
            frocc__lists_tiles(frame, &channel->stripe, panel, b,
                               FROCC_MIN(frame->n_blocks - b, (size_t)FROCC_LIST_BLOCKS),
                               &channel->desk, out + b * FROCC_BLOCK * stride, stride);
        return;
    }
    for (size_t first = 0; first < frame->n_blocks; first += FROCC_GROUP) {
        frocc__meeting meeting = {.n_panels = 1, .panels = {panel}, .first_block = first};
        meeting.n_blocks = FROCC_MIN(frame->n_blocks - first, (size_t)FROCC_GROUP);
        frocc__meet(frame, &channel->stripe, NULL, &meeting, &channel->desk);
        for (size_t b = 0; b < meeting.n_blocks; b++) {
            frocc__tile tile;
            (void)frocc__meeting_tile(frame, &channel->stripe, &meeting, 0, b, NULL, &channel->desk,
                                      &tile);
            for (size_t c = 0; c < FROCC_BLOCK; c++)
                memcpy(out + ((first + b) * FROCC_BLOCK + c) * stride,
                       tile.values + c * FROCC_PANEL, FROCC_PANEL * sizeof(float));
        }
    }
}

static void flow_bands(const frocc_frame *frame, frocc__channel *channel,
                       const frocc__consumer *consumer, size_t n_panels) {
    const frocc__stripe *stripe = &channel->stripe;
    const size_t most = channel->band_panels;
    for (size_t first = 0; first < n_panels; first += most) {
        const size_t count = FROCC_MIN(n_panels - first, most), stride = count * FROCC_PANEL;
        for (size_t p = 0; p < count; p++)
            fill_band(frame, channel, first + p, channel->band + p * FROCC_PANEL, stride);
        const size_t row = first * FROCC_PANEL;
        const frocc__band band = {channel->band,
                                  stride,
                                  stripe->first_row + row,
                                  FROCC_MIN(stripe->n_rows - row, stride),
                                  stripe->x != NULL ? stripe->x + row * frame->n_features : NULL,
                                  FROCC_PANEL,
                                  channel->few};
        consumer->take_band(consumer->context, &band);
    }
}

static outcome flow_panels(const frocc_frame *frame, const frocc_rows *rows,
                           frocc__channel *channel, const frocc__consumer *consumer) {
    frocc__stripe *stripe = &channel->stripe;
    const size_t n_panels = frocc__panels_of(stripe);
    for (size_t p = 0; p < n_panels; p++) {
        const size_t bad = frocc__stripe_pack(frame, rows, stripe, p, &channel->desk);
        if (bad != SIZE_MAX)
            return (outcome){FROCC_ERR_DATA, bad};
    }
    const outcome expected = expect(consumer, rows, stripe->first_row, stripe->n_rows);
    if (expected.status != FROCC_OK)
        return expected;
    (consumer->take_band != NULL ? flow_bands : flow_tiles)(frame, channel, consumer, n_panels);
    return fine;
}

/* Rows first .. end - 1, few enough for a stripe; those from next on are likely to be the channel's
 * next ones. */
static outcome flow_run(const frocc_frame *frame, const frocc_rows *rows, frocc__channel *channel,
                        size_t first, size_t end, size_t next, const frocc__consumer *consumer) {
    const size_t few = (end - first) % FROCC_PANEL;
    const size_t panel_end = few < FEW_ROWS ? end - few : end;
    /* Cannot fail: what it may need was made before. */
    (void)frocc__stripe_begin(frame, rows, first, panel_end - first, &channel->stripe);
    channel->stripe.is_coarse &= consumer->inner != NULL;
    channel->desk.next = frocc__stripe_fetching(frame, &channel->stripe, rows, next);
    outcome end_of_run = flow_panels(frame, rows, channel, consumer);
    for (size_t r = panel_end; r < end && end_of_run.status == FROCC_OK; r++)
        end_of_run = flow_one_row(frame, rows, channel, r, consumer);
    return end_of_run;
}

/* Rows, which threads share out run by run and in order. */
typedef struct flowing {
    const frocc_frame *frame;
    const frocc_rows *rows;
    frocc__channel *channels;
    const frocc__consumer *consumers;
    bool has_own;
    size_t team;
    size_t least, most; /* rows of a run, in whole panels; the last one can be shorter */
    atomic_size_t next;
} flowing;

/* The next run, whose length it returns: 0 when there is none. Long runs come first and short ones
 * last, so that no thread waits for long at the end. */
static size_t take_run(flowing *all, size_t *first) {
    size_t count;
    *first = atomic_load(&all->next);
    do {
        const size_t left = all->rows->n_rows - *first;
        const size_t share = left / (2 * all->team) / FROCC_PANEL * FROCC_PANEL;
        count = all->team > 1 ? FROCC_MAX(share, all->least) : left;
        count = FROCC_MIN(left, FROCC_MIN(count, all->most));
    } while (!atomic_compare_exchange_weak(&all->next, first, *first + count));
    return count;
}

static void flow_share(void *context, int t) {
    flowing *all = context;
    frocc__channel *channel = &all->channels[t];
    const frocc__consumer *consumer = &all->consumers[all->has_own ? t : 0];
    outcome ended = fine;
    for (size_t first, count; ended.status == FROCC_OK && (count = take_run(all, &first)) > 0;)
        ended = flow_run(all->frame, all->rows, channel, first, first + count,
                         first + all->team * count, consumer);
    channel->status = ended.status;
    channel->bad_row = ended.bad_row;
    if (ended.status != FROCC_OK) { /* earlier rows are all taken, and later ones do not matter */
        atomic_store(&all->next, all->rows->n_rows);
        frocc__error_copy(channel->error);
    }
}

/* The failure of the earliest row, or one that no row is to blame for. */
static frocc_status report(const flowing *all) {
    size_t first_bad = SIZE_MAX;
    for (size_t t = 0; t < all->team; t++) {
        const frocc__channel *channel = &all->channels[t];
        if (channel->status != FROCC_OK && channel->bad_row == SIZE_MAX)
            return frocc__fail(channel->status, "%s", channel->error);
        first_bad = FROCC_MIN(first_bad, channel->bad_row);
    }
    return first_bad == SIZE_MAX ? FROCC_OK : frocc__rows_failure(all->rows, first_bad);
}

frocc_status frocc__flow(const frocc_frame *frame, const frocc_rows *rows, frocc__channel *channels,
                         int team, const frocc__consumer *consumers, bool has_own) {
    const size_t n_panels = (rows->n_rows + FROCC_PANEL - 1) / FROCC_PANEL;
    team = (int)FROCC_MAX(FROCC_MIN((size_t)team, n_panels), (size_t)1);
    for (int t = 0; t < team; t++)
        FROCC_TRY(frocc__stripe_expect(frame, rows, &channels[t].stripe));
    /* A run reads all directions: not much less than a stripe, unless there are few rows. */
    const size_t most = frocc__stripe_rows(frame, rows);
    const size_t least = FROCC_MIN(most / 4, rows->n_rows / (8 * (size_t)team));
    flowing all = {.frame = frame,
                   .rows = rows,
                   .channels = channels,
                   .consumers = consumers,
                   .has_own = has_own,
                   .team = (size_t)team,
                   .least = (least / FROCC_PANEL + 1) * FROCC_PANEL,
                   .most = most};
    frocc__run_team(team, flow_share, &all);
    return report(&all);
}
