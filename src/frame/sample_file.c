/* SPDX-License-Identifier: BSD-3-Clause */
/* The sample as bytes (docs/model-format.md): its rows in their order, which is that of hashes that
 * the reader computes again. */
#include <math.h>

#include "base/arithmetic.h"
#include "base/envelope.h"
#include "base/memory.h"
#include "base/status.h"
#include "frame/sample.h"
#include "schema/schema.h"

#define TAG_SAMPLE FROCC__TAG('S', 'A', 'M', 'P')
#define TAG_SCHEMA FROCC__TAG('S', 'C', 'H', 'E')

#define AN_ENTRY (sizeof(int32_t) + sizeof(double))

/* Whether a row takes no more bytes with its zeros than without. */
static bool is_kept_dense(uint64_t count, size_t n_features) {
    return count * AN_ENTRY >= n_features * sizeof(double);
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* As write_row has it. */
static size_t bytes_of_row(const frocc__member *row, size_t n_features) {
    return sizeof(uint64_t) + sizeof(uint32_t) +
           FROCC_MIN(row->count * AN_ENTRY, n_features * sizeof(double));
}

static void write_row(const frocc__member *row, size_t n_features, frocc__bytes_out *out) {
    const bool is_dense = is_kept_dense(row->count, n_features);
    frocc__put_u64(out, row->copies);
    frocc__put_u32(out, (uint32_t)row->count);
    for (size_t i = 0; !is_dense && i < row->count; i++)
        frocc__put_u32(out, (uint32_t)row->columns[i]);
    for (size_t i = 0; !is_dense && i < row->count; i++)
        frocc__put_f64(out, row->values[i]);
    for (size_t j = 0, i = 0; is_dense && j < n_features; j++) {
        const bool has_entry = i < row->count && (size_t)row->columns[i] == j;
        frocc__put_f64(out, has_entry ? row->values[i] : 0.0);
        i += has_entry;
    }
}

static frocc_status write_schema(const frocc_schema *schema, frocc__bytes_out *out) {
    if (schema == NULL)
        return FROCC_OK;
    void *bytes = NULL;
    size_t size = 0;
    FROCC_TRY(frocc_schema_to_bytes(schema, &bytes, &size));
    const size_t begin = frocc__section_begin(out, TAG_SCHEMA);
    frocc__put_bytes(out, bytes, size);
    frocc__section_end(out, begin);
    frocc__free(bytes);
    return FROCC_OK;
}

static void write_sample(const frocc_sample *sample, const frocc__members *members,
                         frocc__bytes_out *out) {
    const size_t begin = frocc__section_begin(out, TAG_SAMPLE);
    frocc__put_u64(out, sample->n_features);
    frocc__put_u64(out, sample->seed);
    frocc__put_u64(out, sample->k);
    frocc__put_u64(out, members->count);
    size_t size = 0;
    for (size_t i = 0; i < members->count; i++)
        size += bytes_of_row(&members->rows[i], sample->n_features);
    frocc__put_reserve(out, size + sizeof(uint64_t)); /* and the checksum */
    for (size_t i = 0; i < members->count; i++)
        write_row(&members->rows[i], sample->n_features, out);
    frocc__section_end(out, begin);
}

frocc_status frocc_sample_to_bytes(const frocc_sample *sample, void **bytes, size_t *size) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(sample);
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(size);
    frocc__members members;
    frocc__bytes_out out = {0};
    FROCC_TRY(frocc__sample_members(sample, &members));
    frocc__envelope_begin(&out, FROCC_KIND_SAMPLE);
    frocc_status status = write_schema(sample->schema, &out);
    write_sample(sample, &members, &out);
    frocc__members_free(&members);
    out.failed |= status != FROCC_OK;
    return frocc__envelope_end(&out, bytes, size);
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Room for the entries that a row claims, once it is certain that they are there. */
static frocc_status make_row(frocc__bytes_in *in, size_t n_features, frocc__member *row) {
    const uint64_t copies = frocc__get_u64(in), count = frocc__get_u32(in);
    const bool is_dense = is_kept_dense(count, n_features);
    const size_t room = in->left / (is_dense ? sizeof(double) : AN_ENTRY);
    if (in->failed || copies == 0 || count > n_features || (is_dense ? n_features : count) > room)
        return frocc__damaged("a row of the sample is cut short or out of range");
    *row = (frocc__member){.copies = copies,
                           .count = (size_t)count,
                           .columns = frocc__alloc((size_t)count, sizeof(int32_t)),
                           .values = frocc__alloc((size_t)count, sizeof(double))};
    return row->columns != NULL && row->values != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

/* The entries, rising and none of them zero; false where they are not. */
static bool read_entries(frocc__bytes_in *in, size_t n_features, frocc__member *row) {
    bool usable = true;
    size_t kept = 0;
    if (is_kept_dense(row->count, n_features)) {
        for (size_t j = 0; j < n_features; j++) {
            const double value = frocc__get_f64(in);
            usable &= isfinite(value) && !(value == 0.0 && signbit(value));
            if (value == 0.0 || kept == row->count) {
                usable &= value == 0.0;
                continue;
            }
            row->columns[kept] = (int32_t)j;
            row->values[kept++] = value;
        }
        return usable && kept == row->count;
    }
    for (; kept < row->count; kept++) {
        const uint32_t column = frocc__get_u32(in);
        usable &= column < n_features && (kept == 0 || column > (uint32_t)row->columns[kept - 1]);
        row->columns[kept] = (int32_t)(column & INT32_MAX);
    }
    for (kept = 0; kept < row->count; kept++) {
        row->values[kept] = frocc__get_f64(in);
        usable &= isfinite(row->values[kept]) && row->values[kept] != 0.0;
    }
    return usable;
}

/* The next row, which the sample has, whole or not. */
static frocc_status read_row(frocc__bytes_in *in, frocc_sample *sample) {
    FROCC_TRY(frocc__sample_reserve(sample, 1));
    frocc__member *row = &sample->members[sample->n_members++];
    *row = (frocc__member){0};
    FROCC_TRY(make_row(in, sample->n_features, row));
    if (!read_entries(in, sample->n_features, row))
        return frocc__damaged("a row of the sample has entries that no row has");
    int64_t start[2];
    const frocc_rows rows = frocc__member_row(row, sample->n_features, start);
    row->hash = frocc__row_hash(&rows, 0, sample->seed);
    if (sample->n_members > 1 && frocc__member_compare(row - 1, row) >= 0)
        return frocc__damaged("the rows of the sample are not in their order");
    return FROCC_OK;
}

static frocc_status read_rows(frocc__bytes_in *in, uint64_t count, frocc_sample *sample) {
    for (uint64_t i = 0; i < count; i++) {
        FROCC_TRY(read_row(in, sample));
        if (__builtin_add_overflow(sample->n_rows, sample->members[i].copies, &sample->n_rows))
            return frocc__damaged("it claims 2^64 rows and more");
    }
    sample->n_sorted = sample->n_members;
    return in->left == 0 ? FROCC_OK : frocc__damaged("its rows are longer than they should be");
}

static frocc_status read_schema(frocc__bytes_in in, frocc_sample *sample) {
    if (in.data == NULL)
        return FROCC_OK;
    FROCC_TRY(frocc_schema_from_bytes(in.data, in.left, &sample->schema));
    if (frocc_schema_features(sample->schema) != sample->n_features)
        return frocc__damaged("its columns do not make as many features as its rows have");
    return FROCC_OK;
}

static frocc_status read_sample(frocc__bytes_in in, frocc__bytes_in schema, frocc_sample **sample) {
    const uint64_t n_features = frocc__get_u64(&in), seed = frocc__get_u64(&in);
    const uint64_t k = frocc__get_u64(&in), count = frocc__get_u64(&in);
    if (in.failed || n_features == 0 || n_features > FROCC_MAX_FEATURES || k == 0 ||
        k > (uint64_t)1 << 30 || count > k)
        return frocc__damaged("its sizes are out of range");
    frocc_sample *made = NULL;
    FROCC_TRY(frocc__sample_make((size_t)k, seed, (size_t)n_features, &made));
    frocc_status status = read_schema(schema, made);
    if (status == FROCC_OK)
        status = read_rows(&in, count, made);
    if (status != FROCC_OK) {
        frocc_sample_free(made);
        return status;
    }
    *sample = made;
    return FROCC_OK;
}

frocc_status frocc_sample_from_bytes(const void *bytes, size_t size, frocc_sample **sample) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(sample);
    frocc__section sections[] = {{.tag = TAG_SCHEMA}, {.tag = TAG_SAMPLE}};
    FROCC_TRY(frocc__envelope_read(bytes, size, FROCC_KIND_SAMPLE, sections, 2));
    if (sections[1].in.data == NULL)
        return frocc__damaged("a section is missing");
    return read_sample(sections[1].in, sections[0].in, sample);
}
