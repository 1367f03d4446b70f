# SPDX-License-Identifier: BSD-3-Clause
# A first column that only counts the rows: left out where it has no name, else told of.
. "$(dirname "$0")/cli.sh"

awk 'BEGIN { srand(7); print ",a,b"; for (i = 0; i < 200; i++) printf "%d,%.4f,%.4f\n", i, rand(), rand() }' >index.csv
{ head -n 1 index.csv && tail -n +2 index.csv | sort -t, -k2; } >sorted.csv
sed '1s/^/user/' index.csv >named.csv
sed '1s/^/the id/' index.csv >spaced.csv
awk -F, -v OFS=, 'NR > 1 { $1 += 100001 } { print }' index.csv >later.csv
sed '1s/^/order/' later.csv >orders.csv
tail -n +2 index.csv >bare.csv
cut -d, -f2- index.csv | sed '1s/^a//' >unnamed.csv
awk -F, 'NR > 1 { printf "{\"user\": %d, \"a\": %s, \"b\": %s}\n", $1 + 1, $2, $3 }' index.csv >rows.jsonl

frocc fit index.csv --drop 1 -o without.frocc 2>said.txt
check "nothing to say of what was left out" eval '! grep -q count said.txt'
frocc fit index.csv -o m.frocc 2>said.txt
check "a model without it" cmp m.frocc without.frocc
check "a word" grep -q "^frocc: left out the first column, which has no name" said.txt
check "in the model" eval 'frocc info m.frocc | grep -Eq "^  1 +dropped"'
check "from any number" eval 'frocc fit later.csv -o x.frocc 2>said.txt && cmp x.frocc m.frocc && grep -q "left out" said.txt'
check "in any order" cmp <(frocc fit sorted.csv -q -o -) m.frocc
check "quiet" eval '[ -z "$(frocc fit index.csv -q -o x.frocc 2>&1)" ]'
cut -d, -f2- index.csv >plain.csv
check "scores of files with it and without" cmp <(frocc score m.frocc index.csv) <(frocc score m.frocc plain.csv)
sed '2,$s/^/9/' index.csv >nines.csv
check "other numbers there do not matter" cmp <(frocc score m.frocc index.csv) <(frocc score m.frocc nines.csv)
frocc fit index.csv --use 1- -o kept.frocc 2>said.txt
check "--use 1- keeps it" eval 'frocc info kept.frocc | grep -Eq "^  1 +number" && ! grep -q count said.txt'
check "convert" eval '[ "$(frocc convert index.csv -o - 2>said.txt | head -n 1)" = a,b ] && grep -q "left out" said.txt'

# hints FILE COLUMN: the column stays, both hints work, and nothing more is said.
hints() {
    frocc fit "$1" -o n.frocc 2>said.txt &&
        grep -q "only counts the rows; leave it out by --drop $2 or, to have it in the output, by --id $2\$" said.txt &&
        frocc info n.frocc | grep -q 'features *3' || return 1
    for option in --drop --id; do
        frocc fit "$1" $option "$2" -o n.frocc 2>said.txt && ! grep -q count said.txt &&
            frocc info n.frocc | grep -q 'features *2' || return 1
    done
}
check "a name" hints named.csv user
check "a name to be quoted" hints spaced.csv 1
check "a name, and numbers from anywhere" hints orders.csv order
check "no header" hints bare.csv 1
check "JSON lines" hints rows.jsonl user
check "a label is a label" eval '! frocc convert named.csv --label user -o x.csv 2>&1 | grep count'

# A part does not tell, and says so; where it does tell, there is nothing to say.
doubts() { # doubts COMMAND...
    "$@" 2>&1 >/dev/null | grep -c "kept, though all rows may leave it out.*--drop 1 leaves it out, --use 1- keeps" |
        grep -qx 1
}
for k in 1 3; do
    check "part $k" doubts frocc fit index.csv --part $k/3 -o p$k.frocc
    check "part $k, sampled" doubts frocc frame --sample index.csv --part $k/3 -o p$k.sample
    check "part $k, where rows are not in order" doubts frocc fit sorted.csv --part $k/3 -o x.frocc
    check "part $k, converted" doubts frocc convert index.csv --part $k/3 -o x.csv
    for option in "--drop 1" "--use 1-"; do
        check "part $k, $option" eval "! doubts frocc fit index.csv --part $k/3 $option -o x.frocc"
    done
    check "part $k, quiet" eval "[ -z \"\$(frocc fit index.csv --part $k/3 -q -o x.frocc 2>&1)\" ]"
    check "part $k, a name" eval "! doubts frocc fit named.csv --part $k/3 -o x.frocc"
    check "part $k, measurements" eval "! doubts frocc fit unnamed.csv --part $k/3 -o x.frocc"
done
frocc frame index.csv -q -o all.frame
for k in 1 2 3; do frocc fit --frame all.frame index.csv --part $k/3 -q -o part$k.frocc; done
frocc merge part?.frocc --parts 3 -q -o merged.frocc
check "a frame of all rows tells the parts" cmp merged.frocc m.frocc
for k in 1 2 3; do frocc frame --sample index.csv --part $k/3 --drop 1 -q -o part$k.sample; done
frocc frame part?.sample --parts 3 -q -o sampled.frame
check "as does --drop 1 in all of them" cmp sampled.frame all.frame

mpi=$(dirname "$FROCC")/frocc-mpi
if [ -x "$mpi" ] && command -v mpirun >/dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
    for file in index sorted named; do
        frocc fit $file.csv -q -o one.frocc
        "$root/tests/cli/ranks" -n 2 "$mpi" fit $file.csv -q -o many.frocc </dev/null
        check "two processes, $file" cmp one.frocc many.frocc
        "$root/tests/cli/ranks" -n 2 "$mpi" fit $file.csv -o many.frocc </dev/null 2>said.txt
        check "$file, nothing of parts" eval '! grep -q "a part" said.txt'
    done
else
    skip "frocc-mpi" "Open MPI was not found"
fi
finish
