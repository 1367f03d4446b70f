# SPDX-License-Identifier: BSD-3-Clause
# Scores, classes, p-values and reasons.

predict.frocc <- function(object, newdata, type = c("score", "class", "p_value", "all"),
                          threads = 1, ...) {
    chkDots(...)
    type <- match.arg(type)
    if (missing(newdata)) {
        refuse("newdata is missing: a model does not keep the rows that it was fitted on")
    }
    rows <- rows_for(object, newdata)
    threads <- threads_of(threads)
    scores <- function() checked(.Call(C_score, object, rows, n_rows(rows), threads))
    classes <- function() as_class(checked(.Call(C_decide, object, rows, n_rows(rows), threads)))
    named <- function(values) {
        names(values) <- row_names(newdata)
        values
    }
    switch(type,
        score = named(scores()),
        class = named(classes()),
        p_value = named(as_p_values(object, scores())),
        all = as_table(object, scores(), classes(), row_names(newdata))
    )
}

as_class <- function(normal) {
    factor(ifelse(normal == 1, "normal", "outlier"), levels = c("normal", "outlier"))
}

# NA for rows that were left out.
as_p_values <- function(object, scores) {
    there <- !is.na(scores)
    p_values <- rep(NA_real_, length(scores))
    p_values[there] <- checked(.Call(C_p_values, object, scores[there]))
    p_values
}

as_table <- function(object, scores, classes, names) {
    table <- data.frame(score = scores, class = classes)
    if (describe(object)$calibration > 0) {
        table$p_value <- as_p_values(object, scores)
    }
    if (!is.null(names)) {
        row.names(table) <- names
    }
    table
}

# ---- Reasons -------------------------------------------------------------------------------------

explain <- function(object, ...) {
    UseMethod("explain")
}

explain.frocc <- function(object, newdata, top = 3, ...) {
    chkDots(...)
    if (missing(newdata)) {
        refuse("newdata is missing: which rows are to be explained?")
    }
    top <- whole("top", top, 1, 2^24)
    rows <- rows_for(object, newdata)
    scores <- checked(.Call(C_score, object, rows, n_rows(rows), 1))
    why <- checked(.Call(C_explain, object, rows, n_rows(rows)))
    why$names <- feature_names(object)
    first <- lapply(seq_along(scores), function(row) leading(why$gain[, row], top))
    row <- rep(seq_along(first), lengths(first))
    at <- cbind(as.integer(unlist(first)), row)
    data.frame(row = row, score = scores[row], feature = why$names[at[, 1]],
               value = why$values[at], better = why$better[at], gain = why$gain[at])
}

# The features that help, the most helpful first.
leading <- function(gain, top) {
    first <- order(-gain)[seq_len(min(top, length(gain)))]
    first[!is.na(gain[first]) & gain[first] > 0]
}
