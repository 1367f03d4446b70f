# SPDX-License-Identifier: BSD-3-Clause
# The system fails: every allocation, read, write, flush, rename, link, open and thread start of every
# command, one at a time, by a library that is preloaded; reads and writes are short; signals come at
# every such call; files may not grow. Each time the command ends well, or with one sentence and the
# old file untouched. All faults in FROCC_TEST_ALL=1, else some of each kind.
. "$(dirname "$0")/cli.sh"

step=${FAULT_STEP:-67}
[ "${FROCC_TEST_ALL-}" != 1 ] || step=1
library=$scratch/faults.so without=
case $(nm -D "$FROCC" 2>/dev/null) in
*__asan_init*) # which comes first, and allocates
    without=-DFAULTS_WITHOUT_ALLOC
    asan=$(${CC:-cc} -print-file-name=libasan.so)
    ;;
esac
cc_line() { ${CC:-cc} -std=c11 -O1 -Wall -Wextra "$@"; }
if ! cc_line $without -shared -fPIC "$root/tests/faults/faults.c" -o "$library" -ldl >said.log 2>&1 ||
    ! cc_line "$root/tests/faults/sweep.c" -o sweep >>said.log 2>&1; then
    check compiles cat said.log
    echo "FAIL faults: tests/faults does not compile" && exit 1
fi
[ -z "$without" ] || library="$asan $library"
export ASAN_OPTIONS="allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

frocc gen gaussians -n 40 -d 3 -o rows.npy
frocc convert rows.npy -o rows.csv
awk -F, 'NR == 1 { print "name,a,b,c,kind" } NR > 1 { print "r" NR ",x" NR % 3 "," $1 "," $2 "," (NR % 5 ? 0 : 1) }' \
    rows.csv >named.csv
gzip -k rows.csv
small="-m 6 --trees 2 --calibration 8"
frocc fit rows.csv $small -o m.frocc -q
frocc fit rows.csv --frame m.frocc -o other.frocc -q
frocc fit named.csv $small --id name --label kind -o named.frocc -q
awk -F, 'NR == 1 { print $0 ",at" } NR > 1 { printf "%s,2024-02-%02d %02d:30:00\n", NR % 7 ? $0 : "r" NR ",,,1,0", NR % 28 + 1, NR % 24 }' \
    named.csv >times.csv
frocc convert named.csv --id name -o named.jsonl -q
frocc convert rows.csv -o rows.libsvm -q
python3 -c 'import zipfile as z; z.ZipFile("rows.npz", "w", z.ZIP_DEFLATED).write("rows.npy", "x.npy")' 2>/dev/null
frocc frame rows.csv $small -o all.frame -q
frocc frame --sample rows.csv -o one.sample -q
frocc gen gaussians -n 30 -d 3 --seed 2 -o more.csv
frocc frame --sample more.csv -o two.sample -q
frocc gen gaussians -n 20000 -d 8 -o many.npy
frocc convert many.npy -o many.csv -q
frocc fit many.npy $small -o many.frocc -q

# sweep NAME OUTPUT COMMAND...: in a folder of its own; several at a time.
sweep() {
    local name=$1 output=$2
    shift 2
    mkdir -p "sweeps/$name/here"
    (cd "sweeps/$name/here" && "$scratch/sweep" "$library" "$step" "$name" "$output" "$FROCC" "$@") \
        >"sweeps/$name.log" 2>&1
}

