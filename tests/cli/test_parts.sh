# SPDX-License-Identifier: BSD-3-Clause
# One fit in parts, by files: the frame first, then each part, then one model of all, which is that of
# one process, byte for byte; and what goes wrong on the way.
. "$(dirname "$0")/cli.sh"

refused() { # refused WORDS COMMAND...: it fails, says so in a line or two, and writes nothing
    local words=$1
    shift
    rm -f none.frocc && cp all.frocc kept.frocc
    ! "$@" >said.log 2>&1 || { echo "not refused" && return 1; }
    grep -qF -- "$words" said.log && [ "$(wc -l <said.log)" -le 2 ] || { cat said.log && return 1; }
    [ ! -e none.frocc ] && cmp all.frocc kept.frocc
}
quiet() { frocc "$@" -q; }

# rows FIRST LAST: of a table of requests with a text that some parts have and others do not
rows() {
    echo "ms,bytes,kind,load"
    awk -v first="$1" -v last="$2" 'BEGIN { for (i = first; i <= last; i++)
        printf "%.3f,%d,%s,%.4f\n", 20 + i * 7919 % 1009 / 100, i * 104729 % 65537,
            i % 1000 < 3 ? "odd" : i % 3 ? "get" : "put", (i * 31 % 97) * (i * 17 % 89) / 1000 }'
}
rows 1 4000 >whole.csv
cut_at() { # cut_at LINE...: parts of these many rows, each with the header
    local first=1 k=0 last
    rm -f part-*
    for last; do
        k=$((k + 1)) && rows "$first" "$last" >"$(printf 'part-%02d.csv' $k)" && first=$((last + 1))
    done
}
random_order() { ls "$@" | shuf --random-source=<(yes "$RANDOM"); }

# fit_parts FRAME [OPTION...]: each part in its frame, then all merged in random order
fit_parts() {
    local frame=$1 part
    shift
    for part in part-*.csv; do
        quiet fit --frame "$frame" "$part" -o "${part%.csv}.frocc" "$@" || return 1
    done
    quiet merge $(random_order part-*.frocc) -o all.frocc
}
same_model() { cmp one.frocc all.frocc; }

# ---- One process makes the frame -----------------------------------------------------------------

cut_at 3 1500 1501 2600 4000
methods=("" --paper)
[ -n "${FROCC_TEST_QUICK-}" ] ||
    methods+=("--score closeness --trees 0 --scaling minmax" "--paper --epsilon 0.01 -m 40")
for method in "${methods[@]}"; do
    quiet fit whole.csv $method -o one.frocc
    quiet frame part-*.csv $method -o all.frame
    check "parts are the whole: ${method:-default}" eval 'fit_parts all.frame && same_model'
    quiet frame part-03.csv part-05.csv part-01.csv part-04.csv part-02.csv $method -o other.frame
    check "a frame knows no order: ${method:-default}" cmp all.frame other.frame
done

# ---- The parts' samples make the frame -----------------------------------------------------------

cut_at 1400 2700 4000 # all of which have all texts
for method in "" --paper; do
    quiet fit whole.csv $method -o one.frocc
    for part in part-*.csv; do quiet frame --sample "$part" $method -o "${part%.csv}.sample"; done
    quiet frame $(random_order part-*.sample) $method -o all.frame --parts 3
    check "a frame of samples: ${method:-default}" eval 'fit_parts all.frame && same_model'
done
quiet frame --sample $(random_order part-*.sample) -o all.sample && quiet frame all.sample -o other.frame
quiet frame part-*.sample -o all.frame
check "samples merge in a tree" cmp all.frame other.frame
quiet fit whole.csv -o one.frocc
for i in 1 2 3; do
    quiet frame --sample whole.csv --part $i/3 -o part-$i.sample
done
quiet frame part-[123].sample -o other.frame
for i in 1 2 3; do quiet fit --frame other.frame whole.csv --part $i/3 -o third-$i.frocc; done
check "parts of one file" eval 'cmp all.frame other.frame && quiet merge third-*.frocc -o all.frocc && same_model'

