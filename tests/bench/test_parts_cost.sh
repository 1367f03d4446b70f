# SPDX-License-Identifier: BSD-3-Clause
# The program that measures what travels, on a tiny shape: no figure counts.
. "$(dirname "$0")/../build/shell.sh"

rows() { # a line for each method, with as many columns as the head
    "$root/bench/scale/run" 300 3 200 40 >"$scratch/lines" &&
        [ "$(grep -c '^| default |' "$scratch/lines") $(grep -c '^| paper |' "$scratch/lines")" = "2 2" ] &&
        [ "$(awk -F'|' '{ print NF }' "$scratch/lines" | sort -u | wc -l)" = 1 ] ||
        { cat "$scratch/lines" && return 1; }
}
check "measures the parts of a fit" rows
if ! [ -x "$FROCC_BUILD/frocc-mpi" ] || ! command -v mpirun >/dev/null; then
    skip "a fit by several processes" "Open MPI was not found"
else
    several() { # a line for each method and number of processes, which found the same model
        "$root/bench/scale/ranks" --rounds 1 --ranks 1,2 300 3 >"$scratch/lines" &&
            [ "$(grep -c '^| default |' "$scratch/lines") $(grep -c '^| paper |' "$scratch/lines")" = "2 2" ] &&
            [ "$(awk -F'|' '{ print NF }' "$scratch/lines" | sort -u | wc -l)" = 1 ] ||
            { cat "$scratch/lines" && return 1; }
    }
    check "measures a fit by several processes" several
fi
finish
