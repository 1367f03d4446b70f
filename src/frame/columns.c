/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of codes: which codes the sample has often, and what they become. O(k log k) a column. */
#include "frame/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "schema/schema.h"

bool frocc__has_codes(const frocc_schema *schema) {
    bool has = false;
    for (size_t j = 0; schema != NULL && j < frocc_schema_features(schema) && !has; j++)
        has = frocc__schema_is_code(schema, j);
    return has;
}

void frocc__columns_free(frocc__columns *c) {
    for (size_t i = 0; c->known != NULL && i < c->n_codes; i++) {
        frocc__free(c->known[i].codes);
        frocc__free(c->known[i].slots);
    }
    frocc__free(c->known);
    frocc__free(c->indicators);
    frocc__free(c->is_code);
    frocc__free(c->usable);
    frocc__free(c->dealt.start);
    frocc__free(c->dealt.features);
    *c = (frocc__columns){0};
}

/* The features of a column lie together. */
static size_t count_texts(const frocc_schema *schema, const frocc__columns *c) {
    size_t texts = 0;
    for (size_t j = 0, end; j < c->n_inputs; j = end) {
        bool has_number = false;
        const size_t column = frocc__schema_column_of(schema, j);
        for (end = j; end < c->n_inputs && frocc__schema_column_of(schema, end) == column; end++)
            has_number |= !c->is_code[end];
        texts += has_number ? 0 : end - j;
    }
    return texts;
}

static frocc_status columns_new(const frocc_schema *schema, size_t n_inputs, frocc__columns *c) {
    *c = (frocc__columns){.n_inputs = n_inputs, .n_numbers = n_inputs};
    if (!frocc__has_codes(schema))
        return FROCC_OK;
    c->is_code = frocc__alloc(n_inputs, 1);
    if (c->is_code == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t j = 0; j < n_inputs; j++) {
        c->is_code[j] = frocc__schema_is_code(schema, j);
        c->n_codes += c->is_code[j];
    }
    c->n_numbers = n_inputs - c->n_codes;
    c->n_texts = count_texts(schema, c);
    c->known = frocc__alloc(c->n_codes, sizeof *c->known);
    c->indicators = frocc__alloc(c->n_codes * FROCC_MOST_INDICATORS, sizeof *c->indicators);
    if (c->known == NULL || c->indicators == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t j = 0, i = 0; j < n_inputs; j++)
        if (c->is_code[j])
            c->known[i++].feature = (uint32_t)j;
    return FROCC_OK;
}

/* ---- Codes ---------------------------------------------------------------------------------- */

uint32_t frocc__code_of(double value) {
    if (value >= 0.0 && value < (double)FROCC_CODES && value == floor(value))
        return (uint32_t)value;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint32_t)(frocc__mix(bits) >> 40);
}

/* The value of a feature; sparse rows name those that are not zero. */
static double value_of(const frocc_rows *rows, const frocc__row *row, int32_t feature) {
    if (row->columns == NULL)
        return frocc__rows_entry(rows, row->first + (size_t)feature);
    size_t low = 0, high = row->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (row->columns[middle] < feature)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row->count && row->columns[low] == feature
               ? frocc__rows_entry(rows, row->first + low)
               : 0.0;
}

uint32_t frocc__code_at(const frocc_rows *rows, size_t r, size_t feature) {
    const frocc__row row = frocc__rows_at(rows, r);
    return frocc__code_of(value_of(rows, &row, (int32_t)feature));
}

/* Fills the hash table. False where a code comes twice, or is none. */
static bool index_known(frocc__known *known) {
    for (uint32_t r = 0; r < known->count; r++) {
        uint32_t *slot = frocc__known_slot(known, known->codes[r]);
        if (*slot != 0 || known->codes[r] >= FROCC_CODES)
            return false;
        *slot = known->codes[r] << 8 | (r + 1);
    }
    return true;
}

