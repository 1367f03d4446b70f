/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels written once in terms of a level's vectors: the including file defines VECTOR, how many
 * floats it holds, and the operations on it. Lanes are rows, so that every lane does the
 * reference's operations in the reference's order.
 */

FROCC_TARGET static void FROCC_LEVEL(project_panel_list)(const float *x, const int32_t *features,
                                                         const float *weights, size_t count,
                                                         float *out) {
    for (size_t r = 0; r < FROCC_PANEL; r += FROCC_SUBPANEL) {
        VECTOR sum[FROCC_SUBPANEL / VECTOR_SIZE];
#pragma GCC unroll 4
        for (int v = 0; v < FROCC_SUBPANEL / VECTOR_SIZE; v++)
            sum[v] = VECTOR_ALL(0.0f);
        for (size_t k = 0; k < count; k++) {
            const float *rows = x + (size_t)features[k] * FROCC_PANEL + r;
            VECTOR weight = VECTOR_ALL(weights[k]);
#pragma GCC unroll 4
            for (int v = 0; v < FROCC_SUBPANEL / VECTOR_SIZE; v++)
                sum[v] = VECTOR_FMA(VECTOR_LOAD(rows + v * VECTOR_SIZE), weight, sum[v]);
        }
#pragma GCC unroll 4
        for (int v = 0; v < FROCC_SUBPANEL / VECTOR_SIZE; v++)
            VECTOR_STORE(out + r + v * VECTOR_SIZE, sum[v]);
    }
}

/* ---- Walsh and Hadamard --------------------------------------------------------------------- */

/*
 * A transform in units of vectors: elements that are far apart are added first, and those of one
 * vector last. VECTOR_WITHIN does the latter. What is scheduled when is free, since every sum has
 * the same two terms in any schedule; three steps at a time stay in registers.
 */

/* Vectors a run consists of. */
#define RUN_VECTORS (FROCC_RUN / VECTOR_SIZE)

/* Sums, and unless only those are wanted differences, of the vectors distance apart. */
FROCC_TARGET static inline __attribute__((always_inline)) void
FROCC_LEVEL(butterflies)(VECTOR e[8], int count, int distance, bool only_sums) {
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) {
        if ((i & distance) != 0)
            continue;
        VECTOR a = e[i], b = e[i + distance];
        e[i] = VECTOR_ADD(a, b);
        if (!only_sums)
            e[i + distance] = VECTOR_SUB(a, b);
    }
}

/* The three steps of eight vectors that are furthest apart; of the results only the first kept. All
 * arguments but the vectors are known when this is compiled. */
FROCC_TARGET static inline __attribute__((always_inline)) void FROCC_LEVEL(three_steps)(VECTOR e[8],
                                                                                        int kept) {
    FROCC_LEVEL(butterflies)(e, 8, 4, kept <= 4);
    FROCC_LEVEL(butterflies)(e, kept <= 4 ? 4 : 8, 2, kept <= 2);
    FROCC_LEVEL(butterflies)(e, kept <= 2 ? 2 : kept, 1, kept <= 1);
}

/* Three steps of eight vectors, gap floats apart in from and, unless they are NULL, in signs. */
FROCC_TARGET static inline __attribute__((always_inline)) void
FROCC_LEVEL(eight)(const float *from, const float *signs, size_t gap, int kept, float *to,
                   size_t to_gap) {
    VECTOR e[8];
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++) {
        e[i] = VECTOR_LOADU(from + i * gap);
        if (signs != NULL)
            e[i] = VECTOR_MUL(e[i], VECTOR_LOAD(signs + i * gap));
    }
    FROCC_LEVEL(three_steps)(e, kept);
#pragma GCC unroll 8
    for (size_t i = 0; i < (size_t)kept; i++)
        VECTOR_STORE(to + i * to_gap, e[i]);
}

