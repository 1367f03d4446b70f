/* SPDX-License-Identifier: BSD-3-Clause */
#include "scoring/scoring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "data/labels.h"
#include "data/model_io.h"
#include "scoring/live.h"
#include "scoring/words.h"

static const cli_option scoring_table_options[] = {
    {"output", 'o', "FILE",
     "Write to this file: .csv, .jsonl (.ndjson, .json) or .npy by its ending; .csv.gz is packed"},
    OUTPUT_FORMAT_OPTION,
    NO_FORMULAS_OPTION,
    {0},
};
const cli_option_group scoring_options = {"Writing results", scoring_table_options};

static const cli_option row_table_options[] = {
    {"output", 'o', "FILE",
     "Write to this file: .csv, .jsonl (.ndjson, .json) or .npy by its ending; .csv.gz is packed"},
    OUTPUT_FORMAT_OPTION,
    NO_FORMULAS_OPTION,
    {"append", 0, NULL, "Let a file of --output that is there go on, if its columns are the same"},
    {"lines", 0, NULL, "Add the file and the line of each row"},
    {"bad-rows", 0, "stop|skip|flag",
     "A line that is no row ends the command, is left out, or comes out with its error; flag for "
     "pipes, else stop. A row is then a line, and a repeated header is passed over"},
    {0},
};
const cli_option_group row_options = {"Writing results", row_table_options};

bool (*scoring_next_elsewhere)(cli_scoring *scoring);

/* Between two blocks. */
static void forget_errors(cli_scoring *scoring) {
    for (size_t row = 0; scoring->n_errors && row < scoring->errors_room; row++) {
        free(scoring->errors[row]);
        scoring->errors[row] = NULL;
    }
    scoring->n_errors = scoring->next_row = scoring->next_bad = 0;
}

/* Rows are numbered where some are left out, which nobody knows of the parts of other processes. */
static void refuse_numbers(const cli_scoring *scoring) {
    if (scoring->numbers_rows && scoring_next_elsewhere) {
        die(EXIT_FAILED, "rows with missing cells cannot be left out here, as results would need "
                         "the numbers of rows, which parts do not know; where none is missing, "
                         "give --missing error, and where some are, 'frocc score' and 'frocc eval' "
                         "leave them out, in one process");
    }
}

static void open_scoring(const cli_arguments *arguments, const char *model_path,
                         const char *const *paths, size_t n_paths, int passes, label_use label,
                         const cli_stream *stream, cli_scoring *scoring) {
    for (size_t i = 0; i < n_paths && !strcmp(model_path, "-"); i++) {
        if (!strcmp(paths[i], "-")) {
            die(EXIT_MISUSE, "the model and the data cannot both come from standard input");
        }
    }
    refuse_output(arguments, model_path);
    scoring->model = model_read(arguments, model_path);
    scoring->info = model_describe(scoring->model);
    frocc_schema *schema = frocc_model_schema(scoring->model);
    data_open_stream(arguments, paths, n_paths, schema, passes, label, stream, &scoring->data);
    scoring->numbers_rows = scoring->data.drops_rows ||
                            argument_given(arguments, "only-outliers") ||
                            scoring->bad_rows == BAD_ROWS_SKIP;
    refuse_numbers(scoring);
    frocc_schema_free(schema);
    if (scoring->data.n_features != scoring->info.n_features) {
        die(EXIT_FAILED,
            "the number of features differs: %zu in '%s', %zu in the model '%s'; are --label, "
            "--id, --drop and --use as they were for fit?",
            scoring->data.n_features, paths[0], scoring->info.n_features, model_path);
    }
    int threads = (int)argument_count(arguments, "threads", 0, 1, 1024);
    check(frocc_scorer_new(scoring->model, threads, &scoring->scorer), NULL);
}

void scoring_open(const cli_arguments *arguments, const char *model_path, const char *const *paths,
                  size_t n_paths, int passes, label_use label, cli_scoring *scoring) {
    *scoring = (cli_scoring){.arguments = arguments, .model_path = model_path};
    open_scoring(arguments, model_path, paths, n_paths, passes, label, NULL, scoring);
}

