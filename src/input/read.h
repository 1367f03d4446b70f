/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading files: what the parts agree on.
 *
 *   stream   bytes of a file or pipe, unzipped, that can be read again
 *   input    an open file of one format: hands out rows, a buffer at a time (read_csv, read_npy,
 * ...) plan     what becomes of each column of that file, made from the schema survey   what a
 * learning pass finds out about the columns reader   several inputs as one data set
 * (read_reader.c), the public face
 */
#ifndef FROCC_READ_H
#define FROCC_READ_H

#include <stdarg.h>

#include "base/base.h"
#include "base/status.h"
#include "schema/schema.h"
#include "schema/vocab.h"

/* ---- Bytes (read_stream.c) ------------------------------------------------------------------ */

typedef struct frocc__stream frocc__stream;

/* The next bytes of something; fewer than size only at the end. */
typedef frocc_status (*frocc__pull)(void *context, void *bytes, size_t size, size_t *got);

/* keep: the stream can be rewound even if it is a pipe, at the price of a temporary file. */
/* Whether a file may have so many columns, before anything is made for them. */
frocc_status frocc__check_columns(const char *file, size_t n_columns,
                                  const frocc_reader_options *options);

frocc_status frocc__stream_open(const char *path, bool keep, frocc__stream **stream);
void frocc__stream_close(frocc__stream *stream);
const char *frocc__stream_name(const frocc__stream *stream);
bool frocc__stream_is_pipe(const frocc__stream *stream); /* cannot be opened a second time */
bool frocc__stream_is_packed(const frocc__stream *stream);
frocc_status frocc__stream_rewind(frocc__stream *stream);

/* The next bytes; fewer than size only at the end. */
frocc_status frocc__stream_read(frocc__stream *stream, void *bytes, size_t size, size_t *got);
frocc_status frocc__stream_skip(frocc__stream *stream, uint64_t size); /* or to the end */

/* Whether the bytes come from a pipe or a terminal that is read once. The next bytes that are there
 * then, at least one and none only at the end; of other streams as many as are asked for. */
bool frocc__stream_is_live(const frocc__stream *stream);
frocc_status frocc__stream_read_ready(frocc__stream *stream, void *bytes, size_t size, size_t *got);

/* Bytes read from the file since its start, gzip as it lies there; and how many a path has, false
 * where that cannot be known. */
uint64_t frocc__stream_taken(const frocc__stream *stream);
bool frocc__path_size(const char *path, uint64_t *size);

/* How large a temporary copy may become; 0: as the disk has room. */
void frocc__stream_limit(frocc__stream *stream, uint64_t most_spooled);

/* What is asked before a live stream waits for bytes; it then reads, or fails as FROCC__PAUSED, and
 * nothing has happened. */
void frocc__stream_ask(frocc__stream *stream, int (*wait)(void *context, int file), void *context);
#define FROCC__PAUSED ((frocc_status)1000) /* never leaves the library */

/* A look at the next bytes, which stay unread; fewer than size only at the end. */
frocc_status frocc__stream_peek(frocc__stream *stream, size_t size, const char **bytes,
                                size_t *got);
/* Of a live stream, no more than are there once there are as many as the least. */
frocc_status frocc__stream_peek_ready(frocc__stream *stream, size_t least, size_t size,
                                      const char **bytes, size_t *got);

/* Makes read_at possible, by a temporary file where the bytes cannot be reached directly. */
frocc_status frocc__stream_random(frocc__stream *stream, uint64_t *size);
frocc_status frocc__stream_read_at(frocc__stream *stream, uint64_t offset, void *bytes,
                                   size_t size);

/* A stream over a temporary copy of what pull delivers. */
frocc_status frocc__stream_copy(const char *name, frocc__pull pull, void *context,
                                frocc__stream **stream);

/* ---- Inflating (read_inflate.c) ------------------------------------------------------------- */

typedef struct frocc__inflate frocc__inflate;

/* Unpacks what pull delivers: gzip, of any number of members, or one raw deflate stream. */
frocc_status frocc__inflate_new(const char *name, bool gzip, frocc__pull pull, void *context,
                                frocc__inflate **inflate);
