# SPDX-License-Identifier: BSD-3-Clause
# frocc outliers: the odd rows in a table, found without labels, models or normal rows.
. "$(dirname "$0")/cli.sh"

# Orders in which the amount follows the quantity. Row 78 has a wild amount, row 501 an amount that is
# usual but not for its quantity, row 701 a kind that no other has.
awk 'BEGIN { srand(1); split("book,pen,ink", kinds, ","); print "order,amount,quantity,kind"
    for (i = 1; i <= 1000; i++) {
        kind = kinds[1 + int(3 * rand())]; quantity = 1 + int(9 * rand())
        amount = quantity * (9 + 2 * rand())
        if (i == 78) amount = 9000
        if (i == 501) { quantity = 9; amount = 10 }
        if (i == 701) kind = "gold"
        printf "o%d,%.2f,%d,%s\n", i, amount, quantity, kind } }' >orders.csv
listed() { # listed COMMAND...: the numbers of the rows that are listed, in their order
    "$@" 2>said.log | tail -n +2 | cut -d, -f1 | tr '\n' ' '
}

# ---- What is found -------------------------------------------------------------------------------

frocc outliers orders.csv --id order --top 20 -o odd.csv 2>said.log
check "the wild amount and the unknown kind come first" eval \
    '[ "$(sed -n 2,3p odd.csv | cut -d, -f2 | sort | tr "\n" " ")" = "o701 o78 " ]'
check "the amount that does not fit its quantity is third" eval \
    '[ "$(sed -n 4p odd.csv | cut -d, -f1)" = 501 ]'
check "why: a range" grep -q '^78,o78,.*amount is 9000, usually [0-9.]* to [0-9.]*' odd.csv
check "the range is that of usual rows" eval \
    '[ "$(sed -n "s/.*amount is 9000, usually [0-9.]* to \([0-9]*\).*/\1/p" odd.csv)" -lt 100 ]'
check "why: a category" grep -q '^701,o701,.*kind is gold, in 1 of 1,000 rows (usual: [a-z]*)' odd.csv
check "scores rise" eval 'cut -d, -f3 odd.csv | tail -n +2 | sort -g -c'
check "it says what it cannot know" grep -q "the 20 most unusual of 1000 rows; how many" said.log

# A row that is there twice is not taken away twice: its copy speaks for it.
{ cat orders.csv && sed -n 79p orders.csv; } >twice.csv
check "copies have one score" eval \
    '[ "$(frocc outliers twice.csv --id order -q --rate 1 | grep ",o78," | cut -d, -f3 | uniq | wc -l)" = 1 ]'

# Between two clusters no row is odd in a number alone, and each is as usual as itself.
frocc gen gaussians -n 2000 -d 3 --seed 3 --outliers 0.005 --label -o between.csv
frocc outliers between.csv --label label --columns label --top 8 -q >strays.csv
check "rows between clusters come first" [ "$(cut -d, -f2 strays.csv | grep -cx 1)" = 8 ]
check "each has a reason" [ "$(grep -c ',"*x[123] is .* usual' strays.csv)" = 8 ]
check "two rows" eval '[ "$(head -n 3 between.csv | frocc outliers - --label label --contamination 0 --top 1 -q | wc -l)" = 2 ]'

# Rows that are clean are not called anything: somebody asks for so many, or for a share.
check "--top" [ "$(frocc outliers orders.csv -q --top 7 | wc -l)" = 8 ]
check "--top beyond the rows" [ "$(frocc outliers orders.csv -q --top 5000 | wc -l)" = 1001 ]
check "--rate" [ "$(frocc outliers orders.csv -q --rate 0.05 | wc -l)" = 51 ]
check "--rate 1 is all, and every row once" [ "$(frocc outliers orders.csv -q --rate 1 --no-reasons |
    tail -n +2 | cut -d, -f1 | sort -n | uniq | wc -l)" = 1000 ]
check "shares end at 1" [ "$(frocc outliers orders.csv -q --rate 1 --no-reasons | tail -n 1 |
    cut -d, -f3)" = 1 ]

# ---- However the table comes ---------------------------------------------------------------------

whole=$(listed frocc outliers orders.csv --id order --top 30)
check "thirty rows" [ "$(wc -w <<<"$whole")" = 30 ]
check "from a pipe" [ "$(listed frocc outliers - --id order --top 30 <orders.csv)" = "$whole" ]
check "with threads" [ "$(listed frocc outliers orders.csv --id order --top 30 --threads 3)" = "$whole" ]
head -n 401 orders.csv >a.csv
{ head -n 1 orders.csv && tail -n +402 orders.csv; } >b.csv
check "in two files" [ "$(listed frocc outliers a.csv b.csv --id order --top 30)" = "$whole" ]
check "a label is no feature" eval \
    '[ "$(paste -d, orders.csv <(echo bad && seq 1000) | frocc outliers - --id order --label bad --top 30 -q |
        tail -n +2 | cut -d, -f1 | tr "\n" " ")" = "$whole" ]'
