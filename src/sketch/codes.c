/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting codes: a look-up a column, one a pair, and an addition a group and number. */
#include "sketch/codes.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/status.h"

/* ---- Tallies -------------------------------------------------------------------------------- */

#define CODE_BITS 24

static uint32_t key_of(const frocc__code_tally *t, uint32_t code) {
    return (code >> (CODE_BITS - t->bits)) + 1;
}

static uint32_t *slot_of(const frocc__code_tally *t, uint32_t key) {
    uint32_t slot = key * 0x9E3779B1u >> 8 & (t->capacity - 1);
    while (t->keys[slot] != 0 && t->keys[slot] != key)
        slot = (slot + 1) & (t->capacity - 1);
    return &t->keys[slot];
}

uint32_t frocc__tally_rows(const frocc__code_tally *t, uint32_t code) {
    if (t->capacity == 0)
        return 0;
    const uint32_t *slot = slot_of(t, key_of(t, code));
    return *slot != 0 ? t->rows[slot - t->keys] : 0;
}

static uint32_t add_rows(uint32_t rows, uint32_t more) {
    return more > UINT32_MAX - rows ? UINT32_MAX : rows + more;
}

/* There is room. */
static void put(frocc__code_tally *t, uint32_t key, uint32_t rows) {
    uint32_t *slot = slot_of(t, key);
    t->used += *slot == 0;
    *slot = key;
    t->rows[slot - t->keys] = add_rows(t->rows[slot - t->keys], rows);
}

static void tally_free(frocc__code_tally *t) {
    frocc__free(t->keys);
    frocc__free(t->rows);
    *t = (frocc__code_tally){0};
}

/* The same tally in a table of this capacity, with codes told apart by so many bits. */
static frocc_status rebuild(frocc__code_tally *t, uint32_t capacity, uint32_t bits) {
    frocc__code_tally made = {.bits = bits,
                              .capacity = capacity,
                              .keys = frocc__alloc(capacity, sizeof(uint32_t)),
                              .rows = frocc__alloc(capacity, sizeof(uint32_t))};
    if (made.keys == NULL || made.rows == NULL) {
        tally_free(&made);
        return FROCC_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < t->capacity; i++)
        if (t->keys[i] != 0)
            put(&made, ((t->keys[i] - 1) >> (t->bits - bits)) + 1, t->rows[i]);
    tally_free(t);
    *t = made;
    return FROCC_OK;
}

/* Adds rows with a code. The bits that are left are the most with which no more codes than there is
 * room for are told apart: a function of the codes, not of their order. */
static frocc_status tally_add(frocc__code_tally *t, uint32_t code, uint32_t rows) {
    const uint32_t key = key_of(t, code);
    if (t->capacity > 0 && *slot_of(t, key) != 0) {
        put(t, key, rows);
        return FROCC_OK;
    }
    if (2 * (t->used + 1) > t->capacity)
        FROCC_TRY(rebuild(t, FROCC_MAX(2 * t->capacity, 16u), t->bits));
    put(t, key, rows);
    while (t->used > FROCC_MOST_TALLIED)
        FROCC_TRY(rebuild(t, t->capacity, t->bits - 1));
    return FROCC_OK;
}

static frocc_status tally_widen(frocc__code_tally *t, uint32_t bits) {
    return bits < t->bits ? rebuild(t, FROCC_MAX(t->capacity, 16u), bits) : FROCC_OK;
}

static frocc_status tally_merge(frocc__code_tally *into, const frocc__code_tally *from) {
    FROCC_TRY(tally_widen(into, from->bits));
    for (uint32_t i = 0; i < from->capacity; i++)
        if (from->keys[i] != 0)
            FROCC_TRY(
                tally_add(into, (from->keys[i] - 1) << (CODE_BITS - from->bits), from->rows[i]));
    return FROCC_OK;
}

/* ---- The plan ------------------------------------------------------------------------------- */

/* Columns that tell rows apart. */
static bool varies(const frocc__columns *c, size_t column) {
    return c->known[column].count >= 2;
}

/* Pairs of columns, neighbours first, then those two apart, and so on: each has the same say. */
static void choose_pairs(const frocc__columns *c, const uint32_t *varying, size_t n,
                         frocc__code_plan *plan) {
    (void)c;
    for (size_t apart = 1; apart < n; apart++)
        for (size_t i = 0; i + apart < n && plan->n_pairs < FROCC_MOST_PAIRS; i++)
            plan->pairs[plan->n_pairs++] = (frocc__pair){varying[i], varying[i + apart], 0};
}

