/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user's program for files does first: learn one. */
#include <frocc_io.h>

#include <stdio.h>

static frocc_status learn(const char *path, frocc_model **model) {
    frocc_reader *reader = NULL;
    frocc_params params;
    frocc_status status = frocc_reader_open(&path, 1, NULL, NULL, &reader);
    if (status == FROCC_OK) {
        frocc_source source = frocc_reader_source(reader);
        frocc_params_init(&params);
        status = frocc_fit_source(&params, &source, model);
    }
    frocc_reader_free(reader);
    return status;
}

int main(int argc, char **argv) {
    frocc_model *model = NULL;
    if (argc != 2 || learn(argv[1], &model) != FROCC_OK) {
        printf("failed: %s\n", frocc_last_error());
        return 1;
    }
    frocc_model_free(model);
    return 0;
}
