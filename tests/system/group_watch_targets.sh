# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What prospect watch makes of names, lines and addresses, and how it shows what was counted.

need_watch_targets() {
	need_root
	build_targets
	"$PROSPECT" watch "$T/targets:main" --budget 0 -i 0 -- "$T/targets" 1 > "$T/.watch" 2>&1 ||
		skip "functions of programs cannot be watched here: $(tail -n 1 "$T/.watch")"
}

build_targets() {
	(cd "$HERE/programs" && ${CC:-cc} -std=gnu11 -O2 -g -fno-toplevel-reorder -o "$T/targets" \
		targets.c targets_other.c) || fail "targets.c cannot be compiled"
}

# target_entries FILE TARGET: of the totals of a CSV stream.
target_entries() {
	awk -F, -v target="$2" '$1 == "total" && $4 == target { print $5 }' "$1"
}

# watch_targets FILE WORD...: runs it, totals as CSV in FILE.
watch_targets() {
	local file=$1
	shift
	"$PROSPECT" watch --budget 0 -i 0 --format csv -m entries "$@" > "$file" 2> "$T/stderr" ||
		fail "watch $*:" "$(cat "$T/stderr")"
}

test_watch_list_has_every_function() {
	build_targets
	"$PROSPECT" watch --list "$T/targets:*" > "$T/list" 2> "$T/stderr" ||
		fail "$(cat "$T/stderr")"
	readelf -sW "$T/targets" | awk '$4 == "FUNC" && $7 != "UND" && $3 > 0 { print "0x" $2 }' |
		sed 's/0x0*/0x/' | sort -u > "$T/readelf"
	grep -o ' 0x[0-9a-f]*' "$T/list" | tr -d ' ' | sort -u > "$T/listed"
	[ "$(wc -l < "$T/readelf")" -ge 5 ] || fail "readelf lists too little"
	comm -23 "$T/readelf" "$T/listed" > "$T/missing"
	[ ! -s "$T/missing" ] || fail "not listed:" "$(cat "$T/missing")"
	grep -Eq 'targets:rounds +targets.c:[0-9]+ ' "$T/list" || fail "no line:" "$(cat "$T/list")"
	grep -q '1 more name for the same functions' "$T/list" || fail "the alias is not told"
}

test_watch_wrong_names() {
	build_targets
	expect_status 2 "$PROSPECT" watch "$T/targets:twin"
	expect_line "'twin' matches 2 functions.*twin at targets_other.c:[0-9]"
	expect_status 1 "$PROSPECT" watch "$T/targets:gone"
	expect_line 'inlined everywhere: at targets.c:'
	expect_status 1 "$PROSPECT" watch "$T/targets:originl"
	expect_line 'similar: original'
	expect_status 1 "$PROSPECT" watch "$T/targets:printf"
	expect_line 'only calls printf'
	# the program that is to run is looked at, too
	expect_status 1 "$PROSPECT" watch printf -- "$T/targets"
	expect_line 'targets only calls printf'
	expect_status 1 "$PROSPECT" watch originl -- "$T/targets"
	expect_line 'similar: original'
	expect_status 1 "$PROSPECT" watch libc.so.6:printf@NONE_1.0
	expect_line 'has printf, but not version NONE_1.0 of it'
	expect_status 1 "$PROSPECT" watch "$T/nothing:main"
	expect_line 'No such file'
	expect_status 2 "$PROSPECT" watch "$T/targets:rounds+0x10000"
	expect_line 'beyond its end'
	expect_status 2 "$PROSPECT" watch "$T/targets"
	expect_line 'no function given'
	expect_status 1 "$PROSPECT" watch --at-line targets.c:100000 "$T/targets"
	expect_line 'no code for'
	expect_status 2 "$PROSPECT" watch --list --blocks "$T/targets:main"
	expect_line 'cannot be used together'
	strip -o "$T/stripped" "$T/targets"
	expect_status 1 "$PROSPECT" watch "$T/stripped:rounds"
	expect_line 'it is stripped'
	expect_status 2 "$PROSPECT" watch "$T/targets:main" -m walltim
	expect_line "did you mean 'walltime'"
}

# A library keeps functions for programs that were linked with it long ago.
test_watch_names_of_old_versions_only() {
	echo 'int old(void) { return 1; } __asm__(".symver old,gone@LIB_1");' > "$T/old.c"
	echo 'LIB_1 { global: gone; local: *; };' > "$T/old.map"
	${CC:-cc} -shared -fPIC -Wl,--version-script="$T/old.map" -o "$T/libold.so" "$T/old.c" ||
		fail "old.c cannot be compiled"
	strip "$T/libold.so"
	expect_status 1 "$PROSPECT" watch "$T/libold.so:gone@NONE" -- true
	expect_line 'libold.so has gone, but not version NONE of it'
	expect_status 1 "$PROSPECT" watch "$T/libold.so:gone" -- true
	expect_line 'libold.so has gone only in an old version, for programs linked long ago: libold.so:gone@LIB_1$'
	expect_status 1 "$PROSPECT" watch "$T/libold.so:gon" -- true
	expect_line 'libold.so has no function gon; similar: gone'
}

