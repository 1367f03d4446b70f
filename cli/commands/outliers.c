/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frocc outliers: the odd rows of a table, found by the table itself. All rows are learnt, a share
 * of which may be anomalies; then each is scored as if it had not been there. Memory: 24 bytes a
 * row, and the values and carried texts of those that are listed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/commands.h"
#include "arguments/method.h"
#include "base/message.h"
#include "data/model_io.h"
#include "data/normal_rows.h"
#include "data/results.h"
#include "scoring/reasons.h"

typedef struct scored_row {
    double score;
    uint64_t index; /* among all rows, from 0 */
} scored_row;

/* A row that is listed. */
typedef struct odd_row {
    uint64_t number; /* in the files, from 1 */
    char *id;
    char **carried; /* n_carried of the data */
    double *values;
} odd_row;

typedef struct search {
    normal_rows rows;
    double contamination;
    bool reasons;
    frocc_params params;
    frocc_model *model, *usual_model; /* of all rows; of the usual ones, in the same frame */
    frocc_scorer *scorer;
    scored_row *scored; /* all rows; the oddest first, once they are ranked */
    uint64_t *place;    /* of each row among these */
    size_t n_rows, n_listed;
    odd_row *listed;
    usual_values usual;
} search;

/* ---- Learning and scoring -------------------------------------------------------------------- */

/* A file that others write to, or cut short, while it is read again. */
static _Noreturn void die_of_change(void) {
    die(EXIT_FAILED, "the rows are not those that were learnt; is a file being written? Copy it "
                     "and give the copy");
}

static void learn(const cli_arguments *arguments, search *s) {
    frocc_params *params = &s->params;
    method_params(arguments, params);
    params->contamination = s->contamination =
        argument_number(arguments, "contamination", 0.1, 0, 0.5);
    /* Rows are read to fit, to score, and to say why. */
    int passes = (frocc_params_learn(params) ? 2 : 1) + 2;
    data_open(arguments, arguments->operands, arguments->n_operands, NULL, passes, LABEL_IF_GIVEN,
              &s->rows.data);
    params->schema = s->rows.data.schema;
    s->model = normal_rows_fit(&s->rows, params);
    check(frocc_scorer_new(s->model, params->threads, &s->scorer), NULL);
}

static void score_rows(search *s) {
    cli_data *data = &s->rows.data;
    size_t capacity = (size_t)model_describe(s->model).n_rows;
    double *scores = NULL;
    frocc_block block;
    s->scored = must_allocate(capacity, sizeof *s->scored);
    data_rewind(data);
    while (data_next(data, &block)) {
        const frocc_rows *rows = &block.rows;
        if (rows->n_rows > capacity - s->n_rows) {
            die_of_change();
        }
        scores = must_resize(scores, rows->n_rows, sizeof *scores);
        frocc_status status = frocc_scorer_score_left_out(s->scorer, rows, scores);
        if (status == FROCC_ERR_DATA) { /* a row that was not learnt, or could not be */
            die_of_change();
        }
        data_check(data, status, rows, 0);
        for (size_t row = 0; row < rows->n_rows; row++, s->n_rows++) {
            s->scored[s->n_rows] = (scored_row){scores[row], s->n_rows};
        }
    }
    if (s->n_rows < capacity) {
        die_of_change();
    }
    free(scores);
}

/* ---- Ranking --------------------------------------------------------------------------------- */

static int compare_rows(const void *left, const void *right) {
    const scored_row *a = left, *b = right;
    if (a->score != b->score) {
        return a->score < b->score ? -1 : 1;
    }
    return a->index < b->index ? -1 : 1;
}

/* How many rows score at most as much as this one, by its place. */
static size_t rows_at_most(const search *s, size_t place) {
    while (place + 1 < s->n_rows && s->scored[place + 1].score == s->scored[place].score) {
        place++;
    }
    return place + 1;
}

static size_t count_listed(const cli_arguments *arguments, const search *s) {
    if (argument_given(arguments, "top") && argument_given(arguments, "rate")) {
        die(EXIT_MISUSE, "--top and --rate both say how many rows to list; give one of the two");
    }
    size_t top = argument_count(arguments, "top", 10, 1, UINT32_MAX);
    double rate = argument_number(arguments, "rate", 0, 0, 1);
    if (!argument_given(arguments, "rate")) {
        return top < s->n_rows ? top : s->n_rows;
    }
    size_t count = 0; /* rows that score alike are all listed, or none is */
    for (size_t end; count < s->n_rows; count = end) {
        end = rows_at_most(s, count);
        if ((double)end > rate * (double)s->n_rows) {
            break;
        }
    }
    return count;
}

