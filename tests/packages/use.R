# SPDX-License-Identifier: BSD-3-Clause
# In a folder where the command was used: the same from R.
library(frocc)

bytes <- function(file) readBin(file, "raw", file.size(file))
fitted <- frocc("normal.csv")
write_frocc(fitted, "r.frocc")
loaded <- read_frocc("command.frocc")

flags <- utils::read.csv("flags.csv")[[1]]
scores <- readBin(utils::tail(bytes("command.npy"), 8 * length(flags)), "double", length(flags))
why <- utils::read.csv("reasons.csv")[1, ]
reason <- subset(explain(loaded, "new.csv", top = 1), row == why$row)
stopifnot(
    "another model than the command's" = identical(bytes("r.frocc"), bytes("command.frocc")),
    "other scores than the command's" = identical(predict(fitted, "new.csv"), scores),
    "other scores of a loaded model" = identical(predict(loaded, "new.csv"), scores),
    "other outliers" = identical(predict(loaded, "new.csv", type = "class") == "outlier", flags != 0),
    "another score in explain" = identical(reason$score, scores[why$row]),
    "another reason" = identical(reason$feature, why$name),
    "other values" = isTRUE(all.equal(c(reason$value, reason$better), c(why$value, why$better), 1e-3))
)
