/* SPDX-License-Identifier: BSD-3-Clause */
/* Time stamps: read from the left, nothing skipped, every number within its bounds. */
#include "schema/time_stamp.h"

#include <math.h>
#include <string.h>

#include "kernels/mathf.h"

/* What is left of the text. */
typedef struct cursor {
    const char *p, *end;
} cursor;

static bool take(cursor *c, const char *any) {
    for (; *any != '\0'; any++)
        if (c->p < c->end && *c->p == *any) {
            c->p++;
            return true;
        }
    return false;
}

/* A number of so many digits, from low to high. */
static bool take_number(cursor *c, int digits, int low, int high, int *number) {
    *number = 0;
    for (; digits > 0; digits--, c->p++) {
        if (c->p == c->end || *c->p < '0' || *c->p > '9')
            return false;
        *number = 10 * *number + (*c->p - '0');
    }
    return *number >= low && *number <= high;
}

static bool is_leap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days from 1970-01-01, by the rules of today's calendar. */
static int64_t days_to(int year, int month, int day) {
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    const int64_t y = year - 1; /* full years since the year 1 */
    return 365 * y + y / 4 - y / 100 + y / 400 - 719162 + before[month - 1] +
           (month > 2 && is_leap(year)) + day - 1;
}

static bool find_days(int year, int month, int day, int64_t *days) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month < 1 || month > 12 || day < 1 ||
        day > lengths[month - 1] + (month == 2 && is_leap(year)))
        return false;
    *days = days_to(year, month, day);
    return true;
}

/* 2026-11-18 or 2026/11/18. */
static bool take_year_first(cursor *c, int64_t *days) {
    int year, month, day;
    if (!take_number(c, 4, 1, 9999, &year) || c->p == c->end)
        return false;
    const char separator[] = {*c->p == '/' ? '/' : '-', '\0'};
    return take(c, separator) && take_number(c, 2, 1, 12, &month) && take(c, separator) &&
           take_number(c, 2, 1, 31, &day) && find_days(year, month, day, days);
}

/* One digit or two. */
static bool take_short(cursor *c, int *number) {
    const bool is_one = c->end - c->p < 2 || c->p[1] < '0' || c->p[1] > '9';
    return take_number(c, is_one ? 1 : 2, 1, 31, number);
}

/* Nov */
static bool take_month(cursor *c, int *month) {
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (*month = 1; c->end - c->p >= 3 && *month <= 12; ++*month)
        if (memcmp(c->p, names + 3 * (*month - 1), 3) == 0) {
            c->p += 3;
            return true;
        }
    return false;
}

/* 18.11.2026, 18/Nov/2026, and 18/11/2026 or 11/18/2026. */
static bool take_year_last(cursor *c, bool month_first, bool *is_slashed, int64_t *days) {
    int first, second, year;
    if (!take_short(c, &first) || c->p == c->end)
        return false;
    const char separator[] = {*c->p, '\0'};
    if (!take(c, "./-"))
        return false;
    const bool is_named = take_month(c, &second);
    if ((!is_named && !take_short(c, &second)) || !take(c, separator) ||
        !take_number(c, 4, 1, 9999, &year))
        return false;
    *is_slashed = !is_named && *separator != '.';
    return *is_slashed && month_first ? find_days(year, first, second, days)
                                      : find_days(year, second, first, days);
}

/* Nov 18 or Nov  8, of a leap year. */
static bool take_no_year(cursor *c, int64_t *days) {
    int month, day;
    if (!take_month(c, &month) || !take(c, " "))
        return false;
    take(c, " ");
    return take_short(c, &day) && find_days(2000, month, day, days);
}

/* Behind the point; digits beyond the fifteenth change nothing. */
static bool take_fraction(cursor *c, double *fraction) {
    double digits = 0, scale = 1;
    int digit, count = 0;
    for (; take_number(c, 1, 0, 9, &digit); count++)
        if (count < 15) {
            digits = 10 * digits + digit;
            scale *= 10;
        }
    *fraction = digits / scale;
    return count > 0;
}

/* Seconds since midnight. */
static bool take_clock(cursor *c, double *seconds) {
    int hour, minute, second = 0;
    double fraction = 0;
    if (!take_number(c, 2, 0, 23, &hour) || !take(c, ":") || !take_number(c, 2, 0, 59, &minute))
        return false;
    if (take(c, ":")) {
        if (!take_number(c, 2, 0, 60, &second)) /* 60 is a leap second */
            return false;
        if (take(c, ".,") && !take_fraction(c, &fraction))
            return false;
    }
    *seconds = 3600.0 * hour + 60.0 * minute + second + fraction;
    return true;
}

