/* SPDX-License-Identifier: BSD-3-Clause */
/* The method's parameters as options, and the one place where their names are written. */
#ifndef CLI_METHOD_H
#define CLI_METHOD_H

#include "arguments/options.h"
#include "frocc.h"

/* --directions, --epsilon, --kernel and so on, for commands that fit. */
extern const cli_option_group method_options;

/* Names as they stand in option tables; what has no name there cannot be asked for. */
#define KERNEL_CHOICES "linear|rbf|poly|sigmoid"
#define SCALING_CHOICES "none|standard|minmax|asinh|whiten"
#define FAMILY_CHOICES "gaussian|mixed|hadamard|sparse|auto"
#define SCORE_CHOICES "agreement|closeness"

/* Options that mean the same wherever there are kernels, sparse directions or closeness. */
#define DEGREE_OPTION                                                                              \
    { "degree", 0, "N", "Of the kernel poly; 3 by default" }
#define COEF0_OPTION                                                                               \
    { "coef0", 0, "C", "Of the kernels poly and sigmoid; 0 by default" }
#define DENSITY_OPTION                                                                             \
    { "density", 0, "P", "Share of the features that a sparse direction is over; 1/sqrt(features)" }
#define CONTAMINATION_OPTION                                                                       \
    {                                                                                              \
        "contamination", 0, "SHARE",                                                               \
            "With closeness: of the training rows, the share that may be anomalies; 0 by default"  \
    }
#define TREES_OPTION                                                                               \
    {                                                                                              \
        "trees", 0, "N",                                                                           \
            "With closeness: trees that split rows into cells, 0 for none; 24 by default"          \
    }

/* What the n-th name of a list stands for. */
frocc_kernel kernel_choice(size_t index);
frocc_scaling scaling_choice(size_t index);
frocc_family family_choice(size_t index);
frocc_score score_choice(size_t index);

/* The name; "custom" or "given" where the library has one that is not in the list. */
const char *kernel_name(frocc_kernel kernel);
const char *scaling_name(frocc_scaling scaling);
const char *family_name(frocc_family family);
const char *score_name(frocc_score score);

/* The parameters that the options ask for: label-free by default, the paper's with --paper. */
void method_params(const cli_arguments *arguments, frocc_params *params);

/* --score, --calibration, --fpr and --threshold, where they are given. */
void method_decision(const cli_arguments *arguments, frocc_params *params);

/* --density, for the family that params has. */
void method_density(const cli_arguments *arguments, frocc_params *params);

#endif
