/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first rows of the data, as they were read to learn the schema: they are handed out in every
 * pass without being read again. Up to a limit, so that memory does not grow with the rows; and
 * only where they take much less memory than text, as otherwise memory fresh from the system costs
 * more time than to read the text again.
 */
#include <string.h>

#include "mem.h"
#include "read_reader.h"
#include "status.h"

#define KEPT_BYTES ((size_t)1 << 25)

/* Whether every line from the first row of the fresh batch to its last one is a row. Lines of kept
 * rows must be known without their text. */
static bool has_plain_lines(frocc_reader *r) {
    frocc__batch *fresh = &r->fresh;
    const uint64_t *numbers = fresh->block.row_numbers;
    uint64_t first = numbers[0] - fresh->rows_before;
    uint64_t last = numbers[fresh->block.n_rows - 1] - fresh->rows_before;
    uint64_t first_line = r->input->class->line(r->input, first);
    fresh->line_before = first_line - first;
    return r->input->class->line(r->input, last) - first_line == last - first;
}

static frocc_status reserve(frocc__kept *kept) {
    if (kept->count < kept->room)
        return FROCC_OK;
    size_t room = 2 * kept->room + 8;
    frocc__batch *batches =
        frocc__grow(kept->batches, kept->count * sizeof *batches, room, sizeof *batches);
    if (batches == NULL)
        return FROCC_ERR_MEMORY;
    kept->batches = batches;
    kept->room = room;
    return FROCC_OK;
}

/* What is kept ends where the reader stands. */
static void mark(frocc_reader *r) {
    r->kept.file = r->file;
    r->kept.rows_before = r->rows_before;
    r->kept.dropped = r->dropped;
}

static bool can_keep(frocc_reader *r, size_t bytes, frocc__place *place) {
    const frocc__kept *kept = &r->kept;
    if (r->input->class->resume == NULL || kept->bytes + bytes > KEPT_BYTES || !has_plain_lines(r))
        return false;
    r->input->class->place(r->input, place);
    bool same_file = kept->count > 0 && kept->file == r->file;
    uint64_t text = place->bytes - (same_file ? kept->place.bytes : 0);
    size_t size = r->plan.dtype == FROCC_F32 ? sizeof(float) : sizeof(double);
    return r->fresh.block.n_rows * r->fresh.block.n_features * size <= text / 2;
}

/* Moves the fresh batch to the kept ones; *done where it is not to be kept. */
static frocc_status keep_batch(frocc_reader *r, bool *done) {
    frocc__kept *kept = &r->kept;
    frocc__place place;
    size_t bytes = frocc__block_bytes(&r->fresh.block);
    *done = !can_keep(r, bytes, &place);
    if (*done)
        return FROCC_OK;
    FROCC_TRY(reserve(kept));
    kept->batches[kept->count++] = r->fresh;
    kept->bytes += bytes;
    kept->place = place;
    memset(&r->fresh, 0, sizeof r->fresh);
    mark(r);
    return FROCC_OK;
}

static frocc_status keep_rows(frocc_reader *r) {
    bool done = false;
    FROCC_TRY(frocc__schema_finish(r->schema));
    FROCC_TRY(frocc__reader_plan(r, FROCC__READ_ROWS));
    while (!done) {
        FROCC_TRY(frocc__reader_read(r));
        if (r->fresh.block.n_rows > 0) {
            FROCC_TRY(keep_batch(r, &done));
        } else {
            mark(r);
            done = true;
        }
    }
    return FROCC_OK;
}

/* Where something is wrong, the pass that only looks comes too, and says what. */
frocc_status frocc__reader_keep(frocc_reader *r) {
    frocc_status status = keep_rows(r);
    frocc__reader_close_file(r);
    return status == FROCC_ERR_MEMORY ? status : FROCC_OK;
}

void frocc__kept_clear(frocc__kept *kept) {
    for (size_t i = 0; i < kept->count; i++)
        frocc__block_clear(&kept->batches[i].block);
    frocc__free(kept->batches);
    memset(kept, 0, sizeof *kept);
}