test_watch_names_and_aliases() {
	need_watch_targets
	watch_targets "$T/csv" "$T/targets:original" "$T/targets:same" "$T/targets:rounds" \
		-- "$T/targets" 500
	[ "$(target_entries "$T/csv" targets:original)" = 1000 ] || fail "original:" "$(cat "$T/csv")"
	[ "$(target_entries "$T/csv" targets:rounds)" = 1 ] || fail "rounds:" "$(cat "$T/csv")"
	expect_told 'counted once'
	watch_targets "$T/csv" -a "$T/targets:twin" -- "$T/targets" 500
	[ "$(awk -F, '$1 == "total" { print $5 }' "$T/csv" | sort -n | tr '\n' ' ')" = "250 500 " ] ||
		fail "twins:" "$(cat "$T/csv")"
}

# The symbol's own address, in a file without symbols.
test_watch_address_of_stripped() {
	need_watch_targets
	local address
	address=$(nm "$T/targets" | awk '$3 == "original" { print $1 }' | sed 's/^0*//')
	strip -o "$T/stripped" "$T/targets"
	watch_targets "$T/csv" "$T/stripped:0x$address" -- "$T/stripped" 100
	[ "$(awk -F, '$1 == "total" { print $5 }' "$T/csv")" = 200 ] || fail "$(cat "$T/csv")"
}

test_watch_source_line() {
	need_watch_targets
	local line counts
	line=$(grep -n '/\* odd \*/' "$HERE/programs/targets.c" | cut -d: -f1)
	watch_targets "$T/csv" --at-line "targets.c:$line" "$T/targets" -- "$T/targets" 300
	counts=$(awk -F, '$1 == "total" { print $5 }' "$T/csv" | sort -n | tail -n 1)
	[ "$counts" = 150 ] || fail "line $line:" "$(cat "$T/csv")"
}

# Of a loop that runs n times some block runs n times, and the one of its branch half as often.
test_watch_blocks() {
	need_watch_targets
	"$PROSPECT" watch --blocks "$T/targets:rounds" > "$T/blocks" || fail "--blocks"
	watch_targets "$T/csv" --each-block "$T/targets:rounds" -- "$T/targets" 800
	[ "$(awk -F, '$1 == "total"' "$T/csv" | wc -l)" = "$(grep -c '^+0x' "$T/blocks")" ] ||
		fail "blocks are not those listed:" "$(cat "$T/blocks" "$T/csv")"
	awk -F, '$1 == "total" && $5 == 800' "$T/csv" | grep -q . || fail "800:" "$(cat "$T/csv")"
	awk -F, '$1 == "total" && $5 == 400' "$T/csv" | grep -q . || fail "400:" "$(cat "$T/csv")"
	[ "$(target_entries "$T/csv" targets:rounds+0x0)" = 1 ] || fail "entry:" "$(cat "$T/csv")"
}

# Names as they are read; a call that is left by an exception does no harm and has no exit.
test_watch_cpp() {
	need_watch_targets
	need g++
	g++ -O2 -g -o "$T/cpp" "$HERE/programs/targets.cc" || fail "targets.cc cannot be compiled"
	expect_status 2 "$PROSPECT" watch "$T/cpp:cache::get"
	expect_line 'cache<int>::get\(int\)'
	watch_targets "$T/csv" "$T/cpp:app::cache<int>::get" "$T/cpp:twice(long)" -- "$T/cpp" 60
	[ "$(target_entries "$T/csv" 'cpp:app::cache<int>::get')" = 120 ] || fail "$(cat "$T/csv")"
	[ "$(target_entries "$T/csv" cpp:app::twice)" = 60 ] || fail "$(cat "$T/csv")"
	"$PROSPECT" watch "$T/cpp:app::cache<int>::get" --budget 0 -i 0 -m entries,exits,walltime,nested \
		--format csv -- "$T/cpp" 60 > "$T/csv" 2> "$T/stderr" ||
		fail "an exception ended the program:" "$(cat "$T/stderr")"
	grep -q "^total,.*,120,60,.*,0$" "$T/csv" || fail "$(cat "$T/csv")"
}

