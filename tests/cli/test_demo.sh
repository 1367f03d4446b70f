# SPDX-License-Identifier: BSD-3-Clause
# The demo: the same figures everywhere, 80 columns, and a picture that others can read.
. "$(dirname "$0")/cli.sh"

frocc demo -o demo.png >said.log
expect demo <said.log
check "80 columns" awk 'length > 80 { exit 1 }' said.log
mkdir build && frocc demo >/dev/null
check "build/demo.png by default" cmp build/demo.png demo.png
if command -v python3 >/dev/null; then
    check "a valid PNG" python3 -c '
import struct, zlib
data = open("demo.png", "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
at, pixels, size = 8, b"", None
while at < len(data):
    length, kind = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + length]
    assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
    size = struct.unpack(">II", body[:8]) if kind == b"IHDR" else size
    pixels += body if kind == b"IDAT" else b""
    at += 12 + length
assert len(zlib.decompress(pixels)) == size[1] * (3 * size[0] + 1)'
else
    skip "a valid PNG" "no python3 to read it with"
fi
if has_terminal; then
    LC_ALL=C.UTF-8 TERM=xterm script -qec "'$FROCC' demo -o tty.png" typescript >/dev/null
    check "colours on a terminal" grep -q '48;2;' typescript
    LC_ALL=C TERM=xterm script -qec "'$FROCC' demo -o tty.png" typescript >/dev/null
    check "plain text where there is no UTF-8" eval '! grep -q "48;2;" typescript'
else
    skip "colours on a terminal" "no terminal can be made here"
fi
finish
