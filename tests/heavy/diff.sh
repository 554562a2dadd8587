#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/diff.sh PROSPECT: what diff says of live runs. Pairs of runs of the same program: how
# often is a change claimed, and how often do intervals hold no change at all? And is a function found
# that was made 5 % slower? The bounds hold at five deviations if the promises do.
set -u
export LC_ALL=C
PROSPECT=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
export XDG_STATE_HOME=$T/state
PAIRS=${PAIRS:-20} # of runs of the same program
status=0

skip() {
	echo "skip diff: $1"
	exit 0
}

# check NAME COMMAND...
check() {
	local name=$1
	shift
	if "$@"; then
		echo "ok diff $name"
	else
		echo "not ok diff $name"
		status=1
	fi
}

# Of the rows "$T/rows": is "changed" one that is claimed to take more?
# shellcheck disable=SC2317 # by way of check
finds_more() {
	awk '$1 == "changed" && $2 == "more" && $4 > 0 { found = 1 } END { exit !found }' "$T/rows"
}

${CC:-cc} -O1 -o "$T/work" "$here/diff/work.c" || skip "cannot compile"
"$PROSPECT" record -o "$T/try.prof" "$T/work" 10 >/dev/null 2>&1 || skip "nothing can be recorded here"

record() { # FILE HZ ROUNDS PERCENT [PHASES]
	"$PROSPECT" record -F "$2" -o "$1" "$T/work" "$3" "$4" "${5:-0}" >/dev/null 2>"$T/err" || {
		cat "$T/err"
		exit 1
	}
}

# A line for each row of the diff: symbol, verdict, samples, points, low, high.
rows() {
	"$PROSPECT" diff "$@" --by symbol --all --format csv | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ print $1, $column["verdict"], $column["old_samples"] + $column["new_samples"],
			$column["percent_change"], $column["percent_low"], $column["percent_high"] }'
}

# What is claimed of the program itself and of the kernel, and what of "sometimes", is counted.
for ((i = 0; i < PAIRS; i++)); do
	record "$T/a.prof" 997 2000 100 1
	record "$T/b.prof" 997 2000 100 1
	rows "$T/a.prof" "$T/b.prof" >"$T/rows"
	awk -v pair=$i '$2 != "noise" { print "pair", pair, $0 }' "$T/rows"
	cat "$T/rows" >>"$T/all"
	awk '$2 != "noise" { found = 1 } END { exit !found }' "$T/rows" && echo pair >>"$T/claims"
done
touch "$T/claims"
claims=$(wc -l <"$T/claims")
read -r held whole <<<"$(awk '$3 >= 30 { n++; held += $5 <= 0 && $6 >= 0 } END { print held + 0, n + 0 }' \
	"$T/all")"
echo "diff: $claims of $PAIRS pairs of runs of the same program show a change (promised: 1 %);" \
	"$held of $whole intervals hold none (promised: 95 %)"
# Of 20 pairs 5 would be claimed by chance once in 100,000 times.
check same-program [ "$claims" -le $((PAIRS / 5)) ]
# Five deviations of so many intervals, of which half are independent of the others.
check intervals-hold awk -v n="$whole" -v held="$held" 'BEGIN {
	exit !(held >= n * 0.95 - 5 * sqrt(n * 2 * 0.95 * 0.05)) }'

# 44 % of the time, 5 % more work: 1.2 points more, 5 deviations of 100,000 samples a side.
record "$T/old.prof" 5000 20000 100
record "$T/new.prof" 5000 20000 105
rows "$T/old.prof" "$T/new.prof" >"$T/rows"
awk '$3 > 1000 { print "5 % slower:", $0 }' "$T/rows"
check slower-by-5-percent finds_more

# The same from the spread of five runs a side.
for ((i = 0; i < 5; i++)); do
	record "$T/old$i.prof" 2500 5000 100
	record "$T/new$i.prof" 2500 5000 105
done
rows "$T"/old[0-4].prof -- "$T"/new[0-4].prof >"$T/rows"
awk '$3 > 1000 { print "5 runs a side:", $0 }' "$T/rows"
check slower-in-runs finds_more
exit $status