frocc_status frocc__inflate_read(frocc__inflate *inflate, void *bytes, size_t size, size_t *got);
/* At least a byte, and no more than comes of what was pulled; none only at the end. */
frocc_status frocc__inflate_ready(frocc__inflate *inflate, void *bytes, size_t size, size_t *got);
frocc_status frocc__inflate_restart(frocc__inflate *inflate);
void frocc__inflate_free(frocc__inflate *inflate);

/* The CRC-32 of gzip and zip, continued over more bytes; always 0 without zlib. */
uint32_t frocc__crc32(uint32_t crc, const void *bytes, size_t size);
#if defined(FROCC_HAVE_ZLIB)
#define FROCC__CRC_KNOWN true
#else
#define FROCC__CRC_KNOWN false
#endif

/* ---- Columns (read_columns.c) --------------------------------------------------------------- */

typedef struct frocc__input frocc__input;

/* Columns by name or number: marks those that reference means. names may be NULL. */
frocc_status frocc__columns_find(const char *file, const char *what, const char *reference,
                                 char *const *names, size_t n_columns, bool *marks);
/* The one column it means; FROCC__NOT_FOUND for a NULL reference. */
frocc_status frocc__column_find(const char *file, const char *what, const char *reference,
                                char *const *names, size_t n_columns, size_t *column);
/* A schema of the file's columns, roles as the options say; kinds, means and texts are to be
 * learnt. */
frocc_status frocc__schema_start(const frocc__input *input, const frocc_reader_options *options,
                                 frocc_schema **schema);

/* The same for a sparse schema whose columns have been counted: only use and drop are heeded. */
frocc_status frocc__schema_select(const frocc__input *input, const frocc_reader_options *options,
                                  frocc_schema *schema);

/* ---- Plan and survey (read_plan.c) ----------------------------------------------------------- */

enum frocc__action {
    FROCC__TO_NUMBER = 0,  /* to feature number feature */
    FROCC__TO_CATEGORY,    /* the code of a text */
    FROCC__TO_NUMBER_TOLD, /* a number, and behind it the state of the cell */
    FROCC__TO_TIME,        /* what a time stamp becomes, from feature on */
    FROCC__TO_LABEL,
    FROCC__TO_ID,
    FROCC__TO_NOTHING,
    FROCC__TO_TEXTS /* survey only: some of the texts are kept for people */
};

#define FROCC__NO_NUMBER                                                                           \
    "is not a number, as the others of the column are; if it means missing, name it in na, or "    \
    "use missing = keep; if the column is of texts, name it in categorical, or leave it out by "   \
    "drop"
#define FROCC__NO_NUMBER_ALLOWED                                                                   \
    "is not a number, as all cells are said to be; if it means missing, name it in na; if the "    \
    "column is of texts, name it in categorical, or leave it out by drop"

#define FROCC__WITH_COMMAS                                                                         \
    "is a number with commas, or with points between thousands; write it with a decimal point "    \
    "and "                                                                                         \
    "nothing else, or name the column in categorical, or in drop"

typedef struct frocc__target {
    enum frocc__action action;
    size_t feature;
    double filler; /* of a missing number */
    size_t time;   /* which one of the schema's times is its column, if it is to be remembered */
    const struct frocc__column *column; /* of the schema; NULL where all are plain numbers */
} frocc__target;

typedef struct frocc__plan {
    size_t n_columns;
    size_t n_features;
    frocc__target *targets; /* n_columns; NULL: column j becomes feature j; also of sparse files */
    char *const *names;     /* of the file's columns, for messages; may be NULL */
    frocc_missing missing;
    const frocc_schema *schema; /* for what stands for missing cells */
    bool learns_kinds;          /* whether a column is of numbers is not known yet */
    const char *missing_advice; /* what to do about a missing cell that is an error */
    frocc_dtype dtype;
    int index_base;
    bool ignore_extra, has_label, has_id, lists_bad_rows;
    size_t n_carried; /* columns whose texts are handed out */
    size_t
        *carry_slot; /* for each column, which of them it is, or FROCC__NOT_FOUND; NULL if none */
} frocc__plan;

