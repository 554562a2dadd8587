# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# One axis side by side, and parts of the time, of a real run with several threads, users and
# processors. What must come out is what sqlite3 finds in the tables of the file.

# Two users' programs at once, one with threads.
record_two_users() {
	need_root
	need setpriv
	need sqlite3
	cat > "$T/both" <<- BOTH
		#!/bin/sh
		"$BIN/threads" 1 > /dev/null &
		setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/shares" 1 > /dev/null
		wait
	BOTH
	chmod 755 "$T" "$T/both"
	record "$T/prof" -F 2000 -- "$T/both"
	sqlite3 "$T/prof" "SELECT id FROM event WHERE name = 'cpu-clock'" > "$T/event"
}

# sql STATEMENT: rows with tabs, of the event that is the clock (EVENT in the statement).
sql() {
	sqlite3 -separator "$(printf '\t')" "$T/prof" "${1//EVENT/$(cat "$T/event")}"
}

# same FILE FILE WHAT: the same rows, in any order: a thread that is gone has the number -1, which
# sqlite puts first.
same() {
	diff <(LC_ALL=C sort "$1") <(LC_ALL=C sort "$2") > "$T/different" || fail "$3:" "$(head -n 12 "$T/different")"
}

# The columns of --columns KEY as rows: KEY samples weight.
columns_as_rows() {
	"$PROSPECT" report "$T/prof" --select event=cpu-clock --columns "$1" --format json "${@:2}" > "$T/json" ||
		fail "--columns $1"
	python3 - "$T/json" << 'END'
import json, sys
report = json.load(open(sys.argv[1]))
for place, one in enumerate(report["columns"]["classes"]):
    cells = [row["columns"][place] for row in report["rows"]]
    assert sum(cell["samples"] for cell in cells) == one["samples"], one
    assert abs(sum(cell["percent"] for cell in cells) - 100) < 0.01 * len(cells), one
    print(one["value"], one["samples"], sum(cell["weight"] for cell in cells), sep="\t")
for row in report["rows"]:
    assert row["samples"] == sum(cell["samples"] for cell in row["columns"]), row
END
}

test_columns_are_what_sqlite_finds() {
	need python3
	record_two_users
	columns_as_rows cpu --by image > "$T/columns" || fail "columns of --columns cpu"
	sql "SELECT cpu, sum(samples), sum(weight) FROM second WHERE event = EVENT GROUP BY 1" > "$T/sql"
	same "$T/sql" "$T/columns" "--columns cpu"
	columns_as_rows tid --by image --select program=threads,shares > "$T/columns" || fail "columns of --columns tid"
	sql "SELECT tid, sum(samples), sum(weight) FROM total JOIN task ON task.id = task
		JOIN process ON process.id = process WHERE event = EVENT AND program IN ('threads', 'shares')
		GROUP BY 1" > "$T/sql"
	same "$T/sql" "$T/columns" "--columns tid"
	columns_as_rows user --by program > "$T/columns" || fail "columns of --columns user"
	sql "SELECT uid, sum(samples), sum(weight) FROM total JOIN task ON task.id = task
		JOIN process ON process.id = process WHERE event = EVENT GROUP BY 1" |
		while IFS=$'\t' read -r uid rest; do
			name=$(getent passwd "$uid" | cut -d: -f1)
			printf '%s\t%s\n' "${name:-$uid}" "$rest"
		done > "$T/sql"
	same "$T/sql" "$T/columns" "--columns user"
	[ "$(wc -l < "$T/columns")" -ge 2 ] || fail "only one user was seen"
}

test_parts_of_the_time_add_up() {
	record_two_users
	local since whole part
	rows "$T/prof" time --select event=cpu-clock | sort -n | cut -f 1,3,4 > "$T/times"
	sql "SELECT second - start.value / 1000000000, sum(samples), sum(weight) FROM second,
		header AS start WHERE start.name = 'start_ns' AND event = EVENT GROUP BY 1 ORDER BY 1" > "$T/sql"
	# Seconds of the clock and those since the start begin at different times; their sums do not differ.
	[ "$(sum 2 < "$T/times") $(sum 3 < "$T/times")" = "$(sum 2 < "$T/sql") $(sum 3 < "$T/sql")" ] ||
		fail "--by time has not all samples"
	whole=$(rows "$T/prof" event --select event=cpu-clock | cut -f 3)
	part=0
	for since in "0 0.1" "0.1 0.2" "0.2 50%" "50% -100ms" "-100ms 1d"; do
		# shellcheck disable=SC2086 # two words
		set -- $since
		part=$((part + $(rows "$T/prof" event --select event=cpu-clock --since "$1" --until "$2" | cut -f 3 | grep . || echo 0)))
	done
	[ "$part" = "$whole" ] || fail "the parts have $part samples, the whole $whole"
	rows "$T/prof" time --slice 50ms --select event=cpu-clock | sort -n | cut -f 1,3 > "$T/slices"
	since=$(awk '$1 >= 0.1 - 1e-9 && $1 < 0.3 - 1e-9 { n += $2 } END { print n + 0 }' "$T/slices")
	part=$(rows "$T/prof" event --select event=cpu-clock --since 100ms --until 300ms | cut -f 3)
	[ "$part" = "$since" ] || fail "between 100 and 300 ms are $part samples, the slices have $since"
}
