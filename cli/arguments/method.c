/* SPDX-License-Identifier: BSD-3-Clause */
#include "arguments/method.h"

#include "base/message.h"

static const cli_option method_table[] = {
    {"directions", 'm', "M", "Number of random directions; 256 by default"},
    {"epsilon", 'e', "E", "Gaps wider than this share of the range count; 0.000244 by default"},
    {"kernel", 0, KERNEL_CHOICES, "How a row meets a direction; linear by default"},
    {"gamma", 0, "G", "Of the kernels rbf, poly and sigmoid; 1/features by default"},
    DEGREE_OPTION,
    COEF0_OPTION,
    {"scaling", 0, SCALING_CHOICES, "What is done to features first; asinh by default"},
    {"family", 0, FAMILY_CHOICES, "How directions are drawn; mixed by default"},
    DENSITY_OPTION,
    {"score", 0, SCORE_CHOICES, "What a score is; closeness by default"},
    {"fpr", 0, "RATE",
     "With closeness: false alarms to accept, a share of normal rows; 0.01 by default"},
    CONTAMINATION_OPTION,
    TREES_OPTION,
    {"calibration", 0, "N",
     "With closeness: rows to calibrate the decision by, 0 for none; 1024 by default, or as many "
     "as "
     "--fpr needs"},
    {"threshold", 0, "T",
     "Rows that score at least this are normal, in place of --fpr; 1 by default with agreement"},
    {"seed", 0, "S", "Which directions to draw; 0 by default"},
    {"paper", 0, NULL,
     "All as in the paper: 1000 Gaussian directions, epsilon 0.1, no scaling, agreement, threshold "
     "1, unless other options say so"},
    {0},
};
const cli_option_group method_options = {"The method", method_table};

/* ---- Names ----------------------------------------------------------------------------------- */

typedef struct named_value {
    const char *name;
    int value;
} named_value;

/* In the order of the choices; what cannot be chosen comes after them. */
static const named_value kernels[] = {
    {"linear", FROCC_KERNEL_LINEAR},   {"rbf", FROCC_KERNEL_RBF},       {"poly", FROCC_KERNEL_POLY},
    {"sigmoid", FROCC_KERNEL_SIGMOID}, {"custom", FROCC_KERNEL_CUSTOM}, {0}};
static const named_value scalings[] = {{"none", FROCC_SCALING_NONE},
                                       {"standard", FROCC_SCALING_STANDARD},
                                       {"minmax", FROCC_SCALING_MINMAX},
                                       {"asinh", FROCC_SCALING_ASINH},
                                       {"whiten", FROCC_SCALING_WHITEN},
                                       {"given", FROCC_SCALING_GIVEN},
                                       {0}};
static const named_value families[] = {{"gaussian", FROCC_FAMILY_GAUSSIAN},
                                       {"mixed", FROCC_FAMILY_MIXED},
                                       {"hadamard", FROCC_FAMILY_HADAMARD},
                                       {"sparse", FROCC_FAMILY_SPARSE},
                                       {"auto", FROCC_FAMILY_AUTO},
                                       {"given", FROCC_FAMILY_GIVEN},
                                       {0}};
static const named_value scores[] = {
    {"agreement", FROCC_SCORE_AGREEMENT}, {"closeness", FROCC_SCORE_CLOSENESS}, {0}};

static const char *name_of(const named_value *list, int value) {
    for (; list->name; list++) {
        if (list->value == value) {
            return list->name;
        }
    }
    return "unknown";
}

frocc_kernel kernel_choice(size_t index) {
    return (frocc_kernel)kernels[index].value;
}

frocc_scaling scaling_choice(size_t index) {
    return (frocc_scaling)scalings[index].value;
}

frocc_family family_choice(size_t index) {
    return (frocc_family)families[index].value;
}

frocc_score score_choice(size_t index) {
    return (frocc_score)scores[index].value;
}

const char *kernel_name(frocc_kernel kernel) {
    return name_of(kernels, (int)kernel);
}

