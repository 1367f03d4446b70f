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
rows 40 >tiny.csv
frocc fit tiny.csv -q -o one.frocc
frocc fit tiny.csv -q --frame one.frocc -o other.frocc
check "models that merge to too few rows are told of" said "fit about 250 rows" \
    frocc merge one.frocc other.frocc -o both.frocc
check "-q is quiet about that too" [ -z "$(frocc merge one.frocc other.frocc -q -o both.frocc 2>&1)" ]
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

# ---- One row again and again ---------------------------------------------------------------------

(echo a,b,c && yes 1,2,3 | head -n 300) >same.csv
check "equal rows cannot calibrate, and that is told of" said "; fit more rows that differ" \
    frocc fit same.csv -o same.frocc
check "also where many are to" said "; fit more rows that differ" \
    frocc fit same.csv --calibration 100 -o same.frocc
check "and when they are asked for p-values" said "fit it to more rows that differ" \
    frocc score same.frocc same.csv --p-values
printf 'a,b,c\n1,2,3\n1,2,9\n1,7,9\n0,0,0\n' >near.csv
frocc predict same.frocc near.csv --reason >reasons.csv
check "what was learnt is normal, and what differs an outlier with its reason" diff - reasons.csv <<'END'
outlier,reason
0,
1,"c is 9, usually 3"
1,"c is 9, usually 3; b is 7, usually 2"
1,"c is 0, usually 3; b is 0, usually 2; a is 0, usually 1"
END

# ---- Names that are words of the library, too, stay as they are ----------------------------------

check "a missing file's" refused "frocc: max_line.csv: cannot open" frocc fit max_line.csv -o x.frocc
printf 'a,max_line\n1,2\n3,4\n' >max_line.csv
check "beside a hint, which has the option" refused "max_line.csv: has 2 columns" \
    frocc fit max_line.csv --max-columns 1 -o x.frocc
check "the hint itself" grep -qF "allow a larger --max-columns" said.log
frocc fit max_line.csv -q -o names.frocc
printf 'a,b\n1,2\n' >b.csv
check "a column's" refused "'max_line'" frocc score names.frocc b.csv

# ---- Formats are guessed only when unmistakable --------------------------------------------------

columns() { # columns N: standard input is a table of N columns of numbers or texts, not LIBSVM
    frocc fit - -m 8 --json -o x.frocc --score agreement --missing drop 2>said.log |
        grep -q "\"features\":$1," || { cat said.log && return 1; }
}
check "a time stamp first is no LIBSVM" columns 4 < <(printf '10:00:01,5,3\n10:00:01,6,4\n')
check "nor a date and a time" columns 2 < <(printf '2024-01-01 10:00:01,5,3\n2024-01-01 10:00:01,6,4\n')
check "nor numbers and a time" columns 1 < <(printf '5 10:05\n6 10:05\n7 10:05\n')
check "nor times alone" columns 2 < <(printf '10:00\n11:30\n')
check "LIBSVM is known" columns 3 < <(printf '1 1:0.5 3:2\n-1 2:1e-3\n')
check "with comments and query numbers" columns 2 < <(printf '# made\n1 qid:3 1:0.5 2:1 # x\n')
check "without labels" columns 2 < <(printf '1:0.5 2:1\n2:0.25\n')
for text in '[[1,2],[3,4]]' '[1, 2, 3]' '[ {"a": 1} ]' $'{\n"a": 1}'; do
    check "JSON is refused: $text" eval "echo '$text' | refused 'looks like JSON' frocc fit - -o x.frocc"
done

# JSON lines are known, and their hints work.
check "JSON lines are known" columns 2 < <(printf '{"a": 1, "b": 2}\n{"b": 3, "a": 4}\n')
{ for ((i = 0; i < 60; i++)); do echo "{\"a\":$((i % 7)),\"m\":[$i]}"; done; } >nested.jsonl
check "nested values: leave them out" eval 'refused "by --drop m" frocc fit nested.jsonl -o x.frocc &&
    frocc fit nested.jsonl --drop m -o x.frocc -q'
{ for ((i = 0; i < 20000; i++)); do echo "{\"a\":$((i % 7)),\"b\":1}"; done && echo '{"a":1,"b":1,"c":1}'; } >late.jsonl
check "a late key: leave it out" eval 'refused "give --ignore-extra" frocc fit late.jsonl -o x.frocc &&
    frocc fit late.jsonl --ignore-extra -o x.frocc -q'

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
check "standard input that is the file" untouched eval 'frocc fit - -o many.csv <many.csv'
check "standard output that is the file" untouched eval 'frocc score m.frocc many.csv >>many.csv'
check "tune" untouched frocc tune many.csv --validate few.csv --label kind --model many.csv

