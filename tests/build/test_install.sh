# SPDX-License-Identifier: BSD-3-Clause
# `make install` puts a usable library anywhere, and a package maker's DESTDIR is respected.
. "$(dirname "$0")/shell.sh"
prefix=$scratch/stage/opt/frocc
version=$(sed -n 's/^#define FROCC_VERSION_[A-Z]* \([0-9]\)/\1/p' include/frocc.h | paste -sd.)

installs() {
    make install BUILD="$FROCC_BUILD" DESTDIR="$scratch/stage" PREFIX=/opt/frocc
}

installed() {
    local file missing=0
    for file in include/frocc.h include/frocc_io.h lib/libfrocc.a lib/libfrocc.so lib/libfrocc.so."$version" \
        lib/pkgconfig/frocc.pc lib/cmake/frocc/frocc-config.cmake share/doc/frocc/LICENSE \
        bin/frocc share/man/man1/frocc.1 share/bash-completion/completions/frocc; do
        [ -e "$prefix/$file" ] || { echo "not installed: $file" && missing=1; }
    done
    # Nothing outside the prefix, nothing that knows where it was built.
    [ "$(ls -A "$scratch/stage")$(ls -A "$scratch/stage/opt")" = optfrocc ] &&
        ! grep -rlF "$root" "$prefix/lib/pkgconfig" "$prefix/lib/cmake" &&
        return $missing
}

# A moved tree still works: every file finds the others from where it lies.
moved() {
    mv "$prefix" "$scratch/moved" && prefix=$scratch/moved
}

# pkgconfig OUTPUT PKG_CONFIG_FLAG... -- COMPILER_FLAG...
pkgconfig() {
    local flags
    flags=$(PKG_CONFIG_PATH=$scratch/moved/lib/pkgconfig pkg-config --cflags --libs "$@" frocc) || return
    echo "$flags"
    # shellcheck disable=SC2086
    gcc -std=c11 tests/build/use.c $flags ${static-} -o "$scratch/use" &&
        LD_LIBRARY_PATH=$scratch/moved/lib "$scratch/use"
}

pkgconfig_version() {
    [ "$(PKG_CONFIG_PATH=$scratch/moved/lib/pkgconfig pkg-config --modversion frocc)" = "$version" ]
}

cmake_package() {
    cmake -S tests/build/use -B "$scratch/use-build" -DCMAKE_PREFIX_PATH="$scratch/moved" &&
        cmake --build "$scratch/use-build" &&
        "$scratch/use-build/use_frocc" && "$scratch/use-build/use_frocc_static"
}

cmake_subproject() {
    mkdir "$scratch/sub"
    cat >"$scratch/sub/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(sub LANGUAGES C)
add_subdirectory("$root" frocc)
add_executable(use "$root/tests/build/use.c")
target_link_libraries(use PRIVATE frocc::frocc)
END
    cmake -S "$scratch/sub" -B "$scratch/sub/build" &&
        cmake --build "$scratch/sub/build" && "$scratch/sub/build/use"
}

check "make install" installs
check "installs what it should where it should" installed
moved
if has "pkg-config" install; then
    check "pkg-config, version" pkgconfig_version
    check "pkg-config, shared library" pkgconfig
    static=-static check "pkg-config, static library" pkgconfig --static
fi
check "CMake, find_package" cmake_package
check "CMake, add_subdirectory" cmake_subproject
finish