void scoring_open_rows(const cli_arguments *arguments, const char *const *columns, size_t n_columns,
                       cli_scoring *scoring) {
    const char *const *paths = arguments->operands + 1;
    const size_t n_paths = arguments->n_operands - 1;
    *scoring = (cli_scoring){.arguments = arguments, .model_path = arguments->operands[0]};
    scoring->places_rows = argument_given(arguments, "lines");
    if (scoring->places_rows && scoring_next_elsewhere) {
        die(EXIT_MISUSE, "--lines: the parts of other processes do not know their lines");
    }
    const bool is_whole = !scoring_next_elsewhere && !argument_given(arguments, "part");
    scoring->live = is_whole ? live_open(paths, n_paths, scoring->model_path) : NULL;
    scoring->bad_rows = (bad_rows)argument_choice(arguments, "bad-rows",
                                                  scoring->live ? BAD_ROWS_FLAG : BAD_ROWS_STOP);
    const cli_stream stream = {.lists_bad_rows = scoring->bad_rows != BAD_ROWS_STOP,
                               .wait = scoring->live ? live_wait : NULL,
                               .context = scoring->live,
                               .columns = columns,
                               .n_columns = n_columns};
    open_scoring(arguments, scoring->model_path, paths, n_paths, 1, LABEL_IF_GIVEN, &stream,
                 scoring);
    live_begin(scoring->live);
}

void scoring_meet(cli_scoring *scoring) {
    if (scoring->block.rows.n_features == 0 || scoring->block.rows.n_rows == 0 ||
        scoring->n_errors) {
        return; /* another process has the values, or some are none */
    }
    check(frocc_scorer_meet(scoring->scorer, &scoring->block.rows, &scoring->learnt), NULL);
    if (!scoring->news) {
        scoring->news = must_allocate(scoring->info.n_features, sizeof *scoring->news);
    }
    check(frocc_model_count_news(scoring->model, &scoring->block.rows, scoring->news), NULL);
    scoring->n_counted += scoring->block.rows.n_rows;
}

/* Rows that say more than chance does. */
#define ENOUGH_FOR_NEWS 20

static bool is_news(const cli_scoring *scoring, size_t feature) {
    return scoring->news && scoring->n_counted >= ENOUGH_FOR_NEWS &&
           scoring->news[feature] * 2 > scoring->n_counted;
}

void scoring_print_news(const cli_scoring *scoring, FILE *file) {
    const char *before = "";
    fputs(",\"news\":[", file);
    for (size_t j = 0; j < scoring->info.n_features; j++) {
        if (is_news(scoring, j)) {
            char *column = feature_column(scoring->data.schema, j);
            fprintf(file, "%s\"", before);
            write_json(file, column);
            fputs("\"", file);
            before = ",";
            free(column);
        }
    }
    fputs("]", file);
}

/* A column in which most rows are news is written in another way, or all of it is new. */
static void note_news(const cli_scoring *scoring) {
    const frocc_schema *schema = scoring->data.schema;
    for (size_t j = 0; j < scoring->info.n_features; j++) {
        if (!is_news(scoring, j)) {
            continue;
        }
        char *column = feature_column(schema, j);
        note("%s: %llu of %llu values were never seen in training; are they written as they were "
             "then?",
             column, (unsigned long long)scoring->news[j], (unsigned long long)scoring->n_counted);
        free(column);
    }
}

void scoring_close(cli_scoring *scoring) {
    if (scoring->learnt >= 0.75 && scoring->data.verbosity >= 0) {
        note("the model has learnt these rows, so nearly all look normal to it; 'frocc outliers' "
             "finds the odd rows of a table");
    }
    if (scoring->data.verbosity >= 0) {
        note_news(scoring);
    }
    forget_errors(scoring);
    free(scoring->news);
    free(scoring->errors);
    free(scoring->spoken);
    live_close(scoring->live);
    free(scoring->scores);
    frocc_scorer_free(scoring->scorer);
    frocc_model_free(scoring->model);
    data_close(&scoring->data);
}

/* ---- Blocks and rows ------------------------------------------------------------------------- */

bool scoring_next_rows(cli_scoring *scoring) {
    do {
        if (asked_to_stop() || !data_next(&scoring->data, &scoring->block)) {
            return false;
        }
        if (scoring->block.is_paused) {
            live_reload(scoring);
        }
    } while (scoring->block.is_paused);
    forget_errors(scoring);
    const size_t n_rows = scoring->block.rows.n_rows;
    if (scoring->bad_rows != BAD_ROWS_STOP && n_rows > scoring->errors_room) {
        free(scoring->errors);
        scoring->errors = must_allocate(n_rows, sizeof *scoring->errors);
        scoring->errors_room = n_rows;
    }
    return true;
}

static const char *error_of(const cli_scoring *scoring, size_t row) {
    return row < scoring->errors_room ? scoring->errors[row] : NULL;
}

