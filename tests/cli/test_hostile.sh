# SPDX-License-Identifier: BSD-3-Clause
# Files that are not what they should be, and a system that gives little: a sentence and an end, within
# seconds and some memory.
. "$(dirname "$0")/cli.sh"

frocc gen gaussians -n 3000 -d 10 -o rows.csv
frocc fit rows.csv -o m.frocc -q

# ends STATUS SECONDS KIB WORDS COMMAND...: with this status and these words, within the limits.
ends() {
    local want=$1 seconds=$2 kib=$3 words=$4 status
    shift 4
    (ulimit -v "$kib" && exec timeout "$seconds" "$FROCC" "$@") >said.log 2>error.log </dev/null
    status=$?
    [ $status -eq "$want" ] || { echo "status $status, not $want" && cat error.log && return 1; }
    [ -z "$words" ] || grep -q -- "$words" error.log || { cat error.log && return 1; }
    no_file out
}

# Models: what cannot be one is not read.
truncate -s 3G sparse.frocc
mkfifo pipe.frocc
ln -s /dev/zero zero.frocc
{ head -c 12 m.frocc && head -c 100000 /dev/zero; } >zeros.frocc
for name in sparse zeros; do
    check "model-$name" ends 1 10 400000 "model" info $name.frocc
done
check model-device ends 1 10 400000 "regular" info zero.frocc
check model-pipe ends 1 10 400000 "regular" info pipe.frocc
endless() { timeout 10 "$FROCC" info - </dev/zero 2>&1 | grep -q "not a frocc model"; }
check model-endless endless
check model-limit ends 1 10 400000 "max-memory" score m.frocc rows.csv --max-memory 1 -o out.csv
check model-limit-is-enough ends 0 10 4000000 "" score m.frocc rows.csv --max-memory 64

# Data: many columns in few bytes.
{
    printf '\223NUMPY\1\0\166\0'
    printf "%-117s\n" "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 134217728), }"
} >claim.npy
check npy-claim ends 1 10 400000 "max-columns" convert claim.npy -o out.csv
# An index is a claim too, and so are the columns of a sample.
printf '1 1:1\n1 2:1\n1 134217728:1\n' >claim.libsvm
for command in "fit -o out.frocc" "outliers" "convert -o out.csv" "frame -o out.frame" "frame --sample -o out.sample"; do
    check "libsvm-claim: $command" ends 1 10 400000 "134217728 columns.*--max-columns" $command claim.libsvm
done
check libsvm-claim-allowed ends 0 10 400000 "" frame --sample claim.libsvm --max-columns 134217728 -o claim.sample
check sample-claim ends 1 10 400000 "134217728 features.*--max-columns" frame claim.sample -o out.frame
awk 'BEGIN { for (i = 1; i < 3000000; i++) printf "1,"; print 1 }' | gzip >wide.csv.gz
check gzip-of-many-columns ends 1 20 800000 "max-columns" convert wide.csv.gz -o out.csv
# A line of gigabytes in a few bytes: members of gzip follow each other.
head -c 16000000 /dev/zero | tr '\0' 1 | gzip -9 >ones.gz
for ((i = 0; i < 64; i++)); do cat ones.gz; done >line.csv.gz
check gzip-of-one-line ends 1 20 400000 "line 1: the line is longer than 67108864 bytes.*--max-line" convert line.csv.gz -o out.csv
check gzip-of-one-line-limited ends 1 20 30000 "longer than 2097152 bytes" convert line.csv.gz --max-line 2 -o out.csv
{ printf '{"a":"' | gzip && cat line.csv.gz; } >line.jsonl.gz
check gzip-of-one-object ends 1 20 400000 "line 1: .*--max-line" convert line.jsonl.gz -o out.csv
{ printf '1 1:' | gzip && cat line.csv.gz; } >line.libsvm.gz
check gzip-of-one-sparse-row ends 1 20 400000 "line 1: .*--max-line" convert line.libsvm.gz -o out.csv
{ yes 1,2 | head -n 100000 && head -c 3000000 /dev/zero | tr '\0' 1 && echo && yes 1,2 | head -n 100000; } >late.csv
for threads in 1 16; do
    check "a late line, $threads threads" ends 1 20 400000 "line 100001: the line is longer than 2097152 bytes" \
        convert late.csv --max-line 2 --threads $threads -o out.csv
