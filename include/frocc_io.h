/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frocc_io.h - rows from files, and rows to files.
 *
 * A list of files is read as one data set, in blocks, in memory that does not grow with the rows.
 * A schema says what the columns of a file become: it is learnt from the data a model is fitted on,
 * and later files are read through it, so that feature j always means the same.
 * Reading order: readers, schemas, writers. What frocc.h says of failures holds here too.
 */
#ifndef FROCC_IO_H
#define FROCC_IO_H

#include "frocc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Readers ------------------------------------------------------------------------------- */

/*
 * A column is named by its name in the header, or by its number, from 1, as in cut and awk; -1 is
 * the last one; "3-7" and "3-" are ranges. A name wins over a number.
 */
typedef struct frocc_reader frocc_reader;

typedef enum frocc_format {
    FROCC_FORMAT_AUTO = 0, /* by the name's ending (.gz aside), else by the content */
    FROCC_FORMAT_CSV = 1, /* any separator: .csv .tsv .tab .txt; lines that begin with "# " or "##",
                             or have only a #, are comments */
    FROCC_FORMAT_NPY = 2,
    FROCC_FORMAT_NPZ = 3,
    FROCC_FORMAT_LIBSVM = 4, /* .libsvm .svm .svmlight: sparse, stays sparse */
    FROCC_FORMAT_RAW = 5,    /* .f32 .raw: little-endian float32, n_columns must be given */
    FROCC_FORMAT_JSONL =
        6 /* .jsonl .ndjson .json: an object a row, whose keys are columns in any order;
             what is null or not there is missing, true and false are texts */
} frocc_format;

typedef enum frocc_header {
    FROCC_HEADER_AUTO =
        0, /* a first row that has text where the second has a number, or only text */
    FROCC_HEADER_YES = 1,
    FROCC_HEADER_NO = 2
} frocc_header;

/*
 * Of a column of time stamps as ISO 8601 has them, such as 2026-11-18, 2026-11-18T07:01:02Z or
 * 2026-11-18 07:01:02.5+01:00, which is not named in categorical, these parts can be features.
 * Hours and days are those on the clock as written; in the time itself and in differences offsets
 * are heeded, and a stamp without one is taken as UTC. Dates alone have no hour, and times of day
 * alone, such as 07:01:02, nothing else.
 */
typedef enum frocc_time_part {
    FROCC_TIME_AUTO = 0,    /* those that the rows can tell something of: the hour where they span a
                               day or more, the day of the week where they span two weeks, and
                               differences */
    FROCC_TIME_HOUR = 1,    /* of the day, a point of the unit circle */
    FROCC_TIME_WEEKDAY = 2, /* a code */
    FROCC_TIME_ABSOLUTE = 4,  /* the time itself, as it also is of columns named in time */
    FROCC_TIME_DIFFERENCE = 8 /* from each such column to each one behind it, of the first five */
} frocc_time_part;

/*
 * A column is of numbers where nine cells of ten are, or more, of those that are not missing, and
 * what else stands there is at most 20 different texts; so of times. Else it is of texts. What else
 * stands there is a mark: a state like missing with missing = keep, otherwise an error.
 */

/* What becomes of an empty cell, NA, N/A, NaN, null, ?, or a NaN in binary files; among numbers and
 * times also of -, --, n/a, n.a., None, none, <NA>, #NA, #N/A N/A, 1.#IND, 1.#QNAN and those with a
 * sign, which are texts among texts. */
typedef enum frocc_missing {
    FROCC_MISSING_ERROR = 0, /* names file, line and column */
    FROCC_MISSING_MEAN = 1,  /* the column's mean in the data the schema was learnt from; a missing
                                text is a text of its own */
    FROCC_MISSING_DROP = 2,  /* the row is left out */
    FROCC_MISSING_KEEP = 3   /* a missing cell is something that a column has, usual or not, learnt
                                like its values. A column of numbers or times has one more feature,
                                its state; where the cell is missing, the others are what stands for
                                that, of a number the column's mean. A missing text is a text of its
                                own */
} frocc_missing;

typedef struct frocc_table_opener frocc_table_opener; /* below */

