/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FROCC_STATUS_H
#define FROCC_STATUS_H

#include "base/base.h"

/* Keeps the sentence for frocc_last_error(). */
__attribute__((format(printf, 1, 2))) void frocc__set_error(const char *format, ...);

/* The same, and code, so that a caller can return it. A macro, so that a static analyser sees that
 * what failed is not FROCC_OK. */
#define frocc__fail(code, ...) (frocc__set_error(__VA_ARGS__), (code))

/* For work done by helper threads: their sentence, carried to the thread that reports it. */
#define FROCC_ERROR_SIZE 512
void frocc__error_copy(char out[FROCC_ERROR_SIZE]);

/* FROCC_ERR_ARGUMENT with the argument's name when a required pointer is NULL. */
#define FROCC_REQUIRE(pointer)                                                                     \
    do {                                                                                           \
        if ((pointer) == NULL)                                                                     \
            return frocc__fail(FROCC_ERR_ARGUMENT, "%s: the argument '%s' must not be NULL",       \
                               __func__, #pointer);                                                \
    } while (0)

#endif
