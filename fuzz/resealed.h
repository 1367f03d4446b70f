/* SPDX-License-Identifier: BSD-3-Clause */
/* resealed.h - bytes are loaded as they are, and again with the checksum repaired, without which
 * no mutation would get past the envelope. */
#ifndef FROCC_FUZZ_RESEALED_H
#define FROCC_FUZZ_RESEALED_H

#include <stdlib.h>
#include <string.h>

#include "bounded.h"
#include "model_mutator.h"
#include "reseal.h"

/* A kernel of the caller's. */
static inline float first_difference(void *context, const float *row, const float *direction,
                                     size_t d) {
    (void)context;
    (void)d;
    return row[0] - direction[0];
}

/* The target's own. */
static void load_all(const unsigned char *bytes, size_t size);

static void try_input(const uint8_t *data, size_t size) {
    unsigned char *copy = malloc(size > 0 ? size : 1);
    HOLDS(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    load_all(copy, size);
    model_reseal(copy, size);
    load_all(copy, size);
    free(copy);
}

#endif
