# SPDX-License-Identifier: BSD-3-Clause
# Pictures: the region of normal rows where there are two numbers, else scores.

plot.frocc <- function(x, newdata, type = c("auto", "region", "scores"), n = 80, ...) {
    type <- match.arg(type)
    if (type == "auto") type <- if (has_region(x)) "region" else "scores"
    if (type == "region") {
        plot_region(x, if (missing(newdata)) NULL else newdata, n, ...)
    } else if (missing(newdata)) {
        plot_rates(x, ...)
    } else {
        plot_scores(x, newdata, ...)
    }
    invisible(x)
}

# Two columns of numbers, and nothing else.
has_region <- function(object) {
    columns <- columns_table(object)
    describe(object)$features == 2 && (is.null(columns) || all(columns$kind == "number"))
}

plot_region <- function(object, newdata, n, ...) {
    if (!has_region(object)) {
        refuse("a region can be drawn of two columns of numbers; give type = \"scores\"")
    }
    points <- if (is.null(newdata)) NULL else region_points(object, newdata)
    at <- region_axes(object, points, n)
    grid <- as.matrix(expand.grid(at))
    colnames(grid) <- if (is.null(model_columns(object))) NULL else names(at)
    object$terms <- NULL # the grid has the columns already
    scores <- matrix(predict(object, grid), length(at[[1]]))
    graphics::image(at[[1]], at[[2]], scores, xlab = names(at)[1], ylab = names(at)[2],
                    col = grDevices::hcl.colors(32, "Blues", rev = TRUE), ...)
    graphics::contour(at[[1]], at[[2]], scores, levels = own_threshold(object), drawlabels = FALSE,
                      lwd = 2, add = TRUE)
    if (!is.null(points)) graphics::points(points, pch = 20, cex = 0.5)
}

region_points <- function(object, newdata) {
    if (!is.null(object$terms)) newdata <- stats::model.frame(object$terms, newdata)
    if (is.data.frame(newdata)) newdata <- as.data.frame(newdata)
    names <- feature_names(object)
    as.matrix(newdata[, if (all(names %in% colnames(newdata))) names else 1:2])
}

# A little more than what training rows have, or than the points.
region_axes <- function(object, points, n) {
    ranges <- .Call(C_ranges, object)
    if (inherits(ranges, "frocc_failure")) {
        if (is.null(points)) checked(ranges)
        ranges <- matrix(NA_real_, 2, 2)
    }
    ranges <- rbind(ranges, if (!is.null(points)) apply(points, 2, range, na.rm = TRUE))
    axes <- lapply(1:2, function(j) {
        ends <- range(ranges[, j], na.rm = TRUE)
        more <- 0.1 * (diff(ends) + (diff(ends) == 0))
        seq(ends[1] - more, ends[2] + more, length.out = n)
    })
    stats::setNames(axes, feature_names(object))
}

plot_scores <- function(object, newdata, ...) {
    scores <- predict(object, newdata)
    graphics::hist(scores, breaks = 40, xlab = "score", main = "", ...)
    graphics::abline(v = own_threshold(object), lty = 2)
}

# What a false alarm costs: the threshold at each rate.
plot_rates <- function(object, ...) {
    info <- describe(object)
    if (info$calibration == 0) {
        refuse("this model is not calibrated, so newdata is needed: plot(model, newdata)")
    }
    rates <- exp(seq(log(1 / (info$calibration + 1)), log(0.5), length.out = 100))
    graphics::plot(rates, checked(.Call(C_threshold, object, rates)), log = "x", type = "s",
                   xlab = "share of normal rows below", ylab = "score", ...)
    if (info$fpr > 0) graphics::abline(v = info$fpr, h = own_threshold(object, info), lty = 2)
}
