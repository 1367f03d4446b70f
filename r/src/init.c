/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of what R may call. */
#include "calls.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define CALL(name, n_arguments)                                                                    \
    { "C_" #name, (DL_FUNC)&frocc_r_##name, n_arguments }

static const R_CallMethodDef calls[] = {
    CALL(fit, 2),       CALL(update, 3), CALL(merge, 1),    CALL(read, 2),    CALL(write, 2),
    CALL(score, 4),     CALL(decide, 4), CALL(p_values, 2), CALL(explain, 3), CALL(describe, 1),
    CALL(threshold, 2), CALL(ranges, 1), CALL(columns, 1),  CALL(count, 2),   {NULL, NULL, 0}};

void attribute_visible R_init_frocc(DllInfo *library) {
    R_registerRoutines(library, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(library, FALSE);
    R_forceSymbols(library, TRUE);
}
