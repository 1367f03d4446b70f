/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of row buffers, and the words that messages are made of. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"
#include "numbers/number.h"

frocc_status frocc__texts_add(frocc__texts *texts, const char *text, size_t length,
                              size_t *offset) {
    size_t need = texts->used + length + 1;
    if (need > texts->size) {
        char *bytes = frocc__grow(texts->bytes, texts->used, 2 * need, 1);
        if (bytes == NULL)
            return FROCC_ERR_MEMORY;
        texts->bytes = bytes;
        texts->size = 2 * need;
    }
    memcpy(texts->bytes + texts->used, text, length);
    texts->bytes[texts->used + length] = '\0';
    *offset = texts->used;
    texts->used = need;
    return FROCC_OK;
}

/* Fresh memory instead of old; what was there is lost. */
static void *renew(void *old, size_t count, size_t size, bool *failed) {
    frocc__free(old);
    void *fresh = frocc__alloc(count, size);
    *failed = *failed || fresh == NULL;
    return fresh;
}

static frocc_status reserve_rows(frocc__row_buffer *b, const frocc__plan *plan, size_t n_rows) {
    size_t room = n_rows + n_rows / 8;
    bool failed = false;
    if (n_rows > b->rows_room) {
        b->row_numbers = renew(b->row_numbers, room, sizeof *b->row_numbers, &failed);
        b->rows_room = failed ? 0 : room;
    }
    if (plan->has_label && n_rows > b->labels_room) {
        b->label_values = renew(b->label_values, room, sizeof *b->label_values, &failed);
        b->label_offsets = renew(b->label_offsets, room, sizeof *b->label_offsets, &failed);
        b->labels = renew(b->labels, room, sizeof *b->labels, &failed);
        b->labels_room = failed ? 0 : room;
    }
    if (plan->has_id && n_rows > b->ids_room) {
        b->id_offsets = renew(b->id_offsets, room, sizeof *b->id_offsets, &failed);
        b->ids = renew(b->ids, room, sizeof *b->ids, &failed);
        b->ids_room = failed ? 0 : room;
    }
    b->n_carried = plan->n_carried;
    if (n_rows * plan->n_carried > b->carried_room) {
        room *= plan->n_carried;
        b->carried_offsets = renew(b->carried_offsets, room, sizeof *b->carried_offsets, &failed);
        b->carried = renew(b->carried, room, sizeof *b->carried, &failed);
        b->carried_room = failed ? 0 : room;
    }
    return failed ? FROCC_ERR_MEMORY : FROCC_OK;
}

static frocc_status reserve_texts(frocc__row_buffer *b, size_t n_pieces) {
    if (n_pieces > b->n_texts) {
        frocc__texts *texts =
            frocc__grow(b->texts, b->n_texts * sizeof *texts, n_pieces, sizeof *texts);
        if (texts == NULL)
            return FROCC_ERR_MEMORY;
        b->texts = texts;
        b->n_texts = n_pieces;
    }
    for (size_t i = 0; i < b->n_texts; i++)
        b->texts[i].used = b->texts[i].n_bad = 0;
    return FROCC_OK;
}

frocc_status frocc__row_buffer_reserve(frocc__row_buffer *b, const frocc__plan *plan, size_t n_rows,
                                       size_t n_pieces) {
    FROCC_TRY(reserve_rows(b, plan, n_rows));
    FROCC_TRY(reserve_texts(b, n_pieces));
    b->dtype = plan->dtype;
    b->sparse = false;
    b->n_features = b->row_stride = plan->n_features;
    b->n_rows = b->n_bad_rows = 0;
    size_t size = plan->dtype == FROCC_F32 ? sizeof(float) : sizeof(double), row = 0;
    if (__builtin_mul_overflow(plan->n_features, size, &row))
        return frocc__fail(FROCC_ERR_MEMORY, "%zu features are too many", plan->n_features);
    if (row != 0 && n_rows > b->values_size / row) {
        bool failed = false;
        b->values_size = 0;
        b->values = renew(b->lent ? NULL : b->values, n_rows + n_rows / 8, row, &failed);
        b->lent = false;
        if (failed)
            return FROCC_ERR_MEMORY;
        b->values_size = (n_rows + n_rows / 8) * row;
    }
    b->rows = b->values;
    return FROCC_OK;
}