typedef struct frocc_reader_options {
    size_t struct_size; /* set by frocc_reader_options_init */
    frocc_format format;

    frocc_header header;
    char separator;    /* 0: found among , ; tab | and space; a space stands for any run of them */
    const char *array; /* NPZ: which one; NULL: "X", or the only one with two dimensions */
    size_t n_columns;  /* RAW: values in a row; LIBSVM: features, 0: the largest index seen */
    int index_base;    /* LIBSVM: 0 or 1; -1: 1, or 0 when the learning pass meets an index 0 */

    const char *label; /* taken out of the features; NULL: none. LIBSVM: always the first field */
    const char *id;    /* the same */
    const char *const *use; /* the features, in the file's order; none: all. LIBSVM: by number */
    size_t n_use;
    const char *const *drop; /* not among the features */
    size_t n_drop;
    const char *const *categorical; /* text, even where every cell is a number */
    size_t n_categorical;
    const char *const *time; /* columns of time stamps whose time itself is a feature, too */
    size_t n_time;

    frocc_missing missing;
    int all_numeric;    /* a text cell is an error; saves the learning pass over the data where
                           missing is neither MEAN nor KEEP */
    frocc_dtype dtype;  /* of text formats; binary floats come as they are stored */
    size_t block_rows;  /* at most so many rows a block; 0: as the reader likes */
    int one_pass;       /* promises no rewind, so pipes need no temporary file; then, with a
                           schema or all_numeric, lines come as soon as they are there */
    int ignore_extra;   /* with a schema: columns and LIBSVM indices it does not know are fine */
    int threads;        /* as in frocc_params */
    int own_missing;    /* with a schema: missing above counts, instead of the schema's */
    size_t max_columns; /* where n_columns is 0; more, which few bytes can claim, are an error */
    uint64_t part, n_parts; /* of the rows of all files, only those of part number part, from 0, of
                               n_parts that are about as long in bytes and have no row in common;
                               n_parts 0: all. CSV, JSON lines, LIBSVM, NPY and raw files are cut
                               between any two rows; others, gzip among them, belong to one part.
                               Row numbers of text are then counted from where the part begins */
    const frocc_table_opener *opener; /* of files in other formats; NULL: none. It must outlive the
                                         reader */
    const char *const *carry; /* columns whose texts come with each block, whatever else becomes of
                                 them */
    size_t n_carry;
    int time_parts;        /* the sum of those frocc_time_part that are used */
    const char *const *na; /* texts that stand for a missing cell, beside those above; without a
                              schema, which has its own */
    size_t n_na;
    size_t max_line; /* bytes of a line of text, which a small packed file may unpack to any number
                        of; longer ones are an error */
    int list_bad_rows; /* with a schema, of lines of text: a line that cannot be read as a row is no
                          failure but one of the block's bad rows. A row is then a line, so that
                          nothing depends on a quote that is never closed, and a line that names
                          the columns again is passed over */
    /* Of pipes that are read once: called before bytes are waited for, with the file they come
     * from, for which it may wait itself. Other than 0: frocc_reader_next comes back at once with a
     * block that is_paused; what has come of a line is kept for the next call. NULL: not called.
     */
    int (*wait)(void *context, int file);
    void *wait_context;
    uint64_t max_spool; /* bytes of a temporary copy of a pipe; more are an error. 0: until a
                           twentieth of its disk is left */
} frocc_reader_options;

/* Defaults: everything automatic, missing cells an error, at most 2^20 columns and lines of 64 MiB,
 * float64. */
FROCC_API void frocc_reader_options_init(frocc_reader_options *options);

/*
 * Opens paths[0 .. n_paths - 1]; "-" is the standard input. schema NULL: learns one, by a first
 * pass over the data where one is needed (see all_numeric); rows that this pass has read are kept,
 * up to 32 MiB, and not read again. schema given: reads through it; columns are matched by name
 * where both have names, else by position; use, drop and categorical are then the schema's. options
 * may be NULL. A pipe that must be read twice is copied to a temporary file without a name, in
 * TMPDIR, or /tmp without; see max_spool.
 */
FROCC_API frocc_status frocc_reader_open(const char *const *paths, size_t n_paths,
                                         const frocc_reader_options *options,
                                         const frocc_schema *schema, frocc_reader **reader);
FROCC_API void frocc_reader_free(frocc_reader *reader);

/*
 * Rows of the caller's, in batches of columns: a data frame, or record batches of a file. They are
 * read as the same rows in a CSV file would be, by the same options and schemas, and give the same
 * model; only that texts stay texts, whatever they look like, unless they are CELLS.
 */