/* What a pass over the data is for. */
enum frocc__purpose {
    FROCC__READ_ROWS, /* through a finished schema */
    FROCC__LEARN      /* what cells there are */
};

/* Which columns of the data are taken out, as told; names once the first file has shown them. */
typedef struct frocc__taken {
    const char *label, *id;
    char *const *carry; /* each is one column */
    size_t n_carry;
} frocc__taken;

frocc_status frocc__plan_make(const frocc_schema *schema, const frocc__input *input,
                              const frocc_reader_options *options, const frocc__taken *taken,
                              enum frocc__purpose purpose, frocc__plan *plan);
void frocc__plan_clear(frocc__plan *plan);

/* What one thread of a learning pass finds out. Merging is order-free. */
typedef struct frocc__survey {
    size_t n_columns;
    bool values; /* whether it learns from the values of numbers, not only what is a number */
    bool epochs; /* or in some columns, whether they are times */
    struct frocc__finding {
        frocc__tally tally; /* but for the numbers, which are what is left */
        frocc__known_texts known;
    } * columns;
    frocc__sum *sums;         /* n_columns where it learns values */
    frocc__counting counting; /* of the first column, where that is open */
    uint64_t n_rows;
    uint64_t max_index; /* of sparse rows, as written */
    bool zero_index;
} frocc__survey;

frocc_status frocc__surveys_new(size_t n_columns, int count, bool values, frocc__survey **surveys);
/* A survey's learning pass meets a text that is no number; it may be a time. */
frocc_status frocc__survey_text(struct frocc__finding *finding, const char *text, size_t length);
frocc_status frocc__surveys_merge(frocc__survey *surveys, int count); /* into the first */
void frocc__surveys_free(frocc__survey *surveys, int count);

/* ---- Row buffers (read_buffer.c) ------------------------------------------------------------- */

/* A line of a piece that is no row; the sentence is at an offset of the texts. */
struct frocc__bad {
    uint64_t row, line; /* the row counts from 1 in the piece */
    size_t before, sentence;
};

/* Label and id texts of one piece of a buffer, and its bad rows. */
typedef struct frocc__texts {
    char *bytes;
    size_t used, size;
    struct frocc__bad *bad;
    size_t n_bad, bad_room;
} frocc__texts;
frocc_status frocc__texts_add(frocc__texts *texts, const char *text, size_t length, size_t *offset);

/* The rows an input hands out: grown as needed, used again for the next ones. */
typedef struct frocc__row_buffer {
    frocc_dtype dtype;
    size_t n_rows, n_features, row_stride;
    const void *rows; /* dense values, here or in the input's own memory */
    void *values;
    size_t values_size; /* bytes */
    bool lent;          /* the values are somebody else's memory */
    bool sparse;
    int64_t *row_start;
    int32_t *columns;
    size_t row_start_size, columns_size;

    size_t rows_room, labels_room, ids_room; /* of the arrays below */
    uint64_t *row_numbers;                   /* within the file, from 1 */
    double *label_values;
    size_t *label_offsets, *id_offsets; /* while parsing */
    const char **labels, **ids;
    size_t n_carried, carried_room; /* a row; of the arrays */
    size_t *carried_offsets;
    const char **carried;
    frocc__texts *texts; /* one per piece */
    size_t n_texts;
    frocc_bad_row *bad_rows;
    size_t n_bad_rows, bad_room;
    uint64_t file_rows; /* rows of the file up to the end of this buffer, dropped ones included */
    uint64_t dropped;   /* counted on by the inputs, as the next */
    uint64_t headers;   /* lines that repeat the header and are passed over */
} frocc__row_buffer;

frocc_status frocc__row_buffer_reserve(frocc__row_buffer *buffer, const frocc__plan *plan,
                                       size_t n_rows, size_t n_pieces);
frocc_status frocc__row_buffer_reserve_sparse(frocc__row_buffer *buffer, size_t n_rows,
                                              size_t n_entries);
/* Whether the status is that of a row that can be passed over: then it is one of the piece's bad
 * rows, the row-th, with the thread's last error, in front of the piece's good row before. */
