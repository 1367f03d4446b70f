/* SPDX-License-Identifier: BSD-3-Clause */
/* What the cells of a column are, counted. */
#include "schema/tally.h"

#include <string.h>

#include "schema/time_stamp.h"

static void widen(double *first, double *last, double from, double to, bool is_new) {
    *first = is_new ? from : FROCC_MIN(*first, from);
    *last = is_new ? to : FROCC_MAX(*last, to);
}

/* As it is if days stand first, and if months do; NULL where it is none then. */
static void add_time(frocc__tally *t, const frocc__time_stamp *by_day,
                     const frocc__time_stamp *by_month) {
    const frocc__time_stamp *stamp = by_day != NULL ? by_day : by_month;
    if (by_day != NULL)
        widen(&t->first, &t->last, by_day->seconds, by_day->seconds,
              t->n_times == t->n_month_first);
    if (by_month != NULL)
        widen(&t->first_by_month, &t->last_by_month, by_month->seconds, by_month->seconds,
              t->n_times == t->n_day_first);
    t->n_times++;
    t->n_clocks += !stamp->has_day;
    t->n_yearless += stamp->has_day && !stamp->has_year;
    t->n_slashed += stamp->is_slashed;
    t->n_day_first += by_month == NULL;
    t->n_month_first += by_day == NULL;
    t->has_hour |= stamp->has_hour;
}

void frocc__tally_time(frocc__tally *t, const frocc__time_stamp *stamp) {
    add_time(t, stamp, stamp);
}

void frocc__tally_no_epochs(frocc__tally *t) {
    t->no_epochs = true;
    t->epoch_has_hour = false;
    t->first_epoch = t->last_epoch = 0;
}

/* Numbers from first to last; there are some already where the last is not 0. */
static void widen_epochs(frocc__tally *t, double first, double last, bool has_hour) {
    widen(&t->first_epoch, &t->last_epoch, first, last, t->last_epoch == 0);
    t->epoch_has_hour |= has_hour;
    const int64_t unit = frocc__epoch_unit(t->first_epoch);
    if (unit == 0 || unit != frocc__epoch_unit(t->last_epoch))
        frocc__tally_no_epochs(t);
}

void frocc__tally_epoch(frocc__tally *t, double number) {
    frocc__time_stamp stamp;
    if (t->no_epochs || number != number)
        return;
    const int64_t unit = frocc__epoch_unit(number);
    if (unit == 0 || !frocc__epoch_at(number, unit, &stamp))
        frocc__tally_no_epochs(t);
    else
        widen_epochs(t, number, number, stamp.has_hour);
}

int64_t frocc__tally_epochs(const frocc__tally *t) {
    return t->n_times + t->n_commas > 0 || t->first_epoch == t->last_epoch
               ? 0
               : frocc__epoch_unit(t->first_epoch);
}

bool frocc__tally_text(frocc__tally *t, const char *text, size_t length) {
    frocc__time_stamp by_day, by_month;
    const bool day_first = frocc__time_stamp_read(text, length, false, &by_day);
    const bool month_first =
        (!day_first || by_day.is_slashed) && frocc__time_stamp_read(text, length, true, &by_month);
    if (!day_first && !month_first)
        return false;
    if (day_first && !by_day.is_slashed)
        frocc__tally_time(t, &by_day);
    else
        add_time(t, day_first ? &by_day : NULL, month_first ? &by_month : NULL);
    return true;
}

bool frocc__tally_month_first(const frocc__tally *t, bool *undecided) {
    *undecided = t->n_slashed > 0 && t->n_day_first == 0 && t->n_month_first == 0;
    return t->n_month_first > 0;
}

void frocc__tally_merge(frocc__tally *into, const frocc__tally *from) {
    if (from->n_times > from->n_month_first)
        widen(&into->first, &into->last, from->first, from->last,
              into->n_times == into->n_month_first);
    if (from->n_times > from->n_day_first)
        widen(&into->first_by_month, &into->last_by_month, from->first_by_month,
              from->last_by_month, into->n_times == into->n_day_first);
    if (into->no_epochs || from->no_epochs)
        frocc__tally_no_epochs(into);
    else if (from->last_epoch != 0)
        widen_epochs(into, from->first_epoch, from->last_epoch, from->epoch_has_hour);
    into->n_numbers += from->n_numbers;
    into->n_missing += from->n_missing;
    into->n_dashes += from->n_dashes;
    into->n_times += from->n_times;
    into->n_clocks += from->n_clocks;
    into->n_yearless += from->n_yearless;
    into->n_slashed += from->n_slashed;
    into->n_day_first += from->n_day_first;
    into->n_month_first += from->n_month_first;
    into->n_commas += from->n_commas;
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

static size_t count_digits(const char *text, size_t length) {
    size_t n = 0;
    while (n < length && text[n] >= '0' && text[n] <= '9')
        n++;
    return n;
}

bool frocc__has_commas(const char *text, size_t length) {
    const size_t sign = length > 0 && (*text == '-' || *text == '+');
    const size_t before = count_digits(text + sign, length - sign);
    size_t at = sign + before, n_groups = 0;
    if (before == 0 || at == length || (text[at] != ',' && text[at] != '.'))
        return false;
    const char first = text[at];
    for (; at < length && text[at] == first && before <= 3 &&
           count_digits(text + at + 1, length - at - 1) == 3;
         at += 4)
        n_groups++;
    if (at == length)
        return first == ',' || n_groups > 1;
    const size_t rest = count_digits(text + at + 1, length - at - 1);
    return rest > 0 && at + 1 + rest == length &&
           (n_groups == 0 ? first == ',' : text[at] == (first == ',' ? '.' : ','));
}

/* Counts of rows are far below 2^60. */
static bool are_nearly_all(const frocc__tally *t, uint64_t count, size_t n_kinds) {
    const uint64_t others = t->n_numbers + t->n_commas + t->n_times + t->n_marks - count;
    return others <= count / 9 && n_kinds <= FROCC__MOST_MARKS;
}

bool frocc__tally_has_numbers(const frocc__tally *t, size_t n_kinds) {
    return are_nearly_all(t, t->n_numbers + t->n_commas, n_kinds);
}

bool frocc__tally_has_times(const frocc__tally *t, size_t n_kinds) {
    return t->n_times > 0 && (t->n_clocks == 0 || t->n_clocks == t->n_times) &&
           (t->n_yearless == 0 || t->n_yearless == t->n_times) &&
           (t->n_day_first == 0 || t->n_month_first == 0) && are_nearly_all(t, t->n_times, n_kinds);
}

/* Fewer texts may well all be different. The number of texts is known to about three in a hundred.
 */
#define LEAST_NAMES 50

bool frocc__tally_has_names(const frocc__tally *t, double n_texts) {
    const uint64_t count = t->n_marks + t->n_commas + t->n_dashes;
    return count >= LEAST_NAMES && n_texts >= 0.8 * (double)count;
}
