# SPDX-License-Identifier: BSD-3-Clause
# How many outliers are an alarm, which are told together, and which are known.
. "$(dirname "$0")/cli.sh"

# 400 rows of which the last ten are far away: six in x, three in host, one without y.
awk 'BEGIN { print "x,y,host"; srand(3)
    for (i = 0; i < 400; i++) printf "%.3f,%.3f,%s\n", rand(), rand(), i % 2 ? "web" : "api" }' >week.csv
{ head -n 391 week.csv; for i in 1 2 3 4 5 6; do echo "9$i,0.5,web"; done
    for i in 1 2 3; do echo "0.5,0.5,host $i"; done; echo "0.5,,api"; } >today.csv
frocc fit week.csv --missing keep -m 100 -o m.frocc -q

status_of() { "$@" >out.txt 2>error.txt; echo $?; }
n_outliers() { grep -o '"outliers":[0-9]*' out.txt | cut -d : -f 2; }

check "any outlier ends with 3" [ "$(status_of frocc predict m.frocc today.csv --exit-code)" = 3 ]
check "twice the promise does, too" [ "$(status_of frocc predict m.frocc today.csv --alarm-above 2x)" = 3 ]
check "four times does not" [ "$(status_of frocc predict m.frocc today.csv --alarm-above 9x)" = 0 ]
check "a share of the rows" [ "$(status_of frocc predict m.frocc today.csv --alarm-above 0.02)" = 3 ]
check "a larger one" [ "$(status_of frocc predict m.frocc today.csv --alarm-above 0.1)" = 0 ]
for wrong in x -1x 2y 1.5 "" nan; do
    check "--alarm-above '$wrong'" [ "$(status_of frocc predict m.frocc today.csv --alarm-above "$wrong")" = 2 ]
done
check "no promise, no multiple of it" [ "$(status_of frocc predict m.frocc today.csv --threshold 0.5 --alarm-above 2x)" = 2 ]

rates() { frocc predict m.frocc today.csv --json -q -o /dev/null "$@" | grep -o '"rate":[^,]*,"least_rate":[0-9.]*'; }
check "JSON has both rates" [ "$(rates)" = '"rate":0.01,"least_rate":0.005' ]
check "the one that was asked for" [ "$(rates --fpr 0.0001)" = '"rate":0.0001,"least_rate":0.005' ]
check "none with a threshold" [ "$(rates --threshold 0.5)" = '"rate":null,"least_rate":0.005' ]

frocc predict m.frocc today.csv --group -o all.csv 2>error.txt
check "groups, the largest first" eval 'sed -n 1p error.txt | grep -q "^frocc: 6 outliers: x above 0.99[0-9]* (usually .*)$" &&
    sed -n 2p error.txt | grep -q "^frocc: 3 outliers: host is a text never seen$"'
frocc predict m.frocc today.csv --group --json -q -o all.csv >out.txt
check "as JSON" eval 'grep -q "\"groups\":\[{\"rows\":6,\"reason\":\"x above [^\"]*\"},{\"rows\":3,\"reason\":\"host is a text never seen\"}" out.txt'
frocc predict m.frocc today.csv --only-outliers -q >flagged.csv
frocc predict m.frocc today.csv --only-outliers --most 4 >few.csv 2>error.txt
check "no more than four are written" cmp few.csv <(head -n 5 flagged.csv)
check "and the others counted" grep -q "^frocc: $(($(wc -l <flagged.csv) - 5)) more outliers are counted" error.txt
check "--most is of outliers" [ "$(status_of frocc predict m.frocc today.csv --most 4)" = 2 ]

# ---- Rules ---------------------------------------------------------------------------------------

