/* SPDX-License-Identifier: BSD-3-Clause */
/* All rows to a consumer: stripe by stripe, the last few row by row. */
#include "flow.h"

#include "mem.h"
#include "one_row.h"
#include "os.h"

/* Fewer rows than this are cheaper one by one than as a padded panel. */
#define FEW_ROWS 7

/* Blocks projected between two looks at whether a single row is decided. */
#define BLOCKS_AT_ONCE 16

void frocc__channels_free(frocc__channel *channels, int threads) {
    for (int t = 0; channels != NULL && t < threads; t++) {
        frocc__stripe_free(&channels[t].stripe);
        frocc__desk_free(&channels[t].desk);
    }
    frocc__free(channels);
}

frocc_status frocc__channels_new(const frocc_frame *frame, int threads, int n_stripes,
                                 frocc__channel **channels) {
    frocc__channel *made = frocc__alloc((size_t)threads, sizeof *made);
    frocc_status status = made != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    for (int t = 0; t < threads && status == FROCC_OK; t++) {
        status = frocc__desk_new(frame, &made[t].desk);
        if (status == FROCC_OK && t < n_stripes)
            status = frocc__stripe_new(frame, &made[t].stripe);
    }
    if (status != FROCC_OK) {
        frocc__channels_free(made, threads);
        return status;
    }
    *channels = made;
    return FROCC_OK;
}

/* ---- Row by row ----------------------------------------------------------------------------- */

static bool flow_one_row(const frocc_frame *frame, const frocc_rows *rows, frocc__desk *desk,
                         size_t r, const frocc__consumer *consumer) {
    frocc__prepared row;
    if (!frocc__prepare_one(frame, rows, r, desk->rows, &row))
        return false;
    for (size_t first = 0; first < frame->n_blocks; first += BLOCKS_AT_ONCE) {
        if (consumer->done != NULL && consumer->done(consumer->context, r, 1, first * FROCC_BLOCK))
            break;
        size_t count = FROCC_MIN(frame->n_blocks - first, (size_t)BLOCKS_AT_ONCE);
        frocc__project_one(frame, &row, first, count, desk->work, desk->lines);
        for (size_t b = first; b < first + count; b++) {
            frocc__tile tile = {.values = desk->lines + b * FROCC_BLOCK,
                                .stride = 1,
                                .first_row = r,
                                .n_rows = 1,
                                .block = b,
                                .n_directions = frocc__directions_in(frame, b)};
            consumer->take(consumer->context, &tile);
        }
    }
    return true;
}

static size_t flow_one_by_one(const frocc_frame *frame, const frocc_rows *rows, frocc__desk *desk,
                              size_t first, size_t end, const frocc__consumer *consumer) {
    for (size_t r = first; r < end; r++)
        if (!flow_one_row(frame, rows, desk, r, consumer))
            return r;
    return SIZE_MAX;
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
    frocc__meet(frame, stripe, consumer->filter, &meeting, &channel->desk);
    for (size_t p = 0; p < meeting.n_panels; p++)
        for (size_t b = 0; b < n_blocks; b++) {
            frocc__tile tile;
            if (frocc__meeting_tile(frame, stripe, &meeting, p, b, consumer->filter, &channel->desk,
                                    &tile))
                consumer->take(consumer->context, &tile);
        }
}

static size_t flow_panels(const frocc_frame *frame, const frocc_rows *rows, frocc__channel *channel,
                          const frocc__consumer *consumer) {
    frocc__stripe *stripe = &channel->stripe;
    const size_t n_panels = frocc__panels_of(stripe);
    for (size_t p = 0; p < n_panels; p++) {
        size_t bad = frocc__stripe_pack(frame, rows, stripe, p, &channel->desk);
        if (bad != SIZE_MAX)
            return bad;
    }
    for (size_t b = 0; b < frame->n_blocks; b += FROCC_GROUP)
        for (size_t p = 0; p < n_panels; p += FROCC_BAND)
            flow_meeting(frame, channel, consumer, p, FROCC_MIN(n_panels - p, (size_t)FROCC_BAND),
                         b, FROCC_MIN(frame->n_blocks - b, (size_t)FROCC_GROUP));
    return SIZE_MAX;
}