/* Room for so many codes; a table is at most half full, and never without an empty slot. */
static frocc_status known_room(frocc__known *known, uint32_t count) {
    uint32_t bits = 1;
    while (1u << bits < 2 * count + 1)
        bits++;
    known->count = count;
    known->shift = 32 - bits;
    known->codes = frocc__alloc(count, sizeof *known->codes);
    known->slots = frocc__alloc((size_t)1 << bits, sizeof *known->slots);
    return known->codes != NULL && known->slots != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

/* ---- Learning ------------------------------------------------------------------------------- */

/* A code of the sample, and how many of its rows have it. */
typedef struct tallied {
    uint32_t code;
    double rows;
} tallied;

static int by_code(const void *left, const void *right) {
    const tallied *a = left, *b = right;
    return (a->code > b->code) - (a->code < b->code);
}

/* The most frequent ones first. */
static int by_rows(const void *left, const void *right) {
    const tallied *a = left, *b = right;
    if (a->rows != b->rows)
        return a->rows < b->rows ? 1 : -1;
    return by_code(left, right);
}

/* The codes of a column, the most frequent first; says how many there are. */
static size_t tally(const frocc__members *sample, uint32_t feature, tallied *codes) {
    for (size_t i = 0; i < sample->count; i++) {
        int64_t start[2];
        const frocc_rows rows = frocc__member_row(&sample->rows[i], sample->n_features, start);
        const frocc__row row = frocc__rows_at(&rows, 0);
        codes[i] = (tallied){frocc__code_of(value_of(&rows, &row, (int32_t)feature)),
                             (double)sample->rows[i].copies};
    }
    qsort(codes, sample->count, sizeof *codes, by_code);
    size_t distinct = 0;
    for (size_t i = 0; i < sample->count; i++) {
        if (distinct > 0 && codes[distinct - 1].code == codes[i].code)
            codes[distinct - 1].rows += codes[i].rows;
        else
            codes[distinct++] = codes[i];
    }
    qsort(codes, distinct, sizeof *codes, by_rows);
    return distinct;
}

/* A code that the sample has once may be any of very many. */
static frocc_status know(const tallied *codes, size_t distinct, frocc__known *known) {
    size_t count = 0;
    while (count < distinct && count < FROCC_MOST_KNOWN && codes[count].rows >= 2.0)
        count++;
    FROCC_TRY(known_room(known, (uint32_t)count));
    for (size_t i = 0; i < count; i++)
        known->codes[i] = codes[i].code;
    (void)index_known(known); /* they are distinct codes */
    return FROCC_OK;
}

/* Of values that so many rows have, among so many indicators. */
static frocc__indicator indicator(uint32_t known, uint32_t rank, double share, size_t count) {
    const double unit = sqrt(share * (1.0 - share) * (double)count);
    return (frocc__indicator){known, rank, (float)((1.0 - share) / unit), (float)(-share / unit)};
}

/* The codes, most frequent first, that get an indicator each; the rest share one, with always_rest
 * even where no row of the sample is of the rest. */
static size_t choose(const tallied *codes, size_t distinct, double total, bool always_rest,
                     size_t *with_own) {
    size_t often = 0;
    double covered = 0.0;
    const size_t room = always_rest ? FROCC_MOST_INDICATORS - 1 : FROCC_MOST_INDICATORS;
    const size_t most = distinct > room ? FROCC_MOST_INDICATORS - 1 : distinct;
    for (; often < most && codes[often].rows >= 2.0; often++)
        covered += codes[often].rows;
    *with_own = often;
    if (often == 0 || (distinct < 2 && !always_rest))
        return 0;
    return often + (covered < total || always_rest);
}

/* A rest that no row has is as if one row more had it. */
static void indicate(const tallied *codes, size_t own, size_t count, double total, uint32_t which,
                     frocc__columns *c) {
    double rest = total;
    for (size_t i = 0; i < own; i++)
        rest -= codes[i].rows;
    if (count > own && rest == 0.0) {
        rest = 1.0;
        total += 1.0;
    }
    for (size_t i = 0; i < own; i++)
        c->indicators[c->n_indicators++] =
            indicator(which, codes[i].code, codes[i].rows / total, count);
    if (count > own)
        c->indicators[c->n_indicators++] = indicator(which, FROCC_CODES, rest / total, count);
}

/* Indicators were made with codes; now these have ranks. */
static void rank_indicators(const frocc__columns *c, frocc__indicator *first, size_t count) {
    for (size_t i = 0; i < count; i++)
        first[i].rank = first[i].rank == FROCC_CODES
                            ? 0
                            : frocc__rank_of(&c->known[first[i].known], first[i].rank);
}

static frocc_status learn_column(const frocc__members *sample, double total, bool always_rest,
                                 size_t which, tallied *codes, frocc__columns *c) {
    const size_t distinct = tally(sample, c->known[which].feature, codes);
    size_t own = 0;
    const size_t before = c->n_indicators,
                 count = choose(codes, distinct, total, always_rest, &own);
    if (count > 0)
        indicate(codes, own, count, total, (uint32_t)which, c);
    FROCC_TRY(know(codes, distinct, &c->known[which]));
    rank_indicators(c, c->indicators + before, c->n_indicators - before);
    return FROCC_OK;
}

/* ---- Dealing -------------------------------------------------------------------------------- */

/* The features that directions look at, and by column. Those of a column lie together among the
 * inputs; its indicators come after all inputs. */
static frocc_status deal(const frocc_schema *schema, frocc__columns *c) {
    const size_t width = frocc__columns_features(c);
    c->usable = frocc__alloc(width, sizeof *c->usable);
    c->dealt.features = frocc__alloc(width, sizeof(uint32_t));
    c->dealt.start = frocc__alloc(c->n_inputs + 1, sizeof(uint32_t));
    if (c->usable == NULL || c->dealt.features == NULL || c->dealt.start == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t j = 0; j < width; j++)
        if (j >= c->n_inputs || !c->is_code[j])
            c->usable[c->n_usable++] = (uint32_t)j;
    size_t n = 0, next = 0, column = SIZE_MAX;
    for (size_t j = 0, code = 0; j < c->n_inputs; j++) {
        const size_t own = frocc__schema_column_of(schema, j), before = n;
        if (!c->is_code[j])
            c->dealt.features[n++] = (uint32_t)j;
        for (; c->is_code[j] && next < c->n_indicators && c->indicators[next].known == code; next++)
            c->dealt.features[n++] = (uint32_t)(c->n_inputs + next);
        code += c->is_code[j];
        if (n > before && (own != column || c->dealt.n_columns == 0)) {
            c->dealt.start[c->dealt.n_columns++] = (uint32_t)before;
            column = own;
        }
    }
    c->dealt.start[c->dealt.n_columns] = (uint32_t)n;
    return FROCC_OK;
}

frocc_status frocc__columns_learn(const frocc_schema *schema, const frocc__members *sample,
                                  size_t n_inputs, bool always_rest, frocc__columns *columns) {
    FROCC_TRY(columns_new(schema, n_inputs, columns));
    if (columns->n_codes == 0)
        return FROCC_OK;
    tallied *codes = frocc__alloc(sample->count, sizeof *codes);
    if (codes == NULL)
        return FROCC_ERR_MEMORY;
    double total = 0.0;
    for (size_t i = 0; i < sample->count; i++)
        total += (double)sample->rows[i].copies;
    frocc_status status = FROCC_OK;
    for (size_t i = 0; i < columns->n_codes && status == FROCC_OK; i++)
        status = learn_column(sample, total, always_rest, i, codes, columns);
    frocc__free(codes);
    return status == FROCC_OK ? deal(schema, columns) : status;
}

/* ---- Preparing ------------------------------------------------------------------------------ */

/* Whether an indicator of a column of codes is for this one: of its rank, or for the rest. */
static bool is_for(const frocc__columns *c, size_t i, uint32_t rank, bool found) {
    return c->indicators[i].rank > 0 ? c->indicators[i].rank == rank : !found;
}

void frocc__columns_prepare(const frocc__columns *c, const frocc_rows *rows, size_t r,
                            float *prepared) {
    const frocc__row row = frocc__rows_at(rows, r);
    size_t next = 0;
    for (size_t k = 0; k < c->n_codes; k++) {
        const frocc__known *known = &c->known[k];
        const uint32_t code = frocc__code_of(value_of(rows, &row, (int32_t)known->feature));
        prepared[known->feature] = (float)code;
        const size_t first = next;
        bool found = false;
        const uint32_t rank = frocc__rank_of(known, code);
        for (; next < c->n_indicators && c->indicators[next].known == k; next++)
            found |= rank > 0 && c->indicators[next].rank == rank;
        for (size_t i = first; i < next; i++)
            prepared[c->n_inputs + i] =
                is_for(c, i, rank, found) ? c->indicators[i].present : c->indicators[i].absent;
    }
}

/* ---- Equal, and as bytes -------------------------------------------------------------------- */

bool frocc__columns_equal(const frocc__columns *a, const frocc__columns *b) {
    if (a->n_inputs != b->n_inputs || a->n_codes != b->n_codes ||
        a->n_indicators != b->n_indicators)
        return false;
    for (size_t k = 0; k < a->n_codes; k++)
        if (a->known[k].feature != b->known[k].feature || a->known[k].count != b->known[k].count ||
            memcmp(a->known[k].codes, b->known[k].codes, a->known[k].count * sizeof(uint32_t)) != 0)
            return false;
    return a->n_indicators == 0 ||
           memcmp(a->indicators, b->indicators, a->n_indicators * sizeof *a->indicators) == 0;
}

void frocc__columns_write(const frocc__columns *c, frocc__bytes_out *out) {
    for (size_t k = 0; k < c->n_codes; k++) {
        frocc__put_u32(out, c->known[k].count);
        for (uint32_t i = 0; i < c->known[k].count; i++)
            frocc__put_u32(out, c->known[k].codes[i]);
    }
    if (c->n_codes == 0)
        return;
    frocc__put_u32(out, (uint32_t)c->n_indicators);
    for (size_t i = 0; i < c->n_indicators; i++) {
        frocc__put_u32(out, c->indicators[i].known);
        frocc__put_u32(out, c->indicators[i].rank);
        frocc__put_f32(out, c->indicators[i].present);
        frocc__put_f32(out, c->indicators[i].absent);
    }
}

uint64_t frocc__columns_memory(const frocc_schema *schema, size_t n_inputs, uint64_t size) {
    if (!frocc__has_codes(schema))
        return 0;
    uint64_t n_codes = 0;
    for (size_t j = 0; j < n_inputs; j++)
        n_codes += frocc__schema_is_code(schema, j);
    /* Whether it is a code; where it is dealt, and with what; and the same of indicators. */
    const uint64_t an_input = 1 + 3 * sizeof(uint32_t);
    const uint64_t an_indicator = sizeof(frocc__indicator) + 2 * sizeof(uint32_t);
    /* A known code is four bytes, and so is each of up to four slots. */
    const uint64_t a_byte = 5, least_slots = 4 * sizeof(uint32_t);
    return n_inputs * an_input + a_byte * size +
           n_codes * (sizeof(frocc__known) + least_slots + FROCC_MOST_INDICATORS * an_indicator);
}

static frocc_status read_known(frocc__bytes_in *in, frocc__known *known) {
    const uint32_t count = frocc__get_u32(in);
    if (in->failed || count > FROCC_MOST_KNOWN)
        return frocc__damaged("a column has more known texts than there can be");
    if (in->left / sizeof(uint32_t) < count)
        return frocc__damaged("the known texts of a column are cut short");
    FROCC_TRY(known_room(known, count));
    for (uint32_t i = 0; i < count; i++)
        known->codes[i] = frocc__get_u32(in);
    return index_known(known)
               ? FROCC_OK
               : frocc__damaged("the known texts of a column are not what a fit produces");
}

/* Indicators of a column come together, its rest last. */
static bool is_indicator(const frocc__columns *c, size_t i) {
    const frocc__indicator *own = &c->indicators[i], *last = i > 0 ? own - 1 : NULL;
    const bool follows =
        last == NULL || own->known > last->known || (own->known == last->known && last->rank != 0);
    return follows && own->known < c->n_codes && own->rank <= c->known[own->known].count &&
           fabsf(own->present) <= FROCC_LARGEST_VALUE && fabsf(own->absent) <= FROCC_LARGEST_VALUE;
}

frocc_status frocc__columns_read(frocc__bytes_in *in, const frocc_schema *schema, size_t n_inputs,
                                 frocc__columns *columns) {
    FROCC_TRY(columns_new(schema, n_inputs, columns));
    if (columns->n_codes == 0)
        return FROCC_OK;
    for (size_t k = 0; k < columns->n_codes; k++)
        FROCC_TRY(read_known(in, &columns->known[k]));
    const uint32_t count = frocc__get_u32(in);
    if (in->failed || count > columns->n_codes * FROCC_MOST_INDICATORS)
        return frocc__damaged("its columns make more features than they can");
    for (uint32_t i = 0; i < count; i++) {
        frocc__indicator *own = &columns->indicators[i];
        own->known = frocc__get_u32(in);
        own->rank = frocc__get_u32(in);
        own->present = frocc__get_f32(in);
        own->absent = frocc__get_f32(in);
        if (in->failed || !is_indicator(columns, i))
            return frocc__damaged("the features of its texts are not what a fit produces");
    }
    columns->n_indicators = count;
    return deal(schema, columns);
}
