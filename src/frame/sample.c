/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bottom-k row sample: the k distinct rows whose contents hash smallest under the seed, with
 * their multiplicities.
 *
 * Which rows those are does not depend on the order of the rows or on how they are split. A row of
 * the final sample hashes below every bound that was in force while rows arrived, so none of its
 * copies was ever turned away and its multiplicity is exact. Sums over the sample are taken in the
 * order of the hashes; hence the same bits for every order, split and merge tree.
 *
 * Rows are kept by their non-zero entries, so that sparse rows stay sparse and hash like the same
 * dense rows. Time O(n d) plus O(log k) per row that enters, memory O(k d).
 */
#include "frame/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/rows.h"
#include "base/status.h"
#include "kernels/kernels.h"
#include "schema/schema.h"

/* Entries of a row that are hashed at once. */
#define AT_ONCE 128

typedef frocc__member member;

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t sum_of_dense(const frocc_rows *rows, const frocc__row *row) {
    const frocc__kernels *kernels = frocc__kernels_best();
    uint64_t sum = 0, bits[AT_ONCE];
    for (size_t i = 0; i < row->count; i += AT_ONCE) {
        const size_t count = FROCC_MIN(row->count - i, (size_t)AT_ONCE);
        for (size_t j = 0; j < count; j++)
            bits[j] = bits_of(frocc__rows_entry(rows, row->first + i + j));
        sum += kernels->hash_entries(bits, i, count);
    }
    return sum;
}

static uint64_t sum_of_sparse(const frocc_rows *rows, const frocc__row *row) {
    uint64_t sum = 0;
    for (size_t i = 0; i < row->count; i++)
        sum += frocc__entry_hash(bits_of(frocc__rows_entry(rows, row->first + i)),
                                 (uint64_t)row->columns[i]);
    return sum;
}

static uint64_t row_hash(const frocc_rows *rows, const frocc__row *row, uint64_t seed) {
    uint64_t sum = 0; /* of rows without entries, whose values need not be there */
    if (row->count > 0)
        sum = row->columns != NULL ? sum_of_sparse(rows, row) : sum_of_dense(rows, row);
    return frocc__mix(sum ^ frocc__mix(seed));
}

int frocc__member_compare(const void *left, const void *right) {
    const member *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (size_t i = 0; i < a->count; i++) {
        if (a->columns[i] != b->columns[i])
            return a->columns[i] < b->columns[i] ? -1 : 1;
        if (a->values[i] != b->values[i])
            return a->values[i] < b->values[i] ? -1 : 1;
    }
    return 0;
}

static void drop(member *gone) {
    frocc__free(gone->columns);
    frocc__free(gone->values);
}

/*
 * Sorts, folds copies together and keeps the k smallest: the merge of samples. Returns how many are
 * left. The owner of the rows frees the others.
 */
static size_t reduce(member *members, size_t count, size_t k, bool owner) {
    if (count > 0)
        qsort(members, count, sizeof(member), frocc__member_compare);
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++) {
        if (distinct > 0 && frocc__member_compare(&members[distinct - 1], &members[i]) == 0) {
            members[distinct - 1].copies += members[i].copies;
            if (owner)
                drop(&members[i]);
        } else {
            members[distinct++] = members[i];
        }
    }
    for (size_t i = k; owner && i < distinct; i++)
        drop(&members[i]);
    return FROCC_MIN(distinct, k);
}

static void reduce_own(frocc_sample *sample) {
    sample->n_members = reduce(sample->members, sample->n_members, sample->k, true);
    sample->n_sorted = sample->n_members;
}

void frocc__sample_tidy(frocc_sample *sample) {
    if (sample->n_members - sample->n_sorted >= sample->k)
        reduce_own(sample);
}

/*
 * 4,096 rows tell a mean to 1/64 of a standard deviation; long rows get by with fewer, so that
 * the sample stays below about 400 MB.
 */
static size_t default_size(size_t n_features) {
    size_t by_memory = ((size_t)1 << 25) / n_features;
    return FROCC_MIN(FROCC_MAX(by_memory, (size_t)256), (size_t)4096);
}

frocc_status frocc__sample_make(size_t k, uint64_t seed, size_t n_features, frocc_sample **sample) {
    frocc_sample *made = frocc__alloc(1, sizeof *made);
    if (made == NULL)
        return FROCC_ERR_MEMORY;
    made->n_features = n_features;
    made->seed = seed;
    made->k = k;
    *sample = made;
    return FROCC_OK;
}

frocc_status frocc_sample_new(const frocc_params *params, size_t n_features,
                              frocc_sample **sample) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(sample);
    FROCC_TRY(frocc_params_check(params, n_features));
    size_t k = params->sample_rows > 0 ? params->sample_rows : default_size(n_features);
    FROCC_TRY(frocc__sample_make(k, params->seed, n_features, sample));
    if (params->schema != NULL)
        (*sample)->schema = frocc__schema_retain(params->schema);
    return FROCC_OK;
}