typedef enum frocc_values {
    FROCC_VALUES_F64 = 0,  /* double; NaN is a missing cell */
    FROCC_VALUES_F32 = 1,  /* float; the same */
    FROCC_VALUES_I64 = 2,  /* int64_t */
    FROCC_VALUES_BOOL = 3, /* unsigned char: the texts False and True; 0 and 1 where a schema has
                              numbers */
    FROCC_VALUES_TEXT = 4, /* UTF-8; what stands for a missing cell in CSV is one here */
    FROCC_VALUES_TIME = 5, /* int64_t since 1970-01-01 00:00:00, on the clock that hours are read
                              off;  where all are midnights, they are dates */
    FROCC_VALUES_NONE = 6, /* something else: no cells are looked at, and the column is an error
                              unless it is left out */
    FROCC_VALUES_CELLS = 7 /* UTF-8, as TEXT, but numbers, times or texts by what most cells are, as
                              in CSV */
} frocc_values;

typedef struct frocc_field {
    const char *name; /* of all fields or of none */
    frocc_values kind;
    int64_t per_second; /* TIME: its unit: 1, 1000, 1000000 or 1000000000 */
} frocc_field;

/* The cells of a field in a batch. */
typedef struct frocc_cells {
    const void *values; /* n_rows of the field's kind; TEXT, CELLS: all texts, one behind another */
    const unsigned char *missing; /* for each row, other than 0 where the cell is missing; NULL:
                                     none is */
    const int64_t *offsets;       /* TEXT: text i is the bytes from offsets[i] to offsets[i + 1] */
    const int32_t *codes; /* TEXT: which text each row has, below 0 for a missing one; NULL: row r
                             has text r */
    size_t n_texts;       /* with codes */
    const int32_t *ahead_of_utc; /* TIME: the seconds by which the clock of each row is ahead of
                                    UTC; NULL: not known, as if the clock showed UTC */
} frocc_cells;

typedef struct frocc_table {
    size_t struct_size; /* set by the caller: sizeof(frocc_table) */
    const char *name;   /* for messages; NULL: rows of the caller's, who counts from 0 */
    const frocc_field *fields;
    size_t n_fields;
    uint64_t n_rows; /* in all, to tell how far a pass is; 0 where that is not known */
    /* Fills in the next batch, of any size: cells has one element a field; *n_rows is 0 at the end.
     * What it points to is only read, until the next call. A failure may set *error, a sentence
     * that is read at once. */
    frocc_status (*next)(void *context, frocc_cells *cells, size_t *n_rows, const char **error);
    /* Back to the first row; NULL where that cannot be. */
    frocc_status (*rewind)(void *context, const char **error);
    void (*close)(void *context); /* when the reader needs it no more; NULL: nothing to do */
    void *context;
} frocc_table;

/* As frocc_reader_open. The table's name and fields must stay until it is closed, which the reader
 * does when it is freed; a failure leaves it open. */
FROCC_API frocc_status frocc_reader_open_table(const frocc_table *table,
                                               const frocc_reader_options *options,
                                               const frocc_schema *schema, frocc_reader **reader);

/*
 * Opens files in formats that frocc does not know. It is asked first for each file, and whenever
 * that is read anew. *known is to be 0 where it leaves the file to frocc; else it fills in *table,
 * which is closed whatever happens.
 */
struct frocc_table_opener {
    frocc_status (*open)(void *context, const char *path, frocc_table *table, int *known,
                         const char **error);
    void *context;
};

/* A line that is no row, and why. */
typedef struct frocc_bad_row {
    uint64_t row_number; /* as those of a block */
    uint64_t line;       /* of its file, from 1 */
    size_t before;       /* which row of the block it stands in front of, n_rows behind the last */
    const char *error;   /* as frocc_last_error has it */
} frocc_bad_row;

/* The rows of a block and what was taken out of them; valid until the next call on the reader. */
typedef struct frocc_block {
    size_t struct_size; /* set by the caller: sizeof(frocc_block) */
    frocc_rows rows;
    const char *const *labels;   /* NULL without a label column, as the next */
    const double *label_values;  /* NaN where the label is no number */
    const char *const *ids;      /* NULL without an id column */
    const uint64_t *row_numbers; /* from 1, over all files, dropped rows counted */
    const char *const *carried; /* n_carried texts a row: the cells of the columns to carry, as they
                                   stand in the file; of binary files the shortest decimals */
    size_t n_carried;
    const frocc_bad_row *bad_rows; /* with list_bad_rows */
    size_t n_bad_rows;
    int is_paused; /* the reader's wait wanted to come back: no rows, and not the end */
} frocc_block;

/* The name of a column that is carried, from 0, or its number where there are no names; NULL behind
 * the last one. Ranges and numbers are resolved in the first file. */
