# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# prospect import against what others read in the same recordings: an independent reader's counts of
# recordings from outside, and perf itself where it can read them.

CASES=${PROSPECT_CASES:-$HERE/../../../shared/cases}

need_cases() {
	[ -d "$CASES/$1" ] || skip "no recordings from outside: set PROSPECT_CASES"
}

# import FILE PROFILE [OPTION...]: must go well; what it said is in $T/stderr.
import() {
	local file=$1 profile=$2
	shift 2
	"$PROSPECT" import -o "$profile" "$@" "$file" 2> "$T/stderr" ||
		fail "import $file: $(cat "$T/stderr")"
}

# table FILE KEYS: key columns, event, samples, weight; tabs between.
table() {
	"$PROSPECT" report "$1" --by "$2" --format csv > "$T/.csv" || fail "report --by $2"
	csv_to_tabs < "$T/.csv" | awk -F '\t' -v OFS='\t' '{ NF -= 3; print }' | sort
}

test_import_recordings_from_outside() {
	local file
	need python3
	need_cases perfdata
	mkdir "$T/tables"
	for file in "$CASES"/perfdata/*.data*; do
		import "$file" "$T/a.prof"
		table "$T/a.prof" pid,tid > "$T/tables/$(basename "$file")"
	done
	python3 - "$CASES/perfdata/expected.jsonl" "$T/tables" << 'PYTHON' || fail "a recording differs"
import json, os, sys
expected = {w["file"]: w for w in map(json.loads, open(sys.argv[1]))}
for file in os.listdir(sys.argv[2]):
    wanted = expected[file]
    samples = weight = 0
    tasks = {}
    for line in open(os.path.join(sys.argv[2], file)):
        pid, tid, event, count, sum_ = line.rstrip("\n").split("\t")
        samples += int(count)
        weight += int(sum_)
        tasks[pid + "/" + tid] = tasks.get(pid + "/" + tid, 0) + int(count)
    if (samples, weight) != (wanted["samples"], wanted["period_sum"]):
        sys.exit("# %s: %d samples, sum %d, not %d, %d" %
                 (file, samples, weight, wanted["samples"], wanted["period_sum"]))
    for task, count in wanted["by_pid_tid"].items():
        if tasks.get(task) != count:
            sys.exit("# %s: task %s has %s samples, not %d" % (file, task, tasks.get(task), count))
PYTHON
}

# The weights of stacks of the first event, as the collapsed text counts them.
test_import_text_from_outside() {
	local file
	need python3
	need_cases perfscript
	for file in "$CASES"/perfscript/perf-{cycles,funcab-cmd,funcab-pid}*01.txt; do
		import "$file" "$T/a.prof"
		table "$T/a.prof" thread,stack > "$T/table"
		python3 - "${file%.txt}-collapsed-all.txt" "$T/table" "$file" << 'PYTHON' ||
import re, sys
wanted = {}
for line in open(sys.argv[1]):
    stack, count = line.rsplit(" ", 1)
    wanted[stack.replace("_[k]", "")] = int(count)
first = next(re.search(r" ([a-z-]+): *$", line).group(1) for line in open(sys.argv[3])
             if re.search(r"^\S.* ([a-z-]+): *$", line))
got = {}
for line in open(sys.argv[2]):
    thread, stack, event, count, weight = line.rstrip("\n").split("\t")
    if event == first:
        stack = ";".join(f for f in stack.split(";") if not f.startswith("[cut:"))
        got[thread + ";" + stack] = got.get(thread + ";" + stack, 0) + int(weight)
if got != wanted:
    sys.exit("# got %s\n# not %s" % (got, wanted))
PYTHON
			fail "$(basename "$file") differs"
	done
	import "$CASES/perfscript/perf-java-faults-01.txt" "$T/a.prof"
	[ "$(table "$T/a.prof" mode | sum 3)" = \
		"$(grep -c 'page-faults:' "$CASES/perfscript/perf-java-faults-01.txt")" ] ||
		fail "not every page fault of the Java recording was read"
}

# A clear line or what can be read; nothing else.
test_import_hostile_recordings() {
	local file status
	need_cases perfdata-hostile
	for file in "$CASES"/perfdata-hostile/*; do
		status=0
		timeout 300 "$PROSPECT" import -o "$T/a.prof" "$file" 2> "$T/stderr" || status=$?
		[ $status -le 1 ] || fail "status $status: $(basename "$file")" "$(cat "$T/stderr")"
		[ $status = 0 ] || expect_line 'prospect import: .*perfdata-hostile'
		[ $status = 0 ] || [ ! -e "$T/a.prof" ] || fail "a failure left a profile behind"
	done
}

test_import_cut_recordings() {
	local file=$CASES/perfdata/perf.data.callgraph-3.4 size whole samples
	need_cases perfdata
	import "$file" "$T/whole.prof"
	whole=$(table "$T/whole.prof" mode | sum 3)
	for size in 320000 350001 380003; do
		head -c $size "$file" > "$T/cut.data"
		import "$T/cut.data" "$T/cut.prof"
		expect_told 'partly read'
		samples=$(table "$T/cut.prof" mode | sum 3)
		if [ "$samples" -le 0 ] || [ "$samples" -ge "$whole" ]; then
			fail "$size bytes gave $samples of $whole samples"
		fi
		"$PROSPECT" report "$T/cut.prof" -V4 | grep -q 'bytes of records are missing' ||
			fail "the report does not tell that a part is missing"
	done
}

test_import_wrong_command_lines() {
	expect_status 2 "$PROSPECT" import
	expect_line 'missing FILE: a perf.data'
	expect_status 2 "$PROSPECT" import a b
	expect_line 'one FILE'
	expect_status 1 "$PROSPECT" import "$T/none"
	expect_line 'none: cannot open: No such file'
	printf 'int main(void)\n' > "$T/text"
	expect_status 1 "$PROSPECT" import -o "$T/a.prof" "$T/text"
	expect_line 'unknown format: expected perf.data'
	mkdir "$T/folder"
	expect_status 1 "$PROSPECT" import -o "$T/a.prof" "$T/folder"
	expect_line 'folder: a folder, but not a recording of perf'
	[ ! -e "$T/a.prof" ] || fail "a failure left a profile behind"
}

# perf_record FILE [OPTION...] -- COMMAND... While another profiler asks for build ids, a kernel
# (seen in 6.18) says of perf's mappings as well that they have one, and perf 6.1 aborts, but not
# where it asks for them itself.
perf_record() {
	local file=$1
	shift
	perf record -q -F 997 -o "$file" "$@" > "$T/stdout" 2> "$T/stderr" ||
		perf record -q -F 997 --buildid-mmap -o "$file" "$@" > "$T/stdout" 2> "$T/stderr" ||
		skip "perf record cannot be used here: $(tail -n 1 "$T/stderr")"
}

# perf_show DATA OPTION...: what perf script prints goes to $T/script. perf 6.1 stumbles over records
# of newer kernels (of BPF programs that come and go meanwhile, for example).
perf_show() {
	local data=$1
	shift
	perf script -i "$data" "$@" > "$T/script" 2> "$T/script.err" ||
		skip "perf cannot read its own recording: $(tail -n 1 "$T/script.err")"
}

# Of each thread and event: samples and sum of periods.
# shellcheck disable=SC2016 # the program is awk's
compare_threads() {
	perf_show "$1" -G -F comm,tid,period,event
	# Tasks that had left have no number, and what they are called is anybody's guess.
	awk '/ -1 +[0-9]+ +[^ ]+: *$/ { next }
	{
		match($0, / +[0-9]+ +[0-9]+ +[^ ]+: *$/)
		comm = substr($0, 1, RSTART - 1); sub(/^ +/, "", comm)
		split(substr($0, RSTART), f, " "); sub(/:$/, "", f[3])
		key = comm "\t" f[1] "\t" f[3]; n[key]++; w[key] += f[2]
	} END { for (key in n) printf "%s\t%d\t%.0f\n", key, n[key], w[key] }' "$T/script" |
		sort > "$T/perf"
	table "$2" thread,tid | awk -F '\t' '$2 != -1' > "$T/ours"
	[ -s "$T/perf" ] || fail "perf shows no samples"
	diff "$T/perf" "$T/ours" > "$T/diff" || fail "perf and import differ:" "$(head "$T/diff")"
}

# Of each file's name (the kernel's as one, with its modules): samples.
# shellcheck disable=SC2016 # the program is awk's
compare_files() {
	perf_show "$1" -G -F ip,dso
	awk '{
		match($0, /\([^()]*(\(deleted\))?\) *$/)
		dso = substr($0, RSTART + 1); sub(/\) *$/, "", dso); sub(/ \(deleted\)$/, "", dso)
		sub(/.*\//, "", dso)
		if (dso ~ /^\[/) dso = "[other]"
		n[dso]++
	} END { for (dso in n) print dso "\t" n[dso] }' "$T/script" | sort > "$T/perf"
	table "$2" image | awk -F '\t' '{
		image = $1; sub(/.*\//, "", image)
		if (image ~ /^\[/) image = "[other]"
		n[image] += $3
	} END { for (image in n) print image "\t" n[image] }' | sort > "$T/ours"
	diff "$T/perf" "$T/ours" > "$T/diff" || fail "perf and import differ:" "$(head "$T/diff")"
}

# Of each function of the program: samples.
compare_functions() {
	perf_show "$1" -G -F ip,sym,dso
	awk -v dso="/$3)" 'index($0, dso) { n[$2]++ } END { for (s in n) print s "\t" n[s] }' \
		"$T/script" | sort > "$T/perf"
	"$PROSPECT" report "$2" --by image,symbol --format csv | csv_to_tabs |
		awk -F '\t' -v image="$3" '$1 ~ image "$" && $2 !~ /^\[/ { n[$2] += $4 }
			END { for (s in n) print s "\t" n[s] }' | sort > "$T/ours"
	[ -s "$T/perf" ] || fail "perf names no functions of $3"
	diff "$T/perf" "$T/ours" > "$T/diff" || fail "perf and import differ:" "$(head "$T/diff")"
}

test_import_agrees_with_perf() {
	need perf
	perf_record "$T/a.data" -e cpu-clock -- "$BIN/shares" 0.4
	import "$T/a.data" "$T/a.prof"
	compare_threads "$T/a.data" "$T/a.prof"
	compare_files "$T/a.data" "$T/a.prof"
	compare_functions "$T/a.data" "$T/a.prof" shares
}

test_import_the_machine_and_several_events() {
	need perf
	need_root
	perf_record "$T/a.data" -a -g -e cpu-clock -e page-faults -e context-switches -- \
		"$BIN/forker" 3 100
	import "$T/a.data" "$T/a.prof"
	compare_threads "$T/a.data" "$T/a.prof"
	[ "$(table "$T/a.prof" event | wc -l)" -ge 2 ] || fail "not every event is there"
}

# What perf script prints of threads whose names look like its other fields, beside the same recording:
# samples of each thread, with any choice of fields and with a warning before.
test_import_text_with_odd_names() {
	local chains data fields keys
	need perf
	for chains in "" -g; do
		data=$T/odd$chains.data
		# shellcheck disable=SC2086 # nothing or a word
		perf record -q -o "$data" $chains -e page-faults:u -c 1 "$BIN/odd_names" 2> "$T/stderr" ||
			skip "perf record cannot be used here: $(tail -n 1 "$T/stderr")"
		import "$data" "$T/a.prof"
		for fields in comm,pid,tid,cpu,time,event,period,ip,sym,dso,symoff comm,pid,tid,event,period,ip \
			comm,tid,event,ip,sym comm,tid,time,ip comm,tid,misc,time,event comm,time,event,ip; do
			perf script -i "$data" -F "$fields" > "$T/script" 2> /dev/null ||
				perf_show "$data" -F "${fields/cpu,/}"
			{ printf 'Warning:\nProcessed 900 events\n\n' && cat "$T/script"; } > "$T/text"
			import "$T/text" "$T/b.prof"
			keys=thread,tid
			[[ $fields == *tid* ]] || keys=thread
			table "$T/a.prof" $keys | sed 's/\t[a-z:-]*\(\t[0-9]*\)\{2\}$/\1/' > "$T/perf"
			table "$T/b.prof" $keys | sed 's/\t[a-z:-]*\(\t[0-9]*\)\{2\}$/\1/' > "$T/ours"
			[ "$(wc -l < "$T/perf")" -ge 18 ] || fail "perf shows too few threads"
			diff "$T/perf" "$T/ours" > "$T/diff" ||
				fail "text of $fields$chains and recording differ:" "$(head "$T/diff")"
		done
	done
}

# Members of a group have no samples of their own: the leader's tell what they counted.
test_import_groups_read_by_their_leader() {
	need perf
	perf_record "$T/a.data" -e '{cpu-clock,page-faults,context-switches}:S' -- "$BIN/shares" 0.3
	import "$T/a.data" "$T/a.prof"
	compare_threads "$T/a.data" "$T/a.prof"
	[ "$(table "$T/a.prof" event | wc -l)" -ge 2 ] || fail "not every event is there"
}

test_import_pipes() {
	need perf
	perf_record - -e cpu-clock -- "$BIN/shares" 0.3
	cp "$T/stdout" "$T/pipe.data"
	import "$T/pipe.data" "$T/a.prof"
	"$PROSPECT" import -q -o "$T/b.prof" - < "$T/pipe.data" || fail "from standard input"
	# shellcheck disable=SC2002 # a pipe is the point
	cat "$T/pipe.data" | "$PROSPECT" import -q -o "$T/c.prof" - || fail "from a pipe"
	# A folder of that name is not what was meant.
	mkdir -p "$T/here/-"
	mkfifo "$T/here/-/data.1"
	(cd "$T/here" && "$PROSPECT" import -q -o "$T/d.prof" - < "$T/pipe.data") ||
		fail "beside a folder called -"
	compare_threads "$T/pipe.data" "$T/a.prof"
	for name in b c d; do
		[ "$(table "$T/a.prof" pid,symbol)" = "$(table "$T/$name.prof" pid,symbol)" ] ||
			fail "$name.prof differs"
	done
}

test_import_compressed() {
	need perf
	perf record -q -z -o "$T/try.data" true > "$T/stdout" 2>&1 ||
		skip "this perf does not compress"
	perf_record "$T/a.data" -z -g -e cpu-clock -- "$BIN/shares" 0.4
	import "$T/a.data" "$T/a.prof"
	compare_threads "$T/a.data" "$T/a.prof"
}

# Several threads of perf write files of their own into a folder.
test_import_folders() {
	need perf
	need_root
	perf record -q --threads -o "$T/try.data" true > "$T/stdout" 2>&1 ||
		skip "perf does not write folders here"
	perf_record "$T/a.data" --threads -a -e cpu-clock -- "$BIN/shares" 0.3
	[ -e "$T/a.data/data.1" ] || skip "one thread wrote all"
	import "$T/a.data" "$T/a.prof"
	compare_threads "$T/a.data" "$T/a.prof"
}

# perf record --kcore keeps the names of the kernel beside the records.
test_import_folders_with_the_names_of_their_kernel() {
	need perf
	need python3
	need_root
	perf_record "$T/a.data" -e cpu-clock:k -- "$BIN/systime" 0.3
	import "$T/a.data" "$T/a.prof"
	table "$T/a.prof" symbol | grep -v '\[' > "$T/named"
	[ -s "$T/named" ] || skip "the kernel hides its addresses"
	mkdir -p "$T/b.data/kcore_dir"
	cp /proc/kallsyms "$T/b.data/kcore_dir/kallsyms"
	# The kernel's build id is changed: it is not the one that runs.
	python3 - "$T/a.data" "$T/b.data/data" << 'PYTHON'
import sys
bytes_ = open(sys.argv[1], "rb").read()
notes = open("/sys/kernel/notes", "rb").read()
at = notes.index(b"GNU\0") + 4
id_ = notes[at : at + 20]
open(sys.argv[2], "wb").write(bytes_.replace(id_, b"x" * 20))
PYTHON
	import "$T/b.data/data" "$T/c.prof"
	if table "$T/c.prof" symbol | grep -qv '\['; then
		fail "names of another kernel"
	fi
	import "$T/b.data" "$T/b.prof"
	# Code of BPF and of modules comes and goes meanwhile.
	table "$T/a.prof" image,symbol | grep '^\[kernel\]' > "$T/a"
	table "$T/b.prof" image,symbol | grep '^\[kernel\]' | diff "$T/a" - > "$T/diff" ||
		fail "the names are not those of the folder" "$(cat "$T/diff")"
	[ -s "$T/a" ] || fail "the kernel was not hit"
}

# Copies of stacks are unwound to the start of their threads, without frame pointers.
test_import_unwinds_copies_of_stacks() {
	local complete
	need perf
	[ "$(uname -m)" = x86_64 ] || skip "perf cannot copy stacks here"
	perf_record "$T/a.data" -e cpu-clock --call-graph dwarf,16384 -- "$BIN/shares" 0.3
	import "$T/a.data" "$T/a.prof"
	complete=$("$PROSPECT" report "$T/a.prof" -V4 |
		sed -n 's/^Stacks *\([0-9.]*\) % complete.*/\1/p')
	holds "${complete:-0} >= 98" || fail "$complete % of the stacks are complete"
	"$PROSPECT" report "$T/a.prof" --by stack --format csv | grep -q '^"*_start;.*;main;' ||
		fail "no stack goes from _start through main"
}

