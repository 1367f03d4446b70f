#!/bin/bash -eu
# SPDX-License-Identifier: BSD-3-Clause
# Every target of fuzz/ with its corpus, by the compiler and flags that OSS-Fuzz gives. Limits and
# flags are those of scripts/fuzz; the machine that runs them has no zlib of its own.
cmake -S "$SRC/frocc" -B "$WORK/frocc" -DCMAKE_C_FLAGS_RELEASE=-Wno-pass-failed \
    -DFROCC_TESTS=ON -DFROCC_CLI=OFF -DFROCC_EXAMPLES=OFF -DFROCC_MPI=OFF \
    -DFROCC_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" -DZLIB_USE_STATIC_LIBS=ON
for source in "$SRC"/frocc/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    cmake --build "$WORK/frocc" -j "$(nproc)" --target "$target"
    cp "$WORK/frocc/fuzz/$target" "$OUT"
    printf '[libfuzzer]\nrss_limit_mb = 1024\nclose_fd_mask = 1\n' >"$OUT/$target.options"
    rm -f "$OUT/${target}_seed_corpus.zip"
    (cd "$SRC/frocc/fuzz/corpus/$target" && python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" *)
done
