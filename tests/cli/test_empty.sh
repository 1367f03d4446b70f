# SPDX-License-Identifier: BSD-3-Clause
# Days without rows, and days of which every row was left out.
. "$(dirname "$0")/cli.sh"

frocc gen gaussians -n 300 -d 2 -o rows.csv
frocc fit rows.csv -m 50 -o m.frocc -q
head -n 1 rows.csv >header.csv
: >nothing.csv
printf 'x1,x2\n,\n1,\n' >dead.csv

ends() { # ends STATUS WORDS COMMAND...: with this status and these words on standard error
    local want=$1 words=$2 status
    shift 2
    "$@" >out.txt 2>error.txt
    status=$?
    [ $status -eq "$want" ] && grep -q -- "$words" error.txt || { cat error.txt && echo "status $status" && return 1; }
}
check "a header and no rows" ends 4 "a header and no rows" frocc predict m.frocc header.csv
check "has a table of no rows" [ "$(cat out.txt)" = outlier ]
check "score" ends 4 "a header and no rows" frocc score m.frocc header.csv
check "explain" ends 4 "a header and no rows" frocc explain m.frocc header.csv
check "quietly, and JSON says so" eval 'frocc predict m.frocc header.csv -q --json -o flags.csv >out.txt 2>error.txt; [ $? -eq 4 ] &&
    [ ! -s error.txt ] && grep -q "^{\"rows\":0,\"outliers\":0,\"left_out\":0,\"bad_rows\":0" out.txt'
check "a pipe" eval 'cat header.csv | frocc predict m.frocc - -q >out.txt; [ $? -eq 4 ]'
check "nothing to learn from" ends 4 "no rows to learn from" frocc fit header.csv -o none.frocc
check "no model is made of it" no_file none
check "a file of nothing at all is damage" ends 1 "nothing.csv: is empty" frocc predict m.frocc nothing.csv

frocc score m.frocc rows.csv -q >all.txt
for empty in header.csv nothing.csv; do
    check "$empty first" eval 'frocc score m.frocc $empty rows.csv 2>error.txt | cmp all.txt - &&
        grep -q "1 of the 2 files has no rows: $empty" error.txt'
    check "$empty last" eval 'frocc score m.frocc rows.csv $empty 2>error.txt | cmp all.txt - &&
        grep -q "1 of the 2 files has no rows: $empty" error.txt'
    check "$empty in the middle, by another model's frame" eval 'head -n 100 rows.csv >first.csv &&
        { cat header.csv && sed 1,100d rows.csv; } >second.csv &&
        frocc fit --frame m.frocc first.csv $empty second.csv -o parts.frocc 2>error.txt &&
        frocc fit --frame m.frocc rows.csv -o whole.frocc -q && cmp parts.frocc whole.frocc &&
        grep -q "1 of the 3 files has no rows" error.txt'
done
check "both, and none with rows" ends 4 "no rows" frocc score m.frocc nothing.csv header.csv
check "learning from several, one of them empty" eval 'frocc fit header.csv rows.csv -m 50 -o two.frocc 2>error.txt &&
    cmp two.frocc m.frocc && grep -q "1 of the 2 files has no rows: header.csv" error.txt'

check "every row was left out" ends 1 "every row was left out: all 2 have missing cells" \
    frocc predict m.frocc dead.csv --missing drop
check "score, too" ends 1 "every row was left out" frocc score m.frocc dead.csv --missing drop --json
check "explain, too" ends 1 "every row was left out" frocc explain m.frocc dead.csv --missing drop
check "some are counted" eval 'sed 1d rows.csv >>dead.csv; [ "$(frocc predict m.frocc dead.csv --missing drop -q --json 2>&1 >out.txt)" = \
    "$(frocc predict m.frocc rows.csv -q --json 2>&1 >out.txt | sed "s/\"left_out\":0/\"left_out\":2/")" ]'
check "the fit's JSON says how many" eval 'frocc fit dead.csv --missing drop -m 50 -o d.frocc --json -q |
    grep -q "^{\"rows\":300,.*\"left_out\":2,\"missing\":2"'
finish
