/* SPDX-License-Identifier: BSD-3-Clause */
/* What this CPU has, asked once: the one place where a level is chosen. */
#ifndef FROCC_CPU_H
#define FROCC_CPU_H

#include "base/base.h"

/* Linux lets a process use AMX after it has asked; compilers know it since GCC 11 and Clang 12. An
 * assembler that does not is for FROCC_NO_AMX. */
#if defined(__x86_64__) && defined(__linux__) && !defined(FROCC_NO_AMX) &&                         \
    (defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11)
#define FROCC_AMX
#endif

/* Where there are several on one architecture, a later one has all that is before it. */
typedef enum frocc__level {
    FROCC__REF,
    FROCC__NEON,
    FROCC__AVX2,
    FROCC__AVX512,
    FROCC__AMX
} frocc__level;

/* The best level, or the one that FROCC_CPU asks for. */
frocc__level frocc__cpu_level(void);

/* The same for reading numbers, which needs more of AVX2 (BMI2) and of AVX-512 (VBMI2, BITALG):
 * FROCC__REF, FROCC__AVX2 or FROCC__AVX512. */
frocc__level frocc__cpu_level_of_text(void);

/* Tiles were asked for and refused: from now on frocc_cpu_level does not claim them. */
void frocc__cpu_no_tiles(void);

#endif
