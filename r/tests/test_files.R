# SPDX-License-Identifier: BSD-3-Clause
# Files, which the library reads: the same as a data frame of what is in them.
library(frocc)
set.seed(1)
n <- 5000 # more than a block
rows <- data.frame(a = sample(999L, n, TRUE), b = sample(999L, n, TRUE) / 8,
                   kind = sample(c("u", "v"), n, TRUE), label = sample(0:1, n, TRUE))
file <- tempfile(fileext = ".csv")
keep <- function(data) utils::write.csv(data, file, row.names = FALSE)
fails <- function(value, words, ...) {
    found <- tryCatch(value, frocc_error = identity)
    stopifnot(inherits(found, "frocc_error"), grepl(words, conditionMessage(found)))
    given <- list(...)
    for (name in names(given)) stopifnot(identical(found[[name]], given[[name]]))
}

keep(rows)
plain <- rows[c("a", "b", "kind")]
model <- frocc(plain)
stopifnot(identical(predict(frocc(file, drop = "label"), file), predict(model, rows)))
for (type in c("score", "class", "p_value", "all")) {
    stopifnot(identical(predict(model, file, type), predict(model, rows, type)))
}
stopifnot(identical(update(model, file)$bytes, update(model, rows)$bytes))
few <- rows[1:20, ]
keep(few)
stopifnot(identical(explain(model, file), explain(model, few)))

# Numbers are read to the last bit, which R's own readers do not do.
exact <- c(0x1.87e2e6ea85447p+0, 0x1.10e7e62dc6e2bp+2, 0x1.2de2e6ea85447p+1)
writeLines(c("a", "1.530806", "4.264154", "2.358487"), file)
stopifnot(identical(suppressWarnings(frocc(file))$bytes,
                    suppressWarnings(frocc(data.frame(a = exact)))$bytes))

# A model of numbers without names takes columns by their places.
numbers <- as.matrix(rows[c("a", "b")])
keep(rows[c("a", "b")])
of_matrix <- frocc(unname(numbers))
stopifnot(identical(predict(of_matrix, file), predict(of_matrix, numbers)))

# Rows that are left out have no score, at the end of a file neither.
gaps <- plain
gaps$a[c(3, 4999, 5000)] <- NA
keep(gaps)
dropped <- frocc(file, missing = "drop")
stopifnot(identical(dropped$bytes, frocc(gaps, missing = "drop")$bytes))
stopifnot(identical(which(is.na(predict(dropped, file))), c(3L, 4999L, 5000L)))

# What is wrong, and where.
fails(frocc(file), "csv: line 4, column 1 \\('a'\\): .*missing = \"keep\"", line = 4, column = 1)
fails(predict(model, tempfile()), "cannot open")
fails(frocc(c("one", "two")), "one text")
fails(frocc(file, drop = 4), "name columns")
fails(predict(frocc(~a, plain), file), "formula")
writeLines("a,b,kind", file)
stopifnot(length(predict(model, file)) == 0) # a day without rows
