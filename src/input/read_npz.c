/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One array out of NumPy's npz, a zip archive of npy files: stored or deflated, zip64 or not. The
 * archive is read from its end, as zip wants it; nothing in it is believed before it is checked
 * against the file's size. A second one may hold the labels.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"
#include "input/read_npy.h"

#define MAX_DIRECTORY_SIZE ((uint64_t)1 << 26)

/* A file within the archive. */
struct member {
    frocc__stream *archive;
    char *name; /* of archive and array, for messages */
    unsigned method;
    uint32_t crc, crc_so_far;
    uint64_t packed, size; /* bytes */
    uint64_t header;       /* where its local header is */
    uint64_t data;
    uint64_t taken, delivered;
    frocc__inflate *inflate;
    frocc__stream *copy; /* for Fortran order */
};

struct archive {
    frocc__stream *stream;
    const char *name;
    uint64_t size;
    unsigned char *directory;
    size_t directory_size;
};

static frocc_status damaged(const char *name, const char *what) {
    return frocc__fail(FROCC_ERR_DATA, "%s: not a usable npz file: %s", name, what);
}

static uint64_t get(const unsigned char *bytes, int size) {
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* ---- The directory --------------------------------------------------------------------------- */

/* The 64-bit form of the end record, when there is one. */
static frocc_status find_zip64(struct archive *a, uint64_t end, uint64_t *position,
                               uint64_t *size) {
    unsigned char b[56];
    if (end < 20)
        return FROCC_OK;
    FROCC_TRY(frocc__stream_read_at(a->stream, end - 20, b, 20));
    if (memcmp(b, "PK\6\7", 4) != 0)
        return FROCC_OK;
    uint64_t record = get(b + 8, 8);
    if (record > a->size || a->size - record < sizeof b)
        return damaged(a->name, "its zip64 record lies outside of the file");
    FROCC_TRY(frocc__stream_read_at(a->stream, record, b, sizeof b));
    if (memcmp(b, "PK\6\6", 4) != 0)
        return damaged(a->name, "its zip64 record is damaged");
    *size = get(b + 40, 8);
    *position = get(b + 48, 8);
    return FROCC_OK;
}

/* The end record is 22 bytes, with a comment of up to 65535 behind it. */
static frocc_status find_directory(struct archive *a, uint64_t *position, uint64_t *size) {
    size_t look = (size_t)FROCC_MIN(a->size, (uint64_t)22 + 65535), at = 0;
    if (look < 22)
        return damaged(a->name, "it is too short");
    unsigned char *tail = frocc__alloc(look, 1);
    if (tail == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = frocc__stream_read_at(a->stream, a->size - look, tail, look);
    for (at = look - 22; status == FROCC_OK; at--) {
        if (memcmp(tail + at, "PK\5\6", 4) == 0)
            break;
        if (at == 0)
            status = damaged(a->name, "it has no zip directory; it may be cut off");
    }
    if (status == FROCC_OK) {
        *size = get(tail + at + 12, 4);
        *position = get(tail + at + 16, 4);
        if (*size == 0xffffffff || *position == 0xffffffff || get(tail + at + 10, 2) == 0xffff)
            status = find_zip64(a, a->size - look + at, position, size);
    }
    frocc__free(tail);
    return status;
}

static frocc_status read_directory(struct archive *a) {
    uint64_t position = 0, size = 0;
    FROCC_TRY(frocc__stream_random(a->stream, &a->size));
    FROCC_TRY(find_directory(a, &position, &size));
    if (size > MAX_DIRECTORY_SIZE || position > a->size || size > a->size - position)
        return damaged(a->name, "its zip directory lies outside of the file");
    a->directory = frocc__alloc((size_t)size, 1);
    if (a->directory == NULL)
        return FROCC_ERR_MEMORY;
    a->directory_size = (size_t)size;
    return frocc__stream_read_at(a->stream, position, a->directory, (size_t)size);
}

/* Sizes that do not fit 32 bits stand in the extra field of number 1, in this order. */
static bool read_zip64_sizes(const unsigned char *extra, size_t length, struct member *m) {
    uint64_t *const fields[3] = {&m->size, &m->packed, &m->header};
    while (length >= 4) {
        size_t size = (size_t)get(extra + 2, 2);
        if (size > length - 4)
            return false;
        if (get(extra, 2) == 1) {
            const unsigned char *p = extra + 4;
            for (int i = 0; i < 3; i++)
                if (*fields[i] == 0xffffffff) {
                    if (size < 8)
                        return false;
                    *fields[i] = get(p, 8);
                    p += 8;
                    size -= 8;
                }
            return true;
        }
        extra += 4 + size;
        length -= 4 + size;
    }
    return true;
}

/* The entry at *position of the directory; *name stays in it. */
static frocc_status next_entry(const struct archive *a, size_t *position, struct member *m,
                               const char **name, size_t *length) {
    const unsigned char *b = a->directory + *position;
    size_t left = a->directory_size - *position;
    if (left < 46 || memcmp(b, "PK\1\2", 4) != 0)
        return damaged(a->name, "its zip directory is damaged");
    size_t extra = (size_t)get(b + 30, 2), comment = (size_t)get(b + 32, 2);
    *length = (size_t)get(b + 28, 2);
    if (left - 46 < *length + extra + comment)
        return damaged(a->name, "its zip directory is damaged");
    *name = (const char *)b + 46;
    *m = (struct member){.archive = a->stream,
                         .method = (unsigned)get(b + 10, 2),
                         .crc = (uint32_t)get(b + 16, 4),
                         .packed = get(b + 20, 4),
                         .size = get(b + 24, 4),
                         .header = get(b + 42, 4)};
    if (!read_zip64_sizes(b + 46 + *length, extra, m))
        return damaged(a->name, "its zip directory is damaged");
    if ((get(b + 8, 2) & 1) != 0)
        return damaged(a->name, "it is encrypted");
    *position += 46 + *length + extra + comment;
    return FROCC_OK;
}

/* ---- Members --------------------------------------------------------------------------------- */

static frocc_status pull_packed(void *context, void *bytes, size_t size, size_t *got) {
    struct member *m = context;
    size_t count = (size_t)FROCC_MIN((uint64_t)size, m->packed - m->taken);
    FROCC_TRY(frocc__stream_read_at(m->archive, m->data + m->taken, bytes, count));
    m->taken += count;
    *got = count;
    return FROCC_OK;
}

static frocc_status pull_member(void *context, void *bytes, size_t size, size_t *got) {
    struct member *m = context;
    size = (size_t)FROCC_MIN((uint64_t)size, m->size - m->delivered);
    size_t count = 0;
    if (m->inflate != NULL)
        FROCC_TRY(frocc__inflate_read(m->inflate, bytes, size, &count));
    else
        FROCC_TRY(pull_packed(m, bytes, size, &count));
    if (count < size)
        return damaged(m->name, "an array is shorter than the zip directory says");
    m->delivered += count;
    m->crc_so_far = frocc__crc32(m->crc_so_far, bytes, count);
    if (FROCC__CRC_KNOWN && m->delivered == m->size && m->crc_so_far != m->crc)
        return damaged(m->name, "the checksum does not fit the data");
    *got = count;
    return FROCC_OK;
}

static frocc_status start_member(const struct archive *a, struct member *m) {
    unsigned char b[30];
    frocc__inflate_free(m->inflate);
    m->inflate = NULL;
    m->taken = m->delivered = 0;
    m->crc_so_far = 0;
    if (m->header > a->size || a->size - m->header < sizeof b)
        return damaged(a->name, "an array lies outside of the file");
    FROCC_TRY(frocc__stream_read_at(a->stream, m->header, b, sizeof b));
    m->data = m->header + 30 + get(b + 26, 2) + get(b + 28, 2);
    if (memcmp(b, "PK\3\4", 4) != 0 || m->data > a->size || m->packed > a->size - m->data)
        return damaged(a->name, "an array lies outside of the file");
    if (m->method != 0 && m->method != 8)
        return damaged(a->name, "it is packed in a way other than deflate");
    if (m->method == 0 && m->packed != m->size)
        return damaged(a->name, "the sizes of an array contradict each other");
    return m->method == 0 ? FROCC_OK
                          : frocc__inflate_new(m->name, false, pull_packed, m, &m->inflate);
}

static void close_member(void *context) {
    struct member *m = context;
    frocc__inflate_free(m->inflate);
    frocc__stream_close(m->copy);
    frocc__free(m->name);
    frocc__free(m);
}

/* ---- Choosing -------------------------------------------------------------------------------- */

static bool is_array(const char *name, size_t length, const char *wanted) {
    size_t wanted_length = strlen(wanted);
    if (length == wanted_length)
        return memcmp(name, wanted, length) == 0;
    return length == wanted_length + 4 && memcmp(name, wanted, wanted_length) == 0 &&
           memcmp(name + wanted_length, ".npy", 4) == 0;
}

static frocc_status dimensions_of(const struct archive *a, struct member *m, int *dimensions) {
    frocc__array_info info = {0};
    m->name = (char *)a->name;
    FROCC_TRY(start_member(a, m));
    frocc_status status = frocc__array_header(a->name, pull_member, m, &info);
    frocc__inflate_free(m->inflate);
    m->inflate = NULL;
    *dimensions = status == FROCC_OK ? info.dimensions : 0;
    return FROCC_OK;
}

/* The array told; else "X"; else the only one with two dimensions; else the only one. */
static frocc_status choose(const struct archive *a, const char *wanted, struct member *chosen) {
    size_t count = 0, flat = 0, used = 0;
    char list[200] = "";
    for (size_t position = 0; position < a->directory_size;) {
        struct member m;
        const char *name = "";
        size_t length = 0;
        char shown[FROCC__SHOWN_SIZE];
        int dimensions = 0;
        FROCC_TRY(next_entry(a, &position, &m, &name, &length));
        if (is_array(name, length, wanted != NULL ? wanted : "X")) {
            *chosen = m;
            return FROCC_OK;
        }
        if (used < sizeof list - 50)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                                     frocc__show(name, length - (length > 4 ? 4 : 0), shown));
        if (wanted == NULL)
            FROCC_TRY(dimensions_of(a, &m, &dimensions));
        if (dimensions == 2 || (dimensions == 1 && count == 0))
            *chosen = m;
        count += dimensions == 2;
        flat += dimensions == 1;
    }
    if (wanted != NULL)
        return frocc__fail(FROCC_ERR_ARGUMENT, "%s: has no array '%s'; it has: %s", a->name, wanted,
                           list);
    if (count == 1 || (count == 0 && flat == 1))
        return FROCC_OK;
    return frocc__fail(
        FROCC_ERR_ARGUMENT, "%s: which array? none is called 'X', and %s; give array = one of: %s",
        a->name, count == 0 ? "none has rows and columns" : "several have rows and columns", list);
}

/* An array that is not read from its first byte to the last is read once to see its checksum. */
static frocc_status check_member(const struct archive *a, struct member *m) {
    enum { AT_A_TIME = 1 << 16 };
    size_t got = AT_A_TIME;
    char *bytes = frocc__alloc(AT_A_TIME, 1);
    frocc_status status = bytes == NULL ? FROCC_ERR_MEMORY : start_member(a, m);
    while (status == FROCC_OK && got > 0)
        status = pull_member(m, bytes, AT_A_TIME, &got);
    frocc__free(bytes);
    return status;
}

/* Copies the name, and reads the head of the array. */
static frocc_status begin_member(const struct archive *a, struct member *m,
                                 frocc__array_info *info) {
    m->name = frocc__alloc(strlen(a->name) + 1, 1);
    if (m->name == NULL)
        return FROCC_ERR_MEMORY;
    strcpy(m->name, a->name);
    FROCC_TRY(start_member(a, m));
    return frocc__array_header(m->name, pull_member, m, info);
}

static frocc_status open_member(const struct archive *a, struct member *m,
                                const frocc_reader_options *options, frocc__array_info *rows,
                                frocc__input **input) {
    frocc__array_bytes bytes = {.pull = pull_member, .context = m};
    frocc__array_info info = {0};
    FROCC_TRY(begin_member(a, m, &info));
    *rows = info;
    FROCC_TRY(frocc__check_columns(m->name, info.n_columns, options));
    if (info.fortran && m->method == 0) {
        FROCC_TRY(check_member(a, m));
        bytes.random = m->archive;
        bytes.base = m->data;
    } else if (info.fortran) {
        uint64_t size;
        FROCC_TRY(start_member(a, m));
        FROCC_TRY(frocc__stream_copy(m->name, pull_member, m, &m->copy));
        FROCC_TRY(frocc__stream_random(m->copy, &size));
        bytes.random = m->copy;
    }
    return frocc__array_open(&info, &bytes, close_member, input);
}

/* ---- Labels ---------------------------------------------------------------------------------- */

/* The array that the label names, if there is one beside the rows. */
static frocc_status find_label(const struct archive *a, const char *label, uint64_t rows_header,
                               struct member *found, bool *is_there) {
    *is_there = false;
    for (size_t position = 0; label != NULL && position < a->directory_size && !*is_there;) {
        const char *name = "";
        size_t length = 0;
        FROCC_TRY(next_entry(a, &position, found, &name, &length));
        *is_there = is_array(name, length, label) && found->header != rows_header;
    }
    return FROCC_OK;
}

static frocc_status open_label(const struct archive *a, struct member *m, const char *label,
                               uint64_t n_rows, frocc__input **input) {
    frocc__array_bytes bytes = {.pull = pull_member, .context = m};
    frocc__array_info info = {0};
    char shown[FROCC__SHOWN_SIZE];
    FROCC_TRY(begin_member(a, m, &info));
    if (info.n_columns != 1 || info.n_rows != n_rows)
        return frocc__fail(FROCC_ERR_SHAPE,
                           "%s: the array '%s' has %llu x %zu values; expected a label for each of "
                           "the %llu rows",
                           a->name, frocc__show(label, strlen(label), shown),
                           (unsigned long long)info.n_rows, info.n_columns,
                           (unsigned long long)n_rows);
    return frocc__array_open(&info, &bytes, close_member, input);
}

/* Labels that are an array of their own go with the rows. */
static frocc_status add_label(const struct archive *a, const char *label, uint64_t rows_header,
                              uint64_t n_rows, frocc__input *rows) {
    struct member found = {0};
    bool is_there = false;
    frocc__input *array = NULL;
    FROCC_TRY(find_label(a, label, rows_header, &found, &is_there));
    if (!is_there)
        return FROCC_OK;
    struct member *m = frocc__alloc(1, sizeof *m);
    if (m == NULL)
        return FROCC_ERR_MEMORY;
    *m = found;
    frocc_status status = open_label(a, m, label, n_rows, &array);
    if (status != FROCC_OK) {
        close_member(m);
        return status;
    }
    array->name = a->name;
    status = frocc__array_label(rows, array);
    if (status != FROCC_OK)
        frocc__input_close(array);
    return status;
}

frocc_status frocc__npz_open(frocc__stream *stream, const frocc_reader_options *options,
                             frocc__input **input) {
    struct archive a = {.stream = stream, .name = frocc__stream_name(stream)};
    struct member *m = frocc__alloc(1, sizeof *m);
    frocc__array_info info = {0};
    frocc__input *opened = NULL;
    frocc_status status = m == NULL ? FROCC_ERR_MEMORY : read_directory(&a);
    if (status == FROCC_OK)
        status = choose(&a, options->array, m);
    if (m != NULL)
        m->name = NULL; /* lent while choosing */
    if (status == FROCC_OK)
        status = open_member(&a, m, options, &info, &opened);
    if (status != FROCC_OK && m != NULL)
        close_member(m);
    if (status == FROCC_OK)
        status = add_label(&a, options->label, m->header, info.n_rows, opened);
    if (status != FROCC_OK)
        frocc__input_close(opened);
    else
        *input = opened;
    frocc__free(a.directory);
    return status;
}
