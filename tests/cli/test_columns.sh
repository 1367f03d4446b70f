# SPDX-License-Identifier: BSD-3-Clause
# Columns of the data go through to the output, as they stand there.
. "$(dirname "$0")/cli.sh"

awk 'BEGIN { print "time,host,bytes,note"
    for (i = 1; i <= 400; i++) printf "t%d,h%d,%.2f,\"a \"\"%d\"\", b\"\n", i, i % 3, i % 17, i
    print "t401,h1,9e9,=1+2" }' >log.csv
head -n 401 log.csv | frocc fit - --use bytes -o m.frocc -q
cut -d, -f1,2,4- log.csv >texts.txt
frocc score m.frocc log.csv >scores.txt
paste -d, texts.txt scores.txt >wanted.csv

check "score" cmp <(frocc score m.frocc log.csv --columns time,host,note) wanted.csv
check "in any order, by number and range" cmp \
    <(frocc score m.frocc log.csv --columns note,1-2 --threads 3) \
    <(paste -d, <(cut -d, -f4- log.csv) <(cut -d, -f1,2 log.csv) scores.txt)
check "a feature, as it stood" cmp <(frocc score m.frocc log.csv --columns bytes) \
    <(paste -d, <(cut -d, -f3 log.csv) scores.txt)
check "from a pipe" cmp <(cat log.csv | frocc score m.frocc - --columns time,host,note --bad-rows stop) wanted.csv
{ head -n 1 log.csv && tail -n +202 log.csv; } >second.csv
awk -F, -v OFS=, '{ print $3, $2, $1, "\"x\"" }' <(head -n 201 log.csv) | sed '1s/,"x"$/,note/' >first.csv
check "several files, by name" cmp <(frocc score m.frocc first.csv second.csv --columns time,host) \
    <(paste -d, <(cut -d, -f1,2 log.csv) scores.txt)
sed '3s/,h2,[^,]*/,h2,/' log.csv >holes.csv
check "no row that is left out" cmp \
    <(frocc score m.frocc holes.csv --columns time --missing drop 2>error.txt | cut -d, -f2) \
    <(cut -d, -f1 holes.csv | sed '3d')

frocc predict m.frocc log.csv --columns time,note --only-outliers --scores --p-values --reason \
    --id host -o alert.jsonl
check "an alert" grep -Eqx '\{"row":401,"id":"h1","time":"t401","note":"=1\+2","outlier":1,"score":[^,]*,"p_value":[^,]*,"reason":"bytes is 9000000000, usually 0 to 16"\}' alert.jsonl
check "no formula" [ "$(frocc predict m.frocc log.csv --columns note --only-outliers --no-formulas |
    tail -n 1)" = "401,\"'=1+2\",1" ]
frocc convert log.csv --use bytes -o log.npy
check "of an array, by number" cmp <(frocc score m.frocc log.npy --columns 1) \
    <(paste -d, <(echo 1 && awk -F, 'NR > 1 { print $3 + 0 }' log.csv | sed 's/^9e+09$/9000000000/') scores.txt)
frocc score m.frocc log.csv --columns time -o scores.npy 2>error.txt
frocc score m.frocc log.csv -o plain.npy 2>/dev/null
check "an array has no texts" cmp scores.npy plain.npy
check "which is said" grep -q "an array holds numbers, and has no column 'time'" error.txt
frocc predict m.frocc log.csv --only-outliers --scores --p-values -o alert.npy 2>/dev/null
check "but the numbers that were asked for" eval '[ "$(frocc convert alert.npy | tail -n +2)" = \
    "$(frocc predict m.frocc log.csv --only-outliers --scores --p-values -q | tail -n +2)" ]'

# Columns are chosen at the fit.
refused() { # refused REASON WORD...
    ! frocc score m.frocc log.csv "${@:2}" >said.txt 2>error.txt && [ ! -s said.txt ] && grep -q -e "$1" error.txt
}
check "a column that is not used" refused "use time: the model does not read" --use time
check "a column that is not there" refused "use nosuch: the model has no such" --use bytes,nosuch
check "a column that is used" refused "drop bytes: the model reads this" --drop bytes
check "no texts" refused "categorical bytes: the model has numbers" --categorical bytes
check "no time" refused "time bytes: the model does not have" --time bytes
check "the same again" eval 'frocc score m.frocc log.csv --use bytes --drop note -q | cmp - scores.txt'

# JSON lines in, JSON lines out: a cell is what it was.
awk 'BEGIN { for (i = 1; i <= 50; i++) printf "{\"n\":%d,\"ok\":%s,\"code\":\"00%d\",\"none\":null,\"load\":%d.50}\n",
    i, i % 2 ? "true" : "false", i, i % 7
    print "{\"load\":99,\"n\":51,\"code\":\"\\\"x\\\"\",\"ok\":true}" }' >log.jsonl