/* Rows first .. end - 1, few enough for a stripe; those from next on are likely to be the channel's
 * next ones. Returns the first unusable row, or SIZE_MAX. */
static size_t flow_stripe(const frocc_frame *frame, const frocc_rows *rows, frocc__channel *channel,
                          size_t first, size_t end, size_t next, const frocc__consumer *consumer) {
    size_t few = (end - first) % FROCC_PANEL;
    size_t panel_end = few < FEW_ROWS ? end - few : end;
    /* Cannot fail: what it may need was made before. */
    (void)frocc__stripe_begin(frame, rows, first, panel_end - first, NULL, &channel->stripe);
    channel->stripe.is_coarse &= consumer->filter != NULL;
    channel->desk.next = frocc__stripe_fetching(frame, &channel->stripe, rows, next);
    size_t bad = flow_panels(frame, rows, channel, consumer);
    if (bad != SIZE_MAX)
        return bad;
    return flow_one_by_one(frame, rows, &channel->desk, panel_end, end, consumer);
}

/* A run reads all directions: not much less than a stripe, unless there are few rows. */
frocc__sharing frocc__share_out(const frocc_frame *frame, const frocc_rows *rows, int team) {
    const size_t most = frocc__stripe_rows(frame, rows);
    const size_t least = FROCC_MIN(most / 4, rows->n_rows / (8 * (size_t)team));
    return (frocc__sharing){.n_rows = rows->n_rows,
                            .team = (size_t)team,
                            .least = (least / FROCC_PANEL + 1) * FROCC_PANEL,
                            .most = most};
}

/* Long runs come first and short ones last, so that no thread waits for long at the end. */
size_t frocc__take_run(frocc__sharing *shared, size_t *first) {
    size_t count;
    *first = atomic_load(&shared->next);
    do {
        const size_t left = shared->n_rows - *first;
        const size_t share = left / (2 * shared->team) / FROCC_PANEL * FROCC_PANEL;
        count = shared->team > 1 ? FROCC_MAX(share, shared->least) : left;
        count = FROCC_MIN(left, FROCC_MIN(count, shared->most));
    } while (!atomic_compare_exchange_weak(&shared->next, first, *first + count));
    return count;
}

void frocc__stop_sharing(frocc__sharing *shared) {
    atomic_store(&shared->next, shared->n_rows);
}

frocc_status frocc__flow(const frocc_frame *frame, const frocc_rows *rows, frocc__channel *channels,
                         int threads, const frocc__consumer *consumer) {
    const size_t n_rows = rows->n_rows, n_panels = (n_rows + FROCC_PANEL - 1) / FROCC_PANEL;
    const size_t available = (size_t)frocc__team(threads);
    const int team = (int)FROCC_MAX(FROCC_MIN(available, n_panels), (size_t)1);
    frocc__sharing shared = frocc__share_out(frame, rows, team);
    size_t first_bad = SIZE_MAX;
    for (int t = 0; t < team; t++)
        FROCC_TRY(frocc__stripe_expect(frame, rows, &channels[t].stripe));
    FROCC_OMP(parallel num_threads(team) if (team > 1) reduction(min : first_bad)) {
        frocc__channel *channel = &channels[frocc__thread_number()];
        for (size_t first, count; (count = frocc__take_run(&shared, &first)) > 0;) {
            size_t bad = flow_stripe(frame, rows, channel, first, first + count,
                                     first + shared.team * count, consumer);
            first_bad = FROCC_MIN(first_bad, bad);
            if (bad != SIZE_MAX) /* earlier rows are all taken, and later ones do not matter */
                frocc__stop_sharing(&shared);
        }
    }
    return first_bad == SIZE_MAX ? FROCC_OK : frocc__rows_failure(rows, first_bad);
}
