# SPDX-License-Identifier: BSD-3-Clause
# Every command once, with what it prints.
. "$(dirname "$0")/cli.sh"

frocc gen gaussians -n 300 -o normal.csv
frocc gen gaussians -n 40 --seed 5 --outliers 0.25 --label -o labelled.csv
cut -d, -f1,2 labelled.csv >new.csv

{
    say frocc gen moons -n 4
    say frocc gen gaussians -n 3 -d 5 --seed 9
    say frocc gen ring -n 6 --outliers 0.5 --label
    say frocc gen uniform -n 3 -d 1
} | expect gen

{
    say frocc fit normal.csv -o m.frocc
    say frocc fit normal.csv -o quiet.frocc -q
    say frocc fit normal.csv --paper --directions 50 --epsilon 0.5 -o paper.frocc
    say frocc fit labelled.csv --label label --outlier 1 -o inliers.frocc
    say frocc fit labelled.csv --label label --contamination 0.25 --trees 4 -o mixed.frocc
    say frocc info mixed.frocc | grep -E 'features|directions|contamination|trees'
    cat new.csv | say frocc fit - --scaling none --family gaussian -o piped.frocc
    cat new.csv | say frocc fit - --scaling none --family gaussian --trees 0 -o piped.frocc
    for kernel in linear rbf poly sigmoid; do
        say frocc fit normal.csv --kernel $kernel --gamma 0.5 --coef0 1 --degree 2 \
            --scaling minmax --seed 7 -o $kernel.frocc
        say frocc info $kernel.frocc | grep -v kernel_level
    done
} | expect fit
check "equal fits are equal files" cmp m.frocc quiet.frocc

{
    say frocc info m.frocc | grep -v kernel_level
    say frocc info paper.frocc | grep -v kernel_level
    say frocc info paper.frocc --json | sed 's/,"kernel_level":"[a-z0-9]*"//'
} | expect info

{
    say frocc score m.frocc new.csv
    say frocc score paper.frocc new.csv -o scores.jsonl
    say head -n 3 scores.jsonl
} | expect score

{
    say frocc predict m.frocc new.csv --threshold 0.5
    say frocc predict m.frocc normal.csv --exit-code -o flags.csv
    say frocc predict m.frocc new.csv --exit-code -o flags.csv -v
    say frocc predict m.frocc new.csv --threshold 0.5 --json -o flags.csv
    say head -n 3 flags.csv
} | expect predict

{
    say frocc eval m.frocc labelled.csv --label label
    say frocc eval m.frocc labelled.csv --label label --threshold 0.5 --json
    say frocc eval m.frocc labelled.csv --label label --bootstrap 10 -o eval.jsonl
    say cat eval.jsonl
    sed 's/,1$/,bad/; s/,0$/,normal/' labelled.csv >words.csv
    say frocc eval m.frocc words.csv --label label --bootstrap 10
    sed 's/,1$/,-1/; s/,0$/,1/' labelled.csv >signs.csv
    say frocc eval m.frocc signs.csv --label label --bootstrap 10
} | expect eval

{
    say frocc explain m.frocc new.csv --top 2
    say frocc explain m.frocc new.csv --rows 1,3,99 --features 1 --leading 1
    say frocc explain m.frocc normal.csv --top 1
} | expect explain

{
    say frocc tune normal.csv --validate labelled.csv --label label --directions 10,100 \
        --epsilon 0.1,1 --kernel linear --scaling none,standard --model best.frocc
    say frocc info best.frocc | grep -E 'directions|epsilon|scaling|score|threshold|fpr|calibration'
    say frocc tune normal.csv --validate labelled.csv --label label --directions 50 --epsilon 0.1,1 \
        --kernel poly --degree 2 --coef0 1 --scaling none --score closeness --calibration 0 \
        --threshold 0.5 --model best.frocc
    say frocc info best.frocc | grep -E 'epsilon|degree|coef0|score|threshold|fpr|calibration'
    say frocc eval best.frocc labelled.csv --label label --bootstrap 0
    say frocc tune normal.csv --validate labelled.csv --label label --directions 50 --epsilon 0.1 \
        --kernel linear --scaling none --json -o tries.csv --model best.frocc
    say frocc tune normal.csv --validate labelled.csv --label label --directions 50 --epsilon 0.01,1 \
        --kernel linear --scaling none --score closeness -o tries.csv --model best.frocc
} | expect tune

