# SPDX-License-Identifier: BSD-3-Clause
# The examples run and print what their .expected file shows, at any kernel level.
. "$(dirname "$0")/shell.sh"

example() { # example NAME LEVEL
    mkdir -p "$scratch/$1.$2"
    (cd "$scratch/$1.$2" && FROCC_CPU=$2 "$FROCC_BUILD/examples/$1") >"$scratch/actual" || return
    same "examples/$1.expected" "$scratch/actual"
}

for source in examples/*.c; do
    [ -e "$source" ] || { skip examples "there are none" && break; }
    name=$(basename "$source" .c)
    for level in ref avx2 avx512 neon; do
        [ "$(FROCC_CPU=$level "$FROCC_BUILD/tests/level")" != $level ] ||
            check "$name at $level" example "$name" $level
    done
done
finish