static void rank(const cli_arguments *arguments, search *s) {
    qsort(s->scored, s->n_rows, sizeof *s->scored, compare_rows);
    s->place = must_allocate(s->n_rows, sizeof *s->place);
    for (size_t i = 0; i < s->n_rows; i++) {
        s->place[s->scored[i].index] = i;
    }
    s->n_listed = count_listed(arguments, s);
}

/* ---- What is listed, and what is usual ------------------------------------------------------- */

/* Usual is what rows have that are not among the oddest: the share that may be anomalies, or those
 * listed where these are more, but at most half of all. */
static size_t first_usual(const search *s) {
    size_t odd = (size_t)(s->contamination * (double)s->n_rows);
    odd = odd > s->n_listed ? odd : s->n_listed;
    return odd < s->n_rows / 2 ? odd : s->n_rows / 2;
}

static void widen(usual_values *usual, const double *values, size_t n_features) {
    for (size_t j = 0; j < n_features; j++) {
        usual->low[j] = fmin(usual->low[j], values[j]);
        usual->high[j] = fmax(usual->high[j], values[j]);
    }
}

static void keep_row(search *s, const frocc_block *block, size_t row, size_t place,
                     const double *values) {
    odd_row *kept = &s->listed[place];
    kept->number = block->row_numbers[row];
    kept->id = s->rows.data.has_ids ? must_copy(block->ids[row]) : NULL;
    kept->carried = must_allocate(block->n_carried, sizeof *kept->carried);
    for (size_t i = 0; i < block->n_carried; i++) {
        kept->carried[i] = must_copy(block->carried[row * block->n_carried + i]);
    }
    if (s->reasons) {
        kept->values = must_allocate(s->rows.data.n_features, sizeof(double));
        memcpy(kept->values, values, s->rows.data.n_features * sizeof(double));
    }
}

/* What a row would gain is asked of a model that has not learnt the odd ones: to one that has, each
 * of them is as usual as itself. */
static frocc_fitter *begin_usual(const search *s) {
    frocc_params params = s->params;
    frocc_frame *frame = frocc_model_frame(s->model);
    frocc_fitter *fitter = NULL;
    params.contamination = params.fpr = 0;
    params.calibration_rows = 0;
    check(frocc_fitter_new(frame, &params, &fitter), NULL);
    frocc_frame_free(frame);
    return fitter;
}

/* The rows of a block, the first of which is the index-th of all, that are usual. */
static void learn_usual(search *s, const frocc_rows *rows, size_t index, frocc_fitter *fitter) {
    const size_t from = first_usual(s);
    for (size_t first = 0, end; first < rows->n_rows; first = end + 1) {
        for (end = first; end < rows->n_rows && s->place[index + end] >= from; end++)
            ;
        const frocc_rows run = rows_part(rows, first, end - first);
        if (run.n_rows) {
            data_check(&s->rows.data, frocc_fitter_add(fitter, &run), &run, first);
        }
    }
}

/* Keeps what is listed of a block, the first row of which is the index-th of all, and the span of
 * what is usual; values is scratch. */
static void look_at(search *s, const frocc_block *block, size_t index, double *values) {
    const size_t n_features = s->rows.data.n_features, from = first_usual(s);
    for (size_t row = 0; row < block->rows.n_rows; row++) {
        const size_t place = s->place[index + row];
        if (s->reasons) {
            row_copy(&block->rows, row, values);
        }
        if (place < s->n_listed) {
            keep_row(s, block, row, place, values);
        }
        if (place >= from && s->reasons) {
            widen(&s->usual, values, n_features);
        }
    }
}

static void begin_span(usual_values *usual, size_t n_features) {
    usual->low = must_allocate(n_features, sizeof(double));
    usual->high = must_allocate(n_features, sizeof(double));
    for (size_t j = 0; j < n_features; j++) {
        usual->low[j] = HUGE_VAL;
        usual->high[j] = -HUGE_VAL;
    }
}

