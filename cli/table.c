/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frocc_io.h"
#include "message.h"
#include "output.h"

typedef enum table_format { FORMAT_CSV, FORMAT_JSONL, FORMAT_NPY, N_FORMATS } table_format;

static const char *const endings[N_FORMATS] = {".csv", ".jsonl", ".npy"};

struct cli_table {
    cli_output *output;
    table_format format;
    cli_column *columns;
    size_t n_columns;
    size_t next; /* the column whose value comes next */
    uint64_t n_rows;
    size_t npy_width; /* columns an .npy file holds */
    column_kind npy_kind;
};

bool ends_with(const char *path, const char *ending) {
    size_t length = path ? strlen(path) : 0;
    return length >= strlen(ending) && !strcmp(path + length - strlen(ending), ending);
}

/* What is no regular file by its name (a pipe, a device) is CSV. */
static table_format format_of(const char *path) {
    if (!path || !strcmp(path, "-") || !strncmp(path, "/dev/", 5)) {
        return FORMAT_CSV;
    }
    for (int format = 0; format < N_FORMATS; format++) {
        if (ends_with(path, endings[format])) {
            return (table_format)format;
        }
    }
    die(EXIT_MISUSE, "'%s': the ending says the format; expected .csv, .jsonl or .npy", path);
}

void table_check_path(const char *path) {
    format_of(path);
    output_check(path);
}

/* ---- .npy: a header of fixed length, whose row count is filled in at the end --------------------
 */

#define NPY_HEADER 128

static void npy_header(const cli_table *table, char header[NPY_HEADER]) {
    char shape[64];
    if (table->npy_width == 1) {
        snprintf(shape, sizeof shape, "(%" PRIu64 ",)", table->n_rows);
    } else {
        snprintf(shape, sizeof shape, "(%" PRIu64 ", %zu)", table->n_rows, table->npy_width);
    }
    memset(header, ' ', NPY_HEADER);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    int length = snprintf(header + 10, NPY_HEADER - 10,
                          "{'descr': '<%s', 'fortran_order': False, 'shape': %s, }",
                          table->npy_kind == COLUMN_REAL ? "f8" : "i8", shape);
    header[10 + length] = ' ';
    header[NPY_HEADER - 1] = '\n';
}

/* One type for the whole file: whole numbers only where every column is one. */
static void npy_begin(cli_table *table, const char *path) {
    table->npy_kind = COLUMN_WHOLE;
    for (size_t c = 0; c < table->n_columns; c++) {
        cli_column *column = &table->columns[c];
        column->aside = column->aside || column->kind == COLUMN_TEXT;
        table->npy_width += !column->aside;
        if (!column->aside && column->kind == COLUMN_REAL) {
            table->npy_kind = COLUMN_REAL;
        }
    }
    if (!table->npy_width) {
        die(EXIT_MISUSE, "'%s': an .npy file holds numbers, and there are none; try .csv", path);
    }
    if (!output_can_patch(table->output)) {
        die(EXIT_MISUSE, "'%s': an .npy file needs a regular file; try .csv", path);
    }
    char header[NPY_HEADER];
    npy_header(table, header);
    output_write(table->output, header, NPY_HEADER);
}

static void npy_value(cli_table *table, double real, int64_t whole) {
    uint64_t bits;
    if (table->npy_kind == COLUMN_REAL) {
        memcpy(&bits, &real, sizeof bits);
    } else {
        memcpy(&bits, &whole, sizeof bits);
    }
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(bits >> (8 * i));
    }
    output_write(table->output, bytes, 8);
}

/* ---- CSV and JSON lines -------------------------------------------------------------------------
 */

static void write_json_text(cli_output *output, const char *text, size_t length) {
    output_text(output, "\"");
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') {
            char escaped[2] = {'\\', (char)c};
            output_write(output, escaped, 2);
        } else if (c < 0x20) {
            output_format(output, "\\u%04x", c);
        } else {
            output_write(output, &c, 1);
        }
    }
    output_text(output, "\"");
}

