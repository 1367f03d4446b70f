/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frocc.h - fast random projection-based one-class classification.
 *
 * Learn what normal looks like from normal rows only, then say how normal a new row is.
 * Reading order: status, rows, parameters; then the simple way (fit, score, save, load), the
 * streaming way (sample, frame, fitter), and what one fit can still answer (coarsen, truncate,
 * grid, seal, distances, theory). Rows in memory need nothing else; frocc_io.h reads them from
 * files and writes them.
 *
 * Every fallible function returns a frocc_status; results go to out-parameters, which are left
 * untouched on failure (only the contents of arrays with a value per row are then unspecified),
 * and frocc_last_error() says what went wrong, where, and what to do.
 * The library never prints, exits, aborts, or touches the locale or the global random state.
 * The same input gives the same bits on any CPU, thread count, batch size or split of the rows, and
 * whatever rounding, flushing of small numbers or traps the caller has set: those are set aside
 * while the library computes, in callbacks too, and come back at the end.
 */
#ifndef FROCC_H
#define FROCC_H

#include <math.h> /* NAN */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define FROCC_API
#else
#define FROCC_API __attribute__((visibility("default")))
#endif

#define FROCC_VERSION_MAJOR 0
#define FROCC_VERSION_MINOR 1
#define FROCC_VERSION_PATCH 0

/* The three in one number, which rises with every release: #if FROCC_VERSION_NUMBER >= 102 */
#define FROCC_VERSION_NUMBER                                                                       \
    (FROCC_VERSION_MAJOR * 10000 + FROCC_VERSION_MINOR * 100 + FROCC_VERSION_PATCH)

/* ---- Status ------------------------------------------------------------------------------- */

/* The values are pinned: they never change meaning and are never used again. */
typedef enum frocc_status {
    FROCC_OK = 0,
    FROCC_ERR_ARGUMENT = 1,     /* a parameter or pointer is outside what is allowed */
    FROCC_ERR_MEMORY = 2,       /* memory could not be had, or is more than was allowed */
    FROCC_ERR_DATA = 3,         /* a value in the rows is not usable: NaN, infinite, too large; or
                                   a row that is to be left out was not learnt */
    FROCC_ERR_SHAPE = 4,        /* the rows do not have the shape that was expected */
    FROCC_ERR_EMPTY = 5,        /* there is nothing to learn from: no rows */
    FROCC_ERR_FRAME = 6,        /* the two objects do not live in the same frame */
    FROCC_ERR_FORMAT = 7,       /* a file of frocc is damaged, or of another kind */
    FROCC_ERR_VERSION = 8,      /* a file of frocc is of a version this library does not know */
    FROCC_ERR_IO = 9,           /* a file could not be read or written */
    FROCC_ERR_CALLBACK = 10,    /* a row source or kernel of the caller reported a failure */
    FROCC_ERR_UNSUPPORTED = 11, /* this object cannot do that; the message says which can */
    FROCC_ERR_CANCELLED = 12    /* the caller has cancelled the call: frocc_set_cancel */
} frocc_status;

/* The constant's name, for example "FROCC_ERR_DATA"; never NULL. */
FROCC_API const char *frocc_status_name(frocc_status status);

/* The sentence of the calling thread's last failure; "" when there was none. */
FROCC_API const char *frocc_last_error(void);

/*
 * Where that failure is, for programs: what the sentence names, as numbers and texts. The texts are
 * valid until the next failure of this thread; very long ones are cut.
 */
typedef struct frocc_error_place {
    size_t struct_size;      /* set by the caller: sizeof(frocc_error_place) */
    int64_t row;             /* from 0, of the rows of the call or of the file; -1: not known */
    int64_t column;          /* the same */
    int64_t line;            /* of the file, from 1; -1: not known, or a file without lines */
    const char *file;        /* NULL: no file was at fault */
    const char *column_name; /* NULL: not known, or a column without a name */
    const char *what;        /* the sentence without the place */
} frocc_error_place;
FROCC_API void frocc_last_error_place(frocc_error_place *place);

/*
 * Lets the calling thread's long calls be cancelled, until it is called again: fits, scores,
 * explanations, merges and readers ask every few milliseconds, in this thread, and end with
 * FROCC_ERR_CANCELLED when asked(context) is not 0; with asked NULL, when the int that context
 * points to is not 0, which a signal handler or another thread may set. Both NULL: never. What the
 * call was to make is not made, and what it was called for can be used on: a fitter has the leading
 * rows that frocc_fitter_rows counts. Only a sample that was half way can just be freed.
 */
