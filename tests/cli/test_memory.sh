# SPDX-License-Identifier: BSD-3-Clause
# Peak memory does not grow with the rows.
#
#   FROCC_MEMORY_MB="50 5000"   sizes of the CSV streams to compare; "40 160" by default
. "$(dirname "$0")/cli.sh"

read -r small large <<<"${FROCC_MEMORY_MB:-40 160}"
[ -r /proc/self/status ] || { skip "memory" "no /proc" && finish; }

# The small stream, once or as often as the large one needs; a row takes about 80 bytes.
frocc gen gaussians -d 8 -n $((small * 1000000 / 80)) --seed 3 --outliers 0.1 --label -o rows.csv
tail -n +2 rows.csv >more.csv
stream() {
    local i
    cat rows.csv
    for ((i = small; i < $1; i += small)); do
        cat more.csv
    done
}

# peak MEGABYTES COMMAND...: the most memory it used, in KiB, while it read such a stream.
peak() {
    local megabytes=$1 pid high=0 now
    shift
    stream "$megabytes" >pipe 2>/dev/null &
    "$FROCC" "$@" --label label <pipe >/dev/null 2>error.txt &
    pid=$!
    while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$pid/status 2>/dev/null) && [ -n "$now" ]; do
        high=$now
        sleep 0.005
    done
    wait $pid || { cat error.txt >&2 && return 1; }
    echo "$high"
}

grows_little() { # grows_little COMMAND...
    local a b
    a=$(peak "$small" "$@") && b=$(peak "$large" "$@") || return
    echo "$1: $a KiB on $small MB, $b KiB on $large MB" | tee -a memory.txt
    [ "$a" -gt 0 ] && [ "$b" -le $((a * 12 / 10)) ]
}

mkfifo pipe
head -n 10000 rows.csv | frocc fit - -m 20 --paper --label label -o m.frocc -q
head -n 10000 rows.csv | frocc fit - -m 20 --label label -o close.frocc -q
check "fit in one pass" grows_little fit - -m 20 --paper --numeric -o out.frocc -q
check "fit with a learnt scaling" grows_little fit - -m 20 -o out.frocc -q
check "score" grows_little score m.frocc - --numeric
check "eval" grows_little eval m.frocc - --numeric --bootstrap 5
check "eval of closeness" grows_little eval close.frocc - --numeric --bootstrap 5
check "convert" grows_little convert - --numeric
[ -z "${FROCC_MEMORY_MB-}" ] || cat memory.txt
finish
