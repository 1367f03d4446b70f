# SPDX-License-Identifier: BSD-3-Clause
# Data frames and formulas: every kind of column, names, missing values.
library(frocc)
set.seed(1)
n <- 600
data <- data.frame(
    number = rnorm(n), whole = sample(9L, n, TRUE),
    text = sample(c("x", "y", "\u00e9t\u00e9"), n, TRUE),
    category = factor(sample(c("u", "v"), n, TRUE), levels = c("never", "v", "u")),
    truth = runif(n) < 0.3, day = as.Date("2026-01-01") + sample(50, n, TRUE),
    time = as.POSIXct("2026-01-01", tz = "America/New_York") + round(runif(n, 0, 1e6)) + 0.25
)
model <- frocc(data, fpr = 0.05)
scores <- predict(model, data)
same <- function(other) stopifnot(identical(frocc(other, fpr = 0.05)$bytes, model$bytes))

# The same columns in other clothes are the same model.
same(transform(data, text = factor(text)))
same(transform(data, category = as.character(category), whole = whole + 0))
same(transform(data, truth = ifelse(truth, "TRUE", "FALSE")))
same(transform(data, time = as.POSIXlt(time)))
# The clock of a column's zone counts; only to differences between times the zone matters.
alone <- function(other, left_out) frocc(other[names(other) != left_out], fpr = 0.05)$bytes
stopifnot(identical(alone(transform(data, day = as.POSIXct(format(day), tz = "Asia/Tokyo")), "time"),
                    alone(data, "time")))
in_utc <- transform(data, time = as.POSIXct(format(time, "%Y-%m-%d %H:%M:%OS2"), tz = "UTC"))
stopifnot(identical(alone(in_utc, "day"), alone(data, "day")))
latin <- data
latin$text <- iconv(latin$text, "UTF-8", "latin1")
same(latin)
stopifnot(identical(frocc(data[c("number", "whole")], fpr = 0.05)$bytes,
                    frocc(as.matrix(data[c("number", "whole")]), fpr = 0.05)$bytes))

# Logicals are what the model has learnt them as: by R, by pandas, from a file of JSON's, as numbers.
for (learnt in list(c("FALSE", "TRUE"), c("False", "True"), c("false", "true"), 0:1)) {
    other <- transform(data, truth = learnt[truth + 1])
    stopifnot(identical(predict(frocc(other, fpr = 0.05), data),
                        predict(frocc(other, fpr = 0.05), other)))
}

# Columns are found by their names; others do not matter; levels may differ.
stopifnot(identical(predict(model, data[rev(names(data))]), scores))
stopifnot(identical(predict(model, cbind(extra = "z", data)), scores))
stopifnot(identical(predict(model, droplevels(data[1:3, ])), scores[1:3]))
named <- data[1:3, ]
row.names(named) <- c("p", "q", "r")
stopifnot(identical(names(predict(model, named)), c("p", "q", "r")))
unseen <- transform(data[1:3, ], text = "unseen")
stopifnot(all(predict(model, unseen) < scores[1:3]))
stopifnot("text" %in% explain(model, unseen, top = 99)$feature)

# Hours and weekdays are those on the clock of the column's time zone; the time itself is learnt
# where that is asked for.
stopifnot(identical(summary(model)$columns$kind, rep(c("number", "text", "time"), c(2, 3, 2))))
night <- data[1:3, ]
night$time <- as.POSIXct("2026-01-02 03:00:00", tz = "America/New_York")
elsewhere <- transform(night, time = as.POSIXct("2026-01-02 03:00:00", tz = "UTC"))
clocks <- frocc(data[names(data) != "day"], fpr = 0.05)
stopifnot(identical(predict(clocks, elsewhere), predict(clocks, night)))
# Texts that look like them stay texts, which is said.
read <- transform(data[c("number", "time")], time = format(time, "%Y-%m-%dT%H:%M:%S"))
warned <- tryCatch(frocc(read, fpr = 0.05), warning = conditionMessage)
stopifnot(grepl("column 'time' holds texts such as \"2026-01-", warned), grepl("make it POSIXct", warned))
later <- transform(night, time = time + 7 * 86400 * 1000)
stopifnot(all.equal(predict(clocks, later), predict(clocks, night)))
asked <- frocc(data, time = c("day", "time"), fpr = 0.05)
stopifnot(all(predict(asked, later, type = "class") == "outlier"))
stopifnot(summary(asked)$features == summary(model)$features + 2)

