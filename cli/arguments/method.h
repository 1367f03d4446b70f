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

/* Whether a fit reads its rows once. */
bool method_is_one_pass(const frocc_params *params);

#endif
