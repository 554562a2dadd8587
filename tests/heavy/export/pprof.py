# SPDX-License-Identifier: GPL-2.0-or-later
"""pprof.py TOP WANTED: what "go tool pprof -top" prints against the report's symbols."""
import re
import sys

from numbers_of import compare, unescaped, wanted

SCALES = {"": 1, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
got = {}
for line in open(sys.argv[1], encoding="utf-8"):
    match = re.match(r"\s*(-?[0-9.]+)([a-z]*)\s+[0-9.]+%\s+[0-9.]+%\s+\S+\s+[0-9.]+%\s+(.*)$", line)
    if match:
        name = unescaped(re.sub(r" \(inline\)$", "", match[3]))
        got[name] = got.get(name, 0) + float(match[1]) * SCALES[match[2]]
# Its numbers are rounded to what a person reads.
compare(got, wanted(sys.argv[2]), lambda weight: 0.005 * weight + 1)
