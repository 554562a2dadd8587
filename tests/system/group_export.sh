# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# prospect export: what is written is read by programs that are not ours, and by import; every time
# the numbers must be those of the report.

# A recording of threads and the kernel, made once for all tests of this file; of the rest of the
# machine, which may be busy for long, nothing is looked at.
EXPORTED=program=threads,systime,shares

export_profile() {
	exec 9> "$TOP/export.lock"
	flock 9
	if ! [ -s "$TOP/export.prof" ]; then
		record "$T/prof" -- sh -c "'$BIN/threads' 0.3; '$BIN/systime' 0.2; '$BIN/shares' 0.2" 9>&-
		mv "$T/prof" "$TOP/export.prof"
	fi
	exec 9>&-
}

# export_as FORMAT FILE [OPTION...]
export_as() {
	local format=$1 file=$2
	shift 2
	"$PROSPECT" export --format "$format" -o "$file" --no-cache --select "$EXPORTED" "$@" \
		"$TOP/export.prof" 2> "$T/stderr" || fail "export --format $format: $(cat "$T/stderr")"
}

# sums FILE KEYS [OPTION...]: keys, event, samples, weight; sorted.
sums() {
	local file=$1 keys=$2
	shift 2
	"$PROSPECT" report "$file" --by "$keys" "$@" --format csv > "$T/.csv" || fail "report --by $keys"
	csv_to_tabs < "$T/.csv" | awk -F '\t' -v OFS='\t' '{ NF -= 3; print }' | sort
}

# same_sums FILE KEYS: of what was exported and of FILE.
same_sums() {
	sums "$TOP/export.prof" "$2" --select "$EXPORTED" > "$T/.a"
	sums "$1" "$2" > "$T/.b"
	[ -s "$T/.a" ] || fail "no rows by $2"
	diff "$T/.a" "$T/.b" > "$T/.diff" || fail "by $2:" "$(head -n 6 "$T/.diff")"
}

test_export_pprof_and_back() {
	local keys
	export_profile
	export_as pprof "$T/a.pb.gz"
	"$PROSPECT" import -q -o "$T/a.prof" "$T/a.pb.gz" || fail "import"
	gzip -dc "$T/a.pb.gz" > "$T/a.pb"
	"$PROSPECT" import -q -o "$T/b.prof" - < "$T/a.pb" || fail "import of a plain one"
	for keys in stack symbol image process,thread,pid,tid mode,context; do
		same_sums "$T/a.prof" $keys
		same_sums "$T/b.prof" $keys
	done
}

# Asked to end, an import leaves nothing half-written; it may be over before it is asked.
test_interrupted_import() {
	local signal status pid
	awk 'BEGIN { for (i = 0; i < 300000; i++) printf "main;f%d;g%d;h%d 1\n", i % 1000, i % 777, i }' > "$T/stacks.txt"
	for signal in INT TERM HUP; do
		mkdir "$T/$signal"
		env --default-signal "$PROSPECT" import -q -o "$T/$signal/a.prof" "$T/stacks.txt" 2> "$T/stderr" &
		pid=$!
		until_true [ -e "$T/$signal/a.prof" ]
		kill -$signal $pid 2> "$T/log"
		status=0
		wait $pid || status=$?
		if [ $status = 0 ]; then
			"$PROSPECT" report "$T/$signal/a.prof" > "$T/log" 2>&1 || fail "half a profile: $(cat "$T/log")"
		else
			[ $status = $((128 + $(kill -l $signal))) ] || fail "status $status of SIG$signal: $(cat "$T/stderr")"
			[ -z "$(ls -A "$T/$signal")" ] || fail "SIG$signal left $(ls -A "$T/$signal")"
		fi
	done
}

test_export_collapsed_and_back() {
	local value
	export_profile
	for value in weight samples; do
		export_as collapsed "$T/a.txt" --value $value
		"$PROSPECT" import -q --value $value -o "$T/a.prof" "$T/a.txt" || fail "import"
		column=3
		[ $value = samples ] || column=4
		for keys in stack thread,tid; do
			# The event has another name and, of weights, other counts of samples.
			sums "$TOP/export.prof" $keys --select "$EXPORTED" | awk -F '\t' -v OFS='\t' \
				-v value=$value '{ print $1, (NF > 4 ? $2 : ""),
				value == "weight" ? $NF : $(NF - 1) }' > "$T/.a"
			sums "$T/a.prof" $keys | awk -F '\t' -v OFS='\t' \
				'{ print $1, (NF > 4 ? $2 : ""), $NF }' > "$T/.b"
			diff "$T/.a" "$T/.b" > "$T/.diff" ||
				fail "$value by $keys:" "$(head -n 6 "$T/.diff")"
		done
	done
}

