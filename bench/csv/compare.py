# SPDX-License-Identifier: BSD-3-Clause
"""CPU time of reading CSV files with one thread: pandas' read_csv against frocc's reader.

pandas: pd.read_csv(path), default engine ("c") and float_precision, with the types found out, and
with dtype=float32. frocc: frocc_reader_open to frocc_reader_free with threads = 1, values as float32
or float64, every number correctly rounded; "given" knows that all columns are numbers, "learnt" finds
out by a first pass over the file. "array" also copies the blocks into one array, as a data frame is;
fitting and scoring do not. The readings alternate; a ratio is pandas' median over frocc's median, and
its spread the smallest and largest ratio of one pandas reading to the frocc reading next to it.
"""
import argparse
import os
import statistics
import subprocess
import time

import numpy as np
import pandas as pd

COLUMNS = 20
FORMATS = ("%.6g", "%.17g", "%d", "%.18e")
WAYS = [
    (dtype, kinds, place)
    for kinds in ("given", "learnt")
    for dtype in ("f32", "f64")
    for place in ("blocks", "array")
]


def write_file(path, number_format, megabytes):
    rng = np.random.default_rng(1)
    row_format = ",".join([number_format] * COLUMNS) + "\n"
    with open(path, "w") as file:
        file.write(",".join(f"x{j}" for j in range(COLUMNS)) + "\n")
        while file.tell() < megabytes * 1e6:
            shape = (10000, COLUMNS)
            if number_format == "%d":
                block = rng.integers(-999, 1000, shape)
            else:
                block = 100 * rng.normal(size=shape)
            file.writelines(row_format % tuple(row) for row in block.tolist())


def time_pandas(path, **options):
    start = time.process_time()
    frame = pd.read_csv(path, **options)
    return time.process_time() - start, frame.shape


def time_frocc(program, path, way):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    words = subprocess.run([program, path, *way], check=True, capture_output=True, text=True,
                           env=environment).stdout.split()
    return float(words[2]), (int(words[0]), int(words[1]))


def compare(program, path, repeats):
    """Per way: CPU seconds of pandas, of pandas with float32, of frocc; each a list."""
    times = {way: ([], [], []) for way in WAYS}
    for _ in range(repeats):
        for way, (plain, single, ours) in times.items():
            seconds, shape = time_pandas(path)
            plain.append(seconds)
            seconds, our_shape = time_frocc(program, path, way)
            ours.append(seconds)
            single.append(time_pandas(path, dtype=np.float32)[0])
            assert our_shape == shape, "the two read different tables"
    return times


def describe(theirs, ours):
    pairs = [a / b for a, b in zip(theirs, ours)]
    ratio = statistics.median(theirs) / statistics.median(ours)
    return f"{ratio:5.1f} ({min(pairs):.1f}-{max(pairs):.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="bench/csv/read.c, compiled")
    parser.add_argument("folder", help="where the files are written, and removed again")
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print(f"pandas {pd.__version__}, files of {options.megabytes:g} MB, {COLUMNS} columns, "
          f"{options.repeats} repeats, CPU time")
    print("numbers  type  kinds   to      frocc MB/s  pandas/frocc         float32 pandas/frocc")
    for number_format in FORMATS:
        path = os.path.join(options.folder, "numbers.csv")
        write_file(path, number_format, options.megabytes)
        size = os.path.getsize(path) / 1e6
        for (dtype, kinds, place), (plain, single, ours) in compare(
                options.program, path, options.repeats).items():
            print(f"{number_format:8} {dtype:5} {kinds:7} {place:7} "
                  f"{size / statistics.median(ours):10.0f}  {describe(plain, ours):20} "
                  f"{describe(single, ours)}", flush=True)
        os.remove(path)


if __name__ == "__main__":
    main()