quiet frame --sample part-01.csv --seed 3 -o seed.sample
check "a sample of another seed" refused "part-01.sample was taken with another --seed than 3" \
    frocc frame part-01.sample --seed 3 -o none.frocc
check "or of none" refused "seed.sample was taken with another --seed than 0" frocc frame seed.sample -o none.frocc
check "options that come too late" refused "part-01.sample has rows as they were read, so --use comes too late" \
    frocc frame part-01.sample --use 1 -o none.frocc
check "the hint works" quiet frame seed.sample --seed 3 -o seed.frame

# ---- Texts that only some parts have -------------------------------------------------------------

cut_at 900 990 4000
for part in part-*.csv; do quiet frame --sample "$part" -o "${part%.csv}.sample"; done
quiet frame $(random_order part-*.sample) -o all.frame && quiet frame whole.csv -o other.frame
check "parts of other texts make the frame of all" cmp all.frame other.frame
quiet frame --schema $(random_order part-*.sample) -o all.columns
for part in part-*.csv; do
    quiet frame --sample --like all.columns "$part" -o "${part%.csv}.sample"
done
quiet frame part-*.sample -o all.frame
check "the hint works" eval 'fit_parts all.frame && same_model'
for part in part-*.csv; do quiet frame --schema "$part" -o "${part%.csv}.columns"; done
quiet frame --schema $(random_order part-*.columns) -o other.columns
check "columns alone join, too" cmp all.columns other.columns
quiet frame --like all.columns part-02.csv part-01.csv part-03.csv -o other.frame
check "columns make a frame" cmp all.frame other.frame
check "and so do those of a model" eval 'quiet frame --like one.frocc part-*.csv -o other.frame &&
    cmp all.frame other.frame'

# ---- Missing cells, of which some rows tell for all ----------------------------------------------

cut_at 1400 2700 4000
for part in part-*.csv; do awk -F, -v OFS=, 'NR > 1 && NR % 50 == 0 { $1 = "" } 1' "$part" >cells.csv && mv cells.csv "$part"; done
quiet frame --schema --missing keep part-02.csv -o all.columns
for part in part-*.csv; do quiet frame --sample --like all.columns "$part" -o "${part%.csv}.sample"; done
quiet frame $(random_order part-*.sample) -o all.frame
quiet frame --like all.columns part-*.csv -o one.frame && quiet fit --frame one.frame part-*.csv -o one.frocc
check "missing cells, in columns of some rows" eval 'cmp one.frame all.frame && fit_parts all.frame && same_model'

# ---- Times, of which only some have hours -------------------------------------------------------

for i in 1 2 3; do
    { echo "at,x" && seq 1 400 | awk -v i=$i '{ printf "2024-0%d-%02d%s,%d\n", i, $1 % 28 + 1,
        i == 2 ? sprintf("T%02d:30:00", $1 % 24) : "", $1 * i % 53 }'; } >time-$i.csv
    quiet frame --schema time-$i.csv -o time-$i.columns
done
quiet frame --schema time-[312].columns -o all.columns
quiet frame --like all.columns time-?.csv -o time.frame
for i in 1 2 3; do quiet fit --frame time.frame time-$i.csv -o time-$i.frocc; done
check "hours that only a part has" eval 'quiet merge time-[123].frocc -o all.frocc &&
    quiet fit time-?.csv -o time.frocc && cmp time.frocc all.frocc'

# ---- Many parts, labels, tables without names ----------------------------------------------------

