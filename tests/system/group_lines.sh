# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Source lines and inlined functions.

# symbolize ARGUMENT...: without what other tests left in the cache.
symbolize() {
	"$PROSPECT" symbolize --no-cache "$@"
}

address_of() {
	nm "$1" | awk -v name="$2" '$3 == name { print $1 }'
}

test_lines_as_others_have_them() {
	need python3
	need eu-addr2line
	"$HERE/../oracle/lines.sh" "$PROSPECT" quick > "$T/said" 2>&1 || fail "$(cat "$T/said")"
}

test_report_by_line_and_inline() {
	local all line
	compile_inlined
	record "$T/prof" -H 2000 -- "$T/inlined"
	own_rows "$T/prof" inline --select 'program=inlined mode=user' > "$T/rows"
	all=$(sum 3 < "$T/rows")
	[ "$all" -ge 30 ] || fail "only $all samples"
	[ "$(awk -F '\t' '$1 == "innermost"' "$T/rows" | sum 3)" -ge $((all * 9 / 10)) ] ||
		fail "$(head -n 3 "$T/rows")"
	own_rows "$T/prof" line,symbol --select "line=inlined.c:* program=inlined" > "$T/rows"
	line=$(line_of "$T/inlined.c" 'sum += x * i')
	[ "$(awk -F '\t' -v loop="$T/inlined.c:$((line - 1))" -v body="$T/inlined.c:$line" '
		($1 == loop || $1 == body) && $2 == "outermost"' "$T/rows" | sum 4)" -ge \
		$((all * 9 / 10)) ] ||
		fail "$(head -n 3 "$T/rows")"
	own_rows "$T/prof" source --select 'program=inlined mode=user source=inlined.c' > "$T/rows"
	[ "$(wc -l < "$T/rows")" = 1 ] && [ "$(cut -f 1 "$T/rows")" = "$T/inlined.c" ] &&
		[ "$(sum 3 < "$T/rows")" -ge $((all * 9 / 10)) ] || fail "$(head -n 3 "$T/rows")"
	# of a file that is not there any more nothing is made up
	rm "$T/inlined"
	own_rows "$T/prof" line,inline --no-cache --select 'program=inlined mode=user' > "$T/rows"
	head -n 1 "$T/rows" | grep -q "^\[no line: inlined\]	outermost	" ||
		fail "$(head -n 3 "$T/rows")"
	own_rows "$T/prof" source --no-cache --select 'program=inlined mode=user' > "$T/rows"
	head -n 1 "$T/rows" | grep -q "^\[no line: inlined\]	" || fail "$(head -n 3 "$T/rows")"
}

# A stripped program has its functions' names in a recording when its debug file is there.
test_names_from_debug_files() {
	compile_inlined
	(cd "$T" && objcopy --only-keep-debug inlined inlined.debug &&
		objcopy -S --add-gnu-debuglink=inlined.debug inlined)
	record "$T/prof" -H 2000 -- "$T/inlined"
	own_rows "$T/prof" symbol --select 'program=inlined mode=user image=*/inlined' > "$T/rows"
	head -n 1 "$T/rows" | grep -q "^outermost	" || fail "$(head -n 3 "$T/rows")"
}

test_names_from_embedded_symbols() {
	need xz
	compile_inlined
	(cd "$T" && objcopy --only-keep-debug inlined full.debug && echo outermost > keep &&
		objcopy -S --keep-symbols=keep full.debug embedded && xz embedded &&
		objcopy -S inlined && objcopy --add-section .gnu_debugdata=embedded.xz inlined)
	address=$(nm "$T/full.debug" | awk '$3 == "outermost" { print $1 }')
	symbolize -e "$T/inlined" "$address" > "$T/said" 2> "$T/stderr"
	grep -q "outermost+0x0" "$T/said" || fail "$(cat "$T/said")"
}

# What does not belong to the file is not used, and that is said.
test_another_files_debug_file_is_refused() {
	local address
	compile_inlined
	address=$(address_of "$T/inlined" outermost)
	(cd "$T" && objcopy -S --add-gnu-debuglink=<(echo) inlined stripped 2> /dev/null
		cp inlined whole && cc -O1 -g inlined.c -o other &&
		objcopy --only-keep-debug other other.debug &&
		objcopy -S --add-gnu-debuglink=other.debug whole stripped)
	symbolize -e "$T/stripped" "$address" > "$T/said" 2> "$T/stderr"
	! grep -q "inlined.c" "$T/said" || fail "$(cat "$T/said")"
	expect_line "other.debug: not used: its build id does not match"
	# without build ids the checksum decides
	compile_inlined -Wl,--build-id=none
	address=$(address_of "$T/inlined" outermost)
	(cd "$T" && objcopy --only-keep-debug inlined its.debug &&
		objcopy -S --add-gnu-debuglink=its.debug inlined stripped)
	symbolize -e "$T/stripped" "$address" > "$T/said" 2> "$T/stderr"
	grep -q "inlined.c:" "$T/said" || fail "$(cat "$T/said" "$T/stderr")"
	echo more >> "$T/its.debug"
	symbolize -e "$T/stripped" "$address" > "$T/said" 2> "$T/stderr"
	! grep -q "inlined.c" "$T/said" || fail "$(cat "$T/said")"
	expect_line "its.debug: not used: its checksum does not match"
}

# serve_debug_files FOLDER: as a debuginfod on the loopback, which DEBUGINFOD_URLS names from now on.
serve_debug_files() {
	local server
	python3 -u -m http.server --bind 127.0.0.1 --directory "$1" 0 > "$T/log" 2>&1 &
	server=$!
	# shellcheck disable=SC2064
	trap "kill $server" EXIT
	until_true grep -q ' port [0-9]' "$T/log"
	export DEBUGINFOD_CACHE_PATH=$T/cache
	DEBUGINFOD_URLS=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$T/log")
	export DEBUGINFOD_URLS
}

# A server on this machine has the debug file; it is asked when that is wanted, and not before.
test_debuginfod() {
	local id urls address
	need python3
	ldconfig -p | grep -q libdebuginfod.so.1 || skip "needs libdebuginfod1"
	compile_inlined
	address=$(address_of "$T/inlined" outermost)
	id=$(readelf -n "$T/inlined" | awk '/Build ID/ { print $3 }')
	mkdir -p "$T/served/buildid/$id"
	objcopy --only-keep-debug "$T/inlined" "$T/served/buildid/$id/debuginfo"
	objcopy -S "$T/inlined"
	serve_debug_files "$T/served"
	urls=$DEBUGINFOD_URLS
	unset DEBUGINFOD_URLS
	symbolize -e "$T/inlined" "$address" > "$T/said" 2> "$T/stderr"
	! grep -q "inlined.c" "$T/said" || fail "asked without being told"
	expect_status 0 symbolize --debuginfod -e "$T/inlined" "$address" > "$T/said"
	expect_line "DEBUGINFOD_URLS names no debuginfod server"
	export DEBUGINFOD_URLS=$urls
	expect_status 0 symbolize -e "$T/inlined" "$address" > "$T/said"
	grep -q "inlined.c:" "$T/said" || fail "$(cat "$T/said" "$T/stderr" "$T/log")"
}

test_symbolize_process_and_kernel() {
	local place address name
	"$BIN/loop" 60 > /dev/null &
	place=$!
	# shellcheck disable=SC2064
	trap "kill $place" EXIT
	until_true runs "$place" "$BIN/loop" # before, the libc is the shell's
	until_true grep -q 'r-xp.*libc' "/proc/$place/maps"
	address=$(awk '/r-xp.*libc/ { sub("-.*", "", $1); print $1; exit }' "/proc/$place/maps")
	address=$(printf '%x' $((0x$address + 0x1000)))
	expect_status 0 symbolize -p "$place" "$address" > "$T/said"
	head -n 1 "$T/said" | grep -q "^0x$address in /.*libc" || fail "$(cat "$T/said")"
	need_root
	# Any function that is one of a kind, and has an address of its own with room before the next one.
	read -r address name < <(awk '!/\[/ && $2 ~ /^[Tt]$/ && $1 !~ /^0+$/ { print $1, $3 }' /proc/kallsyms |
		sort | awk '{ many[$2]++; line[NR] = $0; at[NR] = $1; name[NR] = $2 } END {
			for (i = 2; i < NR; i++)
				if (name[i] ~ /^[a-z][a-z_]*$/ && many[name[i]] == 1 && at[i] != at[i - 1] &&
				    substr(at[i], 1, 14) != substr(at[i + 1], 1, 14)) {
					print line[i]
					exit
				} }')
	[ -n "$address" ] || skip "the kernel hides its addresses"
	expect_status 0 symbolize --kernel "$address" "$(printf '%x' $((0x$address + 4)))" > "$T/said"
	grep -q "^  $name+0x0" "$T/said" && grep -q "^  $name+0x4" "$T/said" || fail "$(cat "$T/said")"
}

test_symbolize_wrong() {
	compile_inlined
	expect_status 1 symbolize -e "$T/inlined" xyz "$(address_of "$T/inlined" main)" 0 \
		ffffffffffffffffff > "$T/said"
	grep -q "^  main+0x0 at $T/inlined.c:" "$T/said" || fail "$(cat "$T/said")"
	expect_told "invalid address 'xyz'"
	expect_told "invalid address 'f*'"
	[ "$(wc -l < "$T/stderr")" = 2 ] || fail "$(cat "$T/stderr")"
	expect_status 1 symbolize -e "$T/inlined" 7fffffff0000 > /dev/null
	expect_line "no code at this address"
	expect_status 2 symbolize 1000
	expect_line "one of -e FILE, -p PID or --kernel"
	expect_status 2 symbolize -e "$T/inlined" -p 1 1000
	expect_line "one of -e FILE, -p PID or --kernel"
	expect_status 1 symbolize -e "$T/none" 1000
	expect_line "none: No such file"
	expect_status 1 symbolize -e "$T/inlined.c" 1000
	expect_line "inlined.c"
	expect_status 1 symbolize -p 4194304 1000 # no process ever has that number
	expect_line "4194304"
}

# A return address after the last instruction of a function belongs to that function.
test_symbolize_return() {
	local end
	cat > "$T/last.c" <<- 'END'
		#include <stdlib.h>
		__attribute__((noinline)) void ends_with_a_call(void) { abort(); }
		__attribute__((noinline)) int next_one(int x) { return x + 1; }
		int main(int argc, char **argv) { if (argc > 5) ends_with_a_call(); return next_one(argc); }
	END
	cc -O1 -g -fno-toplevel-reorder -falign-functions=1 -o "$T/last" "$T/last.c"
	end=$(nm -S "$T/last" | awk '$4 == "ends_with_a_call" { print $1, $2 }')
	end=$(printf '%x' $((0x${end% *} + 0x${end#* })))
	symbolize -e "$T/last" --return "$end" | grep -q "^  ends_with_a_call+0x.* at $T/last.c:2$" ||
		fail "$(symbolize -e "$T/last" --return "$end")"
}

# The index is written once, and a damaged one is made anew.
test_cache_of_lines() {
	local folder address before
	need_root # whose cache is in /var/cache: others' is in their home
	compile_inlined
	address=$(address_of "$T/inlined" outermost)
	folder=/var/cache/prospect/lines
	id=$(readelf -n "$T/inlined" | awk '/Build ID/ { print $3 }')
	"$PROSPECT" symbolize -e "$T/inlined" "$address" > "$T/first"
	[ -s "$folder/$id" ] || fail "nothing was kept"
	before=$(stat -c %i "$folder/$id")
	objcopy -S "$T/inlined"
	"$PROSPECT" symbolize -e "$T/inlined" "$address" > "$T/second"
	grep -q "inlined.c:" "$T/second" || fail "what was kept was not used: $(cat "$T/second")"
	[ "$(stat -c %i "$folder/$id")" = "$before" ] || fail "written although nothing was new"
	printf X | dd of="$folder/$id" bs=1 seek=40 conv=notrunc status=none
	compile_inlined
	"$PROSPECT" symbolize -e "$T/inlined" "$address" | cmp -s - "$T/first" || fail "a wrong answer"
	cmp -s <("$PROSPECT" symbolize --no-cache -e "$T/inlined" "$address") "$T/first" || fail "differs"
	rm -f "$folder/$id"
}
