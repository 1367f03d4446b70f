# SPDX-License-Identifier: BSD-3-Clause
# From a pipe that stays open, the result of a line comes before the next line is written.
. "$(dirname "$0")/cli.sh"

patience=${PATIENCE:-20} # seconds; a result that does not come is missed for so long
mkfifo in out

# live COMMAND...: its standard input is 3 from now on, its output 4. Mistakes end it, unless it is
# told otherwise.
live() {
    "$FROCC" "$2" --bad-rows stop "${@:3}" <in >out 2>error.txt &
    exec 3>in 4<out
}

# answers LINE WANTED...: whether, once LINE is written, just these lines come.
answers() {
    local line wanted
    printf '%s\n' "$1" >&3
    for wanted in "${@:2}"; do
        read -r -t $patience line <&4 || { echo "nothing came of '$1'" && return 1; }
        [ "$line" = "$wanted" ] || { echo "'$line' instead of '$wanted'" && return 1; }
    done
}

# ends NAME: the input ends, and the command does, well and without another word.
ends() {
    local left status
    exec 3>&-
    left=$(cat <&4)
    exec 4<&-
    wait $!
    status=$?
    check "$1" eval "[ $status -eq 0 ] && [ -z '$left' ] && [ ! -s error.txt ]"
}

frocc gen gaussians -n 300 -d 3 -o rows.csv
frocc fit rows.csv -m 50 -o m.frocc -q
mapfile -t rows < <(head -n 5 rows.csv)
mapfile -t scores < <(head -n 5 rows.csv | frocc score m.frocc - --bad-rows stop)

live frocc score m.frocc -
printf '%s\n' "${rows[0]}" >&3
check "score, with a header" answers "${rows[1]}" score "${scores[1]}"
check "and the next row" answers "${rows[2]}" "${scores[2]}"
printf '%s' "${rows[3]:0:5}" >&3
check "a line in two parts" answers "${rows[3]:5}" "${scores[3]}"
check "two lines at once" answers "${rows[4]}"$'\n'"${rows[1]}" "${scores[4]}" "${scores[1]}"
check "a comment and an empty line" answers $'# more\n\n'"${rows[2]}" "${scores[2]}"
printf '%s' "${rows[4]}" >&3
exec 3>&-
check "a last line without its end" [ "$(cat <&4)" = "${scores[4]}" ]
exec 4<&-
wait

live frocc score m.frocc - --threads 3
check "without a header" answers "${rows[1]}" score "${scores[1]}"
check "and on" answers "${rows[2]}" "${scores[2]}"
ends "the end"

live frocc predict m.frocc - --scores --header no
check "predict" answers "${rows[1]}" outlier,score "0,${scores[1]}"
check "predict goes on" answers 9e9,9e9,9e9 "1,$(echo 9e9,9e9,9e9 | frocc score m.frocc - --bad-rows stop | tail -n 1)"
ends "predict ends"

frocc convert rows.csv -o rows.libsvm
frocc fit rows.libsvm -m 50 -o sparse.frocc -q
mapfile -t sparse < <(head -n 3 rows.libsvm)
mapfile -t sparse_scores < <(head -n 3 rows.libsvm | frocc score sparse.frocc - --bad-rows stop)
live frocc score sparse.frocc -
check "LIBSVM" answers "${sparse[0]}" score "${sparse_scores[1]}"
check "LIBSVM goes on" answers "${sparse[1]}" "${sparse_scores[2]}"
ends "LIBSVM ends"

live frocc score m.frocc - --columns host
check "JSON lines" answers '{"host":"a","x1":1,"x2":0,"x3":2}' host,score \
    "a,$(echo 1,0,2 | frocc score m.frocc - --bad-rows stop | tail -n 1)"
check "JSON lines, keys in another order" answers '{"x3":2,"x1":1,"x2":0}' \
    ",$(echo 1,0,2 | frocc score m.frocc - --bad-rows stop | tail -n 1)"
ends "JSON lines end"

