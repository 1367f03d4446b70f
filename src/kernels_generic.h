/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels that need no intrinsics: one code for all levels, compiled once per instruction set. The
 * including file defines FROCC_LEVEL(name), which names a function for its level, and FROCC_TARGET,
 * the attribute that lets the compiler use the level's instructions. "omp simd" only permits what
 * the loops allow anyway: every lane does the scalar operations in the scalar order.
 */
#include "kernels.h"
#include "random.h"

#define FROCC_SIMD FROCC_OMP(simd)

FROCC_TARGET static void FROCC_LEVEL(power)(const frocc__transform *how, float *values,
                                            size_t count) {
    const float gamma = how->gamma, coef0 = how->coef0;
    const int degree = how->degree;
    FROCC_SIMD
    for (size_t i = 0; i < count; i++) {
        float base = fmaf(gamma, values[i], coef0);
        float result = base;
        for (int k = 1; k < degree; k++)
            result *= base;
        values[i] = frocc__clampf(result, -FLT_MAX, FLT_MAX);
    }
}

FROCC_TARGET static void FROCC_LEVEL(transform)(const frocc__transform *how, const double *norms,
                                                float *values, size_t count) {
    const float gamma = how->gamma, coef0 = how->coef0;
    const double minus_gamma = -(double)gamma;
    switch (how->kernel) {
    case FROCC_KERNEL_POLY:
        FROCC_LEVEL(power)(how, values, count);
        break;
    case FROCC_KERNEL_SIGMOID:
        FROCC_SIMD
        for (size_t i = 0; i < count; i++)
            values[i] = frocc__tanhf(fmaf(gamma, values[i], coef0));
        break;
    case FROCC_KERNEL_RBF:
        FROCC_SIMD
        for (size_t i = 0; i < count; i++) {
            double distance = norms[i] - 2.0 * (double)values[i];
            distance = distance < 0.0 ? 0.0 : distance; /* rounding can leave less than nothing */
            values[i] = frocc__expf((float)(minus_gamma * distance));
        }
        break;
    case FROCC_KERNEL_LINEAR:
    case FROCC_KERNEL_CUSTOM:
        break;
    }
}

FROCC_TARGET static void FROCC_LEVEL(draw_quads)(uint64_t seed, uint32_t first, size_t n_features,
                                                 float *w) {
    for (size_t j = 0; j < n_features; j += 4) {
        float quad[4][FROCC_BLOCK];
        FROCC_SIMD
        for (int c = 0; c < FROCC_BLOCK; c++) {
            float normals[4];
            frocc__normal_quad(seed, first + (uint32_t)c, (uint32_t)(j / 4), normals);
            quad[0][c] = normals[0];
            quad[1][c] = normals[1];
            quad[2][c] = normals[2];
            quad[3][c] = normals[3];
        }
        size_t left = FROCC_MIN(n_features - j, (size_t)4);
        memcpy(w + j * FROCC_BLOCK, quad, left * sizeof quad[0]);
    }
}

FROCC_TARGET static void FROCC_LEVEL(draw_block)(uint64_t seed, uint32_t first, size_t n_features,
                                                 float *w) {
    FROCC_LEVEL(draw_quads)(seed, first, n_features, w);
    double squares[FROCC_BLOCK] = {0};
    for (size_t j = 0; j < n_features; j++) {
        FROCC_SIMD
        for (int c = 0; c < FROCC_BLOCK; c++) {
            double component = (double)w[j * FROCC_BLOCK + c];
            squares[c] = fma(component, component, squares[c]);
        }
    }
    double inverse[FROCC_BLOCK];
    for (int c = 0; c < FROCC_BLOCK; c++) {
        if (squares[c] == 0.0) /* all components 0: one chance in 2^24 when there is one feature */
            w[c] = 1.0f, squares[c] = 1.0;
        inverse[c] = 1.0 / sqrt(squares[c]);
    }
    for (size_t j = 0; j < n_features; j++) {
        FROCC_SIMD
        for (int c = 0; c < FROCC_BLOCK; c++)
            w[j * FROCC_BLOCK + c] = (float)((double)w[j * FROCC_BLOCK + c] * inverse[c]);
    }
}
