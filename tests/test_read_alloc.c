/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading with the n-th allocation failing, for every n: refused cleanly, and nothing leaks. */
#define _POSIX_C_SOURCE 200809L
#include "test_read.h"

static struct {
    long until_failure; /* allocations that still succeed */
    long living;
} memory;

static void *allocate(void *context, size_t bytes) {
    (void)context;
    void *block = NULL;
    if (__atomic_sub_fetch(&memory.until_failure, 1, __ATOMIC_RELAXED) >= 0)
        block = malloc(bytes);
    if (block != NULL)
        __atomic_add_fetch(&memory.living, 1, __ATOMIC_RELAXED);
    return block;
}

static void release(void *context, void *block) {
    (void)context;
    if (block != NULL)
        __atomic_sub_fetch(&memory.living, 1, __ATOMIC_RELAXED);
    free(block);
}

static frocc_status read_once(const char *path, const frocc_reader_options *o) {
    const char *const paths[1] = {path};
    frocc_reader *reader = NULL;
    frocc_schema *schema = NULL;
    void *bytes = NULL;
    size_t size = 0;
    frocc_block block = {.struct_size = sizeof block};
    frocc_status status = frocc_reader_open(paths, 1, o, NULL, &reader);
    if (status == FROCC_OK)
        status = frocc_reader_carry_json(reader, 1);
    while (status == FROCC_OK) {
        status = frocc_reader_next(reader, &block);
        if (status != FROCC_OK || block.rows.n_rows == 0)
            break;
    }
    if (status == FROCC_OK) {
        frocc_schema *own = frocc_reader_schema(reader);
        status = frocc_schema_to_bytes(own, &bytes, &size);
        frocc_schema_free(own);
    }
    if (status == FROCC_OK)
        status = frocc_schema_from_bytes(bytes, size, &schema);
    frocc_bytes_free(bytes);
    frocc_schema_free(schema);
    frocc_reader_free(reader);
    return status;
}

static void try_all(const char *name, const void *content, size_t size,
                    const frocc_reader_options *o) {
    folder = folder_new();
    char *path = path_in(folder, name);
    frocc_allocator allocator = {allocate, release, NULL};
    file_write(path, content, size);
    frocc_set_allocator(&allocator);
    frocc_status status = FROCC_ERR_MEMORY;
    long n = 0;
    for (; status != FROCC_OK && n < 10000; n++) {
        memory.until_failure = n;
        memory.living = 0;
        status = read_once(path, o);
        if ((status != FROCC_OK && status != FROCC_ERR_MEMORY) || memory.living != 0)
            break;
    }
    frocc_set_allocator(NULL);
    folder_free(folder);
    free(path);
    check(memory.living == 0, "%s: %ld blocks leaked when allocation %ld failed", name,
          memory.living, n);
    check_ok(status);
    check(n > 5, "%s: only %ld allocations", name, n);
}

static void try_text(const char *name, const char *text, const frocc_reader_options *o) {
    try_all(name, text, strlen(text), o);
}

static void test_csv(void) {
    frocc_reader_options o = default_options();
    o.threads = 1;
    try_text("a.csv", "a,b\n1,2\n3,4\n", &o);
    o.missing = FROCC_MISSING_MEAN;
    o.id = "id";
    o.label = "y";
    try_text("a.csv", "id,x,k,y\n\"r \"\"1\"\"\",1,red,0\nr2,,blue,1\nr3,5,\"a \"\"b\"\"\",1\n",
             &o);
    o.missing = FROCC_MISSING_KEEP;
    try_text("a.csv", "id,x,k,y\nr1,1,red,0\nr2,,,1\nr3,5,blue,1\n", &o);
    try_text("a.csv", "id,x,k,y\nr1,2026-11-18,2026-11-18 07:30,0\nr2,,2026-11-19 08:00Z,1\n", &o);
    o.carry = (const char *const[]){"k", "1-2"};
    o.n_carry = 2;
    try_text("a.csv", "id,x,k,y\nr1,1,red,0\nr2,,\"b \"\"b\"\"\",1\nr3,5,blue,1\n", &o);
}

static void test_jsonl(void) {
    frocc_reader_options o = default_options();
    o.threads = 1;
    o.missing = FROCC_MISSING_KEEP;
    o.label = "y";
    o.carry = (const char *const[]){"k\n", "1"};
    o.n_carry = 2;
    try_text("a.jsonl",
             "{\"x\":1,\"k\\n\":\"r\\u00e9d\",\"y\":0}\n{\"y\":\"b\",\"k\\n\":null,\"x\":2}\n", &o);
}

static void test_libsvm(void) {
    frocc_reader_options o = default_options();
    o.threads = 1;
    try_text("a.libsvm", "1 1:2 3:4\n0 2:1\n", &o);
}

static void test_npy(void) {
    static const char header[] = "\x93NUMPY\x01\x00\x46\x00{'descr': '>f8', 'fortran_order': True, "
                                 "'shape': (2, 2), }      \n";
    char bytes[80 + 32] = {0};
    frocc_reader_options o = default_options();
    o.label = "1";
    memcpy(bytes, header, sizeof header - 1 < 80 ? sizeof header - 1 : 80);
    try_all("a.npy", bytes, sizeof bytes, &o);
}

int main(void) {
    RUN(test_csv);
    RUN(test_jsonl);
    RUN(test_libsvm);
    RUN(test_npy);
    return check_end();
}
