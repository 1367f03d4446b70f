/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "data/data.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "data/table.h"

static const cli_option data_table[] = {
    {"label", 0, "COLUMN", "The column that marks outliers; not a feature"},
    {"id", 0, "COLUMN", "The column that names rows, carried to the output; not a feature"},
    {"drop", 0, "COLUMNS", "Columns to leave out, by name or number, separated by commas"},
    {"use", 0, "COLUMNS", "The only columns to use"},
    {"categorical", 0, "COLUMNS", "Columns to treat as text even where all cells are numbers"},
    {"time", 0, "COLUMNS", "Columns of time stamps to use the time itself of, too"},
    {"time-parts", 0, "PARTS",
     "What of time stamps are features: auto, or some of hour, weekday, absolute, difference; auto "
     "takes the hour where the rows span a day, the weekday where they span two weeks, and the "
     "differences between columns"},
    {"missing", 0, "error|mean|drop|keep",
     "What to do about missing cells; error, or what the model was fitted with. 'keep': missing is "
     "something that a column has, usual or not"},
    {"na", 0, "TEXTS",
     "Texts that stand for a missing cell, separated by commas, beside NA, N/A, nan, "
     "null, ? and nothing, and - and n/a among numbers"},
    {"numeric", 0, NULL, "All columns are numbers: saves a pass over text files"},
    {"format", 0, "auto|csv|npy|npz|libsvm|raw|jsonl", "Format of the files; by name and content"},
    {"header", 0, "auto|yes|no", "Whether the first line names the columns; found out"},
    {"separator", 0, "CHARACTER", "What stands between cells; found out. 'tab' is a tab"},
    {"array", 0, "NAME", "Which array of an .npz file"},
    {"n-columns", 0, "N", "Values in a row of raw float32 files, features of LIBSVM files"},
    {"index-base", 0, "auto|0|1", "Where the indices of LIBSVM files begin; found out"},
    {"max-columns", 0, "N", "Refuse files of more columns than this; 1048576 by default"},
    {"max-line", 0, "MIB", "Refuse files with longer lines than this; 64 by default"},
    {"max-spool", 0, "MIB",
     "Refuse a pipe that must be read twice and is longer; without, a twentieth of the disk of "
     "$TMPDIR (/tmp), where its copy lies, stays free"},
    {"part", 0, "I/N",
     "Only the rows of part I, from 1, of N that share out the files; rows are counted from there"},
    {"ignore-extra", 0, NULL, "Columns that the model does not know are fine"},
    {"threads", 0, "N", "Threads to use; all by default. The result does not depend on it"},
    {0},
};
const cli_option_group data_options = {"Reading data", data_table};

const frocc_table_opener *data_opener;

/* ---- Options --------------------------------------------------------------------------------- */

text_list split_commas(const char *text) {
    text_list list = {NULL, 0};
    while (text) {
        size_t length = strcspn(text, ",");
        list.items = must_resize(list.items, list.count + 1, sizeof *list.items);
        list.items[list.count] = must_allocate(length + 1, 1);
        memcpy(list.items[list.count++], text, length);
        text = text[length] ? text + length + 1 : NULL;
    }
    return list;
}

void free_list(text_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    free(list->items);
}

static char separator_of(const cli_arguments *arguments) {
    const char *text = argument_text(arguments, "separator");
    if (!text || !strcmp(text, "tab") || !strcmp(text, "\\t")) {
        return text ? '\t' : 0;
    }
    if (strlen(text) != 1 || strchr("\"\r\n#.+-", text[0]) || (text[0] >= '0' && text[0] <= '9')) {
        die(EXIT_MISUSE, "--separator '%s': expected one character such as , ; | or 'tab'", text);
    }
    return text[0];
}

