/* SPDX-License-Identifier: BSD-3-Clause */
/* holds.h - what ends the program when it does not hold. */
#ifndef FROCC_FUZZ_HOLDS_H
#define FROCC_FUZZ_HOLDS_H

#include <stdio.h>
#include <stdlib.h>

#include "frocc.h"

#define HOLDS(condition) HOLDS_SO(condition, #condition)

#define HOLDS_SO(condition, words)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold: %s\n", __FILE__, __LINE__, words,            \
                    frocc_last_error());                                                           \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
