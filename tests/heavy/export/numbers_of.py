# SPDX-License-Identifier: GPL-2.0-or-later
"""What the comparisons share: the report's numbers, and a verdict."""
import re
import sys


def unescaped(name):
    """Both sides escape what is no text, one of them more of it: compared as bytes."""
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), name.encode())


def wanted(path):
    found = {}
    for line in open(path, encoding="utf-8"):
        name, weight = line.rstrip("\n").rsplit("\t", 1)
        found[unescaped(name)] = found.get(unescaped(name), 0) + int(weight)
    return found


def without_symbol(name):
    """The report says between which symbols or in which section such code lies, an export where its
    function starts."""
    return b"->" in name or name[:1] == b"[" or re.search(rb"\+0x[0-9a-f]+$", name)


def folded(rows, others):
    """The rows, with one for all code without a symbol: its names differ, its sum does not."""
    sums = {}
    for name, weight in rows.items():
        key = b"(no symbol)" if name not in others and without_symbol(name) else name
        sums[key] = sums.get(key, 0) + weight
    return sums


def compare(got, true, tolerance):
    got, true = folded(got, true), folded(true, got)
    bad = [(name, got.get(name), weight) for name, weight in true.items()
           if abs(got.get(name, 0) - weight) > tolerance(weight)]
    bad += [(name, weight, 0) for name, weight in got.items() if name not in true and weight]
    if bad or not true:
        sys.exit("# name, theirs, ours: %s" % bad[:4])