check "rows with missing cells keep the numbers" eval \
    '[ "$(listed frocc outliers <(sed "3s/,[0-9.]*,/,,/" orders.csv) --id order --missing drop --top 2)" = \
        "$(cut -d, -f1 odd.csv | sed -n 2,3p | tr "\n" " ")" ]'
frocc outliers orders.csv --id order --top 5 -o odd.jsonl -q
check "JSON lines" [ "$(grep -c '^{"row":[0-9]*,"id":"o[0-9]*","score":.*,"share":.*,"reason":".*"}$' odd.jsonl)" = 5 ]
check "--json" [ "$(frocc outliers orders.csv --id order --json -o odd.csv)" = '{"rows":1000,"listed":10}' ]
check_silent "-q" frocc outliers orders.csv -q -o odd.csv

# ---- What is refused -----------------------------------------------------------------------------

refused() { # refused STATUS WORDS COMMAND...
    local status=$1 words=$2
    shift 2
    "$@" >said.log 2>&1
    [ $? -eq "$status" ] && grep -qF -- "$words" said.log || { cat said.log && return 1; }
}
check "two ways to say how many" refused 2 "--top and --rate" \
    frocc outliers orders.csv --top 3 --rate 0.1
check "the data are not replaced" refused 2 "orders.csv" frocc outliers orders.csv -o orders.csv
check "one row" refused 1 "nothing to compare it with" frocc outliers <(head -n 2 orders.csv | cut -d, -f2,3)
check "a bad share" refused 2 "--contamination" frocc outliers orders.csv --contamination 0.9

# ---- Rows that were learnt -----------------------------------------------------------------------

told() { # told COMMAND...: it says, once, that the rows were learnt
    "$@" 2>&1 >/dev/null | grep -c "has learnt these rows.*frocc outliers" | grep -qx 1
}
frocc fit orders.csv --id order -o m.frocc -q
check "score tells" told frocc score m.frocc orders.csv --id order
check "predict tells" told frocc predict m.frocc orders.csv --id order
check "and in another order" told frocc score m.frocc b.csv a.csv --id order
check_silent "not with -q" frocc score m.frocc orders.csv --id order -o x.csv -q
frocc gen moons -n 3000 -o moons.csv
frocc gen moons -n 3000 --seed 1 -o fresh.csv
frocc fit moons.csv -o moons.frocc -q
check_silent "not of fresh rows" frocc score moons.frocc fresh.csv -o x.csv
# Tables of few different rows, where fresh ones have been seen before.
for n in 2 20 2000 200000; do
    for seed in 1 2; do
        awk -v n=$n -v seed=$seed 'BEGIN { srand(seed); print "a,b"
            for (i = 0; i < 2000; i++) { v = int(n * rand()); print v % 7 "," int(v / 7) } }' >few$seed.csv
    done
    frocc fit few1.csv -o few.frocc -q
    check_silent "not of fresh rows of $n kinds" frocc score few.frocc few2.csv -o x.csv
done
