# SPDX-License-Identifier: BSD-3-Clause
# Help, manual page and completion are what the tables say.
. "$(dirname "$0")/cli.sh"

mapfile -t commands < <(frocc help | sed -n 's/^  \([a-z]*\) .*/\1/p')
check "all commands are there" [ "${#commands[@]}" -ge 15 ]

helps() { # helps COMMAND: usage, an example that starts with the command, no line over 80 columns
    frocc "$1" --help >help.txt && frocc help "$1" | cmp - help.txt &&
        grep -q "^Usage: frocc $1 " help.txt && grep -q "^  frocc $1" help.txt &&
        awk 'length > 80 && !/^  / { print "too long: " $0; bad = 1 } END { exit bad }' help.txt
}
for command in "${commands[@]}"; do
    check "$command --help" helps "$command"
    check "$command is in the manual" grep -q "^\.SS frocc $command" "$root/docs/frocc.1"
    check "$command is completed" grep -q "^    $command) words=" "$root/cli/frocc.bash-completion"
done
check "the manual page is the tables'" same "$root/docs/frocc.1" <(frocc help --man)
check "the completion is the tables'" same "$root/cli/frocc.bash-completion" <(frocc help --completion)
check "no two options share a line of it" eval '! grep -q -- "--[a-z].* --[a-z]" "$root/cli/frocc.bash-completion"'
check "frocc --help is frocc help" cmp <(frocc --help) <(frocc help)
if command -v groff >/dev/null; then
    check_silent "the manual page formats" eval 'groff -man -ww -T utf8 "$root/docs/frocc.1" >/dev/null'
fi

completes() { # completes EXPECTED WORD...: the last word is being typed
    local want=$1
    shift
    bash -c '. "$1"; shift; COMP_WORDS=(frocc "$@"); COMP_CWORD=$#; _frocc; echo "${COMPREPLY[*]}"' \
        completion "$root/cli/frocc.bash-completion" "$@" >completed.txt
    [ "$(cat completed.txt)" = "$want" ] || { cat completed.txt && return 1; }
}
check "completes commands" completes "predict" pre
check "completes options" completes "--epsilon" fit --eps
check "completes choices" completes "rbf" fit --kernel r
touch data.csv
check "completes files" completes "data.csv" fit da
finish
