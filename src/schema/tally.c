/* SPDX-License-Identifier: BSD-3-Clause */
/* What the cells of a column are, counted. */
#include "schema/tally.h"

#include <string.h>

#include "schema/time_stamp.h"

void frocc__tally_time(frocc__tally *t, const frocc__time_stamp *stamp) {
    const bool first = t->n_times == 0;
    t->first = first ? stamp->seconds : FROCC_MIN(t->first, stamp->seconds);
    t->last = first ? stamp->seconds : FROCC_MAX(t->last, stamp->seconds);
    t->n_times++;
    t->n_clocks += !stamp->has_day;
    t->has_hour |= stamp->has_hour;
}

void frocc__tally_merge(frocc__tally *into, const frocc__tally *from) {
    if (from->n_times > 0) {
        const bool first = into->n_times == 0;
        into->first = first ? from->first : FROCC_MIN(into->first, from->first);
        into->last = first ? from->last : FROCC_MAX(into->last, from->last);
    }
    into->n_numbers += from->n_numbers;
    into->n_missing += from->n_missing;
    into->n_dashes += from->n_dashes;
    into->n_times += from->n_times;
    into->n_clocks += from->n_clocks;
    into->n_marks += from->n_marks;
    into->has_hour |= from->has_hour;
}

static bool is_one_of(const char *const *words, size_t n_words, const char *text, size_t length) {
    for (size_t i = 0; i < n_words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0)
            return true;
    return false;
}

bool frocc__is_missing(const char *text, size_t length) {
    static const char *const words[] = {"NA", "N/A",  "NaN",  "nan",  "NAN",  "-nan",
                                        "?",  "null", "NULL", "Null", "-NaN", "#N/A"};
    return length == 0 ||
           (length <= 4 && is_one_of(words, sizeof words / sizeof *words, text, length));
}

/* With those above, what pandas reads as missing; a dash is what web servers write. */
bool frocc__is_dash(const char *text, size_t length) {
    static const char *const words[] = {"-",    "--",       "n/a",    "None",    "none",
                                        "<NA>", "#N/A N/A", "#NA",    "-1.#IND", "1.#IND",
                                        "n.a.", "-1.#QNAN", "1.#QNAN"};
    return length <= 8 && is_one_of(words, sizeof words / sizeof *words, text, length);
}

/* Counts of rows are far below 2^60. */
static bool are_nearly_all(const frocc__tally *t, uint64_t count, size_t n_kinds) {
    const uint64_t others = t->n_numbers + t->n_times + t->n_marks - count;
    return others <= count / 9 && n_kinds <= FROCC__MOST_MARKS;
}

bool frocc__tally_has_numbers(const frocc__tally *t, size_t n_kinds) {
    return are_nearly_all(t, t->n_numbers, n_kinds);
}

bool frocc__tally_has_times(const frocc__tally *t, size_t n_kinds) {
    return t->n_times > 0 && (t->n_clocks == 0 || t->n_clocks == t->n_times) &&
           are_nearly_all(t, t->n_times, n_kinds);
}

/* Fewer texts may well all be different. The number of texts is known to about three in a hundred.
 */
#define LEAST_NAMES 50

bool frocc__tally_has_names(const frocc__tally *t, double n_texts) {
    const uint64_t count = t->n_marks + t->n_dashes;
    return count >= LEAST_NAMES && n_texts >= 0.8 * (double)count;
}
