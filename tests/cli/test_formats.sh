# SPDX-License-Identifier: BSD-3-Clause
# The same rows in every format give the same model, to the byte.
. "$(dirname "$0")/cli.sh"

frocc gen gaussians -n 500 -d 4 -o rows.csv
model() { # model NAME DATA...: whether a fit of the data is the fit of rows.csv
    local name=$1
    shift
    frocc fit "$@" -m 50 --threads 2 -o "$name.frocc" -q && cmp "$name.frocc" rows.frocc
}
frocc fit rows.csv -m 50 -o rows.frocc -q

tr ',' '\t' <rows.csv >rows.tsv
tr ',' ';' <rows.csv >rows_semicolon.csv
sed 's/$/\r/' rows.csv >rows_crlf.csv
{ printf '\357\273\277' && cat rows.csv; } >rows_bom.csv
{ echo '# made by hand' && cat rows.csv; } >rows_comment.csv
sed 's/\([^,]*\)/"\1"/g' rows.csv >rows_quoted.csv
head -c -1 rows.csv >rows_no_newline.csv
frocc convert rows.csv -o rows.npy
frocc convert rows.csv -o rows.libsvm
frocc convert rows.csv -o rows.jsonl
tail -n +2 rows.csv >bare.csv
{ sed 's/^/name,/;1s/name/id/' rows.csv | sed 's/$/,7/;1s/,7/,extra/'; } >more.csv
head -n 201 rows.csv >part-1.csv
{ head -n 1 rows.csv && tail -n +202 rows.csv; } >part-2.csv

for name in rows_crlf rows_bom rows_comment rows_quoted rows_no_newline rows_semicolon; do
    check "$name" model $name $name.csv
done
check "tsv" model tsv rows.tsv
check "JSON lines" model jsonl rows.jsonl
cp rows.jsonl rows.ndjson && cp rows.jsonl rows_by_content.txt
check "JSON lines, another ending" model ndjson rows.ndjson
check "JSON lines, by content" model content rows_by_content.txt
head -n 100 rows.jsonl >part-1.jsonl && tail -n +101 rows.jsonl >part-2.jsonl
check "JSON lines, two files" model two_jsonl part-1.jsonl part-2.jsonl
check "JSON lines on standard input" model jsonlin - <rows.jsonl
tr . , <rows_semicolon.csv >rows_commas.csv
tr ';' '\t' <rows_commas.csv >rows_commas.tsv
check "decimal commas" model commas rows_commas.csv
check "decimal commas between tabs" model commas_tsv rows_commas.tsv --threads 3
{ cat rows_commas.csv && echo '1.5;2;3;4'; } >rows_both.csv
check "a point among commas is refused" eval '! frocc fit rows_both.csv -o x.frocc 2>error.txt &&
    grep -q "line 502, column 1 (.x1.): .1.5. has a decimal point" error.txt'
check "commas in texts stay" [ "$(printf 'k;v\na,b;1,5\n2,5;-2,5e1\n' | frocc convert - --id k)" = \
    $'k,v\n"a,b",1.5\n"2,5",-25' ]
check "thousands are no decimals" eval 'printf "a;b\n1,234;5\n-2,345;6\n" | frocc fit - -o x.frocc 2>error.txt; grep -q "1,234. is a number with commas" error.txt'
check "any separator" model separator rows_semicolon.csv --separator ';'
check "two files" model two part-1.csv part-2.csv
check "in the other order" model order part-2.csv part-1.csv
check "a pattern" model pattern 'part-*.csv'
check "standard input" model stdin - <rows.csv
check "--numeric" model numeric rows.csv --numeric