permissions() { stat -c %a "$1"; }
echo old >private.csv && chmod 600 private.csv
echo old >open.csv && chmod 666 open.csv
frocc score m.frocc few.csv -o private.csv && frocc score m.frocc few.csv -o open.csv
check "a replaced file keeps its permissions" [ "$(permissions private.csv) $(permissions open.csv)" = "600 666" ]
echo old >private.frocc && chmod 640 private.frocc
frocc fit many.csv -m 20 -o private.frocc -q
check "a replaced model, too" [ "$(permissions private.frocc)" = 640 ]

# ---- Hints that can be followed ------------------------------------------------------------------

# hint WORDS COMMAND -- CHANGE...: the command fails and says so, and with the change it works
hint() {
    local words=$1 command=()
    shift
    while [ "$1" != -- ]; do
        command+=("$1")
        shift
    done
    shift
    refused "$words" frocc "${command[@]}" || return 1
    frocc "${command[@]}" "$@" >said.log 2>&1 || { cat said.log && return 1; }
}
fit() { frocc fit "$@" -m 8 -q -o hint.frocc; }

printf 'a,b\n1,2\n3,\n5,6\n7,8\n' >hole.csv
printf 'a,b\n1,2\n3,?\n5,6\n7,8\n' >mark.csv
printf 'a,b\n1,2\n3,4\n5,6\n7,8\n' >whole.csv
fit whole.csv
for hole in hole mark; do
    check "missing cells, $hole: mean" hint "--missing mean" fit $hole.csv -o x.frocc -- --missing mean
    check "missing cells, $hole: keep" hint "--missing keep" fit $hole.csv -o x.frocc -- --missing keep
    check "missing cells, $hole: drop" hint "--missing drop" fit $hole.csv -o x.frocc -- --missing drop
done
check "missing cells, a model that knows of none: drop" hint "try --missing drop," score hint.frocc hole.csv -- \
    --missing drop
check "missing cells, a model that knows of none: fit with them" eval '
    said "fit the model with --missing keep)" frocc score hint.frocc mark.csv; fit whole.csv --missing keep &&
    frocc score hint.frocc mark.csv'
check "a model that keeps them: keep" hint "try --missing keep or" score hint.frocc hole.csv --missing error -- \
    --missing keep
fit whole.csv --missing mean
check "a model that has means: mean" hint "try --missing mean or" score hint.frocc hole.csv --missing error -- \
    --missing mean
fit whole.csv
check "a model without means: drop" hint "use --missing drop" score hint.frocc hole.csv --missing mean -- \
    --missing drop
check "a model without means: fit with them" eval 'fit whole.csv --missing mean &&
    frocc score hint.frocc hole.csv --missing mean'
check "a model that keeps nothing: drop" hint "use --missing drop" score hint.frocc hole.csv --missing keep -- \
    --missing drop
check "a model that keeps nothing: fit with it" eval 'fit whole.csv --missing keep &&
    frocc score hint.frocc hole.csv --missing keep'
printf 'a,b\n1,\n3,\n5,6\n' | sed 3q >none.csv
printf '5,?\n7,?\n' >>none.csv
printf 'a,b\n1,\n3,\n5,\n' >empty.csv
check "all rows have missing cells" hint "--missing keep learns" fit none.csv -m 8 -o x.frocc --missing drop -- \
    --missing keep
check "no mean, as there is no value" hint "or use --missing keep" fit empty.csv -m 8 -o x.frocc --missing mean -- \
    --missing keep
fit whole.csv
check "nor is there one for a frame" refused "left out were 4 with missing cells and 0 labelled" \
    frocc fit --frame hint.frocc none.csv --missing drop -o x.frocc
printf 'a,label\n1,1\n2,1\n3,1\n' >ones.csv
check "a label alone" hint "0 with missing cells and 3 labelled" fit ones.csv --label label --outlier 1 -o x.frocc \
    -- --outlier 0
check "of which nobody knows what it means" said "all labels are '1', which may mark outliers" \
    frocc fit ones.csv --label label -o x.frocc
check "a label that no row has" said "no row has the label 'anomaly' that --outlier names" \
    frocc fit ones.csv --label label --outlier anomaly -o x.frocc
sed '2,$s/1$/0/' ones.csv >zeros.csv
check "0 is normal" eval '! said "which may mark" frocc fit zeros.csv --label label -o x.frocc >/dev/null'
awk 'BEGIN { print "id,x"; for (i = 0; i < 300; i++) print "u" i "," i % 7 }' >ids.csv
for option in drop id; do
    check "a text for each row: --$option" eval 'said "left out column id, which names the rows" \
        frocc fit ids.csv -o x.frocc && ! said "names the rows" frocc fit ids.csv --$option id -o x.frocc >/dev/null'