# The text tells comms and processes' numbers, not instances or contexts.
test_export_perf_script_and_back() {
	local keys
	export_profile
	export_as perf-script "$T/a.txt"
	"$PROSPECT" import -q -o "$T/a.prof" "$T/a.txt" || fail "import"
	for keys in stack symbol image pid,tid,thread mode cpu; do
		same_sums "$T/a.prof" $keys
	done
}

# Every number of these, added up by another reader, is that of the report.
test_export_tables_add_up() {
	export_profile
	need python3
	export_as csv "$T/a.csv"
	export_as json "$T/a.json"
	export_as speedscope "$T/a.speedscope"
	export_as firefox "$T/a.firefox"
	sums "$TOP/export.prof" pid,tid,symbol --select "$EXPORTED" > "$T/wanted"
	python3 - "$T" << 'PYTHON' || fail "the sums differ from the report's"
import collections, csv, json, sys

folder = sys.argv[1]
wanted = collections.defaultdict(lambda: [0, 0])
threads = collections.defaultdict(int)
for line in open(folder + "/wanted"):
    pid, tid, symbol, event, samples, weight = line.rstrip("\n").split("\t")
    wanted[pid, tid, symbol, event][0] += int(samples)
    wanted[pid, tid, symbol, event][1] += int(weight)
    threads[pid, tid, event] += int(weight)

def compare(what, got, wanted):
    for key in set(got) | set(wanted):
        if got.get(key) != wanted.get(key):
            sys.exit("# %s: %s is %s, not %s" % (what, key, got.get(key), wanted.get(key)))

whole = json.load(open(folder + "/a.json"))
got = collections.defaultdict(lambda: [0, 0])
for event, thread, stack, mode, context, samples, weight in whole["rows"]:
    frame = whole["frames"][whole["stacks"][stack][1]]
    key = (str(whole["threads"][thread]["pid"]), str(whole["threads"][thread]["tid"]),
           whole["functions"][frame[2][-1][0]]["name"], whole["events"][event]["name"])
    got[key][0] += samples
    got[key][1] += weight
    parent = whole["stacks"][stack][0]
    assert parent < stack
compare("json", got, wanted)

got = collections.defaultdict(int)
for row in csv.DictReader(open(folder + "/a.csv", newline="")):
    got[row["pid"], row["tid"], row["event"]] += int(row["weight"])
compare("csv", got, threads)

got = collections.defaultdict(int)
for profile in json.load(open(folder + "/a.speedscope"))["profiles"]:
    names = profile["name"].split(" [")[0].split(" ")[-1].split("/")
    event = profile["name"].split(" [")[1][:-1] if " [" in profile["name"] else "cpu-clock"
    assert len(profile["samples"]) == len(profile["weights"])
    assert sum(profile["weights"]) == profile["endValue"]
    got[names[0], names[1], event] += profile["endValue"]
clock = {key: weight for key, weight in threads.items()}
if len({key[2] for key in clock}) == 1:
    compare("speedscope", got, {(pid, tid, "cpu-clock"): w for (pid, tid, _), w in clock.items()})

got = collections.defaultdict(float)
for thread in json.load(open(folder + "/a.firefox"))["threads"]:
    times = thread["samples"]["time"]
    assert times == sorted(times) and len(times) == thread["samples"]["length"]
    got[thread["pid"].split(".")[0], str(thread["tid"])] += sum(thread["samples"]["weight"])
for (pid, tid), ms in got.items():
    true = sum(w for (p, t, _), w in threads.items() if (p, t) == (pid, tid))
    if abs(ms * 1e6 - true) > 1e-9 * true + 1:
        sys.exit("# firefox: %s/%s has %f ms, not %f" % (pid, tid, ms, true / 1e6))
assert len(got) == len({key[:2] for key in threads})
PYTHON
}

