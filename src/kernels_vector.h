/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels written once in terms of a level's vectors: the including file defines VECTOR, how many
 * floats it holds, and the operations on it. Lanes are rows, so that every lane does the
 * reference's operations in the reference's order.
 */

FROCC_TARGET static void FROCC_LEVEL(project_few)(const float *x, const int32_t *features,
                                                  const float *weights, size_t count, float *out) {
    for (size_t r = 0; r < FROCC_PANEL; r += FROCC_STRIP) {
        VECTOR sum[FROCC_STRIP / VECTOR_SIZE];
#pragma GCC unroll 4
        for (int v = 0; v < FROCC_STRIP / VECTOR_SIZE; v++)
            sum[v] = VECTOR_ALL(0.0f);
        for (size_t k = 0; k < count; k++) {
            const float *rows = x + (size_t)features[k] * FROCC_PANEL + r;
            VECTOR weight = VECTOR_ALL(weights[k]);
#pragma GCC unroll 4
            for (int v = 0; v < FROCC_STRIP / VECTOR_SIZE; v++)
                sum[v] = VECTOR_FMA(VECTOR_LOAD(rows + v * VECTOR_SIZE), weight, sum[v]);
        }
#pragma GCC unroll 4
        for (int v = 0; v < FROCC_STRIP / VECTOR_SIZE; v++)
            VECTOR_STORE(out + r + v * VECTOR_SIZE, sum[v]);
    }
}

/* ---- Walsh and Hadamard --------------------------------------------------------------------- */

/*
 * A transform in units of vectors: elements that are far apart meet first, and those of one vector
 * last. VECTOR_WITHIN does the latter.
 */

/* Sums and differences of the vectors distance apart, of eight. */
FROCC_TARGET static inline __attribute__((always_inline)) void
FROCC_LEVEL(butterflies)(VECTOR e[8], int distance) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        if ((i & distance) != 0)
            continue;
        VECTOR a = e[i], b = e[i + distance];
        e[i] = VECTOR_ADD(a, b);
        e[i + distance] = VECTOR_SUB(a, b);
    }
}

/*
 * Three steps at once, on eight vectors gap apart. A caller without signs says so by NULL, and one
 * with more steps to come by is_last, both known when this is compiled.
 */
FROCC_TARGET static inline __attribute__((always_inline)) void
FROCC_LEVEL(three_steps)(float *x, size_t gap, const float *signs, bool is_last) {
    VECTOR e[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        e[i] = VECTOR_LOAD(x + (size_t)i * gap * VECTOR_SIZE);
        if (signs != NULL)
            e[i] = VECTOR_MUL(e[i], VECTOR_LOAD(signs + (size_t)i * gap * VECTOR_SIZE));
    }
    FROCC_LEVEL(butterflies)(e, 4);
    FROCC_LEVEL(butterflies)(e, 2);
    FROCC_LEVEL(butterflies)(e, 1);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        VECTOR_STORE(x + (size_t)i * gap * VECTOR_SIZE, is_last ? VECTOR_WITHIN(e[i]) : e[i]);
}

/* The last steps of count vectors, at most four; count is known when this is compiled. */
FROCC_TARGET static inline __attribute__((always_inline)) void FROCC_LEVEL(last_steps)(float *x,
                                                                                       int count) {
    VECTOR e[4];
#pragma GCC unroll 4
    for (int i = 0; i < count; i++)
        e[i] = VECTOR_LOAD(x + i * VECTOR_SIZE);
#pragma GCC unroll 2
    for (int half = count / 2; half > 0; half /= 2)
#pragma GCC unroll 4
        for (int i = 0; i < count; i++) {
            if ((i & half) != 0)
                continue;
            VECTOR a = e[i], b = e[i + half];
            e[i] = VECTOR_ADD(a, b);
            e[i + half] = VECTOR_SUB(a, b);
        }
#pragma GCC unroll 4
    for (int i = 0; i < count; i++)
        VECTOR_STORE(x + i * VECTOR_SIZE, VECTOR_WITHIN(e[i]));
}

