# SPDX-License-Identifier: BSD-3-Clause
# Every call of the glue while R collects garbage at each allocation: what is not protected is gone.
library(frocc)
set.seed(1)
data <- data.frame(a = rnorm(60), k = factor(rep(c("u", "v", "w"), 20)), i = rep(1:6, 10),
                   day = as.Date("2026-01-01") + 1:60)
file <- tempfile()
table <- tempfile()
utils::write.csv(data, table, row.names = FALSE)
round <- function() {
    quick <- list(directions = 16, trees = 1, fpr = 0.1)
    model <- do.call(frocc, c(list(data, missing = "mean"), quick))
    plain <- do.call(frocc, c(list(as.matrix(data[c("a", "i")])), quick))
    write_frocc(model, file)
    read <- read_frocc(file)
    sent <- unserialize(serialize(model, NULL))
    list(
        model$bytes, do.call(frocc, c(list(table, missing = "mean"), quick))$bytes,
        predict(model, table), plain$bytes, read$bytes, predict(sent, data[1:4, ], type = "all"),
        explain(model, data[1, ]), update(model, data)$bytes, merge(model, read)$bytes,
        summary(model)$columns, tryCatch(predict(model, data["a"]), error = conditionMessage),
        tryCatch(frocc(matrix(NA_real_, 2, 2)), error = conditionMessage)
    )
}
usual <- round()
# One allocation of seven; all of them, by starting at another each time, take a minute.
for (first in seq_len(if (nzchar(Sys.getenv("FROCC_TEST_ALL"))) 7 else 1)) {
    gctorture2(7, first)
    found <- round()
    gctorture2(0)
    stopifnot(identical(found, usual))
}