size_t frocc__sample_count(const frocc_sample *sample) {
    return sample->n_members;
}

const frocc__member *frocc__sample_at(const frocc_sample *sample, size_t i) {
    return &sample->members[i];
}

size_t frocc_sample_features(const frocc_sample *sample) {
    return sample == NULL ? 0 : sample->n_features;
}

frocc_schema *frocc_sample_schema(const frocc_sample *sample) {
    return sample == NULL || sample->schema == NULL ? NULL : frocc__schema_retain(sample->schema);
}

void frocc__sample_clear(frocc_sample *sample) {
    frocc__sample_leave(sample, sample->n_members);
    sample->n_sorted = 0;
}

void frocc_sample_free(frocc_sample *sample) {
    if (sample == NULL)
        return;
    frocc__sample_clear(sample);
    frocc__free(sample->members);
    frocc_schema_free(sample->schema);
    frocc__free(sample);
}

/* A copy of the row's non-zero entries; there is room for it. */
frocc_status frocc__sample_enter(frocc_sample *sample, const frocc_rows *rows, size_t r,
                                 uint64_t hash, uint64_t copies) {
    const frocc__row row = frocc__rows_at(rows, r);
    size_t kept = 0;
    for (size_t i = 0; i < row.count; i++)
        kept += frocc__rows_entry(rows, row.first + i) != 0.0;
    member fresh = {hash, copies, kept, frocc__alloc(kept, sizeof(int32_t)),
                    frocc__alloc(kept, sizeof(double))};
    if (fresh.columns == NULL || fresh.values == NULL) {
        drop(&fresh);
        return FROCC_ERR_MEMORY;
    }
    kept = 0;
    for (size_t i = 0; i < row.count; i++) {
        double value = frocc__rows_entry(rows, row.first + i);
        if (value == 0.0)
            continue;
        fresh.columns[kept] = row.columns != NULL ? row.columns[i] : (int32_t)i;
        fresh.values[kept++] = value;
    }
    sample->members[sample->n_members++] = fresh;
    return FROCC_OK;
}

bool frocc__sample_wants(const frocc_sample *sample, uint64_t hash) {
    return sample->n_sorted < sample->k || hash <= sample->members[sample->k - 1].hash;
}

uint64_t frocc__row_hash(const frocc_rows *rows, size_t r, uint64_t seed) {
    frocc__row row = frocc__rows_at(rows, r);
    return row_hash(rows, &row, seed);
}

frocc_status frocc__sample_reserve(frocc_sample *sample, size_t n_more) {
    if (n_more <= sample->capacity - sample->n_members)
        return FROCC_OK;
    size_t wanted = FROCC_MAX(sample->n_members + n_more, 2 * sample->capacity);
    member *grown =
        frocc__grow(sample->members, sample->n_members * sizeof(member), wanted, sizeof(member));
    if (grown == NULL)
        return FROCC_ERR_MEMORY;
    sample->members = grown;
    sample->capacity = wanted;
    return FROCC_OK;
}

/* Room for one more member: by settling once k are waiting, otherwise by growing. */
static frocc_status make_room(frocc_sample *sample) {
    if (sample->n_members == sample->capacity && sample->n_members - sample->n_sorted >= sample->k)
        reduce_own(sample);
    return frocc__sample_reserve(sample, 1);
}

void frocc__sample_leave(frocc_sample *sample, size_t n_members) {
    for (size_t i = 0; i < n_members; i++)
        drop(&sample->members[--sample->n_members]);
}

static frocc_status add_row(frocc_sample *sample, const frocc_rows *rows, size_t r) {
    uint64_t hash = frocc__row_hash(rows, r, sample->seed);
    if (!frocc__sample_wants(sample, hash))
        return FROCC_OK;
    FROCC_TRY(make_room(sample));
    return frocc__sample_enter(sample, rows, r, hash, 1);
}

static bool row_is_usable(const frocc_rows *rows, const frocc__row *row) {
    if (row->columns != NULL && !frocc__row_is_valid(row, rows->n_features))
        return false;
    bool finite = true;
    for (size_t i = 0; i < row->count; i++)
        finite &= fabs(frocc__rows_entry(rows, row->first + i)) <= DBL_MAX;
    return finite;
}

static frocc_status check_whole(const frocc_sample *sample) {
    if (sample->broken)
        return frocc__fail(FROCC_ERR_MEMORY, "the sample ran out of memory earlier and lacks rows; "
                                             "make a new one");
    return FROCC_OK;
}

static frocc_status check_count(const frocc_sample *sample, uint64_t n_more) {
    if (sample->n_rows + n_more < sample->n_rows)
        return frocc__fail(FROCC_ERR_ARGUMENT, "2^64 rows and more cannot be counted");
    return FROCC_OK;
}