FROCC_API const char *frocc_reader_carried_name(const frocc_reader *reader, size_t column);

/* Whether, from the next block on, the texts that are carried are values of JSON: numbers, true,
 * false, null, arrays and objects as JSON lines have them, numbers of binary files and of tables,
 * and all else as strings. For FROCC_CELL_JSON. */
FROCC_API frocc_status frocc_reader_carry_json(frocc_reader *reader, int as_json);

/* The next block; rows.n_rows is 0 at the end, and where all rows are bad or it is paused. */
FROCC_API frocc_status frocc_reader_next(frocc_reader *reader, frocc_block *block);
FROCC_API frocc_status frocc_reader_rewind(frocc_reader *reader);

/* From the next block on, rows are read through another schema: a model has been replaced. Its
 * columns must be in the open file; where they are not, this fails and the old schema stays. The
 * reader was opened with a schema, and all rows of the last block have been handed out. */
FROCC_API frocc_status frocc_reader_use_schema(frocc_reader *reader, const frocc_schema *schema);

/* The reader as a source for frocc_fit_source; it must outlive the source. */
FROCC_API frocc_source frocc_reader_source(frocc_reader *reader);

/* How much of the files' bytes has been read since they were opened or rewound, from 0 to 1; NaN
 * where nobody can know, as for pipes. */
FROCC_API double frocc_reader_share(const frocc_reader *reader);

/* Where a row of the last block, from 0, comes from: "data.csv: line 7", or "data.npy: row 7" where
 * there are no lines. Writes at most size bytes with the zero. */
FROCC_API frocc_status frocc_reader_locate(const frocc_reader *reader, size_t row, char *text,
                                           size_t size);

/* The same in two: the file of the last block, and the line, or row. */
FROCC_API const char *frocc_reader_file(const frocc_reader *reader);
FROCC_API frocc_status frocc_reader_line(const frocc_reader *reader, size_t row, uint64_t *line);

/* Rows left out so far because of FROCC_MISSING_DROP, and lines of CSV files passed over so far
 * that repeat the header of their file. */
FROCC_API uint64_t frocc_reader_dropped(const frocc_reader *reader);
FROCC_API uint64_t frocc_reader_headers(const frocc_reader *reader);

/* At the end: the first of the files that had no rows, and how many there are; NULL and 0 where all
 * had some, or that is not known, as of parts. A file with a header and no rows is none that fails;
 * one without a line is, unless it is one of several that are read through a given schema. */
FROCC_API const char *frocc_reader_empty_file(const frocc_reader *reader, size_t *n_files);

/* ---- Schemas ------------------------------------------------------------------------------- */

/* The schema a reader uses, and the one a model was fitted with, or a sample or frame made with,
 * NULL where it has none: a new reference, frocc_schema_free it. */
FROCC_API frocc_schema *frocc_reader_schema(const frocc_reader *reader);
FROCC_API frocc_schema *frocc_model_schema(const frocc_model *model);
FROCC_API frocc_schema *frocc_sample_schema(const frocc_sample *sample);
FROCC_API frocc_schema *frocc_frame_schema(const frocc_frame *frame);
FROCC_API void frocc_schema_free(frocc_schema *schema);

/* Equal schemas are equal bytes; from_bytes trusts nothing. frocc_bytes_free releases them. */
FROCC_API frocc_status frocc_schema_to_bytes(const frocc_schema *schema, void **bytes,
                                             size_t *size);
FROCC_API frocc_status frocc_schema_from_bytes(const void *bytes, size_t size,
                                               frocc_schema **schema);

/* The schema of parts together, where each has learnt its own. FROCC_ERR_FRAME where they are not
 * of one table. */
FROCC_API frocc_status frocc_schema_join(const frocc_schema *const *schemas, size_t n_schemas,
                                         frocc_schema **joined);

/* The schema without what parts are joined by: rows are read through it, and samples of parts that
 * were read through it merge. A reader that is given a schema has such a one. */
FROCC_API frocc_status frocc_schema_settled(const frocc_schema *schema, frocc_schema **settled);

typedef enum frocc_column_kind {
    FROCC_COLUMN_NUMBER = 0,
    FROCC_COLUMN_CATEGORY = 1, /* texts, each a value of its own */
    FROCC_COLUMN_TRUTH = 2,    /* true and false */
    FROCC_COLUMN_TIME = 3,     /* time stamps, dates, or times of day */
    FROCC_COLUMN_NAME = 4 /* texts that nearly all differ, of 50 or more: they name the rows, and
                             are no feature unless the column is named in categorical */
} frocc_column_kind;

