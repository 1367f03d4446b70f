/* SPDX-License-Identifier: BSD-3-Clause */
/* All rows to a sink: run by run in panels, the last few of a run row by row. */
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
static size_t panels_of_projections(const frocc_frame *frame) {
    const size_t bytes = frame->n_blocks * FROCC_TILE * sizeof(float);
    return FROCC_MAX(FROCC_MIN(((size_t)1 << 19) / bytes, (size_t)FROCC_MACRO_PANELS), (size_t)1);
}

void frocc__workers_free(frocc__worker *workers, int threads) {
    for (int t = 0; workers != NULL && t < threads; t++) {
        frocc__free(workers[t].projections);
        frocc__free(workers[t].descending);
        frocc__packed_free(&workers[t].packed);
        frocc__workspace_free(&workers[t].workspace);
    }
    frocc__free(workers);
}

static frocc_status make_projections(const frocc_frame *frame, frocc__worker *worker) {
    worker->projected_panels = panels_of_projections(frame);
    worker->projections =
        frocc__alloc_raw(frame->n_blocks * FROCC_TILE, worker->projected_panels * sizeof(float));
    worker->descending =
        frocc__alloc(frame->n_blocks * FROCC_BLOCK, FROCC_DESCENDING * sizeof(float));
    return worker->projections != NULL && worker->descending != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

frocc_status frocc__workers_new(const frocc_frame *frame, int threads, bool takes_projections,
                                frocc__worker **workers) {
    frocc__worker *made = frocc__alloc((size_t)threads, sizeof *made);
    frocc_status status = made != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    for (int t = 0; t < threads && status == FROCC_OK; t++) {
        status = frocc__workspace_new(frame, &made[t].workspace);
        if (status == FROCC_OK)
            status = frocc__packed_new(frame, &made[t].packed);
        if (status == FROCC_OK && takes_projections)
            status = make_projections(frame, &made[t]);
    }
    if (status != FROCC_OK) {
        frocc__workers_free(made, threads);
        return status;
    }
    *workers = made;
    return FROCC_OK;
}

/* ---- Row by row ----------------------------------------------------------------------------- */

/* How a run ended: FROCC_OK, a failure of the sink, or FROCC_ERR_DATA for a row that cannot be
 * used. */
typedef struct outcome {
    frocc_status status;
    size_t bad_row; /* SIZE_MAX when the rows are not to blame */
} outcome;

static const outcome fine = {FROCC_OK, SIZE_MAX};

static outcome expect(const frocc__sink *sink, const frocc_rows *rows, size_t first, size_t count) {
    if (sink->expect == NULL || count == 0)
        return fine;
    return (outcome){sink->expect(sink->context, rows, first, count), SIZE_MAX};
}

static void take_tiles(const frocc_frame *frame, size_t r, const frocc__prepared *row,
                       frocc__workspace *workspace, const frocc__sink *sink) {
    for (size_t first = 0; first < frame->n_blocks; first += BLOCKS_AT_ONCE) {
        if (sink->done != NULL && sink->done(sink->context, r, 1, first * FROCC_BLOCK))
            break;
        size_t count = FROCC_MIN(frame->n_blocks - first, (size_t)BLOCKS_AT_ONCE);
        frocc__project_one(frame, row, first, count, workspace->scratch, workspace->lines);
        for (size_t b = first; b < first + count; b++) {
            frocc__tile tile = {.values = workspace->lines + b * FROCC_BLOCK,
                                .stride = 1,
                                .first_row = r,
                                .n_rows = 1,
                                .block = b,
                                .n_directions = frocc__directions_in(frame, b)};
            sink->take(sink->context, &tile);
        }
    }
}

static outcome drive_single_row(const frocc_frame *frame, const frocc_rows *rows,
                                frocc__worker *worker, size_t r, const frocc__sink *sink) {
    frocc__workspace *workspace = &worker->workspace;
    frocc__prepared row;
    if (!frocc__prepare_one(frame, rows, r, workspace->rows, &row))
        return (outcome){FROCC_ERR_DATA, r};
    const outcome expected = expect(sink, rows, r, 1);
    if (expected.status != FROCC_OK)
        return expected;
    if (sink->take_projections == NULL) {
        take_tiles(frame, r, &row, workspace, sink);
        return fine;
    }
    frocc__project_one(frame, &row, 0, frame->n_blocks, workspace->scratch, workspace->lines);
    const frocc__projections projections = {worker->workspace.lines, 1, r, 1, row.values, 1,
                                            worker->descending};
    sink->take_projections(sink->context, &projections);
    return fine;
}

/* ---- All rows ------------------------------------------------------------------------------- */

/* Some panels on some blocks, but for panels whose rows are done. */
static void drive_macro_tile(const frocc_frame *frame, frocc__worker *worker,
                             const frocc__sink *sink, size_t first_panel, size_t n_panels,
                             size_t first_block, size_t n_blocks) {
    const frocc__packed *packed = &worker->packed;
    frocc__macro_tile macro = {.first_block = first_block, .n_blocks = n_blocks};
    for (size_t p = first_panel; p < first_panel + n_panels; p++) {
        const size_t first_row = packed->first_row + p * FROCC_PANEL;
        if (sink->done == NULL || !sink->done(sink->context, first_row, frocc__rows_in(packed, p),
                                              first_block * FROCC_BLOCK))
            macro.panels[macro.n_panels++] = p;
    }
    if (macro.n_panels == 0)
        return;
    frocc__macro_tile_project(frame, packed, &macro, &worker->workspace);
    for (size_t p = 0; p < macro.n_panels; p++)
        for (size_t b = 0; b < n_blocks; b++) {
            frocc__tile tile;
            if (frocc__macro_tile_at(frame, packed, &macro, p, b, sink->inner, &worker->workspace,
                                     &tile))
                sink->take(sink->context, &tile);
        }
}

/* Tiles of one panel, where directions are lists of few features. */
static void drive_lists(const frocc_frame *frame, frocc__worker *worker, const frocc__sink *sink,
                        size_t panel, size_t first_block, size_t n_blocks) {
    const frocc__packed *packed = &worker->packed;
    if (sink->done != NULL && sink->done(sink->context, packed->first_row + panel * FROCC_PANEL,
                                         frocc__rows_in(packed, panel), first_block * FROCC_BLOCK))
        return;
    frocc__list_tiles(frame, packed, panel, first_block, n_blocks, &worker->workspace,
                      worker->workspace.tiles, FROCC_PANEL);
    for (size_t b = 0; b < n_blocks; b++) {
        frocc__tile tile;
        frocc__describe_tile(frame, packed, panel, first_block + b,
                             worker->workspace.tiles + b * FROCC_TILE, &tile);
        sink->take(sink->context, &tile);
    }
}

static void drive_tiles(const frocc_frame *frame, frocc__worker *worker, const frocc__sink *sink,
                        size_t n_panels) {
    if (frocc__has_lists(frame)) {
        for (size_t p = 0; p < n_panels; p++)
            for (size_t b = 0; b < frame->n_blocks; b += FROCC_LIST_BLOCKS)
                drive_lists(frame, worker, sink, p, b,
                            FROCC_MIN(frame->n_blocks - b, (size_t)FROCC_LIST_BLOCKS));
        return;
    }
    for (size_t b = 0; b < frame->n_blocks; b += FROCC_MACRO_BLOCKS)
        for (size_t p = 0; p < n_panels; p += FROCC_MACRO_PANELS)
            drive_macro_tile(frame, worker, sink, p,
                             FROCC_MIN(n_panels - p, (size_t)FROCC_MACRO_PANELS), b,
                             FROCC_MIN(frame->n_blocks - b, (size_t)FROCC_MACRO_BLOCKS));
}

void frocc__projections_copy(const frocc__projections *projections, size_t n_directions,
                             size_t first, size_t count) {
    const float *from = projections->values + first;
    if (count == FROCC_DESCENDING) {
        for (size_t i = 0; i < n_directions; i++)
            memcpy(projections->descending + i * FROCC_DESCENDING, from + i * projections->stride,
                   FROCC_DESCENDING * sizeof(float));
        return;
    }
    for (size_t i = 0; i < n_directions; i++)
        for (size_t r = 0; r < count; r++)
            projections->descending[i * FROCC_DESCENDING + r] = from[i * projections->stride + r];
}

/* ---- Projections ----------------------------------------------------------------------------- */

/* The projections of one panel, to where its rows belong among others. */
static void fill_projections(const frocc_frame *frame, frocc__worker *worker, size_t panel,
                             float *out, size_t stride) {
    if (frocc__has_lists(frame)) {
        for (size_t b = 0; b < frame->n_blocks; b += FROCC_LIST_BLOCKS)
            frocc__list_tiles(frame, &worker->packed, panel, b,
                              FROCC_MIN(frame->n_blocks - b, (size_t)FROCC_LIST_BLOCKS),
                              &worker->workspace, out + b * FROCC_BLOCK * stride, stride);
        return;
    }
    for (size_t first = 0; first < frame->n_blocks; first += FROCC_MACRO_BLOCKS) {
        frocc__macro_tile macro = {.n_panels = 1, .panels = {panel}, .first_block = first};
        macro.n_blocks = FROCC_MIN(frame->n_blocks - first, (size_t)FROCC_MACRO_BLOCKS);
        frocc__macro_tile_project(frame, &worker->packed, &macro, &worker->workspace);
        for (size_t b = 0; b < macro.n_blocks; b++) {
            frocc__tile tile;
            (void)frocc__macro_tile_at(frame, &worker->packed, &macro, 0, b, NULL,
                                       &worker->workspace, &tile);
            for (size_t c = 0; c < FROCC_BLOCK; c++)
                memcpy(out + ((first + b) * FROCC_BLOCK + c) * stride,
                       tile.values + c * FROCC_PANEL, FROCC_PANEL * sizeof(float));
        }
    }
}

static void drive_projections(const frocc_frame *frame, frocc__worker *worker,
                              const frocc__sink *sink, size_t n_panels) {
    const frocc__packed *packed = &worker->packed;
    const size_t most = worker->projected_panels;
    for (size_t first = 0; first < n_panels; first += most) {
        const size_t count = FROCC_MIN(n_panels - first, most), stride = count * FROCC_PANEL;
        for (size_t p = 0; p < count; p++)
            fill_projections(frame, worker, first + p, worker->projections + p * FROCC_PANEL,
                             stride);
        const size_t row = first * FROCC_PANEL;
        const frocc__projections projections = {
            worker->projections,
            stride,
            packed->first_row + row,
            FROCC_MIN(packed->n_rows - row, stride),
            packed->x != NULL ? packed->x + row * frame->n_features : NULL,
            FROCC_PANEL,
            worker->descending};
        sink->take_projections(sink->context, &projections);
    }
}

static outcome drive_panels(const frocc_frame *frame, const frocc_rows *rows, frocc__worker *worker,
                            const frocc__sink *sink) {
    frocc__packed *packed = &worker->packed;
    const size_t n_panels = frocc__panels_of(packed);
    for (size_t p = 0; p < n_panels; p++) {
        const size_t bad = frocc__pack_panel(frame, rows, packed, p, &worker->workspace);
        if (bad != SIZE_MAX)
            return (outcome){FROCC_ERR_DATA, bad};
    }
    const outcome expected = expect(sink, rows, packed->first_row, packed->n_rows);
    if (expected.status != FROCC_OK)
        return expected;
    (sink->take_projections != NULL ? drive_projections : drive_tiles)(frame, worker, sink,
                                                                       n_panels);
    return fine;
}

/* Rows first .. end - 1, no more than are packed at once; those from next on are likely to be the
 * worker's next ones. */
static outcome drive_run(const frocc_frame *frame, const frocc_rows *rows, frocc__worker *worker,
                         size_t first, size_t end, size_t next, const frocc__sink *sink) {
    const size_t few = (end - first) % FROCC_PANEL;
    const size_t panel_end = few < FEW_ROWS ? end - few : end;
    /* Cannot fail: what it may need was made before. */
    (void)frocc__packed_begin(frame, rows, first, panel_end - first, &worker->packed);
    worker->workspace.next = frocc__packed_fetching(frame, &worker->packed, rows, next);
    outcome end_of_run = drive_panels(frame, rows, worker, sink);
    for (size_t r = panel_end; r < end && end_of_run.status == FROCC_OK; r++)
        end_of_run = drive_single_row(frame, rows, worker, r, sink);
    return end_of_run;
}

/* Rows, which threads take run by run and in order. */
typedef struct run_queue {
    const frocc_frame *frame;
    const frocc_rows *rows;
    frocc__worker *workers;
    const frocc__sink *sinks;
    bool has_own;
    size_t team;
    size_t least, most; /* rows of a run, in whole panels; the last one can be shorter */
    atomic_size_t next;
} run_queue;

/* The next run, whose length it returns: 0 when there is none. Long runs come first and short ones
 * last, so that no thread waits for long at the end. */
static size_t take_run(run_queue *queue, size_t *first) {
    size_t count;
    *first = atomic_load(&queue->next);
    do {
        const size_t left = queue->rows->n_rows - *first;
        const size_t part = left / (2 * queue->team) / FROCC_PANEL * FROCC_PANEL;
        count = queue->team > 1 ? FROCC_MAX(part, queue->least) : left;
        count = FROCC_MIN(left, FROCC_MIN(count, queue->most));
    } while (!atomic_compare_exchange_weak(&queue->next, first, *first + count));
    return count;
}

static void drive_worker(void *context, int t) {
    run_queue *queue = context;
    frocc__worker *worker = &queue->workers[t];
    const frocc__sink *sink = &queue->sinks[queue->has_own ? t : 0];
    outcome ended = fine;
    for (size_t first, count; ended.status == FROCC_OK && (count = take_run(queue, &first)) > 0;)
        ended = drive_run(queue->frame, queue->rows, worker, first, first + count,
                          first + queue->team * count, sink);
    worker->status = ended.status;
    worker->bad_row = ended.bad_row;
    if (ended.status != FROCC_OK) { /* earlier rows are all taken, and later ones do not matter */
        atomic_store(&queue->next, queue->rows->n_rows);
        frocc__error_copy(&worker->error);
    }
}

/* The failure of the earliest row, or one that no row is to blame for. */
static frocc_status report(const run_queue *queue) {
    size_t first_bad = SIZE_MAX;
    for (size_t t = 0; t < queue->team; t++) {
        const frocc__worker *worker = &queue->workers[t];
        if (worker->status != FROCC_OK && worker->bad_row == SIZE_MAX) {
            frocc__error_restore(&worker->error);
            return worker->status;
        }
        first_bad = FROCC_MIN(first_bad, worker->bad_row);
    }
    return first_bad == SIZE_MAX ? FROCC_OK : frocc__rows_failure(queue->rows, first_bad);
}

frocc_status frocc__drive(const frocc_frame *frame, const frocc_rows *rows, frocc__worker *workers,
                          int team, const frocc__sink *sinks, bool has_own) {
    const size_t n_panels = (rows->n_rows + FROCC_PANEL - 1) / FROCC_PANEL;
    team = (int)FROCC_MAX(FROCC_MIN((size_t)team, n_panels), (size_t)1);
    for (int t = 0; t < team; t++)
        FROCC_TRY(frocc__packed_expect(frame, rows, &workers[t].packed));
    /* A run reads all directions: not much shorter than rows can be packed, unless
     * there are few. */
    const size_t most = frocc__packed_most(frame, rows);
    const size_t least = FROCC_MIN(most / 4, rows->n_rows / (8 * (size_t)team));
    run_queue queue = {.frame = frame,
                       .rows = rows,
                       .workers = workers,
                       .sinks = sinks,
                       .has_own = has_own,
                       .team = (size_t)team,
                       .least = (least / FROCC_PANEL + 1) * FROCC_PANEL,
                       .most = most};
    frocc__run_team(team, drive_worker, &queue);
    return report(&queue);
}
