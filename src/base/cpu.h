/* SPDX-License-Identifier: BSD-3-Clause */
/* What this CPU has, asked once: the one place where a level is chosen. */
#ifndef FROCC_CPU_H
#define FROCC_CPU_H

#include "base/base.h"

/* Where there are several on one architecture, a later one has all that is before it. */
typedef enum frocc__level { FROCC__REF, FROCC__NEON, FROCC__AVX2, FROCC__AVX512 } frocc__level;

/* The best level, or the one that FROCC_CPU asks for. */
frocc__level frocc__cpu_level(void);

#endif
