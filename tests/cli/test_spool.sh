# SPDX-License-Identifier: BSD-3-Clause
# The copy of a pipe that must be read twice: how large it becomes, and where.
. "$(dirname "$0")/cli.sh"

frocc gen gaussians -n 60000 -d 3 -o rows.csv
frocc fit rows.csv -m 20 -o m.frocc -q
frocc frame rows.csv -m 20 -o f.frame 2>/dev/null
refused() { # refused COMMAND...: for the size of the copy
    ! cat rows.csv | frocc "$@" >out.txt 2>error.txt && grep -q "its temporary copy in .*larger than 1048576 bytes.*--max-spool" error.txt
}
check "a copy larger than the limit" refused fit - -m 20 -o p.frocc --max-spool 1
check "also of numbers only" refused fit - -m 20 -o p.frocc --max-spool 1 --numeric
check "also of all that is listed" refused outliers - --max-spool 1
check "nothing is left of it" no_file p.frocc
check "a larger limit" eval 'cat rows.csv | frocc fit - -m 20 -o p.frocc --max-spool 64 -q && cmp p.frocc m.frocc'
check "what is read once has no copy" eval 'cat rows.csv | frocc score m.frocc - --max-spool 1 --bad-rows stop -q >all.txt &&
    frocc score m.frocc rows.csv -q | cmp - all.txt'
check "nor has a fit in a frame" eval 'cat rows.csv | frocc fit --frame f.frame - -o p.frocc --max-spool 1 -q'
check "an endless pipe ends" eval '! yes 1,2 | frocc fit - -o q.frocc --max-spool 8 2>error.txt && grep -q "larger than 8388608 bytes" error.txt'
for wrong in 0 -1 x 99999999999999999999; do
    check "--max-spool $wrong" eval '! frocc fit rows.csv -o q.frocc --max-spool $wrong 2>error.txt && grep -q "expected a whole number" error.txt'
done

# A disk that is nearly full, where one can be made.
mkdir disk
if unshare -rm true 2>/dev/null && unshare -rm mount -t tmpfs -o size=64m tmpfs disk 2>/dev/null; then
    full='mount -t tmpfs -o size=64m tmpfs disk && yes 1,2 | TMPDIR=disk "$1" fit - -o q.frocc; df --output=avail -k disk | tail -n 1'
    unshare -rm sh -c "$full" sh "$FROCC" >left.txt 2>error.txt
    check "a disk is not filled" eval 'grep -q "would fill the disk of disk" error.txt'
else
    skip "a disk is not filled" "no file system can be mounted here"
fi
finish