const char *scaling_name(frocc_scaling scaling) {
    return name_of(scalings, (int)scaling);
}

const char *family_name(frocc_family family) {
    return name_of(families, (int)family);
}

const char *score_name(frocc_score score) {
    return name_of(scores, (int)score);
}

/* ---- Options --------------------------------------------------------------------------------- */

static void forbid_with_paper(const cli_arguments *arguments) {
    static const char *const fixed[] = {"scaling", "score",       "threshold",    "fpr",
                                        "trees",   "calibration", "contamination"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (argument_given(arguments, fixed[i])) {
            die(EXIT_MISUSE, "--paper fixes --%s; give one of the two", fixed[i]);
        }
    }
}

void method_decision(const cli_arguments *arguments, frocc_params *params) {
    if (argument_given(arguments, "threshold") && argument_given(arguments, "fpr")) {
        die(EXIT_MISUSE, "--threshold and --fpr both decide; give one of the two");
    }
    if (argument_given(arguments, "score")) {
        params->score = score_choice(argument_choice(arguments, "score", 0));
    }
    if (params->score == FROCC_SCORE_AGREEMENT) {
        if (argument_given(arguments, "fpr") || argument_given(arguments, "calibration")) {
            die(EXIT_MISUSE, "agreement is not calibrated; give --threshold, or --score closeness");
        }
        if (argument_given(arguments, "contamination") || argument_given(arguments, "trees")) {
            die(EXIT_MISUSE,
                "--contamination and --trees are of closeness; leave them out, or give --score "
                "closeness");
        }
        params->calibration_rows = 0;
        params->n_trees = 0;
    }
    params->contamination =
        argument_number(arguments, "contamination", params->contamination, 0, 0.5);
    params->n_trees = argument_count(arguments, "trees", params->n_trees, 0, 4096);
    params->calibration_rows =
        argument_count(arguments, "calibration", params->calibration_rows, 0, 1 << 24);
    if (argument_given(arguments, "threshold") || !params->calibration_rows) {
        params->fpr = 0;
    }
    params->fpr = argument_number(arguments, "fpr", params->fpr, 0, 1);
    params->threshold = argument_number(arguments, "threshold", params->threshold, -1e300, 1);
}

void method_density(const cli_arguments *arguments, frocc_params *params) {
    params->density = argument_number(arguments, "density", 0, 1e-9, 1);
    if (params->density > 0 && params->family != FROCC_FAMILY_SPARSE &&
        params->family != FROCC_FAMILY_AUTO) {
        die(EXIT_MISUSE, "--density is of --family sparse or auto; give one of these");
    }
}

void method_params(const cli_arguments *arguments, frocc_params *params) {
    frocc_params_init(params);
    if (argument_given(arguments, "paper")) {
        forbid_with_paper(arguments);
        frocc_params_init_paper(params);
    }
    params->n_directions =
        argument_count(arguments, "directions", params->n_directions, 1, FROCC_MAX_DIRECTIONS);
    params->epsilon = (float)argument_number(arguments, "epsilon", (double)params->epsilon,
                                             (double)FROCC_MIN_EPSILON, 1);
    params->kernel = kernel_choice(argument_choice(arguments, "kernel", 0));
    params->gamma = argument_number(arguments, "gamma", params->gamma, 1e-300, 1e300);
    params->coef0 = argument_number(arguments, "coef0", params->coef0, -1e300, 1e300);
    params->degree =
        (int)argument_count(arguments, "degree", (uint64_t)params->degree, 1, FROCC_MAX_DEGREE);
    if (argument_given(arguments, "scaling")) {
        params->scaling = scaling_choice(argument_choice(arguments, "scaling", 0));
    }
    if (argument_given(arguments, "family")) {
        params->family = family_choice(argument_choice(arguments, "family", 0));
    }
    method_density(arguments, params);
    method_decision(arguments, params);
    params->seed = argument_count(arguments, "seed", params->seed, 0, UINT64_MAX);
    params->threads = (int)argument_count(arguments, "threads", 0, 1, 1024);
}