typedef struct frocc_column_info {
    size_t struct_size; /* set by the caller: sizeof(frocc_column_info) */
    const char *name;   /* NULL where the file had no header */
    int is_feature;     /* 0: a label, an id, or dropped */
    int is_label;
    int is_id;
    frocc_column_kind kind;
    double n_texts;       /* of texts: how many different ones, above 1,000 about how many */
    size_t first_feature; /* its first feature; a number or a text has one */
    size_t n_features;
    int has_hour;    /* of times: whether the hour of the day is a feature, */
    int has_weekday; /* the day of the week, */
    int has_seconds; /* the time itself */
    int is_clock;    /* times of day alone */
    double
        time_span;   /* seconds from the first time to the last, where the schema was learnt; else 0
                      */
    int tells_state; /* with FROCC_MISSING_KEEP, of numbers and times: its last feature is 0 where
                        the cell has a value, else a code */
    const char *mark;   /* one of the texts that stand among its numbers or times, '-' and the like
                           aside; NULL: there are none */
    double filler;      /* of numbers, with FROCC_MISSING_MEAN and _KEEP: what the first feature is
                           where the cell is missing */
    int counts_rows;    /* the first column of text files of at least 20 rows, found to have each
                           of a run of whole numbers once, in some order, as an index or an id
                           does: no feature where a header has no name for it, else left as it is.
                           Not looked for with use, all_numeric or parts. Known where the schema
                           was learnt, and 0 once it comes from bytes, as is the next */
    int may_count_rows; /* such a column without a name of which a part of the rows, n_parts, was
                           seen, and does not tell: it is a feature, and all rows may leave it out
                         */
} frocc_column_info;
FROCC_API size_t frocc_schema_columns(const frocc_schema *schema);
FROCC_API size_t frocc_schema_features(const frocc_schema *schema);
FROCC_API frocc_missing frocc_schema_missing(const frocc_schema *schema);
FROCC_API frocc_status frocc_schema_column(const frocc_schema *schema, size_t column,
                                           frocc_column_info *info);

/*
 * What a feature says of its column. A code is a whole number that says nothing by its size: the
 * same text has the same code everywhere, a hash of 24 bits.
 */
typedef enum frocc_feature_kind {
    FROCC_FEATURE_NUMBER = 0,
    FROCC_FEATURE_CATEGORY = 1, /* the code of the text; 0 where it is missing */
    FROCC_FEATURE_STATE = 2, /* 0 where the cell has a value, 1 where it is missing, else the code
                                of what stands there */
    FROCC_FEATURE_HOUR_SINE = 3,   /* a point of the unit circle for the hour of the day, from */
    FROCC_FEATURE_HOUR_COSINE = 4, /* midnight; the cosine is right behind its sine */
    FROCC_FEATURE_WEEKDAY = 5,     /* a code: 1 for Monday to 7; 0 where the time is missing */
    FROCC_FEATURE_TIME = 6,        /* seconds since 1970-01-01T00:00:00Z */
    FROCC_FEATURE_DIFFERENCE = 7   /* seconds from the time of one column to that of another */
} frocc_feature_kind;

typedef struct frocc_feature_info {
    size_t struct_size; /* set by the caller: sizeof(frocc_feature_info) */
    size_t column;
    frocc_feature_kind kind;
} frocc_feature_info;
FROCC_API frocc_status frocc_schema_feature(const frocc_schema *schema, size_t feature,
                                            frocc_feature_info *info);

/* The text that the code of a feature stands for; NULL where it is none, or none of those that the
 * schema remembers: at most 1,000 a column, longer ones cut to 60 bytes. Valid as long as the
 * schema. */
FROCC_API const char *frocc_schema_text(const frocc_schema *schema, size_t feature, double value);

/*
 * The feature's name: the column's; "state of column"; "hour of column (sine)", "weekday of column"
 * and so on for time stamps; the number, from 1, where there are no names. Writes at most size
 * bytes with the zero; *length is without it.
 */
FROCC_API frocc_status frocc_schema_feature_name(const frocc_schema *schema, size_t feature,
                                                 char *name, size_t size, size_t *length);

/* ---- Writers ------------------------------------------------------------------------------- */

/*
 * Writes rows to a file in one of the formats. The file appears under its name when the writer is
 * finished, complete; until then it has a temporary name in the same folder, and freeing an
 * unfinished writer removes it. "-" is the standard output. A name that ends with .gz is packed.
 */
