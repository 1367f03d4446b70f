/* SPDX-License-Identifier: BSD-3-Clause */
/* Which format a file has: what the caller says, else its name's ending, else its first bytes. */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"
#include "input/read_json.h"

static const struct {
    const char *ending;
    frocc_format format;
    char separator;
} endings[] = {{".csv", FROCC_FORMAT_CSV, 0},     {".tsv", FROCC_FORMAT_CSV, '\t'},
               {".tab", FROCC_FORMAT_CSV, '\t'},  {".npy", FROCC_FORMAT_NPY, 0},
               {".npz", FROCC_FORMAT_NPZ, 0},     {".libsvm", FROCC_FORMAT_LIBSVM, 0},
               {".svm", FROCC_FORMAT_LIBSVM, 0},  {".svmlight", FROCC_FORMAT_LIBSVM, 0},
               {".f32", FROCC_FORMAT_RAW, 0},     {".raw", FROCC_FORMAT_RAW, 0},
               {".jsonl", FROCC_FORMAT_JSONL, 0}, {".ndjson", FROCC_FORMAT_JSONL, 0},
               {".json", FROCC_FORMAT_JSONL, 0}};

/* Signs of formats that people try. */
static const struct {
    const char *bytes;
    size_t size;
    const char *name, *advice;
} foreign[] = {{"PAR1", 4, "a Parquet", "python -m frocc reads it by its name, with pyarrow"},
               {"ARROW1", 6, "an Arrow", "python -m frocc reads it by its name, with pyarrow"},
               {"\x89"
                "FROC",
                5, "a frocc", "it holds a model, or a part of a fit; give files of rows here"},
               {"\x89HDF", 4, "an HDF5", "convert it to npy first"},
               {"BZh", 3, "a bzip2", "unpack it: bzcat FILE | frocc ... -"},
               {"\xfd"
                "7zXZ",
                5, "an xz", "unpack it: xzcat FILE | frocc ... -"},
               {"\x28\xb5\x2f\xfd", 4, "a zstd", "unpack it: zstdcat FILE | frocc ... -"},
               {"\x80\x04\x95", 3, "a pickle", "save it with numpy.save first"}};

/* Compares the end of a name of this length, without regard to case. */
static bool ends_with(const char *name, size_t length, const char *ending) {
    size_t count = strlen(ending);
    if (length < count)
        return false;
    for (size_t i = 0; i < count; i++) {
        char c = name[length - count + i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != ending[i])
            return false;
    }
    return true;
}

frocc_format frocc__format_of_name(const char *path, char *separator) {
    size_t length = strlen(path);
    if (ends_with(path, length, ".gz"))
        length -= 3;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(path, length, endings[i].ending)) {
            *separator = endings[i].separator;
            return endings[i].format;
        }
    return FROCC_FORMAT_AUTO;
}

/* ---- By content ----------------------------------------------------------------------------- */

/* A decimal as programs print it, at p; returns its end, or p where there is none. 05 is none: that
 * is how times and dates are written. */
static const char *after_number(const char *p, const char *end) {
    const char *start = p;
    p += p < end && (*p == '-' || *p == '+');
    const char *digits = p;
    while (p < end && ((*p >= '0' && *p <= '9') || *p == '.'))
        p++;
    if (p == digits || (p - digits > 1 && digits[0] == '0' && digits[1] != '.'))
        return start;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p += 1 + (p + 1 < end && (p[1] == '-' || p[1] == '+'));
        while (p < end && *p >= '0' && *p <= '9')
            p++;
    }
    return p;
}

/* index:value, or qid:value; returns its end, or p. */
static const char *after_pair(const char *p, const char *end) {
    const char *index = p;
    while (index < end && *index >= '0' && *index <= '9')
        index++;
    if (index == p && end - p > 3 && memcmp(p, "qid", 3) == 0)
        index += 3;
    if (index == p || index == end || *index != ':')
        return p;
    const char *value = after_number(index + 1, end);
    return value == index + 1 ? p : value;
}

static const char *after_spaces(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

/* How many fields a line of LIBSVM has, -1 where it is none: a number and pairs, or only pairs. */
static int libsvm_fields(const char *p, const char *end) {
    int count = 0;
    bool has_pair = false;
    for (p = after_spaces(p, end); p < end && *p != '#'; p = after_spaces(p, end)) {
        const char *field = after_pair(p, end);
        has_pair |= field > p;
        if (field == p && count == 0)
            field = after_number(p, end);
        if (field == p || (field < end && *field != ' ' && *field != '\t' && *field != '\r'))
            return -1;
        p = field;
        count++;
    }
    return count < 2 || has_pair ? count : -1;
}

/* Whether every line is one of LIBSVM, and one of them has two fields: a lone pair may be a time.
 * The last line may be cut, and counts only where it is the only one. */
static bool looks_like_libsvm(const char *p, const char *end) {
    bool is_clear = false;
    for (bool is_first = true; p < end; is_first = false) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        if (line_end == NULL && !is_first)
            break;
        const int count = libsvm_fields(p, line_end == NULL ? end : line_end);
        if (count < 0 && (line_end != NULL || end - p < 4000))
            return false;
        is_clear |= count >= 2;
        p = line_end == NULL ? end : line_end + 1;
    }
    return is_clear;
}

