#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""call_sites.py PROFILE LABEL [FILE]: stacks of the command against the code, on x86-64. Before
every return address there is a call; where that says what it calls, the frame above is in that
function, or in one that it jumps to. Only where both have symbols of their own, in files that are as
they were. Prints what was compared; status 1 when there is a violation in FILE, or more than a few
elsewhere."""

import functools
import os
import re
import sqlite3
import subprocess
import sys

PLT = (".plt", ".plt.sec", ".plt.got", ".iplt")
JUMPS_FOLLOWED = 6
UNKNOWN_SIZE = 2048  # of functions without a symbol and without unwind tables
MOST_VIOLATIONS = 2  # in programs that are not ours: jumps to places without a symbol
# Go's outermost frame is made by hand and returns after a nop.
BY_HAND = {"runtime.goexit.abi0", "runtime.goexit"}


@functools.lru_cache(maxsize=None)
def read(path):
    with open(path, "rb") as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def is_same(path, size, mtime_ns):
    try:
        now = os.stat(path)
    except OSError:
        return False
    return (now.st_size, now.st_mtime_ns) == (size, mtime_ns)


@functools.lru_cache(maxsize=None)
def stubs(path):
    """The sections of code that only lead on: (start, end)."""
    text = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout
    found = re.findall(r"\]\s+(\.\S+)\s+\S+\s+(\w+)\s+\w+\s+(\w+)", text)
    return [(int(at, 16), int(at, 16) + int(size, 16)) for name, at, size in found if name in PLT]


@functools.lru_cache(maxsize=None)
def symbols(path):
    """Start and end of each function by any of its names."""
    text = subprocess.run(["nm", "-S", "--defined-only", path], capture_output=True, text=True).stdout
    text += subprocess.run(["nm", "-DS", "--defined-only", path], capture_output=True, text=True).stdout
    rows = (line.split() for line in text.splitlines())
    return {int(row[0], 16): int(row[0], 16) + int(row[1], 16) for row in rows
            if len(row) >= 4 and row[2] in "tTwWiu"}


@functools.lru_cache(maxsize=None)
def described(path):
    """Start and end of what unwind tables describe, functions without symbols among them."""
    text = subprocess.run(["readelf", "--debug-dump=frames-interp", path], capture_output=True,
                          text=True).stdout
    return {int(low, 16): int(high, 16)
            for low, high in re.findall(r"\bFDE\b.*\bpc=([0-9a-f]+)\.\.([0-9a-f]+)", text)}


@functools.lru_cache(maxsize=None)
def jumps(path, start):
    """Where the function leads without a call: (addresses, does it jump to an unknown place)."""
    end = symbols(path).get(start) or described(path).get(start, start + UNKNOWN_SIZE)
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--start-address={start}",
                           f"--stop-address={max(end, start + 1)}", path],
                          capture_output=True, text=True).stdout
    targets = {int(at, 16) for at in re.findall(r"\bj\w+\s+(?:\w+,)?\s*([0-9a-f]+)\b", text)}
    return {at for at in targets if not start <= at < end}, bool(re.search(r"\bjmp\s+\*", text))


def leads_to(path, start, child_start, child_end):
    seen, now = set(), {start}
    for _ in range(JUMPS_FOLLOWED):
        if any(child_start <= at < child_end for at in now):
            return True
        seen |= now
        following = set()
        for at in now:
            known, unknown = jumps(path, at)
            if unknown:
                return True
            following |= known
        now = following - seen
    return False


def call_before(code, offset):
    """What precedes a return address: a distance, "indirect", or None."""
    if offset >= 5 and code[offset - 5] == 0xE8:
        return int.from_bytes(code[offset - 4:offset], "little", signed=True)
    for size in range(2, 8):
        if offset >= size and code[offset - size] == 0xFF and code[offset - size + 1] >> 3 & 7 == 2:
            return "indirect"
    return None


def main():
    profile = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    returned = profile.execute(
        "SELECT id FROM word WHERE list = 'frame_kind' AND name = 'return'").fetchone()[0]
    pairs = profile.execute("""
        WITH RECURSIVE used(id) AS (SELECT DISTINCT total.stack FROM total
            JOIN task ON task.id = total.task JOIN process ON process.id = task.process
            WHERE process.in_command UNION
            SELECT stack.parent FROM used JOIN stack ON stack.id = used.id WHERE stack.parent > 0)
        SELECT DISTINCT p.address, p.offset, i.path, i.size, i.mtime_ns, sp.name, s.name, s.start,
            s.size, i.id = ci.id
        FROM used JOIN stack AS child ON child.id = used.id
        JOIN stack AS parent ON parent.id = child.parent
        JOIN frame AS p ON p.id = parent.frame JOIN image AS i ON i.id = p.image
        JOIN symbol AS sp ON sp.id = p.symbol
        JOIN frame AS c ON c.id = child.frame JOIN image AS ci ON ci.id = c.image
        JOIN symbol AS s ON s.id = c.symbol
        WHERE p.kind = ? AND i.kind = 'file' AND ci.kind = 'file' AND p.address_known
        """, (returned,)).fetchall()
    counts = dict.fromkeys(("direct", "indirect", "jumped", "stub", "unknown", "violations"), 0)
    bad = False
    for address, offset, path, *file, caller, callee, start, size, same in pairs:
        if "->" in caller + callee or caller in BY_HAND or not is_same(path, *file):
            counts["unknown"] += 1
            continue
        code = read(path)
        call = call_before(code, offset)
        target = address + call if isinstance(call, int) else 0
        if call == "indirect":
            counts["indirect"] += 1
        elif call is not None and any(low <= target < high for low, high in stubs(path)):
            counts["stub"] += 1
        elif call is not None and same and start <= target < start + size:
            counts["direct"] += 1
        elif call is not None and leads_to(path, target, start if same else -1,
                                           start + size if same else -1):
            counts["jumped"] += 1
        else:
            counts["violations"] += 1
            bad |= path in sys.argv[3:]
            if counts["violations"] <= 10:
                print(f"# {path} {address:#x}: {caller} does not call {callee} ({target:#x})")
    print(f"# {sys.argv[2]}: {len(pairs)} pairs; " +
          ", ".join(f"{count} {name}" for name, count in counts.items()))
    compared = sum(counts.values()) - counts["unknown"]
    return bad or compared < 50 or counts["violations"] > MOST_VIOLATIONS


if __name__ == "__main__":
    sys.exit(main())