# gprof reads its own format: the times of the program's functions, and who called them.
test_export_gmon_read_by_gprof() {
	need gprof
	need python3
	record "$T/g.prof" -- "$BIN/shares-nopie" 0.5
	"$PROSPECT" export --format gmon -o "$T/gmon.out" --select "image=*/shares-nopie" "$T/g.prof" \
		2> "$T/stderr" || fail "export: $(cat "$T/stderr")"
	expect_line 'one executable.*shares-nopie, with 100.0 %'
	gprof -b -p "$BIN/shares-nopie" "$T/gmon.out" > "$T/flat" || fail "gprof cannot read it"
	sums "$T/g.prof" symbol --select 'image=*/shares-nopie' > "$T/wanted"
	python3 - "$T/flat" "$T/wanted" << 'PYTHON' || fail "gprof has other times"
import re, sys
wanted = {line.split("\t")[0]: int(line.split("\t")[3]) for line in open(sys.argv[2])}
got = {}
for line in open(sys.argv[1]):
    match = re.match(r"\s*([0-9.]+)\s+[0-9.]+\s+([0-9.]+)\s+.*?(\w+)$", line)
    if match:
        got[match[3]] = float(match[1])
total = sum(wanted.values())
for name, weight in wanted.items():
    share = 100 * weight / total
    if name.startswith("burn") and abs(got.get(name, 0) - share) > 0.05:
        sys.exit("# %s: %.2f %%, not %.2f" % (name, got.get(name, 0), share))
if not any(name.startswith("burn") for name in wanted):
    sys.exit("# nothing to compare")
PYTHON
}

# The collapsed stacks that FlameGraph's own programs make of what perf printed.
test_export_collapsed_as_flamegraph_has_it() {
	local cases=${PROSPECT_CASES:-$HERE/../../../shared/cases} file
	need python3
	[ -d "$cases/perfscript" ] || skip "no recordings from outside: set PROSPECT_CASES"
	for file in "$cases"/perfscript/perf-{cycles,funcab-cmd,funcab-pid}*01.txt; do
		"$PROSPECT" import -q -o "$T/a.prof" "$file" || fail "import"
		"$PROSPECT" export --format collapsed -q --by thread \
			--select "event=$(sed -n 's/^[^[:space:]].* \([a-z-]*\): *$/\1/p' "$file" | head -n 1)" \
			"$T/a.prof" > "$T/a.txt" || fail "export"
		python3 - "${file%.txt}-collapsed-all.txt" "$T/a.txt" << 'PYTHON' || fail "$file differs"
import sys
def read(path):
    stacks = {}
    for line in open(path):
        stack, count = line.rsplit(" ", 1)
        stack = ";".join(f for f in stack.split(";") if not f.startswith("[cut:"))
        # There libraries without symbols are their names in brackets.
        stacks[stack] = stacks.get(stack, 0) + int(count)
    return stacks
wanted, got = read(sys.argv[1]), read(sys.argv[2])
if wanted != got:
    sys.exit("# only FlameGraph: %s\n# only ours: %s" %
             (sorted(set(wanted.items()) - set(got.items()))[:3],
              sorted(set(got.items()) - set(wanted.items()))[:3]))
PYTHON
	done
}

# The fields as the format documents them; protoc reads them.
write_proto() {
	cat > "$T/profile.proto" << 'PROTO'
syntax = "proto3";
message Profile {
  repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Mapping mapping = 3;
  repeated Location location = 4; repeated Function function = 5; repeated string text = 6;
  int64 time_ns = 9; int64 duration_ns = 10; ValueType period_type = 11; int64 period = 12;
  repeated int64 comment = 13; int64 default_type = 14;
}
message ValueType { int64 type = 1; int64 unit = 2; }
message Sample { repeated uint64 location = 1; repeated int64 value = 2; repeated Label label = 3; }
message Label { int64 key = 1; int64 str = 2; int64 num = 3; }
message Mapping {
  uint64 id = 1; uint64 start = 2; uint64 limit = 3; uint64 offset = 4; int64 file = 5;
  int64 build_id = 6; bool functions = 7; bool files = 8; bool lines = 9; bool inlines = 10;
}
message Location { uint64 id = 1; uint64 mapping = 2; uint64 address = 3; repeated Line line = 4; }
message Line { uint64 function = 1; int64 line = 2; }
message Function { uint64 id = 1; int64 name = 2; int64 linkage = 3; int64 file = 4; int64 line = 5; }
PROTO
}

