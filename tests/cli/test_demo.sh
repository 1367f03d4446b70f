# SPDX-License-Identifier: BSD-3-Clause
# The demo: the same figures everywhere, 80 columns, and a picture.
. "$(dirname "$0")/cli.sh"

frocc demo -o demo.svg >said.log
expect demo <said.log
check "80 columns" awk 'length > 80 { exit 1 }' said.log
mkdir build && frocc demo >/dev/null
check "build/demo.svg by default" cmp build/demo.svg demo.svg

# Reads as XML, with eight panels; around the outline of the hull (epsilon 1) nearly all rows lie
# inside, which is where they were learnt, and the corners of the panel outside.
cat >outline.py <<'END'
import re
import sys
import xml.etree.ElementTree as tree

NAME = "{http://www.w3.org/2000/svg}"


def loops(path):
    for loop in re.findall(r"M([^Mz]*)z", path):
        start, _, moves = loop.partition("l")  # none where all of it is one place
        x, y = map(int, start.split())
        steps = [int(n) for n in re.findall(r"-?\d+", moves)]
        points = [(x, y)]
        for dx, dy in zip(steps[::2], steps[1::2]):
            x, y = x + dx, y + dy
            points.append((x, y))
        assert points[0] == points[-1], "an outline is not closed"
        yield points


def inside(outline, x, y):
    crossed = 0
    for points in outline:
        for (ax, ay), (bx, by) in zip(points, points[1:]):
            if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
                crossed += 1
    return crossed % 2 == 1


panels = tree.parse(sys.argv[1]).getroot().findall(NAME + "svg")
assert len(panels) == 8, len(panels)
outlines = [list(loops(panel.find(NAME + "path[@class='accepted']").get("d"))) for panel in panels]
assert all(outlines)
rows = re.findall(r"M(-?\d+) (-?\d+)h0", panels[0].find(NAME + "path[@class='row']").get("d"))
assert len(rows) == 2000, len(rows)
held = sum(inside(outlines[1], int(x) + 0.5, int(y) + 0.5) for x, y in rows)
assert 1960 < held, held
assert not any(inside(outlines[1], x, y) for x in (5.5, 2994.5) for y in (5.5, 2994.5))
END
if command -v python3 >/dev/null; then
    check "the outlines of what is accepted" python3 outline.py demo.svg
else
    skip "the outlines of what is accepted" "no python3 to read them with"
fi
if has_terminal; then
    LC_ALL=C.UTF-8 TERM=xterm script -qec "'$FROCC' demo -o tty.svg" typescript >/dev/null
    check "colours on a terminal" grep -q '48;2;' typescript
    LC_ALL=C TERM=xterm script -qec "'$FROCC' demo -o tty.svg" typescript >/dev/null
    check "plain text where there is no UTF-8" eval '! grep -q "48;2;" typescript'
else
    skip "colours on a terminal" "no terminal can be made here"
fi
finish