/* Parts are finished one after another, each while it is in the cache. */
FROCC_TARGET static void FROCC_LEVEL(walsh_hadamard)(float *x, size_t n_vectors) {
    switch (n_vectors) {
    case 1:
        FROCC_LEVEL(last_steps)(x, 1);
        return;
    case 2:
        FROCC_LEVEL(last_steps)(x, 2);
        return;
    case 4:
        FROCC_LEVEL(last_steps)(x, 4);
        return;
    case 8:
        FROCC_LEVEL(three_steps)(x, 1, NULL, true);
        return;
    }
    const size_t part = n_vectors / 8;
    for (size_t i = 0; i < part; i++)
        FROCC_LEVEL(three_steps)(x + i * VECTOR_SIZE, part, NULL, false);
    for (size_t i = 0; i < 8; i++)
        FROCC_LEVEL(walsh_hadamard)(x + i * part * VECTOR_SIZE, part);
}

FROCC_TARGET static void FROCC_LEVEL(sign)(float *x, const float *signs, size_t size) {
    for (size_t i = 0; i < size; i += VECTOR_SIZE)
        VECTOR_STORE(x + i, VECTOR_MUL(VECTOR_LOAD(x + i), VECTOR_LOAD(signs + i)));
}

FROCC_TARGET static void FROCC_LEVEL(signed_transform)(float *x, const float *signs, size_t size) {
    const size_t n_vectors = size / VECTOR_SIZE, part = n_vectors / 8;
    if (part < 2) {
        FROCC_LEVEL(sign)(x, signs, size);
        FROCC_LEVEL(walsh_hadamard)(x, n_vectors);
        return;
    }
    for (size_t i = 0; i < part; i++)
        FROCC_LEVEL(three_steps)(x + i * VECTOR_SIZE, part, signs + i * VECTOR_SIZE, false);
    for (size_t i = 0; i < 8; i++)
        FROCC_LEVEL(walsh_hadamard)(x + i * part * VECTOR_SIZE, part);
}

/* Only the first wanted results: while those are in the first half, the differences are not. */
FROCC_TARGET static void FROCC_LEVEL(last_transform)(float *x, const float *signs, size_t size,
                                                     size_t wanted) {
    if (wanted > size / 2 || size / 2 < VECTOR_SIZE) {
        FROCC_LEVEL(signed_transform)(x, signs, size);
        return;
    }
    size /= 2;
    for (size_t i = 0; i < size; i += VECTOR_SIZE) {
        VECTOR a = VECTOR_MUL(VECTOR_LOAD(x + i), VECTOR_LOAD(signs + i));
        VECTOR b = VECTOR_MUL(VECTOR_LOAD(x + i + size), VECTOR_LOAD(signs + i + size));
        VECTOR_STORE(x + i, VECTOR_ADD(a, b));
    }
    for (; wanted <= size / 2 && size / 2 >= VECTOR_SIZE; size /= 2)
        for (size_t i = 0; i < size / 2; i += VECTOR_SIZE)
            VECTOR_STORE(x + i, VECTOR_ADD(VECTOR_LOAD(x + i), VECTOR_LOAD(x + i + size / 2)));
    FROCC_LEVEL(walsh_hadamard)(x, size / VECTOR_SIZE);
}

FROCC_TARGET static void FROCC_LEVEL(scramble)(const float *row, size_t n_features,
                                               const float *signs, size_t size, size_t wanted,
                                               float scale, float *work, float *out) {
    memcpy(work, row, n_features * sizeof(float));
    memset(work + n_features, 0, (size - n_features) * sizeof(float));
    FROCC_LEVEL(signed_transform)(work, signs, size);
    FROCC_LEVEL(signed_transform)(work, signs + size, size);
    FROCC_LEVEL(last_transform)(work, signs + 2 * size, size, wanted);
    FROCC_SIMD
    for (size_t i = 0; i < wanted; i++)
        out[i] = work[i] * scale;
}

#undef VECTOR
#undef VECTOR_SIZE
#undef VECTOR_LOAD
#undef VECTOR_STORE
#undef VECTOR_ALL
#undef VECTOR_ADD
#undef VECTOR_SUB
#undef VECTOR_MUL
#undef VECTOR_FMA
#undef VECTOR_WITHIN
