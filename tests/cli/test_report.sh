# SPDX-License-Identifier: BSD-3-Clause
# The report in a real browser: its figures are there, nothing is fetched, nothing is complained of.
. "$(dirname "$0")/cli.sh"

frocc gen moons -n 500 -o normal.csv
frocc gen moons -n 300 --seed 2 --outliers 0.2 --label -o labelled.csv
cut -d, -f1,2 labelled.csv >new.csv
frocc fit normal.csv -m 100 -e 0.01 -o m.frocc -q
frocc report m.frocc labelled.csv --label label --train normal.csv --threshold 0.8 -o full.html -q
frocc report m.frocc new.csv -o plain.html -q
frocc fit normal.csv -m 100 -e 0.01 --score agreement -o agreement.frocc -q
frocc report agreement.frocc labelled.csv --label label -o agreement.html -q
frocc gen gaussians -n 200 -d 5 | sed '1s/x1/<b>\&"x"/' >wide.csv
frocc fit wide.csv -m 100 -o wide.frocc -q
{ head -n 1 wide.csv && frocc gen uniform -n 50 -d 5 | tail -n +2; } >strange.csv
frocc report wide.frocc strange.csv -o wide.html -q

has_figures() { # has_figures PAGE NAME...
    local page=$1 name
    shift
    for name; do
        grep -q "id=\"$name\"" "$page" || { echo "no $name" && return 1; }
    done
}
check "figures with labels" has_figures full.html facts histogram roc precision-recall \
    region promise features intervals worst
check "figures of agreement" has_figures agreement.html facts histogram roc precision-recall \
    auc-directions auc-epsilon region intervals worst
check "no counts of directions in closeness" eval '! grep -q "id=\"auc-" full.html'
check "figures without labels" has_figures plain.html facts histogram region promise \
    features intervals worst
check "p-values of a calibrated model" eval 'grep -q "<th>p-value</th>" full.html'
frocc fit normal.csv --paper -o paper.frocc -q
check "none without calibration" eval '! frocc report paper.frocc new.csv | grep -q p-value'
check "no curves without labels" eval '! grep -q "id=\"roc\"" plain.html'
check "no region for five features" eval '! grep -q "id=\"region\"" wide.html'
check "a strip for each of few features" [ "$(grep -o ' to [-0-9.e+]*</text>' wide.html | wc -l)" -eq 5 ]
frocc gen gaussians -n 60 -d 20000 -o wider.csv
frocc fit wider.csv -o wider.frocc -q
check "20,000 columns in the time of a few" timeout 30 "$FROCC" report wider.frocc wider.csv -o wider.html -q
check "and only the leading ones" [ "$(grep -o ' to [-0-9.e+]*</text>' wider.html | wc -l)" -eq 12 ]
awk -v week=1 -f "$root/examples/requests.awk" | head -n 2000 >log.csv
frocc fit log.csv --id request --missing keep -o log.frocc -q
frocc report log.frocc log.csv --id request --train log.csv -o log.html -q
check "a time axis where rows have stamps" has_figures log.html times histogram promise features
check "with days" eval 'grep -q ">2026-11-02</text>" log.html'
check "and no other" eval '! grep -q "id=\"times\"" plain.html'
check "strips for numbers only" [ "$(grep -o ' to [-0-9.e+]*</text>' log.html | wc -l)" -eq 3 ]
check "training rows are left out" eval 'grep -q "each left out" log.html && grep -q "each left out" full.html'
check "but not rows of agreement" eval 'frocc report agreement.frocc labelled.csv --label label --train normal.csv | grep -q "training rows<"'
check "names are escaped" eval '! grep -q "<b>&" wide.html && grep -q "&lt;b&gt;&amp;&quot;x&quot;" wide.html'
check "no address outside the page" eval '! grep -Eo "(src|href)=\"[^\"]*\"|url\([^)]*\)|@import" full.html | grep -v "href=\"data:,\""'
check "the same page twice" cmp full.html <(frocc report m.frocc labelled.csv --label label \
    --train normal.csv --threshold 0.8)
if command -v python3 >/dev/null; then
    check "well-formed" python3 -c '
import html.parser
void = {"meta", "link", "line", "rect", "circle", "path", "polyline"}
class Parser(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []
    def handle_starttag(self, tag, attributes):
        if tag not in void:
            self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        pass
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
for page in "full.html", "plain.html", "wide.html", "agreement.html":
    parser = Parser()
    parser.feed(open(page).read())
    assert not parser.open, parser.open'
fi

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { skip "in a browser" "no chromium" && finish; }

# browse PAGE: what the page looks like to the browser.
browse() {
    timeout 90 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$scratch/profile" --enable-logging=stderr --log-level=0 --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --window-size="${2:-1160},2000" --screenshot="$scratch/$1.png" --dump-dom \
        "file://$scratch/$1" >"$1.dom" 2>"$1.err"
}

# The page's own policy forbids every request, and the browser complains of what is forbidden.
for page in full.html plain.html wide.html agreement.html; do
    check "$page opens" browse $page
    check "$page, no console message" eval "! grep CONSOLE $page.err"
    check "$page is drawn" eval "[ \$(grep -o '<svg' $page.dom | wc -l) -eq \$(grep -o '<svg' $page | wc -l) ]"
done

# A script that the test adds, and the policy taken out to let it run, writes into the title how
# many requests there were and whether all figures have a size and all of the page fits the window.
for page in agreement.html log.html; do for width in 1160 390; do
    sed -e 's,<meta http-equiv[^>]*>,,' -e 's,</body>,<script>document.title=performance.getEntriesByType("resource").length+" requests\, "+([...document.querySelectorAll("svg")].every(s=>s.getBoundingClientRect().height>100)\&\&document.documentElement.scrollWidth<=innerWidth\&\&[...document.querySelectorAll("th\,td\,.feature")].every(e=>e.getBoundingClientRect().right<=innerWidth)?"all drawn":"too small or too wide")</script></body>,' \
        $page >probe.html
    check "probe of $page opens, $width wide" browse probe.html $width
    check "no request, and all is drawn and seen" grep -o '<title>0 requests, all drawn</title>' probe.html.dom
done; done
finish
