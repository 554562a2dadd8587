#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/diff.sh PROSPECT: what diff says of live runs. Runs of three programs are recorded in
# turn, so that the machine's moods hit all of them. In the second a function of 32 % takes 35 %
# longer, in the third its share is 9 points more. Then groups of these runs are drawn and compared:
# how often is a change claimed between runs of one program, and how often is the real one found?
#
# Groups are drawn from one recording, so a promise of p is tested by a binomial count of as many
# groups. Each bound would be missed by chance once in 100,000 times if the promise just held.
set -u
export LC_ALL=C
PROSPECT=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
export XDG_STATE_HOME=$T/state
declare -A RUNS=([same]=20 [slower]=20 [points]=12 [phases]=12)
DRAWN=200 # groups of each design
# Of 200 no more than 10 where 1 % are promised, no more than 25 where 5 % are; and 175 at least
# where 95 % are.
MOST_OF_1=10 MOST_OF_5=25 LEAST_OF_95=175
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

${CC:-cc} -O1 -o "$T/work" "$here/diff/work.c" || skip "cannot compile"
"$PROSPECT" record -o "$T/try.prof" "$T/work" 100 >/dev/null 2>&1 || skip "nothing can be recorded here"

record() { # FILE HZ ROUNDS PERCENT [PHASES]
	"$PROSPECT" record --stacks none -F "$2" -o "$1" "$T/work" "$3" "$4" "${5:-0}" >/dev/null 2>"$T/err" || {
		cat "$T/err"
		exit 1
	}
}

# rows GROUP FILE...: for each row of the diff the group, symbol, verdict, samples, low, high.
rows() {
	local group=$1
	shift
	"$PROSPECT" diff "$@" --by symbol --all --format csv | awk -F , -v group="$group" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ print group, $1, $column["verdict"], $column["old_samples"] + $column["new_samples"],
			$column["percent_low"], $column["percent_high"] }'
}

# groups SEED OLD-KIND NEW-KIND OLD NEW: so many different runs of each kind, drawn for each group.
groups() {
	awk -v seed="$1" -v old_kind="$2" -v new_kind="$3" -v old="$4" -v new="$5" \
		-v old_runs="${RUNS[$2]}" -v new_runs="${RUNS[$3]}" -v groups="$DRAWN" -v folder="$T" '
		function draw_run(kind, runs,    run) {
			do
				run = kind "-" int(rand() * runs)
			while (run in taken)
			taken[run]
			return folder "/" run ".prof"
		}
		BEGIN {
			srand(seed)
			for (group = 0; group < groups; group++) {
				split("", taken)
				line = group
				for (i = 0; i < old; i++)
					line = line " " draw_run(old_kind, old_runs)
				line = line " --"
				for (i = 0; i < new; i++)
					line = line " " draw_run(new_kind, new_runs)
				print line
			}
		}'
}

# compare SEED OLD-KIND NEW-KIND OLD NEW: all rows of all groups, in "$T/rows".
compare() {
	local words
	groups "$@" | while read -r -a words; do
		rows "${words[@]}"
	done >"$T/rows"
}

# The groups in which anything is claimed.
count_claims() {
	awk '$3 != "noise" { found[$1] } END { print length(found) }' "$T/rows"
}

# And those in which the function that changed is claimed to take more.
count_found() {
	awk '$2 == "changed" && $3 == "more" && $5 > 0 { found[$1] } END { print length(found) }' \
		"$T/rows"
}

# equal KIND OLD NEW MOST: groups of runs of one program.
equal() {
	local claims
	compare "$2$3" "$1" "$1" "$2" "$3"
	claims=$(count_claims)
	awk '$3 != "noise" { rows[$2 " " $3]++ } END { for (row in rows) print "diff: of these", row, rows[row] }' \
		"$T/rows"
	echo "diff: $1, $2 against $3: $claims of $DRAWN groups of equal runs show a change"
	check "equal-$1-$2-$3" [ "$claims" -le "$4" ]
}

# changed KIND OLD NEW LEAST: the first program against another.
changed() {
	local found
	compare "$2$3" same "$1" "$2" "$3"
	found=$(count_found)
	echo "diff: $1, $2 against $3: the change is found in $found of $DRAWN groups"
	check "changed-$1-$2-$3" [ "$found" -ge "$4" ]
}

# record_run KIND NUMBER PERCENT [PHASES]: if there are to be so many.
record_run() {
	[ "$2" -ge "${RUNS[$1]}" ] || record "$T/$1-$2.prof" 5003 5000 "${@:3}"
}

for ((i = 0; i < 20; i++)); do
	record_run same $i 60
	record_run slower $i 81
	record_run points $i 89
	record_run phases $i 60 1
done

equal same 1 1 $MOST_OF_1
# Two runs have 19 independent differences of 4 independent rows each: five deviations of 95 % in 76
# are 12 points.
read -r held whole <<<"$(awk '$4 >= 30 { n++; held += $5 <= 0 && $6 >= 0 } END { print held + 0, n + 0 }' \
	"$T/rows")"
echo "diff: $held of $whole intervals hold no change (promised: 95 %)"
check intervals-hold [ $((held * 100)) -ge $((whole * 83)) ]
equal same 3 1 $MOST_OF_5
equal same 3 3 $MOST_OF_5
equal slower 5 5 $MOST_OF_5
# A function that runs by chance: what one run a side cannot know several runs tell.
equal phases 3 3 $MOST_OF_5
changed slower 3 3 $LEAST_OF_95
changed slower 5 5 $LEAST_OF_95
changed points 3 1 $LEAST_OF_95

# One run a side: 44 % of the time, 40 % more work are 8 points, 18 deviations of 27,000 samples a
# side.
record "$T/old.prof" 5003 60000 100
record "$T/new.prof" 5003 60000 140
rows 0 "$T/old.prof" "$T/new.prof" >"$T/rows"
awk '$4 > 1000 { print "diff: 40 % slower:", $0 }' "$T/rows"
check slower-by-40-percent [ "$(count_found)" = 1 ]
exit $status
