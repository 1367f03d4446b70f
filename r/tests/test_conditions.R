# SPDX-License-Identifier: BSD-3-Clause
# Errors, warnings and interrupts are conditions that say what, where and what to do.
library(frocc)
set.seed(1)

# fails(expression, kind, words): the error's class, and words of its sentence; returns the error.
fails <- function(expression, kind, ...) {
    error <- tryCatch({
        expression
        NULL
    }, frocc_error = identity)
    if (is.null(error)) stop("no error: ", deparse(substitute(expression)))
    cat(kind, ": ", conditionMessage(error), "\n", sep = "")
    stopifnot(inherits(error, paste0("frocc_", kind, "_error")), inherits(error, "error"))
    for (word in c(...)) stopifnot(grepl(word, conditionMessage(error), fixed = TRUE))
    invisible(error)
}

x <- matrix(rnorm(3000), ncol = 3)
data <- data.frame(a = x[, 1], b = x[, 2], k = sample(c("u", "v"), 1000, TRUE))
model <- frocc(data, fpr = 0.02)
bare <- frocc(x, fpr = 0.02)

# Values: rows and columns count from 1.
bad <- x
bad[702, 3] <- NA
error <- fails(frocc(bad), "data", "row 702", "column 3")
stopifnot(error$row == 702, error$column == 3, is.na(error$column_name))
fails(predict(bare, bad), "data", "row 702", "column 3")
late <- rbind(x, x, x, x, x, x, bad) # beyond the first block
stopifnot(fails(predict(bare, late), "data", "row 6702")$row == 6702)
stopifnot(fails(frocc(late), "data", "column 3")$column == 3)
gap <- data
gap$b[33] <- NA
error <- fails(frocc(gap), "data", "row 33", "'b'", "missing = \"")
stopifnot(error$row == 33, error$column == 2, error$column_name == "b")
fails(predict(model, gap), "data", "row 33", "'b'")
gap$b[33] <- Inf
fails(frocc(gap), "data", "row 33", "'b'", "infinite")
wild <- data[c("k", "b")]
wild$b[33] <- 1e30
# Of texts something is learnt first, from a sample, whose rows have no numbers.
error <- fails(frocc(wild, paper = TRUE), "data", "column 2 ('b')", "over 2^90")
stopifnot(is.na(error$row), error$column == 2)
wild$a <- data$a
error <- fails(frocc(wild[c("a", "b")], paper = TRUE), "data", "row 33, column 2 ('b')")
stopifnot(error$row == 33, error$column == 2, error$column_name == "b")
wild$b <- rep(c(-1e300, 1e300), 500)
stopifnot(fails(frocc(wild), "data", "column 2 ('b'): its values")$column == 2)
gap <- data
gap$k[34] <- NA
fails(frocc(gap), "data", "row 34", "'k'")

# Shapes and types.
fails(predict(bare, x[, 1:2]), "shape", "2 columns where 3")
fails(predict(model, data[c("a", "k")]), "shape", "'b'")
fails(predict(model, transform(data, a = "text")), "data", "'a'")
fails(frocc(x[0, ]), "empty", "no rows")
fails(frocc(data[0, ]), "empty", "no rows")
fails(frocc(data.frame(id = as.character(1:2000))), "data", "name rows", "give more columns")
fails(frocc(letters), "argument", "one text")
fails(frocc(list(1)), "argument", "list")
fails(frocc(matrix(letters)), "argument", "data frame")
fails(frocc(data.frame(a = 1:3 + 1i)), "argument", "'a'", "complex")
fails(frocc(data.frame(a = I(list(1, 2)))), "argument", "'a'")
fails(frocc(~ poly(a, 2), data), "argument", "poly")
fails(frocc(k ~ a, data), "argument", "left side")
fails(frocc(~ a * b, data), "argument", "products")
fails(frocc(~ 1, data), "argument", "no column")
fails(predict(bare, data), "argument", "'k'")
fails(predict(bare, x[1, ]), "argument", "rbind")
fails(predict(model), "argument", "newdata")
stopifnot(inherits(try(predict(model, data, typo = 1), silent = TRUE), "try-error") ||
          length(tryCatch(predict(model, data, typo = 1), warning = conditionMessage)) == 1)

