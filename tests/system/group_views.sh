# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Views of whole stacks, of a program that knows who called what for how long.

# Stacks of a program that has its own unwind tables; nothing to be done where none can be had.
record_callers() {
	need_root
	cp "$BIN/callers" "$T/callers-$$" # a name that nobody else runs meanwhile
	record "$T/prof" "${MEASURING[@]}" -- "$T/callers-$$" 1.5
	rows "$T/prof" stack --select "program=callers-$$ stack=*;callers_*" > "$T/stacks"
	[ "$(sum 3 < "$T/stacks")" -gt 200 ] || fail "hardly any stacks: $(head -n 3 "$T/stacks")"
}

# What is in the column after the keys of a row named $1: value NAME COLUMN FILE.
value() {
	awk -F '\t' -v name="$1" -v column="$2" '$1 == name { print $column }' "$3"
}

test_who_calls_a_function() {
	record_callers
	"$PROSPECT" graph callers_work "$T/prof" --select program=callers-$$ --format csv |
		csv_to_tabs | awk -F '\t' '$1 == "callers" && $4 == 2' > "$T/callers"
	# part id parent depth function image event samples weight ...: as rows of one key have them
	awk -F '\t' '{ print $5 "\t" $7 "\t" $8 "\t" $9 }' "$T/callers" > "$T/rows"
	check_shares callers "$T/stdout" "$T/rows"
	"$PROSPECT" graph callers_recursive "$T/prof" --select program=callers-$$ > "$T/text" ||
		fail "graph of a symbol"
	grep -q 'callers_recursive  (2[01] times)' "$T/text" ||
		fail "recursion is not one line:" "$(cat "$T/text")"
}

# What a function took with its callees is what the stacks have in which it stands, however often.
test_children_are_what_stacks_say() {
	record_callers
	local name whole inclusive
	"$PROSPECT" report "$T/prof" --children --by symbol --select 'stack=*;callers_*' \
		--select program=callers-$$ --format csv | csv_to_tabs > "$T/children"
	for name in main callers_work callers_recursive callers_straight; do
		whole=$(awk -F '\t' -v name="$name" 'index(";" $1 ";", ";" name ";") { w += $4 }
			END { printf "%.0f", w }' "$T/stacks")
		inclusive=$(value "$name" 4 "$T/children")
		[ "$whole" = "$inclusive" ] || fail "$name: $inclusive, its stacks have $whole"
	done
	# What a busy machine lost of stacks is in the head, and not judged.
	whole=$(grep -v '\[cut:lost\]' "$T/stacks" | sum 4)
	inclusive=$(value main 4 "$T/children")
	holds "$inclusive >= 0.99 * $whole" ||
		fail "main has $inclusive of $whole; not in:" "$(grep -v 'main;' "$T/stacks" | cut -c 1-400)"
}

test_flame_page_has_every_sample() {
	need python3
	record_callers
	"$PROSPECT" flame -o "$T/page.html" "$T/prof" || fail "flame"
	"$PROSPECT" report "$T/prof" --command --by event --format csv | csv_to_tabs > "$T/events"
	python3 - "$T/page.html" "$(value cpu-clock 3 "$T/events")" "$(value cpu-clock 4 "$T/events")" << 'END' ||
import base64, json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
event = next(event for event in data["events"] if event["name"] == "cpu-clock")
def column(name):
    value = shift = 0
    for byte in base64.b64decode(event["columns"][name]):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0
sums = sum(column("samples")), sum(column("self"))
assert sums == (int(sys.argv[2]), int(sys.argv[3])), (sums, sys.argv[2:])
assert len(list(column("rise"))) == event["nodes"] > 10
assert "callers_work" in data["names"]
END
		fail "the page is not what the profile has"
}

# number FILE SQL: a single number.
number() {
	"$PROSPECT" query --format csv "$2" "$1" | tail -n 1
}

# What runs beside the command is in its profile, but text is about the command and its children.
test_scope_of_a_command() {
	local beside of_command
	need_root
	cp "$BIN/loop" "$T/beside-$$"
	cp "$BIN/loop" "$T/inner-$$"
	"$T/beside-$$" 600 &
	beside=$!
	until_true runs $beside "$T/beside-$$"
	record "$T/prof" -- sh -c "\"$T/inner-$$\" 0.3; (\"$T/inner-$$\" 0.3)" ||
		fail "$(cat "$T/stderr")"
	kill $beside
	of_command=$(number "$T/prof" "SELECT sum(samples) FROM totals WHERE in_command = 1 AND event = 'cpu-clock'")
	[ "$of_command" -gt 100 ] || fail "hardly any samples of the command: $of_command"
	"$PROSPECT" report --by program "$T/prof" > "$T/text" || fail "report"
	grep -q "inner-$$" "$T/text" || fail "the command is not shown:" "$(cat "$T/text")"
	sed '1,/^Event /d' "$T/text" | grep "beside-$$" && fail "others are in the table:" "$(cat "$T/text")"
	grep -q '(--machine)$' "$T/text" || fail "the rest is not named:" "$(cat "$T/text")"
	grep -q ' samples of the command, ' "$T/text" || fail "nor of what shares are:" "$(cat "$T/text")"
	"$PROSPECT" report -V2 --command "$T/prof" |
		grep -q '^Shown  *the command; the rest of the machine has .*(--machine)$' ||
		fail "a long report does not say what it shows"
	"$PROSPECT" report --by program --machine "$T/prof" | grep -q "beside-$$" ||
		fail "others are not shown with --machine"
	rows "$T/prof" program > "$T/rows"
	grep -q "^beside-$$" "$T/rows" || fail "others are not in the rows: $(cat "$T/rows")"
	rows "$T/prof" program --command > "$T/rows"
	[ "$(sum 3 < "$T/rows")" = "$of_command" ] ||
		fail "not the $of_command samples of the command: $(cat "$T/rows")"
	expect_status 1 "$PROSPECT" report --by program --select "program=beside-$$" "$T/prof"
	expect_line 'add --machine'
}

# Of the processes chosen with -p nothing else is recorded, and they are what it is about.
test_scope_of_chosen_processes() {
	need_root
	record_running "$BIN/loop" 600
	[ "$(number "$T/prof" "SELECT count(*) FROM totals WHERE in_command = 1")" -gt 0 ] ||
		fail "the chosen process has no samples"
	[ "$(number "$T/prof" "SELECT count(*) FROM totals WHERE in_command = 0")" = 0 ] ||
		fail "others have samples"
	expect_status 0 "$PROSPECT" report --by program --command "$T/prof" > "$T/text"
	grep -q ' samples of the chosen processes, ' "$T/text" || fail "not said:" "$(cat "$T/text")"
}

test_scope_needs_a_command() {
	need_root
	expect_status 0 "$PROSPECT" record -q -o "$T/prof" -a --duration 0.2
	expect_status 2 "$PROSPECT" report --command "$T/prof"
	expect_line 'has no command'
	expect_status 0 "$PROSPECT" report "$T/prof" > "$T/text"
	[ "$(number "$T/prof" "SELECT count(*) FROM processes WHERE in_command <> 0")" = 0 ] ||
		fail "something is the command"
}