head -n 50 log.jsonl | frocc fit - --use load -o lines.frocc -q
as_it_stood='{"n":51,"ok":true,"code":"\"x\"","none":null,"load":99,"score":'
check "JSON stays JSON" eval 'frocc score lines.frocc log.jsonl --columns n,ok,code,none,load -o scores.jsonl &&
    cmp <(head -n 50 scores.jsonl | sed "s/,\"score\":.*/}/") <(head -n 50 log.jsonl) &&
    [ "$(tail -n 1 scores.jsonl | cut -c 1-${#as_it_stood})" = "$as_it_stood" ]'
check "as CSV it is texts" eval '[ "$(frocc score lines.frocc log.jsonl --columns ok,code,none,load | sed -n 3p |
    cut -d, -f1-4)" = "false,002,,2.50" ]'
check "of odd rows, too" eval 'frocc outliers log.jsonl --use load --columns n,ok,code --top 1 -q -o odd.jsonl &&
    grep -q "{\"row\":51,\"n\":51,\"ok\":true,\"code\":\"..x..\",\"score\":" odd.jsonl'
printf 'caf\351,1\n\303\251,2\n\342\202,3\n' | sed '1i name,x' >latin.csv
check "bytes that are no UTF-8" eval 'frocc convert latin.csv --id name -o latin.jsonl &&
    cmp <(cut -d\" -f4 latin.jsonl) <(printf "caf\303\251\n\303\251\n\303\242\302\202\n")'
check "of CSV it is texts" eval 'frocc score m.frocc log.csv --columns bytes -o scores.jsonl &&
    grep -q "^{\"bytes\":\"9e9\",\"score\":" <(tail -n 1 scores.jsonl)'
check "of an array numbers" eval 'frocc score m.frocc log.npy --columns 1 -o scores.jsonl &&
    grep -q "^{\"1\":9000000000,\"score\":" <(tail -n 1 scores.jsonl)'

# Of the odd rows of a table: each with its own cells, however the rows were read.
frocc outliers log.csv --use bytes --id host --columns note,time --top 5 -o odd.csv -q
frocc outliers log.csv --use bytes --top 5 -q >bare.csv
check "outliers" cmp odd.csv <(echo "row,id,note,time,score,share,reason" && tail -n +2 bare.csv |
    while IFS=, read -r row rest; do
        line=$(sed "$((row + 1))!d" log.csv)
        echo "$row,$(cut -d, -f2 <<<"$line"),$(cut -d, -f4- <<<"$line"),t$row,$rest"
    done)
check "outliers from a pipe, in two files, with threads" eval \
    'cmp odd.csv <(frocc outliers - --use bytes --id host --columns note,time --top 5 -q <log.csv) &&
    { head -n 1 log.csv && tail -n +202 log.csv; } >second.csv && head -n 201 log.csv >half.csv &&
    cmp odd.csv <(frocc outliers half.csv second.csv --use bytes --id host --columns note,time --top 5 \
        --threads 3 -q)'
check "outliers, no formula" grep -q "^401,\"'=1+2\"," \
    <(frocc outliers log.csv --use bytes --columns note --no-formulas --top 1 -q)
check "outliers among fewer rows" [ "$(frocc outliers holes.csv --use bytes --columns time --rate 1 \
    --missing drop -q | cut -d, -f1,2 | awk -F, '"t" $1 == $2' | wc -l)" = 400 ]

refuses() { # refuses PATTERN COMMAND...
    "${@:2}" >out.txt 2>error.txt
    [ $? -eq 2 ] && grep -q "$1" error.txt
}
check "no such column" refuses "no column 'hosts' for --columns" frocc score m.frocc log.csv --columns hosts
check "a column twice" refuses "'host' for --columns is named twice" frocc score m.frocc log.csv --columns host,2
sed '1s/host/score/' log.csv >clash.csv
check "the name of a result" refuses "has a column 'score' of its own" \
    frocc score m.frocc clash.csv --columns score
sed '1s/host/share/' log.csv >clash.csv
check "the name of a result of outliers" refuses "has a column 'share' of its own" \
    frocc outliers clash.csv --use bytes --columns share

# ---- News in bulk ----------------------------------------------------------------------------------
# The same rows with a truth written in another way.
{ echo "size,paid"; awk 'BEGIN { for (i = 0; i < 400; i++) print (i * 37) % 101 "," (i % 3 ? "True" : "False") }'; } >paid.csv
sed 's/True/1/; s/False/0/' paid.csv >coded.csv
frocc fit paid.csv -o paid.frocc -q 2>error.txt
frocc predict paid.frocc coded.csv --json >said.json 2>error.txt -o flags.csv
check "values written in another way" grep -q "^frocc: paid: 400 of 400 values were never seen in training" error.txt
check "in JSON" grep -qF '"news":["paid"]' said.json
frocc predict paid.frocc coded.csv -q --json -o flags.csv >said.json 2>error.txt
check "quietly only there" eval '[ ! -s error.txt ] && grep -qF "\"news\":[\"paid\"]" said.json'
frocc predict paid.frocc coded.csv -o flags.csv 2>error.txt
check "far more alarms than promised" grep -q "100 % of the rows are outliers, where 1 % were promised" error.txt
frocc predict paid.frocc paid.csv -o flags.csv 2>error.txt
check "no news" eval '! grep -q "never seen\|promised" error.txt'
finish
