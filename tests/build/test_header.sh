# SPDX-License-Identifier: BSD-3-Clause
# Each public header stands alone, in C11 and in C++, and rows in memory need frocc.h only.
. "$(dirname "$0")/shell.sh"

for header in frocc frocc_io; do
    echo "#include <$header.h>" >"$scratch/$header.c"
    cp "$scratch/$header.c" "$scratch/$header.cpp"
    for standard in c11 c17 c2x; do
        check_silent "$header.h as $standard" gcc -std=$standard -pedantic-errors -Wall -Wextra \
            -Werror -Iinclude -fsyntax-only "$scratch/$header.c"
    done
    if has "$header.h as C++" install; then
        for standard in c++11 c++20; do
            check_silent "$header.h as $standard" c++ -std=$standard -pedantic-errors -Wall -Wextra \
                -Werror -Iinclude -fsyntax-only "$scratch/$header.cpp"
        done
    fi
    if has "$header.h with clang" clang; then
        check_silent "$header.h with clang" clang -std=c11 -Weverything -Wno-padded -Werror \
            -Iinclude -fsyntax-only "$scratch/$header.c"
    fi
done

# Programs of either kind, compiled as a user would.
check_silent "a program with frocc.h alone" gcc -std=c11 -Wall -Wextra -Werror -Iinclude \
    -fsyntax-only tests/build/use.c
check_silent "a program with frocc_io.h alone" gcc -std=c11 -Wall -Wextra -Werror -Iinclude \
    -fsyntax-only tests/build/use_io.c

# What reads or writes rows in files is declared in frocc_io.h, and nothing of it in frocc.h.
memory_only() {
    ! grep -nE '\bfrocc_(reader|writer|block|format)' include/frocc.h
}
check "frocc.h knows no files of rows" memory_only

# The one number follows the three.
version_number() {
    cat >"$scratch/number.c" <<'END'
#include <frocc.h>
_Static_assert(FROCC_VERSION_NUMBER / 10000 == FROCC_VERSION_MAJOR, "major");
_Static_assert(FROCC_VERSION_NUMBER / 100 % 100 == FROCC_VERSION_MINOR, "minor");
_Static_assert(FROCC_VERSION_NUMBER % 100 == FROCC_VERSION_PATCH, "patch");
#if FROCC_VERSION_NUMBER < 100
#error "the number cannot be compared by the preprocessor"
#endif
END
    gcc -std=c11 -Iinclude -fsyntax-only "$scratch/number.c"
}
check "one number for the version" version_number
finish
