/* SPDX-License-Identifier: BSD-3-Clause */
/* Why the worst rows are rejected, and the panel of the features that drive it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "data/model_io.h"
#include "report/chart.h"
#include "report/report.h"
#include "scoring/reasons.h"

size_t report_explained(const cli_report *report) {
    return report->worst.count < REPORT_WORST ? report->worst.count : REPORT_WORST;
}

static void say_reason(const cli_report *report, const cli_blame *blame, const double *values,
                       report_reason *reason) {
    frocc_reason said[REPORT_LEADING];
    reason->n_features =
        say_why(blame, report->scoring.data.schema, NULL, values, said, REPORT_LEADING);
    for (size_t k = 0; k < reason->n_features; k++) {
        memcpy(reason->words[k], said[k].sentence, sizeof reason->words[k]);
        reason->gains[k] = blame->gains[said[k].feature];
    }
}

static void explain_row(cli_report *report, cli_blame *blame, size_t i) {
    report_reason *reason = &report->reasons[i];
    reason->rejecting = blame_row(blame, report->worst.rows[i].values);
    for (size_t before = 0; before < i; before++) {
        if (report->reasons[before].has_direction) {
            blame->distances[report->reasons[before].direction] = 0;
        }
    }
    reason->has_direction =
        largest(blame->distances, blame->n_directions, &reason->direction, 1) == 1;
    say_reason(report, blame, report->worst.rows[i].values, reason);
    for (size_t j = 0; j < blame->n_features; j++) {
        report->feature_gains[j] += blame->gains[j];
    }
}

void report_explain(cli_report *report) {
    cli_blame blame;
    blame_begin(report->scoring.model, report->scoring.scorer, &blame);
    report->feature_gains = must_allocate(blame.n_features, sizeof(double));
    for (size_t j = 0; j < blame.n_features; j++) {
        report->feature_gains[j] = 0;
    }
    for (size_t i = 0; i < report_explained(report); i++) {
        explain_row(report, &blame, i);
    }
    blame_end(&blame);
}

/* ---- The panel ------------------------------------------------------------------------------- */

enum { STRIP_HIGH = 56, STRIP_WIDE = CHART_WIDTH, STRIP_SIDE = 14 };

/* A feature's strip. What is further out than the range is wide is drawn at the end. */
typedef struct strip {
    const cli_report *report;
    cli_page *page;
    size_t feature;
    double low, high;   /* of training rows, or of the rows shown where that is not known */
    double first, last; /* of the strip */
    double top;
} strip;

static double value_of(const strip *s, size_t row) {
    return s->report->sample.values[row * s->report->scoring.info.n_features + s->feature];
}

bool report_is_outlier(const cli_report *report, size_t row) {
    return report->labelled ? report->sample.classes[row] == report->outlier
                            : report->sample.scores[row] < report->threshold;
}

static void find_range(strip *s) {
    if (!model_feature_range(s->report->scoring.model, s->feature, &s->low, &s->high)) {
        s->low = HUGE_VAL;
        s->high = -HUGE_VAL;
        for (size_t row = 0; row < s->report->sample.count; row++) {
            s->low = fmin(s->low, value_of(s, row));
            s->high = fmax(s->high, value_of(s, row));
        }
    }
    double wide = s->high > s->low ? s->high - s->low : 1;
    s->first = s->low - wide;
    s->last = s->high + wide;
}

static double strip_x(const strip *s, double value) {
    double share = (value - s->first) / (s->last - s->first);
    return STRIP_SIDE + fmin(fmax(share, 0), 1) * (STRIP_WIDE - 2 * STRIP_SIDE);
}

static void draw_value(const strip *s, double value, bool outlier) {
    double x = strip_x(s, value), y = s->top + (outlier ? 47 : 26);
    if (value < s->first || value > s->last) { /* an arrow that points out of the strip */
        double tip = value < s->first ? -5 : 5;
        page_format(s->page, "<path class=\"dot %s\" d=\"M%.1f %.1fl%.1f 4l%.1f 4z\"/>",
                    outlier ? "outlier" : "normal", x, y - 4, tip, -tip);
    } else {
        page_format(s->page, "<circle class=\"dot %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>",
                    outlier ? "outlier" : "normal", x, y);
    }
}