frocc_status frocc__bad_row_add(frocc__texts *texts, frocc_status status, uint64_t row,
                                size_t before);
/* The piece's bad rows become the buffer's; so many rows of the file are in front of the piece. */
frocc_status frocc__row_buffer_take_bad(frocc__row_buffer *buffer, const frocc__texts *texts,
                                        uint64_t rows_before);
size_t frocc__row_buffer_bytes(const frocc__row_buffer *buffer); /* what it holds */
/* Of a buffer and its copy, the copy gets the labels and ids, if it is to, the other the rest. */
void frocc__row_buffer_split(frocc__row_buffer *copy, frocc__row_buffer *buffer, bool texts);
void frocc__row_buffer_clear(frocc__row_buffer *buffer);

/* ---- Cells that are carried (read_carry.c) --------------------------------------------------- */

/* The cell of a column to carry, of a row of the buffer; bare: no text, and nothing where empty. */
frocc_status frocc__row_buffer_carry(frocc__row_buffer *buffer, size_t piece, size_t row,
                                     size_t slot, const char *text, size_t length, bool is_bare);
/* Rows that were carried from one place on are moved to another. */
void frocc__row_buffer_move_carried(frocc__row_buffer *buffer, size_t to, size_t from,
                                    size_t n_rows);
/* The texts of these rows lie with this piece. */
void frocc__row_buffer_point_carried(frocc__row_buffer *buffer, size_t piece, size_t first,
                                     size_t n_rows);

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* One call's work: rows into buffer through plan, or, where surveys is not NULL, only findings. */
typedef struct frocc__job {
    const frocc__plan *plan;
    frocc__row_buffer *buffer;
    frocc__survey *surveys; /* one per thread */
    size_t file;            /* its number in the list */
    int threads;
    bool numbers_only; /* as the caller says: a text is an error even for a survey */
} frocc__job;

/* Between two rows of a file. */
typedef struct frocc__position {
    uint64_t bytes, rows; /* in front of it */
    uint64_t line;        /* number of the next one */
} frocc__position;

/* The bytes of a file in which the rows of a part begin. */
typedef struct frocc__range {
    uint64_t begin, end;
    bool in_lines; /* lines are counted from there */
    bool is_empty; /* not the range: the whole file */
} frocc__range;

typedef struct frocc__input_class {
    frocc_status (*next)(frocc__input *input, const frocc__job *job);
    void (*close)(frocc__input *input);
    /* The line of a row handed out last, counted from 1 in the file, dropped ones included; NULL
     * where there are no lines. */
    uint64_t (*line)(const frocc__input *input, uint64_t row);
    /* Where the rows behind those handed out last begin; and to go on there, right after opening.
     * NULL where that is not known. */
    void (*position)(const frocc__input *input, frocc__position *position);
    frocc_status (*resume)(frocc__input *input, const frocc__position *position);
    /* Right after opening: only the rows that begin in the range. NULL where all rows come. */
    frocc_status (*cut)(frocc__input *input, frocc__range *range);
    /* How much has been read, from 0 to 1; NULL where the bytes of the stream tell. */
    double (*share)(const frocc__input *input);
} frocc__input_class;

struct frocc__input {
    const frocc__input_class *class;
    frocc__stream *stream;
    const char *name;
    size_t n_columns; /* unknown (0) for sparse files */
    char **names;     /* of the columns, or NULL */
    bool is_unnamed;  /* the first name is only its number, as the header has none there */
    bool sparse;
    bool text;            /* cells are text: kinds must be found out */
    bool knows_kinds;     /* it is a table: kinds are known, though any cell may be read as text */
    bool has_labels;      /* it has labels beside its columns, by the name that was told */
    const double *labels; /* those of the rows to be delivered; NULL: of none */
    frocc_dtype dtype;    /* of binary formats */
    bool fixed_dtype;
};

/* They read the stream from its start; it stays the caller's, and must outlive the input. The
 * schema is the one the caller wants the file read through; NULL: that is to be learnt. */
