# SPDX-License-Identifier: BSD-3-Clause
# Parameters of the method: types are checked here, ranges by the library.

frocc_params <- function(directions = NULL, epsilon = NULL, score = NULL, fpr = NULL,
                         threshold = NULL, contamination = NULL, trees = NULL, calibration = NULL,
                         scaling = NULL, family = NULL, density = NULL, kernel = NULL,
                         gamma = NULL, coef0 = NULL, degree = NULL, seed = 0, threads = 1,
                         paper = FALSE) {
    if (!is.logical(paper) || length(paper) != 1 || is.na(paper)) {
        refuse("paper is TRUE or FALSE")
    }
    if (!is.null(threshold) && !is.null(fpr)) {
        refuse("threshold and fpr both decide; give one of the two")
    }
    agreement <- identical(score, "agreement") || (paper && is.null(score))
    if (agreement) {
        if (!is.null(fpr) || !is.null(calibration)) {
            refuse("agreement is not calibrated; give threshold, or score = \"closeness\"")
        }
        if (!is.null(contamination) || !is.null(trees)) {
            refuse(paste("contamination and trees are of closeness; leave them out, or give",
                         "score = \"closeness\""))
        }
        calibration <- trees <- 0
    }
    calibration <- calibration_rows(calibration)
    if (is.null(fpr) && (!is.null(threshold) || identical(calibration, 0))) {
        fpr <- 0
    }
    c(
        paper = as.numeric(paper),
        seed = whole("seed", seed, 0, 2^53), directions = whole("directions", directions, 1, 2^24),
        epsilon = number("epsilon", epsilon), score = choice("score", score, SCORES),
        threshold = number("threshold", threshold), fpr = number("fpr", fpr),
        contamination = number("contamination", contamination),
        trees = whole("trees", trees, 0, 4096), calibration = calibration,
        kernel = choice("kernel", kernel, KERNELS[names(KERNELS) != "custom"]),
        gamma = number("gamma", gamma), coef0 = number("coef0", coef0),
        degree = whole("degree", degree, 1, 32),
        scaling = choice("scaling", scaling, SCALINGS[names(SCALINGS) != "given"]),
        family = choice("family", family, FAMILIES[names(FAMILIES) != "given"]),
        density = number("density", density), threads = threads_of(threads)
    )
}

# "auto" is as many as the rate of false alarms needs.
calibration_rows <- function(value) {
    if (identical(value, "auto")) Inf else whole("calibration", value, 0, 2^24)
}

threads_of <- function(value) {
    whole("threads", value, 0, 1024)
}

# ---- One parameter: NA where it is left to the method --------------------------------------------

number <- function(name, value) {
    if (is.null(value)) {
        return(NA_real_)
    }
    if (!is.numeric(value) || length(value) != 1 || is.na(value)) {
        refuse("%s is a number; got %s", name, shown(value))
    }
    as.numeric(value)
}

whole <- function(name, value, least, most) {
    value <- number(name, value)
    if (!is.na(value) && (value != round(value) || value < least || value > most)) {
        refuse("%s is a whole number from %.0f to %.0f; got %s", name, least, most, shown(value))
    }
    value
}

choice <- function(name, value, choices) {
    if (is.null(value)) {
        return(NA_real_)
    }
    if (!is.character(value) || length(value) != 1 || !value %in% names(choices)) {
        refuse("%s is one of %s; got %s", name,
               paste0("\"", names(choices), "\"", collapse = ", "), shown(value))
    }
    unname(choices[value])
}

shown <- function(value) {
    text <- paste(deparse(value, width.cutoff = 60L), collapse = " ")
    if (nchar(text) > 60) paste0(substr(text, 1, 57), "...") else text
}
