# SPDX-License-Identifier: BSD-3-Clause
# Standard output and error, exit codes, whole or no output files, interrupts, closed pipes.
. "$(dirname "$0")/cli.sh"

frocc gen moons -n 2000 -o normal.csv
frocc gen moons -n 500 --seed 2 --outliers 0.2 --label -o labelled.csv
frocc fit normal.csv -m 50 -e 0.01 -o m.frocc -q

# ---- Streams -------------------------------------------------------------------------------------

results_only() { # results_only COMMAND...: all that is said is the result, on standard output
    frocc "$@" >said.log 2>error.log && [ -s said.log ] && [ ! -s error.log ]
}
frocc gen moons -n 100 --seed 9 -o fresh.csv
check "score says nothing on standard error" results_only score m.frocc fresh.csv
check "gen says nothing on standard error" results_only gen moons -n 10
check "info says nothing on standard error" results_only info m.frocc
check_silent "-q is quiet" frocc fit normal.csv -m 20 -o quiet.frocc -q
check "-v says more" eval 'frocc fit normal.csv -m 20 -o v.frocc -v 2>&1 | grep -q kernels'
check "no progress in a pipe" eval '! frocc fit normal.csv -m 20 -o p.frocc 2>&1 | grep -q rows/s'

if command -v python3 >/dev/null; then
    json() { "$@" | python3 -c 'import json,sys; [json.loads(line) for line in sys.stdin]'; }
    check "fit --json" json frocc fit normal.csv -m 20 -o j.frocc --json
    check "eval --json" json frocc eval m.frocc labelled.csv --label label --json
    check "info --json" json frocc info m.frocc --json
    check "outliers --json" json frocc outliers normal.csv --json -o json.csv
    check "seal --json" json frocc seal m.frocc -o j.frocc --json
    check "version --json" json frocc version --json
    check "demo --json" json frocc demo --json -o demo.png
    check "score --json" json frocc score m.frocc normal.csv --json -o json.csv
    check "convert --json" json frocc convert normal.csv --json -o json.csv
    check "report --json" json frocc report m.frocc labelled.csv --label label --json -o json.html
    check "tune --json" json frocc tune normal.csv --validate labelled.csv --label label -m 10 -e 0.1 \
        --kernel linear --scaling none --json -o json.csv --model json.frocc
    frocc score m.frocc normal.csv -o scores.jsonl
    check "jsonl" json cat scores.jsonl
else
    skip "json" "no python3 to read it with"
fi

# ---- Formats by ending ---------------------------------------------------------------------------

frocc score m.frocc normal.csv -o s.csv
frocc score m.frocc normal.csv >s.stdout
check "-o FILE.csv is what standard output shows" cmp s.csv s.stdout
frocc score m.frocc normal.csv -o s.npy
check ".npy holds one float a row" [ "$(wc -c <s.npy)" -eq $((128 + 8 * 2000)) ]
frocc convert s.npy | tail -n +2 >s.back
check "scores survive .npy" cmp <(tail -n +2 s.csv) s.back

# Printed numbers read back as the same numbers: another round through text changes nothing.
awk 'BEGIN { srand(1); print "x1,x2"; for (i = 0; i < 3000; i++) printf "%.17g,%.17e\n",
    rand() * 2 - 1, (rand() - 0.5) * 10 ^ int(rand() * 300 - 150) }' >random.csv
frocc convert random.csv -o once.npy
frocc convert random.csv -o once.csv
frocc convert once.csv -o twice.npy
check "numbers survive text" cmp once.npy twice.npy

# ---- Pipes ---------------------------------------------------------------------------------------

frocc gen moons -n 20000 | frocc fit - -m 20 -o piped.frocc -q
frocc gen moons -n 20000 -o file.csv
frocc fit file.csv -m 20 -o file.frocc -q
check "a pipe and a file give the same model" cmp piped.frocc file.frocc
check "score from standard input" cmp <(frocc score m.frocc - <normal.csv) s.csv
frocc fit normal.csv -m 50 -e 0.01 -o - -q >stdout.frocc
check "fit -o - writes to standard output" cmp stdout.frocc m.frocc
check "a model from standard input" cmp <(frocc score - normal.csv <m.frocc) s.csv
check "sealed in a pipe" cmp <(frocc seal - -o - -q <m.frocc | frocc score - normal.csv) s.csv