# A program in a root folder of its own, found by its name there.
test_watch_other_root() {
	need_watch_targets
	mkdir -p "$T/root/bin"
	(cd "$HERE/programs" && ${CC:-cc} -std=gnu11 -O2 -g -static -o "$T/root/bin/inside" \
		targets.c targets_other.c) 2> /dev/null || skip "no static C library"
	mkfifo "$T/in"
	chroot "$T/root" /bin/inside 1 wait < "$T/in" > "$T/out" &
	local pid=$!
	exec 7> "$T/in"
	until_true has_spoken $pid "$T/out"
	"$PROSPECT" watch -p $pid /bin/inside:original --budget 0 -i 50ms --format csv -m entries \
		> "$T/csv" 2> "$T/stderr" 7>&- &
	local watch=$!
	until_true is_attached $watch "$T/csv"
	printf '%40s' '' >&7
	exec 7>&-
	wait $pid
	wait $watch || fail "watch:" "$(cat "$T/stderr")"
	[ "$(target_entries "$T/csv" inside:original)" = 40 ] || fail "$(cat "$T/csv" "$T/stderr")"
}

# The breakpoint of a probe is in memory and not in the file.
test_watch_memory_differs() {
	need_watch_targets
	mkfifo "$T/in"
	"$T/targets" 1 wait < "$T/in" > "$T/out" &
	local pid=$!
	exec 7> "$T/in"
	until_true has_spoken $pid "$T/out"
	"$PROSPECT" watch --disassemble -p $pid "$T/targets:original" > "$T/code" ||
		fail "--disassemble"
	grep -q 'memory and file are the same' "$T/code" || fail "before:" "$(cat "$T/code")"
	"$PROSPECT" watch -p $pid "$T/targets:original" --budget 0 -i 50ms --format csv -m entries \
		> "$T/csv" 2> "$T/stderr" 7>&- &
	local watch=$!
	until_true is_attached $watch "$T/csv"
	printf x >&7
	"$PROSPECT" watch --disassemble -p $pid "$T/targets:original" > "$T/code"
	exec 7>&-
	wait $pid $watch
	grep -q '1 place changed' "$T/code" || fail "while watched:" "$(cat "$T/code")"
	grep -q '^+ +0x0 ' "$T/code" || fail "while watched:" "$(cat "$T/code")"
}

test_watch_indirect() {
	need_watch_targets
	"$PROSPECT" watch --list libc.so.6:memcpy > "$T/list" 2> /dev/null ||
		skip "no libc.so.6 here"
	grep -q indirect "$T/list" || skip "memcpy is no indirect function here"
	expect_status 0 "$PROSPECT" watch libc.so.6:memcpy --dry-run > "$T/out"
	expect_told 'indirect function.* watching the one'
}

test_watch_metric_help() {
	"$PROSPECT" watch --help-metric all > "$T/all" || fail "--help-metric all"
	local metric
	for metric in $(awk '{ print $1 }' "$T/all"); do
		"$PROSPECT" watch --help-metric "$metric" > "$T/one" || fail "--help-metric $metric"
		grep -q '^unit: ' "$T/one" && grep -q '^attached: ' "$T/one" ||
			fail "$metric:" "$(cat "$T/one")"
	done
	"$PROSPECT" watch --help-metric latency > "$T/one" || fail "--help-metric latency"
	grep -q '^latency-p50 ' "$T/one" || fail "latency:" "$(cat "$T/one")"
	[ "$(wc -l < "$T/all")" -ge 40 ] || fail "only so many metrics:" "$(cat "$T/all")"
	expect_status 2 "$PROSPECT" watch --help-metric nonsense
	expect_line 'unknown metric'
}

test_watch_json_lines() {
	need_watch_targets
	need python3
	"$PROSPECT" watch "$T/targets:original" -m entries,exits,latency,errors -r --budget 0 \
		--format json --by thread -i 50ms -- "$T/targets" 700 > "$T/json" 2> "$T/stderr" ||
		fail "$(cat "$T/stderr")"
	grep -v '^[-0-9]*$' "$T/json" > "$T/lines"
	python3 - "$T/lines" <<- 'END' || fail "$(cat "$T/lines")"
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1])]
		total = [row for row in rows if row["kind"] == "total"]
		assert rows[0]["kind"] == "begin" and rows[-1]["kind"] == "end"
		assert rows[-1]["reason"] == "command-ended", rows[-1]
		assert len(total) == 1 and total[0]["entries"] == 1400, total
		assert total[0]["exits"] == 1400 and total[0]["errors"] == 700, total
		assert sum(part[2] for part in total[0]["latency_ns"]) == 1400
		assert sum(part[2] for part in total[0]["returned"]) == 1400
		assert total[0]["comm"] == "targets" and total[0]["pid"] == total[0]["tid"]
		parts = [row["entries"] * (row["end"] - row["start"]) for row in rows
			 if row["kind"] == "interval"]
		assert abs(sum(parts) - 1400) < 1, parts
	END
}

test_watch_full_and_closed_outputs() {
	need_watch_targets
	expect_status 1 "$PROSPECT" watch "$T/targets:original" --budget 0 -i 20ms \
		-- "$BIN/loop" 0.3 > /dev/full
	"$PROSPECT" watch --list "$T/targets:*" 2> "$T/stderr" | head -n 1 > "$T/first"
	grep -q 'targets:' "$T/first" || fail "$(cat "$T/first" "$T/stderr")"
}
