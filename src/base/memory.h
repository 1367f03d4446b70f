/* SPDX-License-Identifier: BSD-3-Clause */
/* The one place memory comes from. */
#ifndef FROCC_MEMORY_H
#define FROCC_MEMORY_H

#include "base/base.h"

/*
 * count * size bytes, aligned to a cache line and zeroed. NULL, with the error set, when there is
 * no memory or the product overflows. A request of zero bytes gives a valid pointer.
 */
void *frocc__alloc(size_t count, size_t size);

/* The same, but not zeroed: for much memory that is written before it is read. */
void *frocc__alloc_raw(size_t count, size_t size);

/* New memory of count * size bytes that begins with used bytes of old, which is freed; on failure
 * NULL, and old is as it was. */
void *frocc__grow(void *old, size_t used, size_t count, size_t size);

void frocc__free(void *memory);

#endif