/* The last pass. */
static void look_closer(search *s) {
    cli_data *data = &s->rows.data;
    double *values = must_allocate(data->n_features, sizeof *values);
    frocc_fitter *fitter = s->reasons ? begin_usual(s) : NULL;
    frocc_block block;
    size_t index = 0;
    begin_span(&s->usual, data->n_features);
    s->listed = must_allocate(s->n_listed, sizeof *s->listed);
    for (data_rewind(data); data_next(data, &block); index += block.rows.n_rows) {
        if (block.rows.n_rows > s->n_rows - index) {
            die_of_change();
        }
        look_at(s, &block, index, values);
        if (s->reasons) {
            learn_usual(s, &block.rows, index, fitter);
        }
    }
    if (index < s->n_rows) { /* some that are listed were not met */
        die_of_change();
    }
    if (s->reasons) {
        check(frocc_fitter_finish(fitter, &s->usual_model), NULL);
    }
    frocc_fitter_free(fitter);
    free(values);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static cli_table *open_table(const cli_arguments *arguments, const search *s) {
    static const frocc_table_column number = {"row", FROCC_CELL_WHOLE, false},
                                    results[] = {{"score", FROCC_CELL_REAL, false},
                                                 {"share", FROCC_CELL_REAL, false},
                                                 {"reason", FROCC_CELL_TEXT, true}};
    return results_open(arguments, &s->rows.data, &number, 1, results, s->reasons ? 3 : 2,
                        FROCC_NOT_IN_PLACE);
}

static void write_rows(const cli_arguments *arguments, search *s) {
    cli_table *table = open_table(arguments, s);
    cli_reasons reasons;
    reasons_begin(s->model, s->scorer, s->rows.data.schema, &s->usual, &reasons);
    reasons.blame.gained_by = s->usual_model;
    for (size_t i = 0; i < s->n_listed; i++) {
        const odd_row *odd = &s->listed[i];
        table_whole(table, (int64_t)odd->number);
        results_names(table, &s->rows.data, odd->id, (const char *const *)odd->carried);
        table_real(table, s->scored[i].score);
        table_real(table, (double)rows_at_most(s, i) / (double)s->n_rows);
        if (s->reasons) {
            table_text(table, reasons_find(&reasons, odd->values));
        }
    }
    reasons_end(&reasons);
    table_finish(table);
}

static void print_summary(const cli_arguments *arguments, const search *s) {
    if (arguments->json) {
        fprintf(summary_stream(arguments), "{\"rows\":%zu,\"listed\":%zu}\n", s->n_rows,
                s->n_listed);
    } else if (arguments->verbosity >= 0) {
        data_note_texts(s->rows.data.schema);
        note("the %zu most unusual of %zu rows; how many of them are wrong, only you can tell: "
             "--top or --rate lists more or fewer",
             s->n_listed, s->n_rows);
    }
}

static void free_search(search *s) {
    for (size_t i = 0; i < s->n_listed; i++) {
        for (size_t c = 0; c < s->rows.data.n_carried; c++) {
            free(s->listed[i].carried[c]);
        }
        free(s->listed[i].carried);
        free(s->listed[i].id);
        free(s->listed[i].values);
    }
    free(s->listed);
    free(s->scored);
    free(s->place);
    free(s->usual.low);
    free(s->usual.high);
    frocc_scorer_free(s->scorer);
    frocc_model_free(s->model);
    frocc_model_free(s->usual_model);
    normal_rows_close(&s->rows);
}

static int run_outliers(const cli_arguments *arguments) {
    table_check_output(arguments);
    search s = {.reasons = !argument_given(arguments, "no-reasons")};
    learn(arguments, &s);
    score_rows(&s);
    rank(arguments, &s);
    look_closer(&s);
    write_rows(arguments, &s);
    print_summary(arguments, &s);
    free_search(&s);
    return EXIT_FINE;
}

static const cli_option outliers_table[] = {
    {"output", 'o', "FILE", "Write to this file: .csv, .jsonl or .npy by its ending"},
    {"top", 0, "N", "List so many rows; 10 by default"},
    {"rate", 0, "SHARE", "List this share of the rows instead; 1 for all, ranked"},
    COLUMNS_OPTION,
    {"no-reasons", 0, NULL, "Do not say why, which takes longer than to find them"},
    NO_FORMULAS_OPTION,
    {0},
};
static const cli_option_group outliers_options = {"Listing", outliers_table};

static const cli_option judging_table[] = {
    {"contamination", 0, "SHARE", "Of the rows, the share that may be anomalies; 0.1 by default"},
    {"directions", 'm', "M", "Number of random directions; 256 by default"},
    {"scaling", 0, SCALING_CHOICES, "What is done to features first; asinh by default"},
    {"seed", 0, "S", "Which directions to draw; 0 by default"},
    {0},
};
static const cli_option_group judging_options = {"Judging", judging_table};

const cli_command command_outliers = {
    .name = "outliers",
    .operands = "DATA...",
    .summary = "List the most unusual rows of a table, and why",
    .details =
        "Learns all rows, then scores each as if it had not been there. No labels, no normal rows "
        "and no model are needed. The most unusual row comes first; share is how many of all rows "
        "are as unusual as it, or more. A usual value is one that the other rows have, less the "
        "share that may be anomalies.",
    .example = "frocc outliers orders.csv\n"
               "frocc outliers orders.csv --id order --rate 0.01 -o odd.csv",
    .groups = {&outliers_options, &judging_options, &data_options, &common_options},
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run_outliers,
};
