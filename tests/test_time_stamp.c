/* SPDX-License-Identifier: BSD-3-Clause */
/* Time stamps: what is one, what it says, against the C library's calendar and its sine. */
#define _GNU_SOURCE
#include <math.h>
#include <time.h>

#include "check.h"
#include "schema/time_stamp.h"

static bool read_stamp(const char *text, frocc__time_stamp *stamp) {
    char *copy = NEW(char, strlen(text) + 1); /* sanitizers see what is read beyond the text */
    strcpy(copy, text);
    const bool known = frocc__time_stamp_read(copy, strlen(text), false, stamp);
    free(copy);
    return known;
}

static void test_known(void) {
    static const struct {
        const char *text;
        int day;
        double hour, seconds;
        bool has_hour;
    } known[] = {
        {"1970-01-01", 3, 0, 0, false},
        {"1970-01-01T00:00", 3, 0, 0, true},
        {"2026-11-18", 2, 0, 1794960000, false},
        {"2026-11-18T07:30:00Z", 2, 7.5, 1794987000, true},
        {"2026-11-18 07:30:00", 2, 7.5, 1794987000, true},
        {"2026-11-18t07:30z", 2, 7.5, 1794987000, true},
        {"2026-11-18T07:30:00+01:00", 2, 7.5, 1794983400, true},
        {"2026-11-18T07:30:00.000000-0530", 2, 7.5, 1795006800, true},
        {"2026-11-18 07:30:00 +02", 2, 7.5, 1794979800, true},
        {"2026-11-18 07:30:36,5 Z", 2, 7.51013888888888888, 1794987036.5, true},
        {"2024-02-29", 3, 0, 1709164800, false},
        {"2000-02-29", 1, 0, 951782400, false},
        {"2016-12-31T23:59:60Z", 5, 86399.999 / 3600, 1483228800, true},
        {"0001-01-01", 0, 0, -62135596800, false},
        {"9999-12-31T23:59:59.999999999999999999", 4, 86399.999 / 3600, 253402300800, true},
        {"2026/11/18 07:30", 2, 7.5, 1794987000, true},
        {"18.11.2026", 2, 0, 1794960000, false},
        {"18/11/2026 07:30:00", 2, 7.5, 1794987000, true},
        {"8-11-2026", 6, 0, 1794096000, false},
        {"18/Nov/2026:07:30:00 +0100", 2, 7.5, 1794983400, true},
        {"[18/Nov/2026:07:30:00 +0100]", 2, 7.5, 1794983400, true},
        {"Nov 18 07:30:00", 0, 7.5, 974532600, true},
        {"Nov  8 07:30:00", 0, 7.5, 973668600, true},
        {"07:30:00", 0, 7.5, 27000, true},
        {"07:30", 0, 7.5, 27000, true},
        {"07:30:36.5Z", 0, 7.51013888888888888, 27036.5, true},
        {"23:59:59+01:00", 0, 23.999722222222222, 82799, true},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        frocc__time_stamp s = {0};
        check(read_stamp(known[i].text, &s), "'%s' is not known", known[i].text);
        check(s.day == known[i].day && fabs(s.hour - known[i].hour) < 1e-9 &&
                  s.seconds == known[i].seconds && s.has_hour == known[i].has_hour &&
                  s.has_day == (known[i].text[2] != ':'),
              "'%s' is day %d, hour %.17g, second %.17g", known[i].text, s.day, s.hour, s.seconds);
    }
}

static void test_unknown(void) {
    static const char *const unknown[] = {
        "",
        "2026",
        "2026-11",
        "20261118",
        "2026-11-",
        "2026-1-18",
        "2026-11-18T",
        "2026-11-18 ",
        " 2026-11-18",
        "2026-13-01",
        "2026-00-01",
        "2026-11-31",
        "2026-11-00",
        "2026-02-29",
        "1900-02-29",
        "0000-01-01",
        "12026-11-18",
        "-2026-11-18",
        "2026/11-18",
        "18.11-2026",
        "11/18/2026",
        "18/11/26",
        "32.11.2026",
        "18/Nov/2026:",
        "[18/Nov/2026:07:30:00",
        "Nov 31 07:30:00",
        "Nov18 07:30:00",
        "7:30:00",
        "07:30:",
        "24:00",
        "0730",
        "07:30:00 2026-11-18",
        "2026-11-18T7:30",
        "2026-11-18T24:00",
        "2026-11-18T07:60",
        "2026-11-18T07:30:61",
        "2026-11-18T07:30:00.",
        "2026-11-18T07:30.5",
        "2026-11-18T07:30:00X",
        "2026-11-18T07:30:00ZZ",
        "2026-11-18T07:30:00+",
        "2026-11-18T07:30:00+1",
        "2026-11-18T07:30:00+01:",
        "2026-11-18T07:30:00+01:60",
        "2026-11-18T07:30:00+24:00",
        "2026-11-18T07:30:00 ",
        "2026-11-18T07:30:00  +01",
        "2026-11-18Z",
        "2026-11-18  07:30",
        "2026-11-18_07:30",
        "2026-11-1807:30",
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        frocc__time_stamp s;
        check(!read_stamp(unknown[i], &s), "'%s' is taken for a time stamp", unknown[i]);
    }
}

static void test_calendar(void) {
    rng r = rng_seed(1);
    for (int i = 0; i < check_cases(100000, 20000); i++) {
        const time_t when = (time_t)rng_below(&r, 253402300800) - (i % 2 ? 0 : 30000000000);
        struct tm t;
        char text[64];
        frocc__time_stamp s = {0};
        if (gmtime_r(&when, &t) == NULL || t.tm_year < 1 - 1900 || t.tm_year > 9999 - 1900)
            continue;
        strftime(text, sizeof text, "%FT%TZ", &t);
        if (t.tm_year < 1000 - 1900) /* the C library does not fill up with zeros */
            snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02dZ", t.tm_year + 1900,
                     t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
        check(read_stamp(text, &s) && s.seconds == (double)when && s.day == (t.tm_wday + 6) % 7 &&
                  fabs(s.hour - (t.tm_hour + t.tm_min / 60.0 + t.tm_sec / 3600.0)) < 1e-9,
              "'%s' is second %.17g, day %d, hour %.17g", text, s.seconds, s.day, s.hour);
    }
}

static void test_circle(void) {
    for (int i = 0; i <= 86400; i++) {
        double point[2];
        const double turn = FROCC_MIN(i / 86400.0, 86399.999 / 86400);
        frocc__on_circle(turn, point);
        check(fabs(point[0] - sin(2 * acos(-1) * turn)) < 1e-6 &&
                  fabs(point[1] - cos(2 * acos(-1) * turn)) < 1e-6,
              "%g of a turn is at %.9g, %.9g", turn, point[0], point[1]);
        check((point[0] != 0 || !signbit(point[0])) && (point[1] != 0 || !signbit(point[1])),
              "%g of a turn is -0", turn);
    }
}

int main(void) {
    RUN(test_known);
    RUN(test_unknown);
    RUN(test_calendar);
    RUN(test_circle);
    return check_end();
}