quiet fit whole.csv -o one.frocc
cut_at $(seq 1100 100 2800) 4000
quiet frame part-*.csv -o all.frame
check "more parts than are held at a time" eval 'fit_parts all.frame && same_model'
cut_at 1000 4000
quiet fit whole.csv --label kind --outlier odd -o one.frocc
quiet frame part-*.csv --label kind --outlier odd -o all.frame
check "labelled outliers are left out" eval 'fit_parts all.frame --label kind --outlier odd && same_model'
cut -d, -f1,2 whole.csv | tail -n +2 >plain.csv
split -n l/3 --additional-suffix=.csv plain.csv part-plain-
rm -f part-0* && quiet fit plain.csv -o one.frocc
for part in part-plain-*.csv; do quiet frame --sample "$part" -o "${part%.csv}.sample"; done
quiet frame part-plain-*.sample -o all.frame
check "columns without names" eval 'fit_parts all.frame && same_model'

# ---- What goes wrong -----------------------------------------------------------------------------

rm -f part-*
cut_at 1500 4000
quiet frame part-*.csv -o all.frame && fit_parts all.frame
check "a part that is missing" refused "part-03.frocc" frocc merge part-01.frocc part-03.frocc -o all.frocc
check "a part that was forgotten" refused "--parts says 2" frocc merge part-01.frocc --parts 2 -o all.frocc
check "none was" quiet merge part-*.frocc --parts 2 -o all.frocc
quiet frame part-01.csv -o other.frame && quiet fit --frame other.frame part-02.csv -o other.frocc
check "another frame" refused "part-01.frocc and other.frocc are of different frames" \
    frocc merge part-01.frocc other.frocc -o all.frocc
check "another epsilon" eval 'quiet frame part-*.csv -e 0.01 -o fine.frame &&
    quiet fit --frame fine.frame part-02.csv -o fine.frocc &&
    refused "epsilon" frocc merge part-01.frocc fine.frocc -o all.frocc'
cut -d, -f1-3 part-02.csv >narrow.csv
check "other columns, fitting" refused "load" frocc fit --frame all.frame narrow.csv -o none.frocc
quiet frame --sample narrow.csv -o narrow.sample && quiet frame --sample part-01.csv -o part-01.sample
check "other columns, of samples" refused "narrow.sample" frocc frame part-01.sample narrow.sample -o none.frocc
check "other columns, joining" refused "one part has 4 columns" frocc frame --schema part-01.sample narrow.sample -o none.frocc
sed 's/,get,/,1,/; s/,put,/,2,/; s/,odd,/,3,/' part-02.csv >coded.csv
quiet frame --sample coded.csv -o coded.sample
check "numbers here and texts there" refused "frocc frame --schema" \
    frocc frame part-01.sample coded.sample -o none.frocc
