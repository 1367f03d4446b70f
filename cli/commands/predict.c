/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc predict: a decision for each row and, for those who have to act on it, why. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/commands.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "data/model_io.h"
#include "scoring/groups.h"
#include "scoring/reasons.h"
#include "scoring/rules.h"
#include "scoring/scoring.h"

/* What is written of a row, what that takes, and what is counted. */
typedef struct alert {
    const cli_arguments *arguments;
    cli_scoring *scoring;
    unsigned generation; /* of the model that the rest is about */
    cli_table *table;
    frocc_table_column results[MOST_RESULTS];
    size_t n_results;
    cli_reasons reasons;
    bool only_outliers, scores, p_values, reason, groups_rows;
    bool looks_closer; /* at outliers: reasons are found */
    double threshold, *values, *p;
    uint8_t *normal;
    uint64_t most, n_written, n_outliers; /* n_outliers: but for those that rules silence */
    cli_groups groups;
    cli_rules *rules;
} alert;

/* A row, and what is decided of it. */
typedef struct verdict {
    cli_row row;
    bool is_outlier, is_alarm;
    size_t silenced_by; /* the line of a rule, or 0 */
    const char *reason;
} verdict;

/* ---- Alarms ---------------------------------------------------------------------------------- */

/* The rate of false alarms that is promised; NaN where a threshold decides. */
static double promised_rate(const alert *a) {
    const double fpr = argument_number(a->arguments, "fpr", a->scoring->info.fpr, 0, 1);
    return argument_given(a->arguments, "threshold") || !(fpr > 0) ? NAN : fpr;
}

/* "2x", of what is promised, or a share of the rows; NaN where it is not asked for. */
static double alarm_rate(const alert *a) {
    const char *text = argument_text(a->arguments, "alarm-above");
    char *end;
    if (!text) {
        return NAN;
    }
    const double value = strtod(text, &end), promised = promised_rate(a);
    const bool is_multiple = end > text && !strcmp(end, "x");
    if (end == text || !(value >= 0) || isinf(value) || (*end && !is_multiple) ||
        (!is_multiple && value > 1)) {
        die(EXIT_MISUSE,
            "--alarm-above %s: expected a multiple of the promised rate, such as 2x, "
            "or a share of the rows, such as 0.05",
            text);
    }
    if (is_multiple && isnan(promised)) {
        die(EXIT_MISUSE,
            "--alarm-above %s: a threshold decides, so no rate is promised; give a "
            "share of the rows, such as 0.05",
            text);
    }
    return is_multiple ? value * promised : value;
}

static bool is_alarm(const alert *a) {
    const double rate = alarm_rate(a);
    if (isnan(rate)) {
        return argument_given(a->arguments, "exit-code") && a->n_outliers > 0;
    }
    return (double)a->n_outliers > rate * (double)a->scoring->n_rows;
}

static void print_rate(FILE *file, const char *name, double rate) {
    char text[32] = "null";
    if (!isnan(rate)) {
        snprintf(text, sizeof text, "%.6g", rate);
    }
    fprintf(file, ",\"%s\":%s", name, text);
}

static void print_json(alert *a) {
    const cli_scoring *scoring = a->scoring;
    const frocc_model_info *info = &scoring->info;
    FILE *file = summary_stream(a->arguments);
    fprintf(file, "{\"rows\":%llu,\"outliers\":%llu,\"left_out\":%llu,\"bad_rows\":%llu",
            (unsigned long long)scoring->n_rows, (unsigned long long)a->n_outliers,
            (unsigned long long)data_dropped(&scoring->data),
            (unsigned long long)scoring->n_bad_rows);
    print_rate(file, "rate", promised_rate(a));
    print_rate(file, "least_rate", info->calibration_rows ? model_least_rate(info) : NAN);
    scoring_print_news(scoring, file);
    if (a->rules) {
        fprintf(file, ",\"silenced\":%llu", (unsigned long long)rules_count(a->rules));
    }
    if (a->groups_rows) {
        groups_print_json(&a->groups, file);
    }
    fputs("}\n", file);
}

/* So many times the promised rate say that something has changed. */
#define MANY_TIMES 10

