/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The price list of a slot: what closeness costs at every value, found in a few steps. Costs change
 * where intervals begin and where they have ended, and are constant in between, gaps included. So
 * the list holds these ends, rising, and a cost per place between them; a value's place is the
 * number of ends that are not above it. Odd places are intervals; place 0 and the last one lie
 * outside the range, where the cost grows with the distance.
 *
 * A map of cells over the range tells how many ends lie in cells before the value's own. The cell
 * of a value is a monotone expression, so only ends of its own cell have to be compared with it.
 * Cells are narrower than the smallest gap, where that is possible: then a cell holds the beginning
 * and the end of one interval at most, and two comparisons do.
 */
#ifndef FROCC_PRICES_H
#define FROCC_PRICES_H

#include "closeness.h"

/* With more ends than this in a cell, or more in all than a cell can count, all are searched. */
#define FROCC_PRICE_STEPS 8

typedef struct frocc__prices {
    float origin, scale; /* the cell of a value; see frocc__price_cell */
    float last_cell;
    float epsilon, low, high, range; /* for values outside */
    uint32_t steps;                  /* ends in the fullest cell */
    uint32_t last_place;
    const uint16_t *before; /* per cell, the ends in cells before it; a gather reads one more */
    const float *ends;      /* last_place of them, then infinities enough for all steps */
    const float *costs;     /* per place */
} frocc__prices;

/* Price lists of all slots. */
typedef struct frocc__price_book {
    frocc__prices *lists;
    uint16_t *before;
    float *ends, *costs;
} frocc__price_book;

/* Of a sketch whose slots are not empty. O(m (cells + intervals)), with up to 8,195 cells. */
struct frocc__sketch;
frocc_status frocc__price_book_of(const struct frocc__sketch *sketch, frocc__price_book *book);
void frocc__price_book_free(frocc__price_book *book);

/* Rises with value, whatever the rounding; 0 for NaN. Kernels use this very expression. */
static inline uint32_t frocc__price_cell(const frocc__prices *list, float value) {
    float at = fmaf(value - list->origin, list->scale, 1.0f);
    at = at > 0.0f ? at : 0.0f;
    at = at < list->last_cell ? at : list->last_cell;
    return (uint32_t)(int32_t)at;
}

/* The cost of a value that is not within the range; of NaN, the largest. */
static inline float frocc__price_outside(const frocc__prices *list, float value) {
    float distance = value < list->low ? list->low - value : value - list->high;
    return frocc__outside_cost(distance, list->range, list->epsilon);
}

/* The number of ends that are not above value. */
static inline uint32_t frocc__price_place(const frocc__prices *list, float value) {
    uint32_t low = 0, high = list->last_place;
    if (list->steps <= FROCC_PRICE_STEPS) {
        low = list->before[frocc__price_cell(list, value)];
        high = low + list->steps; /* ends of later cells are above the value */
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (value >= list->ends[middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The same as frocc__closeness_cost. */
static inline float frocc__price(const frocc__prices *list, float value) {
    uint32_t place = frocc__price_place(list, value);
    return place == 0 || place == list->last_place ? frocc__price_outside(list, value)
                                                   : list->costs[place];
}

#endif