closed_pipe() {
    frocc gen moons -n 2000000 2>error.log | head -n 2 >/dev/null
    set -- "${PIPESTATUS[@]}"
    [ "$1" -eq 141 ] && [ ! -s error.log ]
}
check "a closed pipe ends it without a word" closed_pipe
closed_pipe_ignored() ( # where SIGPIPE is ignored, as some callers have it
    trap '' PIPE
    frocc gen moons -n 2000000 2>error.log | head -n 2 >/dev/null
    set -- "${PIPESTATUS[@]}"
    [ "$1" -eq 1 ] && [ ! -s error.log ]
)
check "also where the signal is ignored" closed_pipe_ignored

# ---- Output files --------------------------------------------------------------------------------

fails() { # fails STATUS COMMAND...
    local want=$1
    shift
    "$@" >said.log 2>error.log
    [ $? -eq "$want" ] && [ -s error.log ]
}
if [ -w /dev/full ]; then
    full() { frocc score m.frocc normal.csv >/dev/full; }
    check "a full disk, standard output" fails 1 full
    check "a full disk, score -o" fails 1 frocc score m.frocc normal.csv -o /dev/full
    full_info() { frocc info m.frocc >/dev/full; }
    check "a full disk, info" fails 1 full_info
    full_help() { frocc help >/dev/full; }
    check "a full disk, help" fails 1 full_help
    full_model() { frocc fit normal.csv -m 20 -o - -q >/dev/full; }
    check "a full disk, fit -o -" fails 1 full_model
else
    skip "a full disk" "no /dev/full"
fi

small_disk() { # a file that may not grow over 1 KiB stands for a disk with no more room
    (ulimit -f 1 && trap '' XFSZ && frocc score m.frocc normal.csv -o big.csv) 2>error.log
    [ $? -eq 1 ] && grep -q 'cannot write' error.log && no_file big
}
check "a full disk leaves no file" small_disk

echo old >kept.csv
keeps_old() {
    printf 'x1,x2\n1,2\n3\n' >bad.csv
    ! frocc score m.frocc bad.csv -o kept.csv 2>/dev/null && [ "$(cat kept.csv)" = old ] &&
        [ "$(ls -A | grep -c '^kept')" -eq 1 ]
}
check "a failed command keeps the old file" keeps_old
keeps_old_data() {
    ! frocc convert bad.csv -o kept.csv 2>/dev/null && [ "$(cat kept.csv)" = old ] &&
        [ "$(ls -A | grep -c '^kept')" -eq 1 ]
}
check "also convert, of a file with a bad row" keeps_old_data
small_disk_convert() {
    (ulimit -f 1 && trap '' XFSZ && frocc convert normal.csv -o big.csv) 2>error.log
    [ $? -eq 1 ] && grep -q 'cannot write' error.log && no_file big
}
check "a full disk leaves no file of convert" small_disk_convert
echo old >kept.frocc
keeps_old_model() {
    ! frocc fit bad.csv -o kept.frocc 2>/dev/null && [ "$(cat kept.frocc)" = old ] &&
        [ "$(ls -A | grep -c '^kept.frocc')" -eq 1 ]
}
check "also fit" keeps_old_model

# What is no plain file is written to as it is, and stays what it is; links stay links.
stays() { # stays LINK COMMAND...: a link to a file is still one, and the file has what was written
    local link=$1
    shift
    echo old >target && ln -sf target "$link" && frocc "$@" -o "$link" -q &&
        [ -h "$link" ] && [ "$(cat target)" != old ] && [ "$(ls -A | grep -c "^target")" -eq 1 ]
}
check "a link stays a link, score" stays link.csv score m.frocc normal.csv
check "a link stays a link, convert" stays link.npy convert normal.csv
check "a link stays a link, fit" stays link.frocc fit normal.csv -m 20
check "a link stays a link, seal" stays link.frocc seal m.frocc
ln -s /proc/self/fd/1 out.csv
ln -s /proc/self/fd/1 out.npy
ln -s /proc/self/fd/1 out.frocc
open_file() { # open_file LINK COMMAND...: what the name of an open file gets is what that file gets
    local link=$1
    shift
    frocc "$@" -o "$link" -q >through.txt && [ -h "$link" ] && [ -s through.txt ] &&
        [ "$(ls -A | grep -c "^$link")" -eq 1 ]
}
check "another name of standard output, score" open_file out.csv score m.frocc normal.csv
check "also convert" open_file out.csv convert normal.csv
check "also convert to .npy" open_file out.npy convert normal.csv
check "also fit" open_file out.frocc fit normal.csv -m 20
rm -f out.*
mkfifo to_cat
to_pipe() { # to_pipe COMMAND...
    cat to_cat >through.txt &
    frocc "$@" -o to_cat -q && wait $! && [ -p to_cat ] && [ -s through.txt ]
}
check "a model to a named pipe" to_pipe fit normal.csv -m 20

