/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi's rotations, in a fixed order, from operations that IEEE 754 fixes: the same bits
 * anywhere.
 */
#include "frame/principal.h"

#include <math.h>

#define SWEEPS 12

/* Rotates rows p and q of a matrix of d columns. */
static void rotate_rows(double *matrix, size_t d, size_t p, size_t q, double cosine, double sine) {
    double *a = matrix + p * d, *b = matrix + q * d;
    for (size_t k = 0; k < d; k++) {
        const double x = a[k], y = b[k];
        a[k] = cosine * x - sine * y;
        b[k] = sine * x + cosine * y;
    }
}

static void rotate_columns(double *matrix, size_t d, size_t p, size_t q, double cosine,
                           double sine) {
    for (size_t k = 0; k < d; k++) {
        const double x = matrix[k * d + p], y = matrix[k * d + q];
        matrix[k * d + p] = cosine * x - sine * y;
        matrix[k * d + q] = sine * x + cosine * y;
    }
}

/* The rotation that makes element (p, q) vanish. */
static void annihilate(double *matrix, double *vectors, size_t d, size_t p, size_t q) {
    const double off = matrix[p * d + q];
    const double half = (matrix[q * d + q] - matrix[p * d + p]) / (2.0 * off);
    const double tangent = (half >= 0.0 ? 1.0 : -1.0) / (fabs(half) + sqrt(half * half + 1.0));
    const double cosine = 1.0 / sqrt(tangent * tangent + 1.0), sine = tangent * cosine;
    rotate_columns(matrix, d, p, q, cosine, sine);
    rotate_rows(matrix, d, p, q, cosine, sine);
    rotate_rows(vectors, d, p, q, cosine, sine); /* each is a row */
}

/* One turn of all elements that still matter; false where none does. */
static bool sweep(double *matrix, double *vectors, size_t d) {
    bool has_turned = false;
    for (size_t p = 0; p + 1 < d; p++)
        for (size_t q = p + 1; q < d; q++) {
            const double off = fabs(matrix[p * d + q]);
            const double size = sqrt(fabs(matrix[p * d + p])) * sqrt(fabs(matrix[q * d + q]));
            if (off <= size * 0x1p-40 || off < 0x1p-500)
                continue;
            annihilate(matrix, vectors, d, p, q);
            has_turned = true;
        }
    return has_turned;
}

/* The vector of the smallest value that has not been taken; its value becomes infinite. */
static size_t next_smallest(double *matrix, size_t d) {
    size_t best = 0;
    for (size_t i = 1; i < d; i++)
        if (matrix[i * d + i] < matrix[best * d + best])
            best = i;
    matrix[best * d + best] = INFINITY;
    return best;
}

void frocc__find_principal(double *matrix, size_t d, size_t count, double *work, float *vectors) {
    for (size_t i = 0; i < d * d; i++)
        work[i] = i % (d + 1) == 0 ? 1.0 : 0.0;
    for (int i = 0; i < SWEEPS && sweep(matrix, work, d); i++)
        continue;
    for (size_t i = 0; i < count; i++) {
        const double *own = work + next_smallest(matrix, d) * d;
        for (size_t j = 0; j < d; j++)
            vectors[i * d + j] = (float)own[j] + 0.0f; /* no -0 */
    }
}
