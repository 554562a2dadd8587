# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Who calls whom, in every form it is shown in; inlined functions as functions.

# hits_of FUNCTION: the second column, samples, of what is on stdin as tabs.
hits_of() {
	awk -F '\t' -v name="$1" '$1 == name { sum += $2 } END { print sum + 0 }'
}

# inlined KEYS OPTION...: key, samples and self samples of the program with inlined functions.
inlined() {
	local keys=$1
	shift
	"$PROSPECT" report --children --by "$keys" --format csv --no-cache \
		--select 'program=inlined mode=user' "$@" "$T/prof" | csv_to_tabs |
		awk -F '\t' -v OFS='\t' '{ print $1, $(NF - 7), $(NF - 2) }'
}

test_inlined_functions_are_functions_everywhere() {
	local all inner between
	compile_inlined
	record "$T/prof" -H 2000 -- "$T/inlined"
	inlined symbol > "$T/without"
	inlined symbol --inlines > "$T/with"
	all=$(hits_of outermost < "$T/with")
	[ "$all" -ge 30 ] || fail "only $all samples"
	[ "$(hits_of outermost < "$T/without")" = "$all" ] || fail "what outermost had changed"
	[ "$(hits_of between < "$T/without")" = 0 ] || fail "inlined functions unasked for"
	between=$(hits_of between < "$T/with")
	inner=$(hits_of innermost < "$T/with")
	[ "$inner" -ge $((all * 9 / 10)) ] && [ "$between" -ge "$inner" ] && [ "$between" -le "$all" ] ||
		fail "of $all samples between has $between, innermost $inner"
	# what is hit is hit in one of them
	[ "$(awk -F '\t' '{ sum += $3 } END { print sum }' "$T/without")" = \
		"$(awk -F '\t' '{ sum += $3 } END { print sum }' "$T/with")" ] || fail "samples came or went"
	# the same by single samples as by totals
	"$PROSPECT" report --by symbol --format csv --inlines --no-cache --select program=inlined \
		"$T/prof" | csv_to_tabs | awk -F '\t' '{ print $1, $3 }' | sort > "$T/totals"
	"$PROSPECT" report --by symbol,cpu --format csv --inlines --no-cache --select program=inlined \
		"$T/prof" | csv_to_tabs | awk -F '\t' '{ n[$1] += $4 } END { for (k in n) print k, n[k] }' |
		sort > "$T/samples"
	diff "$T/totals" "$T/samples" > "$T/diff" || fail "$(head -n 5 "$T/diff")"
	"$PROSPECT" report --by stack --inlines --no-cache "$T/prof" > "$T/stacks"
	grep -q 'main;outermost;between;innermost$' "$T/stacks" || fail "no such stack"
	"$PROSPECT" graph --inlines --no-cache --format csv 'betw*' "$T/prof" > "$T/graph"
	grep -q '^callees,.*,innermost,' "$T/graph" || fail "$(head -n 5 "$T/graph")"
	"$PROSPECT" flame --inlines --no-cache -o "$T/flame.html" "$T/prof"
	grep -q '"between"' "$T/flame.html" || fail "not in the flame graph"
	# each level is on its own line
	"$PROSPECT" report --children --by symbol,line --format csv --inlines --no-cache "$T/prof" |
		grep -q "^between,$T/inlined.c:$(line_of "$T/inlined.c" 'innermost(x) + 1')," || fail "between is not on its line"
}

# Functions of every kind of call: from two sides, recursive, in a circle of three. -pg counts them.
compile_circle() {
	cat > "$T/circle.c" <<- 'END'
		#include <stdio.h>
		#include <time.h>
		static double spent(void)
		{
			struct timespec now;
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
			return now.tv_sec + now.tv_nsec / 1e9;
		}
		#define OWN __attribute__((noinline, noclone)) void
		#define SPIN(ms) do { double end = spent() + (ms) / 1e3; while (spent() < end) {} } while (0)
		OWN shared(int ms) { SPIN(ms); }
		OWN left(void) { SPIN(2); shared(6); }
		OWN right(void) { SPIN(2); shared(2); }
		OWN again(int depth) { SPIN(20); if (depth) again(depth - 1); __asm__(""); }
		OWN two(int depth);
		OWN three(int depth);
		OWN one(int depth) { SPIN(30); if (depth) two(depth - 1); __asm__(""); }
		OWN two(int depth) { SPIN(30); if (depth) three(depth - 1); __asm__(""); }
		OWN three(int depth) { SPIN(30); if (depth) one(depth - 1); __asm__(""); }
		int main(void)
		{
			again(5);
			for (int i = 0; i < 25; i++) {
				left();
				right();
			}
			one(5);
			return 0;
		}
	END
	(cd "$T" && cc -O1 -fno-optimize-sibling-calls -fno-inline -g circle.c -o circle &&
		cc -O1 -fno-optimize-sibling-calls -fno-inline -pg circle.c -o counted)
}