done
check "not where texts come again" eval '! said "names the rows" frocc fit many.csv -o x.frocc >/dev/null'
awk 'BEGIN { print "id,x"; for (i = 0; i < 1200; i++) print "u" i "," i }' >texts.csv
check "many texts: keep them" eval 'said "--categorical id keeps it" frocc fit texts.csv -o x.frocc &&
    frocc fit texts.csv --categorical id -q -o x.frocc && frocc info x.frocc | grep -Eq "id +text of 1[12][0-9][0-9] values"'
sed '1s/id/an id, $(odd)/; 1s/^\(.*\),x/"\1",x/' texts.csv >odd.csv
check "many texts: an odd name" eval 'said "--categorical 1 keeps it" frocc fit odd.csv -o x.frocc &&
    frocc fit odd.csv --categorical 1 -q -o x.frocc && frocc info x.frocc | grep -q "text of"'
printf '1 1:2 2:3\n1 1:3 2:4\n' >one.libsvm
printf '1 0:2 1:3 2:5\n1 0:3 2:4\n' >zero.libsvm
fit one.libsvm --n-columns 2
check "index 0" refused "--index-base 0" frocc score hint.frocc zero.libsvm
check "index 0: count from 0" eval 'fit one.libsvm --index-base 0 --n-columns 3 &&
    frocc score hint.frocc zero.libsvm'
printf '1 1:2 2:3 9:1\n' >more.libsvm
fit one.libsvm
check "a large index: ignore it" hint "--ignore-extra" score hint.frocc more.libsvm -- --ignore-extra
check "a large index: more columns" eval 'refused "larger --n-columns" frocc score hint.frocc more.libsvm &&
    fit one.libsvm --n-columns 9 && frocc score hint.frocc more.libsvm'
head -c 64 /dev/zero >zeros.f32
check "raw numbers" hint "--n-columns" fit zeros.f32 -o x.frocc -- --n-columns 4
printf '1;2\n' >row.csv
check "a row like a header" hint "--header no" fit --header yes row.csv -o x.frocc -- --header no
printf '[1,2\n[1,3\n' >json.dat
check "no JSON after all" hint "--format csv" fit json.dat -o x.frocc -- --format csv
fit whole.csv --paper --seed 1 && mv hint.frocc a.frocc
fit whole.csv --paper --seed 2 && mv hint.frocc b.frocc
check "what does not merge" refused "frocc info A B" frocc merge a.frocc b.frocc -o x.frocc
check "and how it differs" said "seed             1                        2" frocc info a.frocc b.frocc
fit whole.csv --paper -e 0.2 && mv hint.frocc c.frocc
fit whole.csv --paper -e 0.1 && mv hint.frocc d.frocc
check "another epsilon" refused "fit both with one --epsilon" frocc merge c.frocc d.frocc -o x.frocc
fit whole.csv --paper -e 0.2 && check "is one epsilon" frocc merge c.frocc hint.frocc -o x.frocc -q
check "rates of agreement" hint "--score closeness" fit many.csv -m 8 --score agreement --fpr 0.1 -o x.frocc -- \
    --score closeness
printf 'a,b\n1,x\n2,y\n3,x\n4,y\n5,x\n' >text.csv
for option in drop categorical; do
    check "a text among numbers: --$option" hint "--$option" fit text.csv --numeric -o x.frocc -- --$option b
done
check "no state where all are said to be numbers" eval '! said "--missing keep" frocc fit text.csv --numeric -o x.frocc'
{ sed '2,$s/[xy]$/7/; 4s/7$/x/' text.csv && seq 60 | sed 's/.*/&,&/'; } >odd.csv
check "a text among numbers: --missing keep" hint "--missing keep" fit odd.csv -o x.frocc -- --missing keep
check "a text among numbers: --na" hint "--na" fit odd.csv --numeric --missing mean -o x.frocc -- --na x
check "a text where a model has numbers" eval 'fit whole.csv --categorical b &&
    frocc score hint.frocc text.csv'
check "p-values" eval 'refused "without --paper" frocc score c.frocc whole.csv --p-values &&
    fit whole.csv && frocc score hint.frocc whole.csv --p-values'

