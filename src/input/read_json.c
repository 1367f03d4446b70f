/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of JSON within a line. No value contains a line end, and every text that is looked at ends
 * with one; so nothing here can run beyond it.
 */
#include "input/read_json.h"

#include <string.h>

static const char *wrong(frocc__json_mistake *mistake, const char *at, const char *what) {
    *mistake = (frocc__json_mistake){at, what};
    return NULL;
}

const char *frocc__json_skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char *string_at(const char *p, frocc__json_value *value,
                             frocc__json_mistake *mistake) {
    const char *begin = p + 1;
    bool plain = true;
    for (p = begin; *p != '"'; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c < 0x20)
            return wrong(
                mistake, p,
                c == '\n' || c == '\r'
                    ? "a string is not closed; one must end in its line"
                    : "a string holds a control character; write it as \\u and its number");
        plain = plain && c != '\\' && c < 0x80;
        p += c == '\\' && (p[1] == '"' || p[1] == '\\');
    }
    *value = (frocc__json_value){FROCC__JSON_STRING, begin, (size_t)(p - begin), plain};
    return p + 1;
}

static const char *digits_at(const char *p, frocc__json_mistake *mistake) {
    if (!is_digit(*p))
        return wrong(mistake, p, "a number lacks a digit");
    while (is_digit(*p))
        p++;
    return p;
}

static const char *number_at(const char *p, frocc__json_value *value,
                             frocc__json_mistake *mistake) {
    const char *begin = p;
    p += *p == '-';
    if (*p == 'I' && strncmp(p, "Infinity", 8) == 0) { /* refused later, with its column */
        *value = (frocc__json_value){FROCC__JSON_NUMBER, begin, (size_t)(p + 8 - begin), true};
        return p + 8;
    }
    if (*p == '0' && is_digit(p[1]))
        return wrong(mistake, p, "a number begins with a 0 too many; text is written in quotes");
    p = digits_at(p, mistake);
    if (p != NULL && *p == '.')
        p = digits_at(p + 1, mistake);
    if (p != NULL && (*p == 'e' || *p == 'E'))
        p = digits_at(p + 1 + (p[1] == '+' || p[1] == '-'), mistake);
    if (p != NULL)
        *value = (frocc__json_value){FROCC__JSON_NUMBER, begin, (size_t)(p - begin), true};
    return p;
}

static const char *word_at(const char *p, frocc__json_value *value, frocc__json_mistake *mistake) {
    static const struct {
        const char *word;
        enum frocc__json_kind kind;
    } words[] = {{"true", FROCC__JSON_TRUE},
                 {"false", FROCC__JSON_FALSE},
                 {"null", FROCC__JSON_NULL},
                 {"NaN", FROCC__JSON_NULL}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i].word);
        if (strncmp(p, words[i].word, length) == 0) {
            *value = (frocc__json_value){words[i].kind, p, length, true};
            return p + length;
        }
    }
    return wrong(
        mistake, p,
        "no value begins here; expected a number, a string in quotes, true, false or null");
}

static const char *nested_at(const char *p, frocc__json_value *value,
                             frocc__json_mistake *mistake) {
    const char *begin = p;
    size_t depth = 0;
    do {
        frocc__json_value string;
        if (*p == '\n')
            return wrong(mistake, p, "a bracket is not closed; an object must end in its line");
        depth += *p == '{' || *p == '[';
        depth -= *p == '}' || *p == ']';
        p = *p == '"' ? string_at(p, &string, mistake) : p + 1;
    } while (p != NULL && depth > 0);
    *value =
        (frocc__json_value){FROCC__JSON_NESTED, begin, p == NULL ? 0 : (size_t)(p - begin), true};
    return p;
}

const char *frocc__json_value_at(const char *p, frocc__json_value *value,
                                 frocc__json_mistake *mistake) {
    if (*p == '"')
        return string_at(p, value, mistake);
    if (*p == '{' || *p == '[')
        return nested_at(p, value, mistake);
    return *p == '-' || *p == 'I' || is_digit(*p) ? number_at(p, value, mistake)
                                                  : word_at(p, value, mistake);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Four hexadecimal digits; more than 16 bits where they are none. */
static uint32_t code_unit(const char *p) {
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        const char c = p[i], low = (char)(c | 32);
        if (!is_digit(c) && (low < 'a' || low > 'f'))
            return UINT32_MAX;
        code = code << 4 | (uint32_t)(is_digit(c) ? c - '0' : low - 'a' + 10);
    }
    return code;
}