frocc_status frocc__row_buffer_reserve_sparse(frocc__row_buffer *b, size_t n_rows,
                                              size_t n_entries) {
    bool failed = false;
    b->sparse = true;
    if (n_rows + 1 > b->row_start_size) {
        size_t room = n_rows + n_rows / 8 + 1;
        b->row_start_size = 0;
        b->row_start = renew(b->row_start, room, sizeof *b->row_start, &failed);
        b->row_start_size = failed ? 0 : room;
    }
    size_t room = n_entries + n_entries / 8;
    if (n_entries > b->columns_size) {
        b->columns_size = 0;
        b->columns = renew(b->columns, room, sizeof *b->columns, &failed);
        b->columns_size = failed ? 0 : room;
    }
    if (n_entries > b->values_size / sizeof(double)) {
        b->values_size = 0;
        b->values = renew(b->values, room, sizeof(double), &failed);
        b->values_size = failed ? 0 : room * sizeof(double);
    }
    if (failed)
        return FROCC_ERR_MEMORY;
    b->rows = b->values;
    return FROCC_OK;
}

size_t frocc__row_buffer_bytes(const frocc__row_buffer *b) {
    size_t bytes = b->values_size + b->rows_room * sizeof *b->row_numbers;
    bytes +=
        b->labels_room * (sizeof *b->label_values + sizeof *b->label_offsets + sizeof *b->labels);
    bytes += b->ids_room * (sizeof *b->id_offsets + sizeof *b->ids);
    bytes += b->carried_room * (sizeof *b->carried_offsets + sizeof *b->carried);
    for (size_t i = 0; i < b->n_texts; i++)
        bytes += sizeof *b->texts + b->texts[i].size;
    return bytes;
}

void frocc__row_buffer_split(frocc__row_buffer *copy, frocc__row_buffer *buffer, bool texts) {
    frocc__row_buffer *poorer = texts ? buffer : copy;
    copy->values = NULL;
    copy->lent = false;
    copy->row_numbers = NULL;
    copy->values_size = copy->rows_room = 0;
    poorer->label_values = NULL;
    poorer->label_offsets = poorer->id_offsets = NULL;
    poorer->labels = poorer->ids = NULL;
    poorer->carried_offsets = NULL;
    poorer->carried = NULL;
    poorer->texts = NULL;
    poorer->labels_room = poorer->ids_room = poorer->carried_room = poorer->n_texts = 0;
}

void frocc__row_buffer_clear(frocc__row_buffer *b) {
    for (size_t i = 0; i < b->n_texts; i++)
        frocc__free(b->texts[i].bytes), frocc__free(b->texts[i].bad);
    frocc__free(b->texts);
    frocc__free(b->bad_rows);
    if (!b->lent)
        frocc__free(b->values);
    frocc__free(b->row_start);
    frocc__free(b->columns);
    frocc__free(b->row_numbers);
    frocc__free(b->label_values);
    frocc__free(b->label_offsets);
    frocc__free(b->id_offsets);
    frocc__free(b->labels);
    frocc__free(b->ids);
    frocc__free(b->carried_offsets);
    frocc__free(b->carried);
    memset(b, 0, sizeof *b);
}

/* ---- Bad rows -------------------------------------------------------------------------------- */

frocc_status frocc__bad_row_add(frocc__texts *texts, frocc_status status, uint64_t row,
                                size_t before) {
    if (status != FROCC_ERR_DATA && status != FROCC_ERR_SHAPE)
        return status;
    if (texts->n_bad == texts->bad_room) {
        const size_t room = 2 * texts->bad_room + 4;
        struct frocc__bad *bad =
            frocc__grow(texts->bad, texts->n_bad * sizeof *bad, room, sizeof *bad);
        if (bad == NULL)
            return FROCC_ERR_MEMORY;
        texts->bad = bad;
        texts->bad_room = room;
    }
    frocc_error_place place = {.struct_size = sizeof place};
    frocc_last_error_place(&place);
    struct frocc__bad *bad = &texts->bad[texts->n_bad];
    *bad = (struct frocc__bad){.row = row, .line = (uint64_t)place.line, .before = before};
    const char *sentence = frocc_last_error();
    FROCC_TRY(frocc__texts_add(texts, sentence, strlen(sentence), &bad->sentence));
    texts->n_bad++;
    return FROCC_OK;
}

frocc_status frocc__row_buffer_take_bad(frocc__row_buffer *b, const frocc__texts *texts,
                                        uint64_t rows_before) {
    const size_t need = b->n_bad_rows + texts->n_bad;
    if (need > b->bad_room) {
        frocc_bad_row *rows =
            frocc__grow(b->bad_rows, b->n_bad_rows * sizeof *rows, 2 * need, sizeof *rows);
        if (rows == NULL)
            return FROCC_ERR_MEMORY;
        b->bad_rows = rows;
        b->bad_room = 2 * need;
    }
    for (size_t i = 0; i < texts->n_bad; i++) {
        const struct frocc__bad *bad = &texts->bad[i];
        b->bad_rows[b->n_bad_rows++] = (frocc_bad_row){.row_number = rows_before + bad->row,
                                                       .line = bad->line,
                                                       .before = b->n_rows + bad->before,
                                                       .error = texts->bytes + bad->sentence};
    }
    return FROCC_OK;
}