# wait_for PID: until it writes a file here, which may have no name yet.
wait_for() {
    local i
    for ((i = 0; i < 100; i++)); do
        ls -A | grep -q '^interrupted' && return
        ls -l /proc/"$1"/fd | grep -q -- "-> $(pwd -P)/#" && return
        sleep 0.05
    done
    return 1
}
interrupted() { # interrupted SIGNAL STATUS COMMAND...
    local signal=$1 want=$2 pid
    shift 2
    yes 0.5,0.5 | "$FROCC" "$@" - --numeric --header no -o interrupted.csv &
    pid=$!
    wait_for $pid || { kill -9 $pid && return 1; }
    kill -s "$signal" $pid
    wait $pid
    [ $? -eq "$want" ] && no_file interrupted
} 2>/dev/null
half_done() { # half_done SIGNAL STATUS COMMAND...: of a stream, what is done is there, in whole lines
    interrupted "$@"
        [ "$(wc -l <interrupted.csv)" -gt 1 ] && [ -z "$(tail -c 1 interrupted.csv)" ] &&
        [ -z "$(sed '1s/score,error//;s/^[-0-9.e]*,$//' interrupted.csv | tr -d '\n')" ] && rm interrupted.csv
}
check "an interrupt leaves no file" interrupted TERM 143 convert
check "of a stream it leaves what is done" half_done TERM 143 score m.frocc
set -m # in the background, the interrupt key is ignored without job control
check "nor does the interrupt key" interrupted INT 130 convert
check "so does the interrupt key" half_done INT 130 score m.frocc
set +m

# ---- Exit codes ----------------------------------------------------------------------------------

status_is() { # status_is STATUS COMMAND...
    local want=$1
    shift
    "$@" >/dev/null 2>&1
    [ $? -eq "$want" ]
}
check "0: fine" status_is 0 frocc info m.frocc
check "1: data" status_is 1 frocc info nowhere.frocc
check "2: misuse" status_is 2 frocc info
check "2: no command" status_is 2 frocc
check "3: outliers, on request" status_is 3 frocc predict m.frocc labelled.csv --label label --exit-code
check "0: outliers, unasked" status_is 0 frocc predict m.frocc labelled.csv --label label
check "0: no outliers" status_is 0 frocc predict m.frocc normal.csv --exit-code

# ---- Progress ------------------------------------------------------------------------------------

if has_terminal; then
    slow="cat normal.csv; sleep 1.3; tail -n +2 normal.csv; sleep 0.3; tail -n +2 normal.csv"
    script -qec "{ $slow; } | '$FROCC' score m.frocc - --numeric >/dev/null" typescript >/dev/null 2>&1
    check "progress on a terminal" grep -q 'rows/s' typescript
    check "no time left where the end is not known" eval '! grep -q left typescript'
    # Work that takes more than a second, however fast the machine is.
    time_left() {
        local n
        for n in 100000 400000 1600000 6400000; do
            frocc gen moons -n $n -o long.csv
            script -qec "'$FROCC' fit long.csv -m 2000 --threads 1 -o long.frocc" typescript >/dev/null 2>&1
            grep -q '%.*rows, [0-9]* rows/s, [0-9]* s left' typescript && return
        done
        cat typescript && return 1
    }
    check "time left for files" time_left
    rm -f long.csv
else
    skip "progress on a terminal" "no terminal can be made here"
fi

# ---- Threads never change a result ---------------------------------------------------------------

for threads in 1 2 3; do
    frocc fit normal.csv -m 50 -e 0.01 --threads $threads -o t.frocc -q
    check "$threads threads, the same model" cmp t.frocc m.frocc
    check "$threads threads, the same scores" cmp <(frocc score m.frocc normal.csv --threads $threads) s.csv
done
finish
