/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Directions over few features: lists of features and weights, so that a projection costs as much
 * as the list is long. Skipping a zero weight leaves a chain of multiply-adds as it is.
 */
#ifndef FROCC_LISTS_H
#define FROCC_LISTS_H

#include "frame/columns.h"

typedef struct frocc__lists {
    size_t *start;     /* per direction, and one more: its part of the lists, empty for others */
    int32_t *features; /* rising within a direction */
    float *weights;
} frocc__lists;

/* Room for lists of these lengths; count has one entry per direction. */
frocc_status frocc__lists_new(size_t n_directions, const uint32_t *count, frocc__lists *lists);
void frocc__lists_free(frocc__lists *lists);

/* What directions are drawn from. */
typedef struct frocc__draw {
    const frocc__columns *columns;
    size_t n_directions;
    const uint8_t *kinds; /* per direction */
    uint64_t seed;
} frocc__draw;

/*
 * Draws the directions of this kind, over k columns each; single ones over one number each, with
 * the weight 1. Columns are dealt out from random permutations, so that all are used about equally
 * often, and of each one feature is drawn.
 */
frocc_status frocc__lists_draw(frocc__lists *lists, const frocc__draw *from, uint8_t kind,
                               uint32_t k, bool is_single);

/* The direction as n_features floats. */
void frocc__lists_unpack(const frocc__lists *lists, size_t direction, size_t n_features,
                         float *out);

#endif
