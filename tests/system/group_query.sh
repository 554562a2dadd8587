# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# SQL over profiles that were recorded.

# What man/prospect-query.1 shows as commands, each with a byte 1 behind it.
query_examples() {
	awk '/^\.Sh EXAMPLES/ { inside = 1 }
		inside && /^\.Ed/ { shown = 0; printf "\001" }
		shown { gsub(/\\e/, "\\"); gsub(/\\&/, ""); print }
		inside && /^\.Bd/ { shown = 1 }' "$HERE/../../man/prospect-query.1"
}

# Every example of the page runs, about the last profile; each says something but for what was lost.
test_query_examples() {
	local example status n=0
	local -x XDG_STATE_HOME=$T/state PATH=$BIN:$PATH
	need_root
	"$PROSPECT" record -- "$BIN/callers" 1.5 > /dev/null 2>&1 || fail "record"
	while IFS= read -r -d $'\001' example; do
		n=$((n + 1))
		status=0
		bash -c "$example" > "$T/rows" 2> "$T/stderr" || status=$?
		[ $status = 0 ] || { [ $status = 3 ] && grep -q -- --assert <<< "$example"; } ||
			fail "status $status of: $example" "$(cat "$T/stderr")"
		grep -q 'FROM losses' <<< "$example" || [ "$(wc -l < "$T/rows")" -ge 3 ] ||
			fail "no rows: $example" "$(cat "$T/rows")"
	done < <(query_examples)
	[ "$n" = 10 ] || fail "$n examples were found in the page"
}

# SQL of the profile against the report, sqlite3 alone against both.
test_query_is_the_report() {
	local sql="SELECT thread, sum(samples), sum(weight) FROM totals WHERE event = 'cpu-clock'
		GROUP BY thread ORDER BY thread"
	need_root
	record "$T/prof" -- "$BIN/callers" 1
	rows "$T/prof" thread | cut -f 1,3,4 | sort > "$T/report"
	"$PROSPECT" query --format csv "$sql" "$T/prof" | csv_to_tabs | sort > "$T/query" || fail "query"
	cmp -s "$T/report" "$T/query" || fail "not what the report has:" "$(diff "$T/report" "$T/query")"
	"$PROSPECT" query --format csv "SELECT thread, count(*), sum(weight) FROM sample
		WHERE event = 'cpu-clock' GROUP BY thread" "$T/prof" | csv_to_tabs | sort > "$T/sample"
	cmp -s "$T/report" "$T/sample" || fail "samples:" "$(diff "$T/report" "$T/sample")"
	rows "$T/prof" stack | cut -f 1,3,4 | sort > "$T/report"
	"$PROSPECT" query --format csv "SELECT text, sum(samples), sum(weight) FROM stacks
		WHERE event = 'cpu-clock' GROUP BY text" "$T/prof" | csv_to_tabs | sort > "$T/query"
	cmp -s "$T/report" "$T/query" || fail "stacks:" "$(diff "$T/report" "$T/query" | head)"
	need sqlite3
	sqlite3 -readonly "$T/prof" "$sql" | tr '|' '\t' | sort > "$T/alone"
	rows "$T/prof" thread | cut -f 1,3,4 | sort | cmp -s - "$T/alone" || fail "sqlite3 alone"
}

test_query_ends_when_told() {
	local endless="WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
		SELECT count(*) FROM c"
	need_root
	record "$T/prof" -- true
	expect_status 130 timeout --preserve-status -s INT 2 "$PROSPECT" query "$endless" "$T/prof"
	expect_status 1 "$PROSPECT" query --time-limit 100ms "$endless" "$T/prof"
	expect_line 'longer than 0.1 s: --time-limit'
	expect_status 1 bash -c "$(printf '%q query "SELECT 1" %q > /dev/full' "$PROSPECT" "$T/prof")"
	expect_line 'No space left'
}

# A profile of somebody else that may only be read.
test_query_by_a_plain_user() {
	need_root
	need setpriv
	record "$T/prof" -- "$BIN/callers" 0.5
	chmod 644 "$T/prof"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$PROSPECT" query \
		'SELECT sum(samples) > 0 AS some FROM totals' "$T/prof" > "$T/rows" || fail "query"
	[ "$(tail -n 1 "$T/rows" | tr -d ' ')" = 1 ] || fail "$(cat "$T/rows")"
}
