/* SPDX-License-Identifier: BSD-3-Clause */
/* Models from and to files, or standard input and output as "-". */
#ifndef CLI_MODEL_IO_H
#define CLI_MODEL_IO_H

#include "data/data.h"
#include "frocc_io.h"

/* Of all commands that read models: what one may take. */
extern const cli_option_group model_options;

/* Dies with a sentence that names the file. */
frocc_status model_read_again(const cli_arguments *arguments, const char *path,
                              frocc_model **model); /* the caller goes on where it cannot be */
frocc_model *model_read(const cli_arguments *arguments, const char *path);
void model_write(const frocc_model *model, const char *path);

frocc_model_info model_describe(const frocc_model *model);

/* The size of its file. */
uint64_t model_bytes(const frocc_model *model);

/* What training rows had of a feature; false where the model does not know. */
bool model_feature_range(const frocc_model *model, size_t feature, double *low, double *high);

/* The lowest false-alarm rate that the model's calibration can tell, rounded up to two digits. */
double model_least_rate(const frocc_model_info *info);

/* Says that this rate is lower, where it is, what is decided instead, and what helps. */
void model_note_rate(const frocc_model_info *info, double fpr, const char *remedy);

/* The same of a model that was just made, for its own rate. asked are the calibration rows that
 * were asked for, infinite for as many as the rate needs, and NAN where the frame has it. */
void model_note_few_rows(const cli_arguments *arguments, const frocc_model_info *info,
                         double asked);

/* The path given by -o, which these commands need; dies of misuse without one. */
const char *model_output_path(const cli_arguments *arguments);

#endif
