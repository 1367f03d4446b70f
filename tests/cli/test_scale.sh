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
finish
