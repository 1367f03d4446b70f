/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library to be preloaded: makes one call of a kind fail, cuts reads and writes short, or ends
 * the process by a signal at one of its calls, as FROCC_FAULT says:
 *
 *   KIND N       the N-th call of the kind fails, and no other: alloc read write sync rename link
 *                open thread map seek
 *   short SEED   reads and writes take a few bytes at a time, and some are interrupted
 *   signal N S   signal S comes before the N-th call of any kind but alloc
 *   cut N        before the N-th read at a place its file loses the second half, as when another
 *                program truncates it
 *
 * Where FROCC_FAULT_COUNTS names a file, a line "KIND CALLS" for each kind is added to it at the
 * end. Calls that the C library makes within itself, for printf say, are not seen here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALLOC, READ, WRITE, SYNC, RENAME, LINK, OPEN, THREAD, MAP, SEEK, KINDS };
static const char *const names[KINDS] = {"alloc", "read", "write",  "sync", "rename",
                                         "link",  "open", "thread", "map",  "seek"};

static atomic_long counts[KINDS], all;
static int failing = -1, signal_number;
static long fail_at;
static atomic_uint noise; /* above 0: short reads and writes */
static bool is_cut;       /* fail_at: the read before which the file is cut */
static bool is_over;      /* what runs after main is not tried */

__attribute__((constructor)) static void read_wishes(void) {
    const char *text = getenv("FROCC_FAULT");
    char kind[16] = "";
    if (text == NULL || sscanf(text, "%15s %ld %d", kind, &fail_at, &signal_number) < 2)
        return;
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kind, names[i]) == 0)
            failing = i;
    if (strcmp(kind, "short") == 0)
        noise = (unsigned)fail_at * 2 + 1;
    is_cut = strcmp(kind, "cut") == 0;
}

__attribute__((destructor)) static void write_counts(void) {
    const char *path = getenv("FROCC_FAULT_COUNTS");
    is_over = true;
    FILE *file = path != NULL ? fopen(path, "a") : NULL;
    for (int i = 0; i < KINDS && file != NULL; i++)
        fprintf(file, "%s %ld\n", names[i], counts[i]);
    if (file != NULL) {
        fprintf(file, "signal %ld\n", all);
        fclose(file);
    }
}

static bool fails(int kind, int error) {
    if (is_over)
        return false;
    const long call = atomic_fetch_add(&counts[kind], 1) + 1;
    if (kind != ALLOC && atomic_fetch_add(&all, 1) + 1 == fail_at && signal_number != 0)
        raise(signal_number);
    if (kind != failing || call != fail_at)
        return false;
    errno = error;
    return true;
}

/* How much of size is taken this time: all, or with noise a few bytes; -1 for an interruption. */
static ssize_t some(size_t size) {
    if (noise == 0 || size == 0)
        return (ssize_t)size;
    unsigned mixed = atomic_fetch_add(&noise, 2) * 2654435761u;
    mixed ^= mixed >> 15;
    if (mixed % 8 == 0) {
        errno = EINTR;
        return -1;
    }
    const size_t most = 1 + mixed / 8 % 4096;
    return (ssize_t)(size < most ? size : most);
}

/* ---- What is put in place -------------------------------------------------------------------- */

#define REAL(type, name, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (real == NULL)                                                                              \
    *(void **)&real = dlsym(RTLD_NEXT, name)

/* The C library's own names for these; to look them up would allocate. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

#if !defined(FAULTS_WITHOUT_ALLOC) /* sanitizers have an allocator of their own */
void *malloc(size_t size) {
    return fails(ALLOC, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails(ALLOC, ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return fails(ALLOC, ENOMEM) ? NULL : __libc_realloc(memory, size);
}
#endif

ssize_t read(int file, void *bytes, size_t size) {
    REAL(ssize_t, "read", int, void *, size_t);
    const ssize_t part = fails(READ, EIO) ? -1 : some(size);
    return part < 0 ? -1 : real(file, bytes, (size_t)part);
}

static void cut(int file) {
    char path[64];
    struct stat about;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (fstat(file, &about) == 0 && truncate(path, about.st_size / 2) != 0)
        fprintf(stderr, "the file could not be cut\n");
}

ssize_t pread(int file, void *bytes, size_t size, off_t offset) {
    REAL(ssize_t, "pread", int, void *, size_t, off_t);
    if (is_cut && counts[READ] + 1 == fail_at)
        cut(file);
    const ssize_t part = fails(READ, EIO) ? -1 : some(size);
    return part < 0 ? -1 : real(file, bytes, (size_t)part, offset);
}

ssize_t write(int file, const void *bytes, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    const ssize_t part = fails(WRITE, ENOSPC) ? -1 : some(size);
    return part < 0 ? -1 : real(file, bytes, (size_t)part);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    const ssize_t part = fails(WRITE, ENOSPC) ? -1 : some(size);
    return part < 0 ? -1 : real(file, bytes, (size_t)part, offset);
}

off_t lseek(int file, off_t offset, int whence) {
    REAL(off_t, "lseek", int, off_t, int);
    return fails(SEEK, EIO) ? -1 : real(file, offset, whence);
}

int fsync(int file) {
    REAL(int, "fsync", int);
    return fails(SYNC, EIO) ? -1 : real(file);
}

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    return fails(RENAME, EIO) ? -1 : real(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    REAL(int, "linkat", int, const char *, int, const char *, int);
    return fails(LINK, EPERM) ? -1 : real(from_folder, from, to_folder, to, flags);
}

int open(const char *path, int flags, ...) {
    REAL(int, "open", const char *, int, ...);
    va_list more;
    va_start(more, flags);
    const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
    va_end(more);
    return fails(OPEN, EMFILE) ? -1 : real(path, flags, mode);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
    REAL(void *, "mmap", void *, size_t, int, int, int, off_t);
    return fails(MAP, ENOMEM) ? MAP_FAILED : real(at, size, protection, flags, file, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                   void *argument) {
    REAL(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    return fails(THREAD, EAGAIN) ? EAGAIN : real(thread, how, run, argument);
}
