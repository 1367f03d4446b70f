/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON as RFC 8259 has it, as far as the rows of a table need it: objects that stand in a line. */
#ifndef FROCC_READ_JSON_H
#define FROCC_READ_JSON_H

#include "base/base.h"

enum frocc__json_kind {
    FROCC__JSON_STRING,
    FROCC__JSON_NUMBER,
    FROCC__JSON_TRUE,
    FROCC__JSON_FALSE,
    FROCC__JSON_NULL,  /* and NaN, which is no JSON, but what Python writes for it */
    FROCC__JSON_NESTED /* an object or an array; only its brackets and strings are looked at */
};

/* A value as it lies in the text; a string without its quotes. */
typedef struct frocc__json_value {
    enum frocc__json_kind kind;
    const char *text;
    size_t length;
    bool plain; /* a string that is its own text: no escapes, and only ASCII */
} frocc__json_value;

/* What is wrong, and where; what is NULL where nothing is. */
typedef struct frocc__json_mistake {
    const char *at, *what;
} frocc__json_mistake;

/* The value at p of a line that ends with a line end; returns where it ends, or NULL. */
const char *frocc__json_value_at(const char *p, frocc__json_value *value,
                                 frocc__json_mistake *mistake);
const char *frocc__json_skip_blanks(const char *p);

/* A string's text in UTF-8, into at least as many bytes as it has; false where it is none. */
bool frocc__json_decode(const frocc__json_value *value, char *out, size_t *length,
                        frocc__json_mistake *mistake);

/* The next character of a text as a string has it; returns how many bytes that are. A byte that is
 * no UTF-8, as files of Western Europe have, is the character of this number. */
#define FROCC__JSON_ESCAPED 6
size_t frocc__json_escape(const char **text, char escaped[FROCC__JSON_ESCAPED]);

/* Whether the text, which has a line end, begins with a line that is one whole object. */
bool frocc__json_begins_with_object(const char *p);

#endif