/* The first three steps of a segment of runs, stride apart in from and signs but not in to. */
FROCC_TARGET static inline __attribute__((always_inline)) void
FROCC_LEVEL(first_steps)(const float *from, const float *signs, size_t stride, size_t segment,
                         int kept, frocc__fetching *next, float *to) {
    const size_t n_runs = segment / 8 / FROCC_RUN;
    for (size_t i = 0; i < n_runs; i++) {
        frocc__fetch(next, 1);
#pragma GCC unroll 4
        for (size_t v = 0; v < RUN_VECTORS; v++) {
            size_t at = i * stride + v * VECTOR_SIZE;
            FROCC_LEVEL(eight)
            (from + at, signs != NULL ? signs + at : NULL, n_runs * stride, kept,
             to + i * FROCC_RUN + v * VECTOR_SIZE, segment / 8);
        }
    }
}

/* All steps of count vectors, at most eight; count is known when this is compiled. */
FROCC_TARGET static inline __attribute__((always_inline)) void FROCC_LEVEL(last_steps)(float *x,
                                                                                       int count) {
    VECTOR e[8];
#pragma GCC unroll 8
    for (int i = 0; i < count; i++)
        e[i] = VECTOR_LOAD(x + i * VECTOR_SIZE);
    if (count > 4)
        FROCC_LEVEL(butterflies)(e, count, 4, false);
    if (count > 2)
        FROCC_LEVEL(butterflies)(e, count, 2, false);
    if (count > 1)
        FROCC_LEVEL(butterflies)(e, count, 1, false);
#pragma GCC unroll 8
    for (int i = 0; i < count; i++)
        VECTOR_STORE(x + i * VECTOR_SIZE, VECTOR_WITHIN(e[i]));
}

/* How many eighths of a segment the wanted results are in, as a power of two. */
FROCC_TARGET static inline int FROCC_LEVEL(kept_of)(size_t segment, size_t wanted) {
    if (wanted > segment / 2)
        return 8;
    if (wanted > segment / 4)
        return 4;
    return wanted > segment / 8 ? 2 : 1;
}

/* Transforms parts of x, part floats each, in place; only the first wanted results count. */
FROCC_TARGET static void FROCC_LEVEL(transform_parts)(float *x, size_t part, size_t wanted) {
    switch (part / VECTOR_SIZE) {
    case 1:
        for (size_t at = 0; at < wanted; at += VECTOR_SIZE)
            FROCC_LEVEL(last_steps)(x + at, 1);
        return;
    case 2:
        for (size_t at = 0; at < wanted; at += 2 * VECTOR_SIZE)
            FROCC_LEVEL(last_steps)(x + at, 2);
        return;
    case 4:
        for (size_t at = 0; at < wanted; at += 4 * VECTOR_SIZE)
            FROCC_LEVEL(last_steps)(x + at, 4);
        return;
    case 8:
        for (size_t at = 0; at < wanted; at += 8 * VECTOR_SIZE)
            FROCC_LEVEL(last_steps)(x + at, 8);
        return;
    }
    const size_t gap = part / 8;
    for (size_t at = 0; at < wanted; at += part) { /* each while it is in the cache */
        size_t here = FROCC_MIN(wanted - at, part);
        for (size_t i = at; i < at + gap; i += VECTOR_SIZE) {
            if (here <= gap)
                FROCC_LEVEL(eight)(x + i, NULL, gap, 1, x + i, gap);
            else
                FROCC_LEVEL(eight)(x + i, NULL, gap, 8, x + i, gap);
        }
        FROCC_LEVEL(transform_parts)(x + at, gap, here);
    }
}

/* Signs and transform of a segment of runs, stride apart in from and signs, into to, which may be
 * from when the stride is that of to, FROCC_RUN. */