typedef struct frocc_writer frocc_writer;

/* Whether rows stand in the file as soon as they are flushed, before it is finished. */
typedef enum frocc_in_place {
    FROCC_NOT_IN_PLACE = 0,
    FROCC_IN_PLACE_ANEW = 1, /* in a file that is begun anew */
    FROCC_IN_PLACE_ON = 2    /* one that is there goes on behind its last whole line; it is an error
                                if it does not begin with the same header */
} frocc_in_place;

typedef struct frocc_writer_options {
    size_t struct_size;       /* set by frocc_writer_options_init */
    frocc_format format;      /* AUTO: by the path's ending, else CSV; NPZ cannot be written */
    char separator;           /* CSV; 0: a comma, or a tab for .tsv */
    const char *const *names; /* the features' names; NULL: CSV has no header, JSONL x1, x2, ... */
    const char *label_name;   /* CSV with names, JSONL; NULL: "label" */
    const char *id_name;      /* the same; NULL: "id" */
    frocc_dtype dtype;        /* NPY: of the array */
    int index_base;           /* LIBSVM: 0 or 1 */
    int no_formulas;          /* CSV: a text that begins with = + - or @, and is no number, gets a '
                                 in front: spreadsheets compute what begins like that */
    frocc_in_place in_place;  /* of tables as CSV or JSONL; others stay whole */
} frocc_writer_options;

/* Defaults: the format by the ending, no header, float64 arrays, indices from 1. */
FROCC_API void frocc_writer_options_init(frocc_writer_options *options);
FROCC_API frocc_status frocc_writer_open(const char *path, size_t n_features,
                                         const frocc_writer_options *options,
                                         frocc_writer **writer);

/*
 * Appends the block's rows. CSV and JSONL have the ids first and the labels last, LIBSVM the labels
 * in front; NPY and RAW have features only. Numbers are the shortest decimals that read back the
 * same.
 */
FROCC_API frocc_status frocc_writer_add(frocc_writer *writer, const frocc_block *block);

/*
 * A table of any columns, row by row, as CSV, JSONL or NPY; of the options, names, label_name,
 * id_name and dtype are not used. NPY has the columns of numbers that do not stand aside: of int64
 * where all are whole, else of float64; one column is an array of one dimension.
 */
typedef enum frocc_cell_kind {
    FROCC_CELL_REAL = 0, /* NaN is an empty cell, null in JSONL */
    FROCC_CELL_WHOLE = 1,
    FROCC_CELL_TEXT = 2, /* never in NPY */
    FROCC_CELL_JSON = 3  /* a text that JSONL has as it is, without quotes: a value of JSON */
} frocc_cell_kind;

typedef struct frocc_table_column {
    const char *name;
    frocc_cell_kind kind;
    int is_aside; /* left out of NPY */
} frocc_table_column;

/* Which one counts, the kind of the column says. */
typedef union frocc_cell {
    double real;
    int64_t whole;
    const char *text;
} frocc_cell;

FROCC_API frocc_status frocc_writer_open_table(const char *path, const frocc_table_column *columns,
                                               size_t n_columns,
                                               const frocc_writer_options *options,
                                               frocc_writer **writer);

/* Appends a row: a cell a column. */
FROCC_API frocc_status frocc_writer_add_cells(frocc_writer *writer, const frocc_cell *cells);

/* Hands on what was added, to a pipe, a terminal or a device; a file appears when it is finished.
 */
FROCC_API frocc_status frocc_writer_flush(frocc_writer *writer);

/* Completes the file and gives it its name. The writer can then only be freed. */
FROCC_API frocc_status frocc_writer_finish(frocc_writer *writer);
FROCC_API void frocc_writer_free(frocc_writer *writer);

/* The temporary name of the unfinished file, for a program that removes it when it is interrupted;
 * NULL where there is none. Valid until the writer is freed. */
FROCC_API const char *frocc_writer_temporary(const frocc_writer *writer);

/*
 * Replaces a file by these bytes as a writer does: the old file or the new one, never a part. "-"
 * is the standard output.
 */
FROCC_API frocc_status frocc_file_replace(const char *path, const void *bytes, size_t size);

/* Says whether a file of this name can be written, and if not, why: better before long work. */
FROCC_API frocc_status frocc_file_check(const char *path);

/* The shortest decimal that reads back as this very value, zero-terminated; returns its length. */
#define FROCC_NUMBER_SIZE 32
FROCC_API size_t frocc_print_f64(double value, char out[FROCC_NUMBER_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
