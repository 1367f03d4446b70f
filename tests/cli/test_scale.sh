# SPDX-License-Identifier: BSD-3-Clause
# What docs/scale.md shows is run: its shell, its makefile, its job; each ends with the same model.
. "$(dirname "$0")/cli.sh"

mkdir bin && ln -s "$FROCC" bin/frocc && PATH=$scratch/bin:$PATH
unset -f frocc

# blocks LANGUAGE: the fenced blocks of the page in it, a line of dashes after each
blocks() {
    awk -v fence="^ *\`\`\`$1\$" '$0 ~ fence { inside = 1; next }
        inside && /^ *```$/ { inside = 0; print "-----"; next } inside' "$root/docs/scale.md"
}
n=0
while IFS= read -r line; do
    [ "$line" = ----- ] || { block+=$line$'\n' && continue; }
    n=$((n + 1)) && check "shell $n" bash -e -o pipefail -c "$block"
    block=''
done < <(blocks sh)
check "there are several" [ $n -ge 4 ]

rm -f *.frocc *.frame *.sample && frocc fit part-*.csv -o one.frocc -q
blocks make | grep -v -- ----- >Makefile
check "the makefile" eval 'make -j 2 all.frocc >make.log 2>&1 && cmp one.frocc all.frocc'
check "does nothing twice" eval 'make all.frocc | grep -q "up to date"'

rm -f all.* *.sample part-*.frocc
blocks "bash job.sh" | grep -v -- ----- >job.sh
array() { # array STEP: as Slurm would
    local i
    for i in 2 4 1 3; do SLURM_ARRAY_TASK_ID=$i bash job.sh "$1" >/dev/null 2>&1 || return 1; done
}
check "the job" eval 'array sample && frocc frame part-*.sample -o all.frame -q && array fit &&
    frocc merge part-*.frocc -o all.frocc -q && cmp one.frocc all.frocc'
check "a pipe" eval 'cat part-2.csv | frocc fit --frame all.frame - --format csv -o 2.frocc -q &&
    cmp 2.frocc part-2.frocc'
# Files that cannot be cut belong to a part as a whole.
rm -f all.* part-*.* && for i in 1 2 3; do
    frocc gen gaussians -n $((200 * i)) -d 3 --seed $i -o part-$i.csv
    frocc convert part-$i.csv -o X.npy && python3 -m zipfile -c part-$i.npz X.npy
    gzip -k part-$i.csv
done
frocc frame part-[123].csv -o all.frame -q && frocc fit part-[123].csv -o one.frocc -q
for kind in csv.gz npz csv; do
    for k in 1 2 3 4 5; do
        frocc fit --frame all.frame part-[123].$kind --part $k/5 -o cut-$k.frocc -q 2>error.txt ||
            { grep -q "part $k/5 has no rows: a packed" error.txt && rm -f cut-$k.frocc; }
    done
    check "parts of $kind have every row once" eval \
        'frocc merge cut-*.frocc -o all.frocc -q && cmp one.frocc all.frocc'
    rm -f cut-*.frocc
done
finish