# By another reader: nothing in it is unknown, every reference leads somewhere, and the leaves add up
# to the report's symbols.
test_export_pprof_read_by_protoc() {
	export_profile
	need protoc
	need python3
	export_as pprof "$T/a.pb.gz"
	write_proto
	gzip -dc "$T/a.pb.gz" | protoc -I "$T" --decode Profile profile.proto > "$T/text" ||
		fail "protoc cannot read it"
	sums "$TOP/export.prof" symbol --select "$EXPORTED" > "$T/wanted"
	python3 - "$T/text" "$T/wanted" << 'PYTHON' || fail "protoc reads something else"
import ast, sys

def messages(lines):
    found = {}
    for line in lines:
        line = line.strip()
        if line == "}":
            return found
        if line.endswith("{"):
            found.setdefault(line[:-2], []).append(messages(lines))
        else:
            name, value = line.split(": ", 1)
            if name.isdigit():
                sys.exit("# unknown field " + line)
            found.setdefault(name, []).append(ast.literal_eval("b" + value).decode()
                                              if value[0] == '"' else
                                              value == "true" or int(value) if value != "true" else 1)
    return found

profile = messages(iter(open(sys.argv[1])))
text = profile["text"]
one = lambda message, name: message.get(name, [0])[0]
functions = {one(f, "id"): f for f in profile["function"]}
mappings = {one(m, "id") for m in profile["mapping"]}
locations = {one(l, "id"): l for l in profile["location"]}
assert text[0] == "" and 0 not in functions and 0 not in locations and 0 not in mappings
for location in locations.values():
    assert one(location, "mapping") in mappings
    assert all(one(line, "function") in functions for line in location["line"])
types = [(text[one(t, "type")], text[one(t, "unit")]) for t in profile["sample_type"]]
got = {}
for sample in profile["sample"]:
    leaf = locations[sample["location"][0]]
    name = text[one(functions[one(leaf["line"][-1], "function")], "name")]
    assert len(sample["value"]) == len(types)
    for i in range(0, len(types), 2):
        event = types[i + 1][0]
        assert types[i][0] == event + "-samples"
        sums = got.setdefault((name, event), [0, 0])
        sums[0] += sample["value"][i]
        sums[1] += sample["value"][i + 1]
got = {"%s\t%s\t%d\t%d" % (*key, *sums) for key, sums in got.items() if sums[0]}
wanted = set(open(sys.argv[2]).read().splitlines())
if got != wanted:
    sys.exit("# only protoc: %s\n# only report: %s" % (list(got - wanted)[:3], list(wanted - got)[:3]))
PYTHON
}

# What is inlined is a frame of its own where files tell it, and only if it is wanted.
test_export_shows_inlined_functions() {
	export_profile
	cat > "$T/inlined.c" << 'C'
#include <stdlib.h>
static inline __attribute__((always_inline)) unsigned inner(unsigned x)
{
	for (int i = 0; i < 1000; i++)
		x = x * 1664525 + 1013904223;
	return x;
}
__attribute__((noinline)) unsigned outer(unsigned x)
{
	return inner(x) + 1;
}
int main(int argc, char **argv)
{
	unsigned x = (unsigned)argc;
	for (long i = atol(argv[1]); i > 0; i--)
		x = outer(x);
	return x == 42;
}
C
	${CC:-cc} -O2 -g -o "$T/inlined" "$T/inlined.c" || fail "cannot compile"
	record "$T/i.prof" -- "$T/inlined" 400000
	only=program=inlined
	"$PROSPECT" export --format collapsed --no-cache -q --select $only "$T/i.prof" > "$T/with" ||
		fail "export"
	grep -q ';main;outer;inner_\[i\] [0-9]*$' "$T/with" || fail "inner is no frame below outer"
	for option in --no-inlines --no-lines; do
		"$PROSPECT" export --format collapsed --no-cache -q --select $only $option \
			"$T/i.prof" > "$T/without"
		grep -q 'inner' "$T/without" && fail "$option shows inner"
		[ "$(awk '{ s += $NF } END { printf "%.0f", s }' "$T/with")" = \
			"$(awk '{ s += $NF } END { printf "%.0f", s }' "$T/without")" ] ||
			fail "$option changes the sum"
	done
	"$PROSPECT" import -q -o "$T/a.prof" "$T/with" || fail "import"
	[ "$(sums "$T/a.prof" stack | cut -f 1)" = \
		"$(sums "$T/i.prof" stack --select $only | cut -f 1)" ] ||
		fail "import of collapsed stacks with inlined functions gives other stacks"
	"$PROSPECT" import -q --inlines -o "$T/b.prof" "$T/with" || fail "import --inlines"
	sums "$T/b.prof" symbol | grep -q '^inner	' || fail "import --inlines drops inner"
}

