#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lines.py PROSPECT FILE [COUNT] [OPTION...]: the lines and inlined functions that `prospect
symbolize` tells of COUNT addresses of FILE, beside those of eu-addr2line and addr2line.

Where llvm-addr2line is installed it is a third voice: elfutils finds nothing in files of clang that
have no .debug_aranges, and binutils 2.40 misreads the files and inlined functions of clang's
version 5.

The addresses: the first, a middle and the last one of every function, then random ones in functions
until COUNT; the others are asked about FILE too, or, with LIKE=OTHER in the environment, about
that: the same code with its debug information in another place. An answer is right when it is what one of the others says, level for level: function,
file, line. OPTIONs go to prospect (--debug-dir ...). Prints one line: how many agree; 0 when all do.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace")
    return done.stdout


def functions(path):
    """Places of functions, by nm: those with a size, that hold code."""
    table = {}
    for kind in ([], ["-D"]):
        for line in run(["nm", "-S", "--defined-only"] + kind + [path], "").splitlines():
            words = line.split()
            if len(words) >= 4 and words[2] in "tTwWiu" and int(words[1], 16) > 0:
                table[int(words[0], 16)] = int(words[1], 16)
    return table


def addresses(path, count):
    table = functions(path)
    chosen = set()
    for start, size in table.items():
        chosen.update((start, start + size // 2, start + size - 1))
    rng = random.Random(4)
    chosen = set(rng.sample(sorted(chosen), min(count, len(chosen))))
    places = sorted(table.items())
    while places and len(chosen) < count:
        before = len(chosen)
        for _ in range(count):
            start, size = rng.choice(places)
            chosen.add(start + rng.randrange(size))
            if len(chosen) >= count:
                break
        if len(chosen) == before:
            break
    return sorted(chosen)


def plain_path(path):
    """Both oracles and we join folders with names; only simpler spellings are told apart."""
    return os.path.normpath(path) if path and path != "??" else ""


def place(text):
    text = re.sub(r" \(discriminator \d+\)$", "", text)
    match = re.match(r"(.*?):(\d+|\?)(?::\d+)?$", text)
    if not match:
        return "", 0
    number = match.group(2)
    return plain_path(match.group(1)), 0 if number == "?" else int(number)


def name(text):
    text = re.sub(r" inlined at .*", "", text)
    return "" if text == "??" else text


def by_addr2line(tool, path, chosen):
    """Levels by address: [(function, file, line), ...], innermost first."""
    answers = {}
    current = []
    lines = run(tool + ["-afi", "-e", path], "".join(f"{a:#x}\n" for a in chosen)).splitlines()
    at = 0
    while at < len(lines):
        if re.fullmatch(r"0x[0-9a-f]+", lines[at]):
            current = []
            answers[int(lines[at], 16)] = current
            at += 1
            continue
        if at + 1 < len(lines):
            current.append((name(lines[at]),) + place(lines[at + 1]))
        at += 2
    return answers


def by_prospect(prospect, path, chosen, options):
    text = run([prospect, "symbolize", "-e", path, "--demangle", "none", "--format", "json", "--no-cache"]
               + options, "".join(f"{a:#x}\n" for a in chosen))
    return {int(row["address"], 16):
            [(f["function"], plain_path(f["file"]), f["line"] or 0) for f in row["frames"]]
            for row in json.loads(text)}


def base(function):
    """A clone's symbol (foo.part.0, foo.cold) is the function foo to the debug information."""
    return re.split(r"\.(?:constprop|part|isra|cold|lto_priv|llvm)\b", function)[0].split("@")[0]


def known(levels):
    """What remains of an answer when what is not known is left out: without a line there is only the
    symbol, which is not what is compared here."""
    if len(levels) == 1 and not levels[0][2]:
        return []
    return [(base(function), file, line) for function, file, line in levels]


def same(ours, theirs):
    if len(ours) != len(theirs):
        return False
    for mine, other in zip(ours, theirs):
        # a level whose line is not known has no file with some
        if mine[2] != other[2] or (mine[2] and mine[1] != other[1]):
            return False
        if mine[0] != other[0] and other[0]:
            return False
    return True


def main():
    prospect, path = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
    options = sys.argv[4:]
    like = os.environ.get("LIKE", path)
    chosen = addresses(like, count)
    ours = by_prospect(prospect, path, chosen, options)
    tools = [tool for tool in ("eu-addr2line", "addr2line", "llvm-addr2line") if shutil.which(tool)]
    answers = [by_addr2line([tool], like, chosen) for tool in tools]
    show = int(os.environ.get("SHOW", "3"))
    shown = {0: 0, 1: 0}
    counts = [0] * (len(tools) + 1)
    known_count = 0
    for address in chosen:
        mine = known(ours.get(address, []))
        theirs = [known(answer.get(address, [])) for answer in answers]
        known_count += bool(mine)
        fits = sum(same(mine, other) for other in theirs)
        counts[fits] += 1
        wanted = fits == 0 or (fits < len(tools) and "SPLIT" in os.environ)
        if wanted and shown[fits > 0] < show:
            shown[fits > 0] += 1
            print(f"{path}: {address:#x}\n  ours {mine}")
            for tool, other in zip(tools, theirs):
                print(f"  {tool} {other}")
    print(f"{os.path.basename(path)}: {len(chosen)} addresses, {known_count} with lines; agree with "
          + ", ".join(f"{n} tools: {counts[n]}" for n in range(len(tools), -1, -1)))
    return 0 if counts[0] == 0 and known_count else 1


if __name__ == "__main__":
    sys.exit(main())
