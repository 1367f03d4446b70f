# SPDX-License-Identifier: BSD-3-Clause
# frocc-mpi: several processes give what the command gives, to the byte, or one message and nothing.
. "$(dirname "$0")/cli.sh"

mpi=$(dirname "$FROCC")/frocc-mpi
if ! [ -x "$mpi" ] || ! command -v mpirun >/dev/null; then
    skip "frocc-mpi" "Open MPI was not found"
    finish
fi
# As root, as in a container, and with more processes than cores, Open MPI wants to be asked to.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
team() { # team N WORD...: as frocc with the words would, by N processes
    local n=$1
    shift
    "$root/tests/cli/ranks" -n "$n" "$mpi" "$@" </dev/null
}

frocc gen moons -n 3000 --outliers 0.05 --label -o all.csv
head -n 1800 all.csv >a.csv
{ head -n 1 all.csv && sed -n '1801,1811p' all.csv; } >b.csv
{ head -n 1 all.csv && tail -n +1812 all.csv; } >c.csv
cut -d, -f1,2 all.csv >plain.csv
frocc convert plain.csv -o plain.npy -q
frocc convert plain.csv -o plain.f32 -q
gzip -k plain.csv
awk -F, 'BEGIN { srand(1) } NR == 1 { print "x,kind,y"; next }
    { print $1 "," (NR > 2990 ? "rare" : NR % 3 ? "red" : "\"blue, or green\"") "," $2 }' plain.csv >texts.csv

# same_model NAME DATA... -- OPTION...: the model of N processes is the model of one.
same_model() {
    local name=$1 n data=()
    shift
    while [ "$1" != -- ]; do data+=("$1") && shift; done
    shift
    frocc fit "${data[@]}" "$@" -q -o one.frocc
    for n in 2 3 7; do
        team $n fit "${data[@]}" "$@" -q -o many.frocc 2>err || cat err
        check "$name, $n processes" cmp one.frocc many.frocc
        rm -f many.frocc
    done
}
same_model "default" plain.csv --
same_model "paper" plain.csv -- --paper -m 50
same_model "uneven files" a.csv b.csv c.csv -- --label label
same_model "texts that not all parts have" texts.csv --
same_model "texts, by the paper's method" texts.csv -- --paper -m 50
same_model "an array" plain.npy -- --threads 2
frocc fit texts.csv --missing keep --seed 4 -q -o one.frocc
team 3 fit texts.csv --missing keep --seed 4 -q -o many.frocc
check "missing kept" cmp one.frocc many.frocc
{ echo "at,v" && for i in 1 2 3 4; do echo "2024-01-0$i,$((i < 3 ? i : 0))" | sed 's/,0$/,/'; done; } >late.csv
for option in "--missing mean" "--missing keep --time at" "--missing drop --time at"; do
    frocc fit late.csv $option -q -o one.frocc
    team 7 fit late.csv $option -q -o many.frocc 2>err || cat err
    check "parts without a value or a row: $option" cmp one.frocc many.frocc
    rm -f many.frocc
done
printf '1 1:2 2:3\n-1 1:3\n1 2:4\n' >tiny.libsvm
gzip -k tiny.libsvm
for file in tiny.libsvm tiny.libsvm.gz; do
    frocc fit $file -q -o one.frocc
    team 7 fit $file -q -o many.frocc 2>err || cat err
    check "parts without an entry: $file" cmp one.frocc many.frocc
    rm -f many.frocc
done
# What is said is of all rows, wherever they were read.
awk -F, 'NR > 2000 { $1 = "NA" } 1' OFS=, plain.csv >cells.csv
sed '2001,$s/\(red\|"blue, or green"\)/new/' texts.csv >new-texts.csv
awk -F, 'NR > 1 { $1 = "NA" } 1' OFS=, plain.csv >no-cells.csv
frocc frame texts.csv -q -o texts.frame
for words in "cells.csv --missing drop" "new-texts.csv --frame texts.frame" "all.csv --label label --outlier odd" \
    "no-cells.csv --missing drop"; do
    frocc fit $words -o model.frocc 2>one.txt
    team 3 fit $words -o model.frocc 2>err
    grep '^frocc' err | sed 's/^frocc-mpi: rank 0 of 3:/frocc:/' >many.txt
    check "the same is said: $words" cmp one.txt many.txt