static void write_csv_text(cli_output *output, const char *text, size_t length) {
    bool quote = false;
    for (size_t i = 0; i < length && !quote; i++) {
        quote = strchr(",\"\r\n", text[i]) || text[i] == 0 || (i == 0 && text[i] == '#');
    }
    if (!quote) {
        output_write(output, text, length);
        return;
    }
    output_text(output, "\"");
    for (size_t i = 0; i < length; i++) {
        output_write(output, text[i] == '"' ? "\"\"" : &text[i], text[i] == '"' ? 2 : 1);
    }
    output_text(output, "\"");
}

static void before_value(cli_table *table) {
    const char *name = table->columns[table->next].name;
    if (table->format == FORMAT_JSONL) {
        output_text(table->output, table->next ? "," : "{");
        write_json_text(table->output, name, strlen(name));
        output_text(table->output, ":");
    } else if (table->format == FORMAT_CSV && table->next) {
        output_text(table->output, ",");
    }
}

static void after_value(cli_table *table) {
    if (++table->next < table->n_columns) {
        return;
    }
    table->next = 0;
    table->n_rows++;
    if (table->format != FORMAT_NPY) {
        output_text(table->output, table->format == FORMAT_CSV ? "\n" : "}\n");
    }
}

size_t print_whole(int64_t value, char out[FROCC_NUMBER_SIZE]) {
    char digits[FROCC_NUMBER_SIZE];
    size_t n_digits = 0;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do {
        digits[n_digits++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    size_t length = 0;
    if (value < 0) {
        out[length++] = '-';
    }
    while (n_digits) {
        out[length++] = digits[--n_digits];
    }
    return length;
}

/* ---- The table ----------------------------------------------------------------------------------
 */

cli_table *table_open(const char *path, const cli_column *columns, size_t n_columns) {
    cli_table *table = must_allocate(1, sizeof *table);
    table->format = format_of(path);
    table->output = output_open(path);
    table->n_columns = n_columns;
    table->columns = must_allocate(n_columns, sizeof *table->columns);
    for (size_t c = 0; c < n_columns; c++) {
        table->columns[c] = columns[c];
        table->columns[c].name = must_copy(columns[c].name);
    }
    if (table->format == FORMAT_NPY) {
        npy_begin(table, path);
    } else if (table->format == FORMAT_CSV) {
        for (size_t c = 0; c < n_columns; c++) {
            output_text(table->output, c ? "," : "");
            write_csv_text(table->output, columns[c].name, strlen(columns[c].name));
        }
        output_text(table->output, "\n");
    }
    return table;
}

void table_real(cli_table *table, double value) {
    before_value(table);
    if (table->format == FORMAT_NPY) {
        if (!table->columns[table->next].aside) {
            npy_value(table, value, 0);
        }
    } else if (!isnan(value)) {
        char *room = output_room(table->output, FROCC_NUMBER_SIZE);
        output_filled(table->output, frocc_print_f64(value, room));
    } else if (table->format == FORMAT_JSONL) {
        output_text(table->output, "null");
    }
    after_value(table);
}

void table_whole(cli_table *table, int64_t value) {
    before_value(table);
    if (table->format == FORMAT_NPY) {
        if (!table->columns[table->next].aside) {
            npy_value(table, (double)value, value);
        }
    } else {
        char *room = output_room(table->output, FROCC_NUMBER_SIZE);
        output_filled(table->output, print_whole(value, room));
    }
    after_value(table);
}

void table_text(cli_table *table, const char *text, size_t length) {
    before_value(table);
    if (table->format == FORMAT_JSONL) {
        write_json_text(table->output, text, length);
    } else if (table->format == FORMAT_CSV) {
        write_csv_text(table->output, text, length);
    }
    after_value(table);
}

void table_finish(cli_table *table) {
    if (table->format == FORMAT_NPY) {
        char header[NPY_HEADER];
        npy_header(table, header);
        output_patch(table->output, 0, header, NPY_HEADER);
    }
    output_finish(table->output);
    for (size_t c = 0; c < table->n_columns; c++) {
        free((char *)table->columns[c].name);
    }
    free(table->columns);
    free(table);
}
