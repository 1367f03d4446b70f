# SPDX-License-Identifier: BSD-3-Clause
# For the tests of the command: runs it in a scratch folder and compares what it says.
#
#   FROCC       the command; $FROCC_BUILD/frocc by default
#   UPDATE=1    writes the expected files anew, to be looked at before they are kept
. "$(dirname "${BASH_SOURCE[0]}")/../build/shell.sh"
FROCC=${FROCC:-$FROCC_BUILD/frocc}
case $FROCC in /*) ;; *) FROCC=$root/$FROCC ;; esac
expected=$root/tests/cli/expected
cd "$scratch" || exit 1
unset FROCC_CPU

frocc() { "$FROCC" "$@"; }

# say COMMAND...: what it prints, both streams in one, and its exit status where that is not 0.
say() {
    local status
    echo "\$ $*"
    "$@" 2>&1
    status=$?
    [ $status -eq 0 ] || echo "(exit status $status)"
}

# expect NAME: standard input is what tests/cli/expected/NAME.txt says.
expect() {
    cat >"$scratch/$1.txt"
    if [ -n "${UPDATE-}" ]; then
        cp "$scratch/$1.txt" "$expected/$1.txt"
    fi
    check "$1" same "$expected/$1.txt" "$scratch/$1.txt"
    rm -f "$scratch/$1.txt"
}

# has_terminal: can one be made here? It takes script(1), and a machine that gives out terminals.
has_terminal() {
    command -v script >/dev/null && script -qec 'test -t 1' /dev/null >/dev/null 2>&1 </dev/null
}

# no_file PREFIX: a failed command leaves nothing behind, not even under a temporary name.
no_file() {
    local left
    left=$(ls -A | grep "^$1")
    [ -z "$left" ] || { echo "left behind: $left" && return 1; }
}
