/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader: several files as one data set, read through one schema.
 *
 * Without a schema, one is learnt first. Its columns come from the first file. A pass over the data
 * tells which columns hold text and, where they are wanted, the means; a second pass, only where
 * text was found in columns that were not known to have it, collects the texts. Everything learnt
 * is independent of the order of the rows.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mem.h"
#include "os.h"
#include "read.h"
#include "status.h"

struct frocc_reader {
    char **paths;
    size_t n_paths;
    frocc_reader_options options;
    char *label, *id, *array; /* copies; names once the first file has shown them */
    frocc_schema *schema;
    int threads;
    bool keep;
    frocc__stream **pipes; /* what cannot be opened again stays open, one per path */
    uint64_t *sizes;       /* of the files, in bytes; all 0 where one of them is not known */

    size_t file; /* the one that is open, or the next */
    frocc__stream *stream;
    frocc__input *input;
    frocc__plan plan;
    frocc__block block;
    size_t handed_first, handed_out; /* rows of the block: the last ones handed out, and all */
    uint64_t rows_before;            /* in the files before this one */
    uint64_t dropped;
};

/* ---- Options --------------------------------------------------------------------------------- */

void frocc_reader_options_init(frocc_reader_options *options) {
    if (options == NULL)
        return;
    *options = (frocc_reader_options){.struct_size = sizeof *options,
                                      .index_base = -1,
                                      .max_categories = 1000,
                                      .dtype = FROCC_F64};
}

static frocc_status check_options(const frocc_reader_options *o, const frocc_schema *schema) {
    char c = o->separator;
    if ((int)o->format < 0 || o->format > FROCC_FORMAT_RAW || (int)o->header < 0 ||
        o->header > FROCC_HEADER_NO || (int)o->missing < 0 || o->missing > FROCC_MISSING_DROP ||
        (o->dtype != FROCC_F32 && o->dtype != FROCC_F64) || o->index_base < -1 || o->index_base > 1)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "a reader option has a value that it cannot have; start with "
                           "frocc_reader_options_init");
    if (c == '"' || c == '\n' || c == '\r' || c == '.' || c == '-' || c == '+' || c == '#' ||
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "the separator '%c' cannot be told from the cells; use , ; | a tab or a "
                           "space",
                           c);
    if ((o->n_use > 0 && o->use == NULL) || (o->n_drop > 0 && o->drop == NULL) ||
        (o->n_categorical > 0 && o->categorical == NULL))
        return frocc__fail(FROCC_ERR_ARGUMENT, "a list of columns is NULL and not empty");
    if (schema != NULL && (o->n_use > 0 || o->n_drop > 0 || o->n_categorical > 0))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "use, drop and categorical are settled when a model is fitted; they "
                           "cannot be given together with its schema");
    return FROCC_OK;
}

static frocc_status copy_text(const char *text, char **copy) {
    if (text == NULL)
        return FROCC_OK;
    *copy = frocc__alloc(strlen(text) + 1, 1);
    if (*copy == NULL)
        return FROCC_ERR_MEMORY;
    strcpy(*copy, text);
    return FROCC_OK;
}

static frocc_status copy_arguments(frocc_reader *r, const char *const *paths, size_t n_paths,
                                   const frocc_reader_options *options) {
    size_t standard = 0;
    frocc_reader_options_init(&r->options);
    if (options != NULL)
        memcpy(&r->options, options, FROCC_MIN(options->struct_size, sizeof r->options));
    r->paths = frocc__alloc(n_paths, sizeof *r->paths);
    r->pipes = frocc__alloc(n_paths, sizeof *r->pipes);
    r->sizes = frocc__alloc(n_paths, sizeof *r->sizes);
    if (r->paths == NULL || r->pipes == NULL || r->sizes == NULL)
        return FROCC_ERR_MEMORY;
    r->n_paths = n_paths;
    for (size_t i = 0; i < n_paths; i++) {
        FROCC_REQUIRE(paths[i]);
        FROCC_TRY(copy_text(paths[i], &r->paths[i]));
        standard += strcmp(paths[i], "-") == 0;
    }
    if (standard > 1)
        return frocc__fail(FROCC_ERR_ARGUMENT, "the standard input '-' is named twice");
    FROCC_TRY(copy_text(r->options.label, &r->label));
    FROCC_TRY(copy_text(r->options.id, &r->id));
    return copy_text(r->options.array, &r->array);
}

