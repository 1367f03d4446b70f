/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frame: how a row becomes m numbers. Immutable once made, shared by reference count. A pure
 * function of the parameters and, where a scaling is learnt, of the bottom-k sample.
 */
#ifndef FROCC_FRAME_H
#define FROCC_FRAME_H

#include <stdatomic.h>

#include "base/bytes.h"
#include "base/rows.h"
#include "frame/columns.h"
#include "frame/hadamard.h"
#include "frame/lists.h"
#include "frame/trees.h"
#include "kernels/kernels.h"

struct frocc_frame {
    atomic_size_t references;
    const frocc__kernels *kernels;
    frocc__columns columns; /* what rows are as they come */
    size_t n_features;      /* of a row as it is prepared */
    size_t n_directions;
    size_t n_blocks; /* n_directions in blocks, the last one padded */
    uint64_t seed;
    frocc_family family;
    frocc_scaling scaling;
    frocc__transform transform;
    frocc_kernel_fn kernel_fn;
    void *kernel_context;
    char kernel_name[FROCC_KERNEL_NAME_SIZE];
    frocc_schema *schema; /* what the columns are, for those who read files; may be NULL */
    bool zero_stays_zero; /* sparse rows may skip what they do not name */
    double *shift;        /* NULL for FROCC_SCALING_NONE, as is scale */
    double *scale;
    uint8_t *is_log;     /* FROCC_SCALING_ASINH only: the scaling makes asinh a logarithm */
    double *asinh_shift; /* the same: of the values after asinh */
    double *asinh_scale;
    size_t dense_step; /* directions 0, dense_step, ... are in w; 0 for none */
    size_t n_dense;
    size_t n_dense_blocks;
    float *w;                    /* the dense directions, n_dense_blocks blocks */
    uint32_t direction_features; /* of a sparse direction */
    frocc__lists lists;          /* directions over few features */
    frocc__bundles bundles;      /* structured directions */
    frocc__trees trees;          /* of no tree where rows are not split */
    double *w_norms;             /* |w|^2 per direction, for RBF only */
    float *w_rows;               /* the directions row by row, for custom kernels only */
    uint64_t checksum;           /* of the frame's bytes in a model file */
};

frocc_frame *frocc__frame_retain(frocc_frame *frame);

/* Whether codes are evidence of their own: rows then keep them beside what directions look at. */
static inline bool frocc__judges_codes(const frocc_frame *frame) {
    return frame->columns.n_codes > 0 && frame->family == FROCC_FAMILY_MIXED &&
           frame->transform.kernel == FROCC_KERNEL_LINEAR;
}

/*
 * What a frame from a file knows beyond its parameters: the scaling it once learnt (its parameters
 * say it is given), the values after asinh, and its whitened directions, one after another.
 */
typedef struct frocc__recorded {
    frocc_scaling scaling;
    const double *asinh_shift, *asinh_scale;
    const uint8_t *is_log;
    frocc__columns *columns; /* taken over */
    const float *whitened;
    frocc__trees *trees; /* taken over */
} frocc__recorded;

/* Checks the parameters and makes the frame: learns from the sample, or takes what is recorded. */
frocc_status frocc__frame_build(const frocc_params *params, size_t n_features,
                                const frocc_sample *sample, const frocc__recorded *recorded,
                                frocc_frame **frame);

/* The frame of the first n_directions directions. */
frocc_status frocc__frame_truncate(const frocc_frame *frame, size_t n_directions,
                                   frocc_frame **shorter);

bool frocc__frames_equal(const frocc_frame *a, const frocc_frame *b);

/* What the rest of a file says about its frame: of how many directions it can hold values at most,
 * what is taken beside the frame, in all, for each direction and leaf and where codes are judged,
 * and what may be. */
typedef struct frocc__limits {
    uint64_t most_directions, beside, per_direction, per_leaf, most_memory;
    uint64_t content; /* bytes of what was counted */
    uint64_t (*of_codes)(const frocc__columns *columns, uint64_t content); /* may be NULL */
} frocc__limits;

/* The frame as a section of the model file; the reader takes the whole section, and makes nothing
 * that is beyond the limits. */
void frocc__frame_write(const frocc_frame *frame, frocc__bytes_out *out);
frocc_status frocc__frame_read(frocc__bytes_in in, const frocc_load_options *options,
                               const frocc__limits *limits, frocc_frame **frame);

/* Whether these bytes would be a frame, without making it, which takes long where it is large. */
frocc_status frocc__frame_check_bytes(frocc__bytes_in in, const frocc_load_options *options);

/*
 * Prepares row r as n_features floats. False when a value cannot be used: frocc__rows_failure then
 * says which.
 */
bool frocc__frame_prepare(const frocc_frame *frame, const frocc_rows *rows, size_t r, float *out);

/* Whether a row can be prepared for certain: all of its values are of a usable size as they are. */
bool frocc__row_is_plain(const frocc_frame *frame, const frocc_rows *rows, size_t r);

/* As frocc__frame_prepare, but where there is nothing to do the row stays where it is; otherwise in
 * scratch. NULL when a value cannot be used. */
const float *frocc__frame_row(const frocc_frame *frame, const frocc_rows *rows, size_t r,
                              float *scratch);

/* The same for the named entries of a sparse row, in frames where zero stays zero. */
bool frocc__frame_prepare_sparse(const frocc_frame *frame, const frocc_rows *rows,
                                 const frocc__row *row, float *out);

#endif
