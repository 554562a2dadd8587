# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What views show of a time of the history. begin_history and others are in group_history.sh.

# in_time PROGRAM SINCE UNTIL: its samples in that time, each a number of seconds since 1970; 0 if there is none.
in_time() {
	"$PROSPECT" report --format csv --by program --select "program=$1" --since "@$2" --until "@$3" "$T/h" \
		2> /dev/null | awk -F, 'NR > 1 { sum += $3 } END { print sum + 0 }'
}

# samples_in_time SINCE UNTIL: of all programs.
samples_in_time() {
	"$PROSPECT" report --format csv --by program --since "@$1" --until "@$2" "$T/h" |
		awk -F, 'NR > 1 { sum += $3 } END { print sum + 0 }'
}

now() {
	date +%s.%N
}

# Each time shows what ran then, and times that adjoin have as many samples as the one that has both. A segment
# ends in between.
test_history_times() {
	local begin between end whole parts
	begin_history --segment 10
	begin=$(now)
	burn 1 early
	until_true has_segments 2
	until_true is_status segment "$(basename "$(segments | sed -n 2p)")"
	between=$(now)
	burn 1 late
	expect_status 0 "$PROSPECT" stop --history "$T/h"
	end=$(now)
	[ "$(in_time early "$begin" "$between")" -gt 10 ] || fail "what ran early is not there"
	[ "$(in_time late "$between" "$end")" -gt 10 ] || fail "what ran late is not there"
	[ "$(in_time late "$begin" "$between")" = 0 ] || fail "what ran late is in the early time"
	[ "$(in_time early "$between" "$end")" = 0 ] || fail "what ran early is in the late time"
	whole=$(samples_in_time "$begin" "$end")
	parts=$(($(samples_in_time "$begin" "$between") + $(samples_in_time "$between" "$end")))
	[ "$whole" = "$parts" ] || fail "$whole samples in all, $parts in parts"
	# As a profile of its own.
	"$PROSPECT" record --from-history --history "$T/h" --since "@$begin" --until "@$between" -q -o "$T/part.prof"
	[ "$("$PROSPECT" query --format csv 'SELECT sum(samples) FROM event' "$T/part.prof" | tail -n 1)" = \
		"$(samples_in_time "$begin" "$between")" ] || fail "the profile of a part has other samples"
	"$PROSPECT" report "$T/part.prof" --by program --format csv > "$T/part"
	grep -q "^early," "$T/part" || fail "what ran early is not in the profile" "$(cat "$T/part")"
	! grep -q "^late," "$T/part" || fail "what ran late is in the profile" "$(cat "$T/part")"
	[ "$("$PROSPECT" query --format csv 'SELECT count(*) FROM sample' "$T/h" | tail -n 1)" = \
		"$("$PROSPECT" report --format csv --by program "$T/h" | awk -F, 'NR > 1 { sum += $3 } END { print sum }')" ] ||
		fail "SQL has other samples than the report"
}

# Without a file --since means the history, and the screen says so; without it the last profile. A time that has
# nothing is an error that says where the history ends.
test_history_is_the_default() {
	need_root
	export PROSPECT_HISTORY=$T/h XDG_STATE_HOME=$T/state
	begin_history
	burn 1 worker
	expect_status 0 "$PROSPECT" stop
	expect_status 0 "$PROSPECT" report --since 10m > "$T/out"
	tr -s " \n" " " < "$T/out" | grep -q "History $T/h, .* to .*, 1 profile" || fail "said" "$(head -n 5 "$T/out")"
	expect_status 0 "$PROSPECT" report --format csv --by program > "$T/out"
	grep -q worker "$T/out" || fail "no profile is kept, and the history is not shown"
	expect_status 0 "$PROSPECT" record -q -- true
	expect_status 0 "$PROSPECT" report > "$T/out"
	! grep -q '^History' "$T/out" || fail "the history is shown in place of the last profile"
	expect_status 1 "$PROSPECT" report --since 2030-01-01
	grep -q 'the history ends before, at ' "$T/stderr" || fail "said" "$(cat "$T/stderr")"
	expect_status 0 "$PROSPECT" graph --since 10m > "$T/out"
	expect_status 0 "$PROSPECT" flame --since 10m -o "$T/flame.html"
	expect_status 0 "$PROSPECT" export --since 10m --format collapsed -o "$T/stacks"
	grep -q '^worker-' "$T/stacks" || fail "the stacks of what ran are not there" "$(head -n 1 "$T/stacks")"
}

# What ran earlier is on the old side, what ran later on the new one. Both sides are as long as the longer half.
test_history_against_itself() {
	local begin middle end length
	begin_history
	begin=$(now)
	burn 2 before
	middle=$(now)
	burn 2 after
	end=$(now)
	expect_status 0 "$PROSPECT" stop --history "$T/h"
	length=$(awk -v a="$begin" -v b="$middle" -v c="$end" \
		'BEGIN { printf "%.0f\n", 1000 * (b - a > c - b ? b - a : c - b) + 1 }')
	expect_status 0 "$PROSPECT" diff --since "@$middle" \
		--until "@$(awk -v b="$middle" -v long="$length" 'BEGIN { printf "%.6f\n", b + long / 1000 }')" \
		--against "${length}ms" --by program --all \
		--format csv "$T/h" > "$T/out"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$1 == "before" && $column["old_samples"] > 10 && $column["new_samples"] == 0 { old = 1 }
		$1 == "after" && $column["new_samples"] > 10 && $column["old_samples"] == 0 { new = 1 }
		END { exit !(old && new) }' "$T/out" || fail "the sides" "$(cat "$T/out")"
	expect_status 2 "$PROSPECT" diff --against 1h "$T/h"
	expect_status 2 "$PROSPECT" diff --since 1h --against yesterday "$T/h"
}
