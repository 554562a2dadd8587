#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""chains.py PROFILE RECORDED WHOLE [calls]: stacks of the program RECORDED, made from a chains.* of this
folder, against the chain of calls that the program gave its thread as its name. WHOLE is the same program
with symbols. Every stack that is shown as complete must be that chain up to one of its functions, and every
other the end of such a piece, with a reason. "calls": the compiler makes no calls by jumps. Prints one line:
stacks, complete, each reason, wrong. Status 1: some are wrong; 2: the names of threads were lost on the way,
so that nothing is known."""

import bisect
import collections
import functools
import os
import re
import sqlite3
import subprocess
import sys

SHOWN = 5  # wrong stacks

# What each letter puts on the stack. "NAME>": gone when the next function runs, if it jumped there.
LETTERS = {
    "a": ["f_a"], "b": ["f_large"], "c": ["f_alloca"], "d": ["f_tail>"], "e": ["f_registers"],
    "f": ["f_early"], "g": ["f_switch"], "h": ["f_aligned"], "i": ["f_many", "many"], "j": ["f_fails"],
    "k": ["f_aligned_alloca"], "l": ["f_leaps", "leaps"], "m": ["f_double", "f_double_inner"],
    "n": ["f_structs", "structs"], "r": ["f_recursive"] + 4 * ["recursive"],
    "A": ["f_Loop"], "B": ["f_Below"], "C": ["f_Large"], "D": ["f_Tiny", "tiny"], "E": ["f_Push"],
    "F": ["f_Sort", "compare"], "G": ["f_Over>", "f_Loop"], "H": ["f_Strings"],
}
OURS = {name.rstrip(">") for names in LETTERS.values() for name in names} | {"run", "on_tick", "tick_leaf"}
HANDLER = [["on_tick"], ["on_tick", "tick_leaf"]]
# Which functions other code than ours may call.
CALLED_BACK = {"compare", "on_tick", "run"}
OUTERMOST = re.compile(r"(__)?clone3?$|_start(_user)?$|runtime\.(goexit|mcall|morestack|mstart|rt0_go)|_rt0_amd64_linux$")


@functools.lru_cache(maxsize=None)
def functions(path):
    """Start and name of the functions of a file, in order."""
    text = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in text.splitlines())
    return sorted((int(row[0], 16), row[2]) for row in rows if len(row) == 3 and row[1] in "tTwW")


def name_at(path, address):
    table = functions(path)
    at = bisect.bisect_right(table, (address, "~")) - 1
    name = table[at][1] if at >= 0 else f"0x{address:x}"
    return re.sub(r"^main\.|\.(cold|part\.\d+|constprop\.\d+|isra\.\d+|abi0)$", "", name)


@functools.lru_cache(maxsize=None)
def pieces(chain):
    """All stacks that the chain can have, from run on, by their innermost function."""
    calls = ["run"] + [name for letter in chain for name in LETTERS[letter]]
    if "calls" in sys.argv[4:]:
        calls = [name.rstrip(">") for name in calls]
    found = collections.defaultdict(list)
    for i, name in enumerate(calls):
        name = name.rstrip(">")
        found[name].append([call for call in calls[:i] if not call.endswith(">")] + [name])
    return found


def chain_of(comm):
    return comm[1:] if comm.startswith("~") else ""


class Stacks:
    def __init__(self, profile, recorded, whole):
        self.recorded, self.whole = recorded, whole
        names = dict(profile.execute("SELECT name, id FROM word WHERE list = 'frame_kind'"))
        self.returned = names["return"]
        self.nodes = {number: row for number, *row in profile.execute(
            "SELECT stack.id, stack.parent, frame.kind, frame.address, image.kind, image.path, symbol.name FROM stack"
            " JOIN frame ON frame.id = stack.frame JOIN image ON image.id = frame.image"
            " JOIN symbol ON symbol.id = frame.symbol")}

    @functools.lru_cache(maxsize=None)
    def frame(self, number):
        """(name, is it a function of our file)"""
        _, kind, address, image_kind, path, name = self.nodes[number]
        if image_kind == "cut":
            return path, False
        if path != self.recorded:
            return name or "?", False
        return name_at(self.whole, address - (kind == self.returned)), True

    def frames(self, number):
        found = []
        while number:
            if self.nodes[number][3] not in ("kernel", "module", "bpf"):
                found.append(self.frame(number))
            number = self.nodes[number][0]
        return found[::-1]


def check_names(names, chain, reason):
    """What is wrong with the names of our functions, outermost first; None: nothing."""
    if "on_tick" in names:
        at = names.index("on_tick")
        if names[at:] not in HANDLER:
            return "the handler"
        names = names[:at]
    if not names or (reason and names == ["tick_leaf"]):
        return None  # before or after the chains, or in a handler whose frame was not found
    if any(piece == names or (reason and piece[-len(names):] == names)
           for piece in pieces(chain).get(names[-1], [])):
        return None
    return "not in the chain"


def check(frames, chain):
    """What is wrong with a stack; None: nothing."""
    reason = frames[0][0] if frames[0][0].startswith("[cut:") else None
    if reason:
        frames = frames[1:]
    elif not OUTERMOST.search(frames[0][0]):
        return "begins in the middle"
    ours = [i for i, (name, same) in enumerate(frames) if same and name in OURS]
    for before, after in zip(ours, ours[1:]):
        if after > before + 1 and frames[after][0] not in CALLED_BACK:
            return "another function between"
        if frames[after][0] == "on_tick" and frames[after - 1][0] not in ("__restore_rt", "__restore"):
            return "no trampoline"
    return check_names([frames[i][0] for i in ours], chain, reason) if ours else None


def main():
    profile = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    recorded, whole = (os.path.realpath(path) for path in sys.argv[2:4])
    if profile.execute("SELECT count(*) FROM loss WHERE reason = 'tracking'").fetchone()[0]:
        print("# names of threads were lost")
        return 2
    stacks = Stacks(profile, recorded, whole)
    counts = collections.Counter()
    for number, comm, samples in profile.execute(
            "SELECT total.stack, task.comm, sum(total.samples) FROM total JOIN task ON task.id = total.task"
            " JOIN process ON process.id = task.process WHERE process.in_command AND process.program = ?"
            " GROUP BY 1, 2", (os.path.basename(recorded),)):
        frames = stacks.frames(number)
        if not frames or frames[0][0] in ("[cut:in exec]", "[cut:process gone]", "[cut:lost]"):
            continue
        counts["stacks"] += samples
        counts[frames[0][0] if frames[0][0].startswith("[cut:") else "complete"] += samples
        wrong = check(frames, chain_of(comm))
        if wrong:
            counts["wrong"] += samples
            counts["shown"] += 1
            if counts["shown"] <= SHOWN:
                print(f"# {comm}: {wrong}: {';'.join(name for name, _ in frames)}")
    reasons = "".join(f", {name} {counts[name]}" for name in sorted(counts) if name.startswith("["))
    print(f"{counts['stacks']} stacks, {counts['complete']} complete{reasons}, {counts['wrong']} wrong")
    return counts["wrong"] > 0


sys.exit(main())