/* "3/8" */
static void take_part(const cli_arguments *arguments, frocc_reader_options *options) {
    const char *text = argument_text(arguments, "part");
    if (!text) {
        return;
    }
    char *slash, *end;
    options->part = strtoull(text, &slash, 10) - 1;
    options->n_parts = *slash == '/' ? strtoull(slash + 1, &end, 10) : 0;
    if (text[strspn(text, "0123456789/")] || *slash != '/' || *end || strlen(text) > 39 ||
        options->part >= options->n_parts) {
        die(EXIT_MISUSE, "--part '%s': expected two numbers such as 3/8, the third of eight parts",
            text);
    }
}

static int time_parts_of(const cli_arguments *arguments) {
    static const char *const names[] = {"hour", "weekday", "absolute", "difference"};
    text_list list = split_commas(argument_text(arguments, "time-parts"));
    int parts = 0;
    for (size_t i = 0; i < list.count; i++) {
        size_t k = 0;
        while (k < 4 && strcmp(list.items[i], names[k]) != 0) {
            k++;
        }
        if (k == 4 && (list.count > 1 || strcmp(list.items[i], "auto") != 0)) {
            die(EXIT_MISUSE,
                "--time-parts '%s': expected auto, or some of hour, weekday, absolute, difference",
                list.items[i]);
        }
        parts |= k < 4 ? 1 << k : 0;
    }
    free_list(&list);
    return parts;
}

static void read_options(const cli_arguments *arguments, frocc_reader_options *options) {
    frocc_reader_options_init(options);
    options->format = (frocc_format)argument_choice(arguments, "format", FROCC_FORMAT_AUTO);
    options->header = (frocc_header)argument_choice(arguments, "header", FROCC_HEADER_AUTO);
    options->missing = (frocc_missing)argument_choice(arguments, "missing", FROCC_MISSING_ERROR);
    options->own_missing = argument_given(arguments, "missing");
    options->separator = separator_of(arguments);
    options->array = argument_text(arguments, "array");
    options->n_columns = argument_count(arguments, "n-columns", 0, 1, FROCC_MAX_FEATURES);
    options->index_base = (int)argument_choice(arguments, "index-base", 0) - 1;
    options->max_columns =
        argument_count(arguments, "max-columns", options->max_columns, 1, FROCC_MAX_FEATURES);
    options->max_line = argument_count(arguments, "max-line", options->max_line >> 20, 1, 2048)
                        << 20;
    options->max_spool = argument_count(arguments, "max-spool", 0, 1, UINT64_MAX >> 20) << 20;
    take_part(arguments, options);
    options->id = argument_text(arguments, "id");
    options->all_numeric = argument_given(arguments, "numeric");
    options->ignore_extra = argument_given(arguments, "ignore-extra");
    options->opener = data_opener;
    options->threads = (int)argument_count(arguments, "threads", 0, 1, 1024);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Patterns are expanded here for those that a shell did not, because they were quoted. */
static void expand_paths(const char *const *paths, size_t n_paths, glob_t *found) {
    *found = (glob_t){0};
    int flags = GLOB_NOCHECK;
    for (size_t i = 0; i < n_paths; i++) {
        bool pattern = strpbrk(paths[i], "*?[") && access(paths[i], F_OK);
        int failure =
            glob(paths[i], pattern ? flags & ~GLOB_NOCHECK : flags | GLOB_NOESCAPE, NULL, found);
        if (failure == GLOB_NOMATCH) {
            die(EXIT_FAILED, "no file fits the pattern '%s'", paths[i]);
        } else if (failure) {
            die(EXIT_FAILED, "cannot look for files like '%s'", paths[i]);
        }
        flags |= GLOB_APPEND;
    }
}

/* The file of a name, or the one that "-" stands for; false where it is none, as a pipe. */
static bool find_file(const char *name, int standard, struct stat *file) {
    return !(strcmp(name, "-") ? stat(name, file) : fstat(standard, file)) &&
           S_ISREG(file->st_mode);
}

static bool is_one_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool is_same_file(const char *a, const char *b) {
    struct stat first, second;
    return find_file(a, STDIN_FILENO, &first) && find_file(b, STDIN_FILENO, &second) &&
           is_one_file(&first, &second);
}

void refuse_output(const cli_arguments *arguments, const char *input) {
    static const char *const options[] = {"output", "model"}, *const without[] = {"-", NULL};
    struct stat in, out;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *path = argument_text(arguments, options[i]);
        path = path ? path : without[i];
        if (!path || !find_file(input, STDIN_FILENO, &in) ||
            !find_file(path, STDOUT_FILENO, &out) || !is_one_file(&in, &out)) {
            continue;
        }
        const char *name = strcmp(input, "-") ? input : "standard input";
        if (!strcmp(path, "-")) {
            die(EXIT_MISUSE, "standard output is the file of '%s', which is read; write to another",
                name);
        }
        die(EXIT_MISUSE, "--%s %s would replace '%s', which is read; give another name", options[i],
            path, name);
    }
}

