# SPDX-License-Identifier: BSD-3-Clause
# What the README and the page of the command show is what the command says.
. "$(dirname "$0")/cli.sh"

# Each command with the lines it is said to print.
{
    sed -n '/^## In the shell/,/^## In C/s/^    //p' "$root/README.md"
    echo
    sed -n 's/^    //p' "$root/docs/command.md"
} >session.txt

said() { # said COMMAND EXPECTED: "..." stands for more lines
    local actual
    actual=$(eval "$1" 2>&1)
    case $2 in
    *...) [ "${actual#"${2%...}"}" != "$actual" ] ;;
    *) [ "$actual" = "$2" ] ;;
    esac || { printf '%s\n' "$actual" | head -n 12 && return 1; }
}
command='' lines=''
while IFS= read -r line || [ -n "$command" ]; do
    case $line in
    '$ '* | '')
        [ -z "$command" ] || check "$command" said "$command" "${lines%$'\n'}"
        command=${line#'$ '} lines=''
        ;;
    *) lines+=$line$'\n' ;;
    esac
    [ -n "$line" ] || command=''
    line=''
done <session.txt

quickstart() { # the C example of the README is the middle of the program
    sed -n '/^```c$/,/^```$/p' "$root/README.md" | sed '1d;$d' >readme.c
    sed 's/^    //' "$root/examples/quickstart.c" >program.c
    [ -s readme.c ] && awk 'NR == FNR { want = want $0 "\n"; next } { all = all $0 "\n" }
        END { exit index(all, want) == 0 }' readme.c program.c
}
check "the C example is the program's" quickstart
finish
