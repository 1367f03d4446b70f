/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing trees, and finding a row's leaves. */
#include "frame/trees.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "kernels/random.h"

/* A node of fewer rows than twice this is a leaf, and no split leaves fewer on a side. */
#define LEAST_ROWS 8

/* Directions that are tried where all rows of a node have the same value. */
#define TRIES 16

#define MOST_TREES 4096

void frocc__trees_free(frocc__trees *trees) {
    frocc__free(trees->root);
    frocc__free(trees->depth);
    frocc__free(trees->nodes);
    frocc__free(trees->leaf_directions);
    *trees = (frocc__trees){0};
}

static frocc_status trees_new(size_t n_trees, size_t most_nodes, frocc__trees *trees) {
    *trees = (frocc__trees){.n_trees = n_trees,
                            .root = frocc__alloc(n_trees, sizeof(uint32_t)),
                            .depth = frocc__alloc(n_trees, sizeof(uint32_t)),
                            .nodes = frocc__alloc_raw(most_nodes, sizeof(frocc__node))};
    if (trees->root != NULL && trees->depth != NULL && trees->nodes != NULL)
        return FROCC_OK;
    frocc__trees_free(trees);
    return FROCC_ERR_MEMORY;
}

/* ---- Growing -------------------------------------------------------------------------------- */

typedef struct growing {
    frocc__trees *trees;
    uint64_t seed;
    size_t tree;
    uint32_t n_drawn;
    const float *projections; /* a direction after the other */
    size_t n_rows;
    const uint32_t *listed;
    size_t n_listed;
    float *values; /* of the rows of a node in one direction */
} growing;

static uint32_t draw(uint64_t seed, size_t tree, uint32_t number, const uint32_t *listed,
                     size_t n_listed) {
    uint32_t words[4] = {number, (uint32_t)tree, FROCC_STREAM_TREES, 0};
    frocc__philox(seed, words);
    return listed[(uint64_t)words[0] * n_listed >> 32];
}

/* Values below the pivot, or no larger, come first; says how many. Nothing is branched on. */
static size_t partition(float *values, size_t count, float pivot, bool with_equal) {
    size_t below = 0;
    for (size_t i = 0; i < count; i++) {
        const float value = values[i];
        values[i] = values[below];
        values[below] = value;
        below += with_equal ? value <= pivot : value < pivot;
    }
    return below;
}

static float median_of_three(float a, float b, float c) {
    return FROCC_MAX(FROCC_MIN(a, b), FROCC_MIN(FROCC_MAX(a, b), c));
}

/* Puts the value of this rank where it belongs, no larger ones before it and no smaller ones after
 * it (Hoare's way). O(count). */
static void select_rank(float *values, size_t count, size_t rank) {
    while (count > 1) {
        const float pivot = median_of_three(values[0], values[count / 2], values[count - 1]);
        size_t below = partition(values, count, pivot, false);
        if (rank >= below) { /* those that equal the pivot are at their places */
            const size_t equal = partition(values + below, count - below, pivot, true);
            if (rank < below + equal)
                return;
            below += equal;
            values += below;
            count -= below;
            rank -= below;
        } else {
            count = below;
        }
    }
}

