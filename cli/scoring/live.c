/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "scoring/live.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "data/model_io.h"

struct cli_live {
    const char *model_path;
    struct stat model; /* the file that was read last */
    bool has_begun, reopens;
};

static bool is_stream(const char *path) {
    struct stat about;
    return !(strcmp(path, "-") ? stat(path, &about) : fstat(STDIN_FILENO, &about)) &&
           (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode) || S_ISCHR(about.st_mode));
}

cli_live *live_open(const char *const *paths, size_t n_paths, const char *model_path) {
    bool is_live = false;
    for (size_t i = 0; i < n_paths; i++) {
        is_live = is_live || is_stream(paths[i]);
    }
    if (!is_live) {
        return NULL;
    }
    cli_live *live = must_allocate(1, sizeof *live);
    live->model_path = model_path;
    (void)stat(model_path, &live->model);
    return live;
}

void live_close(cli_live *live) {
    free(live);
}

void live_begin(cli_live *live) {
    if (live) {
        live->has_begun = true;
        hold_signals();
    }
}

/* A file that is away for a moment has not changed. */
static bool has_changed(const cli_live *live, struct stat *now) {
    const struct stat *before = &live->model;
    return strcmp(live->model_path, "-") != 0 && !stat(live->model_path, now) &&
           S_ISREG(now->st_mode) &&
           (now->st_dev != before->st_dev || now->st_ino != before->st_ino ||
            now->st_size != before->st_size || now->st_mtim.tv_sec != before->st_mtim.tv_sec ||
            now->st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

int live_wait(void *context, int file) {
    const cli_live *live = context;
    struct stat now;
    return live->has_begun && (!wait_for_bytes(file) || has_changed(live, &now));
}

bool live_reopens(cli_live *live) {
    const bool reopens = live && live->reopens;
    if (reopens) {
        live->reopens = false;
    }
    return reopens;
}

/* What a new model cannot do that this command needs; NULL: it can all. */
static const char *find_lack(const cli_scoring *scoring, const frocc_model *model,
                             const frocc_schema *schema) {
    const frocc_model_info info = model_describe(model);
    const bool drops = frocc_schema_missing(schema) == FROCC_MISSING_DROP;
    if (scoring->needs_p_values && !info.calibration_rows) {
        return "it is not calibrated, which --p-values and --fpr need";
    }
    if (drops && !scoring->data.drops_rows && !argument_given(scoring->arguments, "missing")) {
        return "it leaves out rows with missing cells, which the old one did not";
    }
    return NULL;
}

/* Takes the model over; false, and the caller's still, where it does not fit the stream. */
static bool take_over(cli_scoring *scoring, frocc_model *model) {
    frocc_schema *schema = frocc_model_schema(model);
    frocc_scorer *scorer = NULL;
    const char *lack = find_lack(scoring, model, schema);
    const int threads = (int)argument_count(scoring->arguments, "threads", 0, 1, 1024);
    frocc_status status = lack ? FROCC_OK : frocc_scorer_new(model, threads, &scorer);
    if (!lack && status == FROCC_OK) {
        status = frocc_reader_use_schema(scoring->data.reader, schema);
    }
    if (lack || status != FROCC_OK) {
        char *sentence = lack ? must_copy(lack) : library_error();
        note("the old model goes on, as the new one cannot take its place: %s", sentence);
        free(sentence);
        frocc_scorer_free(scorer);
        frocc_schema_free(schema);
        return false;
    }
    frocc_scorer_free(scoring->scorer);
    frocc_model_free(scoring->model);
    frocc_schema_free(scoring->data.schema);
    scoring->model = model;
    scoring->scorer = scorer;
    scoring->data.schema = schema;
    scoring->info = model_describe(model);
    scoring->data.n_features = scoring->info.n_features;
    scoring->generation++;
    return true;
}

void live_reload(cli_scoring *scoring) {
    cli_live *live = scoring->live;
    struct stat now = live->model;
    const bool is_asked = asked_to_reload();
    live->reopens = live->reopens || is_asked;
    if (!has_changed(live, &now) && !(is_asked && S_ISREG(now.st_mode))) {
        return; /* only a file can be read again */
    }
    live->model = now;
    frocc_model *model = NULL;
    if (scoring->keeps_model) {
        return;
    }
    if (model_read_again(scoring->arguments, live->model_path, &model) != FROCC_OK) {
        char *sentence = library_error();
        note("the old model goes on: %s", sentence);
        free(sentence);
    } else if (!take_over(scoring, model)) {
        frocc_model_free(model);
    } else if (scoring->arguments->verbosity >= 0) {
        note("the model '%s' was read anew", live->model_path);
    }
}
