/* SPDX-License-Identifier: BSD-3-Clause */
/* What this CPU has, asked once: the one place where a level is chosen. */
#ifndef FROCC_CPU_H
#define FROCC_CPU_H

#include "base/base.h"

/* Where there are several on one architecture, a later one has all that is before it. */
typedef enum frocc__level { FROCC__REF, FROCC__NEON, FROCC__AVX2, FROCC__AVX512 } frocc__level;

/* The best level, or the one that FROCC_CPU asks for. */
frocc__level frocc__cpu_level(void);

/* The same for reading numbers, which needs more of AVX2 (BMI2) and of AVX-512 (VBMI2, BITALG):
 * FROCC__REF, FROCC__AVX2 or FROCC__AVX512. */
frocc__level frocc__cpu_level_of_text(void);

#endif
