/* SPDX-License-Identifier: BSD-3-Clause */
/* Learn from a file, judge the rows of another through the same columns, write a table of results;
 * then a file with a mistake, and where it is. */
#include <frocc_io.h>
#include <inttypes.h>
#include <string.h>

#include "toy_rows.h"

/* 200 rows of a square, with the names of their columns. */
static void write_normal_rows(const char *path) {
    double values[400];
    fill_square(values, 200, 0, 0, 0);
    const char *const names[] = {"width", "height"};
    frocc_block block = {.struct_size = sizeof block, .rows = frocc_rows_f64(values, 200, 2)};
    frocc_writer_options options;
    frocc_writer_options_init(&options);
    options.names = names;
    frocc_writer *writer;
    must(frocc_writer_open(path, 2, &options, &writer));
    must(frocc_writer_add(writer, &block));
    must(frocc_writer_finish(writer));
    frocc_writer_free(writer);
}

static frocc_model *learn(const char *path) {
    frocc_reader *reader;
    must(frocc_reader_open(&path, 1, NULL, NULL, &reader));
    frocc_schema *schema = frocc_reader_schema(reader);
    frocc_source source = frocc_reader_source(reader);
    frocc_params params;
    frocc_params_init_paper(&params);
    params.n_directions = 100;
    params.epsilon = 1;
    params.schema = schema; /* so that the model knows its columns */
    frocc_model *model;
    must(frocc_fit_source(&params, &source, &model));
    frocc_schema_free(schema);
    frocc_reader_free(reader);
    return model;
}

/* A row of the table for each of the file: its id, its score, and whether it is an outlier. */
static frocc_status judge(const frocc_model *model, const char *path, frocc_writer *table) {
    frocc_reader_options options;
    frocc_reader_options_init(&options);
    options.id = "id";
    frocc_schema *schema = frocc_model_schema(model);
    frocc_reader *reader = NULL;
    frocc_status status = frocc_reader_open(&path, 1, &options, schema, &reader);
    frocc_schema_free(schema);
    frocc_scorer *scorer;
    must(frocc_scorer_new(model, 1, &scorer));
    frocc_block block = {.struct_size = sizeof block};
    while (status == FROCC_OK && (status = frocc_reader_next(reader, &block)) == FROCC_OK &&
           block.rows.n_rows > 0) {
        double scores[8];
        uint8_t normal[8];
        must(frocc_scorer_score(scorer, &block.rows, scores));
        must(frocc_scorer_decide(scorer, &block.rows, FROCC_OWN_THRESHOLD, normal));
        for (size_t i = 0; i < block.rows.n_rows; i++) {
            const frocc_cell cells[] = {
                {.text = block.ids[i]}, {.real = scores[i]}, {.whole = !normal[i]}};
            must(frocc_writer_add_cells(table, cells));
        }
    }
    frocc_scorer_free(scorer);
    frocc_reader_free(reader);
    return status;
}

int main(void) {
    static const char fresh[] = "id,height,width\nfirst,0.4,0.6\nsecond,9,9\n";
    static const char wrong[] = "id,height,width\nfirst,0.4,0.6\nsecond,tall,0.5\n";
    static const frocc_table_column columns[] = {{"id", FROCC_CELL_TEXT, 0},
                                                 {"score", FROCC_CELL_REAL, 0},
                                                 {"outlier", FROCC_CELL_WHOLE, 0}};
    write_normal_rows("normal.csv");
    must(frocc_file_replace("fresh.csv", fresh, strlen(fresh)));
    must(frocc_file_replace("wrong.csv", wrong, strlen(wrong)));
    frocc_model *model = learn("normal.csv");

    frocc_writer *table;
    must(frocc_writer_open_table("-", columns, 3, NULL, &table));
    must(judge(model, "fresh.csv", table));
    must(frocc_writer_finish(table));
    frocc_writer_free(table);

    must(frocc_writer_open_table("results.csv", columns, 3, NULL, &table));
    if (judge(model, "wrong.csv", table) != FROCC_OK) {
        frocc_error_place place = {.struct_size = sizeof place};
        frocc_last_error_place(&place);
        printf("file %s\nline %" PRId64 "\ncolumn %s\nwhat %s\n", place.file, place.line,
               place.column_name, place.what);
    }
    frocc_writer_free(table); /* it was not finished, so there is no results.csv */
    frocc_model_free(model);
    remove("normal.csv");
    remove("fresh.csv");
    remove("wrong.csv");
    return 0;
}
