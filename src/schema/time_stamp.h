/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dates and times as ISO 8601 has them: 2026-11-18, 2026-11-18T07:01, 2026-11-18 07:01:02.5+01:00,
 * 07:01:02; as web servers do, 18/Nov/2026:07:01:02 +0100, and syslog, Nov 18 07:01:02; and with
 * the year behind day and month, 18.11.2026, or 18/11/2026, where the column must tell which is
 * which. The calendar is ours: no locale, no time zone of the machine has a say.
 */
#ifndef FROCC_TIME_STAMP_H
#define FROCC_TIME_STAMP_H

#include "base/base.h"

/* The clock and the calendar are those on the wall where the stamp was written; seconds are the
 * same everywhere: what stands behind the time, Z or an offset, is heeded, and nothing is Z. */
typedef struct frocc__time_stamp {
    int day;         /* of the week, Monday is 0, also of a time of day alone */
    double hour;     /* of the day, 0 to below 24; 0 for a date alone */
    bool has_day;    /* it is no time of day alone */
    bool has_year;   /* only with a day */
    bool is_slashed; /* day and month stand in front of the year, in an order of their own */
    bool has_hour;   /* it is no date alone */
    double seconds;  /* since 1970-01-01T00:00:00Z, leap seconds not counted; or of the day */
} frocc__time_stamp;

/* Whether the text is such a stamp, and which. */
bool frocc__time_stamp_read(const char *text, size_t length, bool month_first,
                            frocc__time_stamp *stamp);

/* The stamp of so many units since 1970-01-01T00:00:00, on the clock there; a midnight counts as a
 * date alone. */
frocc__time_stamp frocc__time_stamp_at(int64_t units, int64_t per_second);

/* Whether a column of this name may hold times as numbers since then: it speaks of times. */
bool frocc__names_epochs(const char *name);
/* How many of the units that such a number counts are a second: it is one of the years 2001 to
 * 2036, in seconds, or thousandths of them, and so on; 0 where it is none. */
int64_t frocc__epoch_unit(double number);
/* Whether it has that stamp; any time will do. */
bool frocc__epoch_at(double number, int64_t per_second, frocc__time_stamp *stamp);

/* A share of a turn, 0 to below 1, as a point of the unit circle. */
void frocc__on_circle(double turn, double point[2]);

#endif