{
    head -n 101 normal.csv >a.csv
    { head -n 1 normal.csv && tail -n +102 normal.csv; } >b.csv
    say frocc fit normal.csv --paper -o whole.frocc
    say frocc fit a.csv --paper -o a.frocc
    say frocc fit b.csv --paper -o b.frocc
    say frocc merge a.frocc b.frocc -o ab.frocc
    say frocc merge b.frocc a.frocc -o ba.frocc --json
    say cmp whole.frocc ab.frocc
    say cmp whole.frocc ba.frocc
    say frocc fit a.csv -o a.frocc
    say frocc fit --frame a.frocc b.csv -o b.frocc
    say frocc fit --frame a.frocc normal.csv -o whole.frocc
    say frocc merge a.frocc b.frocc -o ab.frocc
    say cmp whole.frocc ab.frocc
    say frocc fit b.csv -o other.frocc
    say frocc merge a.frocc other.frocc -o none.frocc
    say frocc fit --frame a.frocc --epsilon 0.1 b.csv -o none.frocc
    say frocc seal a.frocc -o sealed.frocc
    say frocc fit --frame sealed.frocc b.csv -o none.frocc
} | expect merge

{
    say frocc seal m.frocc -o sealed.frocc
    say frocc info sealed.frocc | grep -E 'sealed|bytes|rows|intervals'
    say frocc seal sealed.frocc -o again.frocc --json
    say cmp sealed.frocc again.frocc
    say frocc seal paper.frocc -o copy.frocc
    say cmp paper.frocc copy.frocc
    say frocc merge sealed.frocc m.frocc -o none.frocc
} | expect seal
check "a sealed model is smaller" [ "$(wc -c <sealed.frocc)" -lt "$(wc -c <m.frocc)" ]
for what in "score --p-values" predict explain; do
    check "$what of a sealed model" cmp <(frocc $what m.frocc new.csv) <(frocc $what sealed.frocc new.csv)
done

{
    say frocc convert labelled.csv --label label -o c.libsvm
    say head -n 3 c.libsvm
    say frocc convert new.csv -o c.npy -v
    say frocc convert c.npy -o c.csv
    say head -n 3 c.csv
    printf 'name,size,colour\nann,1,red\nbob,2,blue\ncid,,red\n' >people.csv
    say frocc convert people.csv --id name --missing mean
    say frocc convert people.csv --id name --missing drop
    say frocc convert people.csv --drop name,colour --missing mean -o people.jsonl
    say cat people.jsonl
} | expect convert

frocc fit people.csv --id name --missing mean -o people.frocc -q
{
    printf 'name,size,colour\ndan,1.5,red\neve,1.5,green\n' >others.csv
    say frocc score people.frocc others.csv --id name --missing mean
    printf 'name,size,colour\ndan,,red\neve,1.5,green\n' >gaps.csv
    say frocc score people.frocc gaps.csv --id name
    say frocc fit people.csv --id name --missing drop -o drop.frocc
    say frocc score drop.frocc gaps.csv --id name --missing drop
    say frocc score drop.frocc others.csv
    say frocc score drop.frocc gaps.csv
    say frocc score drop.frocc gaps.csv --missing error
    say frocc score drop.frocc gaps.csv --missing mean
    say frocc predict people.frocc gaps.csv --missing drop
} | expect columns

frocc score m.frocc new.csv --p-values | awk -F, 'NR > 1 { print $2 <= 0.01 }' >by_p_value.txt
check "a decision is a p-value's" cmp by_p_value.txt <(frocc predict m.frocc new.csv | tail -n +2)

frocc version >version.txt
check "version" grep -q '^frocc [0-9]*\.[0-9]*\.[0-9]* (.* kernels)$' version.txt
check "--version" cmp version.txt <(frocc --version)
finish
