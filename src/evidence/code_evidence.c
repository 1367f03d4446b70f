/* SPDX-License-Identifier: BSD-3-Clause */
/* Judging codes: a look-up a column, one a pair of columns, and one a column and number. */
#include "evidence/code_evidence.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

/* ---- Made ----------------------------------------------------------------------------------- */

static uint64_t count_alone(const frocc__code_tally *t) {
    uint64_t alone = 0;
    for (uint32_t i = 0; i < t->capacity; i++)
        alone += t->keys[i] != 0 && t->rows[i] == 1;
    return alone;
}

/* Once the counts are there. */
static frocc_status index_counts(frocc__code_evidence *e) {
    const size_t n = e->codes.columns->n_codes;
    e->alone = frocc__alloc(n, sizeof *e->alone);
    e->occupied = frocc__alloc(e->codes.groups.n_slots, sizeof *e->occupied);
    if (e->alone == NULL || e->occupied == NULL || e->codes.has_failed)
        return FROCC_ERR_MEMORY;
    for (size_t k = 0; k < n; k++)
        e->alone[k] = count_alone(&e->codes.tallies[k]);
    for (size_t slot = 0; slot < e->codes.groups.n_slots; slot++)
        e->occupied[slot] = frocc__histogram_occupied(&e->codes.groups, slot);
    for (uint32_t r = 0; r <= FROCC_MOST_KNOWN; r++)
        e->n_rows += e->codes.ranked[r];
    return FROCC_OK;
}

void frocc__code_evidence_free(frocc__code_evidence *e) {
    frocc__codes_free(&e->codes);
    frocc__free(e->alone);
    frocc__free(e->occupied);
    *e = (frocc__code_evidence){0};
}

frocc_status frocc__code_evidence_of(const frocc_frame *frame, double contamination,
                                     const frocc__codes *codes, frocc__bin *bins,
                                     frocc__code_evidence *evidence) {
    *evidence = (frocc__code_evidence){.contamination = contamination};
    if (!frocc__judges_codes(frame))
        return FROCC_OK;
    FROCC_TRY(frocc__codes_new(frame, &evidence->codes));
    frocc__codes_merge(&evidence->codes, codes, bins);
    return index_counts(evidence);
}

frocc_status frocc__code_evidence_read(const frocc_frame *frame, double contamination,
                                       frocc__bytes_in *in, frocc__code_evidence *evidence) {
    *evidence = (frocc__code_evidence){.contamination = contamination};
    if (!frocc__judges_codes(frame))
        return FROCC_OK;
    FROCC_TRY(frocc__codes_new(frame, &evidence->codes));
    FROCC_TRY(frocc__codes_merge_bytes(&evidence->codes, in));
    return index_counts(evidence);
}

/* A prepared row, and the ranks of its codes, unless there was no memory for them. */
typedef struct coded_row {
    const float *x;
    size_t stride;
    uint32_t *ranks;
} coded_row;

static uint32_t find_rank(const frocc__code_evidence *e, const coded_row *row, size_t column) {
    const frocc__known *known = &e->codes.columns->known[column];
    return frocc__rank_of(known, frocc__code_in(row->x[known->feature * row->stride]));
}

static uint32_t rank_in(const frocc__code_evidence *e, const coded_row *row, size_t column) {
    return row->ranks != NULL ? row->ranks[column] : find_rank(e, row, column);
}

/* ---- Single codes --------------------------------------------------------------------------- */

#define COST_OF_NEW 1.125

/* Where one row in so many is the first with its code, the next one is worth a tenth of that. */
#define NEW_SHARE 10.0

