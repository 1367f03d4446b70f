/* SPDX-License-Identifier: BSD-3-Clause */
/* Holders: external pointers with the library's objects in them. */
#include "glue.h"

#include <string.h>

static held_kind kind_of(SEXP holder) {
    return (held_kind)INTEGER(R_ExternalPtrProtected(holder))[0];
}

void release(SEXP holder) {
    void *object = R_ExternalPtrAddr(holder);
    R_ClearExternalPtr(holder);
    switch (kind_of(holder)) {
    case HELD_MODEL:
        frocc_model_free(object);
        break;
    case HELD_SCORER:
        frocc_scorer_free(object);
        break;
    case HELD_FITTER:
        frocc_fitter_free(object);
        break;
    case HELD_READER:
        frocc_reader_free(object);
        break;
    case HELD_SCHEMA:
        frocc_schema_free(object);
        break;
    case HELD_BYTES:
        frocc_bytes_free(object);
        break;
    }
}

SEXP hold(held_kind kind) {
    SEXP number = PROTECT(Rf_ScalarInteger((int)kind));
    SEXP holder = PROTECT(R_MakeExternalPtr(NULL, Rf_install("frocc"), number));
    R_RegisterCFinalizerEx(holder, release, TRUE);
    UNPROTECT(2);
    return holder;
}

static bool holds_model(SEXP holder) {
    return TYPEOF(holder) == EXTPTRSXP && R_ExternalPtrTag(holder) == Rf_install("frocc") &&
           kind_of(holder) == HELD_MODEL;
}

const frocc_model *model_of(SEXP object) {
    SEXP holder = element(object, "pointer"), bytes = element(object, "bytes");
    if (!holds_model(holder) || TYPEOF(bytes) != RAWSXP)
        Rf_error("this is no model that frocc has made");
    if (R_ExternalPtrAddr(holder) == NULL) {
        /* R trusts what it has saved, so the size of what comes of it is not limited. */
        const frocc_load_options options = {.struct_size = sizeof options, .max_memory = SIZE_MAX};
        frocc_model *model = NULL;
        if (frocc_model_from_bytes(RAW(bytes), (size_t)XLENGTH(bytes), &options, &model) !=
            FROCC_OK)
            return NULL;
        R_SetExternalPtrAddr(holder, model);
        R_RegisterCFinalizerEx(holder, release, TRUE);
    }
    return R_ExternalPtrAddr(holder);
}

SEXP object_parts(SEXP holder) {
    void *bytes = NULL;
    size_t size = 0;
    SEXP held = PROTECT(hold(HELD_BYTES));
    frocc_status status = frocc_model_to_bytes(R_ExternalPtrAddr(holder), &bytes, &size);
    if (status != FROCC_OK) {
        UNPROTECT(1);
        return failure_without_place(status);
    }
    R_SetExternalPtrAddr(held, bytes);
    SEXP copy = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)size));
    memcpy(RAW(copy), bytes, size);
    release(held);
    const char *names[] = {"pointer", "bytes", ""};
    SEXP parts = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(parts, 0, holder);
    SET_VECTOR_ELT(parts, 1, copy);
    UNPROTECT(3);
    return parts;
}
