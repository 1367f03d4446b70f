/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frocc demo: two toy sets, and on each what frocc does by default beside the paper's method, as in
 * its Figure 1: epsilon 1 and 0.1 with the linear kernel, 0.1 with the RBF kernel.
 */
#define _POSIX_C_SOURCE 200809L
#include "drawing/demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments/commands.h"
#include "base/message.h"
#include "scoring/measure.h"

#define DIRECTIONS 500
#define GAMMA 1.0

void demo_pixel(const demo_set *set, const double *point, double side, double *x, double *y) {
    double low[2], high[2];
    for (size_t j = 0; j < 2; j++) {
        toy_box(&set->toy, j, &low[j], &high[j]);
    }
    *x = (point[0] - low[0]) / (high[0] - low[0]) * side - 0.5;
    *y = (high[1] - point[1]) / (high[1] - low[1]) * side - 0.5;
}

/* ---- Fitting and scoring --------------------------------------------------------------------- */

static double *make_grid(const demo_set *set) {
    double *grid = must_allocate((size_t)DEMO_GRID * DEMO_GRID * 2, sizeof *grid);
    double low[2], high[2];
    for (size_t j = 0; j < 2; j++) {
        toy_box(&set->toy, j, &low[j], &high[j]);
    }
    for (size_t i = 0; i < (size_t)DEMO_GRID * DEMO_GRID; i++) {
        size_t column = i % DEMO_GRID, row = i / DEMO_GRID;
        double across = ((double)column + 0.5) / DEMO_GRID;
        double down = ((double)row + 0.5) / DEMO_GRID;
        grid[2 * i] = low[0] + across * (high[0] - low[0]);
        grid[2 * i + 1] = high[1] - down * (high[1] - low[1]);
    }
    return grid;
}

static double *score_rows(const frocc_model *model, const double *values, size_t n_rows) {
    double *scores = must_allocate(n_rows, sizeof *scores);
    frocc_rows rows = frocc_rows_f64(values, n_rows, 2);
    frocc_scorer *scorer;
    check(frocc_scorer_new(model, 0, &scorer), NULL);
    check(frocc_scorer_score(scorer, &rows, scores), NULL);
    frocc_scorer_free(scorer);
    return scores;
}

/* Fresh rows: half of the set, half uniform over its box. */
static double test_auc(const demo_set *set, const frocc_model *model) {
    cli_toy test = set->toy;
    test.seed++;
    test.outliers = 0.5;
    double *values = must_allocate((size_t)DEMO_TEST * 2, sizeof *values);
    bool *outlier = must_allocate(DEMO_TEST, sizeof *outlier);
    for (size_t row = 0; row < DEMO_TEST; row++) {
        outlier[row] = toy_row(&test, row, values + 2 * row);
    }
    double *scores = score_rows(model, values, DEMO_TEST);
    cli_tally tally = {0};
    for (size_t row = 0; row < DEMO_TEST; row++) {
        tally_add(&tally, scores[row], !outlier[row], outlier[row]);
    }
    tally_settle(&tally);
    double auc = measure(&tally, 1).roc_auc;
    tally_free(&tally);
    free(scores);
    free(outlier);
    free(values);
    return auc;
}

/* The default accepts by a threshold of its own: scores in units of it. */
static void relate_to_threshold(const frocc_model *model, double *scores, size_t n_rows) {
    double threshold;
    frocc_model_info info = {.struct_size = sizeof info};
    check(frocc_model_describe(model, &info), NULL);
    check(frocc_model_threshold(model, info.fpr, &threshold), NULL);
    for (size_t i = 0; i < n_rows; i++) {
        scores[i] = scores[i] < 0 ? 0 : scores[i] / threshold;
    }
}

static frocc_params params_of(const demo_panel *panel) {
    frocc_params params;
    frocc_params_init(&params);
    if (panel->epsilon > 0) {
        frocc_params_init_paper(&params);
        params.n_directions = DIRECTIONS;
        params.epsilon = panel->epsilon;
        params.kernel = panel->kernel;
        params.gamma = GAMMA;
        params.scaling = FROCC_SCALING_STANDARD;
    }
    return params;
}

static void fit_panel(const demo_set *set, demo_panel *panel, const double *grid) {
    frocc_params params = params_of(panel);
    frocc_rows rows = frocc_rows_f64(set->train, DEMO_TRAIN, 2);
    frocc_model *model;
    check(frocc_fit(&params, &rows, &model), NULL);
    panel->auc = test_auc(set, model);
    panel->scores = score_rows(model, grid, (size_t)DEMO_GRID * DEMO_GRID);
    if (panel->epsilon == 0) {
        relate_to_threshold(model, panel->scores, (size_t)DEMO_GRID * DEMO_GRID);
    }
    frocc_model_free(model);
}