FROCC_TARGET static void FROCC_LEVEL(transform_segment)(const float *from, const float *signs,
                                                        size_t stride, size_t segment,
                                                        size_t wanted, frocc__fetching *next,
                                                        float *to) {
    if (segment < 8 * FROCC_RUN) { /* too small for strides */
        for (size_t i = 0; i < segment; i += VECTOR_SIZE)
            VECTOR_STORE(to + i, VECTOR_MUL(VECTOR_LOADU(from + i), VECTOR_LOAD(signs + i)));
        FROCC_LEVEL(transform_parts)(to, segment, wanted);
        return;
    }
    switch (FROCC_LEVEL(kept_of)(segment, wanted)) {
    case 1:
        FROCC_LEVEL(first_steps)(from, signs, stride, segment, 1, next, to);
        break;
    case 2:
        FROCC_LEVEL(first_steps)(from, signs, stride, segment, 2, next, to);
        break;
    case 4:
        FROCC_LEVEL(first_steps)(from, signs, stride, segment, 4, next, to);
        break;
    default:
        FROCC_LEVEL(first_steps)(from, signs, stride, segment, 8, next, to);
    }
    FROCC_LEVEL(transform_parts)(to, segment / 8, wanted);
}

/* The second round: segments of every n_segments-th run. Each goes through spare and back. */
FROCC_TARGET static void FROCC_LEVEL(transform_across)(const frocc__scrambling *how,
                                                       const float *signs, size_t wanted,
                                                       frocc__fetching *next, float *work,
                                                       float *spare) {
    const size_t stride = how->n_segments * FROCC_RUN;
    const size_t count = (wanted + stride - 1) / stride;
    for (size_t b = 0; b < how->n_segments; b++) {
        float *first = work + b * FROCC_RUN;
        FROCC_LEVEL(transform_segment)
        (first, signs + b * FROCC_RUN, stride, how->segment, count * FROCC_RUN, next, spare);
        for (size_t i = 0; i < count; i++)
#pragma GCC unroll 4
            for (size_t v = 0; v < FROCC_RUN; v += VECTOR_SIZE)
                VECTOR_STORE(first + i * stride + v, VECTOR_LOAD(spare + i * FROCC_RUN + v));
    }
}

FROCC_TARGET static void FROCC_LEVEL(scramble)(const float *row, size_t n_features,
                                               const frocc__scrambling *how, const float *signs,
                                               size_t wanted, float *work, float *out) {
    const size_t segment = how->segment, size = segment * how->n_segments;
    const size_t whole = n_features / segment * segment, rest = n_features - whole;
    const size_t needed = (wanted + segment - 1) / segment * segment;
    const uintptr_t after = (uintptr_t)(row + n_features); /* there mostly lies the next row */
    frocc__fetching next = {after, after + n_features * sizeof(float), 4};
    for (size_t at = 0; at < whole; at += segment) {
        FROCC_LEVEL(transform_segment)
        (row + at, signs + at, FROCC_RUN, segment, segment, &next, work + at);
    }
    if (rest > 0) {
        memcpy(work + whole, row + whole, rest * sizeof(float));
        memset(work + n_features, 0, (segment - rest) * sizeof(float));
        FROCC_LEVEL(transform_segment)
        (work + whole, signs + whole, FROCC_RUN, segment, segment, &next, work + whole);
    }
    if (how->n_segments == 1)
        FROCC_LEVEL(transform_segment)
    (work, signs + size, FROCC_RUN, segment, segment, &next, work);
    else FROCC_LEVEL(transform_across)(how, signs + size, needed, &next, work, work + size);
    for (size_t at = 0; at < wanted; at += segment) {
        FROCC_LEVEL(transform_segment)
        (work + at, signs + 2 * size + at, FROCC_RUN, segment, FROCC_MIN(wanted - at, segment),
         &next, work + at);
    }
    FROCC_SIMD
    for (size_t i = 0; i < wanted; i++)
        out[i] = work[i] * how->scale;
}

#undef RUN_VECTORS
#undef VECTOR
#undef VECTOR_SIZE
#undef VECTOR_LOAD
#undef VECTOR_LOADU
#undef VECTOR_STORE
#undef VECTOR_ALL
#undef VECTOR_ADD
#undef VECTOR_SUB
#undef VECTOR_MUL
#undef VECTOR_FMA
#undef VECTOR_WITHIN
