/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first rows of the data, as they were read to learn the schema: they are handed out in every
 * pass without being read again. Up to a limit, so that memory does not grow with the rows; and
 * only where the values take no more memory than their text, as otherwise memory fresh from the
 * system costs more time than to read the text again.
 */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read_reader.h"

#define KEPT_BYTES ((size_t)1 << 25)
#define SLAB_BYTES ((size_t)1 << 23)
#define LARGE_PAGE ((size_t)1 << 21)

/* Whether every line from the first row of the fresh batch to its last one is a row. Lines of kept
 * rows must be known without their text. */
static bool has_plain_lines(frocc_reader *r) {
    frocc__batch *fresh = &r->fresh;
    const uint64_t *numbers = fresh->buffer.row_numbers;
    uint64_t first = numbers[0] - fresh->rows_before;
    uint64_t last = numbers[fresh->buffer.n_rows - 1] - fresh->rows_before;
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

/* Room in slabs, each with the address of the one before it in front. Data of more than one batch
 * get large ones that begin where a large page may: the system gives them fastest. */
static frocc_status reserve_slab(frocc__kept *kept, size_t bytes) {
    if (bytes <= kept->slab_left)
        return FROCC_OK;
    size_t size = kept->count == 0 ? bytes : FROCC_MAX(bytes, SLAB_BYTES);
    size_t page = kept->count == 0 ? 8 : LARGE_PAGE;
    char *slab = frocc__alloc_raw(sizeof kept->slab + page + size, 1);
    if (slab == NULL)
        return FROCC_ERR_MEMORY;
    memcpy(slab, &kept->slab, sizeof kept->slab);
    kept->slab = slab;
    slab += sizeof kept->slab;
    kept->slab_free = slab + (page - (uintptr_t)slab % page) % page;
    kept->slab_left = size;
    return FROCC_OK;
}

static void *take(frocc__kept *kept, size_t bytes) {
    void *memory = kept->slab_free;
    kept->slab_free += bytes;
    kept->slab_left -= bytes;
    return memory;
}

/* The next values are read to where they may stay, if there are not many more than the last time.
 */
static frocc_status lend(frocc__kept *kept, frocc__row_buffer *buffer) {
    if (kept->count == 0 || kept->bytes + kept->last_bytes > KEPT_BYTES)
        return FROCC_OK;
    FROCC_TRY(reserve_slab(kept, kept->last_bytes + kept->last_bytes / 4));
    if (!buffer->lent)
        frocc__free(buffer->values);
    buffer->lent = true;
    buffer->values = kept->slab_free;
    buffer->values_size = kept->slab_left;
    return FROCC_OK;
}

static void take_back(frocc__row_buffer *buffer) {
    if (!buffer->lent)
        return;
    buffer->lent = false;
    buffer->values = NULL;
    buffer->values_size = 0;
}

/* What is kept ends where the reader stands. */
static void mark(frocc_reader *r) {
    r->kept.file = r->file;
    r->kept.rows_before = r->rows_before;
    r->kept.dropped = r->dropped;
}

static bool can_keep(frocc_reader *r, size_t value_bytes, frocc__position *position) {
    const frocc__kept *kept = &r->kept;
    const frocc__row_buffer *buffer = &r->fresh.buffer;
    size_t bytes = value_bytes + frocc__row_buffer_bytes(buffer) - buffer->values_size;
    if (r->input->class->resume == NULL || kept->bytes + bytes > KEPT_BYTES || !has_plain_lines(r))
        return false;
    r->input->class->position(r->input, position);
    bool same_file = kept->count > 0 && kept->file == r->file;
    return value_bytes <= position->bytes - (same_file ? kept->position.bytes : 0);
}

/* Keeps values and row numbers of the fresh batch in slabs, and moves labels and ids, if there are
 * any; *done where the batch is not to be kept. */
static frocc_status keep_batch(frocc_reader *r, bool *done) {
    frocc__kept *kept = &r->kept;
    frocc__row_buffer *buffer = &r->fresh.buffer;
    frocc__position position;
    size_t size = buffer->dtype == FROCC_F32 ? sizeof(float) : sizeof(double);
    size_t value_bytes = buffer->n_rows * buffer->row_stride * size;
    size_t number_bytes = buffer->n_rows * sizeof *buffer->row_numbers;
    *done = !can_keep(r, value_bytes, &position);
    if (*done)
        return FROCC_OK;
    FROCC_TRY(reserve(kept));
    size_t padded = (value_bytes + 7) / 8 * 8;
    FROCC_TRY(reserve_slab(kept, padded + number_bytes));
    void *values = take(kept, padded);
    uint64_t *numbers = take(kept, number_bytes);
    if (values != buffer->values)
        memcpy(values, buffer->values, value_bytes);
    memcpy(numbers, buffer->row_numbers, number_bytes);
    frocc__batch *batch = &kept->batches[kept->count++];
    *batch = r->fresh;
    batch->row_numbers = numbers;
    batch->buffer.rows = values;
    frocc__row_buffer_split(&batch->buffer, buffer,
                            batch->has_label || batch->has_id || batch->n_carried > 0);
    kept->last_bytes = padded + number_bytes;
    kept->bytes += kept->last_bytes + frocc__row_buffer_bytes(&batch->buffer);
    kept->position = position;
    mark(r);
    return FROCC_OK;
}

/* What a first column that may only count has in the rows kept last. */
static void count_rows(frocc__kept *kept) {
    const frocc__row_buffer *b = &kept->batches[kept->count - 1].buffer;
    for (size_t i = 0; kept->counting.is_open && i < b->n_rows; i++)
        frocc__counting_add(&kept->counting,
                            b->dtype == FROCC_F32
                                ? (double)((const float *)b->rows)[i * b->row_stride]
                                : ((const double *)b->rows)[i * b->row_stride],
                            b->dtype);
}

static frocc_status keep_rows(frocc_reader *r) {
    bool done = false;
    FROCC_TRY(frocc__schema_finish(r->schema));
    FROCC_TRY(frocc__reader_plan(r, FROCC__READ_ROWS));
    while (!done) {
        FROCC_TRY(lend(&r->kept, &r->fresh.buffer));
        FROCC_TRY(frocc__reader_read(r));
        if (r->fresh.buffer.n_rows > 0) {
            FROCC_TRY(keep_batch(r, &done));
            if (!done)
                count_rows(&r->kept);
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
    take_back(&r->fresh.buffer);
    frocc__reader_close_file(r);
    return status == FROCC_ERR_MEMORY ? status : FROCC_OK;
}

uint64_t frocc__kept_rows(const frocc__kept *kept) {
    uint64_t count = 0;
    for (size_t i = 0; i < kept->count; i++)
        count += kept->batches[i].buffer.n_rows;
    return count;
}

void frocc__kept_clear(frocc__kept *kept) {
    for (size_t i = 0; i < kept->count; i++)
        frocc__row_buffer_clear(&kept->batches[i].buffer);
    while (kept->slab != NULL) {
        char *slab = kept->slab;
        memcpy(&kept->slab, slab, sizeof kept->slab);
        frocc__free(slab);
    }
    frocc__free(kept->batches);
    memset(kept, 0, sizeof *kept);
}
