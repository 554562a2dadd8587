# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Code that programs make while they run: names from what they announce. The program jit makes three
# functions, one after the other at the same address, and tells what time each took.

# jit_shares WHAT SELECTION: the shares in $T/stdout against those of the profile $T/prof.
jit_shares() {
	own_rows "$T/prof" symbol --select "$2 image=[jit]" > "$T/rows"
	check_shares "$1" "$T/stdout" "$T/rows"
}

test_perf_map() {
	record "$T/prof" "${MEASURING[@]}" -- "$BIN/jit" map 1.2
	jit_shares "perf map" program=jit
}

# The map is in the /tmp of the process, under the number the process has there.
test_perf_map_of_a_container() {
	need_root
	need unshare
	unshare -pfm true 2> /dev/null || skip "no PID namespaces here"
	# shellcheck disable=SC2016
	record "$T/prof" "${MEASURING[@]}" -- unshare -pfm --mount-proc sh -c \
		'mount -t tmpfs none /mnt && cp "$0" /mnt && mount --move /mnt /tmp &&
		/tmp/jit map 1.2' "$BIN/jit"
	jit_shares "perf map of a container" program=jit
}

test_jitdump() {
	# shellcheck disable=SC2016
	record "$T/prof" "${MEASURING[@]}" -- sh -c 'cd "$1" && exec "$0" dump 1.2' "$BIN/jit" "$T"
	jit_shares jitdump program=jit
}

# has_function FILE NAME: the profile that is being recorded has a hundred samples of it.
has_function() {
	"$PROSPECT" report --by symbol --select "symbol=$2" --format csv "$1" 2> /dev/null |
		awk -F , 'NR > 1 && $3 >= 100 { found = 1 } END { exit !found }'
}

# Code at one address three times: each name has its own bytes and hits. Memory is read at each flush, so
# that code is there until one has come.
test_annotate_jit() {
	local how recorder name
	for how in map dump; do
		rm -f "$T/prof"
		# shellcheck disable=SC2016
		"$PROSPECT" record -o "$T/prof" -H 4000 -M 20 -- sh -c 'cd "$1" && exec "$0" "$2" 0 wait' \
			"$BIN/jit" "$T" $how > "$T/stdout" 2> "$T/stderr" &
		recorder=$!
		trap 'kill $(jobs -p) 2> /dev/null' EXIT
		for name in first second third; do
			until_true has_function "$T/prof" $name
			: > "$T/$name"
		done
		wait $recorder || fail "record ended with $?:" "$(cat "$T/stderr")"
		rm "$T/first" "$T/second" "$T/third"
		"$PROSPECT" annotate second "$T/prof" > "$T/out" 2> "$T/stderr" ||
			fail "annotate:" "$(cat "$T/stderr")"
		[ "$(sed -nE 's/^ *[0-9.]+ +([0-9]+) +[0-9.]+ +[0-9a-f]+   .*/\1/p' "$T/out" |
			awk '{ n += $1 } END { print n + 0 }')" = \
			"$(rows "$T/prof" symbol --select symbol=second | cut -f 3)" ] ||
			fail "$how: hits are lost" "$(cat "$T/out")"
	done
}

# Lines of a jitdump, of writers that count from the code and of those that count from 64 bytes before
# it: which line an address has is known.
test_jitdump_lines() {
	local how
	for how in dump v8; do
		# shellcheck disable=SC2016
		record "$T/prof" -H 4000 -- sh -c 'cd "$1" && exec "$0" "$2" 1.2' \
			"$BIN/jit" "$T" $how
		own_rows "$T/prof" symbol,address,line --select 'program=jit image=[jit]' > "$T/rows"
		[ "$(wc -l < "$T/rows")" -ge 6 ] || fail "$how: hardly any rows" "$(cat "$T/rows")"
		while IFS=$'\t' read -r name address line _; do
			local offset=$((address & 0xfff)) expected=3
			[ $offset -lt 20 ] && expected=2
			[ $offset -lt 4 ] && expected=1
			[ "$line" = "/made/$name:$expected" ] ||
				fail "$how: $name+$offset is at $line, not at line $expected"
		done < "$T/rows"
		"$PROSPECT" annotate --command --mixed second "$T/prof" > "$T/out" 2> "$T/stderr" ||
			fail "$how: annotate:" "$(cat "$T/stderr")"
		[ "$(grep -Eo ' [123] \| *$' "$T/out" | tr -dc 123)" = 123 ] ||
			fail "$how: annotate has not all lines" "$(cat "$T/out")"
	done
}

test_jitdump_of_a_child() {
	# shellcheck disable=SC2016
	record "$T/prof" "${MEASURING[@]}" -- sh -c 'cd "$1" && exec "$0" dump 1.2 fork' "$BIN/jit" "$T"
	jit_shares "jitdump of a child" program=jit
}

# A link is not followed, even if it leads to what would be believed.
test_perf_map_behind_a_link() {
	export T
	# shellcheck disable=SC2016
	record "$T/prof" -H 4000 -- sh -c '
		map=/tmp/perf-$$.map
		echo "0 7fffffffffff false" > "$T/false"
		ln -s "$T/false" $map
		cd "$T"
		exec "$0" dump 0.4' "$BIN/jit"
	find /tmp -maxdepth 1 -lname "$T/false" -delete
	own_rows "$T/prof" symbol --select 'program=jit symbol=false' > "$T/rows"
	[ ! -s "$T/rows" ] || fail "a link was followed"
}

test_perf_map_of_another_user() {
	need_root
	need setpriv
	record "$T/prof" "${MEASURING[@]}" -- setpriv --reuid 65534 --clear-groups "$BIN/jit" map 1.2
	jit_shares "map of another user" program=jit
}