static void make_set(demo_set *set, const char *title, toy_kind kind, uint64_t seed) {
    static const demo_panel variants[DEMO_VARIANTS] = {
        {.epsilon = 0},
        {.epsilon = 1, .kernel = FROCC_KERNEL_LINEAR},
        {.epsilon = 0.1f, .kernel = FROCC_KERNEL_LINEAR},
        {.epsilon = 0.1f, .kernel = FROCC_KERNEL_RBF},
    };
    set->title = title;
    set->toy = (cli_toy){.kind = kind, .n_features = 2, .seed = seed};
    set->train = must_allocate((size_t)DEMO_TRAIN * 2, sizeof *set->train);
    for (size_t row = 0; row < DEMO_TRAIN; row++) {
        toy_row(&set->toy, row, set->train + 2 * row);
    }
    double *grid = make_grid(set);
    for (size_t v = 0; v < DEMO_VARIANTS; v++) {
        set->panels[v] = variants[v];
        fit_panel(set, &set->panels[v], grid);
    }
    free(grid);
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Asks the environment as setlocale would, without changing the program's locale. */
static bool terminal_is_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) {
            const char *dot = strchr(value, '.');
            return dot && (!strncasecmp(dot + 1, "utf-8", 5) || !strncasecmp(dot + 1, "utf8", 4));
        }
    }
    return false;
}

static void print_json(const demo_set sets[DEMO_SETS], const char *path) {
    printf("{\"directions\":%d,\"gamma\":%g,\"picture\":\"%s\",\"variants\":[", DIRECTIONS, GAMMA,
           path);
    for (size_t s = 0; s < DEMO_SETS; s++) {
        for (size_t v = 0; v < DEMO_VARIANTS; v++) {
            const demo_panel *panel = &sets[s].panels[v];
            char method[48];
            demo_describe(panel, method);
            printf("%s{\"set\":\"%s\",\"method\":\"%s\",\"roc_auc\":%.4f}", s + v ? "," : "",
                   toy_names[sets[s].toy.kind], method, panel->auc);
        }
    }
    printf("]}\n");
}

static void print_sets(const demo_set sets[DEMO_SETS]) {
    const char *term = getenv("TERM");
    bool colors = isatty(STDOUT_FILENO) && terminal_is_utf8() && !getenv("NO_COLOR") &&
                  !(term && !strcmp(term, "dumb"));
    printf("FROCC learns from %d normal rows of each set: by default, and as in the paper\n"
           "with %d random directions on standardised features, gamma %g. ROC AUC is\n"
           "measured on %d fresh rows, half of them normal, half spread evenly around it.\n",
           DEMO_TRAIN, DIRECTIONS, GAMMA, DEMO_TEST);
    for (size_t s = 0; s < DEMO_SETS; s++) {
        printf("\n%s\n", sets[s].title);
        demo_draw_terminal(&sets[s], colors);
    }
}

static int run_demo(const cli_arguments *arguments) {
    const char *path = argument_text(arguments, "output");
    struct stat status;
    if (!path) {
        bool in_tree = !stat("build", &status) && S_ISDIR(status.st_mode);
        path = in_tree ? "build/demo.svg" : "demo.svg";
    }
    check_writable(path);
    uint64_t seed = argument_count(arguments, "seed", 1, 0, UINT64_MAX - 1);
    demo_set sets[DEMO_SETS];
    make_set(&sets[0], "Multi-modal Gaussians", TOY_GAUSSIANS, seed);
    make_set(&sets[1], "Moons", TOY_MOONS, seed);
    if (arguments->json) {
        print_json(sets, path);
    } else {
        print_sets(sets);
    }
    demo_write_picture(sets, path);
    if (!arguments->json) {
        printf("\nThe decision regions are drawn in %s\n", path);
    }
    for (size_t s = 0; s < DEMO_SETS; s++) {
        free(sets[s].train);
        for (size_t v = 0; v < DEMO_VARIANTS; v++) {
            free(sets[s].panels[v].scores);
        }
    }
    return EXIT_FINE;
}

static const cli_option demo_table[] = {
    {"output", 'o', "FILE", "The picture, an SVG; build/demo.svg or demo.svg by default"},
    {"seed", 0, "S", "Which rows to draw; 1 by default"},
    {0},
};
static const cli_option_group demo_options = {"Options", demo_table};

const cli_command command_demo = {
    .name = "demo",
    .operands = "",
    .summary = "Fit and draw two toy sets",
    .details =
        "Generates two toy sets and fits four models on each: the default, and the paper's "
        "method as in its Figure 1 (epsilon 1 and 0.1, linear and RBF kernel). Prints their ROC "
        "AUC and draws their decision regions, in the terminal and as a picture.",
    .example = "frocc demo -o demo.svg",
    .groups = {&demo_options, &common_options},
    .run = run_demo,
};