FROCC_API void frocc_set_cancel(int (*asked)(void *context), void *context);

/* "MAJOR.MINOR.PATCH" of the library that is running. */
FROCC_API const char *frocc_version(void);

/*
 * The kernel level in use: "ref", "avx2", "avx512" or "neon". The environment variable FROCC_CPU
 * forces a level; it is read once, before the first use. A level this CPU lacks falls back to the
 * best it has. The level changes the speed, never a bit of a result.
 */
FROCC_API const char *frocc_cpu_level(void);

/*
 * Replaces malloc and free, allocate and release, for everything the library allocates from now on;
 * both get the context, allocate returns memory aligned as malloc's or NULL, and release is never
 * called with NULL. Call it before any object exists and from one thread; NULL restores the C
 * library's functions. Where the system has large pages, they are asked for (madvise) for blocks of
 * 4 MiB and more.
 */
typedef struct frocc_allocator {
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory);
    void *context;
} frocc_allocator;
FROCC_API void frocc_set_allocator(const frocc_allocator *allocator);

/* ---- Rows ---------------------------------------------------------------------------------- */

typedef enum frocc_dtype { FROCC_F32 = 0, FROCC_F64 = 1 } frocc_dtype;

/*
 * A view of rows; the memory stays the caller's. Dense: row r starts at element r * row_stride of
 * values, and row_stride is at least n_features. Sparse (CSR): row r has the entries
 * row_start[r] .. row_start[r + 1] - 1 of columns and values, columns rising within a row; what is
 * not named is zero. Sparse rows give the bits of the same dense rows.
 */
typedef struct frocc_rows {
    size_t n_rows;
    size_t n_features;
    frocc_dtype dtype;
    const void *values;
    size_t row_stride;        /* in elements; dense only */
    const int64_t *row_start; /* NULL for dense rows; n_rows + 1 entries */
    const int32_t *columns;   /* CSR only */
} frocc_rows;

/* Contiguous dense rows, and CSR rows, of either type. */
FROCC_API frocc_rows frocc_rows_f32(const float *values, size_t n_rows, size_t n_features);
FROCC_API frocc_rows frocc_rows_f64(const double *values, size_t n_rows, size_t n_features);
FROCC_API frocc_rows frocc_rows_csr(frocc_dtype dtype, const void *values, const int64_t *row_start,
                                    const int32_t *columns, size_t n_rows, size_t n_features);

/*
 * Rows that come in blocks. next fills in the next block, n_rows 0 at the end; the block stays
 * valid until the next call. rewind goes back to the first block; it may be NULL when one pass is
 * enough (nothing is learnt from a sample). Both return FROCC_OK or a failure, which the reading
 * function hands on.
 */
typedef struct frocc_source {
    frocc_status (*next)(void *context, frocc_rows *block);
    frocc_status (*rewind)(void *context);
    void *context;
} frocc_source;

typedef struct frocc_schema frocc_schema; /* what the columns of a file become; see frocc_io.h */

/* ---- Parameters ---------------------------------------------------------------------------- */

/* K(w, x), with p = <w, x>. The paper's four, and the caller's own. */
typedef enum frocc_kernel {
    FROCC_KERNEL_LINEAR = 0,
    FROCC_KERNEL_RBF = 1,     /* exp(-gamma * |x - w|^2) */
    FROCC_KERNEL_POLY = 2,    /* (gamma * p + coef0)^degree */
    FROCC_KERNEL_SIGMOID = 3, /* tanh(gamma * p + coef0) */
    FROCC_KERNEL_CUSTOM = 4
} frocc_kernel;

/*
 * The caller's kernel: a pure function, called from several threads at once. NaN is a failure when
 * fitting and a rejection when scoring; infinities count as the largest float32.
 */
typedef float (*frocc_kernel_fn)(void *context, const float *row, const float *direction,
                                 size_t n_features);

/* What is done to a feature before projecting: (x - shift) / scale in double, rounded once. */
typedef enum frocc_scaling {
    FROCC_SCALING_NONE = 0,
    FROCC_SCALING_STANDARD = 1, /* mean 0, variance 1 over the sample */
    FROCC_SCALING_MINMAX = 2,   /* the sample's range becomes [0, 1] */
    FROCC_SCALING_GIVEN = 3,    /* by the caller's shift and scale */
    FROCC_SCALING_ASINH = 4, /* standard, then asinh(2 z), then standard again: long tails fold */
    FROCC_SCALING_WHITEN = 5 /* standard, and Gaussian directions drawn in the space in which the
                                sample's covariance, shrunk by 1/32, is the identity */
} frocc_scaling;

