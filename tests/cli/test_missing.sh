# SPDX-License-Identifier: BSD-3-Clause
# Missing cells as information: --missing keep, from learning to the reason of an alert.
. "$(dirname "$0")/cli.sh"

# table N SEED SHARE [WHAT]: requests of four hosts. A share of the loads is missing, those of host d
# always when WHAT is joint; what else is missing, or where, WHAT says.
table() {
    awk -v n="$1" -v seed="$2" -v share="$3" -v what="${4-}" '
    function bell() { return rand() + rand() + rand() + rand() - 2 }
    BEGIN {
        srand(seed); print "load,temp,host"
        for (i = 0; i < n; i++) {
            load = sprintf("%.2f", 50 + 10 * bell()); temp = sprintf("%.2f", 20 + 3 * bell())
            host = substr("abcd", 1 + int(4 * rand()), 1)
            if (rand() < share) load = ""
            if (what == "joint" && host == "d") load = ""
            if (what == "d" || what == "a" || what == "load") load = ""
            if (what == "d" || what == "d, there") host = "d"
            if (what == "a") host = "a"
            if (what == "temp") temp = "NA"
            if (what == "host") host = ""
            print load "," temp "," host
        }
    }'
}
outliers() { # outliers MODEL TABLE...: how many of 200 rows
    table 200 2 0 "${@:2}" >new.csv
    frocc predict "$1" new.csv | tail -n +2 | grep -c 1
}
few() { # few MODEL WHAT: hardly any row is an outlier
    local found
    found=$(outliers "$@")
    [ "$found" -le 12 ] || { echo "$found outliers" && return 1; }
}
all() { # all MODEL WHAT: every row is an outlier
    local found
    found=$(outliers "$@")
    [ "$found" -eq 200 ] || { echo "$found outliers" && return 1; }
}
reason() { # reason WORDS MODEL WHAT: they are in the first reason
    table 200 2 0 "$3" >new.csv
    frocc predict "$2" new.csv --only-outliers --reason | sed -n 2p >said.log
    grep -qF -- "$1" said.log || { cat said.log && return 1; }
}

table 2000 1 0 >whole.csv
table 2000 1 0.1 >gaps.csv
table 2000 1 0 joint >joint.csv
for name in whole gaps joint; do
    frocc fit $name.csv --missing keep -o $name.frocc -q
done

check "nothing is missing, as always" few whole.frocc none
check "a number is missing and never was" all whole.frocc load
check "so is a text" all whole.frocc host
check "a tenth of the loads was missing: usual" few gaps.frocc load
check "temperatures were not" all gaps.frocc temp
check "missing where it was" few joint.frocc d
check "missing where it was not" all joint.frocc a
check "there where it was missing" all joint.frocc "d, there"
check "with the paper's method" eval 'frocc fit whole.csv --missing keep --paper -o p.frocc -q &&
    all p.frocc load && all p.frocc host'

check "the reason: never missing" reason "load is missing, usually present" whole.frocc load
check "a text" reason "host is missing, never seen (usual: " whole.frocc host
check "there, but not here" reason "load is missing where host is a: never together in 2,000 rows" joint.frocc a
check "missing there" reason "host is d where load is present: never together in 2,000 rows" joint.frocc "d, there"
# Columns that training rows did not have, or had but one value of; a value that is wild is there.
awk 'BEGIN { srand(1); print "a,b,c,d"
    for (i = 0; i < 500; i++) printf "%.3f,,7,%s\n", rand(), i % 5 ? sprintf("%.2f", rand()) : "" }' >odd.csv
frocc fit odd.csv --missing keep -o odd.frocc -q
said() { # said ROW REASON: the row has this very reason
    printf "a,b,c,d\n%s\n" "$1" | frocc predict odd.frocc - --only-outliers --reason --bad-rows stop | sed -n 2p >said.log
    grep -Eqx -- "1,1,\"?$2\"?" said.log || { cat said.log && return 1; }
}
check "never there" said 0.5,0.5,7,0.5 "b is present, usually missing"
check "never there, at the value that stands for it" said 0.5,0,7,0.5 "b is present, usually missing"
check "one value" said 0.5,,8,0.5 "c is 8, usually 7"
check "nearly that value" said 0.5,,7.000001,0.5 "c is 7.000001, usually 7.*"
check "missing at one value" said 0.5,,,0.5 "c is missing, usually present.*"
check "a wild value in a column with gaps" said 0.5,,7,9 "d is 9, usually 0 to [0-9.]*"
check "of odd rows, too" eval '{ cat odd.csv && echo 0.5,3,7,0.5; } | frocc outliers - --missing keep --top 1 -q |
    grep -q "^501,[^,]*,[^,]*,.*b is present, usually missing\"*$"'
table 1 2 0 load >new.csv
check "explain names it" [ "$(frocc explain whole.frocc new.csv --features 1 --leading 0 |
    cut -d, -f 4,6- | tail -n 1)" = 'state of load,1,0,"load is missing, usually present"' ]
check "and the report" eval 'frocc report whole.frocc new.csv -o r.html -q &&
    grep -q "load is missing, usually present (+" r.html && ! grep -q "load is -" r.html'
check "info knows" eval '[ "$(frocc info gaps.frocc | grep -c "number, or missing$")" = 2 ] &&
    frocc info gaps.frocc --json | grep -q "\"name\":\"load\",\"type\":\"number\",\"missing\":true"'
check "a missing text is none" eval 'printf "k,x\na,1\n,2\nb,3\n" >k.csv && frocc fit k.csv --missing keep -o k.frocc -q &&
    frocc info k.frocc | grep -q "k .*text of 2 values$"'

# A table of 300 columns drowns nothing.
awk 'BEGIN { srand(3)
    for (i = 0; i < 400; i++) {
        line = i == 399 ? "" : rand()
        for (j = 1; j < 300; j++) line = line "," rand()
        print line > (i < 300 ? "wide.csv" : "new.csv")
    } }'
frocc fit wide.csv --missing keep -o wide.frocc -q
check "one cell in 300 columns" eval 'frocc predict wide.frocc new.csv | tail -n 1 | grep -q 1 &&
    [ "$(frocc predict wide.frocc new.csv | tail -n +2 | grep -c 1)" -lt 12 ]'

# Parts merge to the same bytes, and what a part has missing is learnt.
head -n 1 gaps.csv | tee one.csv >two.csv
tail -n +2 gaps.csv | awk '{ print >> (NR % 3 ? "one.csv" : "two.csv") }'
for part in one two; do
    frocc fit --frame gaps.frocc $part.csv -o $part.frocc -q
done
frocc fit --frame gaps.frocc two.csv one.csv -o both.frocc -q
check "parts merge" eval 'frocc merge two.frocc one.frocc -o merged.frocc -q && cmp both.frocc merged.frocc'
table 2000 4 0 temp >without.csv
check "a part without a column teaches that it may be missing" eval '
    frocc fit --frame gaps.frocc without.csv -o without.frocc -q &&
    frocc merge one.frocc without.frocc -o merged.frocc -q && few merged.frocc temp'

finish
