/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Principal directions of least variance. A small variance is a relation that holds, such as a
 * total that is a price times a quantity; a row that breaks the relation stands out there.
 */
#ifndef FROCC_PRINCIPAL_H
#define FROCC_PRINCIPAL_H

#include "base/base.h"

/* How many there are at most, and of how many features; with more it would take too long. */
#define FROCC_PRINCIPAL 32
#define FROCC_MOST_FOR_PRINCIPAL 64

/* The eigenvectors of a symmetric matrix of d rows that belong to its count smallest eigenvalues,
 * rising; the matrix is destroyed. work has room for d * d. O(d^3). */
void frocc__find_principal(double *matrix, size_t d, size_t count, double *work, float *vectors);

#endif
