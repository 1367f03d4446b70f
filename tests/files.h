/* SPDX-License-Identifier: BSD-3-Clause */
/* files.h - a folder of a test's own, and whole files in and out of memory. */
#ifndef FROCC_TESTS_FILES_H
#define FROCC_TESTS_FILES_H

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"

static inline char *path_in(const char *folder, const char *name) {
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = NEW(char, room);

    snprintf(path, room, "%s/%s", folder, name);
    return path;
}

static inline char *folder_new(void) {
    const char *parent = getenv("TMPDIR");
    char *path = path_in(parent && *parent ? parent : "/tmp", "frocc-test-XXXXXX");

    check(mkdtemp(path) != NULL, "no temporary folder like %s", path);
    return path;
}

/* Counts the entries; with clear set, removes them. */
static inline size_t folder_walk(const char *folder, bool clear) {
    DIR *open_folder = opendir(folder);
    struct dirent *entry;
    size_t count = 0;

    check(open_folder != NULL, "%s cannot be listed", folder);
    while ((entry = readdir(open_folder)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (clear) {
            char *path = path_in(folder, entry->d_name);
            remove(path);
            free(path);
        }
    }
    closedir(open_folder);
    return count;
}

static inline size_t folder_entries(const char *folder) {
    return folder_walk(folder, false);
}

static inline void folder_free(char *folder) {
    folder_walk(folder, true);
    rmdir(folder);
    free(folder);
}

/* The blob's bytes are the test's own memory: free() them. */
static inline blob file_read(const char *path) {
    blob b = {NULL, 0};
    FILE *file = fopen(path, "rb");

    check(file != NULL, "%s cannot be read", path);
    check(fseek(file, 0, SEEK_END) == 0, "%s cannot be read", path);
    b.size = (size_t)ftell(file);
    rewind(file);
    b.bytes = NEW(char, b.size);
    check(fread(b.bytes, 1, b.size, file) == b.size, "%s cannot be read", path);
    fclose(file);
    return b;
}

static inline void file_write(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");

    check(file != NULL, "%s cannot be written", path);
    check(fwrite(bytes, 1, size, file) == size, "%s cannot be written", path);
    check(fclose(file) == 0, "%s cannot be written", path);
}

#endif
