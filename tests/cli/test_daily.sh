# SPDX-License-Identifier: BSD-3-Clause
# What examples/daily has is what runs: the service's command, over logs that are rotated.
. "$(dirname "$0")/cli.sh"
daily=$root/examples/daily patience=200 # twentieths of a second

until_it() { # waits, but not for ever
    local left=$patience
    while [ $((left -= 1)) -gt 0 ] && ! "$@"; do sleep 0.05; done
    "$@"
}
has_lines() { [ "$(cat "$1" 2>/dev/null | wc -l)" -ge "$2" ]; }

mkdir bin var && ln -s "$FROCC" bin/frocc
export PATH=$PWD/bin:$PATH
for week in 1 2; do awk -v week=$week -f "$root/examples/requests.awk" >week-$week.csv; done
frocc fit week-1.csv --id request --missing keep --fpr 0.002 -o var/model.frocc -q
frocc predict var/model.frocc week-2.csv --id request --only-outliers -q | sed 1d | cut -d , -f 2 >wanted.txt

command=$(sed -n '/^ExecStart=/,/[^\\]$/p' "$daily/frocc-live.service" | sed 's/^ExecStart=//;s/\\$//' | tr -d '\n' |
    sed "s|/var/lib/frocc|$PWD/var|g;s|/var/log|$PWD|g")
check "the service's command is there" eval 'case $command in "/bin/bash -c "*frocc\ predict*) ;; *) false ;; esac'
if tail --version 2>/dev/null | grep -q GNU; then
    head -n 1 week-2.csv >requests.csv
    eval "exec $command" 2>error.txt &
    live=$!
    sleep 1 # tail begins at the end of what is there
    sed -n '2,3000p' week-2.csv >>requests.csv
    check "outliers come" until_it has_lines var/odd.jsonl 2
    mv requests.csv requests.1
    { head -n 1 week-2.csv && sed -n '3001,5000p' week-2.csv; } >requests.csv
    check "also of the next log" until_it has_lines var/odd.jsonl "$(awk -v n=205000 '$1 <= n' wanted.txt | wc -l)"
    mv var/odd.jsonl var/odd.1
    kill -HUP $live
    until_it grep -q anew error.txt
    sed -n '5001,$p' week-2.csv >>requests.csv
    check "a file that was moved away is begun anew" until_it has_lines var/odd.jsonl "$(awk -v n=205000 '$1 > n' wanted.txt | wc -l)"
    kill -TERM $live
    wait $live
    check "it ends as it was told" [ $? -eq 143 ]
    check "every outlier was told once" cmp wanted.txt <(cat var/odd.1 var/odd.jsonl | sed 's/.*"id":"\([0-9]*\)".*/\1/')
else
    skip "the service's command" "there is no tail of GNU"
fi

if command -v systemd-analyze >/dev/null; then
    sed "s|^ExecStart=.*|ExecStart=/bin/true|;/^    --header/d" "$daily/frocc-live.service" >frocc-live.service
    check "systemd knows the unit" eval 'systemd-analyze verify ./frocc-live.service >out.txt 2>&1 || ! cat out.txt'
else
    skip "systemd knows the unit" "there is no systemd-analyze"
fi
if command -v logrotate >/dev/null; then
    check "logrotate knows the file" eval 'logrotate -d "$daily/frocc-live.logrotate" >out.txt 2>&1 || ! cat out.txt'
else
    skip "logrotate knows the file" "there is no logrotate"
fi

# Figures: of a day, of one without rows, and of one that cannot be judged.
metrics() { sh "$daily/metrics.sh" var/model.frocc "$@" --id request; }
check "figures" eval '[ "$(metrics week-2.csv | grep -c "^frocc_[a-z_]* [0-9.e-]*$")" = 5 ] &&
    [ "$(metrics week-2.csv | grep -c "^# \(HELP\|TYPE\) frocc_")" = 10 ]'
head -n 1 week-2.csv >sunday.csv
check "of no rows" eval 'metrics sunday.csv >out.txt && grep -qx "frocc_rows 0" out.txt'
check "of no log" eval '! metrics nowhere.csv >out.txt 2>error.txt && [ ! -s out.txt ] && grep -q nowhere error.txt'
finish