/* Z, +01:00, +0100, +01 or nothing: seconds that the clock is ahead. */
static bool take_offset(cursor *c, double *ahead) {
    int hours, minutes = 0;
    *ahead = 0;
    const cursor before = *c;
    take(c, " ");
    if (take(c, "Zz"))
        return true;
    const bool behind = c->p < c->end && *c->p == '-';
    if (!take(c, "+-")) {
        *c = before;
        return true;
    }
    if (!take_number(c, 2, 0, 23, &hours))
        return false;
    const bool colon = take(c, ":");
    if ((colon || c->p < c->end) && !take_number(c, 2, 0, 59, &minutes))
        return false;
    *ahead = (behind ? -60.0 : 60.0) * (60 * hours + minutes);
    return true;
}

static int day_of_week(int64_t days) {
    const int64_t week = 7, thursday = 3, from_monday = (days % week + thursday) % week;
    return (int)(from_monday < 0 ? from_monday + week : from_monday);
}

/* A date at the beginning, or none. */
static bool take_date(cursor *c, bool month_first, frocc__time_stamp *stamp, int64_t *days) {
    const cursor begin = *c;
    stamp->has_year = stamp->has_day = true;
    if (take_year_first(c, days))
        return true;
    *c = begin;
    if (take_year_last(c, month_first, &stamp->is_slashed, days))
        return true;
    *c = begin;
    stamp->has_year = stamp->is_slashed = false;
    if (take_no_year(c, days))
        return true;
    *c = begin;
    return stamp->has_day = false;
}

bool frocc__time_stamp_read(const char *text, size_t length, bool month_first,
                            frocc__time_stamp *stamp) {
    cursor c = {text, text + length};
    int64_t days = 0;
    double clock = 0, ahead = 0;
    frocc__time_stamp s = {0};
    const bool bracket = take(&c, "[");
    (void)take_date(&c, month_first, &s, &days);
    s.has_hour = !s.has_day || take(&c, "Tt :");
    if (s.has_hour && (!take_clock(&c, &clock) || !take_offset(&c, &ahead)))
        return false;
    if ((bracket && !take(&c, "]")) || c.p != c.end)
        return false;
    s.day = s.has_year ? day_of_week(days) : 0;
    s.hour = FROCC_MIN(clock, 86399.999) / 3600.0;
    s.seconds = 86400.0 * (double)days + clock - ahead;
    *stamp = s;
    return true;
}

frocc__time_stamp frocc__time_stamp_at(int64_t units, int64_t per_second) {
    const int64_t day = 86400 * per_second;
    const int64_t rest = units % day < 0 ? units % day + day : units % day;
    const int64_t days = units / day - (units % day < 0);
    const double clock = (double)rest / (double)per_second;
    return (frocc__time_stamp){.day = day_of_week(days),
                               .hour = FROCC_MIN(clock, 86399.999) / 3600.0,
                               .has_day = true,
                               .has_year = true,
                               .has_hour = rest != 0,
                               .seconds = 86400.0 * (double)days + clock};
}

static bool holds(const char *name, size_t length, const char *word) {
    const size_t of_word = strlen(word);
    for (size_t i = 0; i + of_word <= length; i++) {
        size_t k = 0;
        while (k < of_word && (name[i + k] | 32) == word[k])
            k++;
        if (k == of_word)
            return true;
    }
    return false;
}

bool frocc__names_epochs(const char *name) {
    static const char *const words[] = {"time", "date", "epoch", "stamp", "when"};
    static const char *const ends[] = {"_at", "_ts", "At", "Ts"};
    const size_t length = name == NULL ? 0 : strlen(name);
    bool does = length == 2 && holds(name, length, "ts");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        does = does || holds(name, length, words[i]);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        does = does ||
               (length > strlen(ends[i]) && strcmp(name + length - strlen(ends[i]), ends[i]) == 0);
    return does;
}

int64_t frocc__epoch_unit(double number) {
    for (int64_t unit = 1; unit <= 1000000000; unit *= 1000)
        if (number >= 1e9 * (double)unit && number <= 2.1e9 * (double)unit)
            return number == floor(number) ? unit : 0;
    return 0;
}

bool frocc__epoch_at(double number, int64_t per_second, frocc__time_stamp *stamp) {
    if (!(fabs(number) < 9e18))
        return false;
    *stamp = frocc__time_stamp_at((int64_t)floor(number), per_second);
    return true;
}

void frocc__on_circle(double turn, double point[2]) {
    float sine, cosine;
    frocc__sincos_turn((float)turn, &sine, &cosine);
    point[0] = (double)sine + 0.0; /* no -0 */
    point[1] = (double)cosine + 0.0;
}
