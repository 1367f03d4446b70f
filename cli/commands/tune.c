/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frocc tune: one fit for each kernel, gamma and scaling, with the most directions and the smallest
 * epsilon; every other (m, epsilon) is read off that fit in the same pass over the validation data.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/commands.h"
#include "arguments/method.h"
#include "base/message.h"
#include "data/labels.h"
#include "data/model_io.h"
#include "data/normal_rows.h"
#include "data/table.h"
#include "scoring/grid.h"
#include "scoring/scoring.h"

typedef struct trial {
    frocc_kernel kernel;
    frocc_scaling scaling;
    double gamma;
    uint32_t m;
    float epsilon;
    measures measures;
} trial;

typedef struct cli_tuning {
    const cli_arguments *arguments;
    frocc_params params;
    normal_rows train;
    bool train_used;
    cli_data validation;
    cli_grid grid;
    size_t outlier; /* the class that means outlier */
    trial *trials;
    size_t n_trials;
    double model_auc; /* of the model that was written */
} cli_tuning;

/* ---- One fit --------------------------------------------------------------------------------- */

static void score_validation(cli_tuning *tuning, frocc_scorer *scorer) {
    cli_labels labels;
    labels_begin(tuning->arguments, &labels);
    uint8_t *classes = NULL;
    frocc_block block;
    data_rewind(&tuning->validation);
    grid_clear(&tuning->grid);
    while (data_next(&tuning->validation, &block)) {
        data_need_labels(&block);
        classes = must_resize(classes, block.rows.n_rows, 1);
        for (size_t row = 0; row < block.rows.n_rows; row++) {
            classes[row] =
                (uint8_t)labels_number(&labels, block.labels[row], block.label_values[row]);
        }
        grid_add(&tuning->grid, scorer, &block.rows, classes);
    }
    tuning->outlier = labels_outlier(&labels);
    labels_free(&labels);
    free(classes);
}

static void add_trials(cli_tuning *tuning, const frocc_model *model) {
    const cli_grid *grid = &tuning->grid;
    frocc_model_info info = model_describe(model);
    size_t first = tuning->n_trials;
    tuning->n_trials += grid->n_epsilons * grid->n_ms;
    tuning->trials = must_resize(tuning->trials, tuning->n_trials, sizeof *tuning->trials);
    for (size_t i = first; i < tuning->n_trials; i++) {
        size_t e = (i - first) / grid->n_ms, m = (i - first) % grid->n_ms;
        tuning->trials[i] =
            (trial){info.kernel,
                    info.scaling,
                    info.kernel == FROCC_KERNEL_LINEAR ? 0 : info.gamma,
                    grid->ms[m],
                    grid->epsilons[e],
                    grid_measure(grid, e, m, tuning->outlier, tuning->params.threshold)};
    }
}

static frocc_model *fit_params(cli_tuning *tuning) {
    if (tuning->train_used) {
        normal_rows_rewind(&tuning->train);
    }
    tuning->train_used = true;
    return normal_rows_fit(&tuning->train, &tuning->params);
}

static void try_fit(cli_tuning *tuning) {
    frocc_model *model = fit_params(tuning);
    frocc_scorer *scorer;
    check(frocc_scorer_new(model, tuning->params.threads, &scorer), NULL);
    score_validation(tuning, scorer);
    add_trials(tuning, model);
    frocc_scorer_free(scorer);
    frocc_model_free(model);
}

/* ---- The lists ------------------------------------------------------------------------------- */

/* The next word of a comma-separated list, as an index of the choices; -1 at the end. */
static int next_choice(const char *name, const char **list, const char *choices) {
    if (!*list) {
        return -1;
    }
    size_t length = strcspn(*list, ",");
    int index = choice_index(choices, *list, length);
    if (index < 0) {
        die(EXIT_MISUSE, "--%s %.*s: expected words from %s, separated by commas", name,
            (int)length, *list, choices);
    }
    *list = (*list)[length] ? *list + length + 1 : NULL;
    return index;
}

static const char *list_of(const cli_arguments *arguments, const char *name, const char *fallback) {
    const char *text = argument_text(arguments, name);
    return text ? text : fallback;
}