test_export_wrong_command_lines() {
	export_profile
	expect_status 2 "$PROSPECT" export "$TOP/export.prof"
	expect_line 'missing --format'
	expect_status 2 "$PROSPECT" export --format gecko "$TOP/export.prof"
	expect_line "invalid --format 'gecko': expected one of pprof, collapsed"
	expect_status 2 "$PROSPECT" export --format pprof --by process "$TOP/export.prof"
	expect_line 'needs --format collapsed, not pprof'
	expect_status 2 "$PROSPECT" export --format collapsed --by cpu "$TOP/export.prof"
	expect_line 'cannot be roots of stacks'
	expect_status 2 "$PROSPECT" export --format collapsed --value time "$TOP/export.prof"
	expect_line 'expected weight or samples'
	expect_status 1 "$PROSPECT" export --format collapsed --select process=none "$TOP/export.prof"
	expect_line 'process=none'
	expect_status 1 "$PROSPECT" export --format pprof -o "$TOP/export.prof" "$TOP/export.prof"
	expect_line 'refusing to overwrite the profile'
	expect_status 1 "$PROSPECT" export --format pprof -o "$T/none/a" "$TOP/export.prof"
	expect_line 'none/a'
	[ ! -e /dev/full ] || {
		status=0
		"$PROSPECT" export --format collapsed -q "$TOP/export.prof" > /dev/full 2> "$T/stderr" ||
			status=$?
		[ $status = 1 ] || fail "a full disk goes unnoticed"
	}
	"$PROSPECT" export --format pprof "$TOP/export.prof" | head -c 10 > "$T/head" ||
		fail "a reader that leaves is no failure"
}

# Damaged ones end in a line; nothing is left behind.
test_export_import_of_damaged_files() {
	local size
	export_profile
	export_as pprof "$T/a.pb.gz"
	gzip -dc "$T/a.pb.gz" > "$T/a.pb"
	for size in 100 1000; do
		head -c $size "$T/a.pb.gz" > "$T/cut.pb.gz"
		expect_status 1 "$PROSPECT" import -o "$T/a.prof" "$T/cut.pb.gz"
		expect_line 'cut.pb.gz: .*corrupt'
		[ ! -e "$T/a.prof" ] || fail "a failure left a profile behind"
	done
	gzip -c < /dev/null > "$T/empty.gz"
	expect_status 1 "$PROSPECT" import -o "$T/a.prof" "$T/empty.gz"
	expect_line 'invalid pprof profile: it has no sample types'
	printf 'a;b 0\n' > "$T/nothing"
	expect_status 1 "$PROSPECT" import -o "$T/a.prof" "$T/nothing"
	expect_line 'no samples'
	printf 'a;b 3\nodd line\nc 18446744073709551615\n' > "$T/odd"
	"$PROSPECT" import -q -o "$T/a.prof" "$T/odd" || fail "import of odd lines"
	[ "$(sums "$T/a.prof" stack | cut -f 1,3)" = "$(printf 'a;b\t3')" ] || fail "not what can be read"
}

# first_mapping FILE: of the profile that was exported from FILE, the file of its first mapping.
first_mapping() {
	"$PROSPECT" export --format pprof -o "$T/x.pb.gz" "$1" 2> "$T/stderr" || fail "no export"
	zcat "$T/x.pb.gz" | protoc --decode_raw > "$T/raw"
	awk '/^3 \{/ && !n { n = 1 } n == 1 && /^  5:/ { print $2; exit }' "$T/raw" > "$T/string"
	awk -v n="$(cat "$T/string")" '/^6:/ { if (i++ == n) { print; exit } }' "$T/raw"
}

# Readers take the first mapping for the program, also where a library had all of the time.
test_pprof_begins_with_the_executable() {
	need protoc
	cat > "$T/busy.c" <<-END
		#include <stdlib.h>
		#include <string.h>
		int main(void)
		{
			char *a = malloc(1 << 24);
			for (int i = 0; i < 100; i++)
				memset(a, i, 1 << 24);
			return a[5] == 1;
		}
	END
	${CC:-cc} -O1 -fno-builtin "$T/busy.c" -o "$T/busy" || fail "no program"
	record "$T/prof" -- "$T/busy"
	first_mapping "$T/prof" | grep -q '/busy"' ||
		fail "the first mapping is $(first_mapping "$T/prof")"
}
