/* SPDX-License-Identifier: BSD-3-Clause */
/* npy, npz, raw float32, LIBSVM, gzip and pipes: written here byte by byte, read back. */
#define _POSIX_C_SOURCE 200809L
#include "test_read.h"

#if defined(FROCC_HAVE_ZLIB)
#include <zlib.h>
#endif

typedef struct buffer {
    unsigned char *bytes;
    size_t used, size;
} buffer;

static void add(buffer *b, const void *bytes, size_t size) {
    if (b->size - b->used < size) {
        size_t grown = 2 * (b->used + size);
        b->bytes = table_grow(b->bytes, b->used, grown, 1);
        b->size = grown;
    }
    if (b->bytes != NULL && size > 0)
        memcpy(b->bytes + b->used, bytes, size);
    b->used += size;
}

static void add_number(buffer *b, uint64_t value, int size, bool big) {
    unsigned char bytes[8];
    for (int i = 0; i < size; i++)
        bytes[big ? size - 1 - i : i] = (unsigned char)(value >> (8 * i));
    add(b, bytes, (size_t)size);
}

/* One value as the type says: "<f4", ">i2", "|b1" and so on. */
static void add_value(buffer *b, const char *type, double value) {
    int size = type[2] - '0';
    uint64_t bits = 0;
    float single = (float)value;
    uint32_t narrow;
    if (type[1] == 'f' && size == 8) {
        memcpy(&bits, &value, 8);
    } else if (type[1] == 'f' && size == 4) {
        memcpy(&narrow, &single, 4);
        bits = narrow;
    } else if (type[1] == 'f') { /* halves of the integers -3 to 3 */
        static const uint16_t halves[] = {0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200};
        bits = halves[(int)value + 3];
    } else {
        bits = (uint64_t)(int64_t)value;
    }
    add_number(b, bits, size, type[0] == '>');
}

static void add_npy(buffer *b, const char *type, int version, bool fortran, size_t n, size_t d,
                    const double *v) {
    char header[200];
    int length =
        d == 0 ? snprintf(header, sizeof header,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }", type, n)
               : snprintf(header, sizeof header,
                          "{'descr': '%s', 'fortran_order': %s, 'shape': (%zu, %zu), }", type,
                          fortran ? "True" : "False", n, d);
    while ((length + (version == 1 ? 10 : 12) + 1) % 64 != 0)
        header[length++] = ' ';
    header[length++] = '\n';
    add(b, "\x93NUMPY", 6);
    add_number(b, (uint64_t)version, 2, false);
    add_number(b, (uint64_t)length, version == 1 ? 2 : 4, false);
    add(b, header, (size_t)length);
    d = d == 0 ? 1 : d;
    for (size_t i = 0; i < n * d; i++)
        add_value(b, type, fortran ? v[i % n * d + i / n] : v[i]);
}

static void expect_file(const char *path, const frocc_reader_options *o, size_t n, size_t d,
                        const double *v) {
    const char *const paths[1] = {path};
    table t;
    check_ok(read_files(paths, 1, o, NULL, &t, NULL));
    check_table(&t, n, d, v);
    table_free(&t);
}

static void expect_bytes(const char *name, const buffer *b, const frocc_reader_options *o, size_t n,
                         size_t d, const double *v) {
    char *path = path_in(folder, name);
    file_write(path, b->bytes, b->used);
    expect_file(path, o, n, d, v);
    free(path);
}

static void test_npy(void) {
    static const char *const types[] = {"<f8", ">f8", "<f4", ">f4", "<f2", "<i1", "|i1",
                                        "<i2", ">i2", "<i4", ">i4", "<i8", ">i8"};
    static const char *const unsigned_types[] = {"|u1", "<u2", ">u2", "<u4", "<u8", "|b1"};
    const double v[] = {-3, 2, 1, 0, -1, 3}, w[] = {1, 0, 1, 1, 0, 0};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int version = 1; version <= 3; version++)
            for (int fortran = 0; fortran < 2; fortran++) {
                buffer b = {0};
                add_npy(&b, types[i], version, fortran != 0, 3, 2, v);
                expect_bytes("a.npy", &b, NULL, 3, 2, v);
                expect_bytes("unnamed", &b, NULL, 3, 2, v);
                free(b.bytes);
            }
    for (size_t i = 0; i < sizeof unsigned_types / sizeof *unsigned_types; i++) {
        buffer b = {0};
        add_npy(&b, unsigned_types[i], 1, false, 6, 0, w);
        expect_bytes("a.npy", &b, NULL, 6, 1, w);
        free(b.bytes);
    }
}