# Parameters.
fails(frocc(x, epsilon = 7), "argument", "epsilon")
fails(frocc(x, directions = 0), "argument", "directions", "got 0")
fails(frocc(x, kernel = "cubic"), "argument", "\"poly\"", "cubic")
fails(frocc(x, threads = "two"), "argument", "threads")
fails(frocc(x, seed = -1), "argument", "seed")
fails(frocc(x, fpr = 0.1, threshold = 1), "argument", "one of the two")
fails(frocc(x, score = "agreement", trees = 3), "argument", "closeness")
fails(frocc(x, contamination = 0.9), "argument", "contamination")
stopifnot(inherits(try(frocc(x, epsillon = 1), silent = TRUE), "try-error"))

# Models that do not go together; files.
fails(merge(model, bare), "frame", "merge")
fails(merge(model, 1), "argument", "merge")
fails(update(model), "argument", "newdata")
file <- tempfile()
fails(read_frocc(file), "io", file)
fails(read_frocc("n_trees"), "io", "n_trees: cannot open") # a name, no word to translate
writeLines("no model", file)
fails(read_frocc(file), "format", "not a frocc")
write_frocc(model, file)
bytes <- readBin(file, "raw", 1e7)
bytes[1000] <- xor(bytes[1000], as.raw(1))
writeBin(bytes, file)
fails(read_frocc(file), "format")
broken <- unserialize(serialize(model, NULL))
broken$bytes <- bytes
fails(predict(broken, data), "format")
fails(write_frocc(model, file.path(file, "x")), "io")
forged <- model
forged$pointer <- NULL
stopifnot(inherits(try(predict(forged, data), silent = TRUE), "try-error"))

# Too few rows for the rate are said, and what helps.
warned <- tryCatch(frocc(x[1:50, ]), frocc_calibration_warning = identity)
stopifnot(inherits(warned, "warning"), grepl("fit about 250 rows", conditionMessage(warned)))
rate <- as.numeric(sub(".*ask for fpr = ([0-9.]+) or more.*", "\\1", conditionMessage(warned)))
options(warn = 2)
invisible(frocc(x[1:50, ], fpr = rate)) # the hint works
# Chance, or equal rows, may leave too few where there are enough and all that help are asked for.
same <- tryCatch(frocc(matrix(1:3, 300, 3, byrow = TRUE)), frocc_calibration_warning = conditionMessage)
stopifnot(grepl("; fit more rows that differ$", same))
wide <- list(rows = 3e5, fpr = 1e-5, calibration = 8e4) # more had no room
stopifnot(frocc:::remedy_for(wide, NA) == "give calibration = 100000")
few <- tryCatch(frocc(x, calibration = 50), frocc_calibration_warning = conditionMessage)
stopifnot(grepl("give calibration = 100,", few))
invisible(frocc(x, calibration = 100)) # and so does this one
options(warn = 0)

# Interrupts and time limits stop long work and leave everything usable.
slow <- matrix(rnorm(4e6), ncol = 20)
long <- function() frocc(slow, paper = TRUE, directions = 2^15)
stopped <- tryCatch({
    setTimeLimit(elapsed = 0.3, transient = TRUE)
    long()
}, error = conditionMessage)
setTimeLimit()
stopifnot(grepl("time limit", stopped))
if (.Platform$OS.type == "unix") {
    system(sprintf("(sleep 0.3; kill -INT %d) &", Sys.getpid()))
    stopped <- tryCatch(long(), interrupt = function(condition) "interrupted")
    stopifnot(identical(stopped, "interrupted"))
}
stopifnot(identical(frocc(x, fpr = 0.02)$bytes, bare$bytes))
