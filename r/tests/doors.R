# SPDX-License-Identifier: BSD-3-Clause
# The same CSV file with texts, missing cells and numbers, in R, the command and Python: models and
# scores are compared byte by byte.
#
#   Rscript doors.R FOLDER     FROCC_COMMAND and, where it is, FROCC_PYTHON name the other doors
library(frocc)
setwd(commandArgs(TRUE)[1])
command <- Sys.getenv("FROCC_COMMAND")
python <- Sys.getenv("FROCC_PYTHON")

run <- function(program, ...) {
    if (system2(program, shQuote(c(...))) != 0) stop("failed: ", program, " ", toString(c(...)))
}
bytes <- function(file) readBin(file, "raw", file.size(file))
same <- function(name, one, other) {
    if (!identical(one, other)) stop("not the same: ", name)
    cat("ok ", name, "\n", sep = "")
}
# The last column of a .npy file of n rows of doubles.
numbers <- function(file, n, columns = 1) {
    found <- readBin(utils::tail(bytes(file), 8 * n * columns), "double", n * columns)
    found[seq(columns, n * columns, columns)]
}

set.seed(1)
n <- 2000
rows <- data.frame(
    amount = signif(rlnorm(n), 6), items = sample(9L, n, TRUE),
    country = sample(c("DE", "FR", "\u00d6"), n, TRUE),
    plan = factor(sample(c("basic", "other, \"one\""), n, TRUE)), express = runif(n) < 0.3,
    day = as.Date("2026-01-01") + sample(50, n, TRUE),
    time = as.POSIXct("2026-03-01", tz = "UTC") + round(runif(n, 0, 1e6))
)
for (i in seq_along(rows)) rows[7 * i, i] <- NA
utils::write.csv(rows, "rows.csv", row.names = FALSE, fileEncoding = "UTF-8")

for (missing in c("mean", "drop", "keep")) {
    run(command, "fit", "-q", "--missing", missing, "rows.csv", "-o", "command.frocc")
    model <- frocc(rows, missing = missing)
    write_frocc(model, "r.frocc")
    same(sprintf("missing = %s: R and the command write the same model", missing), bytes("r.frocc"),
         bytes("command.frocc"))
    scores <- predict(read_frocc("command.frocc"), rows)
    there <- !is.na(scores)
    run(command, "score", "-q", "r.frocc", "rows.csv", "-o", "command.npy")
    same(sprintf("missing = %s: the same of the file", missing),
         frocc("rows.csv", missing = missing)$bytes, model$bytes)
    same(sprintf("missing = %s: R and the command give the same scores", missing), scores[there],
         numbers("command.npy", sum(there), if (missing == "drop") 2 else 1)) # 1: of which row
}

model <- frocc(rows, missing = "mean")
write_frocc(model, "r.frocc")
p_values <- predict(model, rows, type = "p_value")
run(command, "score", "-q", "--p-values", "r.frocc", "rows.csv", "-o", "command.csv")
same("and p-values", p_values, utils::read.csv("command.csv")$p_value)

if (nzchar(python)) {
    code <- c(
        "import numpy, pandas, frocc",
        "rows = pandas.read_csv('rows.csv', dtype={'express': str})",
        "numpy.save('python.npy', frocc.FROCC.load('r.frocc').score_samples(rows))",
        "plain = rows[['amount', 'items']].dropna()",
        "frocc.FROCC().fit(plain).save('python.frocc')",
        "numpy.save('plain.npy', frocc.FROCC.load('python.frocc').score_samples(plain))"
    )
    run(python, "-c", paste(code, collapse = "\n"))
    same("a model of R's scores the same in Python", predict(model, rows), numbers("python.npy", n))
    plain <- stats::na.omit(rows[c("amount", "items")])
    same("R and Python write the same model", frocc(plain)$bytes, bytes("python.frocc"))
    same("a model of Python's scores the same in R",
         unname(predict(read_frocc("python.frocc"), plain)), numbers("plain.npy", nrow(plain)))
}