static size_t places_of(const frocc__columns *c, const frocc__code_plan *plan, uint32_t ranks) {
    size_t n = 0;
    for (size_t i = 0; i < plan->n_pairs; i++)
        n += frocc__ranks_within(c, plan->pairs[i].a, ranks) *
             frocc__ranks_within(c, plan->pairs[i].b, ranks);
    return n;
}

static void place_pairs(const frocc__columns *c, frocc__code_plan *plan) {
    plan->pair_ranks = FROCC_MOST_KNOWN;
    while (places_of(c, plan, plan->pair_ranks) > FROCC_MOST_PAIR_PLACES)
        plan->pair_ranks = plan->pair_ranks * 3 / 4;
    for (size_t i = 0; i < plan->n_pairs; i++) {
        frocc__pair *pair = &plan->pairs[i];
        pair->first = plan->n_places;
        plan->n_places += frocc__ranks_within(c, pair->a, plan->pair_ranks) *
                          frocc__ranks_within(c, pair->b, plan->pair_ranks);
    }
}

static size_t groups_of(const frocc__columns *c, uint32_t ranks) {
    size_t n = 0;
    for (size_t k = 0; k < c->n_codes; k++)
        n += varies(c, k) ? frocc__ranks_within(c, k, ranks) : 0;
    return n;
}

/* Fewer codes a column where there are many columns; then fewer numbers. */
static void place_groups(const frocc__columns *c, frocc__code_plan *plan) {
    const size_t most = FROCC_MOST_GROUP_SLOTS;
    plan->group_ranks = FROCC_MOST_KNOWN;
    while (groups_of(c, plan->group_ranks) * plan->n_numbers > most && plan->group_ranks > 2)
        plan->group_ranks = FROCC_MAX(plan->group_ranks * 3 / 4, 2u);
    plan->n_groups = groups_of(c, plan->group_ranks);
    if (plan->n_groups > 0)
        plan->n_numbers = FROCC_MIN(plan->n_numbers, most / plan->n_groups);
    size_t next = 0;
    for (size_t k = 0; k < c->n_codes; k++) {
        plan->first_group[k] = varies(c, k) ? next : SIZE_MAX;
        next += varies(c, k) ? frocc__ranks_within(c, k, plan->group_ranks) : 0;
    }
}

static frocc_status make_plan(const frocc__columns *c, frocc__code_plan *plan) {
    uint32_t *varying = frocc__alloc(c->n_codes, sizeof *varying);
    plan->pairs = frocc__alloc(FROCC_MOST_PAIRS, sizeof *plan->pairs);
    plan->numbers = frocc__alloc(c->n_inputs, sizeof *plan->numbers);
    plan->first_group = frocc__alloc(c->n_codes, sizeof *plan->first_group);
    if (varying == NULL || plan->pairs == NULL || plan->numbers == NULL ||
        plan->first_group == NULL) {
        frocc__free(varying);
        return FROCC_ERR_MEMORY;
    }
    size_t n = 0;
    for (size_t k = 0; k < c->n_codes; k++)
        if (varies(c, k))
            varying[n++] = (uint32_t)k;
    for (size_t j = 0; j < c->n_inputs; j++)
        if (!c->is_code[j])
            plan->numbers[plan->n_numbers++] = (uint32_t)j;
    choose_pairs(c, varying, n, plan);
    frocc__free(varying);
    place_pairs(c, plan);
    place_groups(c, plan);
    return FROCC_OK;
}

/* What is known before there is a plan: all places or groups that there can be. */
uint64_t frocc__codes_memory(const frocc__columns *c, uint64_t size) {
    const size_t n_pairs = FROCC_MIN(c->n_codes * c->n_codes, (size_t)FROCC_MOST_PAIRS);
    size_t most = 0;
    for (size_t k = 0; k < c->n_codes; k++)
        most = FROCC_MAX(most, (size_t)c->known[k].count);
    const uint64_t a_column = sizeof(frocc__code_tally) + 3 * sizeof(uint64_t) +
                              (FROCC_MOST_KNOWN + 2) * sizeof(uint32_t);
    const uint64_t a_slot =
        sizeof(frocc__grid) + FROCC_LEAF_CELLS * sizeof(uint16_t) + sizeof(uint32_t);
    const uint64_t slots =
        FROCC_MIN(groups_of(c, FROCC_MOST_KNOWN) * c->n_numbers, FROCC_MOST_GROUP_SLOTS);
    /* A table has four slots for a code at most, and is there twice while it grows. */
    const uint64_t a_byte = 6;
    return c->n_codes * a_column + c->n_inputs * sizeof(uint32_t) +
           FROCC_MOST_PAIRS * sizeof(frocc__pair) + slots * a_slot +
           FROCC_MIN(n_pairs * most * most, FROCC_MOST_PAIR_PLACES) + a_byte * size;
}

