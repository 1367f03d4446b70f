/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FROCC_BENCH_PEAK_H
#define FROCC_BENCH_PEAK_H

#include <stdint.h>

/*
 * Fused multiply-adds of float32 on registers alone, in more independent chains than the units are
 * deep, with the widest vectors of the kernel level: what no projection can surpass. Returns how
 * many multiply-adds were done.
 */
uint64_t peak_multiply_adds(const char *level, uint64_t steps);

#endif