# Models remember the names of columns, so what has none is compared by its scores.
frocc score rows.frocc rows.csv >scores.txt
scores() { # scores NAME DATA...
    local name=$1
    shift
    frocc fit "$@" -m 50 -o "$name.frocc" -q && frocc score "$name.frocc" "$@" | cmp - scores.txt
}
check "npy" scores npy rows.npy
check "no header" scores bare bare.csv
check "--header no" scores header bare.csv --header no
check "libsvm" scores libsvm rows.libsvm
frocc gen gaussians -n 100 -d 4 --seed 2 --outliers 0.2 --label -o labelled.csv
frocc convert labelled.csv --label label -o labelled.libsvm
check "libsvm carries labels" cmp <(frocc eval libsvm.frocc labelled.libsvm) \
    <(frocc eval rows.frocc labelled.csv --label label)
check "libsvm and back" cmp <(frocc convert labelled.libsvm) labelled.csv
printf '1 3:0.5 900000:2\n0 1:1\n' >sparse.libsvm
frocc convert sparse.libsvm -o sparse_again.libsvm
check "sparse stays sparse" cmp sparse.libsvm sparse_again.libsvm

# Columns by name and number.
frocc fit rows.csv --drop x2,x4 -m 50 -o drop.frocc -q
frocc fit rows.csv --use 1,3 -m 50 -o use.frocc -q
check "--drop and --use" cmp <(frocc score drop.frocc rows.csv --drop x2,x4) \
    <(frocc score use.frocc rows.csv --use x1,x3)
check "the model knows its columns" cmp <(frocc score drop.frocc rows.csv) \
    <(frocc score drop.frocc <(awk -F, -v OFS=, '{ print $3, $4, $1, $2 }' rows.csv) --bad-rows stop)
check "libsvm, by number" cmp <(frocc fit rows.libsvm --drop 2,4 -m 50 -q -o - | frocc score - rows.libsvm) \
    <(frocc score use.frocc rows.csv)
check "libsvm, --use a range" cmp <(frocc convert rows.libsvm --use 2-3 | tail -n +2) \
    <(cut -d, -f2,3 rows.csv | tail -n +2 | sed 's/$/,0/')
check "--id and --drop" cmp <(frocc convert more.csv --drop id,extra) rows.csv

# raw float32 knows no more than its values.
frocc convert rows.csv -o rows.f32
check "raw float32" [ "$(wc -c <rows.f32)" -eq $((500 * 4 * 4)) ]
check "raw float32 is read" frocc score rows.frocc rows.f32 --n-columns 4 -o /dev/null

gzip -c rows.csv >rows.csv.gz
if frocc fit - <rows.csv.gz -o gz.frocc -q 2>error.txt; then
    check "gzip" model gz rows.csv.gz
    check "gzip on standard input" model gzin - <rows.csv.gz
elif grep -q zlib error.txt; then
    skip "gzip" "built without zlib"
else
    check "gzip" cat error.txt
fi
# Written and read by the rules of the formats, so that no numpy is needed.
if python3 -c '' 2>/dev/null; then
    cat >npy.py <<'END'
import ast, csv, struct, sys, zipfile


def array(values, shape, fortran=False):
    about = repr({"descr": "<f8", "fortran_order": fortran, "shape": shape}).encode()
    about += b" " * (63 - (10 + len(about)) % 64) + b"\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(about)) + about +
            struct.pack(f"<{len(values)}d", *values))


def read(data):
    length, = struct.unpack("<H", data[8:10])
    about = ast.literal_eval(data[10:10 + length].decode())
    assert data[:6] == b"\x93NUMPY" and about["descr"] == "<f8" and not about["fortran_order"]
    return about["shape"], list(struct.unpack(f"<{len(data[10 + length:]) // 8}d", data[10 + length:]))


rows = [[float(x) for x in row] for row in list(csv.reader(open("rows.csv")))[1:]]
shape, values = (len(rows), len(rows[0])), [x for row in rows for x in row]
if sys.argv[1] == "check":
    assert read(open("rows.npy", "rb").read()) == (shape, values)
    sys.exit()
with zipfile.ZipFile("rows.npz", "w") as out:
    out.writestr("other.npy", array([0.0, 1.0, 2.0], (3,)))
    out.writestr("X.npy", array(values, shape))
