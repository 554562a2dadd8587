#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mutations.py PROSPECT PPROF FOLDER COUNT PROFILE...: changes pprof profiles in a way that follows from a
fixed seed, and compares which of them "pprof -raw" and "prospect import" accept."""
import gzip
import os
import random
import subprocess
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return value, at


def encode(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


# A message as a list of [field, wire type, value]; the file's own encoder uses these two types only.
def parse(data):
    fields, at = [], 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at : at + value], at + value
        fields.append([tag >> 3, tag & 7, value])
    return fields


def build(fields):
    out = bytearray()
    for number, kind, value in fields:
        out += encode(number << 3 | kind)
        if kind == 2:
            out += encode(len(value)) + value
        elif kind == 5:
            out += (value & 0xFFFFFFFF).to_bytes(4, "little")
        elif kind == 1:
            out += (value & (1 << 64) - 1).to_bytes(8, "little")
        else:
            out += encode(value)
    return bytes(out)


NUMBERS = [0, 1, 2, 3, 7, 100, 1 << 31, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
MESSAGES = (1, 2, 3, 4, 5, 11)


def change_fields(fields):
    """One change of one message: a field is dropped, doubled, added, moved or has another value or type."""
    what = random.randrange(7)
    if not fields or what == 0:
        fields.append([random.randrange(16), random.choice((0, 0, 1, 5)), random.choice(NUMBERS)])
        return
    at = random.randrange(len(fields))
    number, kind, value = fields[at]
    if what == 1:
        del fields[at]
    elif what == 2:
        fields.insert(at, [number, kind, value])
    elif what == 3:
        fields[at][0] = random.randrange(16)
    elif what == 4:
        fields.insert(random.randrange(len(fields)), fields.pop(at))
    elif kind == 2:
        value = bytearray(value)
        if value and what == 5:
            value[random.randrange(len(value))] = random.randrange(256)
        else:
            value += encode(random.choice(NUMBERS))
        fields[at][2] = bytes(value)
    elif what == 5:
        fields[at][2] = random.choice(NUMBERS)
    else:
        fields[at][1] = random.choice((0, 1, 5))


def mutate(data):
    way = random.randrange(10)
    if way == 0:
        return data[: random.randrange(1, len(data))]
    if way == 1:
        changed = bytearray(data)
        for _ in range(random.randrange(1, 4)):
            changed[random.randrange(len(changed))] = random.randrange(256)
        return bytes(changed)
    if way == 2:
        return data + data
    top = parse(data)
    if way == 3:
        change_fields(top)
        return build(top)
    if way == 4:
        kind = random.randrange(1, 15)
        return build([field for field in top if field[0] != kind])
    number = random.choice(MESSAGES)
    rows = [field for field in top if field[0] == number and field[1] == 2]
    if rows:
        row = random.choice(rows)
        inner = parse(row[2])
        deeper = [field for field in inner if field[1] == 2 and (number, field[0]) in ((2, 3), (4, 4))]
        if deeper and random.randrange(2):
            choice = random.choice(deeper)
            fields = parse(choice[2])
            change_fields(fields)
            choice[2] = build(fields)
        else:
            change_fields(inner)
        row[2] = build(inner)
    return build(top)


def run(command):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120)
    return done.returncode, done.stderr.decode("utf-8", "replace").strip()


def main():
    prospect, pprof, folder, count = sys.argv[1:5]
    random.seed(31)
    bases = [gzip.open(path).read() for path in sys.argv[5:]]
    accepted = wrong = 0
    for number in range(int(count)):
        path = os.path.join(folder, "mutation.pb.gz")
        with gzip.open(path, "wb") as file:
            file.write(mutate(random.choice(bases)))
        theirs, reason = run([pprof, "-raw", "-symbolize=none", path])
        ours, said = run([prospect, "import", "-o", os.path.join(folder, "mutation.prof"), path])
        accepted += theirs == 0
        if ours not in (0, 1) or (theirs == 0) != (ours == 0):
            wrong += 1
            os.rename(path, os.path.join(folder, "wrong-%d.pb.gz" % number))
            print("# mutation %d: pprof %d '%s', prospect %d '%s'" % (number, theirs, reason[:200], ours, said))
    print("%d mutations, pprof accepts %d, %d are judged differently" % (int(count), accepted, wrong))
    if wrong or not 0 < accepted < int(count):
        sys.exit(1)


main()