/* Where the directions come from. */
typedef enum frocc_family {
    FROCC_FAMILY_GAUSSIAN = 0, /* uniform on the unit sphere, a pure function of the seed */
    FROCC_FAMILY_GIVEN = 1,    /* the caller's matrix, used as it is */
    FROCC_FAMILY_MIXED = 2,    /* in turn one whitened direction over all features, a single feature
                                  as long as there are some, and over 2, 3 or 4; needs a sample */
    FROCC_FAMILY_HADAMARD = 3, /* structured: random signs and fast Walsh-Hadamard transforms, at
                                  O(log d) a projection; for wide rows */
    FROCC_FAMILY_SPARSE = 4,   /* each over a share of the features, density */
    FROCC_FAMILY_AUTO = 5      /* gaussian, hadamard or, where a density is given, sparse: what
                                  takes the fewest operations. The frame says which it is */
} frocc_family;

/* How normal a row is; higher is more normal, and 1 is as normal as it gets. */
typedef enum frocc_score {
    FROCC_SCORE_AGREEMENT = 0, /* the paper's: the share of accepting directions */
    FROCC_SCORE_CLOSENESS = 1  /* free of epsilon: how wide the gaps are that a row's projections
                                  fall in, how far it is from the rows of its cells, and how wild
                                  its wildest value is, weighed; docs/algorithm.md. From
                                  histograms, whose cells are at most epsilon of a range wide */
} frocc_score;

#define FROCC_MAX_FEATURES ((size_t)1 << 27)
#define FROCC_MAX_DIRECTIONS ((size_t)1 << 24)
#define FROCC_MIN_EPSILON 1e-6f
#define FROCC_CLOSENESS_MIN_EPSILON 0x1p-16f
#define FROCC_CLOSENESS_MAX_EPSILON 0.25f
#define FROCC_MAX_DEGREE 32
#define FROCC_KERNEL_NAME_SIZE 32

/* As calibration_rows: 1,024 or, where that is too few for the rate, 1 / fpr of them; but no more
 * than take 16 MiB in the model, or 128 MiB while it is fitted. */
#define FROCC_CALIBRATION_AUTO SIZE_MAX

typedef struct frocc_params {
    size_t struct_size; /* set by frocc_params_init */
    uint64_t seed;
    size_t n_directions; /* m */
    float epsilon;       /* separation: FROCC_MIN_EPSILON to 1 for agreement, 2^-16 to 0.25 for
                            closeness */
    frocc_score score;
    double threshold; /* normal when the score is at least this; 1 as in the paper */

    /* With closeness: training rows whose scores, as if they had been left out, calibrate the
     * decision; 0 for none, FROCC_CALIBRATION_AUTO for as many as fpr needs. */
    size_t calibration_rows;
    double fpr; /* above 0: normal unless the p-value is at most this, in place of threshold */

    /* With closeness: of the training rows, the share that may be anomalies, 0 to 0.5. One or two
     * bad rows in thousands need none. It works through the rows that calibrate: without them, the
     * scores of directions and leaves are those of clean rows. */
    double contamination;
    size_t n_trees; /* that split rows into cells in which they are compared; 0 for none */

    frocc_kernel kernel;
    double gamma; /* 0 stands for 1 / n_features */
    double coef0;
    int degree;
    frocc_kernel_fn kernel_fn; /* FROCC_KERNEL_CUSTOM only, as the next two */
    void *kernel_context;
    const char *kernel_name; /* kept in the model file; under FROCC_KERNEL_NAME_SIZE bytes */

    frocc_scaling scaling;
    const double *shift; /* FROCC_SCALING_GIVEN only: n_features values each */
    const double *scale;
    size_t sample_rows; /* distinct rows to learn a scaling from; 0 stands for a rule on d */

    frocc_family family;
    const float *directions; /* FROCC_FAMILY_GIVEN only: n_directions x n_features */
    double density;          /* FROCC_FAMILY_SPARSE and AUTO: of the features, the share that a
                                direction is over; 0 stands for 1 / sqrt(n_features) */

    const frocc_schema *schema; /* what the columns are; kept in the model; may be NULL */

    int threads; /* 0 stands for one per CPU that the process may use, or OMP_NUM_THREADS */
} frocc_params;

