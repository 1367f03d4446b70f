# SPDX-License-Identifier: BSD-3-Clause
# One plain compiler line builds the library, says nothing, and gives the same bits as the build
# that knows every flag.
. "$(dirname "$0")/shell.sh"

plain() { # plain COMPILER
    "$1" -std=c11 -O2 -pthread -shared -fPIC -fvisibility=hidden -Iinclude -Isrc src/*/*.c -lm \
        -o "$scratch/libfrocc-$1.so"
}

checksums() { # checksums COMPILER PROGRAM
    "$1" -std=c11 -O2 -pthread -Iinclude -Isrc -Itests src/*/*.c "tests/$2.c" \
        $(find tests -maxdepth 1 -name '*.c' ! -name 'test_*') -lm -o "$scratch/$2" || return
    "$FROCC_BUILD/tests/$2" | grep ^checksum >"$scratch/expected"
    "$scratch/$2" | grep ^checksum >"$scratch/actual"
    same "$scratch/expected" "$scratch/actual" && [ -s "$scratch/expected" ]
}

for compiler in gcc clang; do
    has "$compiler one line" $compiler || continue
    check_silent "$compiler one line" plain $compiler
    check "$compiler one line needs libc and libm only" \
        needs_only "$scratch/libfrocc-$compiler.so" c m pthread
    for source in tests/test_cross*.c; do
        name=$(basename "$source" .c)
        check "$compiler one line gives the checksums of $name" checksums $compiler "$name"
    done
done
finish