frocc_status frocc__csv_open(frocc__stream *stream, const frocc_reader_options *options,
                             char separator, const frocc_schema *schema, frocc__input **input);
/* The schema may also be one that is being learnt, from this file or those before it; is_given
 * tells.
 */
frocc_status frocc__jsonl_open(frocc__stream *stream, const frocc_reader_options *options,
                               const frocc_schema *schema, bool is_given, frocc__input **input);
frocc_status frocc__npy_open(frocc__stream *stream, const frocc_reader_options *options,
                             frocc__input **input);
frocc_status frocc__npz_open(frocc__stream *stream, const frocc_reader_options *options,
                             frocc__input **input);
frocc_status frocc__libsvm_open(frocc__stream *stream, const frocc_reader_options *options,
                                frocc__input **input);
frocc_status frocc__raw_open(frocc__stream *stream, const frocc_reader_options *options,
                             frocc__input **input);

/* Rows of the caller's; the name must outlive the input, which closes the source once it is open.
 */
frocc_status frocc__table_open(const frocc_table *source, const char *name,
                               const frocc_reader_options *options, frocc__input **input);
bool frocc__table_holds_text(const frocc__input *input, size_t column);
bool frocc__table_may_hold_epochs(const frocc__input *input, size_t column);
bool frocc__table_may_hold_times(const frocc__input *input, size_t column);
/* A callback has failed, perhaps with a sentence. */
frocc_status frocc__table_failed(const char *name, frocc_status status, const char *error);

/* By the name's ending, .gz aside; AUTO when it says nothing. */
frocc_format frocc__format_of_name(const char *path, char *separator);

/* Chooses the format and opens (read_format.c). */
frocc_status frocc__input_open(frocc__stream *stream, const char *path,
                               const frocc_reader_options *options, const frocc_schema *schema,
                               bool is_given, frocc__input **input);
void frocc__input_close(frocc__input *input);

frocc_status frocc__copy_text(const char *text, char **copy); /* NULL stays NULL */

/* ---- Shared by formats ----------------------------------------------------------------------- */

/* Whole lines of a text file, cut into pieces that threads can take (read_lines.c). */
typedef struct frocc__piece {
    const char *begin, *end; /* ends with a line end; readable beyond for the number scanner */
    uint64_t line;           /* number of the first line */
    size_t lines;
    bool has_quotes;
    frocc_status status; /* of its parsing */
    frocc__error error;
} frocc__piece;

typedef struct frocc__lines {
    frocc__stream *stream;
    bool quotes; /* a line end within quotes ends no line */
    char separator;
    size_t max_line;
    size_t bytes_each;     /* read at once for each thread, 0 for the usual */
    size_t most_lines;     /* handed out at once, but at least one; 0: any number. Without quotes */
    char *memory, *buffer; /* the buffer lies in the memory, behind a margin */
    size_t size;           /* of the buffer, padding aside */
    size_t begin, end;     /* what was read but not yet handed out */
    uint64_t line;         /* number of the line at begin */
    uint64_t taken;        /* bytes of the file in front of it */
    bool at_end;
    bool is_part, ends_part; /* lines that begin at until or behind it are not ours; reached */
    uint64_t until;
    frocc__piece *pieces;
    size_t n_pieces, pieces_size;
} frocc__lines;

/* The next pieces, none at the end of the file. */
frocc_status frocc__lines_next(frocc__lines *lines, int threads);
void frocc__lines_clear(frocc__lines *lines);

/* Parts of text (read_part.c): only the lines that begin in the range; and what was read of lines
 * behind it is forgotten. */
frocc_status frocc__lines_cut(frocc__lines *lines, frocc__range *range);
void frocc__lines_end_part(frocc__lines *lines);

/* Has all pieces parsed, shared out among the job's threads; thread is whose turn it is. Fails as
 * the first piece that fails. */
typedef frocc_status (*frocc__piece_fn)(frocc__input *input, const frocc__job *job, size_t piece,
                                        int thread);
frocc_status frocc__lines_parse(frocc__lines *lines, frocc__input *input, const frocc__job *job,
                                frocc__piece_fn parse);
size_t frocc__count_lines(const char *begin, const char *end);

