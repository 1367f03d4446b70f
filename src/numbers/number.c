/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decimal text to float and double, correctly rounded.
 *
 * A number is digits * 10^exponent. Three ways, the first that is certain wins:
 * 1. Digits and power are both exact in the type: one multiplication or division rounds once
 *    (Clinger, "How to read floating point numbers accurately", 1990).
 * 2. Multiply the digits by the 128 leading bits of the power of five (see number_powers.h) and
 *    round, unless the bits that are missing could change the rounding (after Lemire, "Number
 *    parsing at a gigabyte per second", 2021; the interval argument in number_round.h is our own).
 * 3. Compare the digits with the point half way between two neighbours, in exact big integers.
 */
#include "numbers/number.h"

#include <string.h>

#include "numbers/number_round.h"

/* A decimal as it was scanned. The text spans are kept for numbers of more than 19 digits. */
struct decimal {
    uint64_t digits;          /* the leading 19 digits, or all */
    int64_t exponent;         /* of the last of them */
    bool truncated;           /* nonzero digits may follow */
    const char *first, *last; /* the digits with their point, leading zeros stripped */
    int64_t last_exponent;    /* of the digit before last */
};

/* ---- Third way: exact comparison ------------------------------------------------------------ */

/* No point half way between two doubles has more than 767 significant digits. */
#define MAX_EXACT_DIGITS 800

/* The largest number compared is a decimal of 801 digits (2661 bits) or what it is compared with,
 * a number of about the same size times at most 2^1100. */
#define BIG_WORDS 160
struct big {
    int size;
    uint32_t word[BIG_WORDS]; /* least significant first */
};

static void big_multiply_add(struct big *b, uint32_t factor, uint32_t summand) {
    uint64_t carry = summand;
    for (int i = 0; i < b->size; i++) {
        carry += (uint64_t)b->word[i] * factor;
        b->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0 && b->size < BIG_WORDS)
        b->word[b->size++] = (uint32_t)carry;
}

static void big_multiply_power_of_five(struct big *b, int64_t power) {
    for (; power >= 13; power -= 13)
        big_multiply_add(b, 1220703125, 0);
    for (; power > 0; power--)
        big_multiply_add(b, 5, 0);
}

static void big_shift_left(struct big *b, int64_t bits) {
    for (; bits >= 31; bits -= 31)
        big_multiply_add(b, (uint32_t)1 << 31, 0);
    big_multiply_add(b, (uint32_t)1 << bits, 0);
}

static int big_compare(const struct big *a, const struct big *b) {
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    for (int i = a->size - 1; i >= 0; i--)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

/* The digits as an integer. Those beyond what can matter become one digit 1 if any is nonzero:
 * enough to lie above a half-way point that equals the others. Returns the last one's exponent. */
static int64_t big_from_digits(struct big *b, const struct decimal *d) {
    int64_t exponent = d->last_exponent;
    int taken = 0, more = 0;
    b->size = 0;
    for (const char *p = d->first; p < d->last; p++) {
        if (*p == '.')
            continue;
        if (taken < MAX_EXACT_DIGITS) {
            big_multiply_add(b, 10, (uint32_t)(*p - '0'));
            taken++;
        } else {
            more |= *p != '0';
            exponent++;
        }
    }
    if (more) {
        big_multiply_add(b, 10, 1);
        exponent--;
    }
    return exponent;
}

/* Compares the decimal with the point half way between the float of this pattern and the next. */
static int compare_with_half(const struct decimal *d, const struct format *f, uint64_t bits) {
    int hidden = f->digits - 1;
    uint64_t significand = bits & (((uint64_t)1 << hidden) - 1);
    int64_t exponent = (int64_t)(bits >> hidden);
    if (exponent > 0) {
        significand |= (uint64_t)1 << hidden;
        exponent--;
    }
    exponent += f->min_exponent - 1;
    significand = 2 * significand + 1;

    struct big decimal, half = {0};
    int64_t power = big_from_digits(&decimal, d);
    half.word[0] = (uint32_t)significand;
    half.word[1] = (uint32_t)(significand >> 32);
    half.size = half.word[1] != 0 ? 2 : 1;
    if (power >= 0)
        big_multiply_power_of_five(&decimal, power);
    else
        big_multiply_power_of_five(&half, -power);
    if (power >= exponent)
        big_shift_left(&decimal, power - exponent);
    else
        big_shift_left(&half, exponent - power);
    return big_compare(&decimal, &half);
}

/* From an estimate to the nearest float: step while a half-way point lies on the wrong side. */
static uint64_t round_exactly(const struct decimal *d, const struct format *f, uint64_t bits) {
    for (;; bits++) {
        if (bits >= infinity(f))
            break;
        int side = compare_with_half(d, f, bits);
        if (side < 0 || (side == 0 && (bits & 1) == 0))
            break;
    }
    for (; bits > 0; bits--) {
        int side = compare_with_half(d, f, bits - 1);
        if (side > 0 || (side == 0 && (bits & 1) == 0))
            break;
    }
    return bits;
}

static uint64_t nearest(const struct decimal *d, const struct format *f) {
    uint64_t bits = 0, above = 0;
    if (round_product(d->digits, d->exponent, f, &bits)) {
        if (!d->truncated)
            return bits;
        if (round_product(d->digits + 1, d->exponent, f, &above) && above == bits)
            return bits;
    }
    return round_exactly(d, f, bits);
}

/* ---- Scanning ------------------------------------------------------------------------------- */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static const uint64_t word_powers[9] = {1,      10,      100,      1000,     10000,
                                        100000, 1000000, 10000000, 100000000};

/*
 * Appends the digits at p to *digits, wrapping beyond 64 bits. Eight bytes at once: t has a
 * nonzero byte where the word has something else than a digit (exact up to the first such byte);
 * the digits before it are shifted to the end of the word, with zeros in front, and combined in
 * pairs, fours and eights by one multiplication each.
 */
static inline const char *scan_digits(const char *p, uint64_t *digits) {
    for (;;) {
        uint64_t word;
        memcpy(&word, p, 8);
        uint64_t t = ((word & 0xf0f0f0f0f0f0f0f0) ^ 0x3030303030303030) |
                     (((word + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) ^ 0x3030303030303030);
        unsigned count = t == 0 ? 8 : (unsigned)__builtin_ctzll(t) >> 3;
        if (count == 0)
            return p;
        word <<= 64 - 8 * count;
        word = (word & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
        word = (word & 0x00ff00ff00ff00ff) * 6553601 >> 16;
        word = (word & 0x0000ffff0000ffff) * 42949672960001 >> 32;
        *digits = *digits * word_powers[count] + word;
        p += count;
        if (count < 8)
            return p;
    }
}
#else
static inline const char *scan_digits(const char *p, uint64_t *digits) {
    for (; *p >= '0' && *p <= '9'; p++)
        *digits = *digits * 10 + (uint64_t)(*p - '0');
    return p;
}
#endif

/* The exponent behind an 'e' at p, or p again where no digit follows. Values beyond what any
 * float can reach are cut, so that a line of digits cannot overflow. */
static const char *scan_exponent(const char *p, int64_t *exponent) {
    const char *q = p + 1;
    bool negative = *q == '-';
    q += *q == '-' || *q == '+';
    if (*q < '0' || *q > '9')
        return p;
    int64_t value = 0;
    for (; *q >= '0' && *q <= '9'; q++)
        if (value < (int64_t)1 << 40)
            value = value * 10 + (*q - '0');
    *exponent += negative ? -value : value;
    return q;
}

/* Takes the 19 leading digits of more, and notes where the others are. */
static void scan_long(struct decimal *d) {
    while (*d->first == '0' || *d->first == '.')
        d->first++;
    int64_t after = 0;
    int taken = 0;
    d->digits = 0;
    for (const char *p = d->first; p < d->last; p++) {
        if (*p == '.')
            continue;
        if (taken < MAX_WORD_DIGITS) {
            d->digits = d->digits * 10 + (uint64_t)(*p - '0');
            taken++;
        } else {
            after++;
        }
    }
    d->truncated = after > 0;
    d->exponent = d->last_exponent + after;
}

/* Reads sign and decimal; NULL where there is none. */
static inline const char *scan_decimal(const char *text, struct decimal *d, bool *negative) {
    const char *p = text;
    *negative = *p == '-';
    p += *p == '-' || *p == '+';
    d->first = p;
    d->digits = 0;
    p = scan_digits(p, &d->digits);
    int64_t count = p - d->first, exponent = 0;
    if (*p == '.') {
        const char *point = p;
        p = scan_digits(p + 1, &d->digits);
        exponent = -(p - point - 1);
        count -= exponent;
    }
    if (count == 0)
        return NULL;
    d->last = p;
    if (*p == 'e' || *p == 'E')
        p = scan_exponent(p, &exponent);
    d->exponent = d->last_exponent = exponent;
    d->truncated = false;
    if (__builtin_expect(count > MAX_WORD_DIGITS, 0))
        scan_long(d);
    return p;
}

static const float powers_f32[11] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                     1e6f, 1e7f, 1e8f, 1e9f, 1e10f};

/* Whether digits and power are exact in the type. */
static inline bool both_exact(const struct decimal *d, const struct format *f) {
    return d->digits <= (uint64_t)1 << f->digits && d->exponent >= -f->exact_power &&
           d->exponent <= f->exact_power && !d->truncated;
}

/* Each in its own type: a quotient of doubles, rounded to float, would be rounded twice. */
#define DEFINE_SCAN(name, type, word, format, powers)                                              \
    const char *name(const char *text, type value[]) {                                             \
        struct decimal d;                                                                          \
        bool negative;                                                                             \
        const char *end = scan_decimal(text, &d, &negative);                                       \
        if (end == NULL)                                                                           \
            return text;                                                                           \
        type result;                                                                               \
        if (both_exact(&d, &(format))) {                                                           \
            result = (type)d.digits;                                                               \
            result =                                                                               \
                d.exponent < 0 ? result / (powers)[-d.exponent] : result * (powers)[d.exponent];   \
        } else {                                                                                   \
            const word bits = (word)nearest(&d, &(format));                                        \
            memcpy(&result, &bits, sizeof result);                                                 \
        }                                                                                          \
        value[0] = negative ? -result : result;                                                    \
        return end;                                                                                \
    }
DEFINE_SCAN(frocc__scan_f64, double, uint64_t, format_f64, powers_f64)
DEFINE_SCAN(frocc__scan_f32, float, uint32_t, format_f32, powers_f32)

/* The scanners want padding, so text from elsewhere is copied; what is longer is no number that
 * anybody means. */
#define COPY_SIZE 1024

static bool copy_padded(char *copy, const char *text, size_t length) {
    if (length == 0 || length > COPY_SIZE)
        return false;
    memcpy(copy, text, length);
    memset(copy + length, 0, FROCC__NUMBER_PADDING);
    return true;
}

bool frocc__parse_f64(const char *text, size_t length, double *value) {
    char copy[COPY_SIZE + FROCC__NUMBER_PADDING];
    double result;
    if (!copy_padded(copy, text, length) || frocc__scan_f64(copy, &result) != copy + length)
        return false;
    *value = result;
    return true;
}

bool frocc__parse_f32(const char *text, size_t length, float *value) {
    char copy[COPY_SIZE + FROCC__NUMBER_PADDING];
    float result;
    if (!copy_padded(copy, text, length) || frocc__scan_f32(copy, &result) != copy + length)
        return false;
    *value = result;
    return true;
}