/* The linear kernel has no gamma: it is tried once. */
static void try_gammas(cli_tuning *tuning, const double *gammas, size_t n_gammas) {
    size_t count = tuning->params.kernel == FROCC_KERNEL_LINEAR ? 1 : n_gammas;
    for (size_t i = 0; i < count; i++) {
        tuning->params.gamma = gammas[i];
        try_fit(tuning);
    }
}

static void try_all(cli_tuning *tuning) {
    const cli_arguments *arguments = tuning->arguments;
    double *gammas;
    size_t n_gammas = argument_numbers(arguments, "gamma", "0", 0, 1e300, &gammas);
    const char *kernels = list_of(arguments, "kernel", "linear,rbf");
    for (int kernel; (kernel = next_choice("kernel", &kernels, KERNEL_CHOICES)) >= 0;) {
        const char *scalings = list_of(arguments, "scaling", "none,standard,minmax");
        for (int scaling; (scaling = next_choice("scaling", &scalings, SCALING_CHOICES)) >= 0;) {
            tuning->params.kernel = kernel_choice((size_t)kernel);
            tuning->params.scaling = scaling_choice((size_t)scaling);
            try_gammas(tuning, gammas, n_gammas);
        }
    }
    free(gammas);
}

static void begin_grid(cli_tuning *tuning) {
    const cli_arguments *arguments = tuning->arguments;
    double *epsilons, *ms;
    size_t n_epsilons = argument_numbers(arguments, "epsilon", "0.003,0.01,0.03,0.1,0.3,1",
                                         (double)FROCC_MIN_EPSILON, 1, &epsilons);
    size_t n_ms = argument_numbers(arguments, "directions", "16,64,256,1000", 1,
                                   (double)FROCC_MAX_DIRECTIONS, &ms);
    grid_begin(&tuning->grid, epsilons, n_epsilons, ms, n_ms);
    tuning->params.epsilon = tuning->grid.epsilons[0];
    tuning->params.n_directions = tuning->grid.ms[tuning->grid.n_ms - 1];
    free(epsilons);
    free(ms);
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Best first; among equals the one with fewer directions, then the larger epsilon. */
static int by_quality(const void *a, const void *b) {
    const trial *x = a, *y = b;
    if (x->measures.roc_auc != y->measures.roc_auc) {
        return x->measures.roc_auc < y->measures.roc_auc ? 1 : -1;
    }
    if (x->m != y->m) {
        return x->m > y->m ? 1 : -1;
    }
    return (x->epsilon < y->epsilon) - (x->epsilon > y->epsilon);
}

static double shortened(double value, const char *format) {
    char text[32];
    snprintf(text, sizeof text, format, value);
    return strtod(text, NULL);
}

static void write_trials(const cli_tuning *tuning) {
    static const frocc_table_column columns[] = {
        {"kernel", FROCC_CELL_TEXT, false},
        {"gamma", FROCC_CELL_REAL, false},
        {"scaling", FROCC_CELL_TEXT, false},
        {"directions", FROCC_CELL_WHOLE, false},
        {"epsilon", FROCC_CELL_REAL, false},
        {"roc_auc", FROCC_CELL_REAL, false},
        {"average_precision", FROCC_CELL_REAL, false},
        {"adjusted_precision_at_n", FROCC_CELL_REAL, false},
    };
    cli_table *table = table_open(tuning->arguments, columns, sizeof columns / sizeof *columns,
                                  FROCC_NOT_IN_PLACE);
    for (size_t i = 0; i < tuning->n_trials; i++) {
        const trial *tried = &tuning->trials[i];
        table_text(table, kernel_name(tried->kernel));
        table_real(table, tried->gamma);
        table_text(table, scaling_name(tried->scaling));
        table_whole(table, tried->m);
        table_real(table, shortened((double)tried->epsilon, "%.7g"));
        table_real(table, shortened(tried->measures.roc_auc, "%.6f"));
        table_real(table, shortened(tried->measures.average_precision, "%.6f"));
        table_real(table, shortened(tried->measures.adjusted_precision, "%.6f"));
    }
    table_finish(table);
}

/* The best try; with --model, also how the model in the file does. */
static void print_json(const cli_tuning *tuning) {
    const trial *best = tuning->trials;
    FILE *stream = summary_stream(tuning->arguments);
    fprintf(stream,
            "{\"tries\":%zu,\"kernel\":\"%s\",\"gamma\":%.17g,\"scaling\":\"%s\","
            "\"directions\":%u,\"epsilon\":%.7g,\"roc_auc\":%.6f",
            tuning->n_trials, kernel_name(best->kernel), best->gamma, scaling_name(best->scaling),
            (unsigned)best->m, (double)best->epsilon, best->measures.roc_auc);
    if (argument_given(tuning->arguments, "model")) {
        fprintf(stream, ",\"score\":\"%s\",\"model_roc_auc\":%.6f",
                score_name(tuning->params.score), tuning->model_auc);
    }
    fputs("}\n", stream);
}

/* ---- The best model -------------------------------------------------------------------------- */

/* How well the model separates the validation rows by its own score. */
static measures judge(cli_tuning *tuning, frocc_model *model) {
    cli_scoring scoring = {.model = model, .data = tuning->validation};
    cli_tally tally = {0};
    check(frocc_scorer_new(model, tuning->params.threads, &scoring.scorer), NULL);
    data_rewind(&scoring.data);
    scoring_tally(tuning->arguments, &scoring, &tally);
    measures value = measure(&tally, tuning->params.threshold);
    tally_free(&tally);
    frocc_scorer_free(scoring.scorer);
    free(scoring.scores);
    return value;
}

/* As fit does by default: with closeness, there are trees, and a rate of false alarms decides. */
static void decide(const cli_arguments *arguments, frocc_params *params) {
    frocc_params usual;
    frocc_params_init(&usual);
    params->calibration_rows = usual.calibration_rows;
    params->fpr = usual.fpr;
    params->n_trees = usual.n_trees;
    method_decision(arguments, params);
}

static bool suits(frocc_score score, float epsilon) {
    return score == FROCC_SCORE_AGREEMENT ||
           (epsilon >= FROCC_CLOSENESS_MIN_EPSILON && epsilon <= FROCC_CLOSENESS_MAX_EPSILON);
}

/* The best try whose epsilon the score can have. */
static const trial *best_for(const cli_tuning *tuning, frocc_score score) {
    for (size_t i = 0; i < tuning->n_trials; i++) {
        if (suits(score, tuning->trials[i].epsilon)) {
            return &tuning->trials[i];
        }
    }
    die(EXIT_FAILED, "--score closeness needs an epsilon of %g to %g among those tried",
        (double)FROCC_CLOSENESS_MIN_EPSILON, (double)FROCC_CLOSENESS_MAX_EPSILON);
}

static void note_model(const char *path, const frocc_model *model, double roc_auc) {
    frocc_model_info info = model_describe(model);
    char decision[80];
    if (info.fpr > 0) {
        snprintf(decision, sizeof decision, "%llu rows calibrate its decision",
                 (unsigned long long)info.calibration_rows);
    } else {
        snprintf(decision, sizeof decision, "its threshold is %g", info.threshold);
    }
    note("the model in %s scores %s, ROC AUC %.6f on the validation rows; %s", path,
         score_name(info.score), roc_auc, decision);
}

/* The best try is fitted once more, on the same rows, with the score and the decision asked for. */
static void write_best(cli_tuning *tuning, const char *path) {
    frocc_params *params = &tuning->params;
    decide(tuning->arguments, params);
    const trial *best = best_for(tuning, params->score);
    params->kernel = best->kernel;
    params->gamma = best->gamma;
    params->scaling = best->scaling;
    params->n_directions = best->m;
    params->epsilon = best->epsilon;
    frocc_model *model = fit_params(tuning);
    measures value = judge(tuning, model);
    model_write(model, path);
    tuning->model_auc = value.roc_auc;
    if (tuning->arguments->verbosity >= 0 && !tuning->arguments->json) {
        note_model(path, model, value.roc_auc);
    }
    frocc_model_free(model);
}

static void begin_params(const cli_arguments *arguments, frocc_params *params) {
    frocc_params_init_paper(params);
    params->seed = argument_count(arguments, "seed", 0, 0, UINT64_MAX);
    params->family = family_choice(argument_choice(arguments, "family", 0));
    method_density(arguments, params);
    params->coef0 = argument_number(arguments, "coef0", params->coef0, -1e300, 1e300);
    params->degree =
        (int)argument_count(arguments, "degree", (uint64_t)params->degree, 1, FROCC_MAX_DEGREE);
    params->threads = (int)argument_count(arguments, "threads", 0, 1, 1024);
}

static int run_tune(const cli_arguments *arguments) {
    const char *validation = argument_text(arguments, "validate");
    const char *model_path = argument_text(arguments, "model");
    if (!validation) {
        die(EXIT_MISUSE, "what are fits judged on? Give --validate FILE, and --label COLUMN");
    }
    table_check_output(arguments);
    check_writable(model_path);
    cli_tuning tuning = {.arguments = arguments};
    begin_params(arguments, &tuning.params);
    frocc_params decision = tuning.params;
    decide(arguments, &decision); /* what is wrong with it should be said now */
    begin_grid(&tuning);
    normal_rows_open(arguments, arguments->operands, arguments->n_operands, NULL, 2, LABEL_IF_THERE,
                     &tuning.train);
    tuning.params.schema = tuning.train.data.schema;
    data_open(arguments, &validation, 1, tuning.train.data.schema, 2, LABEL_IF_GIVEN,
              &tuning.validation);
    try_all(&tuning);
    qsort(tuning.trials, tuning.n_trials, sizeof *tuning.trials, by_quality);
    if (model_path) {
        write_best(&tuning, model_path);
    }
    write_trials(&tuning);
    if (arguments->json) {
        print_json(&tuning);
    }
    free(tuning.trials);
    grid_end(&tuning.grid);
    data_close(&tuning.validation);
    normal_rows_close(&tuning.train);
    return EXIT_FINE;
}

static const cli_option tune_table[] = {
    {"validate", 0, "FILE", "Labelled rows that fits are judged on, by --label"},
    OUTLIER_OPTION,
    {"directions", 'm', "LIST", "Numbers of directions to try; 16,64,256,1000 by default"},
    {"epsilon", 'e', "LIST", "Values of epsilon to try; 0.003,0.01,0.03,0.1,0.3,1 by default"},
    {"kernel", 0, "LIST", "Kernels to try; linear,rbf by default"},
    {"gamma", 0, "LIST", "Values of gamma to try; 0 stands for 1/features, the default"},
    DEGREE_OPTION,
    COEF0_OPTION,
    {"scaling", 0, "LIST",
     "Scalings to try, none,standard,minmax by default; also asinh and whiten"},
    {"family", 0, FAMILY_CHOICES, "How directions are drawn; gaussian by default"},
    DENSITY_OPTION,
    {"seed", 0, "S", "Which directions to draw; 0 by default"},
    {"model", 0, "MODEL", "Write the model of the best try to this file"},
    {"score", 0, SCORE_CHOICES, "What that model scores; agreement by default"},
    {"fpr", 0, "RATE",
     "With closeness: false alarms for it to accept, a share of normal rows; 0.01 by default"},
    CONTAMINATION_OPTION,
    TREES_OPTION,
    {"calibration", 0, "N",
     "With closeness: rows to calibrate its decision by, 0 for none; 1024 by default"},
    {"threshold", 0, "T",
     "Rows that score at least this are normal, in place of --fpr; 1 by default with agreement"},
    {"output", 'o', "FILE", "Write to this file: .csv, .jsonl or .npy by its ending"},
    {0},
};
static const cli_option_group tune_options = {"Options", tune_table};

const cli_command command_tune = {
    .name = "tune",
    .operands = "DATA... --validate FILE --label COLUMN",
    .summary = "Try a grid of parameters on labelled validation data",
    .details = "Fits once for each kernel, gamma and scaling, and reads every number of directions "
               "and every epsilon off that fit, judged by agreement. Writes a line for each try, "
               "best ROC AUC first. DATA are normal rows; a label column there is not a feature. "
               "--model fits the best once more, as fit would, and writes it.",
    .example = "frocc tune normal.csv --validate labelled.csv --label label --model best.frocc",
    .groups = {&tune_options, &data_options, &common_options},
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run_tune,
};