static void find_sizes(frocc_reader *r) {
    for (size_t i = 0; i < r->n_paths; i++)
        if (!frocc__path_size(r->paths[i], &r->sizes[i])) {
            memset(r->sizes, 0, r->n_paths * sizeof *r->sizes);
            return;
        }
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void close_file(frocc_reader *r) {
    frocc__input_close(r->input);
    frocc__plan_clear(&r->plan);
    if (r->stream != NULL && r->pipes[r->file] == NULL)
        frocc__stream_close(r->stream);
    r->input = NULL;
    r->stream = NULL;
}

static frocc_status open_file(frocc_reader *r) {
    if (r->pipes[r->file] != NULL) {
        r->stream = r->pipes[r->file];
        FROCC_TRY(frocc__stream_rewind(r->stream));
    } else {
        FROCC_TRY(frocc__stream_open(r->paths[r->file], r->keep, &r->stream));
        if (frocc__stream_is_pipe(r->stream))
            r->pipes[r->file] = r->stream;
    }
    frocc__input *input = NULL;
    FROCC_TRY(frocc__input_open(r->stream, r->paths[r->file], &r->options, &input));
    r->input = input;
    return FROCC_OK;
}

static frocc_status make_plan(frocc_reader *r, enum frocc__purpose purpose) {
    frocc__taken taken = {r->label, r->id};
    frocc__plan_clear(&r->plan);
    return frocc__plan_make(r->schema, r->input, &r->options, &taken, purpose, &r->plan);
}

/* Columns told by number in the first file are meant by name in the others. */
static frocc_status settle(const frocc__input *input, const char *what, char **reference) {
    size_t column = 0;
    if (input->sparse || input->names == NULL)
        return FROCC_OK;
    FROCC_TRY(
        frocc__column_find(input->name, what, *reference, input->names, input->n_columns, &column));
    if (column == FROCC__NOT_FOUND)
        return FROCC_OK;
    frocc__free(*reference);
    *reference = NULL;
    return copy_text(input->names[column], reference);
}

static frocc_status start_again(frocc_reader *r) {
    close_file(r);
    r->file = 0;
    r->handed_out = 0;
    r->block.n_rows = 0;
    r->rows_before = r->dropped = 0;
    return FROCC_OK;
}

/* ---- Learning -------------------------------------------------------------------------------- */

/* A pass over all the files that fills in the surveys. */
static frocc_status survey_files(frocc_reader *r, enum frocc__purpose purpose,
                                 frocc__survey *surveys) {
    FROCC_TRY(start_again(r));
    for (; r->file < r->n_paths; r->file++) {
        FROCC_TRY(open_file(r));
        if (r->input->sparse != r->schema->sparse)
            return frocc__fail(FROCC_ERR_SHAPE, "%s: sparse and dense files cannot be mixed here",
                               r->input->name);
        FROCC_TRY(make_plan(r, purpose));
        frocc__job job = {.plan = &r->plan,
                          .block = &r->block,
                          .surveys = surveys,
                          .file = r->file,
                          .threads = r->threads,
                          .numbers_only = r->options.all_numeric != 0};
        do {
            FROCC_TRY(r->input->class->next(r->input, &job));
            FROCC_TRY(frocc__surveys_share_texts(surveys, r->threads, r->options.max_categories,
                                                 r->schema, r->input->name));
        } while (r->block.n_rows > 0);
        close_file(r);
    }
    frocc__surveys_merge(surveys, r->threads);
    return FROCC_OK;
}

static frocc_status survey(frocc_reader *r, enum frocc__purpose purpose, size_t n_columns,
                           frocc_status (*use)(frocc_reader *, frocc__survey *)) {
    bool means = purpose == FROCC__LEARN_KINDS && r->schema->missing == FROCC_MISSING_MEAN;
    frocc__survey *surveys = NULL;
    FROCC_TRY(frocc__surveys_new(n_columns, r->threads, means && n_columns > 0, &surveys));
    frocc_status status = survey_files(r, purpose, surveys);
    if (status == FROCC_OK)
        status = use(r, &surveys[0]);
    frocc__surveys_free(surveys, r->threads);
    close_file(r);
    return status;
}

static frocc_status learn_texts(frocc_reader *r, frocc__survey *found) {
    for (size_t i = 0; i < r->schema->n_columns; i++) {
        struct frocc__column *column = &r->schema->columns[i];
        if (!column->text || column->vocab.count > 0)
            continue;
        column->vocab = found->columns[i].vocab; /* moved */
        memset(&found->columns[i].vocab, 0, sizeof found->columns[i].vocab);
        FROCC_TRY(frocc__vocab_sort(&column->vocab));
    }
    return FROCC_OK;
}

static frocc_status learn_kinds(frocc_reader *r, frocc__survey *found) {
    FROCC_TRY(learn_texts(r, found));
    for (size_t i = 0; i < r->schema->n_columns; i++) {
        struct frocc__column *column = &r->schema->columns[i];
        char where[FROCC__COLUMN_SIZE];
        column->text = column->text || found->columns[i].text;
        if (column->role != FROCC__FEATURE || column->text || !found->means)
            continue;
        if (found->sums[i].count == 0) {
            frocc__show_column(column->name, i, where);
            return frocc__fail(FROCC_ERR_DATA,
                               "%s: %s has no value at all, so it has no mean; drop it",
                               r->paths[0], where);
        }
        column->mean = frocc__sum_mean(&found->sums[i]);
    }
    return FROCC_OK;
}

static frocc_status learn_indices(frocc_reader *r, frocc__survey *found) {
    const frocc_reader_options *o = &r->options;
    if (found->zero_index && o->index_base == 1)
        return frocc__fail(FROCC_ERR_DATA,
                           "%s: an entry has the index 0, and indices were said to count from 1",
                           r->paths[0]);
    r->schema->index_base = o->index_base >= 0 ? o->index_base : !found->zero_index;
    size_t largest = (size_t)found->max_index + (r->schema->index_base == 0);
    r->schema->n_columns = o->n_columns > 0 ? o->n_columns : largest;
    if (r->schema->n_columns == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "%s: has no entry in any row", r->paths[0]);
    return FROCC_OK;
}

static frocc_status learn_sparse(frocc_reader *r) {
    const frocc_reader_options *o = &r->options;
    FROCC_TRY(frocc__schema_new(o->n_columns, false, &r->schema));
    r->schema->sparse = true;
    r->schema->missing = o->missing;
    if (o->n_columns > 0 && o->index_base >= 0)
        r->schema->index_base = o->index_base;
    else
        FROCC_TRY(survey(r, FROCC__LEARN_KINDS, 0, learn_indices));
    if (o->n_use > 0 || o->n_drop > 0) {
        frocc__input columns = {.name = r->paths[0], .n_columns = r->schema->n_columns};
        FROCC_TRY(frocc__schema_select(&columns, o, r->schema));
    }
    return frocc__schema_finish(r->schema);
}

static bool has_new_texts(const frocc_schema *schema) {
    for (size_t i = 0; i < schema->n_columns; i++)
        if (schema->columns[i].text && schema->columns[i].vocab.count == 0)
            return true;
    return false;
}

static frocc_status learn(frocc_reader *r) {
    const frocc_reader_options *o = &r->options;
    FROCC_TRY(open_file(r));
    if (r->input->sparse)
        return learn_sparse(r);
    FROCC_TRY(settle(r->input, "label", &r->label));
    FROCC_TRY(settle(r->input, "id", &r->id));
    FROCC_TRY(frocc__schema_start(r->input, o, &r->schema));
    if ((r->input->text && !o->all_numeric) || o->missing == FROCC_MISSING_MEAN ||
        o->n_categorical > 0) {
        FROCC_TRY(survey(r, FROCC__LEARN_KINDS, r->schema->n_columns, learn_kinds));
        if (has_new_texts(r->schema))
            FROCC_TRY(survey(r, FROCC__LEARN_TEXTS, r->schema->n_columns, learn_texts));
    }
    return frocc__schema_finish(r->schema);
}

/* Means are there only where they were learnt. */
static frocc_status check_missing(const frocc_reader_options *o, const frocc_schema *schema) {
    if (o->own_missing && o->missing == FROCC_MISSING_MEAN && schema->missing != FROCC_MISSING_MEAN)
        return frocc__fail(
            FROCC_ERR_ARGUMENT,
            "missing = mean: the model knows no means, as it was fitted without; fit "
            "it with missing = mean, or use missing = drop");
    return FROCC_OK;
}

static frocc_status use_schema(frocc_reader *r, const frocc_schema *schema) {
    FROCC_TRY(check_missing(&r->options, schema));
    r->schema = frocc__schema_share(schema);
    FROCC_TRY(open_file(r));
    FROCC_TRY(settle(r->input, "label", &r->label));
    return settle(r->input, "id", &r->id);
}

/* ---- The public functions ----------------------------------------------------------------------
 */

frocc_status frocc_reader_open(const char *const *paths, size_t n_paths,
                               const frocc_reader_options *options, const frocc_schema *schema,
                               frocc_reader **reader) {
    FROCC_REQUIRE(paths);
    FROCC_REQUIRE(reader);
    if (n_paths == 0)
        return frocc__fail(FROCC_ERR_ARGUMENT, "no file was named; '-' is the standard input");
    frocc_reader *r = frocc__alloc(1, sizeof *r);
    if (r == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = copy_arguments(r, paths, n_paths, options);
    if (status == FROCC_OK)
        status = check_options(&r->options, schema);
    if (status == FROCC_OK) {
        find_sizes(r);
        const frocc_reader_options *o = &r->options;
        bool learns = schema == NULL &&
                      (!o->all_numeric || o->missing == FROCC_MISSING_MEAN || o->n_categorical > 0);
        r->options.array = r->array;
        r->threads = frocc__threads(o->threads);
        r->keep = !o->one_pass || learns;
        status = schema != NULL ? use_schema(r, schema) : learn(r);
    }
    if (status == FROCC_OK) /* a file that no pass has read is still open at its start */
        status = r->input != NULL ? make_plan(r, FROCC__READ_ROWS) : frocc_reader_rewind(r);
    if (status != FROCC_OK)
        frocc_reader_free(r);
    else
        *reader = r;
    return status;
}

void frocc_reader_free(frocc_reader *r) {
    if (r == NULL)
        return;
    if (r->n_paths > 0)
        close_file(r);
    for (size_t i = 0; i < r->n_paths; i++) {
        frocc__free(r->paths[i]);
        frocc__stream_close(r->pipes[i]);
    }
    frocc__free(r->paths);
    frocc__free(r->pipes);
    frocc__free(r->sizes);
    frocc__free(r->label);
    frocc__free(r->id);
    frocc__free(r->array);
    frocc__block_clear(&r->block);
    frocc_schema_free(r->schema);
    frocc__free(r);
}

frocc_status frocc_reader_rewind(frocc_reader *r) {
    FROCC_REQUIRE(r);
    FROCC_TRY(start_again(r));
    FROCC_TRY(open_file(r));
    return make_plan(r, FROCC__READ_ROWS);
}

/* The next block that has rows, from whichever file; none at the end. */
static frocc_status read_block(frocc_reader *r) {
    r->handed_out = 0;
    r->block.n_rows = 0;
    while (r->file < r->n_paths) {
        if (r->input == NULL) {
            FROCC_TRY(open_file(r));
            FROCC_TRY(make_plan(r, FROCC__READ_ROWS));
        }
        frocc__job job = {
            .plan = &r->plan, .block = &r->block, .file = r->file, .threads = r->threads};
        FROCC_TRY(r->input->class->next(r->input, &job));
        for (size_t i = 0; i < r->block.n_rows; i++)
            r->block.row_numbers[i] += r->rows_before;
        r->dropped += r->block.dropped;
        if (r->block.n_rows > 0)
            return FROCC_OK;
        r->rows_before += r->block.file_rows;
        close_file(r);
        r->file++;
    }
    return FROCC_OK;
}

static void hand_out(frocc_reader *r, frocc_block *out) {
    const frocc__block *b = &r->block;
    size_t first = r->handed_out, count = b->n_rows - first;
    size_t size = b->dtype == FROCC_F32 ? sizeof(float) : sizeof(double);
    if (r->options.block_rows > 0)
        count = FROCC_MIN(count, r->options.block_rows);
    frocc_block block = {.struct_size = out->struct_size};
    block.rows = (frocc_rows){
        .n_rows = count, .n_features = r->schema->n_features, .dtype = b->dtype, .values = b->rows};
    if (b->sparse) {
        block.rows.row_start = b->row_start + first;
        block.rows.columns = b->columns;
    } else {
        block.rows.row_stride = b->row_stride;
        block.rows.values = (const char *)b->rows + first * b->row_stride * size;
    }
    if (r->plan.has_label) {
        block.labels = b->labels + first;
        block.label_values = b->label_values + first;
    }
    if (r->plan.has_id)
        block.ids = b->ids + first;
    block.row_numbers = b->row_numbers + first;
    r->handed_first = first;
    r->handed_out += count;
    memcpy(out, &block, FROCC_MIN(out->struct_size, sizeof block));
}

frocc_status frocc_reader_next(frocc_reader *r, frocc_block *block) {
    FROCC_REQUIRE(r);
    FROCC_REQUIRE(block);
    if (r->handed_out == r->block.n_rows)
        FROCC_TRY(read_block(r));
    if (r->block.n_rows > 0) {
        hand_out(r, block);
        return FROCC_OK;
    }
    frocc_block end = {.struct_size = block->struct_size,
                       .rows = {.n_features = r->schema->n_features, .dtype = r->options.dtype}};
    memcpy(block, &end, FROCC_MIN(block->struct_size, sizeof end));
    return FROCC_OK;
}

static frocc_status source_next(void *context, frocc_rows *rows) {
    frocc_block block = {.struct_size = sizeof block};
    FROCC_TRY(frocc_reader_next(context, &block));
    *rows = block.rows;
    return FROCC_OK;
}

static frocc_status source_rewind(void *context) {
    return frocc_reader_rewind(context);
}

frocc_source frocc_reader_source(frocc_reader *reader) {
    bool once = reader != NULL && reader->options.one_pass;
    return (frocc_source){source_next, once ? NULL : source_rewind, reader};
}

double frocc_reader_share(const frocc_reader *r) {
    uint64_t total = 0, done = 0;
    for (size_t i = 0; r != NULL && i < r->n_paths; i++) {
        total += r->sizes[i];
        done += i < r->file ? r->sizes[i] : 0;
    }
    if (total == 0)
        return (double)NAN;
    if (r->file < r->n_paths && r->stream != NULL)
        done += FROCC_MIN(frocc__stream_taken(r->stream), r->sizes[r->file]);
    return (double)done / (double)total;
}

frocc_status frocc_reader_locate(const frocc_reader *r, size_t row, char *text, size_t size) {
    FROCC_REQUIRE(r);
    FROCC_REQUIRE(text);
    size_t index = r->handed_first + row;
    if (r->input == NULL || index >= r->handed_out)
        return frocc__fail(FROCC_ERR_ARGUMENT, "row %zu is not one of the last block", row);
    uint64_t in_file = r->block.row_numbers[index] - r->rows_before;
    uint64_t line = r->input->class->line != NULL ? r->input->class->line(r->input, in_file) : 0;
    snprintf(text, size, "%s: %s %llu", r->input->name, line > 0 ? "line" : "row",
             (unsigned long long)(line > 0 ? line : in_file));
    return FROCC_OK;
}

uint64_t frocc_reader_dropped(const frocc_reader *reader) {
    return reader == NULL ? 0 : reader->dropped;
}

frocc_schema *frocc_reader_schema(const frocc_reader *reader) {
    return reader == NULL ? NULL : frocc__schema_share(reader->schema);
}
