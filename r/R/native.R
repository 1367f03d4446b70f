# SPDX-License-Identifier: BSD-3-Clause
# Calls of the library, and its failures as conditions.

# Choices by their numbers in frocc.h, which are pinned.
KERNELS <- c(linear = 0, rbf = 1, poly = 2, sigmoid = 3, custom = 4)
SCALINGS <- c(none = 0, standard = 1, minmax = 2, given = 3, asinh = 4, whiten = 5)
FAMILIES <- c(gaussian = 0, given = 1, mixed = 2, hadamard = 3, sparse = 4, auto = 5)
SCORES <- c(agreement = 0, closeness = 1)

# What a call has returned, unless the library has failed.
checked <- function(result) {
    if (!inherits(result, "frocc_failure")) {
        return(result)
    }
    kind <- tolower(sub("^FROCC_ERR_", "", result$status))
    stop(structure(
        class = c(paste0("frocc_", kind, "_error"), "frocc_error", "error", "condition"),
        list(message = sentence(result), call = NULL, row = result$row, column = result$column,
             column_name = result$column_name, line = result$line)
    ))
}

# The library counts from 0, R from 1; in files, it says line and column as people do.
sentence <- function(failure) {
    if (!is.na(failure$file) || (is.na(failure$row) && is.na(failure$column))) {
        where <- sub(failure$what, "", failure$sentence, fixed = TRUE) # names of files stay
        return(paste0(where, in_words_of_r(failure$what)))
    }
    place <- c(
        if (!is.na(failure$row)) sprintf("row %.0f", failure$row),
        if (!is.na(failure$column)) sprintf("column %.0f", failure$column),
        if (!is.na(failure$column_name)) sprintf("('%s')", failure$column_name)
    )
    place <- sub(", \\(", " (", paste(place, collapse = ", "))
    what <- in_words_of_r(failure$what)
    if (startsWith(what, place)) what else paste0(place, ": ", what)
}

# Hints of the library name its options; these are ours.
in_words_of_r <- function(text) {
    words <- c(
        "\\bn_directions\\b" = "directions", "\\bn_trees\\b" = "trees",
        "\\bcalibration_rows\\b" = "calibration", "\\(try missing = " = "(fit with missing = ",
        "; if it means missing, name it in na, .* leave it out by drop" =
            "; use missing = \"keep\" if it means missing, or fit with texts in the column",
        "name columns in categorical, or parts of times in time_parts" = "give more columns",
        "name the column in categorical, or in drop" = "leave the column out",
        "; name it in drop(,? or as id)?\\b" = "; leave it out",
        "; give header = no if its first line is a row" = ""
    )
    for (word in names(words)) text <- gsub(word, words[[word]], text)
    hint <- regmatches(text, regexpr("\\(fit with missing = [^)]*\\)", text))
    if (length(hint) == 0) {
        return(text)
    }
    sub(hint, gsub("\\b(mean|drop|keep)\\b", "\"\\1\"", hint), text, fixed = TRUE)
}

refuse <- function(...) {
    stop(structure(
        class = c("frocc_argument_error", "frocc_error", "error", "condition"),
        list(message = sprintf(...), call = NULL)
    ))
}
