# SPDX-License-Identifier: BSD-3-Clause
# What the README and the pages of the command show is what the command says.
. "$(dirname "$0")/cli.sh"

said() { # said COMMAND EXPECTED: "..." stands for more lines
    local actual
    actual=$(eval "$1" 2>&1)
    case $2 in
    *...) [ "${actual#"${2%...}"}" != "$actual" ] ;;
    *) [ "$actual" = "$2" ] ;;
    esac || { printf '%s\n' "$actual" | head -n 12 && return 1; }
}
# Each command of a page with the lines it is said to print.
session() {
    local command='' lines='' line
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
    done
}
indented() { sed 's/^    //; t; s/.*//' "$@"; } # all else as empty lines
session < <(sed -n '/^## In the shell/,/^## In Python/p' "$root/README.md" | indented)
session < <(indented "$root/docs/command.md")

# A page that begins anew, with files of its own and a script.
mkdir alerts && cd alerts || exit 1
ln -s "$root/examples" examples
ln -s "$FROCC" frocc
export PATH=$PWD:$PATH
sed -n '/^```bash nightly.sh$/,/^```$/p' "$root/docs/alerts.md" | sed '1d;$d' >nightly.sh
session < <(indented "$root/docs/alerts.md")
check "the page of alerts was run to its end" [ -s week-4.csv ]
cd ..

quickstart() { # the C example of the README is the middle of the program
    sed -n '/^```c$/,/^```$/p' "$root/README.md" | sed '1d;$d' >readme.c
    sed 's/^    //' "$root/examples/quickstart.c" >program.c
    [ -s readme.c ] && awk 'NR == FNR { want = want $0 "\n"; next } { all = all $0 "\n" }
        END { exit index(all, want) == 0 }' readme.c program.c
}
check "the C example is the program's" quickstart
finish
