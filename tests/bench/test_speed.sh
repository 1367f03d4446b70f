# SPDX-License-Identifier: BSD-3-Clause
# The program that times, and the one that compares, on tiny shapes: seconds, and no figure counts.
. "$(dirname "$0")/../build/shell.sh"

speed=$FROCC_BUILD/speed
check "builds the timing program" cmake --build "$FROCC_BUILD" --target speed frocc_cli

rounds() { # every measure has a line with median and quartiles
    local measures="peak project fit score fit_threads score_threads draw row memory"
    "$speed" --n 200 --d 12 --m 20 --epsilon 0.1 "$@" --rounds 3 $measures >"$scratch/lines" &&
        [ "$(grep -c '"rounds": 3.*"cpu_quartiles_s": \[' "$scratch/lines")" = 9 ] ||
        { cat "$scratch/lines" && return 1; }
}

unknown_family() {
    "$speed" --n 2 --d 2 --m 2 --epsilon 1 --family none >/dev/null 2>&1
    [ $? -eq 3 ]
}

check "measures Gaussian rows" rounds
check "measures clusters" rounds --kind clusters
check "measures sparse rows" rounds --kind sparse --density 0.2
check "says which family it does not know" unknown_family

if has "comparison" python; then
    if ! bench/speed/run --test 2>"$scratch/said"; then
        failed=1
        grep -q 'could not be installed' "$scratch/said" && failed=0 && skip "comparison" "no scikit-learn"
        cat "$scratch/said"
    fi
fi
finish
