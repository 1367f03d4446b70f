/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells of a row read many at a time: against strtod and strtof, and rows of plain numbers against
 * a slow reading of the rule.
 */
#include "numbers/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "number_text.h"

/* A plain decimal of up to the given number of digits, some of them close to the middle between two
 * floats or two doubles, where rounding is hard. */
static int plain_text(char *out, int max_digits) {
    int digits = 1 + below(max_digits);
    if (below(4) == 0) {
        uint64_t bits = draw();
        double value = (double)(1 + below(1 << 24)) * (below(2) ? 1 : 0x1p-12);
        memcpy(&bits, &value, sizeof bits);
        bits = (bits & ~(((uint64_t)1 << 29) - 1)) + ((uint64_t)1 << 28) + (uint64_t)below(7) - 3;
        memcpy(&value, &bits, sizeof value);
        return sprintf(out, "%.*f", below(10), value);
    }
    int length = 0, point = below(digits + 3) - 1;
    if (below(3) == 0)
        out[length++] = '-';
    for (int i = 0; i < digits; i++) {
        if (i == point)
            out[length++] = '.';
        out[length++] = (char)('0' + below(10));
    }
    if (point == digits)
        out[length++] = '.';
    out[length] = '\0';
    return length;
}

/* The middle between two doubles, or one unit of its last digit beside it, in at most 19 digits. */
static int middle_text(char *out) {
    uint64_t odd = ((uint64_t)1 << 53 | draw() >> 11) | 1;
    int halvings = below(4);
    uint64_t whole = odd >> halvings, eighths = odd << (3 - halvings) & 7;
    uint64_t last = eighths * 125 + (uint64_t)below(3) - 1; /* in thousandths */
    if (last > 999)
        last = 0;
    return halvings == 0
               ? sprintf(out, "%llu", (unsigned long long)odd)
               : sprintf(out, "%llu.%03llu", (unsigned long long)whole, (unsigned long long)last);
}

/* One format for all cells, some of them close to the middle between two floats; a few are spoilt.
 */
static int format_text(char *out, int digits, int range) {
    static const char spoilt[] = "059./:eE+,- d";
    uint64_t bits = draw() >> 29 << 29 | (uint64_t)1 << 28;
    double value;
    memcpy(&value, &bits, sizeof value);
    if (below(3) > 0 || !(fabs(value) < 1e38 && fabs(value) > 1e-37))
        value = (double)(int64_t)draw() * pow(10, below(2 * range + 1) - range - 18);
    int length = sprintf(out, "%.*e", digits, value);
    if (below(50) == 0)
        out[below(length)] = spoilt[below((int)sizeof spoilt - 1)];
    return length;
}

/* Rows of one kind each, so that neighbouring cells take the same way; 5 has something of all, 6
 * a format each. */
static int cell_text(char *out, int kind, long round) {
    if (kind == 6)
        return format_text(out, (int)(round / 7 % 20), round / 140 % 3 == 0 ? 30 : 1);
    if (kind == 0)
        return sprintf(out, "%d", below(2000) - 1000);
    if (kind == 1)
        return plain_text(out, 14);
    if (kind == 2)
        return below(3) == 0 ? middle_text(out) : plain_text(out, 19);
    if (kind == 3)
        return sprintf(out, "%.17g", (double)(int64_t)draw() / (double)(1 + (draw() >> below(60))));
    if (kind == 4)
        return sprintf(out, "%.*e", below(20),
                       (double)(int64_t)draw() / (double)(1 + (draw() >> below(60))));
    int choice = below(40);
    if (choice == 0)
        return sprintf(out, "%.*s", below(6), "-1.2.3");
    if (choice == 1)
        return sprintf(out, "%d-%d", below(10), below(10));
    if (choice == 2)
        return sprintf(out, "%.*s", below(5), "a1,.-");
    return choice < 20 ? random_text(out) : sprintf(out, " ") + plain_text(out + 1, 19);
}

/* Whether value is what the C library reads in the cell; count says if it was taken for a number.
 */
static bool cell_as_library(const char *cell, const char *end, frocc_dtype dtype, bool number,
                            const void *value) {
    char *library_end, *f32_end;
    double d = strtod(cell, &library_end);
    float f = strtof(cell, &f32_end);
    bool finite = dtype == FROCC_F32 ? isfinite(f) : isfinite(d);
    if (number != (library_end == end && end > cell && finite))
        return false;
    return !number || memcmp(value, dtype == FROCC_F32 ? (void *)&f : (void *)&d,
                             dtype == FROCC_F32 ? sizeof f : sizeof d) == 0;
}

enum { CELLS = 203, CELLS_ROOM = CELLS * 130 + 2 * FROCC__NUMBER_MARGIN };

