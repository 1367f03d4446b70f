/* SPDX-License-Identifier: BSD-3-Clause */
/* Models, and what fitters have learnt, as bytes. */
#ifndef FROCC_MODEL_FILE_H
#define FROCC_MODEL_FILE_H

#include "model/model.h"

/* As FROCC_KIND_MODEL or FROCC_KIND_FITTER: the latter has a frame, a decision, a sketch or counts
 * unless there are no rows, and the rows that calibrate; and nothing that follows from these. */
frocc_status frocc__model_write(const frocc_model *model, frocc_kind kind, void **bytes,
                                size_t *size);
frocc_status frocc__model_read(const void *bytes, size_t size, frocc_kind kind,
                               const frocc_load_options *options, frocc_model **model);

#endif