# A first line of texts and numbers is a row or a header by what the model knows.
{ echo method,bytes && for ((i = 0; i < 60; i++)); do echo "GET,$((i % 7))" && echo "PUT,$((i % 9))"; done; } >log.csv
frocc fit log.csv -m 50 -o log.frocc -q
put=$(printf 'method,bytes\nPUT,3\n' | frocc score log.frocc - --bad-rows stop | tail -n 1)
live frocc score log.frocc -
check "texts without a header" answers PUT,3 score "$put"
ends "texts end"
live frocc score log.frocc -
printf 'bytes,method\n' >&3
check "columns in another order" answers 3,PUT score "$put"
ends "columns in another order end"
printf 'PUT,3\n7,3\n' >first.csv
check "a file, too: no row is lost" [ "$(frocc score log.frocc first.csv | wc -l)" -eq 3 ]
printf 'method,octets\nPUT,3\n' >other.csv
check "a header of other names is one" eval '! frocc score log.frocc other.csv 2>error.txt && grep -q "missing in the header: .bytes" error.txt'

# What separates the first line is what the model's columns ask for.
agents=("Mozilla/5.0 (X11; Linux x86_64)" "Mozilla/5.0 (Windows NT 10.0; Win64; x64)" "curl/8.1")
for ((i = 0; i < 99; i++)); do echo "${agents[i % 3]},/$((i % 2))"; done >agents.csv
frocc fit agents.csv --header no -m 50 -o agents.frocc -q
frocc score agents.frocc agents.csv --header no >all.txt 2>/dev/null
known=$(sed -n 2p all.txt)
check "a file in which each row has one semicolon" eval 'grep X11 agents.csv >one.csv &&
    [ "$(frocc score agents.frocc one.csv --header no 2>error.txt | sort | uniq -c | sort -n | tail -n 1)" = "     17 $known" ]'
live frocc score agents.frocc - --header no
check "a semicolon in a text" answers "${agents[0]},/0" score "$known"
check "and one without" answers "${agents[2]},/0" "$(sed -n 4p all.txt)"
ends "semicolons end"

# Decimal commas may come later than the first line.
{ echo 'a;b' && for ((i = 0; i < 99; i++)); do echo "$((i % 7)),$((i % 10));$i"; done; } >commas.csv
sed 'y/,;/.,/' commas.csv >points.csv
frocc fit commas.csv -m 50 -o commas.frocc -q && frocc fit points.csv -m 50 -o points.frocc -q
check "decimal commas give the same model" cmp commas.frocc points.frocc
frocc score points.frocc points.csv >all.txt 2>/dev/null
live frocc score commas.frocc -
printf 'a;b\n' >&3
check "decimal commas behind a header" answers 4,4\;4 score "$(sed -n 6p all.txt)"
ends "decimal commas end"
live frocc score commas.frocc -
check "whole numbers" answers 0\;0 score "$(sed -n 2p all.txt)"
check "and commas behind them" answers 4,4\;4 "$(sed -n 6p all.txt)"
printf '1,234;2\n' >&3
exec 3>&-
left=$(cat <&4)
exec 4<&-
wait $!
ended=$?
check "which are not for thousands" eval '[ $ended -eq 1 ] && [ -z "$left" ] &&
    grep -q "line 3, column 1: .1,234. has a comma between thousands" error.txt'

if gzip -c rows.csv >rows.csv.gz && frocc score m.frocc rows.csv.gz >all.txt 2>/dev/null; then
    check "gzip from a pipe" cmp all.txt <(cat rows.csv.gz | frocc score m.frocc - --bad-rows stop)
else
    skip "gzip from a pipe" "frocc was built without zlib"
fi
frocc gen gaussians -n 100000 -d 3 -o many.csv
frocc score m.frocc many.csv >all.txt
check "a fast pipe" cmp all.txt <(cat many.csv | frocc score m.frocc - --bad-rows stop)
check "slow parts" cmp <(head -n 2000 all.txt) \
    <(head -n 2000 many.csv | dd bs=777 2>/dev/null | frocc score m.frocc - --threads 2 --bad-rows stop)

# ---- Lines that are no rows ----------------------------------------------------------------------

