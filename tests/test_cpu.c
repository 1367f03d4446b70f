/* SPDX-License-Identifier: BSD-3-Clause */
/* The level that is said to be in use. */
#include "base/cpu.h"
#include "check.h"

/* Linux may refuse tiles to a process that has asked for them. */
static void refused_tiles_are_not_claimed(void) {
    const bool had_tiles = strcmp(frocc_cpu_level(), "amx") == 0;
    char before[16];
    strcpy(before, frocc_cpu_level());
    frocc__cpu_no_tiles();
    check(strcmp(frocc_cpu_level(), had_tiles ? "avx512" : before) == 0, "%s", frocc_cpu_level());
}

int main(void) {
    RUN(refused_tiles_are_not_claimed);
    return check_end();
}
