# SPDX-License-Identifier: BSD-3-Clause
# frocc.h stands alone, in C11 and in C++.
. "$(dirname "$0")/shell.sh"
echo '#include <frocc.h>' >"$scratch/use.c"
cp "$scratch/use.c" "$scratch/use.cpp"

for standard in c11 c17 c2x; do
    check_silent "header as $standard" gcc -std=$standard -pedantic-errors -Wall -Wextra -Werror \
        -Iinclude -fsyntax-only "$scratch/use.c"
done
if has "header as C++" install; then
    for standard in c++11 c++20; do
        check_silent "header as $standard" c++ -std=$standard -pedantic-errors -Wall -Wextra \
            -Werror -Iinclude -fsyntax-only "$scratch/use.cpp"
    done
fi
if has "header with clang" clang; then
    check_silent "header with clang" clang -std=c11 -Weverything -Wno-padded -Werror -Iinclude \
        -fsyntax-only "$scratch/use.c"
fi
finish
