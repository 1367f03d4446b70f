/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is the ThreadSanitizer run worth anything? `race clean` synchronises through OpenMP alone, which
 * a sanitizer that does not understand OpenMP reports; `race dirty` has a race, which it must.
 */
#include <string.h>

int main(int argc, char **argv) {
    int dirty = argc > 1 && strcmp(argv[1], "dirty") == 0;
    static int table[64];
    static volatile int sum;

#pragma omp parallel num_threads(4)
    {
#pragma omp for
        for (int i = 0; i < 64; i++)
            table[i] = i;
        for (int i = 0; i < 64; i++) {
            if (dirty) {
                sum += table[i];
            } else {
#pragma omp critical
                sum += table[i];
            }
        }
    }
    return !dirty && sum != 4 * 63 * 32;
}
