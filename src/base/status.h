/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FROCC_STATUS_H
#define FROCC_STATUS_H

#include "base/base.h"

/* Keeps the sentence for frocc_last_error(). */
__attribute__((format(printf, 1, 2))) void frocc__set_error(const char *format, ...);

/* The same, and code, so that a caller can return it. A macro, so that a static analyser sees that
 * what failed is not FROCC_OK. */
#define frocc__fail(code, ...) (frocc__set_error(__VA_ARGS__), (code))

/* Where a failure is. Lines, rows and columns count from 1 here, so that 0 stands for none. */
typedef struct frocc__where {
    const char *file; /* NULL: in rows of the caller's, who counts from 0 */
    uint64_t line, row, column;
    const char *column_name;
} frocc__where;

/* The same with the place, which stands in front of the sentence: "data.csv: line 7, column 3: ".
 */
__attribute__((format(printf, 2, 3))) void frocc__set_error_at(const frocc__where *where,
                                                               const char *format, ...);
#define frocc__fail_at(code, where, ...) (frocc__set_error_at(where, __VA_ARGS__), (code))

/* Where the last failure is, for one that is known without, or whose sentence says it already. */
void frocc__error_is_at(const frocc__where *where);

/* How many failures this thread has kept: whether a function of the caller's left a sentence. */
uint64_t frocc__error_count(void);

/* Its line, where it has one, is counted from behind so many lines. */
void frocc__error_move_line(uint64_t before);

/* For work done by helper threads: their failure, carried to the thread that reports it. */
#define FROCC_ERROR_SIZE 5120 /* behind the longest path there is room for the reason */
typedef struct frocc__error {
    char text[FROCC_ERROR_SIZE];
    size_t what; /* where in text the place ends */
    uint64_t line, row, column;
    char file[4352], column_name[128]; /* "" where there is none */
} frocc__error;
void frocc__error_copy(frocc__error *out);
void frocc__error_restore(const frocc__error *error);

/* A text for messages: cut to 30 bytes, anything unprintable as ?. */
#define FROCC__SHOWN_SIZE 40
const char *frocc__show(const char *text, size_t length, char out[FROCC__SHOWN_SIZE]);
/* "column 3 ('price')", or "column 3" where the name is NULL; column counts from 0. */
#define FROCC__COLUMN_SIZE 80
const char *frocc__show_column(const char *name, size_t column, char out[FROCC__COLUMN_SIZE]);

/* FROCC_ERR_ARGUMENT with the argument's name when a required pointer is NULL. */
#define FROCC_REQUIRE(pointer)                                                                     \
    do {                                                                                           \
        if ((pointer) == NULL)                                                                     \
            return frocc__fail(FROCC_ERR_ARGUMENT, "%s: the argument '%s' must not be NULL",       \
                               __func__, #pointer);                                                \
    } while (0)

/* The same where the caller has not said how much of a structure there is: none of it is known. */
#define FROCC_REQUIRE_SIZE(pointer, type)                                                          \
    do {                                                                                           \
        if ((pointer)->struct_size <= sizeof(pointer)->struct_size)                                \
            return frocc__fail(FROCC_ERR_ARGUMENT,                                                 \
                               #pointer ".struct_size must be set to sizeof(" #type ")");          \
    } while (0)

#endif