/* How long a line may be, by the options, and what is said of one that is longer. */
size_t frocc__longest_line(const frocc_reader_options *options);
frocc_status frocc__line_too_long(const char *file, uint64_t line, size_t max_line);

/* A look at the next bytes, whole lines where the file does not end first, copied and grown from
 * look to look, as far as a line may be long, until they are enough. */
typedef struct frocc__sample {
    char *text; /* ends with a line end; frocc__free it */
    const char *end;
    bool whole; /* the file has no more */
} frocc__sample;
frocc_status frocc__sample_take(frocc__stream *stream, size_t first_look, size_t max_line,
                                bool (*is_enough)(const frocc__sample *sample),
                                frocc__sample *sample);

/* A cell as it lies in the text: without its quotes, or without the blanks around it. */
typedef struct frocc__cell {
    const char *text;
    size_t length;
    bool doubled; /* quotes within it are still written twice */
    bool is_text; /* whatever it looks like */
} frocc__cell;

/* Reads the cell at p of a text that ends, at end, with a line end. Returns where the cell ends, at
 * a separator, a blank or a line end; NULL when a quote is not closed or something follows it. */
const char *frocc__csv_cell(const char *p, const char *end, char separator, frocc__cell *cell);
size_t frocc__csv_unquote(const frocc__cell *cell, char *out);
const char *frocc__skip_blanks(const char *p, char separator);

/* A decimal with a comma for its point, and digits on both sides. out: at least FROCC__COMMA_SIZE
 * bytes, which get it with a point; its length, or 0 where this is none. */
#define FROCC__COMMA_SIZE 64
size_t frocc__decimal_comma(const char *text, size_t length, char out[FROCC__COMMA_SIZE]);
/* Whether such a cell may have its comma between thousands. */
bool frocc__may_be_thousands(const frocc__cell *cell);
static inline bool frocc__at_line_end(const char *p) {
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

/* Whether the line of a CSV file is a comment. A # with anything else behind it begins a cell, as
 * in #N/A, #17 or #general. */
static inline bool frocc__is_comment(const char *line) {
    return *line == '#' && (line[1] == ' ' || line[1] == '#' || frocc__at_line_end(line + 1));
}

/* What the decimals of numbers follow. */
enum frocc__decimals { FROCC__POINTS, FROCC__COMMAS, FROCC__POINTS_OR_COMMAS };

/* What the first rows of a CSV file tell (read_csv_detect.c). */
typedef struct frocc__csv_shape {
    char separator;
    enum frocc__decimals decimals;
    size_t n_columns;
    char **names;      /* NULL without a header */
    char *header;      /* its line, where that cannot be a row of numbers; or NULL */
    bool is_unnamed;   /* the first name is only its number, as the header has none there */
    size_t skip_bytes; /* byte order mark, comments and header */
    size_t skip_lines;
} frocc__csv_shape;
frocc_status frocc__csv_detect(frocc__stream *stream, const frocc_reader_options *options,
                               char separator, const frocc_schema *schema, frocc__csv_shape *shape);
void frocc__names_free(char **names, size_t count);
/* Whether every name is there once. */
frocc_status frocc__names_check(const char *file, char *const *names, size_t count);

/* Of rows that lie one behind the other, how many begin in front of a byte of the file. */
static inline uint64_t frocc__rows_in_front(uint64_t byte, uint64_t header, uint64_t row_bytes) {
    return byte <= header ? 0 : (byte - header + row_bytes - 1) / row_bytes;
}

/* Rows of numbers as they lie in a binary file, through the plan into the buffer (read_dense.c). */
frocc_status frocc__dense_deliver(const frocc__input *input, const frocc__job *job,
                                  const void *values, size_t n_rows, uint64_t first_row);

/* The text that a truth stands as where a column has texts, as Python writes it. */
static inline const char *frocc__truth_text(bool truth) {
    return truth ? "True" : "False";
}

/* Whether a cell stands for a missing value in the column that is its target. */
bool frocc__target_lacks(const frocc__plan *plan, const frocc__target *target, const char *text,
                         size_t length);

#endif