/* All cells in runs, as the reader takes them. */
static long cells_differ(char *text, const uint32_t *ends, frocc_dtype dtype) {
    static char values[CELLS * sizeof(double)];
    size_t size = dtype == FROCC_F32 ? sizeof(float) : sizeof(double);
    long bad = 0;
    for (size_t i = 0; i < CELLS;) {
        uint32_t first = i == 0 ? 0 : ends[i - 1] + 1;
        size_t count =
            frocc__parse_cells(text, first, ends + i, CELLS - i, dtype, values + i * size);
        for (size_t j = i; j < CELLS && j <= i + count; j++, first = ends[j - 1] + 1) {
            char kept = text[ends[j]];
            text[ends[j]] = '\0';
            bool same = cell_as_library(text + first, text + ends[j], dtype, j < i + count,
                                        values + j * size);
            if (!same)
                printf("# cell '%s' is read otherwise than by the C library\n", text + first);
            bad += !same;
            text[ends[j]] = kept;
        }
        i += count + 1;
    }
    return bad;
}

static void test_cells(long count) {
    static char memory[CELLS_ROOM];
    static uint32_t ends[CELLS_ROOM + FROCC__ENDS_MARGIN];
    char *text = memory + FROCC__NUMBER_MARGIN;
    long bad = 0;
    for (long round = 0; round < count / CELLS && bad < 10; round++) {
        size_t used = 0;
        for (int i = 0; i < CELLS; i++) {
            used += (size_t)cell_text(text + used, (int)(round % 7), round);
            text[used++] = i + 1 < CELLS ? ';' : '\n';
        }
        bad += frocc__find_ends(text, text + used, ';', ends) != CELLS;
        bad += cells_differ(text, ends, FROCC_F64) + cells_differ(text, ends, FROCC_F32);
    }
    report("cells as strtod and strtof", bad);
}

/* The grammar of frocc__plain_rows, a character at a time. */
static bool plain_rows_slowly(const char *p, const char *end, size_t n_columns) {
    size_t cells = 0;
    while (p < end) {
        p += *p == '-';
        size_t whole = strspn(p, "0123456789");
        p += whole;
        if (*p == '.') {
            size_t behind = strspn(++p, "0123456789");
            p += behind;
            if (whole + behind == 0)
                return false;
        } else if (whole == 0) {
            return false;
        }
        if (*p == 'e' || *p == 'E') {
            p += 1 + (p[1] == '+' || p[1] == '-');
            size_t digits = strspn(p, "0123456789");
            if (digits == 0)
                return false;
            p += digits;
        }
        cells++;
        p += *p == '\r' && p[1] == '\n';
        if (*p == '\n' ? cells != n_columns : *p != ',' || cells >= n_columns)
            return false;
        cells = *p == '\n' ? 0 : cells;
        p++;
    }
    return cells == 0;
}

static void test_plain_rows(long count) {
    static const char odd[] = "-.,\n\r 5e+\"#x\0";
    static char memory[4096];
    char *text = memory + FROCC__NUMBER_MARGIN;
    long bad = 0, plain = 0;
    for (long round = 0; round < count && bad < 10; round++) {
        size_t used = 0, n_columns = 1 + (size_t)below(5), n_rows = (size_t)below(9);
        bool carriage_returns = below(4) == 0;
        for (size_t i = 0; i < n_rows * n_columns; i++) {
            used += (size_t)plain_text(text + used, 19);
            if (below(9) == 0)
                used += (size_t)sprintf(text + used, "%c%s%d", "eE"[below(2)],
                                        &"+\0-\0"[2 * below(3) % 5], below(40));
            if ((i + 1) % n_columns != 0)
                text[used++] = ',';
            else
                used += (size_t)sprintf(text + used, carriage_returns ? "\r\n" : "\n");
        }
        for (int changes = used > 0 ? below(3) : 0; changes > 0; changes--)
            text[below((int)used)] = odd[below((int)sizeof odd - 1)];
        text[used] = '\0';
        bool want = plain_rows_slowly(text, text + used, n_columns);
        bool got = frocc__plain_rows(text, text + used, ',', n_columns);
        bool wrong = frocc__parse_cells_fast() ? want != got : got;
        bad += wrong;
        plain += want;
        if (wrong)
            printf("# %zu columns, %d for %d: '%s'\n", n_columns, got, want, text);
    }
    report("rows of plain numbers", bad + (plain < count / 4 || plain > count / 4 * 3));
}

static void test_count(void) {
    char text[2000];
    long bad = 0;
    for (int round = 0; round < 2000; round++) {
        size_t size = (size_t)below(2000), want = 0;
        for (size_t i = 0; i < size; i++) {
            text[i] = "\n\n\n,x\x0b\x8a"[below(7)];
            want += text[i] == '\n';
        }
        bool has_comma;
        bad += frocc__count_byte(text, text + size, '\n', ',', &has_comma) != want;
        bad += has_comma != (memchr(text, ',', size) != NULL);
        bad += frocc__count_byte(text, text + size, '\n', 0, NULL) != want;
    }
    report("counted bytes", bad);
}

int main(void) {
    test_count();
    test_plain_rows(check_share(2000000, 500000, 100000));
    test_cells(check_share(12000000, 3000000, 300000));
    return failures != 0;
}