bool data_is_learnt_together;

/* A column as an option takes it: a name that a shell or the option would take apart is told by its
 * number, which is in text. */
static const char *option_name(const frocc_column_info *info, size_t i, char text[24]) {
    const char *name = info->name;
    snprintf(text, 24, "%zu", i + 1);
    const bool plain = name && *name && !name[strcspn(name, " ,'\"\\$`;|&<>()*?[]#~!{}\t")];
    return plain && name[0] != '-' ? name : text;
}

/* A first column that only counts rows, in a schema that was learnt now. */
static void note_count(const frocc_schema *schema) {
    frocc_column_info info = {.struct_size = sizeof info};
    if (frocc_schema_columns(schema) == 0) {
        return;
    }
    check(frocc_schema_column(schema, 0, &info), NULL);
    if (info.may_count_rows && !data_is_learnt_together) {
        note("the first column has no name and is kept, though all rows may leave it out: a part "
             "cannot tell whether it only counts them; --drop 1 leaves it out, --use 1- keeps it");
    }
    if (!info.counts_rows) {
        return;
    }
    char number[24];
    const char *name = option_name(&info, 0, number);
    if (info.is_feature) {
        note("column %s only counts the rows; leave it out by --drop %s or, to have it in the "
             "output, by --id %s",
             name, name, name);
    } else {
        note("left out the first column, which has no name and only counts the rows; --use 1- "
             "keeps it");
    }
}

/* Opens with the label column, or, where these files may lack it, without. */
static frocc_status open_reader(const char *const *paths, size_t n_paths,
                                frocc_reader_options *options, const frocc_schema *schema,
                                label_use label, const char *label_name, frocc_reader **reader) {
    options->label = label == LABEL_NONE ? NULL : label_name;
    frocc_status status = frocc_reader_open(paths, n_paths, options, schema, reader);
    if (status != FROCC_OK && label == LABEL_IF_THERE && label_name && n_paths &&
        strcmp(paths[0], "-") != 0) {
        options->label = NULL;
        status = frocc_reader_open(paths, n_paths, options, schema, reader);
    }
    return status;
}

/* A column that the command needs, unless it is one of those that were asked for. */
static void add_column(text_list *carry, size_t n_asked, const char *name) {
    for (size_t i = 0; i < n_asked; i++) {
        if (!strcmp(carry->items[i], name)) {
            return;
        }
    }
    carry->items = must_resize(carry->items, carry->count + 1, sizeof *carry->items);
    carry->items[carry->count++] = must_copy(name);
}

void data_open(const cli_arguments *arguments, const char *const *paths, size_t n_paths,
               const frocc_schema *schema, int passes, label_use label, cli_data *data) {
    data_open_stream(arguments, paths, n_paths, schema, passes, label, NULL, data);
}

