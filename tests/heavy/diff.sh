#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/diff.sh PROSPECT: what diff says of live runs. Runs of three programs are recorded in
# turn, so that the machine's moods hit all of them. In the second a function of 32 % takes 35 %
# longer, in the third its share is 9 points more. Then groups of these runs are drawn and compared:
# how often is a change claimed between runs of one program, and how often is the real one found?
#
# In each round the programs are recorded anew and groups are drawn from these runs, until the counts of all
# rounds say whether a promise holds (tests/rounds.sh).
set -u
export LC_ALL=C
PROSPECT=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
export XDG_STATE_HOME=$T/state
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$here/../rounds.sh"
declare -A RUNS=([same]=20 [slower]=20 [points]=12 [phases]=12) # of a round
DRAWN=200 # groups of each design and round
# A design: kinds of the old and the new runs, how many of each, and the largest share of groups that may show a
# change, or the least share that must show what changed. 1 % are promised to one run a side, 5 % to
# several, and 95 % of the changes are found.
DESIGNS=(
	"equal same same 1 1 0.05"
	"equal same same 3 1 0.125"
	"equal same same 3 3 0.125"
	"equal slower slower 5 5 0.125"
	"equal phases phases 3 3 0.125" # a function that runs by chance: what one run a side cannot know
	"changed same slower 3 3 0.875"
	"changed same slower 5 5 0.875"
	"changed same points 3 1 0.875"
)
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

# rows GROUP FILE...: for each row of the diff the group, symbol (with no blanks), verdict, samples, low, high.
rows() {
	local group=$1
	shift
	"$PROSPECT" diff "$@" --by symbol --all --format csv | awk -F , -v group="$group" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ gsub(/ /, "_", $1) }
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
	local half words
	groups "$@" >"$T/groups"
	for half in 0 1; do
		awk -v half=$half 'NR % 2 == half' "$T/groups" | while read -r -a words; do
			rows "${words[@]}"
		done >"$T/rows-$half" &
	done
	wait
	cat "$T/rows-0" "$T/rows-1" >"$T/rows"
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

# intervals NAME: of those in "$T/rows", one run a side, 95 % hold no change, but for chance: 20 runs have 19
# independent differences of 4 independent rows each, and five deviations of 95 % in 76 are 12 points.
intervals() {
	local held whole
	read -r held whole <<<"$(awk '$4 >= 30 { n++; held += $5 <= 0 && $6 >= 0 } END { print held + 0, n + 0 }' \
		"$T/rows")"
	check_least "intervals hold no change" 0.83 "$(calc "76 * $held / $whole")" 76
}

# draw ROUND DESIGN...: one round of a design.
draw() {
	local claims
	compare "$1$5$6" "${@:3:4}"
	if [ "$2" = changed ]; then
		check_least "groups in which the change is found" "$7" "$(count_found)" $DRAWN
		return
	fi
	claims=$(count_claims)
	awk '$3 != "noise" { rows[$2 " " $3]++ } END { for (row in rows) print "diff: claimed", row, rows[row] }' \
		"$T/rows"
	check_most "groups of equal runs that show a change" "$7" "$claims" $DRAWN
	[ "$5$6" != 11 ] || intervals
}

# record_run KIND NUMBER PERCENT [PHASES]: if an undecided design needs so many.
record_run() {
	[ "$2" -ge "${RUNS[$1]}" ] || [[ " ${!open[*]} " != *" $1 "* ]] ||
		record "$T/$1-$2.prof" 5003 5000 "${@:3}"
}

# The runs of all kinds in turn.
record_runs() {
	local i
	for ((i = 0; i < 20; i++)); do
		record_run same $i 60
		record_run slower $i 81
		record_run points $i 89
		record_run phases $i 60 1
	done
}

# run_round ROUND: of what $undecided has, which keeps what it leaves undecided.
run_round() {
	# shellcheck disable=SC2034 # MEASURED is for rounds.sh
	local -A open=()
	local design old new still=() MEASURED verdict
	for design in "${undecided[@]}"; do
		read -r _ old new _ <<<"$design"
		open[$old]=1 open[$new]=1
	done
	record_runs
	for design in "${undecided[@]}"; do
		MEASURED=$T/${design// /-} verdict=0
		# shellcheck disable=SC2086 # several words
		draw "$1" $design
		decide >"$T/said" || verdict=$?
		if [ $verdict = 2 ]; then
			still+=("$design")
			continue
		fi
		[ $verdict = 0 ] || cat "$T/said"
		check "${design// /-} after round $1" [ $verdict = 0 ]
	done
	undecided=("${still[@]}")
}

undecided=("${DESIGNS[@]}")
for ((round = 1; round <= 15 && ${#undecided[@]} > 0; round++)); do
	run_round $round
done
for design in "${undecided[@]}"; do
	echo "not ok diff ${design// /-}: undecided after $((round - 1)) rounds"
	status=1
done

# One run a side: 44 % of the time, 40 % more work are 8 points, 18 deviations of 27,000 samples a
# side.
record "$T/old.prof" 5003 60000 100
record "$T/new.prof" 5003 60000 140
rows 0 "$T/old.prof" "$T/new.prof" >"$T/rows"
awk '$4 > 1000 { print "diff: 40 % slower:", $0 }' "$T/rows"
check slower-by-40-percent [ "$(count_found)" = 1 ]
exit $status
