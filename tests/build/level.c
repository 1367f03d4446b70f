/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the kernel level in use, so that the test runner can ask which levels a CPU has. */
#include "frocc.h"

#include <stdio.h>

int main(void) {
    return puts(frocc_cpu_level()) < 0;
}
