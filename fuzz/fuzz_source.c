/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A row source that does what none should: blocks of other widths, of no type, with strides that
 * are too short, with columns that fall; NaN and numbers that are too large; failures of its own in
 * the middle; another pass that brings other rows. What it claims is always there in memory, as a
 * caller must see to; all else is the library's to check. Fits, adds to a fitter and scores.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "bounded.h"
#include "fit_input.h"

#define VALUES 96 /* of a block, in memory */

typedef struct source {
    input bytes; /* goes on, so that each pass brings what it likes */
    const uint8_t *data;
    size_t size, d;
    unsigned n_blocks; /* so far, in all passes */
    bool same_again;
    float f32[VALUES];
    double f64[VALUES];
    int64_t row_start[VALUES + 1];
    int32_t columns[VALUES];
} source;

static void fill_values(source *s, unsigned how) {
    for (size_t i = 0; i < VALUES; i++) {
        s->f32[i] = how == 3 && s->bytes.left < 4 ? 1.0f : read_value(&s->bytes, how);
        s->f64[i] = (double)s->f32[i];
        if (how == 3 && i % 16 == 5 && s->bytes.left > 0)
            s->f64[i] *= 1e300;
    }
}

/* Rows that say where their entries are, which rise, mostly, and stay within the memory. */
static void fill_sparse(source *s, frocc_rows *block) {
    int64_t at = (int64_t)(take(&s->bytes) % 4) - 1;
    const size_t n_rows = take(&s->bytes) % 12;
    for (size_t r = 0; r <= n_rows; r++) {
        s->row_start[r] = at;
        const int64_t more = (int64_t)(take(&s->bytes) % 8) - (take(&s->bytes) == 255 ? 4 : 0);
        at = at + more < VALUES ? at + more : VALUES;
    }
    int32_t column = 0;
    for (size_t i = 0; i < VALUES; i++) {
        const unsigned step = take(&s->bytes);
        column = step > 250 ? (int32_t)step - 253 : (column + 1) % (int32_t)(s->d + 1);
        s->columns[i] = column;
    }
    block->n_rows = n_rows;
    block->row_start = s->row_start;
    block->columns = take(&s->bytes) == 255 ? NULL : s->columns;
}

static frocc_status next(void *context, frocc_rows *block) {
    source *s = context;
    const unsigned how = take(&s->bytes);
    if (s->n_blocks++ > 40 || s->bytes.left == 0)
        return *block = (frocc_rows){.n_features = s->d}, FROCC_OK;
    if (how >= 250) /* a failure, of which some are none that there is */
        return (frocc_status)(how - 246);
    fill_values(s, how % 4);
    const bool is_double = how / 4 % 2 == 1;
    *block = (frocc_rows){.n_features = s->d,
                          .dtype = is_double ? FROCC_F64 : FROCC_F32,
                          .values = is_double ? (const void *)s->f64 : (const void *)s->f32,
                          .row_stride = s->d + how / 8 % 3};
    if (how / 32 % 4 == 1)
        fill_sparse(s, block);
    else
        block->n_rows = take(&s->bytes) % (VALUES / block->row_stride + 1);
    switch (take(&s->bytes)) { /* mostly none of these */
    case 255:
        block->n_features++;
        break;
    case 254:
        block->n_features = 0;
        break;
    case 253:
        block->dtype = (frocc_dtype)7;
        break;
    case 252:
        block->values = NULL;
        break;
    case 251:
        block->row_stride = 0;
        break;
    case 250:
        block->row_stride = SIZE_MAX;
        block->n_rows = block->n_rows > 1 ? 1 : block->n_rows;
        break;
    }
    return FROCC_OK;
}

static frocc_status rewind_to_first(void *context) {
    source *s = context;
    const unsigned how = take(&s->bytes);
    if (s->same_again)
        s->bytes = (input){s->data, s->size};
    return how == 255 ? FROCC_ERR_CALLBACK : FROCC_OK;
}

static void fit(const frocc_params *params, source *s) {
    frocc_source rows = {next, rewind_to_first, s};
    frocc_model *model = NULL, *again = NULL;
    void *bytes = NULL;
    size_t size = 0;
    const frocc_status status = frocc_fit_source(params, &rows, &model);
    HOLDS((status == FROCC_OK) == (model != NULL));
    HOLDS(status == FROCC_OK || frocc_last_error()[0] != '\0');
    if (status != FROCC_OK)
        return;
    HOLDS(frocc_model_to_bytes(model, &bytes, &size) == FROCC_OK);
    HOLDS(frocc_model_from_bytes(bytes, size, NULL, &again) == FROCC_OK);
    frocc_bytes_free(bytes);
    frocc_model_free(again);
    frocc_model_free(model);
}

/* A fitter that refused rows goes on with the next ones, and scores are of rows that it took. */
static void add_and_score(frocc_params *params, source *s) {
    frocc_frame *frame = NULL;
    frocc_fitter *fitter = NULL;
    frocc_model *model = NULL;
    frocc_scorer *scorer = NULL;
    frocc_rows block;
    double scores[VALUES];
    params->scaling = FROCC_SCALING_NONE;
    params->family = FROCC_FAMILY_GAUSSIAN;
    params->n_trees = 0;
    HOLDS(frocc_frame_new(params, s->d, NULL, &frame) == FROCC_OK);
    HOLDS(frocc_fitter_new(frame, params, &fitter) == FROCC_OK);
    for (int i = 0; i < 12; i++) {
        const uint64_t before = frocc_fitter_rows(fitter);
        if (next(s, &block) != FROCC_OK)
            continue;
        const frocc_status status = frocc_fitter_add(fitter, &block);
        const uint64_t taken = frocc_fitter_rows(fitter) - before;
        HOLDS(status == FROCC_OK ? taken == block.n_rows : taken <= block.n_rows);
    }
    if (frocc_fitter_rows(fitter) == 0)
        HOLDS(frocc_fitter_finish(fitter, &model) == FROCC_ERR_EMPTY);
    else
        HOLDS(frocc_fitter_finish(fitter, &model) == FROCC_OK);
    if (model != NULL) {
        HOLDS(frocc_scorer_new(model, params->threads, &scorer) == FROCC_OK);
        for (int i = 0; i < 4; i++)
            if (next(s, &block) == FROCC_OK &&
                frocc_scorer_score(scorer, &block, scores) == FROCC_OK)
                for (size_t r = 0; r < block.n_rows; r++)
                    HOLDS(scores[r] <= 1);
    }
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    frocc_fitter_free(fitter);
    frocc_frame_free(frame);
}

static void try_input(const uint8_t *data, size_t size) {
    static job j;
    static source s;
    input in = {data, size};
    memset(&j, 0, sizeof j);
    read_params(&in, &j);
    const bool same_again = take(&in) % 2 == 0;
    s = (source){.bytes = in, .data = in.data, .size = in.left, .d = j.d, .same_again = same_again};
    fit(&j.params, &s);
    s.bytes = in;
    s.n_blocks = 0;
    add_and_score(&j.params, &s);
}