/*
 * The default, which the command and the Python package use too; it did best without labels over
 * many public sets (docs/accuracy.md): closeness, m 256, epsilon 2^-12, asinh scaling, mixed
 * directions, 24 trees; calibrated by up to 1024 rows for a false-alarm rate of 0.01.
 */
FROCC_API void frocc_params_init(frocc_params *params);

/* The paper's method: agreement, m 1000, epsilon 0.1, no scaling, linear kernel; seed 0. */
FROCC_API void frocc_params_init_paper(frocc_params *params);

/* Says whether the parameters can be used on rows of n_features, and if not, why. */
FROCC_API frocc_status frocc_params_check(const frocc_params *params, size_t n_features);

/* Whether a frame of these parameters is learnt from a sample of the rows, so that these are read
 * twice: scaling, directions, trees, or which texts are frequent. 1 or 0. */
FROCC_API int frocc_params_learn(const frocc_params *params);

/* ---- The simple way ------------------------------------------------------------------------ */

typedef struct frocc_model frocc_model;   /* immutable; may be shared by threads */
typedef struct frocc_scorer frocc_scorer; /* scratch for one thread of the caller's */

/* One pass over the rows, two when a scaling is learnt. Time O(n d m), memory O(m (d + 1/eps)). */
FROCC_API frocc_status frocc_fit(const frocc_params *params, const frocc_rows *rows,
                                 frocc_model **model);
FROCC_API frocc_status frocc_fit_source(const frocc_params *params, frocc_source *source,
                                        frocc_model **model);
FROCC_API void frocc_model_free(frocc_model *model);

/* Writes to a temporary name in the same folder, flushes, renames: the old file or the new one. */
FROCC_API frocc_status frocc_model_save(const frocc_model *model, const char *path);

/*
 * What a loader cannot find in a file; NULL where none is needed. Directions that are drawn are not
 * in the file, so a small file may honestly need much memory, and one that was made to do harm may
 * claim to. What takes more than max_memory bytes while it is loaded, the file's own included, or
 * as long as filling so many, is refused before it is made, with FROCC_ERR_MEMORY. 0 stands for 512
 * times the size of the file, and no less than 48 MiB; SIZE_MAX is no limit, for files that you
 * wrote yourself.
 */
typedef struct frocc_load_options {
    size_t struct_size;
    frocc_kernel_fn kernel_fn; /* needed by models of a custom kernel */
    void *kernel_context;
    size_t max_memory; /* in bytes; see above */
} frocc_load_options;
FROCC_API frocc_status frocc_model_load(const char *path, const frocc_load_options *options,
                                        frocc_model **model);

/* The same bytes in memory; frocc_bytes_free releases them. */
FROCC_API frocc_status frocc_model_to_bytes(const frocc_model *model, void **bytes, size_t *size);
FROCC_API frocc_status frocc_model_from_bytes(const void *bytes, size_t size,
                                              const frocc_load_options *options,
                                              frocc_model **model);
FROCC_API void frocc_bytes_free(void *bytes);

/* What bytes of ours hold, by the first twelve of them; they may be damaged all the same. */
typedef enum frocc_kind {
    FROCC_KIND_MODEL = 0,
    FROCC_KIND_SAMPLE = 1,
    FROCC_KIND_FRAME = 2,
    FROCC_KIND_FITTER = 3
} frocc_kind;
FROCC_API frocc_status frocc_bytes_kind(const void *bytes, size_t size, frocc_kind *kind);

/* The bytes of such a file, whatever its kind: what is no file of ours, or larger than max_memory,
 * is not read. frocc_bytes_free releases them; options may be NULL. */
FROCC_API frocc_status frocc_bytes_load(const char *path, const frocc_load_options *options,
                                        void **bytes, size_t *size);

/*
 * A scorer keeps a reference to its model. threads 1 is best for single rows; 0 stands for all.
 * The results below do not depend on the number of threads or on how rows are batched.
 */
FROCC_API frocc_status frocc_scorer_new(const frocc_model *model, int threads,
                                        frocc_scorer **scorer);
FROCC_API void frocc_scorer_free(frocc_scorer *scorer);

/* The model's score, agreement or closeness: one double a row. */
FROCC_API frocc_status frocc_scorer_score(frocc_scorer *scorer, const frocc_rows *rows,
                                          double *scores);