/* Rising; quicksort, then insertion for what is short. */
static void sort(float *values, size_t count) {
    while (count > 12) {
        const float pivot = median_of_three(values[0], values[count / 2], values[count - 1]);
        const size_t below = partition(values, count, pivot, false);
        const size_t equal = partition(values + below, count - below, pivot, true);
        sort(values, below);
        values += below + equal;
        count -= below + equal;
    }
    for (size_t i = 1; i < count; i++) {
        const float value = values[i];
        size_t at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

/* The widest gap among the middle quarter of the values, if there is one: a threshold in it. */
static bool find_gap(float *values, size_t count, float *threshold) {
    const size_t first = FROCC_MAX((size_t)LEAST_ROWS, count * 3 / 8), last = count - first;
    float widest = 0.0f;
    select_rank(values, count, first - 1);
    select_rank(values + first, count - first, last - first);
    sort(values + first, last - first + 1);
    for (size_t i = first; i <= last; i++)
        if (values[i] - values[i - 1] > widest) {
            widest = values[i] - values[i - 1];
            *threshold = values[i - 1] + widest * 0.5f;
            if (!(*threshold > values[i - 1] && *threshold <= values[i]))
                *threshold = values[i];
            *threshold += 0.0f; /* no -0 */
        }
    return widest > 0.0f;
}

static bool find_split(growing *g, const uint32_t *rows, size_t count, frocc__node *node) {
    if (count < 2 * LEAST_ROWS)
        return false;
    for (int i = 0; i < TRIES; i++) {
        node->direction = draw(g->seed, g->tree, g->n_drawn++, g->listed, g->n_listed);
        const float *column = g->projections + node->direction * g->n_rows;
        for (size_t r = 0; r < count; r++)
            g->values[r] = column[rows[r]];
        if (find_gap(g->values, count, &node->threshold))
            return true;
    }
    return false;
}

/* Rows below the threshold come first; says how many. */
static size_t divide(const growing *g, const frocc__node *node, uint32_t *rows, size_t count) {
    const float *column = g->projections + node->direction * g->n_rows;
    size_t below = 0;
    for (size_t r = 0; r < count; r++) {
        const uint32_t row = rows[r];
        rows[r] = rows[below];
        rows[below] = row;
        below += column[row] < node->threshold;
    }
    return below;
}

/* Each split leaves at most 5/8 of the rows on a side, up to ties: recursion stays shallow. */
static void grow(growing *g, uint32_t *rows, size_t count, uint32_t depth) {
    frocc__trees *trees = g->trees;
    const uint32_t own = (uint32_t)trees->n_nodes++;
    frocc__node node = {-INFINITY, 0, own, 0};
    size_t below = 0;
    if (find_split(g, rows, count, &node))
        below = divide(g, &node, rows, count);
    if (below == 0 || below == count) {
        trees->nodes[own] = (frocc__node){-INFINITY, 0, own, (uint32_t)trees->n_leaves++};
        trees->depth[g->tree] = FROCC_MAX(trees->depth[g->tree], depth);
        return;
    }
    grow(g, rows, below, depth + 1);
    node.right = (uint32_t)trees->n_nodes;
    trees->nodes[own] = node;
    grow(g, rows + below, count - below, depth + 1);
}

/* What leaves look at comes from numbers that no node draws. */
static frocc_status draw_leaves(frocc__trees *trees, uint64_t seed, const uint32_t *listed,
                                size_t n_listed) {
    const size_t count = trees->n_leaves * FROCC_LEAF_DIRECTIONS;
    trees->leaf_directions = frocc__alloc(count, sizeof(uint32_t));
    if (trees->leaf_directions == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        trees->leaf_directions[i] = draw(seed, MOST_TREES, (uint32_t)i, listed, n_listed);
    return FROCC_OK;
}

frocc_status frocc__trees_grow(size_t n_trees, uint64_t seed, const float *projections,
                               size_t n_rows, const uint32_t *listed, size_t n_listed,
                               frocc__trees *trees) {
    /* A leaf has LEAST_ROWS rows, up to ties, and a tree of l leaves 2 l - 1 nodes. */
    FROCC_TRY(trees_new(n_trees, n_trees * (2 * n_rows + 1), trees));
    growing g = {.trees = trees,
                 .seed = seed,
                 .projections = projections,
                 .n_rows = n_rows,
                 .listed = listed,
                 .n_listed = n_listed,
                 .values = frocc__alloc(n_rows, sizeof(float))};
    uint32_t *rows = frocc__alloc(n_rows, sizeof(uint32_t));
    frocc_status status = g.values != NULL && rows != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    for (size_t t = 0; t < n_trees && status == FROCC_OK; t++) {
        for (size_t r = 0; r < n_rows; r++)
            rows[r] = (uint32_t)r;
        g.tree = t;
        g.n_drawn = 0;
        trees->root[t] = (uint32_t)trees->n_nodes;
        grow(&g, rows, n_rows, 0);
    }
    frocc__free(g.values);
    frocc__free(rows);
    if (status == FROCC_OK)
        status = draw_leaves(trees, seed, listed, n_listed);
    if (status != FROCC_OK)
        frocc__trees_free(trees);
    return status;
}

/* ---- Descending ----------------------------------------------------------------------------- */

void frocc__trees_descend(const frocc__trees *trees, const frocc__kernels *kernels, size_t tree,
                          const float *values, uint32_t leaves[FROCC_DESCENDING]) {
    for (size_t r = 0; r < FROCC_DESCENDING; r++)
        leaves[r] = trees->root[tree];
    kernels->descend(trees->nodes, trees->depth[tree], values, leaves);
    for (size_t r = 0; r < FROCC_DESCENDING; r++)
        leaves[r] = trees->nodes[leaves[r]].leaf;
}

/* ---- As bytes ------------------------------------------------------------------------------- */

/* A node is its direction and threshold, in the order of growing; a leaf is UINT32_MAX alone. */
void frocc__trees_write(const frocc__trees *trees, frocc__bytes_out *out) {
    frocc__put_u32(out, (uint32_t)trees->n_trees);
    frocc__put_u64(out, trees->n_nodes);
    for (size_t i = 0; i < trees->n_nodes; i++) {
        const frocc__node *node = &trees->nodes[i];
        const bool is_leaf = node->threshold == -INFINITY;
        frocc__put_u32(out, is_leaf ? UINT32_MAX : node->direction);
        if (!is_leaf)
            frocc__put_f32(out, node->threshold);
    }
}

/* No tree that was grown is as deep. */
#define DEEPEST 256

/* Nodes whose right child is not known yet. */
typedef struct path {
    uint32_t open[DEEPEST];
    uint32_t length;
} path;

/* Reads one tree, whose nodes come in the order of growing. */
static bool read_tree(frocc__bytes_in *in, size_t n_directions, size_t most, size_t tree,
                      frocc__trees *trees) {
    path way = {.length = 0};
    trees->root[tree] = (uint32_t)trees->n_nodes;
    for (;;) {
        if (trees->n_nodes == most)
            return false;
        const uint32_t own = (uint32_t)trees->n_nodes++, direction = frocc__get_u32(in);
        if (in->failed)
            return false;
        if (direction != UINT32_MAX) {
            const float threshold = frocc__get_f32(in);
            if (direction >= n_directions || !isfinite(threshold) || way.length == DEEPEST)
                return false;
            trees->nodes[own] = (frocc__node){threshold, direction, 0, 0};
            way.open[way.length++] = own;
            continue;
        }
        trees->nodes[own] = (frocc__node){-INFINITY, 0, own, (uint32_t)trees->n_leaves++};
        trees->depth[tree] = FROCC_MAX(trees->depth[tree], way.length);
        if (way.length == 0)
            return true;
        /* The next node is the right child of the last one that has none; it keeps its place on the
         * way only in that its own depth counts. */
        while (way.length > 0 && trees->nodes[way.open[way.length - 1]].right != 0)
            way.length--;
        if (way.length == 0)
            return true;
        trees->nodes[way.open[way.length - 1]].right = (uint32_t)trees->n_nodes;
    }
}

uint64_t frocc__trees_claimed(frocc__bytes_in in) {
    const uint64_t n_trees = frocc__get_u32(&in), n_nodes = frocc__get_u64(&in);
    const bool fit = !in.failed && n_nodes <= in.left / sizeof(uint32_t) && n_trees <= n_nodes;
    return fit ? (n_nodes + n_trees) / 2 : 0;
}

frocc_status frocc__trees_read(frocc__bytes_in *in, uint64_t seed, size_t n_directions,
                               const uint32_t *listed, size_t n_listed, frocc__trees *trees) {
    const size_t n_trees = frocc__get_u32(in);
    const uint64_t n_nodes = frocc__get_u64(in);
    if (in->failed || n_trees > MOST_TREES || n_nodes > in->left / sizeof(uint32_t) ||
        n_trees > n_nodes || n_nodes >= UINT32_MAX)
        return frocc__damaged("its trees do not fit the frame");
    frocc__trees made;
    FROCC_TRY(trees_new(n_trees, (size_t)n_nodes, &made));
    bool usable = true;
    for (size_t t = 0; t < n_trees && usable; t++)
        usable = read_tree(in, n_directions, (size_t)n_nodes, t, &made);
    usable &= made.n_nodes == n_nodes;
    frocc_status status = usable ? draw_leaves(&made, seed, listed, n_listed)
                                 : frocc__damaged("its trees are not what a fit produces");
    if (status != FROCC_OK) {
        frocc__trees_free(&made);
        return status;
    }
    *trees = made;
    return FROCC_OK;
}