void data_open_stream(const cli_arguments *arguments, const char *const *paths, size_t n_paths,
                      const frocc_schema *schema, int passes, label_use label,
                      const cli_stream *stream, cli_data *data) {
    *data = (cli_data){0};
    progress_begin(&data->progress, arguments->verbosity);
    frocc_reader_options options;
    read_options(arguments, &options);
    options.one_pass = passes == 1;
    if (stream) {
        options.list_bad_rows = stream->lists_bad_rows;
        options.wait = stream->wait;
        options.wait_context = stream->context;
    }
    if (schema) { /* it remembers which columns it uses */
        refuse_other_columns(arguments, schema);
    }
    text_list use = split_commas(schema ? NULL : argument_text(arguments, "use"));
    text_list drop = split_commas(schema ? NULL : argument_text(arguments, "drop"));
    text_list categorical = split_commas(schema ? NULL : argument_text(arguments, "categorical"));
    text_list time = split_commas(schema ? NULL : argument_text(arguments, "time"));
    options.use = (const char *const *)use.items;
    options.n_use = use.count;
    options.drop = (const char *const *)drop.items;
    options.n_drop = drop.count;
    options.categorical = (const char *const *)categorical.items;
    options.n_categorical = categorical.count;
    options.time = (const char *const *)time.items;
    options.n_time = time.count;
    options.time_parts = schema ? 0 : time_parts_of(arguments);
    text_list na = split_commas(schema ? NULL : argument_text(arguments, "na"));
    options.na = (const char *const *)na.items;
    options.n_na = na.count;
    text_list carry = split_commas(argument_text(arguments, "columns"));
    const size_t n_asked = carry.count;
    for (size_t i = 0; stream && i < stream->n_columns; i++) {
        add_column(&carry, n_asked, stream->columns[i]);
    }
    const size_t n_own = carry.count - n_asked;
    options.carry = (const char *const *)carry.items;
    options.n_carry = carry.count;
    glob_t found;
    expand_paths(paths, n_paths, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        refuse_output(arguments, found.gl_pathv[i]);
    }
    frocc_status status =
        open_reader((const char *const *)found.gl_pathv, found.gl_pathc, &options, schema, label,
                    argument_text(arguments, "label"), &data->reader);
    if (status != FROCC_ERR_EMPTY || schema || !options.n_parts || !data_is_learnt_together) {
        check(status, NULL);
    }
    data->n_files = found.gl_pathc;
    globfree(&found);
    free_list(&use);
    free_list(&drop);
    free_list(&categorical);
    free_list(&time);
    free_list(&na);
    free_list(&carry);
    data->schema = frocc_reader_schema(data->reader);
    data->n_features = frocc_schema_features(data->schema);
    while (frocc_reader_carried_name(data->reader, data->n_carried)) {
        data->n_carried++;
    }
    data->n_carried -= n_own; /* which stand behind the others */
    data->carried_kind = table_is_json(arguments) ? FROCC_CELL_JSON : FROCC_CELL_TEXT;
    if (data->reader) {
        check(frocc_reader_carry_json(data->reader, data->carried_kind == FROCC_CELL_JSON), NULL);
    }
    data->has_ids = options.id != NULL;
    data->verbosity = arguments->verbosity;
    if (!schema && data->verbosity >= 0) {
        note_count(data->schema);
    }
    data->passes = passes;
    frocc_missing missing = frocc_schema_missing(data->schema);
    data->drops_rows = (options.own_missing ? options.missing : missing) == FROCC_MISSING_DROP;
    progress_pass(&data->progress);
}

uint64_t data_dropped(const cli_data *data) {
    return frocc_reader_dropped(data->reader) + data->dropped_elsewhere;
}

void data_close(cli_data *data) {
    progress_end(&data->progress);
    const uint64_t dropped = data_dropped(data);
    if (dropped && data->verbosity >= 0) {
        note("left out %llu rows with missing cells", (unsigned long long)dropped);
    }
    size_t n_empty;
    const char *empty = frocc_reader_empty_file(data->reader, &n_empty);
    if (empty && n_empty < data->n_files && data->verbosity >= 0) {
        note("%zu of the %zu files %s no rows: %s%s", n_empty, data->n_files,
             n_empty > 1 ? "have" : "has", empty, n_empty > 1 ? ", ..." : "");
    }
    const uint64_t headers = frocc_reader_headers(data->reader);
    if (headers && data->verbosity >= 0) {
        note("passed over %llu line%s that repeat%s the header", (unsigned long long)headers,
             headers == 1 ? "" : "s", headers == 1 ? "s" : "");
    }
    frocc_schema_free(data->schema);
    frocc_reader_free(data->reader);
}

