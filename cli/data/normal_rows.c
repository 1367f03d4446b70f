/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/normal_rows.h"

#include <stdlib.h>

#include "base/message.h"
#include "data/labels.h"

enum { MOST_LABELS = 100 };

const normal_rows_team *normal_rows_together;

/* Remembers a label; returns how many there are. */
static size_t add_label(char **labels, size_t count, const char *text, double number) {
    for (size_t i = 0; i < count; i++) {
        if (label_is(labels[i], text, number)) {
            return count;
        }
    }
    if (count < MOST_LABELS) {
        labels[count++] = must_copy(text);
    }
    return count;
}

static void find_normal(normal_rows *rows) {
    char *labels[MOST_LABELS];
    size_t count = 0;
    frocc_block block;
    while (data_next(&rows->data, &block)) {
        for (size_t row = 0; block.labels && row < block.rows.n_rows; row++) {
            count = add_label(labels, count, block.labels[row], block.label_values[row]);
        }
    }
    data_rewind(&rows->data);
    if (normal_rows_together) {
        count = normal_rows_together->share_texts(labels, count, MOST_LABELS);
    }
    const char *normal = labels_normal(labels, count);
    rows->normal = normal ? must_copy(normal) : NULL;
    if (!normal && count == 1 && rows->data.verbosity >= 0) {
        note("all labels are '%s', which may mark outliers: all rows are learnt; --outlier VALUE "
             "leaves some out",
             labels[0]);
    }
    if (!normal && count > 1 && rows->data.verbosity >= 0) {
        note(
            "the labels '%s', '%s'%s do not say which rows are outliers: all are learnt; --outlier "
            "VALUE leaves some out",
            labels[0], labels[1], count > 2 ? ", ..." : "");
    }
    for (size_t i = 0; i < count; i++) {
        free(labels[i]);
    }
}

void normal_rows_open(const cli_arguments *arguments, const char *const *paths, size_t n_paths,
                      const frocc_schema *schema, int passes, label_use label, normal_rows *rows) {
    *rows = (normal_rows){.outlier = argument_text(arguments, "outlier"),
                          .part = argument_text(arguments, "part")};
    if (rows->outlier && !argument_given(arguments, "label")) {
        die(EXIT_MISUSE, "--outlier %s needs --label COLUMN: where are the labels?", rows->outlier);
    }
    bool finds = !rows->outlier && argument_given(arguments, "label");
    data_open(arguments, paths, n_paths, schema, passes + finds, label, &rows->data);
    if (finds) {
        find_normal(rows);
    }
}

void normal_rows_close(normal_rows *rows) {
    free(rows->normal);
    data_close(&rows->data);
}

static bool is_left_out(const normal_rows *rows, size_t row) {
    if (!rows->block.labels || (!rows->outlier && !rows->normal)) {
        return false;
    }
    const char *label = rows->block.labels[row];
    double number = rows->block.label_values[row];
    return rows->outlier ? label_is(rows->outlier, label, number)
                         : !label_is(rows->normal, label, number);
}

/* The longest run of rows to keep, from the next one on: a part of the block, without copying. */
static frocc_rows next_run(normal_rows *rows) {
    const size_t n_rows = rows->block.rows.n_rows;
    size_t first = rows->next;
    while (first < n_rows && is_left_out(rows, first)) {
        first++;
        rows->left_out++;
    }
    size_t end = first;
    while (end < n_rows && !is_left_out(rows, end)) {
        end++;
    }
    rows->next = end;
    rows->run_first = first;
    return rows_part(&rows->block.rows, first, end - first);
}

static frocc_status next_rows(void *context, frocc_rows *block) {
    normal_rows *rows = context;
    do {
        if (rows->next == rows->block.rows.n_rows) {
            rows->next = 0;
            if (!data_next(&rows->data, &rows->block)) {
                *block = rows->run = rows->block.rows;
                return FROCC_OK;
            }
        }
        *block = rows->run = next_run(rows);
    } while (!block->n_rows);
    return FROCC_OK;
}

void normal_rows_rewind(normal_rows *rows) {
    data_rewind(&rows->data);
    rows->block.rows.n_rows = 0;
    rows->next = 0;
    rows->left_out = 0;
}

static frocc_status rewind_rows(void *context) {
    normal_rows_rewind(context);
    return FROCC_OK;
}

bool normal_rows_next(normal_rows *rows, frocc_rows *run) {
    check(next_rows(rows, run), NULL);
    return run->n_rows > 0;
}

void normal_rows_check(normal_rows *rows, frocc_status status) {
    data_check(&rows->data, status, &rows->run, rows->run_first);
}

static frocc_source source_of(normal_rows *rows) {
    return (frocc_source){next_rows, rewind_rows, rows};
}

void normal_rows_count_all(normal_rows *rows) {
    if (normal_rows_together) {
        const uint64_t dropped = frocc_reader_dropped(rows->data.reader);
        rows->left_out = normal_rows_together->sum(rows->left_out);
        rows->data.dropped_elsewhere = normal_rows_together->sum(dropped) - dropped;
    }
}

void normal_rows_refuse_none(normal_rows *rows, frocc_status status, const char *remedy) {
    const uint64_t dropped = data_dropped(&rows->data);
    if (status == FROCC_ERR_EMPTY && dropped + rows->left_out > 0) {
        progress_end(&rows->data.progress);
        die(EXIT_FAILED,
            "there are no rows to learn from: left out were %llu with missing cells and %llu "
            "labelled as outliers%s",
            (unsigned long long)dropped, (unsigned long long)rows->left_out,
            dropped > 0 ? remedy : "");
    }
    if (status == FROCC_ERR_EMPTY && !rows->part && !normal_rows_together) {
        progress_end(&rows->data.progress);
        die(EXIT_NO_ROWS, "there are no rows to learn from: the data have a header and no rows; "
                          "give --header no if the first line is a row");
    }
    if (status == FROCC_ERR_EMPTY && rows->part && !normal_rows_together) {
        progress_end(&rows->data.progress);
        die(EXIT_FAILED,
            "part %s has no rows: a packed, .npz, Parquet or Arrow file is not cut, and belongs to "
            "the part that it begins in; the other parts have all rows without this one",
            rows->part);
    }
}

frocc_model *normal_rows_fit(normal_rows *rows, const frocc_params *params) {
    frocc_source source = source_of(rows);
    frocc_model *model = NULL;
    frocc_status status = frocc_fit_source(params, &source, &model);
    normal_rows_refuse_none(rows, status, "; --missing keep learns the former");
    normal_rows_check(rows, status);
    return model;
}

frocc_model *normal_rows_fit_by(normal_rows *rows, frocc_fitter *fitter) {
    frocc_rows run;
    frocc_model *model = NULL;
    while (normal_rows_next(rows, &run)) {
        normal_rows_check(rows, frocc_fitter_add(fitter, &run));
    }
    normal_rows_count_all(rows);
    if (normal_rows_together) {
        normal_rows_together->merge(rows, fitter);
    }
    frocc_status status = frocc_fitter_finish(fitter, &model);
    normal_rows_refuse_none(rows, status, "");
    check(status, NULL);
    return model;
}

frocc_sample *normal_rows_sample(normal_rows *rows, const frocc_params *params) {
    frocc_rows run;
    frocc_sample *sample = NULL;
    check(frocc_sample_new(params, rows->data.n_features, &sample), NULL);
    while (normal_rows_next(rows, &run)) {
        normal_rows_check(rows, frocc_sample_add(sample, &run));
    }
    return sample;
}
