/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame as bytes: a section of the model file, and the way to a frame of fewer directions. */
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/envelope.h"
#include "base/memory.h"
#include "base/status.h"
#include "frame/directions.h"
#include "schema/schema.h"

static size_t count_stored(const frocc_frame *frame, size_t n_directions) {
    size_t count = 0;
    for (size_t i = 0; i < n_directions; i++)
        count += frocc__is_stored(frame, i);
    return count;
}

static void write_schema(const frocc_frame *frame, frocc__bytes_out *out) {
    void *bytes = NULL;
    size_t size = 0;
    if (frame->schema != NULL && frocc__schema_to_settled(frame->schema, &bytes, &size) != FROCC_OK)
        out->failed = true;
    frocc__put_u64(out, size);
    frocc__put_bytes(out, bytes, size);
    frocc_bytes_free(bytes);
}

/* Only dense directions are ever stored; unpacking those takes no memory and cannot fail. */
static void write_directions(const frocc_frame *frame, frocc__bytes_out *out) {
    if (count_stored(frame, frame->n_directions) == 0)
        return;
    float *direction = frocc__alloc(frame->n_features, sizeof(float));
    out->failed |= direction == NULL;
    for (size_t i = 0; i < frame->n_directions && !out->failed; i++) {
        if (!frocc__is_stored(frame, i))
            continue;
        (void)frocc__directions_unpack(frame, i, 1, direction);
        for (size_t j = 0; j < frame->n_features; j++)
            frocc__put_f32(out, direction[j]);
    }
    frocc__free(direction);
}

/* Room for what may be large: bytes that grow by doubling are there twice while they do. */
static void reserve(const frocc_frame *frame, frocc__bytes_out *out) {
    const size_t a_node = sizeof(uint32_t) + sizeof(float), head = 256;
    const size_t stored = count_stored(frame, frame->n_directions) * sizeof(float);
    const size_t scalings = (frame->shift != NULL ? 2 * sizeof(double) : 0) +
                            (frame->asinh_shift != NULL ? 2 * sizeof(double) : 0);
    frocc__put_reserve(out, head + frame->n_features * stored +
                                frame->columns.n_inputs * (scalings + 1) +
                                frame->trees.n_nodes * a_node);
}

