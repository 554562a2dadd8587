# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Who calls whom, in every form it is shown in; inlined functions as functions.

# A program whose time is in a function inlined into one that is inlined into another.
compile_nested() {
	cat > "$T/nested.c" <<- 'END'
		#include <stdio.h>
		static inline double innermost(double x)
		{
			double sum = 0;
			for (int i = 0; i < 1000; i++)
				sum += x * i / (1.0 + sum);
			return sum;
		}
		static inline double between(double x) { return innermost(x) + 1; }
		__attribute__((noinline)) double outermost(double x)
		{
			double sum = 0;
			for (int i = 0; i < 50000; i++)
				sum += between(x + i);
			return sum;
		}
		int main(void) { printf("%f\n", outermost(1)); }
	END
	(cd "$T" && cc -O2 -g nested.c -o nested)
}

# hits_of FUNCTION: the second column, samples, of what is on stdin as tabs.
hits_of() {
	awk -F '\t' -v name="$1" '$1 == name { sum += $2 } END { print sum + 0 }'
}

# inlined KEYS OPTION...: key, samples and self samples of the program with inlined functions.
inlined() {
	local keys=$1
	shift
	"$PROSPECT" report --children --by "$keys" --format csv --no-cache \
		--select 'program=nested mode=user' "$@" "$T/prof" | csv_to_tabs |
		awk -F '\t' -v OFS='\t' '{ print $1, $(NF - 7), $(NF - 2) }'
}

test_inlined_functions_are_functions_everywhere() {
	local all inner between
	compile_nested
	record "$T/prof" -H 2000 -- "$T/nested"
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
	"$PROSPECT" report --by symbol --format csv --inlines --no-cache --select program=nested \
		"$T/prof" | csv_to_tabs | awk -F '\t' '{ print $1, $3 }' | sort > "$T/totals"
	"$PROSPECT" report --by symbol,cpu --format csv --inlines --no-cache --select program=nested \
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
		grep -q "^between,$T/nested.c:9," || fail "between is not at line 9"
}
