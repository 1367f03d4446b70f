/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/message.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frocc_io.h"

void disarm(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if ((*c < 32 && *c != '\n' && *c != '\t') || *c == 127) {
            *c = '?';
        } else if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) {
            c[0] = c[1] = '?';
        }
    }
}

enum { SENTENCE = 16384 };

static void make_sentence(char text[SENTENCE], const char *format, va_list values) {
    vsnprintf(text, SENTENCE, format, values);
    disarm(text);
    fflush(stdout);
}

void (*die_together)(int code, const char *sentence);

void die(int code, const char *format, ...) {
    char text[SENTENCE];
    va_list values;
    va_start(values, format);
    make_sentence(text, format, values);
    va_end(values);
    if (die_together) {
        die_together(code, text);
    }
    fprintf(stderr, "frocc: %s\n", text);
    exit(code);
}

void note(const char *format, ...) {
    char text[SENTENCE];
    va_list values;
    va_start(values, format);
    make_sentence(text, format, values);
    va_end(values);
    fprintf(stderr, "frocc: %s\n", text);
}

/* What the library calls by the names of its structures, in the words of the command. */
static const struct {
    const char *theirs, *ours;
} words[] = {
    {"missing = keep, mean or drop", "--missing keep, --missing mean or --missing drop"},
    {"missing = ", "--missing "},
    {"index_base = ", "--index-base "},
    {"header = ", "--header "},
    {"format = ", "--format "},
    {"array = ", "--array "},
    {"n_columns", "--n-columns"},
    {" for carry", " for --columns"},
    {"carry must be", "--columns must be"},
    {"ignore_extra", "--ignore-extra"},
    {"max_memory", "--max-memory"},
    {"max_spool", "--max-spool"},
    {"max_columns", "--max-columns"},
    {"max_line", "--max-line"},
    {"by drop = ", "by --drop "},
    {"by id = ", "by --id "},
    {"name it in categorical", "name it in --categorical"},
    {"name it in na", "name it in --na"},
    {"leave it out by drop", "leave it out by --drop"},
    {"name it in drop", "name it in --drop"},
    {"name parts of them in time_parts", "name parts of them in --time-parts"},
    {"though it is named in time", "though it is named in --time"},
    {"one epsilon, or coarsen the finer one", "one --epsilon"},
};

/* Where the words are in a sentence, outside of quotes, which hold names; NULL: nowhere. */
static const char *find_words(const char *sentence, const char *theirs) {
    const size_t length = strlen(theirs);
    bool is_quoted = false;
    for (const char *c = sentence; *c; c++) {
        const bool begins = c == sentence || c[-1] == ' ' || c[-1] == '(';
        if (*c == '\'' && (is_quoted || begins)) {
            is_quoted = !is_quoted;
        } else if (!is_quoted && !strncmp(c, theirs, length)) {
            return c;
        }
    }
    return NULL;
}

/* Copies a sentence with its first words that are theirs made ours; NULL where there are none. */
static char *reword(const char *sentence) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *found = find_words(sentence, words[i].theirs);
        if (found) {
            size_t before = (size_t)(found - sentence), theirs = strlen(words[i].theirs);
            char *copy = must_allocate(strlen(sentence) + strlen(words[i].ours) + 1, 1);
            memcpy(copy, sentence, before);
            strcpy(copy + before, words[i].ours);
            strcat(copy, found + theirs);
            return copy;
        }
    }
    return NULL;
}

char *in_options(const char *sentence) {
    char *spoken = must_copy(sentence), *next;
    while ((next = reword(spoken))) {
        free(spoken);
        spoken = next;
    }
    return spoken;
}

char *library_error(void) {
    char *sentence = must_copy(frocc_last_error());
    frocc_error_place place = {.struct_size = sizeof place};
    frocc_last_error_place(&place);
    char *what = in_options(place.what);
    const size_t before = strlen(sentence) - strlen(place.what); /* its file, line and column */
    sentence = must_resize(sentence, before + strlen(what) + 1, 1);
    strcpy(sentence + before, what);
    free(what);
    return sentence;
}

void check(frocc_status status, const char *what) {
    if (status == FROCC_OK) {
        return;
    }
    int code = status == FROCC_ERR_ARGUMENT ? EXIT_MISUSE : EXIT_FAILED;
    char *sentence = library_error();
    if (what) {
        die(code, "%s: %s", what, sentence);
    }
    die(code, "%s", sentence);
}

void check_writable(const char *path) {
    check(frocc_file_check(path ? path : "-"), NULL);
}

void *must_resize(void *memory, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) {
        die(EXIT_FAILED, "%zu items of %zu bytes do not fit in memory", count, size);
    }
    size_t bytes = count * size;
    void *resized = realloc(memory, bytes ? bytes : 1);
    if (!resized) {
        die(EXIT_FAILED, "no memory for %zu bytes; try fewer directions or a machine with more",
            bytes);
    }
    return resized;
}

void *must_allocate(size_t count, size_t size) {
    void *memory = must_resize(NULL, count, size);
    memset(memory, 0, count * size);
    return memory;
}

char *must_copy(const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(must_resize(NULL, bytes, 1), text, bytes);
}

void write_json(FILE *file, const char *text) {
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < 32) {
            fprintf(file, "\\u%04x", (unsigned)*c);
        } else {
            fprintf(file, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
        }
    }
}
