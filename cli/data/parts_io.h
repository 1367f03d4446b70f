/* SPDX-License-Identifier: BSD-3-Clause */
/* What parts of a fit hand on as files: samples, and fitters of no rows, which people call frames.
 */
#ifndef CLI_PARTS_IO_H
#define CLI_PARTS_IO_H

#include "data/data.h"
#include "frocc_io.h"

/* The kind of a file of ours; dies of any other. "-" is a model. */
frocc_kind file_kind(const cli_arguments *arguments, const char *path);

/* Whether this is a file of ours, by its first bytes, and of which kind; data files and "-" are
 * not. */
bool knows_kind(const char *path, frocc_kind *kind);

/* Whether this is a sample, as 'frocc frame --sample' writes it. */
bool is_sample_file(const char *path);

/* Dies where the file is none of a model but of a part of a fit, and says what it is and is for. */
void refuse_part(const cli_arguments *arguments, const char *path);

/* Die with a sentence that names the file. */
frocc_sample *sample_read(const cli_arguments *arguments, const char *path);
frocc_fitter *fitter_read(const cli_arguments *arguments, const char *path, int threads);
frocc_fitter *frame_read(const cli_arguments *arguments, const char *path, int threads);

void sample_write(const frocc_sample *sample, const char *path);
void frame_write(frocc_fitter *fitter, const char *path);

/* The columns of a sample, frame or model file; NULL where it knows none. */
frocc_schema *columns_read(const cli_arguments *arguments, const char *path);

/* Dies where a file is named twice, as its rows would count twice, and unless there are as many
 * files as
 * --parts says. */
void check_parts(const cli_arguments *arguments);

#define PARTS_OPTION                                                                               \
    { "parts", 0, "N", "Fail unless there are N of them, so that none is forgotten" }

#endif
