/* SPDX-License-Identifier: BSD-3-Clause */
/* Status names, the thread's last error, the version. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[FROCC_ERROR_SIZE];

void frocc__set_error(const char *format, ...) {
    char text[FROCC_ERROR_SIZE]; /* the arguments may point into last_error */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(last_error, text, sizeof text);
}

void frocc__error_copy(char out[FROCC_ERROR_SIZE]) {
    memcpy(out, last_error, FROCC_ERROR_SIZE);
}

const char *frocc_last_error(void) {
    return last_error;
}

const char *frocc_status_name(frocc_status status) {
    static const char *const names[] = {
        "FROCC_OK",          "FROCC_ERR_ARGUMENT", "FROCC_ERR_MEMORY",   "FROCC_ERR_DATA",
        "FROCC_ERR_SHAPE",   "FROCC_ERR_EMPTY",    "FROCC_ERR_FRAME",    "FROCC_ERR_FORMAT",
        "FROCC_ERR_VERSION", "FROCC_ERR_IO",       "FROCC_ERR_CALLBACK", "FROCC_ERR_UNSUPPORTED"};
    size_t index = (size_t)status;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown status";
}

#define TEXT_OF(number) #number
#define VERSION_TEXT(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

const char *frocc_version(void) {
    return VERSION_TEXT(FROCC_VERSION_MAJOR, FROCC_VERSION_MINOR, FROCC_VERSION_PATCH);
}