done
awk 'BEGIN { for (i = 1; i < 300000; i++) printf "1.25,"; print 1 }' >row.csv
check long-row ends 1 20 400000 "longer than 1048576 bytes" convert row.csv --max-line 1 -o out.csv
check long-row-allowed ends 0 20 400000 "" convert row.csv --max-line 2 -o long.npy
head -c 48 /dev/zero >short.f32
: >empty.f32
check raw-claim-of-nothing ends 1 10 400000 "within the first row" convert empty.f32 --n-columns 134217728 -o out.csv
check raw-claim ends 1 10 400000 "within the first row" convert short.f32 --n-columns 134217728 -o out.csv
printf '1,2,3\n4,5,6\n' >three.csv
check columns-limited ends 1 10 400000 "has 3 columns" convert three.csv --max-columns 2 -o out.csv
check columns-allowed ends 0 10 400000 "" convert three.csv --max-columns 3 -o three.npy

# Names: long ones, links to what is not there yet, links in a circle, escapes.
name=$(printf 'n%.0s' $(seq 246))
long_name() { # twice: a new file, and one that is replaced
    mkdir -p long && for _ in 1 2; do
        frocc gen gaussians -n 9 -o "long/$name.csv" && frocc fit rows.csv -q -o "long/$name.frocc" || return
    done && [ "$(ls -A long | wc -l)" = 2 ]
}
check long-names long_name
mkdir -p there && ln -s there/new.csv link.csv && ln -s circle2.csv circle1.csv && ln -s circle1.csv circle2.csv
dangling() { frocc gen gaussians -n 9 -o link.csv && [ -L link.csv ] && [ -s there/new.csv ]; }
check link-to-nothing-yet dangling
circle() { ! frocc gen gaussians -n 9 -o circle1.csv 2>error.log && [ -L circle1.csv ] && [ -L circle2.csv ]; }
check links-in-a-circle circle
escapes() { # no byte that commands a terminal
    printf 'a,\033]0;owned\007b\nx,1\ny,2\nx,3\n' >$'\033[31mred.csv'
    "$FROCC" fit $'\033[31mred.csv' -o escapes.frocc 2>error.log
    "$FROCC" fit $'\033[31mred.csv' --numeric -o escapes.frocc 2>>error.log
    "$FROCC" fit $'\033[31mred.csv' -q -o $'\033[31mred.frocc' 2>>error.log &&
        "$FROCC" info $'\033[31mred.frocc' >>error.log && grep -q owned error.log &&
        ! LC_ALL=C grep -q $'[\001-\010\013-\037\177]' error.log
}
check escapes escapes

# Signals: the old file or the new one, and nothing else.
signals() {
    local i delay pid
    mkdir -p save && cp m.frocc save/m.frocc
    for i in $(seq 40); do
        "$FROCC" fit rows.csv -m 20 -q -o save/m.frocc & pid=$!
        delay=$(awk -v i="$i" 'BEGIN { printf "%.3f", 0.002 * i }')
        sleep "$delay"
        kill -"$(echo INT TERM HUP KILL | cut -d' ' -f$((i % 4 + 1)))" $pid 2>/dev/null
        wait $pid 2>/dev/null
        frocc info save/m.frocc >/dev/null || return
    done
    [ "$(ls -A save)" = m.frocc ] || { ls -A save && return 1; }
}
check signals-leave-nothing signals

# Formulas: texts that a spreadsheet would compute, and numbers that are none.
printf 'name,a,b\n=1+1,1,2\n-5,2,3\n"@x,y",1,2\nplain,2,2\n' >formulas.csv
formulas() {
    frocc fit formulas.csv --id name -o f.frocc -q && frocc score f.frocc formulas.csv --id name -o raw.csv &&
        frocc score f.frocc formulas.csv --id name --no-formulas -o guarded.csv &&
        sed 's/,[^,]*$//' raw.csv >raw.txt && sed 's/,[^,]*$//' guarded.csv >guarded.txt &&
        printf 'id\n=1+1\n-5\n"@x,y"\nplain\n' | same - raw.txt &&
        printf 'id\n"'"'"'=1+1"\n-5\n"'"'"'@x,y"\nplain\n' | same - guarded.txt
}
check formulas formulas

# Threads: as many as can be had, which are the same results.
frocc fit rows.csv -o one.frocc --threads 1 -q
for count in 2 16 1024; do
    # A thread has 8 MiB of addresses, and there are few.
    check "threads-$count" ends 0 60 150000 "" fit rows.csv -o "few$count.frocc" --threads $count
    check "threads-$count-same" same one.frocc "few$count.frocc"
done
many() { OMP_NUM_THREADS=1000000 "$FROCC" fit rows.csv -o many.frocc -q && same one.frocc many.frocc; }
check threads-of-the-environment many
finish
