# SPDX-License-Identifier: BSD-3-Clause
# What a model says of itself.

describe <- function(object) {
    checked(.Call(C_describe, object))
}

# NULL where the model was fitted on a matrix without names.
model_columns <- function(object) {
    checked(.Call(C_columns, object))
}

# Names of what the model sees: those of the columns, or x1, x2, ...
feature_names <- function(object) {
    columns <- model_columns(object)
    if (is.null(columns)) paste0("x", seq_len(describe(object)$features)) else columns$features
}

print.frocc <- function(x, ...) {
    info <- describe(x)
    if (!is.null(x$call)) cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n", sep = "")
    cat(sprintf("One-class model of %.0f rows with %.0f features, by %s\n", info$rows,
                info$features, name_of(info$score, SCORES)))
    cat(decision(x, info), "\n", sep = "")
    invisible(x)
}

decision <- function(object, info) {
    if (info$fpr == 0) {
        return(sprintf("A row is an outlier below a score of %s",
                       format(info$threshold, digits = 4)))
    }
    sprintf("A row is an outlier below a score of about %s, as %s %% of normal rows are",
            format(own_threshold(object, info), digits = 4), format(100 * info$fpr))
}

own_threshold <- function(object, info = describe(object)) {
    if (info$fpr > 0) checked(.Call(C_threshold, object, info$fpr)) else info$threshold
}

summary.frocc <- function(object, ...) {
    info <- describe(object)
    info$score <- name_of(info$score, SCORES)
    info$kernel <- name_of(info$kernel, KERNELS)
    info$scaling <- name_of(info$scaling, SCALINGS)
    info$family <- name_of(info$family, FAMILIES)
    info$sealed <- info$sealed != 0
    info$threshold <- own_threshold(object)
    info$bytes <- length(object$bytes)
    info$columns <- columns_table(object)
    info$call <- object$call
    structure(info, class = "summary.frocc")
}

columns_table <- function(object) {
    columns <- model_columns(object)
    if (is.null(columns)) {
        return(NULL)
    }
    used <- columns$is_feature
    kind <- ifelse(columns$categories > 0, "text", "number")
    kind[columns$is_time] <- "time"
    data.frame(
        name = ifelse(is.na(columns$name), which(used), columns$name)[used],
        kind = kind[used],
        categories = columns$categories[used]
    )
}

print.summary.frocc <- function(x, ...) {
    if (!is.null(x$call)) cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
    shown <- c("rows", "features", "score", "directions", "epsilon", "trees", "scaling", "family",
               "kernel", "fpr", "threshold", "calibration", "contamination", "seed", "intervals",
               "sealed", "bytes")
    values <- vapply(x[shown], format, "", digits = 7)
    cat(paste0(format(shown), "  ", values, "\n"), sep = "")
    if (!is.null(x$columns)) {
        cat("\n")
        print(x$columns, row.names = FALSE)
    }
    invisible(x)
}

name_of <- function(number, names) {
    names(names)[match(number, names)]
}