static void look_at_code(const frocc__code_evidence *e, size_t column, uint32_t code,
                         uint32_t left_out, frocc__surprise *s) {
    const uint32_t rows = frocc__tally_rows(&e->codes.tallies[column], code);
    const uint32_t others = rows - FROCC_MIN(left_out, rows);
    uint64_t alone = e->alone[column];
    if (left_out > 0 && rows == 1)
        alone--;
    if (left_out > 0 && rows == 2)
        alone++;
    const double n = (double)(e->n_rows - FROCC_MIN((uint64_t)left_out, e->n_rows));
    /* A row that was not counted, and is left out all the same, makes more of them alone than are.
     */
    const double tells = (double)alone < n ? 1.0 - (double)alone / n : 0.0;
    const double cost = others == 0 ? COST_OF_NEW : 1.0 / (1.0 + (double)others);
    s->cost += (uint64_t)(tells * cost * (double)FROCC_COST_ONE + 0.5);
    const double since = n / (1.0 + (double)alone) / NEW_SHARE;
    if (others > 0 || since <= s->together)
        return;
    s->together = since;
    s->new_column = column;
}

/* ---- Pairs ---------------------------------------------------------------------------------- */

/* Rows with the code of this rank, without the one that is left out. */
static double rows_of_rank(const frocc__code_evidence *e, size_t column, uint32_t rank,
                           uint32_t left_out) {
    const uint32_t rows = e->codes.ranked[column * (FROCC_MOST_KNOWN + 1) + rank];
    return (double)(rows - FROCC_MIN(left_out, rows));
}

static double expected_together(const frocc__code_evidence *e, const frocc__pair *pair,
                                const coded_row *row, uint32_t left_out) {
    const uint32_t a = rank_in(e, row, pair->a), b = rank_in(e, row, pair->b);
    const size_t place = frocc__place_of(&e->codes, pair, a, b);
    if (place == SIZE_MAX)
        return 0.0;
    const uint32_t seen = e->codes.together[place], others = seen - FROCC_MIN(left_out, seen);
    const double n = (double)(e->n_rows - FROCC_MIN((uint64_t)left_out, e->n_rows));
    const double rows =
        rows_of_rank(e, pair->a, a, left_out) * rows_of_rank(e, pair->b, b, left_out);
    if (n == 0.0 || seen == FROCC_MOST_TOGETHER)
        return 0.0;
    const double expected = rows / n, by_accident = floor(e->contamination * expected);
    if ((double)others <= by_accident)
        return expected;
    return (double)others <= by_accident + 1.0 ? expected * 0.25 : 0.0;
}

uint32_t frocc__rows_together(const frocc__code_evidence *e, size_t pair, const uint32_t *ranks) {
    const frocc__pair *own = &e->codes.plan.pairs[pair];
    const size_t place = frocc__place_of(&e->codes, own, ranks[own->a], ranks[own->b]);
    return place == SIZE_MAX ? 0 : e->codes.together[place];
}

/* ---- Groups --------------------------------------------------------------------------------- */

/* A cell of a group's grid; what is very far away counts as far. */
static int32_t cell_of(float value, float scale) {
    const float far = 0x1p30f, at = value * scale;
    if (!(at < far))
        return 1 << 30;
    return at > -far ? frocc__cell_number(value, scale) : -(1 << 30);
}

/* The middle of what a cell has, within the range. */
static float middle_of(const frocc__grid *grid, int32_t cell) {
    const float middle = ((float)cell + 0.5f) / grid->scale;
    return FROCC_MIN(FROCC_MAX(middle, grid->low), grid->high);
}

/* Rows of a group that would be expected where this number lies. */
static double expected_apart(const frocc__code_evidence *e, size_t slot, double n, float value,
                             uint32_t left_out) {
    const frocc__grid *grid = &e->codes.groups.grids[slot];
    uint32_t occupied = e->occupied[slot];
    if (occupied == 0)
        return 0.0;
    const int32_t own = cell_of(value, grid->scale);
    const uint16_t *ring = e->codes.groups.counts + slot * FROCC_LEAF_CELLS;
    if (left_out > 0 && ring[(uint32_t)own & grid->mask] == 1)
        occupied &= ~(1u << ((uint32_t)own & grid->mask));
    if (occupied == 0)
        return 0.0;
    const int32_t begin = cell_of(grid->low, grid->scale);
    const uint32_t from_begin = frocc__rotate_right(occupied, (uint32_t)begin);
    const int32_t first = begin + __builtin_ctz(from_begin);
    const int32_t last = begin + 31 - __builtin_clz(from_begin);
    const double span = (double)(last - first + 1);
    if (own >= first && own <= last)
        return n * (double)frocc__gap_around(occupied, own) / span * 0.25;
    const double beyond = (double)FROCC_MAX(first - own, own - last);
    return first == last ? n * 0.5 : n * FROCC_MIN(beyond / span, 1.0);
}