silenced() { # silenced RULES: how many outliers
    printf "$1" >rules.txt
    frocc predict m.frocc today.csv --except rules.txt -q --json -o flags.csv | sed 's/.*"silenced":\([0-9]*\).*/\1/'
}
all=$(($(wc -l <flagged.csv) - 1))
check "a range" [ "$(silenced 'x 91 to 94\n')" = 4 ]
check "more and less" [ "$(silenced 'x > 91 and x < 94\n')" = 2 ]
check "a text with blanks, and a comment" [ "$(silenced '# known\n\nhost = "host 2" # no comment here\n' 2>&1 | grep -c "'and' is missing")" = 1 ]
check "a text with blanks" [ "$(silenced '# known\n\nhost = "host 2"\n')" = 1 ]
check "two conditions" [ "$(silenced 'host = web and x > 95\n')" = 1 ]
check "several rules, each row once" [ "$(silenced 'x > 95\nx > 93\n"host" = "host 1"\n')" = 4 ]
check "a reason" [ "$(silenced 'reason host\n')" = 3 ]
check "a day to come" [ "$(silenced 'x > 1 until 2999-12-31\n')" = 6 ]
check "a day that is over" [ "$(silenced 'x > 1 until 2020-12-31\n')" = 0 ]
check "each row says which" eval '[ "$(silenced "# one\nreason host\nx > 95\n")" = 4 ] &&
    [ "$(head -n 1 flags.csv)" = outlier,silenced ] && [ "$(grep -c "^1,2$" flags.csv)" = 3 ] && [ "$(grep -c "^1,3$" flags.csv)" = 1 ]'
check "what is silenced is no alarm" eval '[ "$(status_of frocc predict m.frocc today.csv --alarm-above 0.02 --except <(echo "x > 1"))" = 0 ]'
printf 'x > 1\nreason host until 2020-01-01\n' >rules.txt
frocc predict m.frocc today.csv --except rules.txt --only-outliers --columns host >few.csv 2>error.txt
check "each rule is told of" eval 'grep -q "rules.txt: line 1: silenced 6 outliers: x > 1" error.txt &&
    grep -q "rules.txt: line 2: its last day is over" error.txt'
check "nor are they written" [ "$(wc -l <few.csv)" = $((all - 6 + 1)) ]
check "with the columns that were asked for" [ "$(head -n 1 few.csv)" = row,host,outlier ]
check "as JSON lines, from a pipe" eval 'printf "host = web\n" >rules.txt; [ "$(sed 1,391d today.csv | cat week.csv - | head -n 500 |
    frocc predict m.frocc - --except rules.txt --only-outliers --columns x,host --output-format jsonl -q | grep -c "\"host\":\"web\"")" = 0 ]'

bad_rule() { printf "$1" >rules.txt && [ "$(status_of frocc predict m.frocc today.csv --except rules.txt)" = 2 ] && grep -q "rules.txt: line 1: " error.txt; }
for wrong in x 'x =' 'x > a' 'x 1 to' 'x 1 2' 'x > 1 y < 2' 'x > 1 until' 'x > 1 until soon' 'x > 1 until 2020-13-01' \
    'until 2030-01-01' 'x = "a' 'and' 'x > 1 and' 'x > nan' 'x > 1 until 2020-01-01 and y > 1'; do
    check "no rule: $wrong" bad_rule "$wrong\n"
done
check "a rule of bytes" eval '! frocc predict m.frocc today.csv --except m.frocc >out.txt 2>error.txt && grep -q "m.frocc: line" error.txt'
check "a line that is too long" eval 'head -c 9000 /dev/zero | tr "\0" x >rules.txt && [ "$(status_of frocc predict m.frocc today.csv --except rules.txt)" = 2 ]'
check "no file of rules" [ "$(status_of frocc predict m.frocc today.csv --except nowhere.txt)" = 1 ]
check "a folder is none" [ "$(status_of frocc predict m.frocc today.csv --except .)" = 1 ]
check "a column that is not there" eval 'echo "z > 1" >rules.txt; [ "$(status_of frocc predict m.frocc today.csv --except rules.txt)" = 2 ] && grep -q "z" error.txt'
finish
