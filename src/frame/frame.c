/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame: shared, compared, and what callers may see of it. */
#include "frame/frame.h"

#include <string.h>

#include "base/memory.h"
#include "schema/schema.h"

frocc_frame *frocc__frame_retain(frocc_frame *frame) {
    atomic_fetch_add_explicit(&frame->references, 1, memory_order_relaxed);
    return frame;
}

void frocc_frame_free(frocc_frame *frame) {
    if (frame == NULL ||
        atomic_fetch_sub_explicit(&frame->references, 1, memory_order_acq_rel) != 1)
        return;
    frocc__columns_free(&frame->columns);
    frocc__free(frame->shift);
    frocc__free(frame->scale);
    frocc__free(frame->is_log);
    frocc__free(frame->asinh_shift);
    frocc__free(frame->asinh_scale);
    frocc_schema_free(frame->schema);
    frocc__free(frame->w);
    frocc__lists_free(&frame->lists);
    frocc__bundles_free(&frame->bundles);
    frocc__trees_free(&frame->trees);
    frocc__free(frame->w_norms);
    frocc__free(frame->w_rows);
    frocc__free(frame);
}

/* ---- Comparing ------------------------------------------------------------------------------ */

static bool same_doubles(const double *a, const double *b, size_t count) {
    return a == b || (a != NULL && b != NULL && memcmp(a, b, count * sizeof(double)) == 0);
}

static bool same_floats(const float *a, const float *b, size_t count) {
    return a == b || (a != NULL && b != NULL && memcmp(a, b, count * sizeof(float)) == 0);
}

static bool same_trees(const frocc__trees *a, const frocc__trees *b) {
    return a->n_trees == b->n_trees && a->n_nodes == b->n_nodes &&
           (a->n_nodes == 0 || memcmp(a->nodes, b->nodes, a->n_nodes * sizeof *a->nodes) == 0);
}

/* Field by field: it must not need memory, and a checksum alone could be forged. */
bool frocc__frames_equal(const frocc_frame *a, const frocc_frame *b) {
    if (a == b)
        return true;
    return a->checksum == b->checksum && a->n_features == b->n_features &&
           a->n_directions == b->n_directions && a->seed == b->seed && a->family == b->family &&
           a->scaling == b->scaling && a->kernel_fn == b->kernel_fn &&
           memcmp(&a->transform, &b->transform, sizeof a->transform) == 0 &&
           memcmp(a->kernel_name, b->kernel_name, sizeof a->kernel_name) == 0 &&
           frocc__columns_equal(&a->columns, &b->columns) &&
           same_doubles(a->shift, b->shift, a->columns.n_inputs) &&
           same_doubles(a->scale, b->scale, a->columns.n_inputs) &&
           same_doubles(a->asinh_shift, b->asinh_shift, a->columns.n_inputs) &&
           same_doubles(a->asinh_scale, b->asinh_scale, a->columns.n_inputs) &&
           (a->schema == NULL) == (b->schema == NULL) &&
           a->direction_features == b->direction_features && same_trees(&a->trees, &b->trees) &&
           same_floats(a->w, b->w, a->n_dense_blocks * FROCC_BLOCK * a->n_features);
}

/* ---- What callers may see ------------------------------------------------------------------- */

size_t frocc_frame_features(const frocc_frame *frame) {
    return frame == NULL ? 0 : frame->columns.n_inputs;
}

frocc_schema *frocc_frame_schema(const frocc_frame *frame) {
    return frame == NULL || frame->schema == NULL ? NULL : frocc__schema_retain(frame->schema);
}

size_t frocc_frame_directions(const frocc_frame *frame) {
    return frame == NULL ? 0 : frame->n_directions;
}

uint64_t frocc_frame_checksum(const frocc_frame *frame) {
    return frame == NULL ? 0 : frame->checksum;
}

void frocc_frame_copy_scaling(const frocc_frame *frame, double *shift, double *scale) {
    for (size_t j = 0; frame != NULL && j < frame->columns.n_inputs; j++) {
        if (shift != NULL)
            shift[j] = frame->shift != NULL ? frame->shift[j] : 0.0;
        if (scale != NULL)
            scale[j] = frame->scale != NULL ? frame->scale[j] : 1.0;
    }
}