/*
 * The scores that training rows get from a model without them: each row as if it alone had not been
 * there, its own values taken away from what was counted; of a row that came twice one copy stays.
 * In the frame of all rows that is the score of a model fitted without the row, but for a row that
 * alone decides how wide the cells of a grid are; and with contamination above 0 it is close to
 * that score, not the same (docs/algorithm.md). This is how the odd rows among the training rows
 * are found. Rows may come in any batches. FROCC_ERR_DATA for a row that was plainly not learnt,
 * FROCC_ERR_UNSUPPORTED for sealed models and those of agreement, which have no counts,
 * FROCC_ERR_EMPTY for a model of one row. The first call takes O(m / epsilon) more.
 */
FROCC_API frocc_status frocc_scorer_score_left_out(frocc_scorer *scorer, const frocc_rows *rows,
                                                   double *scores);

/*
 * Adds to news, one number a feature, how many of the rows have a text there, or a state or a
 * weekday, that no training row had. Where that is most rows, a column is not written as it was:
 * True for 1, upper case, other codes.
 */
FROCC_API frocc_status frocc_model_count_news(const frocc_model *model, const frocc_rows *rows,
                                              uint64_t *news);

/*
 * Whether rows are those that were learnt, which score as normal by construction. Of the rows that
 * calibrate, the share that has been met exactly as often as it was learnt, in all such calls of
 * this scorer together: all of them in the rows of the fit, none among new ones that vary without
 * steps, and less than about a third where few different rows come again and again. From 0.75 on it
 * is convincing. 0 where fewer than 16 different rows calibrate, and of sealed models.
 */
FROCC_API frocc_status frocc_scorer_meet(frocc_scorer *scorer, const frocc_rows *rows,
                                         double *learnt);

/*
 * The same where several scorers of one model share the rows, in other threads, processes or
 * machines: how often each of the rows that calibrate has been met, in an order that is the
 * model's, goes to the first min(capacity, *count) of met, which may be NULL when capacity is 0;
 * another scorer adds it to its own. *count is 0 where nothing can be met.
 */
FROCC_API frocc_status frocc_scorer_copy_met(const frocc_scorer *scorer, uint64_t *met,
                                             size_t capacity, size_t *count);
FROCC_API frocc_status frocc_scorer_add_met(frocc_scorer *scorer, const uint64_t *met, size_t count,
                                            double *learnt);

/* The exact count behind agreement: accepting directions, 0 to m. */
FROCC_API frocc_status frocc_scorer_count(frocc_scorer *scorer, const frocc_rows *rows,
                                          uint32_t *accepted);

/* As a threshold: the model's own, by its threshold or its false-alarm rate. It is a NaN. */
#define FROCC_OWN_THRESHOLD ((double)NAN)

/*
 * 1 where the score is at least the threshold, which may be FROCC_OWN_THRESHOLD, else 0. With
 * agreement, stops looking at a row as soon as its decision is certain. Where the model has too few
 * calibration rows for its false-alarm rate, its own decision is that of frocc_model_threshold, and
 * a row is an outlier also when a value lies outside those of the training rows by more than they
 * span; that is asked where there are at least as many training rows as features.
 */
FROCC_API frocc_status frocc_scorer_decide(frocc_scorer *scorer, const frocc_rows *rows,
                                           double threshold, uint8_t *normal);

/*
 * The share of normal rows that would score as low or lower: (1 + calibration scores at most this
 * one) / (1 + calibration rows). A row like the training rows has a p-value of at most a with
 * probability a or less. FROCC_ERR_UNSUPPORTED for a model without calibration.
 */
FROCC_API frocc_status frocc_model_p_values(const frocc_model *model, const double *scores,
                                            size_t n_scores, double *p_values);

/*
 * The score from which on a row is normal at this false-alarm rate. With n calibration rows, no
 * rate below 1 / (n + 1) can be told: there it is the lowest of their scores, so that an outlier is
 * what scores below all of them. Without any it is 0, which is as far as a range is wide. -HUGE_VAL
 * for a rate of 0.
 */
FROCC_API frocc_status frocc_model_threshold(const frocc_model *model, double fpr,
                                             double *threshold);

/*
 * Which directions reject, and by how much: the distance of the row's projection from the nearest
 * interval (the paper's alpha, extended to the gaps), 0 where the direction accepts. n_rows x m
 * floats.
 */