void frocc__frame_write(const frocc_frame *frame, frocc__bytes_out *out) {
    reserve(frame, out);
    frocc__put_u64(out, frame->columns.n_inputs);
    frocc__put_u64(out, frame->n_directions);
    frocc__put_u64(out, frame->seed);
    frocc__put_u32(out, (uint32_t)frame->family);
    frocc__put_u32(out, (uint32_t)frame->scaling);
    frocc__put_u32(out, (uint32_t)frame->transform.kernel);
    frocc__put_u32(out, (uint32_t)frame->transform.degree);
    frocc__put_f32(out, frame->transform.gamma);
    frocc__put_f32(out, frame->transform.coef0);
    frocc__put_bytes(out, frame->kernel_name, sizeof frame->kernel_name);
    if (frame->family == FROCC_FAMILY_SPARSE)
        frocc__put_u32(out, frame->direction_features);
    write_schema(frame, out);
    frocc__columns_write(&frame->columns, out);
    const double *scalings[4] = {frame->shift, frame->scale, frame->asinh_shift,
                                 frame->asinh_scale};
    for (int which = 0; which < 4; which++)
        for (size_t j = 0; scalings[which] != NULL && j < frame->columns.n_inputs; j++)
            frocc__put_f64(out, scalings[which][j]);
    if (frame->scaling == FROCC_SCALING_ASINH)
        frocc__put_bytes(out, frame->is_log, frame->columns.n_inputs);
    frocc__trees_write(&frame->trees, out);
    write_directions(frame, out);
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* A section taken apart: parameters, and the arrays they point to. */
typedef struct parsed {
    frocc_params params;
    frocc__recorded recorded;
    size_t n_inputs, n_features;              /* as rows come, and as they are prepared */
    uint64_t size, n_leaves;                  /* bytes of the section; in trees */
    uint64_t of_schema, of_columns, of_codes; /* memory */
    char name[FROCC_KERNEL_NAME_SIZE];
    frocc_schema *schema;
    frocc__columns columns;
    double *scalings[4]; /* shift, scale, and both after asinh */
    uint8_t *is_log;
    float *directions;
    frocc__trees trees;
} parsed;

static void free_parsed(parsed *p) {
    frocc_schema_free(p->schema);
    frocc__columns_free(&p->columns);
    frocc__free(p->is_log);
    for (int which = 0; which < 4; which++)
        frocc__free(p->scalings[which]);
    frocc__free(p->directions);
    frocc__trees_free(&p->trees);
}

/* The number of features of a sparse direction, as the density that gives this number again. */
static frocc_status read_density(frocc__bytes_in *in, parsed *p) {
    uint32_t features = frocc__get_u32(in);
    if (features == 0 || features > p->n_features)
        return frocc__damaged("a direction is over no features, or more than there are");
    p->params.density = ((double)features - 0.5) / (double)p->n_features;
    return FROCC_OK;
}

static frocc_status read_head(frocc__bytes_in *in, parsed *p) {
    uint64_t features = frocc__get_u64(in), directions = frocc__get_u64(in);
    p->params.seed = frocc__get_u64(in);
    uint32_t family = frocc__get_u32(in), scaling = frocc__get_u32(in);
    uint32_t kernel = frocc__get_u32(in), degree = frocc__get_u32(in);
    p->params.gamma = (double)frocc__get_f32(in);
    p->params.coef0 = (double)frocc__get_f32(in);
    const unsigned char *name = frocc__get_bytes(in, FROCC_KERNEL_NAME_SIZE);
    if (name == NULL || name[FROCC_KERNEL_NAME_SIZE - 1] != 0)
        return frocc__damaged("the frame section is too short");
    if (features == 0 || features > FROCC_MAX_FEATURES || directions > FROCC_MAX_DIRECTIONS)
        return frocc__damaged("it claims more columns or directions than there can be");
    if (family > FROCC_FAMILY_SPARSE || scaling > FROCC_SCALING_WHITEN ||
        kernel > FROCC_KERNEL_CUSTOM || degree > FROCC_MAX_DEGREE)
        return frocc__damaged("its family, scaling or kernel is not known");
    const bool has_gamma = kernel != FROCC_KERNEL_LINEAR && kernel != FROCC_KERNEL_CUSTOM;
    if (has_gamma != (p->params.gamma > 0.0))
        return frocc__damaged("its gamma does not go with its kernel");
    memcpy(p->name, name, FROCC_KERNEL_NAME_SIZE);
    p->n_inputs = p->n_features = (size_t)features;
    p->params.n_directions = (size_t)directions;
    p->params.family = (frocc_family)family;
    if (family == FROCC_FAMILY_SPARSE)
        FROCC_TRY(read_density(in, p));
    p->params.kernel = (frocc_kernel)kernel;
    p->params.degree = FROCC_MAX((int)degree, 1); /* 0 where the kernel has none */
    p->recorded.scaling = (frocc_scaling)scaling;
    return FROCC_OK;
}

static frocc_status take_kernel(parsed *p, const frocc_load_options *options) {
    if (p->params.kernel != FROCC_KERNEL_CUSTOM)
        return FROCC_OK;
    if (options == NULL || options->kernel_fn == NULL)
        return frocc__fail(FROCC_ERR_UNSUPPORTED,
                           "the model uses a custom kernel named '%s'; give it as kernel_fn in the "
                           "load options",
                           p->name);
    p->params.kernel_fn = options->kernel_fn;
    p->params.kernel_context = options->kernel_context;
    p->params.kernel_name = p->name;
    return FROCC_OK;
}

/* Fresh memory for count values of the file, once it is certain that the file holds them. */
static frocc_status make_room(const frocc__bytes_in *in, size_t rows, size_t columns, size_t size,
                              void **values) {
    if (in->left / size / columns < rows)
        return frocc__damaged("the frame section ends too soon");
    *values = frocc__alloc(rows * columns, size);
    return *values != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

/* A byte is filled in about the time of so many operations of a transform. */
#define OPERATIONS_A_BYTE 16

/* For norms and custom kernels, structured directions are made one after another. */
static uint64_t work_for_structured(const parsed *p) {
    const frocc__scrambling how = frocc__scrambling_of(p->n_features);
    const uint64_t steps = (uint64_t)__builtin_ctzll(how.segment) + 1;
    const bool is_unpacked =
        p->params.kernel == FROCC_KERNEL_RBF || p->params.kernel == FROCC_KERNEL_CUSTOM;
    return is_unpacked ? p->params.n_directions * (how.segment * how.n_segments) /
                             OPERATIONS_A_BYTE * 3 * steps
                       : 0;
}

/* Bytes of directions. With no more features and directions than there can be, no sum overflows. */
static uint64_t memory_of_directions(const parsed *p) {
    const uint64_t d = p->n_features, m = p->params.n_directions;
    const uint64_t of_rows = m * d * sizeof(float), an_entry = sizeof(int32_t) + sizeof(float);
    uint64_t bytes = m * 2 * sizeof(double);
    if (p->params.kernel == FROCC_KERNEL_CUSTOM)
        bytes += of_rows;
    switch (p->params.family) {
    case FROCC_FAMILY_MIXED:
        return bytes + of_rows / 4 + (d + 4 * m) * an_entry;
    case FROCC_FAMILY_SPARSE:
        return bytes + (d + m * frocc__features_of_density(d, p->params.density)) * an_entry;
    case FROCC_FAMILY_HADAMARD:
        return bytes + (8 * d + 3 * m) * sizeof(float) + work_for_structured(p);
    default:
        return bytes + (m + FROCC_BLOCK) * d * sizeof(float);
    }
}

/* While a frame is made, its section is there three times: as it was read, in the frame, and as the
 * frame writes it for its checksum. */
#define TIMES_THE_SECTION 3

/* All that loading takes at once, as far as the section has been read. */
static uint64_t memory_of(const parsed *p, const frocc__limits *limits) {
    return limits->beside + TIMES_THE_SECTION * p->size + p->of_schema + p->of_columns +
           p->of_codes + memory_of_directions(p) + p->params.n_directions * limits->per_direction +
           p->n_leaves * (FROCC_MEMORY_OF_A_LEAF + limits->per_leaf);
}

static frocc_status check_memory(const parsed *p, const frocc__limits *limits) {
    const uint64_t bytes = memory_of(p, limits);
    if (bytes <= limits->most_memory)
        return FROCC_OK;
    return frocc__fail(FROCC_ERR_MEMORY,
                       "the model claims %zu columns, %zu directions and %llu leaves of trees, "
                       "which with the bytes of the file would take about %llu MiB of memory, or "
                       "the time to fill as much; %llu MiB are allowed. If you trust the file, "
                       "allow a larger max_memory",
                       p->n_features, p->params.n_directions, (unsigned long long)p->n_leaves,
                       (unsigned long long)(bytes >> 20) + 1,
                       (unsigned long long)(limits->most_memory >> 20));
}

static frocc_status read_schema(frocc__bytes_in *in, const frocc__limits *limits, parsed *p) {
    uint64_t size = frocc__get_u64(in);
    if (size > in->left)
        return frocc__damaged("the frame section ends too soon");
    if (size == 0)
        return FROCC_OK;
    const unsigned char *bytes = frocc__get_bytes(in, (size_t)size);
    p->of_schema = frocc__schema_memory(bytes, (size_t)size);
    FROCC_TRY(check_memory(p, limits));
    FROCC_TRY(frocc_schema_from_bytes(bytes, (size_t)size, &p->schema));
    if (frocc_schema_features(p->schema) != p->n_inputs)
        return frocc__damaged("its columns do not make as many features as its frame has");
    p->params.schema = p->schema;
    return FROCC_OK;
}

/* No value is larger after asinh; then shift and scale must leave it of a usable size. */
#define LARGEST_ASINH 128.0

static bool is_usable_after_asinh(const parsed *p) {
    for (size_t j = 0; p->scalings[3] != NULL && j < p->n_inputs; j++)
        if (!((LARGEST_ASINH + fabs(p->scalings[2][j])) / fabs(p->scalings[3][j]) <=
              (double)FROCC_LARGEST_VALUE))
            return false;
    return true;
}

/* Which columns are logarithms. */
static frocc_status read_logs(frocc__bytes_in *in, parsed *p) {
    FROCC_TRY(make_room(in, 1, p->n_inputs, 1, (void **)&p->is_log));
    memcpy(p->is_log, frocc__get_bytes(in, p->n_inputs), p->n_inputs);
    for (size_t j = 0; j < p->n_inputs; j++)
        if (p->is_log[j] > 1)
            return frocc__damaged("a column is neither a logarithm nor none");
    p->recorded.is_log = p->is_log;
    return FROCC_OK;
}

/* What becomes of codes makes rows longer. */
static frocc_status read_columns(frocc__bytes_in *in, const frocc__limits *limits, parsed *p) {
    p->of_columns = frocc__columns_memory(p->schema, p->n_inputs, in->left);
    FROCC_TRY(check_memory(p, limits));
    FROCC_TRY(frocc__columns_read(in, p->schema, p->n_inputs, &p->columns));
    p->n_features = frocc__columns_features(&p->columns);
    p->recorded.columns = &p->columns;
    const bool judges = p->columns.n_codes > 0 && p->params.family == FROCC_FAMILY_MIXED &&
                        p->params.kernel == FROCC_KERNEL_LINEAR;
    if (judges && limits->of_codes != NULL)
        p->of_codes = limits->of_codes(&p->columns, limits->content);
    return check_memory(p, limits);
}

static frocc_status read_scaling(frocc__bytes_in *in, parsed *p) {
    if (p->recorded.scaling == FROCC_SCALING_NONE)
        return FROCC_OK;
    int count = p->recorded.scaling == FROCC_SCALING_ASINH ? 4 : 2;
    for (int which = 0; which < count; which++) {
        FROCC_TRY(make_room(in, 1, p->n_inputs, sizeof(double), (void **)&p->scalings[which]));
        for (size_t j = 0; j < p->n_inputs; j++) {
            double value = p->scalings[which][j] = frocc__get_f64(in);
            if (!isfinite(value) || (value == 0.0 && (which % 2 == 1 || signbit(value))))
                return frocc__damaged("its scaling is not finite, -0 or divides by 0");
        }
    }
    if (!is_usable_after_asinh(p))
        return frocc__damaged("its scaling makes values larger than can be used");
    p->params.scaling = FROCC_SCALING_GIVEN;
    p->params.shift = p->scalings[0];
    p->params.scale = p->scalings[1];
    p->recorded.asinh_shift = p->scalings[2];
    p->recorded.asinh_scale = p->scalings[3];
    return count == 4 ? read_logs(in, p) : FROCC_OK;
}

/* A frame of which only the kinds of directions are known. */
static frocc_frame shape_of(const parsed *p) {
    return (frocc_frame){.columns = {.n_inputs = p->n_inputs,
                                     .n_codes = p->columns.n_codes,
                                     .n_numbers = p->columns.n_numbers},
                         .n_features = p->n_features,
                         .family = p->params.family,
                         .scaling = p->recorded.scaling};
}

static frocc_status read_trees(frocc__bytes_in *in, const frocc__limits *limits, parsed *p) {
    const frocc_frame shape = shape_of(p);
    p->n_leaves = frocc__trees_claimed(*in);
    FROCC_TRY(check_memory(p, limits));
    uint32_t *listed = NULL;
    size_t n_listed;
    FROCC_TRY(frocc__directions_for_trees(&shape, p->params.n_directions, &listed, &n_listed));
    frocc_status status =
        frocc__trees_read(in, p->params.seed, p->params.n_directions, listed, n_listed, &p->trees);
    frocc__free(listed);
    p->recorded.trees = &p->trees;
    return status;
}

static frocc_status read_directions(frocc__bytes_in *in, parsed *p) {
    const frocc_frame shape = shape_of(p);
    size_t rows = count_stored(&shape, p->params.n_directions), columns = p->n_features;
    if (rows == 0)
        return FROCC_OK;
    FROCC_TRY(make_room(in, rows, columns, sizeof(float), (void **)&p->directions));
    for (size_t i = 0; i < rows * columns; i++) {
        p->directions[i] = frocc__get_f32(in);
        if (!(fabsf(p->directions[i]) <= FROCC_LARGEST_COMPONENT))
            return frocc__damaged("a direction is not finite, or larger than any is");
    }
    p->params.directions = p->directions;
    p->recorded.whitened = p->directions;
    return FROCC_OK;
}

static frocc_status parse(frocc__bytes_in *in, const frocc_load_options *options,
                          const frocc__limits *limits, parsed *p) {
    p->size = in->left;
    FROCC_TRY(read_head(in, p));
    if (p->params.n_directions > limits->most_directions)
        return frocc__damaged("it claims more directions than it holds values of");
    FROCC_TRY(check_memory(p, limits));
    FROCC_TRY(take_kernel(p, options));
    FROCC_TRY(read_schema(in, limits, p));
    FROCC_TRY(read_columns(in, limits, p));
    FROCC_TRY(read_scaling(in, p));
    FROCC_TRY(read_trees(in, limits, p));
    FROCC_TRY(read_directions(in, p));
    if (in->left != 0)
        return frocc__damaged("its frame section is too long");
    if (frocc_params_check(&p->params, p->n_inputs) != FROCC_OK)
        return frocc__damaged(frocc_last_error());
    return FROCC_OK;
}

frocc_status frocc__frame_read(frocc__bytes_in in, const frocc_load_options *options,
                               const frocc__limits *limits, frocc_frame **frame) {
    const uint64_t checksum = frocc__checksum(in.data, in.left);
    parsed p = {0};
    frocc_params_init_paper(&p.params);
    frocc_frame *made = NULL;
    frocc_status status = parse(&in, options, limits, &p);
    if (status == FROCC_OK)
        status = frocc__frame_build(&p.params, p.n_inputs, NULL, &p.recorded, &made);
    free_parsed(&p);
    FROCC_TRY(status);
    if (made->checksum != checksum) { /* equal frames must be equal bytes */
        frocc_frame_free(made);
        return frocc__damaged("its frame section has values that no frame has");
    }
    *frame = made;
    return FROCC_OK;
}

frocc_status frocc__frame_check_bytes(frocc__bytes_in in, const frocc_load_options *options) {
    const frocc__limits none = {.most_directions = UINT64_MAX, .most_memory = UINT64_MAX};
    parsed p = {0};
    frocc_params_init_paper(&p.params);
    frocc_status status = parse(&in, options, &none, &p);
    free_parsed(&p);
    return status;
}

/* A frame is its bytes, and the directions come last: fewer of them are a prefix with another
 * number in front. */
frocc_status frocc__frame_truncate(const frocc_frame *frame, size_t n_directions,
                                   frocc_frame **shorter) {
    frocc__bytes_out bytes = {0};
    frocc__frame_write(frame, &bytes);
    if (bytes.failed) {
        frocc__free(bytes.data);
        return FROCC_ERR_MEMORY;
    }
    frocc__bytes_out number = {bytes.data + 8, 0, 8, false};
    frocc__put_u64(&number, n_directions);
    size_t size = bytes.size;
    size -= (count_stored(frame, frame->n_directions) - count_stored(frame, n_directions)) *
            frame->n_features * sizeof(float);
    const frocc_load_options options = {.struct_size = sizeof options,
                                        .kernel_fn = frame->kernel_fn,
                                        .kernel_context = frame->kernel_context};
    const frocc__limits none = {.most_directions = UINT64_MAX, .most_memory = UINT64_MAX};
    frocc_status status =
        frocc__frame_read((frocc__bytes_in){bytes.data, size, false}, &options, &none, shorter);
    frocc__free(bytes.data);
    return status;
}

/* ---- A frame alone -------------------------------------------------------------------------- */

frocc_status frocc_frame_to_bytes(const frocc_frame *frame, void **bytes, size_t *size) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(frame);
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(size);
    frocc__bytes_out out = {0};
    frocc__envelope_begin(&out, FROCC_KIND_FRAME);
    const size_t begin = frocc__section_begin(&out, FROCC__TAG_FRAME);
    frocc__frame_write(frame, &out);
    frocc__section_end(&out, begin);
    return frocc__envelope_end(&out, bytes, size);
}

frocc_status frocc_frame_from_bytes(const void *bytes, size_t size,
                                    const frocc_load_options *options, frocc_frame **frame) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(frame);
    FROCC_TRY(frocc__load_options_check(options));
    frocc__section section = {.tag = FROCC__TAG_FRAME};
    FROCC_TRY(frocc__envelope_read(bytes, size, FROCC_KIND_FRAME, &section, 1));
    if (section.in.data == NULL)
        return frocc__damaged("a section is missing");
    const frocc__limits limits = {.most_directions = UINT64_MAX,
                                  .beside = size,
                                  .most_memory = frocc__load_memory(options, size)};
    return frocc__frame_read(section.in, options, &limits, frame);
}
