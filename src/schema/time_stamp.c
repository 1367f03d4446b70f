/* SPDX-License-Identifier: BSD-3-Clause */
/* Time stamps: read from the left, nothing skipped, every number within its bounds. */
#include "schema/time_stamp.h"

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

static bool take_date(cursor *c, int64_t *days) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day;
    if (!take_number(c, 4, 1, 9999, &year) || !take(c, "-") || !take_number(c, 2, 1, 12, &month) ||
        !take(c, "-") || !take_number(c, 2, 1, 31, &day) ||
        day > lengths[month - 1] + (month == 2 && is_leap(year)))
        return false;
    *days = days_to(year, month, day);
    return true;
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

bool frocc__time_stamp_read(const char *text, size_t length, frocc__time_stamp *stamp) {
    const cursor whole = {text, text + length};
    cursor c = whole;
    int64_t days = 0;
    double clock = 0, ahead = 0;
    const bool has_day = take_date(&c, &days);
    if (!has_day)
        c = whole;
    const bool has_clock = !has_day || take(&c, "Tt ");
    if (has_clock && (!take_clock(&c, &clock) || !take_offset(&c, &ahead)))
        return false;
    if (c.p != c.end)
        return false;
    *stamp = (frocc__time_stamp){.day = has_day ? day_of_week(days) : 0,
                                 .hour = FROCC_MIN(clock, 86399.999) / 3600.0,
                                 .has_day = has_day,
                                 .has_hour = has_clock,
                                 .seconds = 86400.0 * (double)days + clock - ahead};
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
                               .has_hour = rest != 0,
                               .seconds = 86400.0 * (double)days + clock};
}

void frocc__on_circle(double turn, double point[2]) {
    float sine, cosine;
    frocc__sincos_turn((float)turn, &sine, &cosine);
    point[0] = (double)sine + 0.0; /* no -0 */
    point[1] = (double)cosine + 0.0;
}
