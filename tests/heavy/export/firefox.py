# SPDX-License-Identifier: GPL-2.0-or-later
"""firefox.py NODE READER PROFILE CSV: what the Firefox Profiler's reader has as the functions' own
times, thread by thread, against the report by pid, tid and symbol."""
import csv
import json
import subprocess
import sys
import time

from numbers_of import compare, unescaped

node, reader, profile, table = sys.argv[1:]


def run(*words):
    return subprocess.run([node, reader, *words], capture_output=True, text=True, timeout=120)


def ask(*words):
    done = run(*words)
    if done.returncode != 0:
        sys.exit("# %s: %s" % (" ".join(words), done.stderr[:300]))
    return done.stdout


def load(path):
    """The reader waits only half a second for its own server, which goes on loading."""
    done = run("load", path)
    for _ in range(120):
        if done.returncode == 0 or "did not become ready" not in done.stderr:
            break
        time.sleep(0.5)
        done = run("status") if run("status").returncode == 0 else done
    if done.returncode != 0:
        sys.exit("# load: " + done.stderr[:300])


true = {}
for row in csv.DictReader(open(table, newline="", encoding="utf-8")):
    key = (row["pid"], row["tid"], row["event"])
    name = unescaped(row["symbol"])
    true.setdefault(key, {})
    true[key][name] = true[key].get(name, 0) + int(row["weight"])

several = len({key[2] for key in true}) > 1
load(profile)
try:
    threads = json.load(open(profile, encoding="utf-8"))["threads"]
    names = list(enumerate(threads))[:20]
    for index, thread in names:
        event = thread["name"].rsplit(" [", 1)[1][:-1] if several else next(iter(true))[2]
        scale = 1e6 if thread["samples"]["weightType"] == "tracing-ms" else 1
        functions = json.loads(ask("thread", "functions", "--thread", "t-%d" % index, "--json",
                                   "--limit", "0", "--include-idle"))["functions"]
        got = {}
        for function in functions:
            name = unescaped(function["name"])
            got[name] = got.get(name, 0) + function["selfSamples"] * scale
        key = (thread["pid"].split(".")[0], str(thread["tid"]), event)
        compare(got, true[key], lambda weight: 1e-6 * weight + 1)
finally:
    ask("stop", "--all")
print("ok export firefox %s: %d threads" % (profile.rsplit("/", 1)[1], len(names)))