# Callers along frame pointers: perf has the same ones, as far as the program's own functions go.
test_import_call_chains() {
	need perf
	need python3
	perf_record "$T/a.data" -e cpu-clock -g -- "$BIN/stacks-fp" recursion 0.3 30
	import "$T/a.data" "$T/a.prof"
	perf_show "$T/a.data" -F ip,sym,dso
	table "$T/a.prof" stack > "$T/table"
	python3 - "$T/script" "$T/table" << 'PYTHON' || fail "the call chains differ"
import re, sys
wanted, own = {}, set()
for sample in re.split(r"\n\n+", open(sys.argv[1]).read().strip("\n")):
    stack = re.findall(r"^\s+[0-9a-f]+ (\S+) \(.*/stacks-fp\)$", sample, re.M)[::-1]
    own.update(stack)
    wanted[";".join(stack)] = wanted.get(";".join(stack), 0) + 1
got = {}
for line in open(sys.argv[2]):
    stack, event, samples, weight = line.rstrip("\n").split("\t")
    frames = stack.split(";")
    if frames[0] != "[cut:frame pointers]" and "main" in frames:
        sys.exit("# a chain of frame pointers looks whole: " + stack)
    stack = ";".join(f for f in frames if f in own)
    got[stack] = got.get(stack, 0) + int(samples)
if not any(stack.endswith("down;" * 25 + "leaf") for stack in wanted):
    sys.exit("# perf shows no recursion")
if got != wanted:
    for stack in set(got) | set(wanted):
        if got.get(stack) != wanted.get(stack):
            print("# %s: %s, not %s" % (stack, got.get(stack), wanted.get(stack)))
    sys.exit(1)
PYTHON
}

