/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FROCC_STATUS_H
#define FROCC_STATUS_H

#include "base.h"

/* Keeps the sentence for frocc_last_error() and returns code, so that a caller can return it. */
__attribute__((format(printf, 2, 3))) frocc_status frocc__fail(frocc_status code,
                                                               const char *format, ...);

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
