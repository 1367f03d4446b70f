# SPDX-License-Identifier: BSD-3-Clause
# Nothing is wrong without a word: few rows, low rates, guessed formats, output that is an input,
# permissions, and hints that can be followed.
. "$(dirname "$0")/cli.sh"

# rows N [SEED]: a table of requests, times in ms, sizes, and a kind that is a text
rows() {
    awk -v n="$1" -v seed="${2:-1}" 'BEGIN { srand(seed); print "ms,bytes,kind"
        for (i = 0; i < n; i++)
            printf "%.2f,%d,%s\n", 20 + 5 * (rand() + rand() - 1), exp(6 + 3 * rand()),
                rand() < 0.5 ? "get" : "put" }'
}
said() { # said WORDS COMMAND...: both streams have the words in them
    local words=$1
    shift
    "$@" >said.log 2>&1
    grep -qF -- "$words" said.log || { cat said.log && return 1; }
}
refused() { # refused WORDS COMMAND...: it fails and says so
    local words=$1
    shift
    ! "$@" >said.log 2>&1 || { echo "not refused" && return 1; }
    grep -qF -- "$words" said.log || { cat said.log && return 1; }
}

# ---- Few rows, low rates -------------------------------------------------------------------------

rows 100 >few.csv
rows 6000 >many.csv
printf 'ms,bytes,kind\n20,99999999,get\n' >wild.csv
check "few rows are told of" said "too few for a false-alarm rate of 0.01" \
    frocc fit few.csv -o few.frocc
check "once" [ "$(grep -c 'false-alarm' said.log)" -eq 1 ]
check "a wild row is an outlier" [ "$(frocc predict few.frocc wild.csv | tail -n 1)" = 1 ]
check "the rows themselves are not" eval '! frocc predict few.frocc few.csv | grep -q 1'
rows 250 >enough.csv
check "so many rows as it says are enough" eval 'said "fit about 250 rows" frocc fit few.csv -o x.frocc &&
    ! said "too few" frocc fit enough.csv -o x.frocc'
check "the rate that it names can be had" eval '
    rate=$(frocc fit few.csv -o x.frocc 2>&1 | sed -n "s/.*--fpr \([0-9.e-]*\) or more/\1/p") &&
    [ -n "$rate" ] && ! said "too few" frocc fit few.csv --fpr "$rate" -o x.frocc'
check "-q is quiet about it" eval '[ -z "$(frocc fit few.csv -q -o x.frocc 2>&1)" ]'
check "a low rate takes more rows" eval 'frocc fit many.csv --fpr 0.0005 -o low.frocc 2>&1 |
    grep -q "false-alarm"; [ $? -eq 1 ]'
check "and finds the wild row" [ "$(frocc predict low.frocc wild.csv | tail -n 1)" = 1 ]
frocc fit many.csv -o usual.frocc -q
check "a rate too low for a model is told of" said "fit with --fpr 1e-05" \
    frocc predict usual.frocc wild.csv --fpr 0.00001
check "and the wild row is still found" [ "$(frocc predict usual.frocc wild.csv --fpr 0.00001 -q |
    tail -n 1)" = 1 ]
check "too few rows by --calibration: the hint works" eval '
    said "give --calibration 200" frocc fit many.csv --fpr 0.005 --calibration 50 -o x.frocc &&
    ! said "too few" frocc fit many.csv --fpr 0.005 --calibration 200 -o x.frocc'

# ---- Formats are guessed only when unmistakable --------------------------------------------------

columns() { # columns N: standard input is a table of N columns of numbers or texts, not LIBSVM
    frocc fit - -m 8 --json -o x.frocc --score agreement --missing drop 2>said.log |
        grep -q "\"features\":$1," || { cat said.log && return 1; }
}
check "a time stamp first is no LIBSVM" columns 4 < <(printf '10:00:01,5,3\n10:00:01,6,4\n')
check "nor a date and a time" columns 4 < <(printf '2024-01-01 10:00:01,5,3\n2024-01-01 10:00:01,6,4\n')
check "nor numbers and a time" columns 3 < <(printf '5 10:05\n6 10:05\n7 10:05\n')
check "nor times alone" columns 2 < <(printf '10:00\n11:30\n')
check "LIBSVM is known" columns 3 < <(printf '1 1:0.5 3:2\n-1 2:1e-3\n')
check "with comments and query numbers" columns 2 < <(printf '# made\n1 qid:3 1:0.5 2:1 # x\n')
check "without labels" columns 2 < <(printf '1:0.5 2:1\n2:0.25\n')
for text in '[[1,2],[3,4]]' '[1, 2, 3]' '{"a": 1}' '[ {"a": 1} ]'; do
    check "JSON is refused: $text" eval "echo '$text' | refused 'looks like JSON' frocc fit - -o x.frocc"
done

# ---- Output that is an input ---------------------------------------------------------------------

cp many.csv kept.csv
frocc fit many.csv -m 20 --label kind -o m.frocc -q
cp m.frocc kept.frocc
ln -s many.csv link.csv
untouched() { # untouched COMMAND...: it is refused, and all inputs are as they were
    refused "which is read" "$@" && cmp many.csv kept.csv && cmp m.frocc kept.frocc
}
check "fit" untouched frocc fit many.csv -o many.csv
check "fit, through a link" untouched frocc fit many.csv -o link.csv
check "fit, of a pattern" untouched frocc fit 'man*.csv' -o ./many.csv
check "score over the data" untouched frocc score m.frocc many.csv -o many.csv
check "predict over the data" untouched frocc predict m.frocc many.csv -o many.csv
check "explain over the data" untouched frocc explain m.frocc many.csv -o many.csv
check "convert" untouched frocc convert many.csv -o many.csv
check "merge" untouched frocc merge m.frocc kept.frocc -o m.frocc
check "seal" untouched frocc seal m.frocc -o m.frocc
check "report" untouched eval 'cp many.csv many.html && frocc report m.frocc many.html -o many.html'
check "tune" untouched frocc tune many.csv --validate few.csv --label kind --model many.csv

permissions() { stat -c %a "$1"; }
echo old >private.csv && chmod 600 private.csv
echo old >open.csv && chmod 666 open.csv
frocc score m.frocc few.csv -o private.csv && frocc score m.frocc few.csv -o open.csv
check "a replaced file keeps its permissions" [ "$(permissions private.csv) $(permissions open.csv)" = "600 666" ]
echo old >private.frocc && chmod 640 private.frocc
frocc fit many.csv -m 20 -o private.frocc -q
check "a replaced model, too" [ "$(permissions private.frocc)" = 640 ]
finish
