# SPDX-License-Identifier: BSD-3-Clause
# What users have rows in, as the library takes it: a matrix of numbers, or a table of columns.

MISSING <- c(error = 0, mean = 1, drop = 2, keep = 3)

# ---- To be learnt from ---------------------------------------------------------------------------

rows_of_matrix <- function(x, missing) {
    x <- matrix_of_numbers(x)
    if (missing == "error" && is.null(colnames(x))) {
        return(x)
    }
    new_table(x, colnames(x), nrow(x), missing)
}

rows_of_frame <- function(data, missing, time) {
    if (!is.null(time) && !(is.character(time) && all(time %in% names(data)))) {
        refuse("time names columns of dates or times; got %s", shown(time))
    }
    warn_of_stamps(data)
    columns <- lapply(seq_along(data), function(i) column(data[[i]], names(data)[i], nrow(data)))
    new_table(columns, names(data), nrow(data), missing, as.character(time))
}

# Texts that may be meant as times are told of: a text is what it is, and each would be a category.
warn_of_stamps <- function(data) {
    stamp <- "^\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d\\S*)?$"
    for (i in seq_along(data)) {
        values <- if (is.character(data[[i]])) data[[i]][seq_len(min(100, nrow(data)))]
        there <- values[!is.na(values) & nzchar(values)]
        if (length(there) > 0 && all(grepl(stamp, there, perl = TRUE))) {
            warning(sprintf(paste(
                "column '%s' holds texts such as \"%s\", each of which becomes a category of its own;",
                "make it POSIXct or Date, of which the hour and the day count"
            ), names(data)[i], there[1]), call. = FALSE)
        }
    }
}

matrix_of_numbers <- function(x) {
    if (!is.numeric(x) && !is.logical(x)) {
        refuse("a matrix has numbers, and this one is of type %s; give a data frame", typeof(x))
    }
    x
}

new_table <- function(columns, names, n_rows, missing = "error", time = character()) {
    structure(class = "frocc_table", list(
        columns = columns, names = names, n_rows = n_rows, missing = MISSING[[missing]],
        time = enc2utf8(time)
    ))
}

# A file that the library reads, in any format that it knows.
new_file <- function(path, missing = "error", time = NULL, drop = NULL) {
    for (names in list(time, drop)) {
        if (!is.null(names) && !is.character(names)) {
            refuse("time and drop name columns; got %s", shown(names))
        }
    }
    structure(class = "frocc_file", list(
        path = path_of(path), missing = MISSING[[missing]],
        time = enc2utf8(as.character(time)), drop = enc2utf8(as.character(drop))
    ))
}

n_rows <- function(rows) {
    if (is.matrix(rows)) nrow(rows) else rows$n_rows
}

# ---- For a model ---------------------------------------------------------------------------------

# Its columns are found by their names, where both have names, else by their places.
rows_for <- function(object, newdata) {
    if (is.character(newdata) && is.null(dim(newdata))) {
        return(file_for(object, newdata))
    }
    if (!is.null(object$terms) && !is.matrix(newdata)) {
        newdata <- stats::model.frame(object$terms, newdata, na.action = stats::na.pass)
    }
    columns <- model_columns(object)
    if (is.matrix(newdata)) {
        newdata <- matrix_of_numbers(newdata)
        if (is.null(columns)) {
            return(newdata)
        }
        return(new_table(newdata, colnames(newdata), nrow(newdata)))
    }
    if (!is.data.frame(newdata)) {
        refuse("newdata is a matrix, a data frame or the path of a file; got an object of class %s%s",
               class(newdata)[1],
               if (is.numeric(newdata)) ": rbind(newdata) makes one row of it" else "")
    }
    if (is.null(columns)) frame_of_numbers(newdata) else frame_for(newdata, columns)
}

# How many rows it has is counted first: results are a vector.
file_for <- function(object, path) {
    if (!is.null(object$terms)) {
        refuse("the model computes its columns by a formula; give a data frame that has what it needs")
    }
    file <- new_file(path)
    file$n_rows <- checked(.Call(C_count, object, file))
    file
}