# Every option that a message names is one of some command.
named=$(grep -ohE '"[^"]*"' "$root"/cli/*/*.c "$root"/cli/*.c | grep -oE -- '--[a-z][a-z-]+' |
    grep -vxE -- '--(version|help)' | sort -u)
known=$(frocc help --completion | grep -oE -- '--[a-z][a-z-]+' | sort -u)
for option in $named; do
    check "$option is an option" grep -qxF -- "$option" <<<"$known"
done

# ---- What a model says about itself --------------------------------------------------------------

frocc fit many.csv -m 20 --drop bytes -o m.frocc -q
check "info: columns" said "  kind                     text of 2 values" frocc info m.frocc
check "info: dropped ones" said "  bytes                    dropped" frocc info m.frocc
check "info: threshold" said "threshold  " frocc info m.frocc
check "info: what calibration can promise" said "lowest_fpr  " frocc info m.frocc
check "info: no difference" said "no difference" frocc info m.frocc m.frocc
frocc fit many.csv -m 20 -o n.frocc -q
check "info: other columns" said "columns          the same                 others" \
    frocc info m.frocc n.frocc

# ---- Explanations ----------------------------------------------------------------------------------

awk 'BEGIN { srand(3); print "count,ms,kind"; for (i = 0; i < 2000; i++)
    printf "%d,%.3f,%s\n", 9 * rand(), 20 + rand(), rand() < 0.5 ? "get" : "put" }' >visits.csv
frocc fit visits.csv -o visits.frocc -q
printf 'count,ms,kind\n40,20.5,get\n4,90,put\n4,20.5,delete\n' >odd.csv
frocc explain visits.frocc odd.csv --leading 0 --features 1 >why.csv
better() { awk -F, -v row="$1" '$1 == row { print $4, $7 }' why.csv; }
check "a whole number, that was seen" eval '[[ $(better 1) =~ ^count\ [0-8]$ ]]'
check "a range begins with 0, not -0" eval '
    frocc predict visits.frocc odd.csv --reason -q | grep -qF "count is 40, usually 0 to 8"'
check "a number within what was seen" eval 'read -r name value < <(better 2) && [ "$name" = ms ] &&
    awk -v v="$value" "BEGIN { exit !(v >= 20 && v <= 21) }"'
check "a known category" grep -qE "^3,.*,kind is a text never seen \(usual: (get|put)\)$" why.csv

# ---- The daily job ---------------------------------------------------------------------------------

printf 'host,count,ms,kind\nalpha,4,20.5,get\nbeta,4,90,put\ngamma,4,20.4,delete\n' >today.csv
frocc predict visits.frocc today.csv --id host --only-outliers --scores --p-values --reason >alert.csv
check "only outliers, with what a person needs" eval '
    [ "$(head -n 1 alert.csv)" = row,id,outlier,score,p_value,reason ] && [ "$(wc -l <alert.csv)" -ge 2 ]'
check "the row, its name, and why" grep -qE '^2,beta,1,.*"?ms is 90, usually 20[.0-9]* to 2[01][.0-9]*' alert.csv
check "a text that is not usual" grep -qE "gamma.*kind is a text never seen \(usual: (get|put)\)" alert.csv
check "scores are those of score" eval 'cmp <(frocc predict visits.frocc today.csv --scores | cut -d, -f2) \
    <(frocc score visits.frocc today.csv)'
frocc predict visits.frocc today.csv --only-outliers --reason -o alert.jsonl
check "for machines" grep -q '"row":2,"outlier":1,"reason":"ms is 90' alert.jsonl
check "decisions do not change" eval 'cmp <(frocc predict visits.frocc visits.csv | grep -c 1) \
    <(frocc predict visits.frocc visits.csv --only-outliers --scores | tail -n +2 | grep -c .)'

labelled() { # labelled NORMAL OUTLIER [OTHER]: rows of which every tenth is an outlier
    awk -v a="$1" -v b="$2" -v c="${3-}" 'BEGIN { srand(4); print "x,y,label"
        for (i = 0; i < 1000; i++) print rand() + (i % 10 == 0 ? 50 : 0) "," rand() ","  \
            (i % 10 == 0 ? b : c != "" && i % 10 == 1 ? c : a) }'
}
labelled 0 1 >labelled.csv
check "labelled outliers are left out" said "left out 100 rows labelled as outliers" \
    frocc fit labelled.csv --label label -o l.frocc
frocc fit labelled.csv --label label --outlier 1 -o k.frocc -q
check "as with --outlier" cmp l.frocc k.frocc
check "from a pipe, too" eval 'frocc fit - --label label -o p.frocc -q <labelled.csv && cmp p.frocc l.frocc'
labelled 1 -1 >signs.csv
check "1 and -1" said "left out 100 rows" frocc fit signs.csv --label label -o x.frocc
labelled benign worm scan >words.csv
check "words, of more than two kinds" said "left out 200 rows" frocc fit words.csv --label label -o x.frocc
labelled a b >letters.csv
check "labels that say nothing: all are learnt, and that is said" eval '
    said "do not say which rows are outliers" frocc fit letters.csv --label label -o x.frocc &&
    grep -q "learnt 1000 rows" said.log'
check "and the hint works" said "left out 100 rows" frocc fit letters.csv --label label --outlier b -o x.frocc
finish