static void look_at_groups(const frocc__code_evidence *e, const coded_row *row, uint32_t left_out,
                           frocc__surprise *s) {
    const frocc__code_plan *plan = &e->codes.plan;
    for (size_t k = 0; k < e->codes.columns->n_codes; k++) {
        const uint32_t rank = rank_in(e, row, k);
        const size_t group = frocc__group_of(&e->codes, k, rank);
        if (group == SIZE_MAX)
            continue;
        const double n = rows_of_rank(e, k, rank, left_out);
        for (size_t i = 0; i < plan->n_numbers; i++) {
            const double rows = expected_apart(e, group * plan->n_numbers + i, n,
                                               row->x[plan->numbers[i] * row->stride], left_out);
            if (rows <= s->apart)
                continue;
            s->apart = rows;
            s->group_column = k;
            s->group_number = i;
        }
    }
}

frocc__group_range frocc__group_range_of(const frocc__code_evidence *e, const frocc__surprise *s,
                                         const float *x) {
    const frocc__known *known = &e->codes.columns->known[s->group_column];
    const uint32_t rank = frocc__rank_of(known, frocc__code_in(x[known->feature]));
    const size_t slot =
        frocc__group_of(&e->codes, s->group_column, rank) * e->codes.plan.n_numbers +
        s->group_number;
    const frocc__grid *grid = &e->codes.groups.grids[slot];
    const uint16_t *ring = e->codes.groups.counts + slot * FROCC_LEAF_CELLS;
    const int32_t own = cell_of(x[e->codes.plan.numbers[s->group_number]], grid->scale);
    const int32_t first = cell_of(grid->low, grid->scale), last = cell_of(grid->high, grid->scale);
    int32_t mode = first, nearest = first;
    for (int32_t i = first; i <= last; i++) {
        const uint16_t rows = ring[(uint32_t)i & grid->mask];
        if (rows > ring[(uint32_t)mode & grid->mask])
            mode = i;
        if (rows > 0 && llabs((long long)i - own) < llabs((long long)nearest - own))
            nearest = i;
    }
    return (frocc__group_range){grid->low, grid->high, middle_of(grid, mode),
                                middle_of(grid, nearest)};
}

/* ---- All ------------------------------------------------------------------------------------ */

static const frocc__surprise no_surprise = {
    .pair = SIZE_MAX, .new_column = SIZE_MAX, .group_column = SIZE_MAX, .group_number = SIZE_MAX};

frocc__surprise frocc__surprise_of_row(const frocc__code_evidence *e, const float *x,
                                       uint32_t *ranks) {
    return e->alone != NULL ? frocc__surprise_of(e, x, 1, 0, ranks) : no_surprise;
}

frocc__surprise frocc__surprise_of(const frocc__code_evidence *e, const float *x, size_t stride,
                                   uint32_t left_out, uint32_t *ranks) {
    const frocc__columns *c = e->codes.columns;
    frocc__surprise s = no_surprise;
    const coded_row row = {x, stride, ranks};
    for (size_t k = 0; k < c->n_codes; k++) {
        if (ranks != NULL)
            ranks[k] = find_rank(e, &row, k);
        look_at_code(e, k, frocc__code_in(x[c->known[k].feature * stride]), left_out, &s);
    }
    for (size_t i = 0; i < e->codes.plan.n_pairs; i++) {
        const double rows = expected_together(e, &e->codes.plan.pairs[i], &row, left_out);
        if (rows > s.together) {
            s.together = rows;
            s.pair = i;
            s.new_column = SIZE_MAX;
        }
    }
    look_at_groups(e, &row, left_out, &s);
    return s;
}