bool data_next(cli_data *data, frocc_block *block) {
    *block = (frocc_block){.struct_size = sizeof *block};
    frocc_status status = data->reader ? frocc_reader_next(data->reader, block) : FROCC_OK;
    if (status != FROCC_OK) {
        progress_end(&data->progress);
        check(status, NULL);
    }
    data->labelled = block->labels != NULL;
    double done = (double)data->pass + frocc_reader_share(data->reader);
    progress_step(&data->progress, block->rows.n_rows,
                  done / (double)(data->pass < data->passes ? data->passes : data->pass + 1));
    const bool is_more = block->rows.n_rows || block->n_bad_rows || block->is_paused;
    if (!is_more) {
        progress_end(&data->progress);
    }
    return is_more;
}

char *data_row_error(const cli_data *data, const frocc_rows *view, size_t first) {
    char *what, where[1024];
    frocc_error_place place = {.struct_size = sizeof place};
    frocc_last_error_place(&place);
    if (place.file || (place.row < 0 && place.column < 0)) {
        return NULL;
    }
    what = in_options(place.what); /* the next calls may fail, too */
    char *name = place.column < 0 || (size_t)place.column >= data->n_features
                     ? NULL
                     : data_feature_name(data->schema, (size_t)place.column);
    const char *column = name ? ", column '" : "", *quote = name ? "'" : "";
    /* A row of a sample has no number, and lies in any of the blocks. */
    if (place.row < 0 || (size_t)place.row >= view->n_rows ||
        frocc_reader_locate(data->reader, first + (size_t)place.row, where, sizeof where)) {
        strcpy(where, "in one of the rows");
    }
    const size_t size = strlen(where) + (name ? strlen(name) : 0) + strlen(what) + 20;
    char *sentence = must_allocate(size, 1);
    snprintf(sentence, size, "%s%s%s%s: %s", where, column, name ? name : "", quote, what);
    free(what);
    free(name);
    return sentence;
}

void data_check(cli_data *data, frocc_status status, const frocc_rows *view, size_t first) {
    if (status == FROCC_OK) {
        return;
    }
    progress_end(&data->progress);
    char *sentence = data_row_error(data, view, first);
    if (!sentence) {
        check(status, NULL);
    }
    die(EXIT_FAILED, "%s", sentence);
}

void data_need_labels(const frocc_block *block) {
    if (!block->labels) {
        die(EXIT_MISUSE, "which column marks outliers? Give --label COLUMN");
    }
}

void data_rewind(cli_data *data) {
    if (data->reader) {
        check(frocc_reader_rewind(data->reader), NULL);
    }
    data->pass++;
    progress_pass(&data->progress);
}

/* What is used of a column of times, and why not more. */
static int say_time(const frocc_column_info *info, size_t i, char *text, size_t size) {
    const struct {
        int is_used;
        const char *name;
    } parts[] = {{info->has_hour, "hour of day"},
                 {info->has_weekday, "day of week"},
                 {info->has_seconds, "the time itself"}};
    char number[24], used[60] = "";
    snprintf(number, sizeof number, "%zu", i + 1);
    for (size_t k = 0; k < 3; k++) {
        const size_t length = strlen(used);
        snprintf(used + length, sizeof used - length, "%s%s",
                 parts[k].is_used && length ? " and " : "", parts[k].is_used ? parts[k].name : "");
    }
    const double days = info->time_span / 86400;
    const char *why = info->is_clock || info->has_weekday ? ""
                      : days < 1                          ? ", as the rows span less than a day"
                      : days < 14 ? ", not the day of week, as the rows span less than two weeks"
                                  : "";
    return snprintf(text, size, "%.50s: %s%s", info->name ? info->name : number,
                    *used ? used : "nothing", why);
}

