# SPDX-License-Identifier: BSD-3-Clause
# What is wrong is named: the file, the line, what was found, what to do. And nothing is left behind.
. "$(dirname "$0")/cli.sh"

frocc gen gaussians -n 100 -o good.csv
frocc gen gaussians -n 20 --seed 5 --outliers 0.25 --label -o labelled.csv
frocc fit good.csv -m 20 -o m.frocc -q
number=0

# bad STATUS COMMAND...: fails with this status, says something, and leaves no output file.
bad() {
    local want=$1 status
    shift
    number=$((number + 1))
    echo "\$ frocc $*"
    timeout 20 "$FROCC" "$@" >said.log 2>error.log </dev/null
    status=$?
    cat error.log
    [ $status -eq "$want" ] || echo "FAIL: exit status $status, expected $want"
    [ -s error.log ] || echo "FAIL: says nothing"
    no_file out || echo "FAIL: leaves an output file"
    rm -rf out*
}

# data NAME CONTENT [OPTION...]: a file that fit refuses.
data() {
    local name=$1
    printf "$2" >"$name"
    shift 2
    bad ${status-1} fit "$name" -o out.frocc "$@"
}

{
    echo "# rows"
    data ragged_short.csv 'a,b,c\n1,2,3\n4,5\n6,7,8\n'
    data ragged_long.csv 'a,b,c\n1,2,3\n4,5,6,7\n'
    data unclosed.csv 'a,b\n1,"2\n3,4\n'
    data after_quote.csv 'a,b\n1,"2"x\n3,4\n'
    data nul.csv 'a,b\n1,\0002\n3,4\n'
    data empty.csv ''
    data newline.csv '\n\n\n'
    status=4 data header.csv 'a,b\n'
    data comment.csv '# nothing\n# here\n'
    data huge.csv 'a,b\n1,1e999\n' --numeric
    data tiny_exponent.csv 'a,b\n1,1e99999999999999999999\n' --numeric
    data infinite.csv 'a,b\n1,inf\n2,3\n' --numeric
    data nan.csv 'a,b\n1,nan\n2,3\n'
    data missing.csv 'a,b\n1,\n2,3\n'
    data question.csv 'a,b\n1,?\n2,3\n'
    data text.csv 'a,b\n1,2\n3,x\n' --numeric
    data hex.csv 'a,b\n1,0x10\n' --numeric
    data comma_decimals.csv 'a;b\n1,500;2\n' --numeric
    data twice.csv 'a,a\n1,2\n' --use a
    data too_large.csv 'a,b\n1e300,1\n2,1\n' --scaling none
    data too_large_here.csv 'a,b\n# c\n1,2\n\n1,-1e38\n2,1\n' --paper
    data too_large.libsvm '1 1:2\n\n1 2:1e38\n' --paper
    printf 'x1,x2\n1,2\n1e38,2\n' >too_large_new.csv
    frocc fit good.csv --paper -o paper.frocc -q
    bad 1 score paper.frocc good.csv --p-values
    bad 1 predict paper.frocc good.csv --fpr 0.1
    bad 1 score m.frocc too_large_new.csv
    bad 1 predict m.frocc good.csv too_large_new.csv

    echo "# binary files"
    data empty.npy ''
    data magic.npy 'NUMPY'
    data short.npy '\223NUMPY\001\000\166\000{'
    data empty.npz ''
    data not_zip.npz 'hello'
    status=4 data not_gzip.csv.gz 'hello'
    frocc convert good.csv -o good.npy
    head -c 500 good.npy >cut.npy
    bad 1 fit cut.npy -o out.frocc
    frocc convert good.csv -o good.f32
    bad 1 fit good.f32 --n-columns 3 -o out.frocc
    bad 2 fit good.f32 -o out.frocc
    data order.libsvm '1 3:1 2:1\n'
    data zero.libsvm '1 a:1\n'
    data colon.libsvm '1 1:1 2\n'

    echo "# files"
    bad 1 fit nowhere.csv -o out.frocc
    mkdir folder
    bad 1 fit folder -o out.frocc
    bad 1 fit 'none-*.csv' -o out.frocc
    bad 1 fit good.csv -o folder
    bad 1 fit good.csv -o nofolder/out.frocc
    bad 1 score m.frocc good.csv -o nofolder/out.csv
    bad 2 score m.frocc good.csv -o folder
    printf '1,2,3\n4,5,6\n' >three.csv
    printf '1,2\n4,5\n' >two.csv
    bad 1 fit three.csv two.csv -o out.frocc

    echo "# columns"
    bad 2 fit good.csv --drop nobody -o out.frocc
    bad 2 fit good.csv --use 7 -o out.frocc
    bad 2 fit good.csv --label nobody -o out.frocc
    bad 2 fit good.csv --drop x1,x2 -o out.frocc
    cut -d, -f1 good.csv >one.csv
    bad 1 score m.frocc one.csv -o out.csv
    bad 1 predict m.frocc one.csv -o out.csv
    bad 1 score m.frocc three.csv -o out.csv
    bad 2 eval m.frocc good.csv --label x2 -o out.csv
    bad 2 eval m.frocc labelled.csv --label nobody

    echo "# models"
    bad 1 score good.csv good.csv -o out.csv
    bad 1 info good.csv
    bad 1 info nowhere.frocc
    bad 1 info folder
    : >empty.frocc
    bad 1 info empty.frocc
    head -c 200 m.frocc >cut.frocc
    bad 1 info cut.frocc
    { head -c 300 m.frocc && printf x && tail -c +302 m.frocc; } >flipped.frocc
    bad 1 score flipped.frocc good.csv -o out.csv
    frocc fit good.csv -m 21 -o other.frocc -q
    bad 1 merge m.frocc other.frocc -o out.frocc
    bad 1 seal good.csv -o out.frocc
    frocc seal m.frocc -o sealed.frocc -q
    bad 1 merge m.frocc sealed.frocc -o out.frocc

    echo "# the command line"
    bad 2 nonsense
    bad 2 scoer m.frocc good.csv
    bad 2 fit
    bad 2 fit good.csv
    bad 2 fit good.csv -o
    bad 2 fit good.csv -o out.frocc --epsilon
    bad 2 fit good.csv -o out.frocc --epsilon 0
    bad 2 fit good.csv -o out.frocc --epsilon 2
    bad 2 fit good.csv -o out.frocc --epsilon 0.5
    bad 2 fit good.csv -o out.frocc --epsilon 0.00001
    bad 2 fit good.csv -o out.frocc --epsilon ten
    bad 2 fit good.csv -o out.frocc --epslion 0.1
    bad 2 fit good.csv -o out.frocc --directions 0
    bad 2 fit good.csv -o out.frocc --directions 1.5
    bad 2 fit good.csv -o out.frocc --directions -3
    bad 2 fit good.csv -o out.frocc --seed 99999999999999999999
    bad 2 fit good.csv -o out.frocc --kernel cubic
    bad 2 fit good.csv -o out.frocc --scaling all
    bad 2 fit good.csv -o out.frocc --gamma nan
    bad 2 fit good.csv -o out.frocc --threshold x
    bad 2 fit good.csv -o out.frocc --score agreement --fpr 0.1
    bad 2 fit good.csv -o out.frocc --score agreement --calibration 100
    bad 2 fit good.csv -o out.frocc --score agreement --contamination 0.1
    bad 2 fit good.csv -o out.frocc --score agreement --trees 8
    bad 2 fit good.csv -o out.frocc --contamination 0.6
    bad 2 fit good.csv -o out.frocc --trees 5000
    bad 2 fit good.csv -o out.frocc --paper --scaling standard
    bad 2 fit good.csv -o out.frocc --paper --contamination 0.1
    bad 2 fit good.csv -o out.frocc --paper --trees 24
    bad 2 fit good.csv -o out.frocc --outlier 1
    bad 2 fit good.csv -o out.frocc --separator ab
    bad 2 fit good.csv -o out.frocc --missing maybe
    bad 2 fit good.csv -o out.frocc -Z
    bad 2 fit good.csv -o out.frocc --json=yes
    bad 2 score m.frocc
    bad 2 score m.frocc good.csv -o out.xlsx
    bad 2 score - - -o out.csv
    bad 2 eval m.frocc labelled.csv
    bad 2 tune good.csv
    bad 2 tune good.csv --validate labelled.csv --label label --kernel cubic
    bad 2 tune good.csv --validate labelled.csv --label label --model out.frocc --fpr 0.1
    bad 1 tune good.csv --validate labelled.csv --label label --model out.frocc --score closeness \
        --epsilon 0.3,1 -m 10 --kernel linear --scaling none
    bad 2 merge -o out.frocc
    bad 2 seal m.frocc
    bad 2 seal m.frocc m.frocc -o out.frocc
    bad 2 info m.frocc m.frocc m.frocc
    bad 2 gen
    bad 2 gen squares
    bad 2 gen moons -d 1
    bad 2 gen moons -n 0
    bad 2 gen moons --outliers 2
    bad 2 help nonsense
    bad 2 fit good.csv -o - --json
} >transcript.log
grep -c '^\$ frocc' transcript.log >count.log
check "at least 60 bad inputs" [ "$(cat count.log)" -ge 60 ]
check "each fails as it should" eval '! grep -B 3 "^FAIL" transcript.log'
expect bad_input <transcript.log

# Its words depend on whether zlib is there.
gzip -c good.csv | head -c 300 >cut.csv.gz
check "gzip that ends early" eval 'bad 1 fit cut.csv.gz -o out.frocc >said.txt; ! grep FAIL said.txt'

# No permission: root may read everything, so another user has to try.
touch secret.csv && chmod 000 secret.csv && mkdir open && chmod 777 open
nobody=(setpriv --reuid=65534 --clear-groups)
if [ "$(id -u)" -ne 0 ]; then
    frocc fit secret.csv -o open/out.frocc 2>err.log
    check "no permission" grep -q 'secret.csv.*denied' err.log
elif chmod 755 "$scratch" && "${nobody[@]}" "$FROCC" version >/dev/null 2>&1; then
    "${nobody[@]}" "$FROCC" fit secret.csv -o open/out.frocc 2>err.log
    check "no permission" grep -q 'secret.csv.*denied' err.log
    "${nobody[@]}" "$FROCC" fit good.csv -o out.frocc 2>err.log
    check "no permission to write" grep -q 'out.frocc.*denied' err.log
else
    skip "no permission" "root reads everything and there is no setpriv"
fi
finish
