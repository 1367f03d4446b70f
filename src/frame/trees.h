/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees that split rows into small cells, so that a row is compared with those near it: in a
 * projection the shadows of far clusters cover the gaps of others, within a cell they do not. A
 * node asks whether the row's projection on one direction is below a threshold; a leaf looks at a
 * few directions. All of that is learnt from the frame's sample, so that which leaf a row falls in
 * depends on the frame and the row alone.
 */
#ifndef FROCC_TREES_H
#define FROCC_TREES_H

#include "base/bytes.h"
#include "kernels/kernels.h"

/* Directions that a leaf looks at. */
#define FROCC_LEAF_DIRECTIONS 4

/* Bytes of a leaf with its share of the tree, or more: one of l leaves has 2 l - 1 nodes, a root
 * and a depth. */
#define FROCC_MEMORY_OF_A_LEAF                                                                     \
    (2 * (sizeof(frocc__node) + sizeof(uint32_t)) + FROCC_LEAF_DIRECTIONS * sizeof(uint32_t))

typedef struct frocc__trees {
    size_t n_trees, n_nodes, n_leaves;
    uint32_t *root;  /* per tree */
    uint32_t *depth; /* steps to the furthest leaf */
    frocc__node *nodes;
    uint32_t *leaf_directions; /* FROCC_LEAF_DIRECTIONS of each leaf */
} frocc__trees;

/*
 * Grows trees from the projections of n_rows rows, direction j of row r being projections[j *
 * n_rows + r]; nodes and leaves take their directions from the listed ones. O(trees n log n).
 */
frocc_status frocc__trees_grow(size_t n_trees, uint64_t seed, const float *projections,
                               size_t n_rows, const uint32_t *listed, size_t n_listed,
                               frocc__trees *trees);
void frocc__trees_free(frocc__trees *trees);

/* The leaves of FROCC_DESCENDING rows, which may be anything, in one tree; row r's projection on
 * direction j is values[j * FROCC_DESCENDING + r]. */
void frocc__trees_descend(const frocc__trees *trees, const frocc__kernels *kernels, size_t tree,
                          const float *values, uint32_t leaves[FROCC_DESCENDING]);

/* As part of the frame's section. Leaf directions are drawn again. */
void frocc__trees_write(const frocc__trees *trees, frocc__bytes_out *out);
/* How many leaves the trees have that come next, as they claim; 0 where reading them will fail. */
uint64_t frocc__trees_claimed(frocc__bytes_in in);
frocc_status frocc__trees_read(frocc__bytes_in *in, uint64_t seed, size_t n_directions,
                               const uint32_t *listed, size_t n_listed, frocc__trees *trees);

#endif