void scoring_ask(cli_scoring *scoring, cli_question question, void *context) {
    const frocc_rows *rows = &scoring->block.rows;
    for (size_t first = 0; first < rows->n_rows;) {
        size_t end = first;
        while (end < rows->n_rows && !error_of(scoring, end)) {
            end++;
        }
        const frocc_rows run = rows_part(rows, first, end - first);
        const frocc_status status =
            end > first ? question(scoring, &run, first, context) : FROCC_OK;
        if (status == FROCC_OK) {
            first = end + (end < rows->n_rows);
            continue;
        }
        frocc_error_place place = {.struct_size = sizeof place};
        frocc_last_error_place(&place);
        char *error = scoring->bad_rows != BAD_ROWS_STOP && place.row >= 0
                          ? data_row_error(&scoring->data, &run, first)
                          : NULL;
        if (!error) {
            data_check(&scoring->data, status, &run, first);
        }
        scoring->errors[first + (size_t)place.row] = error;
        scoring->n_errors++;
        if (scoring->scores) {
            scoring->scores[first + (size_t)place.row] = 0;
        }
    }
}

static frocc_status score_run(cli_scoring *scoring, const frocc_rows *run, size_t first,
                              void *context) {
    (void)context;
    return frocc_scorer_score(scoring->scorer, run, scoring->scores + first);
}

/* A row or a line that is none, whatever becomes of it. */
static bool step(cli_scoring *scoring, cli_row *row) {
    const frocc_block *block = &scoring->block;
    const size_t next = scoring->next_row;
    *row = (cli_row){.row = next};
    if (scoring->next_bad < block->n_bad_rows &&
        (block->bad_rows[scoring->next_bad].before <= next || next == block->rows.n_rows)) {
        const frocc_bad_row *bad = &block->bad_rows[scoring->next_bad++];
        *row = (cli_row){
            .number = bad->row_number, .line = bad->line, .error = bad->error, .is_line = true};
    } else if (next < block->rows.n_rows) {
        row->number = block->row_numbers ? block->row_numbers[next] : 0;
        row->error = error_of(scoring, next);
        scoring->next_row++;
    } else {
        return false;
    }
    return true;
}

bool scoring_step(cli_scoring *scoring, cli_row *row) {
    bool is_left_out = true;
    while (is_left_out) {
        if (!step(scoring, row)) {
            return false;
        }
        if (row->is_line) {
            free(scoring->spoken);
            row->error = scoring->spoken = in_options(row->error);
        }
        is_left_out = row->error && scoring->bad_rows == BAD_ROWS_SKIP;
        scoring->n_bad_rows += row->error != NULL;
        scoring->n_rows += row->error == NULL;
    }
    if (scoring->places_rows) {
        row->file = frocc_reader_file(scoring->data.reader);
    }
    if (scoring->places_rows && !row->is_line) {
        check(frocc_reader_line(scoring->data.reader, row->row, &row->line), NULL);
    }
    return true;
}

int scoring_end(const cli_scoring *scoring) {
    const uint64_t dropped = data_dropped(&scoring->data);
    if (scoring->n_rows || scoring->n_bad_rows || asked_to_stop()) {
        return EXIT_FINE;
    }
    if (dropped) {
        die(EXIT_FAILED,
            "every row was left out: all %llu have missing cells; is the feed dead, or has a "
            "column another name?",
            (unsigned long long)dropped);
    }
    if (scoring->data.verbosity >= 0) {
        note("the data have a header and no rows; give --header no if the first line is a row");
    }
    return EXIT_NO_ROWS;
}

void scoring_note_bad_rows(const cli_scoring *scoring) {
    if (scoring->n_bad_rows && scoring->arguments->verbosity >= 0) {
        const bool is_one = scoring->n_bad_rows == 1;
        note("%llu line%s could not be read as %s, and %s %s",
             (unsigned long long)scoring->n_bad_rows, is_one ? "" : "s", is_one ? "a row" : "rows",
             is_one ? "was" : "were",
             scoring->bad_rows == BAD_ROWS_SKIP ? "left out"
             : is_one                           ? "written with its error"
                                                : "written with their error");
    }
}

bool scoring_next(cli_scoring *scoring) {
    if (!scoring_next_rows(scoring)) {
        forget_errors(scoring);
        return scoring_next_elsewhere && scoring_next_elsewhere(scoring);
    }
    if (scoring->block.rows.n_rows > scoring->capacity) {
        scoring->capacity = scoring->block.rows.n_rows;
        scoring->scores = must_resize(scoring->scores, scoring->capacity, sizeof *scoring->scores);
    }
    scoring_ask(scoring, score_run, NULL);
    return true;
}

void scoring_need_calibration(const cli_scoring *scoring, const char *option) {
    if (!scoring->info.calibration_rows) {
        die(EXIT_FAILED,
            "%s needs a calibrated model, and this one is not: fit it to more rows that differ, "
            "without --paper and --calibration 0",
            option);
    }
}

double *scoring_p_values(const cli_scoring *scoring, double *p_values) {
    size_t n_rows = scoring->block.rows.n_rows;
    p_values = must_resize(p_values, n_rows, sizeof *p_values);
    check(frocc_model_p_values(scoring->model, scoring->scores, n_rows, p_values), NULL);
    return p_values;
}

