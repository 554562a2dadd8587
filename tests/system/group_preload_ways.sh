# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Ways to profile without privilege: where nothing else is permitted, in a shell, as a program chooses, and
# what waits.

# The weight of all samples that have the function in their stacks, in seconds.
with_function() {
	"$PROSPECT" report --children --by function --format csv --limit 1000 "$1" |
		python3 -c 'import csv, sys
print(sum(int(r["weight"]) for r in csv.DictReader(sys.stdin) if r["function"] == sys.argv[1]) / 1e9)' "$2"
}

test_preload_where_nothing_is_permitted() {
	compile kills kills.c || fail "kills.c"
	compile shares shares.c || fail "shares.c"
	"$BIN/kills" "$PROSPECT" -o "$T/p.prof" "$BIN/shares" 1 > "$T/out" 2> "$T/screen" || fail "status $?:" "$(cat "$T/screen")"
	grep -q 'using a preloaded library' "$T/screen" || fail "it does not say how:" "$(cat "$T/screen")"
	grep -q 'burn_fifty' "$T/screen" || fail "no function:" "$(cat "$T/screen")"
	grep -q '100.0 % of the stacks complete' "$T/screen" || fail "stacks:" "$(cat "$T/screen")"
	"$BIN/kills" "$PROSPECT" record -o "$T/p2.prof" true > "$T/out" 2>&1
	[ $? = 159 ] || fail "the filter lets perf events through" # killed by SIGSYS: the test is one
}

test_preload_of_a_shell() {
	compile shares shares.c || fail "shares.c"
	cat > "$T/shell" <<-SHELL
		eval "\$("$PROSPECT" preload --shell -o "$T/shell.prof")"
		"$BIN/shares" 0.5 > "$T/out"
		echo "\$PROSPECT_PRELOAD" > "$T/memory"
		env -i "$BIN/shares" 0.5 > "$T/out2"
		(exit 3)
		eval "\$("$PROSPECT" preload --off)"
		env > "$T/after"
	SHELL
	env -u LD_PRELOAD setsid sh "$T/shell" > "$T/log" 2>&1 || fail "status $?:" "$(cat "$T/log")"
	grep -q "recorded $T/shell.prof" "$T/log" || fail "it does not say where:" "$(cat "$T/log")"
	! grep -E 'PRELOAD' "$T/after" || fail "variables are left"
	[ "$("$PROSPECT" query --format csv "SELECT COUNT(DISTINCT pid) FROM sample WHERE program = 'shares'" \
		"$T/shell.prof" | tail -n 1)" = 2 ] || fail "both runs:" "$("$PROSPECT" report --by process "$T/shell.prof")"
	[ -s "$T/memory" ] && [ ! -e "$(cat "$T/memory")" ] || fail "memory is left: $(cat "$T/memory")"
}

test_preload_as_a_program_chooses() {
	compile marks marks.c -L"$TOP/lib" -lprospect || fail "marks.c"
	LD_LIBRARY_PATH=$TOP/lib "$BIN/marks" || fail "alone: status $?"
	LD_LIBRARY_PATH=$TOP/lib "$PROSPECT" preload -q -F 250 -o "$T/m.prof" "$BIN/marks" || fail "status $?"
	[ "$(with_function "$T/m.prof" left_out)" = 0.0 ] || fail "what it left out:" "$("$PROSPECT" graph "$T/m.prof")"
	with_function "$T/m.prof" wanted | awk '{ exit !($1 > 0.4 && $1 < 0.6) }' ||
		fail "what it wanted:" "$("$PROSPECT" graph "$T/m.prof")"
	"$PROSPECT" report --since "mark:begin of it" --until "mark:end of it" --by function "$T/m.prof" |
		grep -q wanted || fail "marks:" "$("$PROSPECT" query 'SELECT * FROM mark' "$T/m.prof")"
}

test_preload_shows_waits() {
	local name true_s
	compile sleeps sleeps.c -pthread || fail "sleeps.c"
	"$PROSPECT" preload -q --clock wall -o "$T/w.prof" "$BIN/sleeps" > "$T/truth" || fail "status $?"
	while read -r name true_s; do
		# Time in which it was ready, but had no CPU, is not there.
		with_function "$T/w.prof" "$name" | awk -v true_s="$true_s" \
			'{ exit !($1 > 0.6 * true_s && $1 < 1.05 * true_s + 0.05) }' ||
			fail "$name: not $true_s s:" "$("$PROSPECT" graph "$T/w.prof")"
	done < "$T/truth"
	"$PROSPECT" report "$T/w.prof" | grep -q "% of the command's wall-clock" || fail "what its shares are of"
}
