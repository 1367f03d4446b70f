# SPDX-License-Identifier: BSD-3-Clause
# Time stamps: from a table, or a pipe without a header, to the hour and the day in a reason.
. "$(dirname "$0")/cli.sh"

# table N SEED [WHEN]: requests in working hours of eight weeks, Monday to Friday; or at another time
table() {
    awk -v n="$1" -v seed="$2" -v when="${3-}" 'BEGIN {
        srand(seed); print "ts,ms"
        for (i = 0; i < n; i++) {
            day = 2 + 7 * int(8 * rand()) + (when == "weekend" ? 5 : int(5 * rand()))
            month = day > 30 ? 12 : 11; day = day > 30 ? day - 30 : day
            year = when == "later" ? 2028 : 2026 # whose days are others, but hours the same
            seconds = (when == "night" ? 2 : 8) * 3600 + int((when == "night" ? 2 : 10) * 3600 * rand())
            printf "%d-%02d-%02dT%02d:%02d:%02d,%.2f\n", year, month, day, seconds / 3600,
                seconds / 60 % 60, seconds % 60, 20 + 3 * (rand() + rand() - 1)
        } }'
}
outliers() { # outliers MODEL WHEN: how many of 200 rows
    table 200 2 "${2-}" | frocc predict "$1" - | tail -n +2 | grep -c 1
}
reason() { # reason WORDS MODEL WHEN: they are in most reasons
    table 200 2 "$3" | frocc predict "$2" - --only-outliers --reason >reasons.csv
    [ "$(grep -cF -- "$1" reasons.csv)" -ge 150 ] || { head reasons.csv && return 1; }
}
said() { # said WORDS COMMAND...: it fails and says so
    local words=$1
    shift
    ! "$@" >said.log 2>&1 || return 1
    grep -qF -- "$words" said.log || { cat said.log && return 1; }
}

table 2000 1 >table.csv
check "a column of time stamps is told of" eval 'frocc fit table.csv -o m.frocc 2>&1 |
    grep -q "time stamps, ts: hour of day and day of week$"'
check "info knows it" eval 'frocc info m.frocc | grep -q "ts  *time, hour of day, day of week$" &&
    frocc info m.frocc --json | grep -q "\"ts\",\"type\":\"time\""'
check "a pipe without a header is the same table" eval 'tail -n +2 table.csv | frocc fit - -o p.frocc -q &&
    [ "$(frocc info p.frocc | grep rows | tail -n 1)" = "$(frocc info m.frocc | grep rows | tail -n 1)" ] &&
    frocc info p.frocc | grep -q "1  *time, hour of day"'
check "working hours are normal" [ "$(outliers m.frocc)" -lt 12 ]
check "nights are not" [ "$(outliers m.frocc night)" = 200 ]
check "nor weekends" [ "$(outliers m.frocc weekend)" = 200 ]
check "the hour is the reason" reason "hour of ts is 0" m.frocc night
check "the day is" reason "day of ts is Saturday, " m.frocc weekend
table 50 3 night >night.csv
check "explain names it" eval 'frocc explain m.frocc night.csv --top 1 --features 1 --leading 0 |
    tail -n 1 | awk -F , "{ exit !(\$4 == \"hour of ts\" && \$6 >= 2 && \$6 < 4 && \$7 >= 8 && \$7 < 18) }"'
check "the report does" eval 'frocc report m.frocc night.csv -o r.html -q && grep -q "</span>hour of ts is " r.html'

check "the time itself, when asked for" eval 'frocc fit table.csv --time ts -o t.frocc -q &&
    frocc info t.frocc | grep -q "ts  *time, .*, the time itself$"'
check "then another year is an outlier" [ "$(outliers t.frocc later)" = 200 ]
check "and the reason" reason "ts is 2028-1" t.frocc later
check "--time of no time" said "leave it out there" frocc fit table.csv --time ms -o x.frocc
check "and without it" frocc fit table.csv -o x.frocc
printf '2026-11-18T07:01:02,GET\n2026-11-18T07:01:03,PUT\n' >texts.csv
check "without a header, beside texts" eval 'frocc fit texts.csv -m 8 -o h.frocc -q &&
    [ "$(frocc info h.frocc | awk "/^rows/ { print \$2 }")" = 2 ] &&
    [ "$(frocc score h.frocc - <texts.csv | wc -l)" = 3 ]'
printf 'ts,ms\n2026-11-18T07:01:02,20\nyesterday,20\n' >odd.csv
check "later, something else: line and column" said "odd.csv: line 3, column 1 ('ts'): 'yesterday' is no time stamp" \
    frocc predict m.frocc odd.csv
printf 'ts,ms\n,20\n' >gap.csv
check "missing" said "gap.csv: line 2, column 1 ('ts'): the cell is empty" frocc predict m.frocc gap.csv
check "missing, and that is told" eval 'frocc fit table.csv --missing keep -o k.frocc -q &&
    frocc predict k.frocc gap.csv --reason | grep -q "^1,.*ts is missing, "'
check "columns by another name are categories, if asked for" eval '
    cut -d T -f 1 table.csv | sed 1s/.*/ts/ | frocc fit - --categorical ts -m 8 -o c.frocc -q &&
    frocc info c.frocc | grep -q "ts  *text of 40 values"'
# Times of day in a column of their own, as many logs have them.
sed '1s/ts/day,at/; 2,$s/T/,/' table.csv >clock.csv
check "times of day alone are hours" eval 'frocc fit clock.csv -o clock.frocc 2>&1 |
    grep -q "time stamps, day: day of week; at: hour of day$" &&
    frocc info clock.frocc | grep -q "  at  *time, hour of day$" &&
    frocc info clock.frocc | grep -q "  day  *time, day of week$"'
check "nights are not normal there" eval 'table 200 2 night | sed "1s/ts/day,at/; 2,\$s/T/,/" |
    frocc predict clock.frocc - --only-outliers --reason | grep -c "hour of at is 0" | grep -qx 200'
printf 'day,at,ms\n2026-11-18,noon,20\n' >noon.csv
check "something else there" said "'noon' is no time of day; expected one such as 07:01:02" \
    frocc predict clock.frocc noon.csv
printf 'day,at,ms\n2026-11-18,2026-11-18T07:01:02,20\n' >noon.csv
check "a day, too" said "is no time of day" frocc predict clock.frocc noon.csv
printf 'day,at,ms\n07:01:02,07:01:02,20\n' >noon.csv
check "no day" said "'07:01:02' is no time stamp" frocc predict clock.frocc noon.csv
check "no time itself" said "leave it out there" frocc fit clock.csv --time at -o x.frocc
check "with and without days they are texts" eval 'printf "at,x\n07:01,1\n2026-11-18T07:01,2\n" |
    frocc fit - -m 8 -o x.frocc -q && frocc info x.frocc | grep -q "at  *text$"'
check "a report has no time axis of them" eval 'cut -d, -f2- clock.csv | frocc fit - -o at.frocc -q &&
    cut -d, -f2- clock.csv | frocc report at.frocc - -o r.html -q && ! grep -q "id=\"times\"" r.html'
head -n 1 table.csv | tee one.csv >two.csv
tail -n +2 table.csv | awk '{ print >> (NR % 3 ? "one.csv" : "two.csv") }'
for part in one two; do
    frocc fit --frame t.frocc $part.csv -o $part.frocc -q
done
frocc fit --frame t.frocc table.csv -o whole.frocc -q
check "parts merge" eval 'frocc merge two.frocc one.frocc -o merged.frocc -q && cmp whole.frocc merged.frocc'

finish