# Text and file of one recording give the same sums.
test_import_text_equals_file() {
	need perf
	perf_record "$T/a.data" --sample-cpu -e cpu-clock -g -- "$BIN/shares" 0.3
	perf_show "$T/a.data" -F comm,pid,tid,cpu,time,period,event,ip,sym,symoff,dso --header
	cp "$T/script" "$T/a.txt"
	import "$T/a.data" "$T/a.prof"
	import "$T/a.txt" "$T/b.prof"
	[ "$(table "$T/a.prof" thread,pid,tid,cpu,event)" = \
		"$(table "$T/b.prof" thread,pid,tid,cpu,event)" ] || fail "text and file differ"
	"$PROSPECT" report "$T/b.prof" -V4 | grep -q '^Stacks.*100.00 % frame pointers' ||
		fail "the text's chains look whole"
}

# A recording of another machine: names only from the folder that is given.
test_import_files_of_another_machine() {
	need perf
	need python3
	cp "$BIN/shares" "$T/program"
	perf_record "$T/a.data" -e cpu-clock -- "$T/program" 0.3
	mkdir -p "$T/root$T"
	cp "$T/program" "$T/root$T/program"
	# The host's name in the recording is changed: device and inode mean nothing any more.
	python3 - "$T/a.data" "$T/b.data" << 'PYTHON'
import socket, sys
bytes_ = open(sys.argv[1], "rb").read()
name = socket.gethostname().encode()
bytes_ = bytes_.replace(name + b"\0", b"x" * len(name) + b"\0")
open(sys.argv[2], "wb").write(bytes_)
PYTHON
	import "$T/b.data" "$T/b.prof" --symfs "$T/root"
	compare_functions "$T/a.data" "$T/b.prof" program
	cp "$BIN/other" "$T/root$T/program"
	rm "$T/program"
	import "$T/b.data" "$T/b.prof" --symfs "$T/root"
	if table "$T/b.prof" symbol | grep -q '^burn_\|^other_'; then
		fail "names from a file of another build id"
	fi
}

