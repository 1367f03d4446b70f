# SPDX-License-Identifier: BSD-3-Clause
# What holds for every file of the tree: the licence line, and nothing that depends on a machine.
. "$(dirname "$0")/shell.sh"

sources() {
    find Makefile CMakeLists.txt .clang-format .clang-tidy .gitignore .ci cmake scripts packaging \
        include src cli mpi python r tests fuzz examples bench -type f \( -name '*.[ch]' \
        -o -name '*.py' -o -name '*.sh' -o -name '*.cmake' -o -name '*.in' -o -name CMakeLists.txt \
        -o -name Makefile -o -name '.[cg]*' -o -path 'scripts/*' -o -path 'packaging/*' \
        -o -path '.ci/*' -o -path '*/run' -o -path 'r/*.R' -o -path r/build -o -path r/configure \
        -o -path r/cleanup \) 2>/dev/null
}

licensed() {
    ! sources | while read -r file; do
        head -n 2 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' || echo "$file"
    done | grep .
}

# "The first ... line" of a file that is C: the licence is line 1, so that no tool has to look for it.
first_line() {
    ! sources | grep '\.[ch]$' | while read -r file; do
        [ "$(head -n 1 "$file")" = '/* SPDX-License-Identifier: BSD-3-Clause */' ] || echo "$file"
    done | grep .
}

tidy_text() {
    ! sources | xargs grep -nE $'[ \t]+$|\r' && ! sources | grep -v Makefile | xargs grep -n $'\t'
}

no_machine_paths() {
    ! sources | xargs grep -nE '/(home|root|work)/[a-z]'
}

check "every file has its licence line" licensed
check "and C files in line 1" first_line
check "no trailing space, no tabs, no carriage returns" tidy_text
check "no paths of one machine" no_machine_paths
finish