live frocc predict m.frocc - --bad-rows flag --lines
check "a first row" answers "${rows[0]}"$'\n'"${rows[1]}" file,line,outlier,error "standard input,2,0,"
check "half a line" answers 1,2 "standard input,3,,\"standard input: line 3: the row has 2 cells; expected 3, as in the first row (separator: ',')\""
check "a header again, nothing, a comment and a row" answers "${rows[0]}"$'\n\n# more\n'"${rows[2]}" "standard input,7,0,"
check "a quote that is never closed" answers '"1,2,3'$'\n'"${rows[3]}" \
    "standard input,8,,\"standard input: line 8, column 1 ('x1'): a quote is not closed in its line, or text follows it\"" \
    "standard input,9,0,"
check "a value that is no feature" answers 1e300,2,3 \
    "standard input,10,,\"standard input: line 10, column 'x1': the value is too large (over 2^90); choose other units\""
exec 3>&-
left=$(cat <&4) && exec 4<&- && wait $!
check "the end says how many" [ "$(cat error.txt)" = "frocc: 3 lines could not be read as rows, and were written with their error" ]

printf 'x1,x2,x3\n1,2,3\nx2,x1,x3\n4,5,6\n' >turned.csv
check "columns in another order are no rows" eval '! frocc score m.frocc - <turned.csv --bad-rows flag >all.txt 2>error.txt &&
    grep -q "line 3: a header names other columns" error.txt'
printf '3\n1,2,3\nx1,x2,x3\n1,2,3\n4,oh,6\n' >half.csv
check "a first line that is half of one" eval '[ "$(frocc score m.frocc half.csv --bad-rows skip -q | cut -d , -f 1 | paste -sd ,)" = row,2,3 ]'
printf '{"x1":1,"x2":2,"x3":3}\n{"x1":1,\n{"x3":3,"x2":2,"x1":1}\n{"x1":"a","x2":2,"x3":3}\n' >odd.jsonl
check "JSON lines" eval '[ "$(frocc score m.frocc odd.jsonl --bad-rows skip -q | cut -d , -f 1 | paste -sd ,)" = row,1,3 ] &&
    [ "$(frocc score m.frocc odd.jsonl --bad-rows skip --json -q 2>&1 >all.txt)" = "{\"rows\":2,\"left_out\":0,\"bad_rows\":2}" ]'
printf '0 1:1\n0 9:1\n0 1:1 2:x\n0 2:1\n' >odd.libsvm
check "LIBSVM" eval '[ "$(frocc score sparse.frocc odd.libsvm --bad-rows skip -q | cut -d , -f 1 | paste -sd ,)" = row,1,4 ]'
check "bad rows end a file, as ever" eval '! frocc score m.frocc half.csv --header no >all.txt 2>error.txt'
{ cat many.csv | sed '5000s/,.*//;70000s/^/x/' | frocc score m.frocc - --threads 3 2>error.txt; } >bad.txt
check "of many rows only these are bad" eval '[ "$(grep -c , bad.txt)" -eq 100001 ] &&
    [ "$(grep -nv ",$" bad.txt | cut -d : -f 1 | paste -sd ,)" = 1,5000,70000 ] &&
    cmp <(sed "1d;5000d;70000d;s/,$//" bad.txt) <(frocc score m.frocc many.csv | sed "1d;5000d;70000d")'

# ---- Where answers go ----------------------------------------------------------------------------

frocc score m.frocc rows.csv >all.txt 2>/dev/null
cat rows.csv | frocc score m.frocc - --output-format jsonl --bad-rows stop -q >all.jsonl
check "JSON lines to standard output" eval 'sed "1d;s/.*/{\"score\":&}/" all.txt | cmp - all.jsonl'
for ending in ndjson json; do
    frocc score m.frocc rows.csv -o all.$ending 2>/dev/null
    check ".$ending" cmp all.jsonl all.$ending