FROCC_API frocc_status frocc_scorer_distances(frocc_scorer *scorer, const frocc_rows *rows,
                                              float *distances);

/*
 * Why a row scores as it does, feature by feature: gain[j] is by how much the score rises when
 * feature j alone gets the value better[j], in the units of the data and exactly as a row of
 * doubles scores then; where no value that was tried helps, the gain is 0 and better[j] the row's
 * own value. docs/algorithm.md says which values are tried: with closeness and asinh scaling, which
 * know the extremes of features, none outside of what training rows had, and whole numbers where
 * theirs are. Of a code, which stands for a text, a day or a state, the most frequent one is tried
 * and the one that goes best with the rest of the row, and none that is rarer than the row's own
 * unless two do not belong together. The two features of an hour change together: the sine has the
 * gain. Where a number is missing, the feature that tells so has the gain and not the number; where
 * it is better that it is missing, the gain is what one gets when the number becomes what a missing
 * one is read as, too (filler of frocc_column_info).
 */
FROCC_API frocc_status frocc_model_explain(const frocc_model *model, const frocc_rows *row,
                                           double *gain, double *better);

/*
 * The smallest and the largest value that training rows had of a feature, in the units of the data,
 * as far as float32 keeps them. FROCC_ERR_UNSUPPORTED for a model that does not know them: all but
 * those of closeness with asinh scaling and no structured directions or custom kernel.
 */
FROCC_API frocc_status frocc_model_feature_range(const frocc_model *model, size_t feature,
                                                 double *low, double *high);

/* How a feature speaks against a row. */
typedef enum frocc_reason_kind {
    FROCC_REASON_UNUSUAL = 0,  /* beside the others */
    FROCC_REASON_OUTSIDE = 1,  /* a number beyond those of all training rows */
    FROCC_REASON_RARE = 2,     /* a text, a day or a state that few training rows had, or none */
    FROCC_REASON_TOGETHER = 3, /* two of these that are hardly ever together */
    FROCC_REASON_APART = 4     /* a number that rows with the same text do not have */
} frocc_reason_kind;

/* The first four are set by the caller; the rest is the answer. */
typedef struct frocc_reason {
    size_t struct_size; /* sizeof(frocc_reason) */
    size_t feature;
    const frocc_schema *schema; /* names the features; NULL: the model's */
    double low, high; /* what a number usually is; NaN: what training rows had; low > high: unknown
                       */
    frocc_reason_kind kind;
    size_t other; /* the second feature that the sentence is about; without one the first */
    size_t fact;  /* so many bytes of the sentence say what the row has, the rest what is usual */
    char sentence[512]; /* "bytes is 900 where status is 304, usually 0" */
} frocc_reason;

/* What speaks against a feature of one row, in words; better is that of frocc_model_explain. */
FROCC_API frocc_status frocc_model_reason(const frocc_model *model, const frocc_rows *row,
                                          const double *better, frocc_reason *reason);

/* ---- The streaming way --------------------------------------------------------------------- */

typedef struct frocc_sample frocc_sample;
typedef struct frocc_frame frocc_frame; /* immutable; may be shared by threads */
typedef struct frocc_fitter frocc_fitter;

/*
 * The bottom-k sample a scaling is learnt from: the k distinct rows whose contents hash smallest
 * under the seed, with their multiplicities. It does not depend on the order of the rows, and
 * samples of parts merge into the sample of the whole. Rows that cannot be used, or are more than
 * 2^64 - 1 together, leave it as it was; only running out of memory half way leaves a sample that
 * can do nothing more.
 */
FROCC_API frocc_status frocc_sample_new(const frocc_params *params, size_t n_features,
                                        frocc_sample **sample);
FROCC_API frocc_status frocc_sample_add(frocc_sample *sample, const frocc_rows *rows);
FROCC_API frocc_status frocc_sample_merge(frocc_sample *into, const frocc_sample *from);
FROCC_API frocc_status frocc_sample_size(const frocc_sample *sample, size_t *n_rows);
FROCC_API void frocc_sample_free(frocc_sample *sample);

/*
 * What travels between processes and machines, as a model does: the same content is the same bytes
 * on any machine; from_bytes trusts nothing, and what it gives goes on as if it had never been
 * stored. A sample keeps the schema of its parameters, if there is one; only samples of the same
 * schema merge, and it becomes that of the frame, whose parameters have the same or none.
 */