done
team 2 fit plain.csv.gz -q -o many.frocc
frocc fit plain.csv -q -o one.frocc
check "a packed file, which one process reads" cmp one.frocc many.frocc
team 2 fit plain.f32 --n-columns 2 -q -o many.frocc
frocc fit plain.f32 --n-columns 2 -q -o one.frocc
check "raw rows" cmp one.frocc many.frocc

frocc frame all.csv --drop label -q -o all.frame
frocc fit --frame all.frame all.csv -q -o one.frocc
team 3 fit --frame all.frame all.csv -q -o many.frocc 2>err || cat err
check "in a given frame" cmp one.frocc many.frocc
frocc fit a.csv --label label -q -o m.frocc
head -c 3000 m.frocc >cut.frocc
for form in csv jsonl npy; do
    frocc score m.frocc a.csv b.csv c.csv --label label --p-values -o "one.$form" -q
    team 3 score m.frocc a.csv b.csv c.csv --label label --p-values -o "many.$form" -q
    check "scores in the order of the input, $form" cmp "one.$form" "many.$form"
done
frocc score m.frocc all.csv --id label >one.txt
team 7 score m.frocc all.csv --id label >many.txt
check "ids, to standard output" cmp one.txt many.txt
frocc fit texts.csv -q -o texts.frocc
frocc score texts.frocc texts.csv --columns kind,x >one.txt
team 3 score texts.frocc texts.csv --columns kind,x >many.txt
check "columns that are carried" cmp one.txt many.txt
frocc eval m.frocc all.csv --label label >one.txt
team 3 eval m.frocc all.csv --label label >many.txt
check "measures" cmp one.txt many.txt
frocc score one.frocc plain.csv -q -o one.csv
for n in 2 3 7; do
    team $n score one.frocc plain.csv -o many.csv 2>err
    check "rows that were learnt, $n processes" test "$(grep -c 'has learnt these rows' err)" -eq 1
    check "with their scores" cmp one.csv many.csv
done
frocc gen moons -n 3000 --seed 5 -o fresh.csv
team 3 score one.frocc fresh.csv -o many.csv 2>err
check "none of fresh rows" test "$(grep -c 'has learnt these rows' err)" -eq 0
team 3 score one.frocc plain.csv -q -o many.csv 2>err
check "and none with -q" test ! -s err
frocc help fit >one.txt
team 2 help fit >many.txt
check "help, once" cmp one.txt many.txt
team 2 fit --help >many.txt
check "an option for help" cmp one.txt many.txt

# fails NAME SENTENCE N WORD...: all end, with this sentence once, and the old file stays.
fails() {
    local name=$1 sentence=$2 status
    shift 2
    echo old >old.csv
    team "$@" -o old.csv >out 2>err
    status=$?
    check "$name: ends" test $status -ne 0 -a $status -ne 124 -a $status -ne 137
    check "$name: says so, once" test "$(grep -c "$sentence" err)" -eq 1
    check "$name: the old file stays" test "$(cat old.csv)" = old
}
sed '2500s/.*/1.5/' plain.csv >short.csv
fails "a short line" "rank [12] of 3: short.csv: line 2500" 3 fit short.csv
sed '40s/.*/nan,1/' plain.csv >nan.csv
fails "a missing cell" "rank 0 of 3: nan.csv: line 40" 3 fit nan.csv
fails "no such file" "rank 0 of 2: .*cannot open" 2 fit nowhere.csv
sed '1s/x1/other/' a.csv >other.csv
fails "other columns" "other.csv" 2 fit a.csv other.csv --label label
fails "a pipe" "a part of a pipe cannot be read" 2 fit -
fails "a part of a part" "shares the rows out" 2 fit plain.csv --part 1/2
fails "a file that is missing" "rank 0 of 3: .*c-gone.csv" 3 fit a.csv b.csv c-gone.csv --label label
head -c 3000 all.frame >cut.frame
fails "other columns than the frame's" "'label'\|x2\|other" 2 fit --frame all.frame other.csv
fails "a cut frame" "cut.frame: the file is damaged" 2 fit --frame cut.frame all.csv
fails "a mistyped option" "did you mean" 2 fit plain.csv --epsilom 3
fails "a command that there is none of" "frocc: there is no command 'predict'" 2 predict m.frocc plain.csv
fails "scores of a short line" "rank [12] of 3: short.csv: line 2500" 3 score m.frocc short.csv
fails "rows left out" "'frocc score' and 'frocc eval' leave them out" 2 score m.frocc cells.csv --missing drop
team 2 score m.frocc cells.csv --missing drop >out 2>err
check "before a score is printed" [ ! -s out ]
fails "a cut model" "checksum does not match" 2 score cut.frocc plain.csv
team 2 fit plain.csv -q -o /dev/full 2>err
check "a full disk" test $? -ne 0
check "a full disk is named" grep -q "rank 0 of 2: .*No space left" err

