# SPDX-License-Identifier: BSD-3-Clause
# A live process over a log that is rotated, cut and bad, with its model replaced, and killed.
. "$(dirname "$0")/cli.sh"

if ! command -v python3 >/dev/null || ! tail --version 2>/dev/null | grep -q GNU; then
    skip "a live process survives" "there is no python3, or no tail of GNU"
    finish
fi
rounds=4
[ -z "${FROCC_TEST_QUICK-}" ] || rounds=2
[ -z "${FROCC_TEST_ALL-}" ] || rounds=40
# Tools that make everything slower are no measure of time; they set how many cases to try.
export LATENCY_LIMIT=${LATENCY_LIMIT-$([ -z "${FROCC_TEST_QUICK-}" ] && echo 1 || echo 50)}
python3 "$root/tests/cli/survive.py" "$FROCC" $rounds || exit 1
