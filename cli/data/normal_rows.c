/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/normal_rows.h"

#include "base/message.h"
#include "data/labels.h"

void normal_rows_open(const cli_arguments *arguments, const char *const *paths, size_t n_paths,
                      const frocc_schema *schema, int passes, label_use label, normal_rows *rows) {
    *rows = (normal_rows){.outlier = argument_text(arguments, "outlier")};
    if (rows->outlier && !argument_given(arguments, "label")) {
        die(EXIT_MISUSE, "--outlier %s needs --label COLUMN: where are the labels?", rows->outlier);
    }
    data_open(arguments, paths, n_paths, schema, passes, label, &rows->data);
}

void normal_rows_close(normal_rows *rows) {
    data_close(&rows->data);
}

static bool is_left_out(const normal_rows *rows, size_t row) {
    return rows->outlier && rows->block.labels &&
           label_is(rows->outlier, rows->block.labels[row], rows->block.label_values[row]);
}

/* The longest run of rows to keep, from the next one on: a part of the block, without copying. */
static frocc_rows next_run(normal_rows *rows) {
    frocc_rows run = rows->block.rows;
    size_t first = rows->next;
    while (first < run.n_rows && is_left_out(rows, first)) {
        first++;
        rows->left_out++;
    }
    size_t end = first;
    while (end < run.n_rows && !is_left_out(rows, end)) {
        end++;
    }
    rows->next = end;
    run.n_rows = end - first;
    rows->run_first = first;
    if (run.row_start) {
        run.row_start += first;
    } else {
        size_t size = run.dtype == FROCC_F32 ? sizeof(float) : sizeof(double);
        run.values = (const char *)run.values + first * run.row_stride * size;
    }
    return run;
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

static frocc_source source_of(normal_rows *rows) {
    return (frocc_source){next_rows, rewind_rows, rows};
}

frocc_model *normal_rows_fit(normal_rows *rows, const frocc_params *params) {
    frocc_source source = source_of(rows);
    frocc_model *model = NULL;
    frocc_status status = frocc_fit_source(params, &source, &model);
    data_check(&rows->data, status, &rows->run, rows->run_first);
    return model;
}

frocc_model *normal_rows_fit_like(normal_rows *rows, const frocc_model *like, int threads) {
    frocc_fitter *fitter = NULL;
    check(frocc_fitter_like(like, threads, &fitter), NULL);
    for (;;) {
        frocc_rows run;
        check(next_rows(rows, &run), NULL);
        if (run.n_rows == 0) {
            break;
        }
        data_check(&rows->data, frocc_fitter_add(fitter, &run), &rows->run, rows->run_first);
    }
    frocc_model *model = NULL;
    check(frocc_fitter_finish(fitter, &model), NULL);
    frocc_fitter_free(fitter);
    return model;
}