# The disk of one process is full: a limit on the size of its files has the same end.
cat >limited <<'END'
#!/usr/bin/env bash
# limited RANK COMMAND...: the process of this rank may write 4 KiB to a file, and no signal says so
trap '' XFSZ
[ "$OMPI_COMM_WORLD_RANK" != "$1" ] || ulimit -f 4
exec "${@:2}"
END
chmod +x limited
frocc gen moons -n 20000 --seed 6 -o many-rows.csv
for rank in 0 1 2; do
    echo old >old.csv
    "$root/tests/cli/ranks" -n 3 ./limited $rank "$mpi" score m.frocc many-rows.csv -q -o old.csv \
        </dev/null >out 2>err
    status=$?
    check "a full disk of process $rank: ends" test $status -eq 1
    check "a full disk of process $rank: says so, once" \
        test "$(grep -c "rank $rank of 3: .*File too large" err) $(grep -c '^frocc' err)" = "1 1"
    check "a full disk of process $rank: the old file stays" test "$(cat old.csv)" = old
done

# What a process needs does not grow with the rows.
cat >weighed <<'END'
#!/usr/bin/env bash
# weighed FILE COMMAND...: adds the most memory that the process has used, in KiB, to the file
"${@:2}" &
while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$!/status 2>/dev/null) && [ -n "$now" ]; do
    high=$now
    sleep 0.005
done
wait $! && echo "$high" >>"$1"
END
chmod +x weighed
frocc gen gaussians -n 400000 -d 20 -o long.csv -q
# Arrays: up to 32 MB of rows of text are kept between the passes over them.
frocc convert long.csv -o long.npy -q
head -n 40001 long.csv >part.csv && frocc convert part.csv -o part.npy -q
peak() { # peak DATA: of the largest of two processes
    rm -f peaks
    "$root/tests/cli/ranks" -n 2 ./weighed peaks "$mpi" fit "$1" -q -o weighed.frocc </dev/null &&
        [ "$(wc -l <peaks)" -eq 2 ] && sort -n peaks | tail -n 1
}
grows_little() {
    local a b
    a=$(peak part.npy) && b=$(peak long.npy) || return
    echo "$a KiB for 40,000 rows, $b KiB for 400,000"
    [ "$a" -gt 0 ] && [ "$b" -le $((a * 12 / 10)) ]
}
if [ -r /proc/self/status ]; then
    check "memory of a process" grows_little
else
    skip "memory of a process" "no /proc"
fi

# killed NAME WORD...: a process of the command's is killed under way; it takes the others along, and the
# old file stays.
head -n 20000 long.csv | frocc fit - --format csv -q -o g.frocc
processes() { pgrep -P "$(pgrep -P "$1" mpirun)" frocc-mpi 2>/dev/null; }
killed() {
    local name=$1 runner
    shift
    echo old >old.csv
    "$root/tests/cli/ranks" -n 3 "$mpi" "$@" -q -o old.csv </dev/null >out 2>err &
    runner=$!
    for _ in $(seq 200); do
        [ "$(processes $runner | wc -l)" -eq 3 ] && break
        sleep 0.02
    done
    sleep 0.2
    kill -KILL "$(processes $runner | tail -n 1)"
    wait $runner
    check "$name, a killed process: ends all" test $? -ne 0
    check "$name, a killed process: it is said" grep -qi "signal 9\|killed" err
    check "$name, a killed process: the old file stays" test "$(cat old.csv)" = old
}
killed fit fit long.csv
killed score score g.frocc long.csv
rm old.csv
check "nothing is left of any of them" no_file ".*old"
finish