double scoring_threshold(const cli_arguments *arguments, const cli_scoring *scoring) {
    double threshold = scoring->info.threshold;
    double fpr = argument_number(arguments, "fpr", scoring->info.fpr, 0, 1);
    if (argument_given(arguments, "threshold") && argument_given(arguments, "fpr")) {
        die(EXIT_MISUSE, "--threshold and --fpr both decide; give one of the two");
    }
    if (argument_given(arguments, "fpr")) {
        scoring_need_calibration(scoring, "--fpr");
    }
    if (fpr > 0 && !argument_given(arguments, "threshold")) {
        check(frocc_model_threshold(scoring->model, fpr, &threshold), NULL);
    }
    if (argument_given(arguments, "fpr") && arguments->verbosity >= 0) {
        char remedy[120];
        snprintf(remedy, sizeof remedy, "fit with --fpr %g, or ask for %g or more", fpr,
                 model_least_rate(&scoring->info));
        model_note_rate(&scoring->info, fpr, remedy);
    }
    return argument_number(arguments, "threshold", threshold, -1e300, 1);
}

void scoring_tally(const cli_arguments *arguments, cli_scoring *scoring, cli_tally *tally) {
    cli_labels labels;
    labels_begin(arguments, &labels);
    while (scoring_next(scoring)) {
        const frocc_block *block = &scoring->block;
        data_need_labels(block);
        for (size_t row = 0; row < block->rows.n_rows; row++) {
            size_t number = labels_number(&labels, block->labels[row], block->label_values[row]);
            tally_add(tally, scoring->scores[row], number == 0, number == 1);
        }
    }
    tally_settle(tally);
    if (labels_outlier(&labels) == 0) {
        tally_swap(tally);
    }
    labels_free(&labels);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Bad rows have no numbers, so that a whole one can be empty. */
static size_t with_errors(const cli_scoring *scoring, const frocc_table_column *results,
                          size_t n_results, frocc_table_column all[MOST_RESULTS + 1]) {
    for (size_t i = 0; i < n_results; i++) {
        all[i] = results[i];
        if (scoring->bad_rows == BAD_ROWS_FLAG && all[i].kind == FROCC_CELL_WHOLE) {
            all[i].kind = FROCC_CELL_REAL;
        }
    }
    if (scoring->bad_rows == BAD_ROWS_FLAG) {
        all[n_results++] = (frocc_table_column){"error", FROCC_CELL_TEXT, true};
    }
    return n_results;
}

frocc_in_place scoring_place(const cli_scoring *scoring) {
    const bool goes_on = argument_given(scoring->arguments, "append") || scoring->has_begun;
    return goes_on ? FROCC_IN_PLACE_ON : scoring->live ? FROCC_IN_PLACE_ANEW : FROCC_NOT_IN_PLACE;
}

cli_table *scoring_table(const cli_arguments *arguments, const cli_scoring *scoring,
                         const frocc_table_column *results, size_t n_results) {
    frocc_table_column front[3], all[MOST_RESULTS + 1];
    size_t n_front = 0;
    if (scoring->numbers_rows) {
        front[n_front++] = (frocc_table_column){"row", FROCC_CELL_WHOLE, false};
    }
    if (scoring->places_rows) {
        front[n_front++] = (frocc_table_column){"file", FROCC_CELL_TEXT, true};
        front[n_front++] = (frocc_table_column){"line", FROCC_CELL_WHOLE, false};
    }
    n_results = with_errors(scoring, results, n_results, all);
    return results_open(arguments, &scoring->data, front, n_front, all, n_results,
                        scoring_place(scoring));
}

void scoring_table_row(cli_table *table, const cli_scoring *scoring, const cli_row *row) {
    const frocc_block *block = &scoring->block;
    if (scoring->numbers_rows) {
        table_whole(table, (int64_t)row->number);
    }
    if (scoring->places_rows) {
        table_text(table, row->file);
        table_whole(table, (int64_t)row->line);
    }
    const bool has_names = !row->is_line;
    results_names(table, &scoring->data, has_names && block->ids ? block->ids[row->row] : NULL,
                  has_names && block->n_carried ? block->carried + row->row * block->n_carried
                                                : NULL);
}

void scoring_table_error(cli_table *table, const cli_scoring *scoring, const cli_row *row) {
    if (scoring->bad_rows == BAD_ROWS_FLAG) {
        table_text(table, row->error ? row->error : "");
    }
}

cli_table *scoring_reopen(cli_table *table, cli_scoring *scoring, const frocc_table_column *results,
                          size_t n_results) {
    if (!live_reopens(scoring->live)) {
        return table;
    }
    table_finish(table);
    scoring->has_begun = true;
    return scoring_table(scoring->arguments, scoring, results, n_results);
}
