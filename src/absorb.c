/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads share out the directions: each has its own slots, so nothing is merged at the end and no
 * early rows are observed twice.
 */
#include "absorb.h"

#include "mem.h"
#include "os.h"

frocc_status frocc__absorber_new(const frocc_frame *frame, frocc__observer *observer,
                                 frocc__channel *channels, int threads, frocc__absorber *absorber) {
    *absorber = (frocc__absorber){
        .frame = frame,
        .observer = observer,
        .channels = channels,
        .stripe = &channels[0].stripe,
        .next_block = frocc__alloc((size_t)threads, sizeof(atomic_size_t)),
    };
    return absorber->next_block != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

void frocc__absorber_free(frocc__absorber *absorber) {
    frocc__free(absorber->next_block);
    *absorber = (frocc__absorber){0};
}

static frocc__desk *desk_of(const frocc__absorber *absorber, size_t thread) {
    return &absorber->channels[thread].desk;
}

size_t frocc__absorb_pack(frocc__absorber *absorber, const frocc_rows *rows, int team) {
    const size_t n_panels = frocc__panels_of(absorber->stripe);
    size_t first_bad = SIZE_MAX;
    (void)team;
    FROCC_OMP(parallel for num_threads(team) if (team > 1) reduction(min : first_bad))
    for (size_t p = 0; p < n_panels; p++) {
        size_t bad = frocc__stripe_pack(absorber->frame, rows, absorber->stripe, p,
                                        desk_of(absorber, frocc__thread_number()));
        first_bad = FROCC_MIN(first_bad, bad);
    }
    return first_bad;
}

/* A thread fetches what it will pack next, or about that. */
static frocc__fetching share_of(frocc__fetching all, size_t thread, int team) {
    const uintptr_t share = (all.end - all.at) / (uintptr_t)team;
    const uintptr_t start = all.at + thread * share;
    return (frocc__fetching){start, start + share, all.lines};
}

/* Observes n_batch panels of a meeting, from first on, as a batch. */
static bool observe_batch(frocc__absorber *absorber, const frocc__meeting *meeting, size_t first,
                          size_t n_batch, size_t block, size_t thread) {
    size_t n_rows = 0;
    for (size_t p = 0; p < n_batch; p++) {
        frocc__tile tile;
        (void)frocc__meeting_tile(absorber->frame, absorber->stripe, meeting, first + p, block,
                                  NULL, desk_of(absorber, thread), &tile);
        frocc__batch_collect(absorber->observer, &tile, p, thread);
        n_rows += tile.n_rows;
    }
    return frocc__batch_observe(absorber->observer, meeting->first_block + block, n_rows, thread);
}

/* new_values says how many values of each block's last tile were new. */
static bool observe_meeting(frocc__absorber *absorber, const frocc__meeting *meeting,
                            size_t *new_values, size_t thread) {
    frocc__observer *observer = absorber->observer;
    size_t next[FROCC_GROUP] = {0}; /* the first panel that each block has not observed yet */
    bool usable = true;
    for (size_t p = 0; p < meeting->n_panels; p++)
        for (size_t b = 0; usable && b < meeting->n_blocks; b++) {
            if (next[b] > p)
                continue;
            const size_t block = meeting->first_block + b;
            bool batch =
                !meeting->is_screened && frocc__wants_batch(observer, block, new_values[b]);
            new_values[b] = 0;
            frocc__tile tile;
            if (batch) {
                size_t n_batch = frocc__batch_panels(observer, block, meeting->n_panels - p);
                usable = observe_batch(absorber, meeting, p, n_batch, b, thread);
                next[b] = p + n_batch;
            } else if (frocc__meeting_tile(absorber->frame, absorber->stripe, meeting, p, b,
                                           &observer->filter, desk_of(absorber, thread), &tile))
                usable = frocc__observe(observer, &tile, &new_values[b]);
        }
    return usable;
}

static bool wants_batches(const frocc__absorber *absorber, const frocc__meeting *meeting,
                          const size_t *new_values) {
    for (size_t b = 0; b < meeting->n_blocks; b++)
        if (frocc__wants_batch(absorber->observer, meeting->first_block + b, new_values[b]))
            return true;
    return false;
}

/* Observes a group of blocks over all panels of the stripe. */
static bool observe_group(frocc__absorber *absorber, size_t first_block, size_t n_blocks,
                          size_t thread) {
    const size_t n_panels = frocc__panels_of(absorber->stripe);
    size_t new_values[FROCC_GROUP] = {0};
    bool usable = true;
    for (size_t first = 0; usable && first < n_panels; first += FROCC_BAND) {
        frocc__meeting meeting = {.first_block = first_block, .n_blocks = n_blocks};
        for (size_t p = first; p < FROCC_MIN(first + FROCC_BAND, n_panels); p++)
            meeting.panels[meeting.n_panels++] = p;
        frocc__meet(absorber->frame, absorber->stripe,
                    wants_batches(absorber, &meeting, new_values) ? NULL
                                                                  : &absorber->observer->filter,
                    &meeting, desk_of(absorber, thread));
        usable = observe_meeting(absorber, &meeting, new_values, thread);
    }
    return usable;
}

/* Blocks that go together: two, since the widest intervals of two lie in one cache line, or four,
 * since coarse projections multiply so many at once; but one where threads are many. */
static size_t unit_of(const frocc_frame *frame, int team) {
    if (frame->n_blocks < 8 * (size_t)team)
        return 1;
    return frame->coarse.w != NULL ? 4 : 2;
}

/* Large groups come first and small ones last, so that no thread waits for long at the end. */
static size_t next_group(const frocc_frame *frame, size_t n_left, int team) {
    const size_t unit = unit_of(frame, team);
    const size_t share = FROCC_MAX(n_left / 2 / unit * unit, unit == 4 ? unit : 1);
    return FROCC_MIN(n_left, FROCC_MIN(team > 1 ? share : n_left, (size_t)FROCC_GROUP));
}

/* The blocks of a thread: the same for every stripe, so that their intervals stay in its caches. */
static size_t first_of_thread(const frocc_frame *frame, size_t thread, int team) {
    const size_t unit = unit_of(frame, team);
    return thread == (size_t)team ? frame->n_blocks
                                  : frame->n_blocks * thread / (size_t)team / unit * unit;
}

/* Takes the next group of blocks, whose size it returns: the thread's own, or what others have not
 * come to yet. */
static size_t take_group(frocc__absorber *absorber, size_t thread, int team, size_t *first) {
    const frocc_frame *frame = absorber->frame;
    size_t count = 0;
    for (size_t i = 0; i < (size_t)team && count == 0; i++) {
        const size_t owner = (thread + i) % (size_t)team;
        const size_t end = first_of_thread(frame, owner + 1, team);
        *first = atomic_load(&absorber->next_block[owner]);
        do
            count = next_group(frame, end - *first, team);
        while (!atomic_compare_exchange_weak(&absorber->next_block[owner], first, *first + count));
    }
    return count;
}

bool frocc__absorb(frocc__absorber *absorber, frocc__fetching next, int team) {
    const bool flushes = frocc__flushes();
    int unusable = 0;
    for (int t = 0; t < team; t++)
        atomic_store(&absorber->next_block[t], first_of_thread(absorber->frame, (size_t)t, team));
    FROCC_OMP(parallel num_threads(team) if (team > 1) reduction(| : unusable)) {
        const size_t thread = frocc__thread_number();
        desk_of(absorber, thread)->next = share_of(next, thread, team);
        /* There is room for what the caller may find. A thread that may find more, since it flushes
         * and the caller does not, leaves its blocks to the others. */
        const bool takes_part = flushes || !frocc__flushes();
        for (size_t first, count;
             takes_part && (count = take_group(absorber, thread, team, &first)) > 0;)
            unusable |= !observe_group(absorber, first, count, thread);
    }
    return !unusable;
}