# "caller callee" of each line of gprof's call graph.
gprof_arcs() {
	gprof -b -q "$T/counted" "$T/gmon.out" | awk '
		/^Index by/ { exit }
		/^-----/ { delete above; count = 0; primary = ""; next }
		!/\[[0-9]+\]$/ || /as a whole/ { next }
		{ line = $0; sub(/ \[[0-9]+\]$/, "", line); sub(/ <cycle [0-9]+>$/, "", line)
		  name = line; sub(/.* /, "", name) }
		/^\[/ { primary = name; for (i = 0; i < count; i++) print above[i], primary; next }
		primary == "" { above[count++] = name; next }
		{ print primary, name }'
}

# The same of ours, on stdin as tabs.
our_arcs() {
	awk -F '\t' '
		$3 == "function" { primary = $6; cycle = $4 == $5 }
		$3 == "caller" { above[count++] = $6; next }
		$3 == "function" { for (i = 0; i < count; i++) print above[i], $6; count = 0; next }
		$3 == "callee" { print primary, $6 }'
}

test_arcs_are_those_gprof_counts() {
	need gprof
	compile_circle
	(cd "$T" && ./counted) || fail "the counted program does not run"
	record "$T/prof" -H 2000 -- "$T/circle"
	"$PROSPECT" graph --calls --by symbol --format csv --no-cache --select program=circle "$T/prof" | csv_to_tabs > "$T/rows"
	gprof_arcs | grep -vE "spent|spontaneous|whole" | awk '$1 != $2' | sort -u > "$T/theirs"
	our_arcs < "$T/rows" | grep -E '^(main|left|right|again|one|two|three) [a-z]+$' |
		grep -v spent | sort -u > "$T/ours"
	[ "$(wc -l < "$T/theirs")" -ge 8 ] || fail "gprof tells little:" "$(cat "$T/theirs")"
	diff "$T/theirs" "$T/ours" > "$T/diff" || fail "gprof <, we >" "$(cat "$T/diff")"
	# and so are the circles
	[ "$(awk -F '\t' '$3 == "member" { print $6 }' "$T/rows" | grep -xE "one|two|three" | sort | xargs)" = "one three two" ] ||
		fail "the circle is another one"
	"$PROSPECT" graph --calls --by symbol --select program=circle --threshold 0 --no-cache again "$T/prof" > "$T/text"
	grep -Eq '^\[[0-9]+\] .*  again <recursive> \[' "$T/text" || fail "no recursion:" "$(tail -n 20 "$T/text")"
}

# Half of the time in shared would be that of right by gprof, for it called as often; stacks know better.
test_time_comes_through_callers_as_it_was() {
	local left both samples
	compile_circle
	record "$T/prof" "${MEASURING[@]}" -- "$T/circle"
	"$PROSPECT" graph --calls --by symbol --format csv --no-cache --select program=circle "$T/prof" |
		csv_to_tabs > "$T/rows"
	awk -F '\t' -v OFS='\t' '
		$3 == "caller" && $6 == "left" { left = $9; n = $8 }
		$3 == "caller" && $6 == "right" { right = $9; m = $8 }
		$3 == "function" && $6 == "shared" { print left, left + right, n + m; found = 1 }
		$3 == "function" { left = right = n = m = 0 }
		END { exit !found }' "$T/rows" > "$T/shared" || fail "shared has no entry"
	read -r left both samples < "$T/shared"
	check_share "shared called by left" 0.75 "$left" "$both" "$samples"
	# every entry adds up
	awk -F '\t' '
		$3 == "caller" { up += $9; next }
		$3 == "function" {
			if (up != $9) { print "callers of " $6 " have " up " of " $9; exit 1 }
			up = 0; want = $9 - $12; name = $6; entry = $2; next
		}
		$3 == "callee" && $2 == entry { down[entry] += $9; wanted[entry] = want }
		END { for (e in down) if (down[e] != wanted[e]) { print "callees of " e; exit 1 } }' \
		"$T/rows" > "$T/wrong" || fail "$(cat "$T/wrong")"
}

test_pictures_are_what_graphviz_reads() {
	need dot
	compile_circle
	record "$T/prof" -H 1000 -- "$T/circle"
	"$PROSPECT" graph --dot --by symbol --select program=circle --threshold 0 --no-cache -o "$T/graph.dot" "$T/prof"
	dot -Tsvg "$T/graph.dot" -o "$T/graph.svg" 2> "$T/stderr" || fail "$(head -n 3 "$T/stderr")"
	[ ! -s "$T/stderr" ] || fail "$(head -n 3 "$T/stderr")"
	grep -q '<title>f[0-9]*&#45;&gt;f[0-9]*</title>' "$T/graph.svg" || fail "no arrows"
	grep -q '>shared<' "$T/graph.svg" || fail "shared is not drawn"
	"$PROSPECT" graph --dot --by symbol --select program=circle --threshold 0 --no-cache right "$T/prof" | dot -Tsvg > "$T/right.svg" ||
		fail "not drawn"
	if grep -q '>left<' "$T/right.svg"; then fail "what has nothing to do with it is drawn"; fi
}

# Samples are not calls: without counts there is no column of them; with those of a watch each function
# has what the program did by construction.
test_calls_come_from_a_watch() {
	need_root
	cat > "$T/known.c" <<-END
		__attribute__((noinline)) long leaf(long n)
		{
			volatile long x = 0;
			for (long i = 0; i < n; i++)
				x += i;
			return x;
		}
		__attribute__((noinline)) long again(int depth)
		{
			long r = leaf(100000);
			return depth ? r + again(depth - 1) + 1 : r;
		}
		int main(void)
		{
			long sum = 0;
			for (int i = 0; i < 100; i++)
				sum += again(9);
			return sum == 42;
		}
	END
	${CC:-cc} -O1 -fno-optimize-sibling-calls "$T/known.c" -o "$T/known" || fail "no program"
	record "$T/prof" -H 2000 -- "$T/known"
	"$PROSPECT" graph --calls --select program=known "$T/prof" > "$T/without"
	! grep -Eq 'calls self/call|children +called| - ' "$T/without" ||
		fail "calls are shown, and nothing knows them:" "$(cat "$T/without")"
	grep -q 'again <recursive>' "$T/without" || fail "no recursion:" "$(cat "$T/without")"
	"$PROSPECT" watch "$T/known:leaf" "$T/known:again" --metric entries,nested --format csv \
		--budget 1000 -f "$T/calls.csv" -- "$T/known" 2> "$T/stderr" ||
		fail "the watch ended with $?" "$(cat "$T/stderr")"
	"$PROSPECT" graph --calls --counts "$T/calls.csv" --select program=known --format csv \
		"$T/prof" | csv_to_tabs > "$T/rows"
	awk -F '\t' '$3 == "function" && $6 ~ /^(leaf|again)$/ { print $6, $14, $15 }' "$T/rows" |
		sort -u > "$T/calls"
	printf 'again 100 900\nleaf 1000 0\n' | diff - "$T/calls" > "$T/diff" ||
		fail "calls known, and ours:" "$(cat "$T/diff")"
	"$PROSPECT" graph --calls --counts "$T/calls.csv" --select program=known "$T/prof" > "$T/text"
	grep -Eq ' 100\+900  again' "$T/text" || fail "not in the text:" "$(cat "$T/text")"
	echo nonsense > "$T/calls.csv"
	expect_status 1 "$PROSPECT" graph --calls --counts "$T/calls.csv" "$T/prof"
	expect_line 'must name kind, target and entries'
	expect_status 2 "$PROSPECT" graph --counts "$T/calls.csv" "$T/prof"
	expect_line 'needs --calls'
	expect_status 2 "$PROSPECT" graph --calls --by image --counts "$T/calls.csv" "$T/prof"
	expect_line 'needs --by function'
}
