# SPDX-License-Identifier: BSD-3-Clause
# Fitting: rows into a model.

frocc <- function(x, ...) {
    UseMethod("frocc")
}

frocc.default <- function(x, ...) {
    refuse(paste("frocc takes a matrix of numbers, a data frame, a formula and a data frame, or the",
                 "path of a file; got an object of class %s"), class(x)[1])
}

frocc.character <- function(x, missing = c("error", "mean", "drop", "keep"),
                            time = NULL, drop = NULL, ...) {
    rows <- new_file(x, match.arg(missing), time, drop)
    fitted_model(rows, frocc_params(...), match.call())
}

frocc.matrix <- function(x, missing = c("error", "mean", "drop", "keep"),
                         ...) {
    rows <- rows_of_matrix(x, match.arg(missing))
    fitted_model(rows, frocc_params(...), match.call())
}

frocc.data.frame <- function(x, missing = c("error", "mean", "drop", "keep"),
                             time = NULL, ...) {
    rows <- rows_of_frame(x, match.arg(missing), time)
    fitted_model(rows, frocc_params(...), match.call())
}

frocc.formula <- function(formula, data, missing = c("error", "mean", "drop", "keep"),
                          time = NULL, ...) {
    columns <- columns_of_formula(formula, data)
    rows <- rows_of_frame(columns, match.arg(missing), time)
    fitted_model(rows, frocc_params(...), match.call(), attr(columns, "terms"))
}

fitted_model <- function(rows, params, call, terms = NULL) {
    call[[1]] <- as.name("frocc")
    model <- new_model(checked(.Call(C_fit, rows, params)), call, terms)
    warn_of_rate(model, params[["calibration"]])
    model
}

# The object: the library's model and its bytes, what was asked for, and what a formula computes.
new_model <- function(parts, call = NULL, terms = NULL) {
    structure(class = "frocc", list(
        pointer = parts$pointer, bytes = parts$bytes, call = call, terms = terms
    ))
}

# With too few calibration rows for the rate, the decision is another one, and that is said.
warn_of_rate <- function(model, asked) {
    info <- describe(model)
    n <- info$calibration
    if (info$fpr == 0 || info$fpr >= 1 / (n + 1)) {
        return(invisible())
    }
    message <- sprintf(
        paste("%.0f training rows calibrate the decision, too few for fpr = %g: what scores",
              "below %s is an outlier; %s%s"),
        n, info$fpr, if (n > 0) "all of them" else "0", remedy_for(info, asked),
        if (n > 0) sprintf(", or ask for fpr = %.2g or more", least_rate(n)) else ""
    )
    warning(structure(
        class = c("frocc_calibration_warning", "warning", "condition"),
        list(message = message, call = NULL)
    ))
}

# About half of the rows may calibrate, of equal ones all or none; asked is how many at most, NA or
# infinite for as many as are needed, or as there is room for, of which there is for 1,024.
remedy_for <- function(info, asked) {
    needed <- ceiling(1 / info$fpr)
    if (info$rows < 2.5 * needed) {
        sprintf("fit about %.0f rows", ceiling(2.5 / info$fpr))
    } else if (if (is.finite(asked)) asked < needed else info$calibration >= 1024) {
        sprintf("give calibration = %.0f", needed)
    } else {
        "fit more rows that differ"
    }
}

# In two digits, rounded up.
least_rate <- function(n) {
    unit <- 10^(floor(log10(1 / (n + 1))) - 1)
    ceiling(1 / (n + 1) / unit - 1e-9) * unit
}

# ---- More rows -----------------------------------------------------------------------------------

update.frocc <- function(object, newdata, threads = 1, ...) {
    chkDots(...)
    if (missing(newdata)) {
        refuse("newdata is missing: update learns these rows too; to change a parameter, fit again")
    }
    rows <- rows_for(object, newdata)
    parts <- checked(.Call(C_update, object, rows, threads_of(threads)))
    new_model(parts, object$call, object$terms)
}

merge.frocc <- function(x, y, ...) {
    models <- list(x, y, ...)
    if (!all(vapply(models, inherits, NA, "frocc"))) {
        refuse("models of class frocc merge with each other only")
    }
    new_model(checked(.Call(C_merge, models)), x$call, x$terms)
}

# ---- Files ---------------------------------------------------------------------------------------

write_frocc <- function(object, file) {
    if (!inherits(object, "frocc")) {
        refuse("object is a model that frocc has made; got one of class %s", class(object)[1])
    }
    checked(.Call(C_write, object, path_of(file)))
    invisible(object)
}

read_frocc <- function(file, max_memory = 0) {
    max_memory <- number("max_memory", max_memory)
    if (max_memory < 0) {
        refuse("max_memory is a number of bytes, 0 for the usual limit, Inf for none")
    }
    new_model(checked(.Call(C_read, path_of(file), max_memory)))
}

path_of <- function(file) {
    if (!is.character(file) || length(file) != 1 || is.na(file)) {
        refuse("the path of a file is one text; got %s", shown(file))
    }
    path.expand(file)
}