static void test_npy_large(void) {
    rng r = rng_seed(3);
    size_t n = check_quick() ? 5000 : 120000, d = 13;
    double *v = NEW(double, n *d);
    for (size_t i = 0; i < n * d; i++)
        v[i] = (double)(float)rng_normal(&r);
    for (int kind = 0; kind < 4; kind++) {
        buffer b = {0};
        add_npy(&b, kind < 2 ? "<f4" : ">f8", 1, kind % 2 == 1, n, d, v);
        frocc_reader_options o = default_options();
        o.block_rows = kind == 2 ? 77 : 0;
        expect_bytes("big.npy", &b, &o, n, d, v);
        b.used -= 3;
        char *path = path_in(folder, "cut.npy");
        const char *const paths[1] = {path};
        table t;
        file_write(path, b.bytes, b.used);
        check_is(read_files(paths, 1, NULL, NULL, &t, NULL), FROCC_ERR_DATA);
        free(path);
        free(b.bytes);
    }
    free(v);
}

static void test_npy_columns(void) {
    const double v[] = {1, 2, 3, 4, NAN, 6, 7, 8, 9};
    const double kept[] = {2, 8}, filled[] = {2, 5, 8};
    buffer b = {0};
    add_npy(&b, "<f8", 1, false, 3, 3, v);
    frocc_reader_options o = default_options();
    o.label = "1";
    o.id = "-1";
    o.missing = FROCC_MISSING_DROP;
    expect_bytes("m.npy", &b, &o, 2, 1, kept);
    o.missing = FROCC_MISSING_MEAN;
    expect_bytes("m.npy", &b, &o, 3, 1, filled);
    char *path = path_in(folder, "m.npy");
    const char *const paths[1] = {path};
    table t;
    check_ok(read_files(paths, 1, &o, NULL, &t, NULL));
    check(strcmp(t.labels[1], "4") == 0 && t.label_values[1] == 4 && strcmp(t.ids[2], "9") == 0,
          "label '%s', id '%s'", t.labels[1], t.ids[2]);
    table_free(&t);
    o.missing = FROCC_MISSING_ERROR;
    check_is(read_files(paths, 1, &o, NULL, &t, NULL), FROCC_ERR_DATA);
    check(strstr(frocc_last_error(), "row 2, column 2") != NULL, "%s", frocc_last_error());
    const double told[] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 1, 6, 0, 7, 0, 8, 0, 9, 0};
    o = default_options();
    o.missing = FROCC_MISSING_KEEP;
    expect_bytes("m.npy", &b, &o, 3, 6, told);
    free(path);
    free(b.bytes);
}

/* ---- npz ------------------------------------------------------------------------------------- */