static void print_summary(alert *a) {
    const bool is_quiet = a->arguments->verbosity < 0;
    if (a->arguments->json) {
        print_json(a);
    } else if (a->arguments->verbosity > 0) {
        note("%llu of %llu rows are outliers", (unsigned long long)a->n_outliers,
             (unsigned long long)a->scoring->n_rows);
    }
    if (!is_quiet && a->groups_rows && !a->arguments->json) {
        groups_note(&a->groups);
    }
    if (!is_quiet && a->most && a->n_outliers > a->n_written) {
        note("%llu more outliers are counted and not written, as --most says",
             (unsigned long long)(a->n_outliers - a->n_written));
    }
    const double promised = promised_rate(a), rows = (double)a->scoring->n_rows;
    if (!is_quiet && promised > 0 && rows >= 100 &&
        (double)a->n_outliers > MANY_TIMES * promised * rows) {
        note("%.3g %% of the rows are outliers, where %.3g %% were promised of normal ones",
             100 * (double)a->n_outliers / rows, 100 * promised);
    }
    if (!is_quiet) {
        rules_note(a->rules);
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* What leads the reasons of an outlier; the column's name is the caller's to free. */
static char *find_lead(alert *a, char *group, size_t size) {
    size_t feature;
    cli_blame *blame = &a->reasons.blame;
    snprintf(group, size, "no single column");
    if (!leading_features(blame, &feature, 1)) {
        return must_copy("");
    }
    const frocc_schema *schema = a->scoring->data.schema;
    say_group(a->scoring->model, schema, feature, a->values, blame->better, group, size);
    return feature_column(schema, feature);
}

/* Why, whether a rule silences it, and what it is alike. */
static void look_closer(alert *a, verdict *v) {
    const frocc_block *block = &a->scoring->block;
    char group[600] = "", *lead = NULL;
    if (a->looks_closer) {
        row_copy(&block->rows, v->row.row, a->values);
        v->reason = reasons_find(&a->reasons, a->values);
        lead = find_lead(a, group, sizeof group);
    }
    v->silenced_by = rules_find(
        a->rules, block->n_carried ? block->carried + v->row.row * block->n_carried : NULL,
        lead ? lead : "");
    if (a->groups_rows && !v->silenced_by) {
        groups_add(&a->groups, group);
    }
    free(lead);
}

static void write_row(alert *a, const verdict *v) {
    const cli_row *row = &v->row;
    const bool is_bad = row->error != NULL;
    scoring_table_row(a->table, a->scoring, row);
    if (a->scoring->bad_rows == BAD_ROWS_FLAG) {
        table_real(a->table, is_bad ? NAN : v->is_outlier);
    } else {
        table_whole(a->table, v->is_outlier);
    }
    if (a->scores) {
        table_real(a->table, is_bad ? NAN : a->scoring->scores[row->row]);
    }
    if (a->p_values) {
        table_real(a->table, is_bad ? NAN : a->p[row->row]);
    }
    if (a->reason) {
        table_text(a->table, v->reason);
    }
    if (a->rules && !a->only_outliers) {
        table_real(a->table, v->silenced_by ? (double)v->silenced_by : NAN);
    }
    scoring_table_error(a->table, a->scoring, row);
}

/* Decides, counts and writes the row that was stepped to. */
static void take_row(alert *a, const cli_row *row) {
    verdict v = {.row = *row, .reason = ""};
    v.is_outlier = !row->error && !a->normal[row->row];
    if (v.is_outlier) {
        look_closer(a, &v);
    }
    v.is_alarm = v.is_outlier && !v.silenced_by;
    a->n_outliers += v.is_alarm;
    const bool has_room = !a->most || a->n_written < a->most;
    if (!a->only_outliers || row->error || (v.is_alarm && has_room)) {
        write_row(a, &v);
        a->n_written += v.is_alarm;
    }
}

/* What is to be known of the model; anew where another has taken its place. */
static void know_model(alert *a) {
    cli_scoring *scoring = a->scoring;
    a->generation = scoring->generation;
    if (a->looks_closer) {
        a->values = must_resize(a->values, scoring->info.n_features, sizeof *a->values);
        reasons_begin(scoring->model, scoring->scorer, scoring->data.schema, NULL, &a->reasons);
    }
    a->threshold = scoring_threshold(a->arguments, scoring);
    if (!argument_given(a->arguments, "threshold") && !argument_given(a->arguments, "fpr")) {
        a->threshold = FROCC_OWN_THRESHOLD; /* the model's may look at more than the score */
    }
}

static frocc_status decide_run(cli_scoring *scoring, const frocc_rows *run, size_t first,
                               void *context) {
    const alert *a = context;
    return frocc_scorer_decide(scoring->scorer, run, a->threshold, a->normal + first);
}

/* The next block, and all that is asked about it; false at the end. */
static bool next_block(alert *a) {
    cli_scoring *scoring = a->scoring;
    bool scores = a->scores || a->p_values;
    if (scores ? !scoring_next(scoring) : !scoring_next_rows(scoring)) {
        return false;
    }
    if (a->generation != scoring->generation) {
        if (a->looks_closer) {
            reasons_end(&a->reasons);
        }
        know_model(a);
    }
    a->normal = must_resize(a->normal, scoring->block.rows.n_rows, 1);
    scoring_ask(scoring, decide_run, a);
    a->p = a->p_values ? scoring_p_values(scoring, a->p) : NULL;
    return true;
}

/* ---- The command ----------------------------------------------------------------------------- */

static void add_result(alert *a, const char *name, frocc_cell_kind kind) {
    a->results[a->n_results++] = (frocc_table_column){name, kind, kind == FROCC_CELL_TEXT};
}

static void place_rules(alert *a) {
    const char *name;
    for (size_t i = 0; (name = frocc_reader_carried_name(a->scoring->data.reader, i)); i++) {
        rules_place(a->rules, name, i);
    }
}

static void open_alert(const cli_arguments *arguments, cli_scoring *scoring, cli_rules *rules,
                       alert *a) {
    *a = (alert){.arguments = arguments,
                 .scoring = scoring,
                 .rules = rules,
                 .only_outliers = argument_given(arguments, "only-outliers"),
                 .scores = argument_given(arguments, "scores"),
                 .p_values = argument_given(arguments, "p-values"),
                 .reason = argument_given(arguments, "reason"),
                 .groups_rows = argument_given(arguments, "group"),
                 .most = argument_count(arguments, "most", 0, 1, UINT64_MAX)};
    if (a->most && !a->only_outliers) {
        die(EXIT_MISUSE, "--most says how many outliers are written; give --only-outliers, too");
    }
    a->looks_closer = a->reason || a->groups_rows || rules_want_reason(rules);
    add_result(a, "outlier", FROCC_CELL_WHOLE);
    if (a->scores) {
        add_result(a, "score", FROCC_CELL_REAL);
    }
    if (a->p_values) {
        scoring_need_calibration(scoring, "--p-values");
        add_result(a, "p_value", FROCC_CELL_REAL);
    }
    if (a->reason) {
        add_result(a, "reason", FROCC_CELL_TEXT);
    }
    if (rules && !a->only_outliers) {
        add_result(a, "silenced", FROCC_CELL_REAL);
    }
    scoring->needs_p_values = a->p_values || argument_given(arguments, "fpr");
    place_rules(a);
    (void)alarm_rate(a); /* complains now */
    know_model(a);
    a->table = scoring_table(arguments, scoring, a->results, a->n_results);
}

static void close_alert(alert *a) {
    if (a->looks_closer) {
        reasons_end(&a->reasons);
    }
    groups_free(&a->groups);
    rules_free(a->rules);
    free(a->values);
    free(a->normal);
    free(a->p);
}

static int run_predict(const cli_arguments *arguments) {
    table_check_output(arguments);
    cli_scoring scoring;
    cli_rules *rules = rules_read(arguments);
    const char *const *columns;
    const size_t n_columns = rules_columns(rules, &columns);
    scoring_open_rows(arguments, columns, n_columns, &scoring);
    alert a;
    open_alert(arguments, &scoring, rules, &a);
    while (next_block(&a)) {
        cli_row row;
        a.table = scoring_reopen(a.table, &scoring, a.results, a.n_results);
        while (scoring_step(&scoring, &row)) {
            take_row(&a, &row);
        }
        scoring_meet(&scoring);
        table_flush(a.table);
    }
    table_finish(a.table);
    scoring_note_bad_rows(&scoring);
    print_summary(&a);
    const int status = is_alarm(&a) ? EXIT_OUTLIERS : scoring_end(&scoring);
    close_alert(&a);
    scoring_close(&scoring);
    end_if_stopped();
    return status;
}

static const cli_option predict_table[] = {
    DECISION_OPTIONS,
    COLUMNS_OPTION,
    {"only-outliers", 0, NULL, "Write only outliers, with the number of their row"},
    {"scores", 0, NULL, "Add the score"},
    {"p-values", 0, NULL, "Add the share of normal rows that would score as low or lower"},
    {"reason", 0, NULL,
     "Add why a row is an outlier: leading features, their values, what is usual"},
    {"exit-code", 0, NULL, "End with 3 when any row is an outlier"},
    {"alarm-above", 0, "RATE",
     "End with 3 when more of the rows are: 2x is twice the rate that was promised, 0.05 a share"},
    {"most", 0, "N", "With --only-outliers: write the first N, and count the others"},
    {"group", 0, NULL, "At the end, count outliers by the column that leads their reasons"},
    {"except", 0, "FILE", "Rules for outliers that are known and no alarm; each is counted"},
    {0},
};
static const cli_option_group predict_options = {"Deciding", predict_table};

const cli_command command_predict = {
    .name = "predict",
    .operands = "MODEL DATA...",
    .summary = "Decide for each row whether it is an outlier",
    .details =
        "Writes 1 for an outlier and 0 for a normal row. --columns carries columns to the output.",
    .example = "frocc predict model.frocc new.csv --threshold 0.95\n"
               "frocc predict model.frocc today.csv --columns time,host --only-outliers --reason\n"
               "frocc predict model.frocc new.csv --exit-code -o flags.csv || echo 'look at this'",
    .groups = {&row_options, &predict_options, &data_options, &model_options, &common_options},
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .run = run_predict,
};
