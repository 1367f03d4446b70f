/* SPDX-License-Identifier: BSD-3-Clause */
/* A page or a picture: collected in memory, then written as a file that is whole or not there. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stddef.h>

typedef struct cli_page cli_page;

cli_page *page_begin(void);
void page_write(cli_page *page, const void *bytes, size_t count);
void page_text(cli_page *page, const char *text);
void page_format(cli_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes the file and frees. A path of NULL or "-" is standard output. */
void page_finish(cli_page *page, const char *path);

#endif
