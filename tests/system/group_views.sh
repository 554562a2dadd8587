# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Views of whole stacks, of a program that knows who called what for how long.

# Stacks of a program that has its own unwind tables; nothing to be done where none can be had.
record_callers() {
	need_root
	cp "$BIN/callers" "$T/callers-$$" # a name that nobody else runs meanwhile
	record "$T/prof" -- "$T/callers-$$" 1.5
	rows "$T/prof" stack --select "program=callers-$$ stack=*;callers_*" > "$T/stacks"
	[ "$(sum 3 < "$T/stacks")" -gt 500 ] || fail "hardly any stacks: $(head -n 3 "$T/stacks")"
}

# What is in the column behind the keys of a row named $1: value NAME COLUMN FILE.
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
	whole=$(sum 4 < "$T/stacks")
	inclusive=$(value main 4 "$T/children")
	holds "$inclusive >= 0.99 * $whole" || fail "main has $inclusive of $whole"
}

test_flame_page_has_every_sample() {
	need python3
	record_callers
	"$PROSPECT" flame -o "$T/page.html" "$T/prof" || fail "flame"
	"$PROSPECT" report "$T/prof" --by event --format csv | csv_to_tabs > "$T/events"
	python3 - "$T/page.html" "$(value cpu-clock 3 "$T/events")" "$(value cpu-clock 4 "$T/events")" << 'END' ||
import base64, json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
def column(name):
    value = shift = 0
    for byte in base64.b64decode(data["columns"][name]):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0
sums = sum(column("samples")), sum(column("self"))
assert sums == (int(sys.argv[2]), int(sys.argv[3])), (sums, sys.argv[2:])
assert len(list(column("rise"))) == data["nodes"] > 10
assert "callers_work" in data["names"]
END
		fail "the page is not what the profile has"
}