/* ---- Made ----------------------------------------------------------------------------------- */

frocc_status frocc__codes_new(const frocc_frame *frame, frocc__codes *codes) {
    *codes = (frocc__codes){.columns = &frame->columns};
    if (!frocc__judges_codes(frame))
        return FROCC_OK;
    const size_t n = frame->columns.n_codes;
    codes->tallies = frocc__alloc(n, sizeof *codes->tallies);
    codes->ranked = frocc__alloc(n * (FROCC_MOST_KNOWN + 1), sizeof *codes->ranked);
    frocc_status status = make_plan(&frame->columns, &codes->plan);
    codes->together = frocc__alloc(codes->plan.n_places, 1);
    if (status == FROCC_OK && codes->tallies != NULL && codes->ranked != NULL &&
        codes->together != NULL)
        status = frocc__histograms_new(codes->plan.n_groups * codes->plan.n_numbers,
                                       FROCC_LEAF_CELLS, frame->kernels, &codes->groups);
    else
        status = FROCC_ERR_MEMORY;
    for (size_t k = 0; k < n && codes->tallies != NULL; k++)
        codes->tallies[k].bits = CODE_BITS;
    if (status != FROCC_OK)
        frocc__codes_free(codes);
    return status;
}

void frocc__codes_free(frocc__codes *codes) {
    for (size_t k = 0; codes->tallies != NULL && k < codes->columns->n_codes; k++)
        tally_free(&codes->tallies[k]);
    frocc__free(codes->tallies);
    frocc__free(codes->ranked);
    frocc__free(codes->together);
    frocc__free(codes->plan.pairs);
    frocc__free(codes->plan.numbers);
    frocc__free(codes->plan.first_group);
    frocc__histograms_free(&codes->groups);
    *codes = (frocc__codes){0};
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* One prepared row, whose features lie stride apart; ranks is scratch. */
static void take_row(frocc__codes *codes, const float *x, size_t stride, uint32_t *ranks) {
    const frocc__columns *c = codes->columns;
    for (size_t k = 0; k < c->n_codes; k++) {
        const uint32_t code = frocc__code_in(x[c->known[k].feature * stride]);
        ranks[k] = frocc__rank_of(&c->known[k], code);
        codes->has_failed |= tally_add(&codes->tallies[k], code, 1) != FROCC_OK;
        uint32_t *rows = &codes->ranked[k * (FROCC_MOST_KNOWN + 1) + ranks[k]];
        *rows = add_rows(*rows, 1);
    }
    for (size_t i = 0; i < codes->plan.n_pairs; i++) {
        const frocc__pair *pair = &codes->plan.pairs[i];
        const size_t place = frocc__place_of(codes, pair, ranks[pair->a], ranks[pair->b]);
        if (place != SIZE_MAX)
            codes->together[place] += codes->together[place] < FROCC_MOST_TOGETHER;
    }
    for (size_t k = 0; k < c->n_codes; k++) {
        const size_t group = frocc__group_of(codes, k, ranks[k]), n = codes->plan.n_numbers;
        for (size_t i = 0; group != SIZE_MAX && i < n; i++)
            frocc__histogram_add_one(&codes->groups, group * n + i,
                                     x[codes->plan.numbers[i] * stride]);
    }
}

void frocc__codes_take(frocc__codes *codes, const frocc_frame *frame,
                       const frocc__projections *projections) {
    if (codes->tallies == NULL)
        return;
    uint32_t *ranks = frocc__alloc(codes->columns->n_codes, sizeof *ranks);
    codes->has_failed |= ranks == NULL;
    for (size_t r = 0; ranks != NULL && r < projections->n_rows; r++) {
        const size_t panel = r / projections->panel, lane = r % projections->panel;
        take_row(codes, projections->x + panel * projections->panel * frame->n_features + lane,
                 projections->panel, ranks);
    }
    frocc__free(ranks);
}

void frocc__codes_merge(frocc__codes *into, const frocc__codes *from, frocc__bin *bins) {
    if (into->tallies == NULL)
        return;
    const size_t n = into->columns->n_codes;
    into->has_failed |= from->has_failed;
    for (size_t k = 0; k < n; k++)
        into->has_failed |= tally_merge(&into->tallies[k], &from->tallies[k]) != FROCC_OK;
    for (size_t i = 0; i < n * (FROCC_MOST_KNOWN + 1); i++)
        into->ranked[i] = add_rows(into->ranked[i], from->ranked[i]);
    for (size_t i = 0; i < into->plan.n_places; i++)
        into->together[i] =
            (uint8_t)FROCC_MIN(into->together[i] + from->together[i], FROCC_MOST_TOGETHER);
    frocc__histograms_merge(&into->groups, &from->groups, bins);
}

/* ---- As bytes ------------------------------------------------------------------------------- */

static int compare_keys(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Codes rising, each with its rows. */
static void write_tally(const frocc__code_tally *t, frocc__bytes_out *out) {
    uint64_t *entries = frocc__alloc(t->used, sizeof *entries);
    out->failed |= entries == NULL;
    frocc__put_u32(out, t->bits);
    frocc__put_u32(out, t->used);
    size_t n = 0;
    for (uint32_t i = 0; entries != NULL && i < t->capacity; i++)
        if (t->keys[i] != 0)
            entries[n++] = (uint64_t)(t->keys[i] - 1) << 32 | t->rows[i];
    if (n > 0)
        qsort(entries, n, sizeof *entries, compare_keys);
    for (size_t i = 0; i < n; i++) {
        frocc__put_u32(out, (uint32_t)(entries[i] >> 32));
        frocc__put_u32(out, (uint32_t)entries[i]);
    }
    frocc__free(entries);
}

/* Most pairs have no row, or more than are told apart: 0, 1 or 2, or a byte behind 3. */
static void write_together(const frocc__codes *codes, frocc__bytes_out *out) {
    frocc__bits_out bits = {.out = out};
    for (size_t i = 0; i < codes->plan.n_places; i++) {
        frocc__put_bits(&bits, FROCC_MIN(codes->together[i], 3u), 2);
        if (codes->together[i] >= 3)
            frocc__put_bits(&bits, codes->together[i], 8);
    }
    frocc__put_last_bits(&bits);
}

static void write_all(const frocc__codes *codes, frocc__bin *bins, frocc__bytes_out *out) {
    const frocc__columns *c = codes->columns;
    for (size_t k = 0; k < c->n_codes; k++) {
        write_tally(&codes->tallies[k], out);
        for (uint32_t r = 0; r <= c->known[k].count; r++)
            frocc__put_u32(out, codes->ranked[k * (FROCC_MOST_KNOWN + 1) + r]);
    }
    write_together(codes, out);
    for (size_t slot = 0; slot < codes->groups.n_slots; slot++) {
        const size_t n_bins = frocc__histogram_list(&codes->groups, slot, bins);
        frocc__histogram_write(&codes->groups.grids[slot], bins, n_bins, out);
    }
}

void frocc__codes_write(const frocc__codes *codes, frocc__bin *bins, frocc__bytes_out *out) {
    if (codes->tallies == NULL)
        return;
    frocc__bytes_out own = {0};
    write_all(codes, bins, &own);
    frocc__put_u64(out, own.size);
    frocc__put_bytes(out, own.data, own.size);
    out->failed |= own.failed;
    frocc__free(own.data);
}

/* Rows, and whether some were not counted because there are too many. */
typedef struct row_sum {
    uint64_t rows;
    bool is_full;
} row_sum;

static void sum_rows(row_sum *sum, uint32_t rows) {
    sum->rows += rows;
    sum->is_full |= rows == UINT32_MAX;
}

static bool are_other_rows(const row_sum *a, const row_sum *b) {
    return a->rows != b->rows && !a->is_full && !b->is_full;
}

/* Codes are told apart by fewer bits only where one bit more is too much. */
static frocc_status read_tally(frocc__bytes_in *in, frocc__code_tally *into, row_sum *sum) {
    const uint32_t bits = frocc__get_u32(in), used = frocc__get_u32(in);
    if (in->failed || bits == 0 || bits > CODE_BITS || used > FROCC_MOST_TALLIED ||
        used > in->left / (2 * sizeof(uint32_t)))
        return frocc__damaged("the texts of a column are cut short");
    if (bits < CODE_BITS && 2 * used <= FROCC_MOST_TALLIED)
        return frocc__damaged("the texts of a column are too few to be told apart so badly");
    FROCC_TRY(tally_widen(into, bits));
    uint32_t last = 0;
    for (uint32_t i = 0; i < used; i++) {
        const uint32_t key = frocc__get_u32(in), rows = frocc__get_u32(in);
        if (key >> bits != 0 || rows == 0 || (i > 0 && key <= last))
            return frocc__damaged("the texts of a column are not what a fit produces");
        last = key;
        sum_rows(sum, rows);
        FROCC_TRY(tally_add(into, key << (CODE_BITS - bits), rows));
    }
    return FROCC_OK;
}

/* Rows by rank, which are those of the tally: all of them, and of each known code. */
static frocc_status read_ranked(frocc__bytes_in *in, const frocc__known *known,
                                const frocc__code_tally *tally, uint32_t *ranked, row_sum *sum) {
    for (uint32_t r = 0; r <= known->count; r++) {
        const uint32_t rows = frocc__get_u32(in);
        sum_rows(sum, rows);
        ranked[r] = add_rows(ranked[r], rows);
        const uint32_t tallied = r > 0 ? frocc__tally_rows(tally, known->codes[r - 1]) : UINT32_MAX;
        if (tallied < ranked[r] || (r > 0 && tally->bits == CODE_BITS && tallied != ranked[r]))
            return frocc__damaged("a text has other rows by rank");
    }
    return FROCC_OK;
}

static frocc_status read_column(frocc__bytes_in *in, size_t k, frocc__codes *into, row_sum *sum) {
    row_sum tallied = {0};
    uint32_t *ranked = &into->ranked[k * (FROCC_MOST_KNOWN + 1)];
    FROCC_TRY(read_tally(in, &into->tallies[k], &tallied));
    FROCC_TRY(read_ranked(in, &into->columns->known[k], &into->tallies[k], ranked, sum));
    return are_other_rows(&tallied, sum) ? frocc__damaged("the texts of a column are of other rows")
                                         : FROCC_OK;
}

static frocc_status read_together(frocc__bytes_in *in, frocc__codes *into) {
    frocc__bits_in bits = {.in = in};
    for (size_t i = 0; i < into->plan.n_places; i++) {
        uint32_t rows = frocc__get_bits(&bits, 2);
        const bool is_long = rows == 3;
        if (is_long)
            rows = frocc__get_bits(&bits, 8);
        if (in->failed || (is_long && rows < 3))
            return frocc__damaged("which texts come together is not what a fit produces");
        into->together[i] = (uint8_t)FROCC_MIN(into->together[i] + rows, FROCC_MOST_TOGETHER);
    }
    frocc__give_back_bits(&bits);
    return in->failed ? frocc__damaged("which texts come together is cut short") : FROCC_OK;
}

static frocc_status read_groups(frocc__bytes_in *in, frocc__histograms *into) {
    for (size_t slot = 0; slot < into->n_slots; slot++) {
        frocc__grid grid;
        frocc__bin bins[FROCC_LEAF_CELLS];
        size_t n_bins;
        FROCC_TRY(frocc__histogram_read(in, FROCC_LEAF_CELLS, &grid, bins, &n_bins));
        if (n_bins > 0)
            frocc__histogram_merge(into, slot, grid.low, grid.high, bins, n_bins,
                                   frocc__scale_exponent(grid.scale));
    }
    return FROCC_OK;
}

static frocc_status read_all(frocc__bytes_in *in, frocc__codes *into) {
    const frocc__columns *c = into->columns;
    row_sum first = {0};
    for (size_t k = 0; k < c->n_codes; k++) {
        row_sum sum = {0};
        FROCC_TRY(read_column(in, k, into, &sum));
        first = k == 0 ? sum : first;
        if (are_other_rows(&first, &sum))
            return frocc__damaged("its columns of texts are of other rows");
    }
    FROCC_TRY(read_together(in, into));
    FROCC_TRY(read_groups(in, &into->groups));
    return in->failed || in->left != 0 ? frocc__damaged("what its texts teach is cut short")
                                       : FROCC_OK;
}

/* The part of a section that is about codes. */
static frocc_status take_part(frocc__bytes_in *in, frocc__bytes_in *part) {
    const uint64_t size = frocc__get_u64(in);
    if (in->failed || size > in->left)
        return frocc__damaged("what its texts teach is cut short");
    *part = (frocc__bytes_in){frocc__get_bytes(in, (size_t)size), (size_t)size, false};
    return FROCC_OK;
}

frocc_status frocc__codes_merge_bytes(frocc__codes *into, frocc__bytes_in *in) {
    if (into->tallies == NULL)
        return FROCC_OK;
    frocc__bytes_in part = {0};
    FROCC_TRY(take_part(in, &part));
    return read_all(&part, into);
}

frocc_status frocc__codes_copy_bytes(frocc__bytes_in *in, frocc__bytes_out *out) {
    frocc__bytes_in part = {0};
    FROCC_TRY(take_part(in, &part));
    frocc__put_u64(out, part.left);
    frocc__put_bytes(out, part.data, part.left);
    return FROCC_OK;
}