FROCC_API frocc_status frocc_sample_to_bytes(const frocc_sample *sample, void **bytes,
                                             size_t *size);
FROCC_API frocc_status frocc_sample_from_bytes(const void *bytes, size_t size,
                                               frocc_sample **sample);
FROCC_API size_t frocc_sample_features(const frocc_sample *sample);

/* How a row becomes m numbers. sample may be NULL where nothing is learnt: no scaling, no mixed
 * directions, no trees. */
FROCC_API frocc_status frocc_frame_new(const frocc_params *params, size_t n_features,
                                       const frocc_sample *sample, frocc_frame **frame);
FROCC_API void frocc_frame_free(frocc_frame *frame);
FROCC_API size_t frocc_frame_features(const frocc_frame *frame);
FROCC_API size_t frocc_frame_directions(const frocc_frame *frame);
FROCC_API uint64_t frocc_frame_checksum(const frocc_frame *frame);
FROCC_API frocc_status frocc_frame_to_bytes(const frocc_frame *frame, void **bytes, size_t *size);
FROCC_API frocc_status frocc_frame_from_bytes(const void *bytes, size_t size,
                                              const frocc_load_options *options,
                                              frocc_frame **frame);

/* Copies directions first .. first + count - 1, row by row: count x n_features floats. */
FROCC_API frocc_status frocc_frame_copy_directions(const frocc_frame *frame, size_t first,
                                                   size_t count, float *directions);

/* Copies shift and scale, n_features doubles each: 0 and 1 where nothing is scaled. */
FROCC_API void frocc_frame_copy_scaling(const frocc_frame *frame, double *shift, double *scale);

/* K(w_i, x_r) for every row and direction: n_rows x m floats. Mainly for comparing. */
FROCC_API frocc_status frocc_frame_project(const frocc_frame *frame, const frocc_rows *rows,
                                           float *projections);

/*
 * Takes rows in any number of calls and any order. When frocc_fitter_add fails, the fitter holds
 * exactly the rows that frocc_fitter_rows counts, always a whole number of leading rows of the
 * call, and stays usable. Only a custom kernel that returns NaN leaves a fitter that can do
 * nothing more.
 *
 * The fitter keeps a reference to the frame. Of the parameters, which must be valid as a whole,
 * these count: epsilon, score, threshold, calibration_rows, fpr, contamination and threads.
 * All others are the frame's already, and are not looked at.
 */
FROCC_API frocc_status frocc_fitter_new(const frocc_frame *frame, const frocc_params *params,
                                        frocc_fitter **fitter);

/* A fitter of other rows with the frame and the parameters of a model, so that what it learns
 * merges with it: yesterday's model with today's, one machine's with another's. Threads as in
 * frocc_params. */
FROCC_API frocc_status frocc_fitter_like(const frocc_model *model, int threads,
                                         frocc_fitter **fitter);
FROCC_API frocc_status frocc_fitter_add(frocc_fitter *fitter, const frocc_rows *rows);
FROCC_API frocc_status frocc_fitter_merge(frocc_fitter *into, const frocc_fitter *from);
FROCC_API uint64_t frocc_fitter_rows(const frocc_fitter *fitter);

/* The model of the rows so far; the fitter may go on. */
FROCC_API frocc_status frocc_fitter_finish(frocc_fitter *fitter, frocc_model **model);

/*
 * The rows so far with the frame and the parameters, and the fitter may go on. One of no rows is
 * what the parts of a fit need to agree on: each begins with these bytes, adds its rows, and all of
 * them merge, in any order, into the fitter of the whole. The bytes are about those of the model.
 */
FROCC_API frocc_status frocc_fitter_to_bytes(frocc_fitter *fitter, void **bytes, size_t *size);
FROCC_API frocc_status frocc_fitter_from_bytes(const void *bytes, size_t size,
                                               const frocc_load_options *options, int threads,
                                               frocc_fitter **fitter);

/* The fitter's frame, a new reference: frocc_frame_free it. */
FROCC_API frocc_frame *frocc_fitter_frame(const frocc_fitter *fitter);
FROCC_API void frocc_fitter_free(frocc_fitter *fitter);

/* ---- What one fit can answer --------------------------------------------------------------- */

/* The model of all the rows behind models of one frame and one epsilon: the same bytes. */
FROCC_API frocc_status frocc_model_merge(const frocc_model *const *models, size_t n_models,
                                         frocc_model **merged);