static void note_times(const frocc_schema *schema) {
    enum { MOST = 5 };
    char list[800] = "";
    size_t used = 0, count = 0;
    for (size_t i = 0; i < frocc_schema_columns(schema); i++) {
        frocc_column_info info = {.struct_size = sizeof info};
        check(frocc_schema_column(schema, i, &info), NULL);
        if (!info.is_feature || info.kind != FROCC_COLUMN_TIME) {
            continue;
        }
        if (count++ < MOST) {
            used += (size_t)snprintf(list + used, sizeof list - used, used ? "; " : "");
            used += (size_t)say_time(&info, i, list + used, sizeof list - used);
        }
    }
    size_t n_differences = 0;
    for (size_t j = frocc_schema_features(schema); count > 1 && j-- > 0; n_differences++) {
        frocc_feature_info info = {.struct_size = sizeof info};
        check(frocc_schema_feature(schema, j, &info), NULL);
        if (info.kind != FROCC_FEATURE_DIFFERENCE) {
            break;
        }
    }
    if (count) {
        note("time stamps, %s%s%s", list, count > MOST ? "; ..." : "",
             n_differences ? "; and the differences between them" : "");
    }
}

/* A column that is left out, as it names the rows. */
static void note_names(const frocc_column_info *info, size_t i) {
    char number[24];
    const char *name = option_name(info, i, number);
    note("left out column %s, which names the rows: %s%.0f different texts; --categorical %s "
         "keeps it, --id %s has it in the output",
         name, info->n_texts < 1000 ? "" : "about ", info->n_texts, name, name);
}

void data_note_texts(const frocc_schema *schema) {
    enum { MOST = 5 };
    char list[400] = "";
    size_t used = 0, count = 0;
    for (size_t i = 0; i < frocc_schema_columns(schema); i++) {
        frocc_column_info info = {.struct_size = sizeof info};
        check(frocc_schema_column(schema, i, &info), NULL);
        if (info.mark && info.is_feature) {
            char number[24];
            note(
                "column %s: what is no number or time, such as '%s', is learnt like a missing cell",
                option_name(&info, i, number), info.mark);
        }
        if (info.kind == FROCC_COLUMN_NAME) {
            note_names(&info, i);
        }
        if (!info.is_feature || !(info.n_texts > 0)) {
            continue;
        }
        if (count++ < MOST && used < sizeof list - 80) {
            char number[32];
            snprintf(number, sizeof number, "%zu", i + 1);
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%.50s (%.0f values)",
                                 used ? ", " : "", info.name ? info.name : number, info.n_texts);
        }
    }
    if (count) {
        note("text in %zu column%s: %s%s", count, count == 1 ? "" : "s", list,
             count > MOST ? ", ..." : "");
    }
    note_times(schema);
}

char *data_feature_name(const frocc_schema *schema, size_t feature) {
    size_t length;
    check(frocc_schema_feature_name(schema, feature, NULL, 0, &length), NULL);
    char *name = must_allocate(length + 1, 1);
    check(frocc_schema_feature_name(schema, feature, name, length + 1, &length), NULL);
    return name;
}

double row_value(const frocc_rows *rows, size_t index) {
    return rows->dtype == FROCC_F32 ? (double)((const float *)rows->values)[index]
                                    : ((const double *)rows->values)[index];
}

frocc_rows rows_part(const frocc_rows *rows, size_t first, size_t count) {
    frocc_rows part = *rows;
    const size_t size = rows->dtype == FROCC_F32 ? sizeof(float) : sizeof(double);
    part.n_rows = count;
    if (rows->row_start) {
        part.row_start += first;
    } else {
        part.values = (const char *)rows->values + first * rows->row_stride * size;
    }
    return part;
}

void row_copy(const frocc_rows *rows, size_t row, double *values) {
    if (!rows->row_start) {
        for (size_t j = 0; j < rows->n_features; j++) {
            values[j] = row_value(rows, row * rows->row_stride + j);
        }
        return;
    }
    memset(values, 0, rows->n_features * sizeof *values);
    for (int64_t i = rows->row_start[row]; i < rows->row_start[row + 1]; i++) {
        values[rows->columns[i]] = row_value(rows, (size_t)i);
    }
}
