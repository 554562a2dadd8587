# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# SQL over profiles that were recorded.

# What man/prospect-query.1 shows as commands, each followed by a byte 1.
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

# A report shortens names of more than 4096 bytes (compilers have such), a query does not. It names
# sections with interrupts off, a query the function alone. Rows: stack, samples, and whatever follows.
comparable_stacks() {
	grep -v '\.\.\.\[[0-9]* bytes, [0-9a-f]*\]' | awk -F '\t' '
		{ n = split($1, name, ";"); for (i = 1; i <= n; i++) if (length(name[i]) > 4096) next
		sub(/ \(end of interrupts-off section( in [^)]*)?\)$/, "", $1); hits[$1] += $2; ns[$1] += $3 }
		END { for (text in hits) printf "%s\t%d\t%.0f\n", text, hits[text], ns[text] }' | sort
}

# The stacks of a query are those of the report: for people with code without a symbol as a place, for
# programs all others, to the nanosecond.
stacks_are_the_reports() {
	"$PROSPECT" query --format csv "SELECT text, sum(samples), sum(weight) FROM stacks
		WHERE event = 'cpu-clock' GROUP BY text" "$T/prof" | csv_to_tabs > "$T/stacks"
	rows "$T/prof" stack | cut -f 1,3,4 > "$T/reported"
	for file in stacks reported; do
		grep -v -e '->' -e '+0x' -e '\[no symbols' -e '\[unknown' -e '\[\.' "$T/$file" | comparable_stacks > "$T/$file.named"
	done
	cmp -s "$T/reported.named" "$T/stacks.named" ||
		fail "stacks:" "$(diff "$T/reported.named" "$T/stacks.named" | head)"
	"$PROSPECT" report --by stack --machine --wide --no-header --select event=cpu-clock "$T/prof" |
		sed -nE 's/^ *[0-9.]+  +[0-9.]+-[0-9.]+ +([0-9,]+) +[0-9.]+  (.*)$/\2\t\1/p' |
		comparable_stacks > "$T/shown"
	cut -f 1,2 "$T/stacks" | comparable_stacks > "$T/asked"
	cmp -s "$T/shown" "$T/asked" || fail "stacks for people:" "$(diff "$T/shown" "$T/asked" | head)"
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
	stacks_are_the_reports
	need sqlite3
	# Others may run a program at this moment whose name has bytes that the report shows as escapes,
	# or that are no ASCII.
	sqlite3 -readonly -separator $'\t' "$T/prof" \
		"SELECT * FROM ($sql) WHERE thread NOT GLOB '*[^ -~]*'" | sort > "$T/alone"
	grep -v -e '\\x[0-9a-f][0-9a-f]' -e $'[^ -~\t]' "$T/report" > "$T/printable"
	cmp -s "$T/printable" "$T/alone" || fail "sqlite3 alone:" "$(diff "$T/printable" "$T/alone")"
}

test_query_ends_when_told() {
	local endless="WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
		SELECT count(*) FROM c"
	need_root
	record "$T/prof" -- true
	expect_status 130 timeout --preserve-status -s INT 2 "$PROSPECT" query "$endless" "$T/prof"
	expect_status 1 "$PROSPECT" query --time-limit 100ms "$endless" "$T/prof"
	expect_line 'time limit of 0.1 s: raise --time-limit'
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

# A heat map has every sample at its time: what its columns add up to is what the report has.
test_heatmap_has_every_sample_at_its_time() {
	need_root
	need python3
	record "$T/prof" -- "$BIN/callers" 2
	"$PROSPECT" heatmap -o "$T/page.html" --column 100ms --rows 10 "$T/prof" || fail "heatmap"
	"$PROSPECT" report "$T/prof" --command --by time --slice 100ms --format csv | csv_to_tabs |
		awk -F '\t' '$2 == "cpu-clock"' > "$T/times"
	python3 - "$T/page.html" "$T/times" << 'END' || fail "the page is not what the profile has"
import base64, json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
event = next(event for event in data["events"] if event["name"] == "cpu-clock")
heat = event["heat"]
def column(name):
    value = shift = 0
    for byte in base64.b64decode(heat[name]):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0
assert heat["bucket_ns"] == 10**7 and heat["rows"] == 10, (heat["bucket_ns"], heat["rows"], heat["columns"])
lanes, nodes, samples, weights = column("lane"), column("node"), column("samples"), column("weight")
found, bucket = {}, 0
for gap, length in zip(column("gap"), column("length")):
    bucket += gap
    node = 0
    lane = 0
    for _ in range(length):
        step = next(lanes)
        lane += step
        node = next(nodes) if step else node + next(nodes)
        assert 0 < node <= event["nodes"] and lane < len(data["lanes"])
        slot = found.setdefault(bucket // 10, [0, 0])
        slot[0] += next(samples)
        slot[1] += next(weights)
    bucket += 1
truth = {}
for line in open(sys.argv[2]):
    fields = line.rstrip("\n").split("\t")
    truth[round(float(fields[0]) * 10)] = [int(fields[2]), int(fields[3])]
assert found == truth and len(truth) > 15, (found, truth)
END
}