/* The model a fit with this larger epsilon, or with fewer directions, would have given. */
FROCC_API frocc_status frocc_model_coarsen(const frocc_model *model, float epsilon,
                                           frocc_model **coarser);
FROCC_API frocc_status frocc_model_truncate(const frocc_model *model, size_t n_directions,
                                            frocc_model **shorter);

/*
 * Accepting directions at every (epsilon, m) of a grid in one pass: counts is
 * n_rows x n_epsilons x n_ms. Both lists rise; epsilons start at the model's or above, ms end at
 * the model's or below.
 */
FROCC_API frocc_status frocc_scorer_grid(frocc_scorer *scorer, const frocc_rows *rows,
                                         const float *epsilons, size_t n_epsilons,
                                         const uint32_t *ms, size_t n_ms, uint32_t *counts);

/*
 * For scoring only: the same scores, decisions and p-values to the bit, without what only merging,
 * coarsening and truncating need: the rows that calibrate, and counts beyond those it judges by.
 * One of agreement is copied.
 */
FROCC_API frocc_status frocc_model_seal(const frocc_model *model, frocc_model **sealed);

/*
 * The model of the same rows, of which another share may be anomalies: what a fit with that
 * contamination would have given. For closeness only.
 */
FROCC_API frocc_status frocc_model_decontaminate(const frocc_model *model, double contamination,
                                                 frocc_model **other);

typedef struct frocc_model_info {
    size_t struct_size; /* set by the caller: sizeof(frocc_model_info) */
    size_t n_features;
    size_t n_directions;
    uint64_t seed;
    float epsilon;
    frocc_score score;
    double threshold;
    double fpr;
    double contamination;
    uint64_t calibration_rows; /* that the model holds */
    frocc_kernel kernel;
    double gamma;
    double coef0;
    int degree;
    frocc_scaling scaling;
    frocc_family family;
    double density; /* of sparse directions, otherwise 0 */
    size_t n_trees;
    int is_sealed;   /* can only score */
    uint64_t n_rows; /* rows it was fitted on */
    uint64_t frame_checksum;
} frocc_model_info;

/* What the model holds ready: takes no time, and needs no memory. */
FROCC_API frocc_status frocc_model_describe(const frocc_model *model, frocc_model_info *info);

/* The model's frame, a new reference: frocc_frame_free it. */
FROCC_API frocc_frame *frocc_model_frame(const frocc_model *model);

/* How many intervals all directions have; twice that is the paper's model size. With closeness they
 * are counted, at O(m / epsilon). 0 for NULL. */
FROCC_API uint64_t frocc_model_count_intervals(const frocc_model *model);

/*
 * The intervals of one direction, rising: the first min(capacity, *count) go to lower and upper,
 * which may be NULL when capacity is 0. There is at least one. With closeness, the values that cost
 * next to nothing, or little more than the cheapest.
 */
FROCC_API frocc_status frocc_model_intervals(const frocc_model *model, size_t direction,
                                             float *lower, float *upper, size_t capacity,
                                             size_t *count);

/* ---- What the theory speaks of ------------------------------------------------------------- */

/*
 * Bounds on the model size sum 2 k_i that hold for every fit: 2 m from below, 2 m (1.5/epsilon + 1)
 * from above, and 2 m when epsilon is 1. In exact arithmetic it is 1/epsilon + 1; where a margin is
 * about the spacing of float32, rounding can leave gaps of two thirds of it. docs/algorithm.md has
 * the derivation.
 */
FROCC_API frocc_status frocc_theory_size_bounds(size_t n_directions, float epsilon,
                                                uint64_t *at_least, uint64_t *at_most);

/* Smallest m at which a point of discriminating measure mu is accepted with probability at most
 * delta: (1 - mu)^m <= delta. 0 < mu <= 1, 0 < delta < 1. */
FROCC_API frocc_status frocc_theory_directions_needed(double mu, double delta, uint64_t *m);

/*
 * The discriminating measure of each of points against the set rows: the share of directions in
 * which the point falls outside the range of the rows, estimated from params->n_directions drawn
 * directions. One double a point; its standard error is sqrt(mu (1 - mu) / n_directions).
 */
FROCC_API frocc_status frocc_theory_discriminating_measure(const frocc_params *params,
                                                           const frocc_rows *rows,
                                                           const frocc_rows *points, double *mu);

#ifdef __cplusplus
}
#endif

#endif