# The time itself is that of UTC where a column says its zone, as in a file that has offsets.
tokyo <- data.frame(x = data$number, t = as.POSIXct("2026-11-02 08:00:00", tz = "Asia/Tokyo") + seq_len(n))
tokyo$t[3] <- NA
text <- tempfile(fileext = ".csv")
written <- transform(tokyo, t = ifelse(is.na(t), "", paste0(format(t, "%Y-%m-%dT%H:%M:%S"), "+09:00")))
write.csv(written, text, row.names = FALSE, quote = FALSE)
told <- frocc(text, time = "t", missing = "keep", fpr = 0.05)
stopifnot(identical(predict(told, tokyo), predict(told, text)))
stopifnot(all(predict(told, transform(tokyo, t = as.POSIXct(format(t), tz = "UTC")), type = "class")[-3] == "outlier"))

# Through a file, too.
file <- tempfile()
write_frocc(model, file)
stopifnot(identical(predict(read_frocc(file), data), scores))

# Formulas compute columns of new rows as well.
logged <- frocc(~ log(whole) + number, data, fpr = 0.05)
by_hand <- cbind(log(data$whole), data$number)
stopifnot(identical(predict(logged, data), predict(frocc(by_hand, fpr = 0.05), by_hand)))
stopifnot(identical(frocc(~ . - text, data, fpr = 0.05)$bytes,
                    frocc(data[names(data) != "text"], fpr = 0.05)$bytes))
stopifnot(identical(summary(logged)$columns$name, c("log(whole)", "number")))
stopifnot(summary(update(logged, data))$rows == 2 * n)

# Texts that the model does not know are learnt by an update; a truth is the same as others spell it.
spelt <- transform(data, truth = c("False", "True")[truth + 1])
stopifnot(identical(update(model, spelt)$bytes, update(model, data)$bytes))
stopifnot(all(predict(update(model, unseen), unseen) > predict(model, unseen)))

# Missing values.
gaps <- data
for (i in seq_along(gaps)) gaps[10 * i, i] <- NA
gone <- 10 * seq_along(gaps)
mean_filled <- frocc(gaps, missing = "mean", fpr = 0.05)
stopifnot(!anyNA(predict(mean_filled, gaps)))
filled <- gaps
filled$number[10] <- mean(gaps$number, na.rm = TRUE)
stopifnot(all.equal(predict(mean_filled, filled)[10], predict(mean_filled, gaps)[10]))
dropped <- frocc(gaps, missing = "drop", fpr = 0.05)
stopifnot(identical(dropped$bytes, frocc(gaps[-gone, ], missing = "drop", fpr = 0.05)$bytes))
all <- predict(dropped, gaps, type = "all")
stopifnot(identical(which(is.na(all$score)), as.integer(gone)))
for (answer in all) stopifnot(identical(is.na(answer), is.na(all$score)))
stopifnot(identical(all$score[-gone], predict(dropped, gaps[-gone, ])))
stopifnot(identical(nrow(explain(dropped, gaps[10, ])), 0L))
kept <- frocc(gaps, missing = "keep", fpr = 0.05)
stopifnot(!anyNA(predict(kept, gaps)))
stopifnot("state of number" %in% explain(kept, gaps[10, ], top = 99)$feature)
none <- frocc(data, missing = "keep", fpr = 0.05)
stopifnot(predict(none, gaps[10, ], type = "class") == "outlier")
gappy <- matrix(replace(rnorm(900), 5, NA), ncol = 3)
stopifnot(which(is.na(predict(frocc(gappy, missing = "drop"), gappy))) == 5)
