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

/* Sums and differences of the elements distance apart, of eight. */
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
 * Three steps of the transform at once, on eight elements gap apart. A caller without signs says so
 * by NULL, known when this is compiled.
 */
FROCC_TARGET static inline __attribute__((always_inline)) void
FROCC_LEVEL(three_steps)(float *x, size_t gap, const float *signs) {
#pragma GCC unroll 4
    for (int lane = 0; lane < FROCC_STRIP; lane += VECTOR_SIZE) {
        VECTOR e[8];
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            e[i] = VECTOR_LOAD(x + (size_t)i * gap * FROCC_STRIP + lane);
            if (signs != NULL)
                e[i] = VECTOR_MUL(e[i], VECTOR_ALL(signs[(size_t)i * gap]));
        }
        FROCC_LEVEL(butterflies)(e, 4);
        FROCC_LEVEL(butterflies)(e, 2);
        FROCC_LEVEL(butterflies)(e, 1);
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++)
            VECTOR_STORE(x + (size_t)i * gap * FROCC_STRIP + lane, e[i]);
    }
}

/* One step, of two elements. */
FROCC_TARGET static inline void FROCC_LEVEL(one_step)(float *a, float *b) {
#pragma GCC unroll 4
    for (int lane = 0; lane < FROCC_STRIP; lane += VECTOR_SIZE) {
        VECTOR u = VECTOR_LOAD(a + lane), v = VECTOR_LOAD(b + lane);
        VECTOR_STORE(a + lane, VECTOR_ADD(u, v));
        VECTOR_STORE(b + lane, VECTOR_SUB(u, v));
    }
}

/* Parts are finished one after another, each while it is in the cache. */
FROCC_TARGET static void FROCC_LEVEL(walsh_hadamard)(float *x, size_t size) {
    if (size >= 8) {
        for (size_t i = 0; i < size / 8; i++)
            FROCC_LEVEL(three_steps)(x + i * FROCC_STRIP, size / 8, NULL);
        for (size_t part = 0; size > 8 && part < 8; part++)
            FROCC_LEVEL(walsh_hadamard)(x + part * (size / 8) * FROCC_STRIP, size / 8);
        return;
    }
    for (size_t half = size / 2; half > 0; half /= 2)
        for (size_t i = 0; i < size; i++)
            if ((i & half) == 0)
                FROCC_LEVEL(one_step)(x + i * FROCC_STRIP, x + (i + half) * FROCC_STRIP);
}

/* A signed transform; size is at least 8. */
FROCC_TARGET static void FROCC_LEVEL(signed_transform)(float *x, const float *signs, size_t size) {
    const size_t part = size / 8;
    for (size_t i = 0; i < part; i++)
        FROCC_LEVEL(three_steps)(x + i * FROCC_STRIP, part, signs + i);
    for (size_t i = 0; part > 1 && i < 8; i++)
        FROCC_LEVEL(walsh_hadamard)(x + i * part * FROCC_STRIP, part);
}

FROCC_TARGET static inline VECTOR FROCC_LEVEL(load_signed)(const float *x, const float *signs,
                                                           size_t i, int lane) {
    return VECTOR_MUL(VECTOR_LOAD(x + i * FROCC_STRIP + lane), VECTOR_ALL(signs[i]));
}

/* Only the first wanted results: while those are in the first half, the differences are not. */
FROCC_TARGET static void FROCC_LEVEL(last_transform)(float *x, const float *signs, size_t size,
                                                     size_t wanted) {
    size_t half = size / 2;
    if (wanted > half) {
        FROCC_LEVEL(signed_transform)(x, signs, size);
        return;
    }
    for (size_t i = 0; i < half; i++)
        for (int lane = 0; lane < FROCC_STRIP; lane += VECTOR_SIZE)
            VECTOR_STORE(x + i * FROCC_STRIP + lane,
                         VECTOR_ADD(FROCC_LEVEL(load_signed)(x, signs, i, lane),
                                    FROCC_LEVEL(load_signed)(x, signs, i + half, lane)));
    for (; wanted <= half / 2; half /= 2)
        for (size_t i = 0; i < half / 2 * FROCC_STRIP; i += VECTOR_SIZE)
            VECTOR_STORE(
                x + i, VECTOR_ADD(VECTOR_LOAD(x + i), VECTOR_LOAD(x + i + half / 2 * FROCC_STRIP)));
    FROCC_LEVEL(walsh_hadamard)(x, half);
}

FROCC_TARGET static void FROCC_LEVEL(scramble)(const float *x, size_t n_features,
                                               const float *signs, size_t size, size_t wanted,
                                               float scale, float *work, float *out) {
    for (size_t j = 0; j < n_features; j++)
        for (int lane = 0; lane < FROCC_STRIP; lane += VECTOR_SIZE)
            VECTOR_STORE(work + j * FROCC_STRIP + lane, VECTOR_LOAD(x + j * FROCC_PANEL + lane));
    memset(work + n_features * FROCC_STRIP, 0, (size - n_features) * FROCC_STRIP * sizeof(float));
    FROCC_LEVEL(signed_transform)(work, signs, size);
    FROCC_LEVEL(signed_transform)(work, signs + size, size);
    FROCC_LEVEL(last_transform)(work, signs + 2 * size, size, wanted);
    for (size_t i = 0; i < wanted; i++)
        for (int lane = 0; lane < FROCC_STRIP; lane += VECTOR_SIZE)
            VECTOR_STORE(out + i * FROCC_PANEL + lane,
                         VECTOR_MUL(VECTOR_LOAD(work + i * FROCC_STRIP + lane), VECTOR_ALL(scale)));
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