# joined OPTION FILE...: parts of different kinds are the whole, by the columns of all
joined() {
    local option=$1 part
    shift
    quiet fit "$@" $option -o whole.frocc || return 1
    for part; do quiet frame --schema "$part" $option -o "$part.columns" || return 1; done
    quiet frame --schema $(printf '%s.columns\n' "$@" | shuf) -o joined.columns || return 1
    for part; do quiet frame --sample --like joined.columns "$part" -o "$part.sample" || return 1; done
    quiet frame $(printf '%s.sample\n' "$@") -o joined.frame || return 1
    for part; do quiet fit --frame joined.frame "$part" -o "$part.frocc" || return 1; done
    quiet merge $(printf '%s.frocc\n' "$@" | shuf) -o joined.frocc && cmp whole.frocc joined.frocc
}
check "the hint works" joined "" part-01.csv coded.csv
awk -F, -v OFS=, 'NR > 1 { $1 = NR % 3 ? NR : "" } { print }' part-02.csv >mean.csv
check "filled-in cells of parts" joined "--missing mean" part-01.csv mean.csv
check "states of parts" joined "--missing keep" part-01.csv mean.csv
quiet frame --schema part-01.sample coded.sample -o some.columns
check "numbers here and texts there are texts" eval 'frocc info some.columns | grep -q "kind  *text"'
quiet frame --sample part-02.csv --missing mean -o mean.sample
quiet frame --sample part-01.csv --missing mean -o mean-1.sample
quiet frame --schema mean-1.sample mean.sample -o some.columns
quiet frame --schema part-01.csv part-02.csv --missing mean -o both.columns
check "means of parts" cmp some.columns both.columns
for file in part-01.frocc all.frame part-01.sample; do
    head -c 700 $file >cut.${file##*.}
done
check "a model that is cut short" refused "checksum does not match" frocc merge cut.frocc part-02.frocc -o all.frocc
check "a frame that is cut short" refused "cut.frame: the file is damaged" \
    frocc fit --frame cut.frame part-02.csv -o none.frocc
check "a sample that is cut short" refused "cut.sample: the file is damaged" \
    frocc frame cut.sample part-01.sample -o none.frocc
check "a sample is no frame" refused "this is a sample where a frame is expected" \
    frocc fit --frame part-01.sample part-02.csv -o none.frocc
check "a frame is no model" refused "all.frame: this is a frame, which has no rows, where a model" \
    frocc merge all.frame part-01.frocc -o all.frocc
check "nor one that scores" refused "'frocc fit --frame all.frame DATA" frocc score all.frame part-02.csv
check "a sample is no model" refused "this is a sample where a model is expected" frocc score part-01.sample part-02.csv
frocc info all.frame >said.txt
check "info of a frame" eval 'grep -Eqx "kind +frame" said.txt && grep -Eqx "rows +0" said.txt &&
    grep -Eqx "used_by +frocc fit --frame" said.txt &&
    grep -Fqx "$(frocc info part-01.frocc | grep frame_checksum)" said.txt &&
    [ "$(sed -n "/^columns/,\$p" said.txt)" = "$(frocc info part-01.frocc | sed -n "/^columns/,\$p")" ]'
check "nothing is read of a pipe" refused "is not a regular file" frocc info <(cat part-01.frocc)
check "info of a sample" eval 'frocc info part-01.sample --json |
    grep -q "^{\"kind\":\"sample\",\"features\":[0-9]*,\"rows\":[0-9]*,\"used_by\":\"frocc frame\",\"columns\":.*}$"'
check "data is no frame" refused "not a frocc file" frocc fit --frame part-01.csv part-02.csv -o none.frocc
check "the method is the frame's" refused "leave out --epsilon" \
    frocc fit --frame all.frame part-02.csv -e 0.1 -o none.frocc
check "labels of a part do not tell" refused "--outlier" \
    frocc fit --frame all.frame part-02.csv --label kind -o none.frocc
check "data and samples" refused "is a sample, and" frocc frame part-01.sample part-02.csv -o none.frocc
check "the frame is not written over" refused "which is read" \
    frocc fit --frame all.frame part-02.csv -o all.frame
check "nor a sample" refused "which is read" frocc frame part-01.sample -o part-01.sample
head -n 1 part-01.csv >none.csv
check "a part of no rows" refused "no rows" frocc fit --frame all.frame none.csv -o none.frocc
check "a frame of unbounded size" refused "max-memory" \
    frocc fit --frame all.frame part-02.csv --max-memory 1 -o none.frocc
# What is learnt from a part must be what its reader thinks it is.
for i in 1 2 3; do echo "v,k" && for j in 1 2 3 4 5 6 7 8 9; do echo "$j.$i,$([ $i = 3 ] && echo new || echo old)"; done; done |
    awk 'NR > 1 && /^v/ { next } { print }' >known-new.csv
grep -v new known-new.csv >known.csv
frocc fit known.csv -q -o known.frocc 2>/dev/null
frocc fit --frame known.frocc known-new.csv -q -o again.frocc
printf 'v,k\n5.2,new\n' >new.csv
check "texts that the frame does not know are learnt" eval '
    frocc explain known.frocc new.csv | grep -q "k is .*never seen" &&
    ! frocc explain again.frocc new.csv | grep -q "never seen"'
frocc fit --frame known.frocc known.csv -q -o again.frocc
echo old >twice.frocc
check "a model twice is refused" eval '! frocc merge known.frocc again.frocc ./known.frocc -o twice.frocc 2>said.txt &&
    grep -q "one file; its rows would count twice" said.txt && [ "$(cat twice.frocc)" = old ]'
finish
