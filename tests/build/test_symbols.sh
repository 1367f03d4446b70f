# SPDX-License-Identifier: BSD-3-Clause
# What the library shows to the world, and what it takes from it.
. "$(dirname "$0")/shell.sh"
so=$FROCC_BUILD/libfrocc.so
archive=$FROCC_BUILD/libfrocc.a

# A declaration may go over lines: FROCC_API ... name( with no other parenthesis before.
declared() {
    grep -hv '^ *\(#\|\*\|/\*\)' include/*.h | tr '\n' ' ' | tr ';' '\n' |
        sed -n 's/^.*FROCC_API [^(]*\(frocc_[a-z0-9_]*\)(.*$/\1/p' | sort -u
}

exports() {
    declared >"$scratch/declared"
    nm -D --defined-only "$so" | awk '{ print $3 }' | sort -u >"$scratch/exported"
    same "$scratch/declared" "$scratch/exported" && [ -s "$scratch/declared" ]
}

# Nothing unprefixed can clash with a symbol of the program that links the archive.
prefixed() {
    ! nm --defined-only -g "$archive" | awk 'NF == 3 && $3 !~ /^frocc_/ { print $3 }' | grep .
}

# undefined NAMES: objects of the archive that take one of these from elsewhere.
undefined() {
    nm -A -u "$archive" | sed 's/@.*//' | grep -E " U _*($1)(_chk)?$"
}

# The library never prints, exits, aborts, sets the locale or draws from the global generator.
# Nor does it jump out of the caller's frames, or call what threads cannot share.
quiet() {
    ! undefined 'v?f?printf|puts|putchar|fputs|perror|psignal|stdout|stderr|exit|Exit|quick_exit|abort|assert_fail|raise|kill|longjmp|setlocale|strtok|localtime|gmtime|ctime|asctime|tmpnam|s?rand|s?random|[demnjl]*rand48'
}

# One place for memory, so that a test can make every allocation fail.
one_allocator() {
    ! undefined 'malloc|calloc|realloc|free|posix_memalign|aligned_alloc|strdup|strndup|asprintf|getline|mmap' |
        grep -v ':memory\.c\.o:'
}

check "exports exactly what the headers declare" exports
check "all names begin with frocc_" prefixed
check "needs libc, libm and zlib only" needs_only "$so" c m pthread z
check "never prints, exits or aborts" quiet
check "takes memory in one place" one_allocator
finish