static void draw_heading(const strip *s) {
    char *name = data_feature_name(s->report->scoring.data.schema, s->feature);
    page_format(s->page, "<text class=\"axis\" x=\"%d\" y=\"%.1f\">", STRIP_SIDE, s->top + 15);
    write_escaped(s->page, name);
    page_format(s->page,
                "</text><text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">"
                "%.6g to %.6g</text>\n",
                STRIP_WIDE - STRIP_SIDE, s->top + 15, s->low, s->high);
    free(name);
}

/* Normal rows sit above the middle of the strip, outliers below; the worst rows are always there.
 */
static void draw_feature(const cli_report *report, cli_page *page, size_t feature, double top) {
    strip s = {.report = report, .page = page, .feature = feature, .top = top};
    find_range(&s);
    draw_heading(&s);
    page_format(page,
                "<rect class=\"track\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"2\"/>"
                "<rect class=\"interval\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"12\" "
                "rx=\"2\"/>",
                STRIP_SIDE, top + 36, STRIP_WIDE - 2 * STRIP_SIDE, strip_x(&s, s.low) - 0.75,
                top + 31, strip_x(&s, s.high) - strip_x(&s, s.low) + 1.5);
    for (size_t row = 0; row < report->sample.count; row++) {
        draw_value(&s, value_of(&s, row), report_is_outlier(report, row));
    }
    for (size_t i = 0; i < report->worst.count; i++) {
        const worst_row *row = &report->worst.rows[i];
        if (!report->labelled && row->score < report->threshold) {
            draw_value(&s, row->values[feature], true);
        }
    }
    page_text(page, "\n");
}

/* The features that are numbers of the data: not categories, hours, or whether a cell is missing.
 */
static size_t list_numbers(const cli_report *report, size_t *features) {
    const frocc_schema *schema = report->scoring.data.schema;
    size_t count = 0;
    for (size_t i = 0; i < frocc_schema_columns(schema); i++) {
        frocc_column_info info = {.struct_size = sizeof info};
        check(frocc_schema_column(schema, i, &info), NULL);
        if (info.is_feature && info.kind == FROCC_COLUMN_NUMBER) {
            features[count++] = info.first_feature;
        }
    }
    return count;
}

/* The ones that drive rejection most; where these are few, others fill up what is left. */
static size_t choose_features(const cli_report *report, const size_t *features, size_t n_features,
                              size_t chosen[REPORT_FEATURES]) {
    double *gains = must_allocate(n_features + 1, sizeof *gains);
    for (size_t i = 0; i < n_features; i++) {
        gains[i] = report->feature_gains[features[i]];
    }
    size_t count = largest(gains, n_features, chosen, REPORT_FEATURES);
    for (size_t i = 0; i < n_features && count < REPORT_FEATURES; i++) {
        if (!(gains[i] > 0)) {
            chosen[count++] = i;
        }
    }
    for (size_t i = 0; i < count; i++) {
        chosen[i] = features[chosen[i]];
    }
    free(gains);
    return count;
}

void report_draw_features(const cli_report *report, cli_page *page) {
    size_t chosen[REPORT_FEATURES];
    size_t *features = must_allocate(report->scoring.info.n_features, sizeof *features);
    size_t d = list_numbers(report, features);
    size_t count = choose_features(report, features, d, chosen);
    free(features);
    if (!count) {
        return;
    }
    page_format(page,
                "<figure id=\"features\"><figcaption>%s: what normal rows had, and where rows "
                "are</figcaption>\n"
                "<svg viewBox=\"0 0 %d %zu\" role=\"img\" aria-label=\"features\">\n",
                count < d ? "The features that drive the most rejected rows" : "Features",
                STRIP_WIDE, count * STRIP_HIGH + 4);
    for (size_t i = 0; i < count; i++) {
        draw_feature(report, page, chosen[i], (double)(i * STRIP_HIGH));
    }
    page_text(page, "</svg></figure>\n");
}