static void deflate_bytes(const buffer *in, buffer *out, bool gzip) {
#if defined(FROCC_HAVE_ZLIB)
    z_stream z = {0};
    unsigned char *room = test_memory(in->used + 1000, 1);
    check(deflateInit2(&z, 6, Z_DEFLATED, gzip ? 31 : -15, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
    z.next_in = in->bytes;
    z.avail_in = (unsigned)in->used;
    z.next_out = room;
    z.avail_out = (unsigned)in->used + 1000;
    check(deflate(&z, Z_FINISH) == Z_STREAM_END, "zlib");
    add(out, room, z.total_out);
    deflateEnd(&z);
    free(room);
#else
    (void)in, (void)out, (void)gzip;
    check_skip("built without zlib");
#endif
}

static uint32_t crc_of(const buffer *b) {
#if defined(FROCC_HAVE_ZLIB)
    return (uint32_t)crc32(0, b->bytes, (unsigned)b->used);
#else
    (void)b;
    return 0;
#endif
}

typedef struct zip {
    buffer all, directory;
    int count;
} zip;

static void add_sizes(buffer *b, uint32_t crc, uint64_t packed, uint64_t size, bool zip64) {
    add_number(b, crc, 4, false);
    add_number(b, zip64 ? 0xffffffff : packed, 4, false);
    add_number(b, zip64 ? 0xffffffff : size, 4, false);
}

static void zip_add(zip *z, const char *name, const buffer *file, bool deflated, bool zip64) {
    buffer packed = {0};
    uint64_t place = z->all.used;
    if (deflated)
        deflate_bytes(file, &packed, false);
    else
        add(&packed, file->bytes, file->used);
    uint32_t crc = crc_of(file);
    add(&z->all, "PK\3\4", 4);
    add_number(&z->all, 20, 4, false);
    add_number(&z->all, deflated ? 8 : 0, 2, false);
    add_number(&z->all, 0, 4, false);
    add_sizes(&z->all, crc, packed.used, file->used, zip64);
    add_number(&z->all, strlen(name), 4, false);
    add(&z->all, name, strlen(name));
    add(&z->all, packed.bytes, packed.used);
    add(&z->directory, "PK\1\2", 4);
    add_number(&z->directory, 20, 2, false);
    add_number(&z->directory, 20, 4, false);
    add_number(&z->directory, deflated ? 8 : 0, 2, false);
    add_number(&z->directory, 0, 4, false);
    add_sizes(&z->directory, crc, packed.used, file->used, zip64);
    add_number(&z->directory, strlen(name), 2, false);
    add_number(&z->directory, zip64 ? 28 : 0, 2, false);
    add_number(&z->directory, 0, 8, false);
    add_number(&z->directory, 0, 2, false);
    add_number(&z->directory, zip64 ? 0xffffffff : place, 4, false);
    add(&z->directory, name, strlen(name));
    if (zip64) {
        add_number(&z->directory, 1, 2, false);
        add_number(&z->directory, 24, 2, false);
        add_number(&z->directory, file->used, 8, false);
        add_number(&z->directory, packed.used, 8, false);
        add_number(&z->directory, place, 8, false);
    }
    z->count++;
    free(packed.bytes);
}

static void zip_end(zip *z, bool zip64) {
    uint64_t place = z->all.used, end = place + z->directory.used;
    add(&z->all, z->directory.bytes, z->directory.used);
    if (zip64) {
        add(&z->all, "PK\6\6", 4);
        add_number(&z->all, 44, 8, false);
        add_number(&z->all, 0, 8, false);
        add_number(&z->all, 0, 4, false);
        add_number(&z->all, (uint64_t)z->count, 8, false);
        add_number(&z->all, (uint64_t)z->count, 8, false);
        add_number(&z->all, z->directory.used, 8, false);
        add_number(&z->all, place, 8, false);
        add(&z->all, "PK\6\7", 4);
        add_number(&z->all, 0, 4, false);
        add_number(&z->all, end, 8, false);
        add_number(&z->all, 1, 4, false);
    }
    add(&z->all, "PK\5\6", 4);
    add_number(&z->all, 0, 4, false);
    add_number(&z->all, (uint64_t)z->count, 2, false);
    add_number(&z->all, (uint64_t)z->count, 2, false);
    add_number(&z->all, zip64 ? 0xffffffff : z->directory.used, 4, false);
    add_number(&z->all, zip64 ? 0xffffffff : place, 4, false);
    add_number(&z->all, 0, 2, false);
}

static void zip_free(zip *z) {
    free(z->all.bytes);
    free(z->directory.bytes);
    memset(z, 0, sizeof *z);
}

static void npz_case(bool deflated, bool zip64, bool fortran) {
    const double v[] = {1, 2, 3, 4, 5, 6}, y[] = {7, 8};
    buffer x_file = {0}, y_file = {0};
    add_npy(&x_file, "<f4", 1, fortran, 3, 2, v);
    add_npy(&y_file, "<i8", 1, false, 2, 0, y);
    zip z = {0};
    zip_add(&z, "y.npy", &y_file, deflated, zip64);
    zip_add(&z, "data.npy", &x_file, deflated, zip64);
    zip_end(&z, zip64);
    frocc_reader_options o = default_options();
    expect_bytes("a.npz", &z.all, &o, 3, 2, v); /* the only one of two dimensions */
    expect_bytes("unnamed", &z.all, &o, 3, 2, v);
    o.array = "y";
    expect_bytes("a.npz", &z.all, &o, 2, 1, y);
    zip_free(&z);
    zip_add(&z, "other.npy", &x_file, deflated, zip64);
    zip_add(&z, "data.npy", &x_file, deflated, zip64);
    zip_end(&z, zip64);
    char *path = path_in(folder, "two.npz");
    const char *const paths[1] = {path};
    table t;
    file_write(path, z.all.bytes, z.all.used);
    o.array = NULL;
    check_is(read_files(paths, 1, &o, NULL, &t, NULL), FROCC_ERR_ARGUMENT);
    check(strstr(frocc_last_error(), "other, data") != NULL, "%s", frocc_last_error());
    o.array = "none";
    check_is(read_files(paths, 1, &o, NULL, &t, NULL), FROCC_ERR_ARGUMENT);
    zip_free(&z);
    free(path);
    free(x_file.bytes);
    free(y_file.bytes);
}

static void test_npz(void) {
    for (int i = 0; i < 8; i++)
        npz_case((i & 1) != 0, (i & 2) != 0, (i & 4) != 0);
}

/* Any byte changed or cut off: refused, or read as the same numbers (names, versions, dates). */
static void test_npz_damaged(void) {
#if !defined(FROCC_HAVE_ZLIB)
    check_skip("built without zlib, so checksums are not known");
#endif
    rng r = rng_seed(5);
    double v[60];
    for (int i = 0; i < 60; i++)
        v[i] = rng_normal(&r);
    buffer file = {0};
    add_npy(&file, "<f8", 1, false, 20, 3, v);
    for (int deflated = 0; deflated < 2; deflated++) {
        zip z = {0};
        zip_add(&z, "X.npy", &file, deflated != 0, false);
        zip_end(&z, false);
        char *path = path_in(folder, "bad.npz");
        const char *const paths[1] = {path};
        for (size_t i = 0; i < z.all.used; i++) {
            table t;
            z.all.bytes[i] ^= (unsigned char)(1 << rng_below(&r, 8));
            file_write(path, z.all.bytes, z.all.used);
            if (read_files(paths, 1, NULL, NULL, &t, NULL) == FROCC_OK) {
                check_table(&t, 20, 3, v);
                table_free(&t);
            }
            file_write(path, z.all.bytes, i);
            check(read_files(paths, 1, NULL, NULL, &t, NULL) != FROCC_OK, "read when cut to %zu",
                  i);
            free(z.all.bytes);
            free(z.directory.bytes);
            memset(&z, 0, sizeof z);
            zip_add(&z, "X.npy", &file, deflated != 0, false);
            zip_end(&z, false);
        }
        zip_free(&z);
        free(path);
    }
    free(file.bytes);
}

/* A checksum that does not fit is seen, whatever sizes the directory gives. */
static void test_npz_checksums(void) {
#if !defined(FROCC_HAVE_ZLIB)
    check_skip("built without zlib, so checksums are not known");
#endif
    const double v[] = {1, 2, 3, 4, 5, 6};
    char *path = path_in(folder, "false.npz");
    const char *const paths[1] = {path};
    for (int i = 0; i < 2 * 2 * 3; i++) {
        const bool deflated = i % 2 != 0, fortran = i / 2 % 2 != 0;
        buffer file = {0};
        zip z = {0};
        table t;
        add_npy(&file, "<f8", 1, fortran, 3, 2, v);
        zip_add(&z, "X.npy", &file, deflated, false);
        z.directory.bytes[16] ^= 1;                            /* of the checksum */
        z.directory.bytes[24] += (unsigned char)(i / 4 * 100); /* of the size, unpacked */
        zip_end(&z, false);
        file_write(path, z.all.bytes, z.all.used);
        check_is(read_files(paths, 1, NULL, NULL, &t, NULL), FROCC_ERR_DATA);
        zip_free(&z);
        free(file.bytes);
    }
    free(path);
}

/* ---- Others ---------------------------------------------------------------------------------- */

static void test_raw(void) {
    const double v[] = {1.5, -2, 3.25, 1e30, 0, -0.0};
    buffer b = {0};
    double w[6];
    for (int i = 0; i < 6; i++) {
        add_value(&b, "<f4", v[i]);
        w[i] = (double)(float)v[i];
    }
    frocc_reader_options o = default_options();
    o.n_columns = 3;
    expect_bytes("a.f32", &b, &o, 2, 3, w);
    o.n_columns = 2;
    o.format = FROCC_FORMAT_RAW;
    expect_bytes("a.bin", &b, &o, 3, 2, w);
    free(b.bytes);
}

static void expect_text(const char *name, const char *text, const frocc_reader_options *o, size_t n,
                        size_t d, const double *v) {
    buffer b = {(unsigned char *)(uintptr_t)text, strlen(text), strlen(text)};
    expect_bytes(name, &b, o, n, d, v);
}

static void test_libsvm(void) {
    const double v[] = {0.5, 0, -2, 0, 0, 0, 0, 3, 0}, zero[] = {0.5, 0, -2, 0, 0, 3};
    const double wide[] = {0.5, 0, -2, 0, 0, 0, 0, 0, 0, 3, 0, 0};
    const char *text = "# comment\n+1 1:0.5 3:-2 # tail\n\n-1\r\n2 qid:3 2:3 3:0\n";
    expect_text("a.libsvm", text, NULL, 3, 3, v);
    expect_text("a.txt", "1 1:0.5 3:-2\n-1\n2 2:3\n", NULL, 3, 3, v);
    expect_text("a.svm", "1 0:0.5 2:-2\n-1 2:3\n", NULL, 2, 3, zero);
    frocc_reader_options o = default_options();
    o.n_columns = 4;
    expect_text("a.libsvm", text, &o, 3, 4, wide);
    o.n_columns = 2;
    o.ignore_extra = 1;
    const double narrow[] = {0.5, 0, 0, 0, 0, 3};
    expect_text("a.libsvm", text, &o, 3, 2, narrow);
    char *path = path_in(folder, "a.libsvm");
    const char *const paths[1] = {path};
    table t;
    o = default_options();
    o.dtype = FROCC_F32;
    check_ok(read_files(paths, 1, &o, NULL, &t, NULL));
    check(t.sparse && t.dtype == FROCC_F32 && strcmp(t.labels[0], "+1") == 0 &&
              t.label_values[1] == -1 && t.labels[2][0] == '2',
          "labels or types are wrong");
    table_free(&t);
    free(path);
}

static void test_libsvm_threads(void) {
    rng r = rng_seed(9);
    size_t n = check_quick() ? 4000 : 80000, d = 200;
    buffer b = {0};
    double *v = NEW(double, n *d);
    for (size_t i = 0; i < n; i++) {
        char text[64];
        add(&b, text, (size_t)sprintf(text, "%d", (int)rng_below(&r, 3)));
        for (size_t c = rng_below(&r, 20); c < d; c += 1 + rng_below(&r, 40)) {
            v[i * d + c] = rng_normal(&r);
            add(&b, text, (size_t)sprintf(text, " %zu:%.17g", c + 1, v[i * d + c]));
        }
        add(&b, "\n", 1);
    }
    frocc_reader_options o = default_options();
    o.n_columns = d;
    for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
        o.threads = threads;
        o.block_rows = threads == 2 ? 99 : 0;
        expect_bytes("big.libsvm", &b, &o, n, d, v);
    }
    free(b.bytes);
    free(v);
}

static void test_gzip(void) {
    const char *text = "a,b\n1,2\n3,4\n";
    const double v[] = {1, 2, 3, 4, 5, 6};
    buffer plain = {(unsigned char *)(uintptr_t)text, strlen(text), strlen(text)}, packed = {0};
    deflate_bytes(&plain, &packed, true);
    expect_bytes("a.csv.gz", &packed, NULL, 2, 2, v);
    expect_bytes("a.csv", &packed, NULL, 2, 2, v); /* by its bytes, not by its name */
    const char *more = "5,6\n";
    buffer second = {(unsigned char *)(uintptr_t)more, strlen(more), strlen(more)};
    deflate_bytes(&second, &packed, true); /* a second member */
    expect_bytes("a.csv.gz", &packed, NULL, 3, 2, v);
    char *path = path_in(folder, "cut.csv.gz");
    const char *const paths[1] = {path};
    table t;
    for (size_t size = 3; size + 2 < packed.used; size++) {
        file_write(path, packed.bytes, size);
        frocc_status status = read_files(paths, 1, NULL, NULL, &t, NULL);
        check(status != FROCC_OK || t.n_rows == 2, "a cut gzip file of %zu bytes was read", size);
        if (status == FROCC_OK)
            table_free(&t);
    }
    packed.used = 0;
    for (int fortran = 0; fortran < 2; fortran++) {
        buffer array = {0}, zipped = {0};
        add_npy(&array, "<f8", 1, fortran != 0, 3, 2, v);
        deflate_bytes(&array, &zipped, true);
        expect_bytes("a.npy.gz", &zipped, NULL, 3, 2, v);
        free(array.bytes);
        free(zipped.bytes);
    }
    free(packed.bytes);
    free(path);
}

static void expect_failure(const buffer *b, const char *words) {
    char *path = path_in(folder, "bad.csv.gz");
    const char *const paths[1] = {path};
    table t;
    file_write(path, b->bytes, b->used);
    check_is(read_files(paths, 1, NULL, NULL, &t, NULL), FROCC_ERR_DATA);
    check(strstr(frocc_last_error(), words) != NULL && strstr(frocc_last_error(), path) != NULL,
          "it says: %s", frocc_last_error());
    free(path);
}

/* What follows a member: another, zeros as on a tape, or a mistake. */
static void test_gzip_tail(void) {
    const char *text = "a,b\n1,2\n3,4\n", *more = "5,6\n";
    const double v[] = {1, 2, 3, 4, 5, 6};
    buffer plain = {(unsigned char *)(uintptr_t)text, strlen(text), strlen(text)};
    buffer second = {(unsigned char *)(uintptr_t)more, strlen(more), strlen(more)}, packed = {0};
    unsigned char *zeros = NEW(unsigned char, 1 << 18);
    deflate_bytes(&plain, &packed, true);
    const size_t first = packed.used;
    add(&packed, zeros, 3);
    expect_bytes("tail.csv.gz", &packed, NULL, 2, 2, v);
    add(&packed, zeros, 1 << 18);
    expect_bytes("tail.csv.gz", &packed, NULL, 2, 2, v);
    add(&packed, "x", 1);
    expect_failure(&packed, "something that is not gzip");
    packed.used = first + 3; /* zeros, and then a member */
    deflate_bytes(&second, &packed, true);
    expect_failure(&packed, "something that is not gzip");
    packed.used = first;
    deflate_bytes(&second, &packed, true);
    for (size_t at = first; at < first + 3; at++) /* its first bytes damaged, one by one */
        for (int bit = 0; bit < 8; bit++) {
            packed.bytes[at] ^= (unsigned char)(1 << bit);
            expect_failure(&packed, at == first ? "something that is not" : "is damaged");
            packed.bytes[at] ^= (unsigned char)(1 << bit);
        }
    expect_bytes("tail.csv.gz", &packed, NULL, 3, 2, v);
    free(zeros);
    free(packed.bytes);
}

/* ---- Pipes ----------------------------------------------------------------------------------- */

/* The file's bytes through a pipe that takes the place of the standard input. */
static void expect_pipe(const buffer *b, const frocc_reader_options *o, size_t n, size_t d,
                        const double *v) {
    int ends[2], keep = dup(0);
    check(pipe(ends) == 0 && keep >= 0, "no pipe");
    pid_t child = fork();
    check(child >= 0, "no process");
    if (child == 0) {
        close(ends[0]);
        for (size_t done = 0; done < b->used;) {
            ssize_t put = write(ends[1], b->bytes + done, b->used - done);
            if (put <= 0)
                break;
            done += (size_t)put;
        }
        _exit(0);
    }
    close(ends[1]);
    dup2(ends[0], 0);
    close(ends[0]);
    expect_file("-", o, n, d, v);
    dup2(keep, 0);
    close(keep);
}

static void test_pipe(void) {
    const double v[] = {1, 2, 3, 4, 5, 6};
    const char *text = "a,b\n1,2\n3,4\n5,6\n";
    buffer csv = {(unsigned char *)(uintptr_t)text, strlen(text), strlen(text)}, array = {0};
    frocc_reader_options o = default_options();
    expect_pipe(&csv, &o, 3, 2, v);
    o.one_pass = 1;
    expect_pipe(&csv, &o, 3, 2, v); /* still learns from a first pass */
    o.all_numeric = 1;
    expect_pipe(&csv, &o, 3, 2, v); /* nothing is kept */
    o.missing = FROCC_MISSING_MEAN;
    expect_pipe(&csv, &o, 3, 2, v);
    o = default_options();
    for (int i = 0; i < 8; i++) {
        buffer zipped = {0};
        array.used = 0;
        o.one_pass = o.all_numeric = (i & 4) != 0;
        add_npy(&array, "<f8", 1, (i & 1) != 0, 3, 2, v);
        if ((i & 2) != 0)
            deflate_bytes(&array, &zipped, true);
        else
            add(&zipped, array.bytes, array.used);
        expect_pipe(&zipped, &o, 3, 2, v);
        free(zipped.bytes);
    }
    free(array.bytes);
}

static void test_large_pipe(void) {
    size_t n = check_quick() ? 20000 : 300000;
    buffer csv = {0};
    double *v = NEW(double, n * 2);
    for (size_t i = 0; i < n; i++) {
        char line[64];
        v[2 * i] = (double)i;
        v[2 * i + 1] = (double)i / 7;
        add(&csv, line, (size_t)sprintf(line, "%zu,%.17g\n", i, (double)i / 7));
    }
    frocc_reader_options o = default_options();
    expect_pipe(&csv, &o, n, 2, v);
    free(csv.bytes);
    free(v);
}

/* A standard input that is a file is read from where it stands, and needs no copy. */
static void test_redirected(void) {
    const double v[] = {1, 2, 3, 4};
    char *path = path_in(folder, "r.csv");
    file_write(path, "9,9\n1,2\n3,4\n", 12);
    int keep = dup(0);
    check(freopen(path, "r", stdin) != NULL && lseek(0, 4, SEEK_SET) == 4, "no file");
    expect_file("-", NULL, 2, 2, v);
    dup2(keep, 0);
    close(keep);
    free(path);
}

int main(void) {
    folder = folder_new();
    RUN(test_npy);
    RUN(test_npy_large);
    RUN(test_npy_columns);
    RUN(test_npz);
    RUN(test_npz_damaged);
    RUN(test_npz_checksums);
    RUN(test_raw);
    RUN(test_libsvm);
    RUN(test_libsvm_threads);
    RUN(test_gzip);
    RUN(test_gzip_tail);
    RUN(test_pipe);
    RUN(test_large_pipe);
    RUN(test_redirected);
    folder_free(folder);
    return check_end();
}