static size_t put_utf8(uint32_t code, char *out) {
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char marks[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(marks[more] | code >> (6 * more));
    for (int i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (code >> (6 * (more - i)) & 0x3f));
    return 1 + (size_t)more;
}

/* \uXXXX at p, or two of them that stand for one character; returns behind them. */
static const char *unicode_at(const char *p, uint32_t *code, frocc__json_mistake *mistake) {
    *code = code_unit(p + 2);
    if (*code == UINT32_MAX)
        return wrong(mistake, p, "\\u is not followed by four hexadecimal digits");
    if (*code < 0xd800 || *code > 0xdfff)
        return p + 6;
    const uint32_t low = *code < 0xdc00 && p[6] == '\\' && p[7] == 'u' ? code_unit(p + 8) : 0;
    if (low < 0xdc00 || low > 0xdfff)
        return wrong(mistake, p, "half of a pair of \\u escapes; the other one is missing");
    *code = 0x10000 + ((*code & 0x3ff) << 10 | (low & 0x3ff));
    return p + 12;
}

static const char *escape_at(const char *p, uint32_t *code, frocc__json_mistake *mistake) {
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    if (p[1] == 'u')
        return unicode_at(p, code, mistake);
    const char *letter = p[1] == '\0' ? NULL : strchr(letters, p[1]);
    if (letter == NULL)
        return wrong(mistake, p, "a backslash is not followed by one of \" \\ / b f n r t u");
    *code = (unsigned char)meant[letter - letters];
    return p + 2;
}

/* The bytes of the character at p, which is not ASCII; 0 where it is no UTF-8: cut, too long for
 * its number, half of a pair, or beyond the last one. */
static size_t utf8_length(const unsigned char *p) {
    const size_t more = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : 1;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    uint32_t code = *p & (0x3fu >> more);
    if (*p < 0xc2 || *p > 0xf4)
        return 0;
    for (size_t i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3fu);
    }
    const bool is_half = code >= 0xd800 && code <= 0xdfff;
    return code < least[more] || code > 0x10ffff || is_half ? 0 : 1 + more;
}

bool frocc__json_decode(const frocc__json_value *value, char *out, size_t *length,
                        frocc__json_mistake *mistake) {
    const char *p = value->text, *end = p + value->length;
    size_t used = 0;
    while (p != NULL && p < end) {
        const size_t bytes = (unsigned char)*p < 0x80 ? 1 : utf8_length((const unsigned char *)p);
        if (*p == '\\') {
            uint32_t code = 0;
            p = escape_at(p, &code, mistake);
            used += p == NULL ? 0 : put_utf8(code, out + used);
        } else if (bytes == 0) {
            p = wrong(mistake, p, "a string is not UTF-8; convert the file: iconv -t UTF-8");
        } else {
            memcpy(out + used, p, bytes);
            used += bytes;
            p += bytes;
        }
    }
    *length = used;
    return p != NULL;
}

size_t frocc__json_escape(const char **text, char escaped[FROCC__JSON_ESCAPED]) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char byte = (unsigned char)**text;
    const size_t length = byte < 0x80 ? 1 : utf8_length((const unsigned char *)*text);
    const char *from = *text;
    *text += FROCC_MAX(length, (size_t)1);
    if (length == 0)
        return put_utf8(byte, escaped);
    if (byte < 0x20) {
        memcpy(escaped, "\\u00", 4);
        escaped[4] = digits[byte / 16];
        escaped[5] = digits[byte % 16];
        return 6;
    }
    const bool is_marked = byte == '"' || byte == '\\';
    escaped[0] = '\\';
    memcpy(escaped + is_marked, from, length);
    return length + (size_t)is_marked;
}

bool frocc__json_begins_with_object(const char *p) {
    frocc__json_value value;
    frocc__json_mistake mistake;
    if (*p != '{')
        return false;
    const char *key = frocc__json_skip_blanks(p + 1);
    p = *key == '"' || *key == '}' ? nested_at(p, &value, &mistake) : NULL;
    return p != NULL && *frocc__json_skip_blanks(p) == '\n';
}
