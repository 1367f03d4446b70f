#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In a folder with normal.csv and new.csv: fit, score, predict, explain, with the command on PATH.
set -e
frocc fit normal.csv -o command.frocc
frocc score command.frocc new.csv -o command.npy
frocc predict command.frocc new.csv -o flags.csv
frocc explain command.frocc new.csv --top 1 --leading 1 -o reasons.csv
frocc fit normal.csv.gz -o packed.frocc
cmp command.frocc packed.frocc
frocc demo -o regions.svg >regions.txt