# Symbols of stripped files, from a folder of their own, and from that of the recorded machine.
test_import_debug_files() {
	local id
	need perf
	need readelf
	need objcopy
	id=$(readelf -n "$BIN/shares" | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] || skip "programs have no build ids here"
	mkdir -p "$T/root/usr/lib/debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug "$BIN/shares" \
		"$T/root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	strip -o "$T/program" "$BIN/shares"
	perf_record "$T/a.data" -e cpu-clock -- "$T/program" 0.3
	import "$T/a.data" "$T/a.prof"
	table "$T/a.prof" symbol | grep -q '^burn_' && fail "the program has its symbols"
	import "$T/a.data" "$T/b.prof" --debug-dir "$T/root/usr/lib/debug"
	table "$T/b.prof" symbol | grep -q '^burn_' || fail "no symbols from --debug-dir"
	import "$T/a.data" "$T/c.prof" --symfs "$T/root"
	table "$T/c.prof" symbol | grep -q '^burn_' || fail "no symbols from --symfs"
}

# Branch records: as many as perf shows, as many mispredicted.
test_import_branches() {
	local file=$CASES/perfdata/perf.data.callgraph_and_branch-3.8 wanted got
	need perf
	need sqlite3
	need_cases perfdata
	wanted=$(perf script -i "$file" -F brstack 2> /dev/null | tr -s ' ' '\n' |
		awk -F / '/^0x/ && $1 != "0x0" { n++; bad += $3 == "M" } END { print n "|" bad }')
	[ "$wanted" != "|" ] || skip "this perf does not show the branches"
	import "$file" "$T/a.prof"
	got=$(sqlite3 "$T/a.prof" "SELECT sum(count), sum(mispredicted) FROM branches")
	[ "$got" = "$wanted" ] || fail "branches and mispredicted: $got, perf has $wanted"
}