d=$scratch
sweep fit out.frocc fit $d/rows.csv $small -q -o out.frocc --threads 2
sweep fit-text out.frocc fit $d/named.csv $small --id name --label kind -q -o out.frocc --threads 1
sweep fit-paper out.frocc fit --paper -m 6 $d/rows.npy -q -o out.frocc --threads 1
sweep fit-packed out.frocc fit $d/rows.csv.gz $small -q -o out.frocc --threads 1
sweep fit-frame out.frocc fit --frame $d/m.frocc $d/rows.csv -q -o out.frocc --threads 1
sweep score out.csv score $d/m.frocc $d/rows.csv -q -o out.csv --threads 2
sweep score-npy out.npy score $d/m.frocc $d/rows.npy -q -o out.npy --threads 1
sweep score-print - score $d/m.frocc $d/rows.csv -q --threads 1
sweep predict out.csv predict $d/named.frocc $d/named.csv --id name --label kind --reason -q -o out.csv --threads 1
sweep outliers out.csv outliers $d/rows.csv -q -o out.csv --threads 1
sweep frame out.frame frame $d/rows.csv $small -q -o out.frame --threads 1
sweep outliers-columns out.jsonl outliers $d/named.csv --id name --columns a,kind --rate 0.5 -q -o out.jsonl --threads 1
sweep frame-sample out.sample frame --sample $d/named.csv -q -o out.sample --threads 1
sweep frame-samples out.frame frame $d/one.sample $d/two.sample $small -q -o out.frame
sweep frame-columns out.columns frame --schema $d/one.sample $d/two.sample -q -o out.columns
sweep fit-part out.frocc fit --frame $d/all.frame $d/rows.csv -q -o out.frocc --threads 1
sweep fit-lines out.frocc fit $d/named.jsonl $small --id name -q -o out.frocc --threads 1
sweep fit-times out.frocc fit $d/times.csv $small --drop name --label kind --time at --missing keep -q -o out.frocc --threads 1
[ ! -e rows.npz ] || sweep fit-npz out.frocc fit $d/rows.npz $small -q -o out.frocc --threads 1
sweep convert-libsvm out.csv convert $d/rows.libsvm -q -o out.csv --threads 1
sweep score-columns out.csv score $d/named.frocc $d/named.csv --id name --columns kind,a --p-values --no-formulas -q -o out.csv --threads 1
sweep info-frame - info $d/all.frame
sweep eval out.csv eval $d/named.frocc $d/named.csv --id name --label kind --bootstrap 10 -q -o out.csv --threads 1
sweep explain out.csv explain $d/m.frocc $d/rows.csv --top 2 -q -o out.csv --threads 1
sweep tune - tune $d/named.csv --validate $d/named.csv --id name --label kind -m 4 -e 0.1 --kernel linear --scaling none -q --threads 1
sweep merge out.frocc merge $d/m.frocc $d/other.frocc -q -o out.frocc
sweep seal out.frocc seal $d/m.frocc -q -o out.frocc
sweep info - info $d/named.frocc
sweep convert-npy out.npy convert $d/rows.csv -q -o out.npy --threads 1
sweep convert-csv out.csv convert $d/rows.npy -q -o out.csv --threads 1
sweep convert-lines out.jsonl convert $d/named.csv --id name -q -o out.jsonl --threads 1
sweep report out.html report $d/m.frocc $d/more.csv --train $d/rows.csv -q -o out.html --threads 1
sweep gen out.csv gen gaussians -n 40 -d 3 -q -o out.csv
# Work for two threads, and data on standard input; of their allocations there are too many.
export FAULT_KINDS="read write sync rename link open thread seek signal"
sweep threads-fit out.frocc fit $d/many.csv $small -q -o out.frocc --threads 2
sweep threads-score out.csv score $d/many.frocc $d/many.csv -q -o out.csv --threads 2
FAULT_INPUT=$d/many.csv sweep input-fit out.frocc fit - $small -q -o out.frocc --threads 2
FAULT_INPUT=$d/m.frocc sweep input-model out.csv score - $d/rows.csv -q -o out.csv --threads 1
FAULT_INPUT=$d/rows.csv sweep input-score out.csv score $d/m.frocc - -q -o out.csv --threads 1
unset FAULT_KINDS
# It fits eight models and draws them, in a second: some of its faults, where there is time.
[ "$step" -gt 1 ] || step=1009 sweep demo out.svg demo --output out.svg -q
cat sweeps/*.log

# A file loses its second half while it is read for another time, at the end of a line: a sentence, or
# what is left of it.
cut_short() { # cut_short COMMAND...: before each read of rows.cut
    local n status reads
    cp cut.csv rows.cut && rm -f cut.counts
    FROCC_FAULT_COUNTS=$PWD/cut.counts LD_PRELOAD=$library "$FROCC" "$@" -q >said.log || return
    reads=$(sed -n 's/^read //p' cut.counts)
    [ "$reads" -gt 2 ] || { echo "$reads reads" && return 1; }
    for ((n = 2; n <= reads; n++)); do
        cp cut.csv rows.cut
        FROCC_FAULT="cut $n" LD_PRELOAD=$library timeout 60 "$FROCC" "$@" -q >said.log 2>error.log
        status=$?
        [ $status -eq 0 ] || { [ $status -eq 1 ] && [ "$(wc -l <error.log)" = 1 ]; } ||
            { echo "before read $n of $reads: status $status" && cat error.log && return 1; }
    done
}
awk 'BEGIN { srand(5); for (i = 0; i < 400; i++) printf "%04d,%04d,%d\n", 9999 * rand(), 9999 * rand(), i % 9 == 0 }' >cut.csv
frocc fit cut.csv --label 3 --numeric $small -o cut.frocc -q
check cut-outliers cut_short outliers rows.cut --numeric --columns 2 --id 3 --rate 1
check cut-fit cut_short fit rows.cut --label 3 --numeric $small -o out.frocc
check cut-tune cut_short tune rows.cut --validate rows.cut --numeric --label 3 -m 4 -e 0.1,0.3 --kernel linear --scaling none,standard
check cut-report cut_short report cut.frocc rows.cut --train rows.cut --label 3 -o out.html

# Files may not grow beyond what is left of a disk: a sentence where the signal is ignored, else the
# signal; and the old file.
grow() { # grow BYTES SIGNAL
    local status
    echo old >full.frocc
    (
        ulimit -f $(($1 / 512))
        [ "$2" = caught ] || trap '' XFSZ
        exec "$FROCC" fit rows.csv -q -o full.frocc
    ) 2>&1 | cat >error.log
    status=${PIPESTATUS[0]}
    [ $status -ne 0 ] && [ "$(cat full.frocc)" = old ] && no_file full.frocc.tmp || return
    [ "$2" = caught ] || { [ $status -eq 1 ] && [ "$(wc -l <error.log)" = 1 ]; }
}
for bytes in 0 512 4096 8192; do
    check "file-size-$bytes" grow $bytes ignored
    check "file-size-signal-$bytes" grow $bytes caught
done

# A disk that is full, where one can be mounted.
full_disk() {
    local kib status
    for kib in 4 8 16; do
        mkdir -p disk && mount -t tmpfs -o "size=${kib}k" none disk || return
        echo old >disk/m.frocc
        "$FROCC" fit rows.csv -q -o disk/m.frocc 2>error.log
        status=$?
        [ $status -eq 1 ] && [ "$(wc -l <error.log)" = 1 ] && [ "$(cat disk/m.frocc)" = old ] &&
            [ "$(ls -A disk)" = m.frocc ]
        status=$?
        umount disk
        [ $status -eq 0 ] || return
    done
}
if mkdir -p disk && mount -t tmpfs -o size=16k none disk 2>/dev/null; then
    umount disk
    check full-disk full_disk
else
    skip full-disk "nothing can be mounted here"
fi
no_space() { # on standard output
    "$FROCC" "$@" >/dev/full 2>error.log
    [ $? -eq 1 ] && [ "$(wc -l <error.log)" = 1 ]
}
check full-output-score no_space score m.frocc rows.csv -q
check full-output-info no_space info m.frocc
check full-output-help no_space help
[ -z "$(grep -l ^FAIL sweeps/*.log)" ] || failed=1
finish