labels = [float(x) for x in open("labels.txt")]
for name, y, packing in ("labelled", labels, 0), ("packed", labels, 8), ("short", labels[1:], 0):
    with zipfile.ZipFile(name + ".npz", "w", packing) as out:
        out.writestr("y.npy", array(y, (len(y),)))
        out.writestr("X.npy", array(values, shape))
columns = [row[j] for j in range(shape[1]) for row in rows]
open("fortran.npy", "wb").write(array(columns, shape, fortran=True))
END
    awk 'NR > 1 { print NR % 7 == 0 }' rows.csv >labels.txt
    paste -d, rows.csv <(echo y && cat labels.txt) >with_y.csv
    python3 npy.py write
    check "npz" scores npz rows.npz
    check "npz, named" scores named rows.npz --array X
    # The array y is the label of rows: outliers are left out, judged, and tuned by.
    frocc fit with_y.csv --label y -m 50 -o by_csv.frocc -q
    for name in labelled packed; do
        frocc fit $name.npz --label y -m 50 -o by_npz.frocc -q
        check "npz, a label: fit, $name" cmp <(frocc score by_npz.frocc rows.npy) <(frocc score by_csv.frocc rows.csv)
        check "npz, a label: eval, $name" cmp <(frocc eval by_npz.frocc $name.npz --label y) \
            <(frocc eval by_csv.frocc with_y.csv --label y)
    done
    check "npz, a label: the id is a column beside it" cmp \
        <(frocc convert labelled.npz --label y --id 4 | tail -n +2) \
        <(frocc convert with_y.csv --label y --id x4 | tail -n +2)
    check "npz, a label: tune" cmp <(frocc tune labelled.npz --validate labelled.npz --label y --directions 10,20) \
        <(frocc tune with_y.csv --validate with_y.csv --label y --directions 10,20)
    check "npz, too few labels" eval '! frocc fit short.npz --label y -o x.frocc 2>error.txt &&
        grep -q "array .y. has 499 x 1 values; expected a label for each of the 500 rows" error.txt'
    check "npz, no such label" eval '! frocc fit labelled.npz --label z -o x.frocc 2>error.txt && grep -q "no column .z. for label" error.txt'
    check "npy in Fortran order" scores fortran fortran.npy
    check "our .npy follows the format" python3 npy.py check
else
    skip "npz" "no python3 to write one"
fi
# A truth is the text that the model has for it, however the program that wrote the rows spells it.
for words in "TRUE FALSE" "true false" "True False"; do
    awk -v yes="${words% *}" -v no="${words#* }" 'BEGIN { print "x,on"
        for (i = 0; i < 400; i++) print i % 7 "," (i % 3 ? yes : no) }' >truths.csv
    sed '1d; s/\(.*\),\([tT]\).*/{"x": \1, "on": true}/; t; s/\(.*\),.*/{"x": \1, "on": false}/' truths.csv >truths.jsonl
    frocc fit truths.csv -q -o truths.frocc
    frocc score truths.frocc truths.csv 2>/dev/null >csv.txt
    frocc score truths.frocc truths.jsonl 2>/dev/null >jsonl.txt
    check "truths of JSON where the model has ${words% *}" cmp csv.txt jsonl.txt
    for other in "TRUE FALSE" "true false" "True False"; do
        sed "s/,[tT].*/,${other% *}/; s/,[fF].*/,${other#* }/" truths.csv >others.csv
        frocc score truths.frocc others.csv 2>/dev/null >others.txt
        check "${other% *} of CSV where the model has ${words% *}" cmp csv.txt others.txt
    done
done
# Only a pipe or a device has no ending that says the format.
if memory=$(mktemp -d -p /dev/shm 2>/dev/null); then
    frocc score rows.frocc rows.npy -q -o here.npy && frocc score rows.frocc rows.npy -q -o "$memory/there.npy"
    check "a file below /dev" cmp here.npy "$memory/there.npy"
    rm -r "$memory"
else
    skip "a file below /dev" "/dev/shm takes none"
fi
finish
