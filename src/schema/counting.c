/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a column only counts the rows: has each whole number from some first one to some last
 * one once, in any order, as an index or an id has. The order of the rows must not matter, so what
 * is known of values is their count, the least, the largest, and the sum of their hashes, which is
 * compared with that of the numbers themselves in the end. Of a column of measurements the first
 * rows tell that it does not count, and nothing more is looked at.
 */
#include "base/hash.h"
#include "schema/tally.h"

/* Fewer rows are such numbers by chance. */
#define LEAST_ROWS 20

/* Integers below are exact, whatever they are read as. */
static double largest(frocc_dtype dtype) {
    return (double)((uint64_t)1 << (dtype == FROCC_F32 ? 24 : 53));
}

void frocc__counting_add(frocc__counting *c, double value, frocc_dtype dtype) {
    if (!(value >= 0 && value < largest(dtype)) || value != (double)(uint64_t)value) {
        c->is_open = false;
        return;
    }
    const uint64_t number = (uint64_t)value;
    c->low = c->count == 0 ? number : FROCC_MIN(c->low, number);
    c->high = c->count == 0 ? number : FROCC_MAX(c->high, number);
    c->sum += frocc__mix(number);
    c->count++;
    /* More values than there are numbers between them: one is there twice, whatever comes. */
    if (c->count > c->high - c->low + 1)
        c->is_open = false;
}

void frocc__counting_merge(frocc__counting *into, const frocc__counting *from) {
    into->is_open = into->is_open && from->is_open;
    if (from->count == 0)
        return;
    into->low = into->count == 0 ? from->low : FROCC_MIN(into->low, from->low);
    into->high = into->count == 0 ? from->high : FROCC_MAX(into->high, from->high);
    into->sum += from->sum;
    into->count += from->count;
}

bool frocc__counting_holds(const frocc__counting *c) {
    if (!c->is_open || c->count < LEAST_ROWS || c->high - c->low + 1 != c->count)
        return false;
    uint64_t sum = 0;
    for (uint64_t number = c->low; number <= c->high; number++)
        sum += frocc__mix(number);
    return sum == c->sum;
}
