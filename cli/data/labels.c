/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/message.h"

bool label_is(const char *wanted, const char *text, double number) {
    if (!strcmp(wanted, text)) {
        return true;
    }
    char *end;
    double value = strtod(wanted, &end);
    return end != wanted && !*end && value == number;
}

void labels_begin(const cli_arguments *arguments, cli_labels *labels) {
    *labels = (cli_labels){.outlier = argument_text(arguments, "outlier")};
}

size_t labels_number(cli_labels *labels, const char *text, double number) {
    if (labels->outlier) {
        bool outlier = label_is(labels->outlier, text, number);
        labels->n_seen |= outlier ? 2 : 1;
        return outlier;
    }
    for (size_t i = 0; i < labels->n_seen; i++) {
        if (label_is(labels->seen[i], text, number)) {
            return i;
        }
    }
    if (labels->n_seen == 2) {
        die(EXIT_FAILED,
            "there are more than two labels: '%s', '%s', '%s'; say which one marks "
            "outliers with --outlier VALUE",
            labels->seen[0], labels->seen[1], text);
    }
    labels->seen[labels->n_seen] = must_copy(text);
    return labels->n_seen++;
}

static bool says_normal(const char *text) {
    static const char *const words[] = {"normal", "inlier", "benign", "good", "ok", "no", "false"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!strcasecmp(text, words[i])) {
            return true;
        }
    }
    return false;
}

static bool means_normal(const char *text, const char *other) {
    if (says_normal(text)) {
        return true;
    }
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end) {
        return false;
    }
    double other_value = other ? strtod(other, NULL) : NAN;
    return value == 0 || (value == 1 && other_value == -1);
}

const char *labels_normal(char *const *labels, size_t count) {
    const char *normal = NULL;
    for (size_t i = 0; i < count; i++) {
        /* Numbers of more than two kinds may be anything. */
        bool found = count <= 2 ? means_normal(labels[i], count == 2 ? labels[1 - i] : NULL)
                                : says_normal(labels[i]);
        if (found && normal) {
            return NULL;
        }
        normal = found ? labels[i] : normal;
    }
    return normal;
}

size_t labels_outlier(const cli_labels *labels) {
    if (labels->outlier) {
        if (labels->n_seen == 1) {
            note("no row has the label '%s'", labels->outlier);
        }
        return 1;
    }
    if (labels->n_seen < 2) {
        die(EXIT_FAILED, "all labels are '%s'; both normal rows and outliers are needed",
            labels->n_seen ? labels->seen[0] : "");
    }
    bool first = means_normal(labels->seen[0], labels->seen[1]);
    bool second = means_normal(labels->seen[1], labels->seen[0]);
    if (first == second) {
        die(EXIT_FAILED,
            "the labels are '%s' and '%s'; say which one marks outliers with "
            "--outlier VALUE",
            labels->seen[0], labels->seen[1]);
    }
    return first ? 1 : 0;
}

void labels_free(cli_labels *labels) {
    for (size_t i = 0; i < 2 && !labels->outlier; i++) {
        free(labels->seen[i]);
    }
}
