/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the files given as arguments through a fuzz target, without a fuzzing engine. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The copy is as long as the file, so that a sanitizer sees a read behind its end. */
static int replay(const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    long size = -1;

    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
        rewind(file);
        data = malloc(size > 0 ? (size_t)size : 1);
    }
    if (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "%s cannot be read\n", path);
        if (file != NULL)
            fclose(file);
        free(data);
        return 1;
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return 0;
}

int main(int argc, char **argv) {
    int failed = 0;

    for (int i = 1; i < argc; i++) {
        printf("%s\n", argv[i]);
        fflush(stdout); /* the last line names the file that ended the program */
        failed |= replay(argv[i]);
    }
    printf("replayed %d files\n", argc - 1);
    return failed;
}
