# SPDX-License-Identifier: BSD-3-Clause
# The layers: an upper one reaches a lower one through its header only, and never the other way.
. "$(dirname "$0")/shell.sh"

includes() { # includes FILE...: lines "FILE NAME" for what is included between quotes
    grep -H '^ *# *include *"' "$@" /dev/null | sed 's/^\([^:]*\):.*"\(.*\)".*/\1 \2/'
}

# The public headers, which are all that the programs see besides their own folder.
public=" frocc.h frocc_io.h "
is_public() { case $public in *" $1 "*) ;; *) return 1 ;; esac; }

public_only() {
    local file name bad=0
    while read -r file name; do
        is_public "$name" && continue
        case $file in cli/* | mpi/*) [ -e "cli/$name" ] && continue ;; esac
        case $name in */*) ;; *) [ -e "$(dirname "$file")/$name" ] && continue ;; esac
        echo "$file includes $name"
        bad=1
    done < <(find cli mpi examples python r -name '*.[ch]' 2>/dev/null | sort | xargs -r grep -l include |
        while read -r file; do includes "$file"; done)
    return $bad
}

# src/ knows nothing of what stands above it, and every file lies in a room.
src_only() {
    local file name bad=0
    while read -r file name; do
        is_public "$name" || [ -e "src/$name" ] || { echo "$file includes $name" && bad=1; }
    done < <(includes $(find src -name '*.[ch]'))
    find src -name '*.[ch]' | grep -v '^src/[a-z]*/[a-z0-9_]*\.[ch]$' && bad=1
    return $bad
}

# The rooms, each of which includes only itself and those before it.
src_rooms="base kernels numbers schema frame project sketch evidence model fit score input output"
cli_rooms="base arguments data scoring drawing report commands"
earlier_rooms() { # earlier_rooms FOLDER ROOM...
    local top=$1 file name seen="" room bad=0
    shift
    for room; do
        [ -d "$top/$room" ] || { echo "there is no $top/$room" && bad=1; }
        seen="$seen $room"
        while read -r file name; do
            case "$public$seen " in
            *" ${name%%/*} "*) ;;
            *) echo "$file includes $name" && bad=1 ;;
            esac
        done < <(includes "$top/$room"/*.[ch])
    done
    [ "$(find "$top" -mindepth 1 -maxdepth 1 -type d | wc -l)" -eq $# ] || { ls "$top" && bad=1; }
    return $bad
}

# Beside the rooms of the command there is only where it starts.
only_main() {
    [ "$(find cli -maxdepth 1 -name '*.[ch]')" = cli/main.c ]
}

# An idea is NAME.c and NAME.h; the ideas include each other without a cycle.
no_cycles() {
    includes $(find src -name '*.[ch]') | sed 's,[^ ]*/,,g; s/\.[ch]\b//g' | awk '$1 != $2' |
        tsort >/dev/null
}

check "programs include only the public headers and their own" public_only
check "the library includes only itself" src_only
check "a room includes only itself and earlier rooms" earlier_rooms src $src_rooms
check "and so it is in the command" earlier_rooms cli $cli_rooms
check "the command starts in main.c and is in rooms else" only_main
check "no cycles in src" no_cycles
finish
