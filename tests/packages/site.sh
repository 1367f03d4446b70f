# SPDX-License-Identifier: BSD-3-Clause
# The site of the documentation: built, searchable, whole, and with nothing from elsewhere in it.
. "$(dirname "$0")/../build/shell.sh"
site=$scratch/site

# Every link and picture of every page leads to a file, and to a place in it.
links() {
    python3 - "$site" <<'END'
import sys, urllib.parse
from html.parser import HTMLParser
from pathlib import Path

root = Path(sys.argv[1]).resolve()
places, links = {}, []

class Reader(HTMLParser):
    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        places[self.page].update(given[name] for name in ("id", "name") if given.get(name))
        links.extend((self.page, given[name]) for name in ("href", "src") if given.get(name))

for page in root.rglob("*.html"):
    places[page] = set()
    reader = Reader()
    reader.page = page
    reader.feed(page.read_text())
inside = broken = 0
for page, link in links:
    url = urllib.parse.urlsplit(link)
    if url.scheme or url.netloc:
        continue
    path = urllib.parse.unquote(url.path)
    # The page for what is not found does not know where it will lie.
    target = (root / path[1:] if path[:1] == "/" else page.parent / path).resolve() if path else page
    target = root / "index.html" if target == root else target
    fine = target.is_file() and (not url.fragment or target not in places
                                 or urllib.parse.unquote(url.fragment) in places[target])
    inside += 1
    if not fine:
        broken += 1
        print(f"{page.relative_to(root)}: {link}")
sys.exit(broken != 0 or inside < 1000)
END
}

# What a browser fetches by itself, in pages and styles.
nothing_outside() {
    ! grep -rnoE '<(link|script|img|iframe|source)[^>]*(src|href)="?(https?:)?//[^>]*|(url\(|@import )["'\'']?(https?:)?//[^)]*' \
        "$site" --include=*.html --include=*.css
}

searchable() {
    python3 - "$site/search/search_index.json" <<'END'
import json, sys
index = json.load(open(sys.argv[1]))
for page, word in (("index.html", "one-class"), ("frocc.1.html", "--p-values"), ("python.html", "scikit"),
                   ("source/include/frocc.h.html", "frocc_fit")):
    assert any(entry["location"].split("#")[0] == page and word in entry["text"]
               for entry in index["docs"]), (page, word)
for entry in index["docs"]:  # code comes after what is written for readers
    assert (entry.get("boost", 1) < 1) == entry["location"].startswith("source/"), entry["location"]
END
}

# Whatever the README's table of readers names has a page, and the menu has it.
same_menu() {
    local name
    sed -n '/^| you | read |/,/^$/p' README.md | grep -o '](docs/[^)]*' | while read -r name; do
        name=${name#](docs/}
        name=${name%.md}.html
        grep -q "<a href=\"$name\" class=\"md-nav__link\"" "$site/index.html" || echo "$name"
    done >"$scratch/left"
    ! grep . "$scratch/left"
}

sees_broken() { # a link to no file, and one to no heading
    mkdir "$scratch/tree" "$scratch/tree/build" &&
        tar -c --exclude=./build --exclude=./dist --exclude=./.git . | tar -xC "$scratch/tree" &&
        ln -s "$root/build/site-tools" "$scratch/tree/build" &&
        echo "[one](../examples/no.c) [two](c.md#no-such)" >>"$scratch/tree/docs/r.md" &&
        ! "$scratch/tree/packaging/site/build" >"$scratch/broken" 2>&1 &&
        grep "r.md.*no\.c" "$scratch/broken" && grep "r.md.*#no-such" "$scratch/broken"
}

was_built() {
    cat "$scratch/log" && [ "$built" -eq 0 ]
}

packaging/site/build "$site" >"$scratch/log" 2>&1
built=$?
if grep -q 'site: pip' "$scratch/log"; then
    skip "site" "$(grep 'site: pip' "$scratch/log")"
    finish
fi
check "the site is built from docs/ and the README" was_built
check "all links of the site lead somewhere" links
check "nothing is loaded from elsewhere" nothing_outside
check "the search index has pages, manual and headers" searchable
check "the menu has what the README names" same_menu
check "a broken link is seen" sees_broken
finish