frocc_status frocc_sample_add(frocc_sample *sample, const frocc_rows *rows) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(sample);
    FROCC_REQUIRE(rows);
    FROCC_TRY(check_whole(sample));
    FROCC_TRY(frocc__rows_check(rows, sample->n_features));
    FROCC_TRY(check_count(sample, rows->n_rows));
    for (size_t r = 0; r < rows->n_rows; r++) { /* all or nothing */
        frocc__row row = frocc__rows_at(rows, r);
        if (!row_is_usable(rows, &row))
            return frocc__rows_failure(rows, r);
    }
    sample->n_rows += rows->n_rows;
    for (size_t r = 0; r < rows->n_rows && !sample->broken; r++)
        sample->broken = add_row(sample, rows, r) != FROCC_OK;
    return sample->broken ? FROCC_ERR_MEMORY : FROCC_OK;
}

static frocc_status add_member(frocc_sample *sample, const member *row) {
    if (!frocc__sample_wants(sample, row->hash))
        return FROCC_OK;
    FROCC_TRY(make_room(sample));
    member copy = *row;
    copy.columns = frocc__alloc_raw(row->count, sizeof(int32_t));
    copy.values = frocc__alloc_raw(row->count, sizeof(double));
    if (copy.columns == NULL || copy.values == NULL) {
        drop(&copy);
        return FROCC_ERR_MEMORY;
    }
    if (row->count > 0) {
        memcpy(copy.columns, row->columns, row->count * sizeof(int32_t));
        memcpy(copy.values, row->values, row->count * sizeof(double));
    }
    sample->members[sample->n_members++] = copy;
    return FROCC_OK;
}

/* Their columns must be the same, whatever texts they have had so far. */
static frocc_status join_schemas(frocc_sample *into, const frocc_sample *from) {
    const frocc_schema *const both[] = {into->schema, from->schema};
    frocc_schema *joined = NULL;
    bool are_alike = false;
    FROCC_TRY(frocc__schemas_alike(into->schema, from->schema, &are_alike));
    if (are_alike && into->schema == from->schema)
        return FROCC_OK;
    if (are_alike)
        FROCC_TRY(frocc_schema_join(both, 2, &joined));
    if (are_alike)
        FROCC_TRY(frocc__schemas_alike(into->schema, joined, &are_alike));
    if (!are_alike) {
        frocc_schema_free(joined);
        return frocc__fail(FROCC_ERR_FRAME, "samples merge only when their columns are the same; "
                                            "read all parts through one schema");
    }
    frocc_schema_free(into->schema);
    into->schema = joined;
    return FROCC_OK;
}

frocc_status frocc_sample_merge(frocc_sample *into, const frocc_sample *from) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(into);
    FROCC_REQUIRE(from);
    if (into == from)
        return frocc__fail(FROCC_ERR_ARGUMENT, "a sample cannot be merged into itself");
    if (into->n_features != from->n_features || into->k != from->k || into->seed != from->seed)
        return frocc__fail(FROCC_ERR_FRAME, "samples merge only when seed, size and the number of "
                                            "columns are the same");
    FROCC_TRY(check_whole(into));
    FROCC_TRY(check_whole(from));
    FROCC_TRY(check_count(into, from->n_rows));
    FROCC_TRY(join_schemas(into, from));
    into->n_rows += from->n_rows;
    for (size_t i = 0; i < from->n_members && !into->broken; i++)
        into->broken = add_member(into, &from->members[i]) != FROCC_OK;
    reduce_own(into);
    return into->broken ? FROCC_ERR_MEMORY : FROCC_OK;
}

frocc_status frocc__sample_members(const frocc_sample *sample, frocc__members *members) {
    FROCC_TRY(check_whole(sample));
    member *rows = frocc__alloc(sample->n_members, sizeof(member));
    if (rows == NULL)
        return FROCC_ERR_MEMORY;
    if (sample->n_members > 0)
        memcpy(rows, sample->members, sample->n_members * sizeof(member));
    size_t count = reduce(rows, sample->n_members, sample->k, false);
    *members = (frocc__members){sample->n_features, count, rows};
    return FROCC_OK;
}

void frocc__members_free(frocc__members *members) {
    frocc__free(members->rows);
}

frocc_rows frocc__member_row(const frocc__member *row, size_t n_features, int64_t row_start[2]) {
    row_start[0] = 0;
    row_start[1] = (int64_t)row->count;
    return frocc_rows_csr(FROCC_F64, row->values, row_start, row->columns, 1, n_features);
}

frocc_status frocc_sample_size(const frocc_sample *sample, size_t *n_rows) {
    FROCC_REQUIRE(sample);
    FROCC_REQUIRE(n_rows);
    frocc__members members;
    FROCC_TRY(frocc__sample_members(sample, &members));
    *n_rows = members.count;
    frocc__members_free(&members);
    return FROCC_OK;
}
