# SPDX-License-Identifier: BSD-3-Clause
# For the shell tests: a scratch folder, and one line per test.
#
#   check NAME COMMAND...       ok when the command succeeds; its output explains a failure
#   check_silent NAME COMMAND...  the same, and it may print nothing
#   needs_only, same            commands for these
#   skip NAME WHY
#   finish                      the exit status of the script
#
# Of tests without the words of FROCC_TEST_ONLY in their names nothing is said: later ones may need
# what they do.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root" || exit 1
FROCC_BUILD=${FROCC_BUILD:-$root/build/test/gcc} # the runner says which
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

check() {
    local name=$1 output status
    shift
    output=$("$@" 2>&1)
    status=$?
    case $name in *"${FROCC_TEST_ONLY-}"*) ;; *) return ;; esac
    if [ $status -eq 0 ]; then
        echo "ok $name"
    else
        failed=1
        echo "FAIL $name: ended with status $status"
        printf '%s\n' "$output" | tail -n 40 | sed 's,^,  ,'
    fi
}

check_silent() {
    local name=$1
    shift
    check "$name" silently "$@"
}

silently() {
    "$@" >"$scratch/said" 2>&1 && [ ! -s "$scratch/said" ] && return
    cat "$scratch/said"
    return 1
}

same() { # same EXPECTED ACTUAL: two files, or the difference
    diff -u "$1" "$2"
}

needs_only() { # needs_only LIBRARY NAME...: does it load no other lib than these?
    local names=$(IFS='|' && shift && echo "$*")
    [ -e "$1" ] && ! readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE "^(lib($names)|ld-linux.*)\.so"
}

skip() {
    echo "skip $1: $2"
}

has() { # has NAME GROUP: are the tools of scripts/setup's group there? If not, NAME is skipped.
    local missing
    missing=$("$root/scripts/setup" --missing "$2")
    [ -z "$missing" ] || { skip "$1" "not installed: $missing" && return 1; }
}

finish() {
    exit $failed
}
