# SPDX-License-Identifier: BSD-3-Clause
# Models of matrices: laws by bytes, objects that travel, files.
library(frocc)
set.seed(1)
x <- matrix(rnorm(6000), ncol = 3, dimnames = list(NULL, c("a", "b", "c")))
model <- frocc(x)
scores <- predict(model, x)

# The laws: order of rows, threads, types of numbers, split and merge.
stopifnot(identical(frocc(x[sample(nrow(x)), ])$bytes, model$bytes))
stopifnot(identical(frocc(x, threads = 3)$bytes, model$bytes))
stopifnot(identical(predict(model, x, threads = 3), scores))
whole <- matrix(sample(1000L, 6000, TRUE), ncol = 3)
stopifnot(identical(frocc(whole)$bytes, frocc(whole + 0)$bytes))
stopifnot(identical(frocc(x > 0)$bytes, frocc((x > 0) + 0L)$bytes))
parts <- lapply(split(seq_len(nrow(x)), rep(1:4, 500)), function(i) frocc(x[i, ], paper = TRUE))
paper <- frocc(x, paper = TRUE)
stopifnot(identical(merge(parts[[3]], parts[[1]], parts[[4]], parts[[2]])$bytes, paper$bytes))
stopifnot(!identical(frocc(x, seed = 1)$bytes, model$bytes))

# A model of the first rows learns the others in its frame.
first <- frocc(x[1:1500, ])
more <- update(first, x[1501:2000, ])
stopifnot(summary(more)$rows == 2000, summary(more)$frame == summary(first)$frame)
stopifnot(identical(update(first, x[2000:1501, ])$bytes, more$bytes))
stopifnot(summary(first)$rows == 1500, identical(update(paper, x)$bytes, merge(paper, paper)$bytes))

# Scores, classes and p-values fit together.
all <- predict(model, rbind(x[1:50, ], c(9, 9, 9)), type = "all")
stopifnot(all$class[51] == "outlier", all$score[51] < min(scores), all$p_value[51] < 0.01)
stopifnot(identical(all$score[1:50], scores[1:50]))
stopifnot(identical(all$class, predict(model, rbind(x[1:50, ], c(9, 9, 9)), type = "class")))
stopifnot(all((all$p_value <= 0.01) == (all$class == "outlier")))
fresh <- matrix(rnorm(30000), ncol = 3)
stopifnot(mean(predict(model, fresh, type = "class") == "outlier") < 0.02)
stopifnot(identical(predict(frocc(unname(x)), fresh), predict(model, fresh))) # of several blocks
threshold <- frocc(x, threshold = 0.5)
stopifnot(identical(predict(threshold, fresh, type = "class") == "outlier",
                    predict(threshold, fresh) < 0.5))

# Explanations are exact: the score of the better row is higher by the gain.
odd <- rbind(c(0, 9, 0), c(0, 0, 0))
why <- explain(model, odd, top = 1)
stopifnot(why$feature[1] == "b", why$value[1] == 9, why$score[1] == predict(model, odd)[1])
odd[1, 2] <- why$better[1]
stopifnot(predict(model, odd)[1] == why$score[1] + why$gain[1])
stopifnot(identical(dim(explain(model, odd[0, , drop = FALSE])), c(0L, 6L)))
stopifnot(identical(predict(model, x[0, ]), numeric(0)), nrow(predict(model, x[0, ], "all")) == 0)
stopifnot(identical(predict(model, as.data.frame(x)[0, ]), numeric(0)))

# Objects: saved, sent, read; an empty holder is filled from the bytes.
file <- tempfile()
saveRDS(list(model, model), file)
twice <- readRDS(file)
stopifnot(identical(predict(twice[[1]], x), scores), identical(predict(twice[[2]], x), scores))
stopifnot(identical(predict(unserialize(serialize(model, NULL)), x), scores))
write_frocc(model, file)
read <- read_frocc(file)
stopifnot(identical(read$bytes, model$bytes), identical(predict(read, x), scores))
stopifnot(identical(readBin(file, "raw", 1e7), model$bytes))
stopifnot(identical(update(twice[[1]], x)$bytes, merge(twice[[2]], model)$bytes))
rm(model, twice, read, more, parts)
invisible(gc())

# R's random numbers are its own.
seed <- .Random.seed
invisible(frocc(x))
stopifnot(identical(.Random.seed, seed))

# What is printed and drawn.
print(paper)
print(summary(paper))
grDevices::pdf(NULL)
plane <- frocc(x[, 1:2])
for (type in c("auto", "region", "scores")) {
    plot(plane, type = type)
    plot(plane, x[, 1:2], type = type)
}
plot(frocc(unname(x[, 1:2])), x)
plot(first)
plot(first, x)
