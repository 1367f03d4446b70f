#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A day's figures for the text-file collector of Prometheus' node exporter:
#
#   metrics.sh MODEL LOG [OPTION...] > frocc.prom.new && mv frocc.prom.new /var/lib/node_exporter/frocc.prom
#
# Options are those of frocc predict. It fails, and prints nothing, where the log cannot be judged; a
# day without rows has figures, too.
set -u
model=$1 log=$2
shift 2
found=$(frocc predict "$model" "$log" "$@" --bad-rows skip -q --json -o /dev/null)
status=$?
[ $status -eq 0 ] || [ $status -eq 3 ] || [ $status -eq 4 ] || exit $status

figure() { # figure NAME KIND HELP: a member of the JSON, where it is a number
    value=$(printf '%s' "$found" | sed -n "s/.*\"$1\":\([-0-9.e+]*\)[,}].*/\1/p")
    [ -z "$value" ] ||
        printf '# HELP frocc_%s %s\n# TYPE frocc_%s %s\nfrocc_%s %s\n' "$1" "$3" "$1" "$2" "$1" "$value"
}
figure rows gauge "Rows that were judged."
figure outliers gauge "Rows that are outliers and not silenced."
figure left_out gauge "Rows left out, as cells are missing."
figure bad_rows gauge "Lines that are no rows."
figure rate gauge "The promised share of false alarms."