frame_for <- function(newdata, columns) {
    has_names <- !anyNA(columns$name[columns$is_feature])
    found <- lapply(seq_along(newdata), function(i) {
        at <- if (has_names) match(names(newdata)[i], columns$name) else i
        column(newdata[[i]], names(newdata)[i], nrow(newdata), columns$categories[at] %in% 0)
    })
    new_table(found, names(newdata), nrow(newdata))
}

frame_of_numbers <- function(data) {
    for (i in seq_along(data)) {
        if (!is.numeric(data[[i]]) && !is.logical(data[[i]])) {
            refuse("column '%s' has no numbers, and the model was fitted on a matrix of numbers",
                   names(data)[i])
        }
    }
    unname(as.matrix(data))
}

# ---- A column: numbers, logicals, a factor, or seconds with the units that count them ------------

column <- function(values, name, n_rows, is_number = FALSE) {
    if (length(values) != n_rows || length(dim(values)) > 1) {
        refuse("column '%s' is a matrix or a list; give each of its columns a name of its own",
               name)
    }
    if (inherits(values, "POSIXlt")) values <- as.POSIXct(values)
    if (is.factor(values)) {
        values
    } else if (is.character(values)) {
        texts <- unique(values[!is.na(values)])
        factor_of(match(values, texts), texts)
    } else if (inherits(values, "Date")) {
        structure(floor(as.numeric(unclass(values))) * 86400, per_second = 1)
    } else if (inherits(values, "POSIXct")) {
        clock_times(values)
    } else if (inherits(values, "difftime")) {
        as.numeric(values, units = "secs")
    } else if (is.logical(values)) {
        truths(values, is_number)
    } else if (inherits(values, "integer64") || !typeof(values) %in% c("double", "integer")) {
        refuse("column '%s' is of class %s, which frocc does not know; make it numbers or texts",
               name, class(values)[1])
    } else {
        values
    }
}

# What the clock of its time zone shows, as if that were UTC: so it stands in a file, too.
on_the_clock <- function(time) {
    as.numeric(as.POSIXct(as.POSIXlt(time), tz = "UTC"))
}

# Where the column says its zone, also by how much that clock is ahead of UTC.
clock_times <- function(time) {
    clock <- on_the_clock(time)
    zone <- attr(time, "tzone")
    if (is.null(zone) || !nzchar(zone[1])) {
        return(structure(clock, per_second = 1e6))
    }
    ahead <- as.integer(round(clock - as.numeric(time)))
    ahead[is.na(ahead)] <- 0L
    structure(clock, per_second = 1e6, ahead = ahead)
}

factor_of <- function(codes, levels) {
    structure(codes, levels = levels, class = "factor")
}

# R writes TRUE and FALSE into files, so these are the texts; the library finds them where another
# program has spelt them otherwise.
truths <- function(values, is_number) {
    if (is_number) {
        return(as.integer(values)) # the model has numbers there
    }
    factor_of(2L - as.integer(values), c("TRUE", "FALSE"))
}

# ---- Names ---------------------------------------------------------------------------------------

row_names <- function(data) {
    names <- if (is.data.frame(data)) attr(data, "row.names") else rownames(data)
    if (is.character(names)) names else NULL
}

# ---- Formulas ------------------------------------------------------------------------------------

# The variables of a formula without a left side, each a column.
columns_of_formula <- function(formula, data) {
    if (length(formula) != 2) {
        refuse("there is nothing to predict: write ~ a + b, without a left side")
    }
    frame <- stats::model.frame(formula, data, na.action = stats::na.pass)
    terms <- attr(frame, "terms")
    if (any(attr(terms, "order") > 1)) {
        refuse("a formula lists columns, such as ~ a + log(b); products of columns are not known")
    }
    if (length(attr(terms, "term.labels")) == 0) {
        refuse("the formula names no column; write ~ a + b, or ~ . for all")
    }
    # What has been taken out again, as in ~ . - id, is still a variable.
    kept <- stats::reformulate(attr(terms, "term.labels"), env = environment(formula))
    stats::model.frame(stats::terms(kept), data, na.action = stats::na.pass)
}
