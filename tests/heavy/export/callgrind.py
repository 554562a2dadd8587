# SPDX-License-Identifier: GPL-2.0-or-later
"""callgrind.py FLAT WANTED: what callgrind_annotate prints against the report's symbols."""
import re
import sys

from numbers_of import compare, unescaped, wanted

got = {}
for line in open(sys.argv[1], encoding="utf-8"):
    match = re.match(r"\s*([0-9,]+) \([ 0-9.]+%\)\s+(.*) \[.*\]$", line)
    if match:
        name = unescaped(match[2].split(":", 1)[1])
        got[name] = got.get(name, 0) + int(match[1].replace(",", ""))
compare(got, wanted(sys.argv[2]), lambda weight: 0)