static bool looks_like_json(const char *p, const char *end) {
    const char *first = after_spaces(p, end);
    if (first == end || (*first != '[' && *first != '{'))
        return false;
    const char *next = first + 1;
    while (next < end && (*next == ' ' || *next == '\n' || *next == '\r' || *next == '\t'))
        next++;
    return next < end &&
           (*next == '"' || (*first == '[' && strchr("[{-0123456789", *next) != NULL));
}

/* Whether the first line that is not empty is one whole object; a last line may lack its end. */
static frocc_status begins_with_object(const char *p, const char *end, bool *found) {
    *found = false;
    if (end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
        p++;
    if (p == end || *p != '{')
        return FROCC_OK;
    const size_t size = (size_t)(end - p);
    if (memchr(p, '\n', size) != NULL) {
        *found = frocc__json_begins_with_object(p);
        return FROCC_OK;
    }
    char *line = frocc__alloc(size + 1, 1);
    if (line == NULL)
        return FROCC_ERR_MEMORY;
    memcpy(line, p, size);
    line[size] = '\n';
    *found = frocc__json_begins_with_object(line);
    frocc__free(line);
    return FROCC_OK;
}

static frocc_format by_content(const char *bytes, size_t size) {
    if (size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        return FROCC_FORMAT_NPY;
    if (size >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0))
        return FROCC_FORMAT_NPZ;
    return looks_like_libsvm(bytes, bytes + size) ? FROCC_FORMAT_LIBSVM : FROCC_FORMAT_CSV;
}

static frocc_status refuse_foreign(frocc__stream *stream, const char *bytes, size_t size) {
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (size >= foreign[i].size && memcmp(bytes, foreign[i].bytes, foreign[i].size) == 0)
            return frocc__fail(FROCC_ERR_UNSUPPORTED,
                               "%s: is %s file, which cannot be read as rows; %s",
                               frocc__stream_name(stream), foreign[i].name, foreign[i].advice);
    return FROCC_OK;
}

#define LOOK_SIZE ((size_t)4096)
#define OBJECT_SIZE ((size_t)1 << 20)

/* A look at the first bytes. Of a live stream the first line must do; an object is looked at whole.
 */
static frocc_status look(frocc__stream *stream, const char **bytes, size_t *size) {
    size_t least = 0, most = LOOK_SIZE;
    do {
        most = *size > 0 && **bytes == '{' ? OBJECT_SIZE : most;
        least = FROCC_MIN(*size + 1, most);
        FROCC_TRY(frocc__stream_peek_ready(stream, least, most, bytes, size));
    } while (*size >= least && (*size < most || (most == LOOK_SIZE && **bytes == '{')) &&
             memchr(*bytes, '\n', *size) == NULL);
    return FROCC_OK;
}

frocc_status frocc__input_open(frocc__stream *stream, const char *path,
                               const frocc_reader_options *options, const frocc_schema *schema,
                               bool is_given, frocc__input **input) {
    char separator = '\0';
    frocc_format named = frocc__format_of_name(path, &separator);
    frocc_format format = options->format != FROCC_FORMAT_AUTO ? options->format : named;
    frocc__input *opened = NULL;
    if (format != FROCC_FORMAT_RAW) {
        const char *bytes = "";
        size_t size = 0;
        FROCC_TRY(look(stream, &bytes, &size));
        FROCC_TRY(refuse_foreign(stream, bytes, size));
        bool is_object = false;
        if (format == FROCC_FORMAT_AUTO)
            FROCC_TRY(begins_with_object(bytes, bytes + size, &is_object));
        if (is_object)
            format = FROCC_FORMAT_JSONL;
        if (format == FROCC_FORMAT_AUTO && looks_like_json(bytes, bytes + size))
            return frocc__fail(
                FROCC_ERR_UNSUPPORTED,
                "%s: looks like JSON, of which frocc reads objects that stand in a "
                "line each (jq -c '.[]' makes them of an array); make it so, or give "
                "format = csv",
                frocc__stream_name(stream));
        if (format == FROCC_FORMAT_AUTO)
            format = by_content(bytes, size);
    }
    if (options->separator != '\0')
        separator = options->separator;
    switch (format) {
    case FROCC_FORMAT_NPY:
        FROCC_TRY(frocc__npy_open(stream, options, &opened));
        break;
    case FROCC_FORMAT_NPZ:
        FROCC_TRY(frocc__npz_open(stream, options, &opened));
        break;
    case FROCC_FORMAT_LIBSVM:
        FROCC_TRY(frocc__libsvm_open(stream, options, &opened));
        break;
    case FROCC_FORMAT_RAW:
        FROCC_TRY(frocc__raw_open(stream, options, &opened));
        break;
    case FROCC_FORMAT_JSONL:
        FROCC_TRY(frocc__jsonl_open(stream, options, schema, is_given, &opened));
        break;
    default:
        FROCC_TRY(frocc__csv_open(stream, options, separator, is_given ? schema : NULL, &opened));
        break;
    }
    opened->name = frocc__stream_name(stream);
    *input = opened;
    return FROCC_OK;
}

void frocc__input_close(frocc__input *input) {
    if (input == NULL)
        return;
    frocc__names_free(input->names, input->n_columns);
    input->class->close(input);
    frocc__free(input);
}