done
if gzip -c rows.csv >rows.csv.gz && frocc score m.frocc rows.csv -o all.csv.gz 2>/dev/null; then
    check ".csv.gz" eval 'gzip -dc all.csv.gz | cmp - all.txt'
    check "the same bytes again" eval 'frocc score m.frocc rows.csv -o again.csv.gz 2>/dev/null; cmp all.csv.gz again.csv.gz'
fi
sed 1d all.txt >wanted.txt
rm -f file.csv
head -n 100 rows.csv | frocc score m.frocc - --bad-rows stop -o file.csv -q --append
printf 'half' >>file.csv
{ head -n 1 rows.csv && sed 1,100d rows.csv; } | frocc score m.frocc - --bad-rows stop -o file.csv -q --append
check "a file goes on where it ended" cmp all.txt file.csv
printf 'row,other\n1,2\n' >file.csv
check "unless it is another" eval '! cat rows.csv | frocc score m.frocc - --append -o file.csv 2>error.txt &&
    grep -q "move it away" error.txt && [ "$(wc -l <file.csv)" -eq 2 ]'

check "without --append it is begun anew" eval 'cat rows.csv | frocc score m.frocc - --bad-rows stop -o file.csv -q && cmp all.txt file.csv'
check "a file of a file goes on, too" eval 'frocc score m.frocc rows.csv --append -o file.csv -q && [ "$(wc -l <file.csv)" -eq 601 ]'
check "an array does not" eval '! frocc score m.frocc rows.csv --append -o file.npy -q 2>error.txt && grep -q "cannot go on" error.txt'

# ---- A model that is replaced --------------------------------------------------------------------

frocc gen gaussians -n 300 -d 3 --seed 9 -o others.csv && frocc fit others.csv -m 50 -o new.frocc -q
now() { printf '%s\n%s\n' "${rows[0]}" "$1" | frocc score "$2" - --bad-rows stop | tail -n 1; }
cp m.frocc live.frocc
live frocc score live.frocc -
printf '%s\n' "${rows[0]}" >&3
check "by the first model" answers "${rows[1]}" score "$(now "${rows[1]}" m.frocc)"
cp new.frocc new.tmp && mv new.tmp live.frocc
check "by the one that took its place" answers "${rows[1]}" "$(now "${rows[1]}" new.frocc)"
head -c 100 m.frocc >live.frocc
check "which goes on where the next is damaged" answers "${rows[2]}" "$(now "${rows[2]}" new.frocc)"
cp log.frocc new.tmp && mv new.tmp live.frocc
check "or has other columns" answers "${rows[3]}" "$(now "${rows[3]}" new.frocc)"
cp m.frocc new.tmp && mv new.tmp live.frocc
check "until one fits" answers "${rows[4]}" "$(now "${rows[4]}" m.frocc)"
printf '%s' "${rows[1]:0:5}" >&3
kill -TERM $!
wait $!
ended=$?
exec 3>&-
left=$(cat <&4) && exec 4<&-
check "it is stopped without an answer to half a line" eval '[ $ended -eq 143 ] && [ -z "$left" ]'
check "and said what happened to its model" [ "$(cut -c 8-20 error.txt | paste -sd ,)" = \
    "the model 'li,the old model,the old model,the model 'li" ]

until_it() { # waits, but not for ever
    local left=$((patience * 20))
    while [ $((left -= 1)) -gt 0 ] && ! "$@"; do sleep 0.05; done
}
rm -f moved.csv
live frocc score live.frocc - -o moved.csv
printf '%s\n' "${rows[0]}" "${rows[1]}" >&3
until_it eval '[ "$(cat moved.csv 2>/dev/null | wc -l)" -eq 2 ]'
mv moved.csv moved.1
kill -HUP $!
until_it grep -q anew error.txt
printf '%s\n' "${rows[2]}" >&3
until_it eval '[ "$(cat moved.csv 2>/dev/null | wc -l)" -eq 2 ]'
exec 3>&- && exec 4<&-
wait $!
ended=$?
check "SIGHUP begins a new file" eval '[ $ended -eq 0 ] && [ "$(tail -n 1 moved.csv)" = "$(now "${rows[2]}" m.frocc)" ]'
finish
