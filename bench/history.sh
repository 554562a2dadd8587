# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What it costs to be always on at 97 Hz while both CPUs are busy, beside perf record, and what it writes; then what
# views of a day cost: 144 segments, replayed from a recording of the machine (replay.c).
# shellcheck disable=SC2154 # scratch, prospect, here: of run.sh

# busy COMMAND...: while two programs use a CPU each.
busy() {
	local loops
	"$scratch/work" call 2000000000 >/dev/null &
	loops=$!
	"$scratch/work" call 2000000000 >/dev/null &
	loops+=" $!"
	"$@"
	# shellcheck disable=SC2086 # two numbers
	kill $loops
	# shellcheck disable=SC2086
	wait $loops 2>/dev/null
}

# Of a history of so many seconds: CPU s of supervisor and recorders, and bytes kept.
always_on() {
	local seconds=$1 folder=$scratch/history status
	"$prospect" start --history "$folder" --segment "$((seconds / 2))" 2>/dev/null || return
	sleep "$seconds"
	status=$("$prospect" status --format json --history "$folder")
	"$prospect" stop --history "$folder"
	echo "$(sed 's/.*"cpu_s":\([0-9.]*\).*/\1/' <<<"$status")" "$(cat "$folder"/*.prof | wc -c)" >"$scratch/always"
	rm -rf "$folder"
}

history_cost() {
	local seconds=${BENCH_SECONDS:-120} rows=("always on, 97 Hz, two busy CPUs|own CPU, % of one|written, MB a day") i
	for ((i = 0; i < 3; i++)); do
		busy always_on "$seconds"
		awk -v s="$seconds" '{ print 100 * $1 / s }' "$scratch/always" >>"$scratch/h-cpu"
		awk -v s="$seconds" '{ print $2 / s * 86400 / 1e6 }' "$scratch/always" >>"$scratch/h-bytes"
		have perf || continue
		busy "$scratch/measure" "$scratch/measures" perf record -q -B -a -g -e cpu-clock -F 97 \
			-o "$scratch/perf.data" sleep "$seconds" 2>/dev/null
		awk -v s="$seconds" '{ print 100 * ($2 + $3) / s }' "$scratch/measures" >>"$scratch/h-perf"
		wc -c <"$scratch/perf.data" | awk -v s="$seconds" '{ print $1 / s * 86400 / 1e6 }' >>"$scratch/h-perf-bytes"
	done
	rows+=("prospect|$(median %.2f <"$scratch/h-cpu")|$(median %.0f <"$scratch/h-bytes")")
	[ ! -f "$scratch/h-perf" ] ||
		rows+=("perf record -g|$(median %.2f <"$scratch/h-perf")|$(median %.0f <"$scratch/h-perf-bytes")")
	echo "== Always on"
	table "${rows[@]}"
}

history_views() {
	local rows=("view of a day of 144 segments|wall, s|CPU, s|memory, MB") view
	local day=$scratch/day
	"$here/../tools/build" build bench/replay -Dtests=disabled &&
		busy "$prospect" record -q -a -F 97 --duration 30 -o "$scratch/one.prof" && mkdir "$day" &&
		"$here/../build/bench/replay" "$scratch/one.prof" "$day" 144 116400 || return
	for view in "report" "report --since 1d" "report --since 10m" "report --since +1h --until +2h" \
		"flame --since 1d -o $scratch/page" "diff --since 1h --against 1h"; do
		rows+=("$(view_row "$view" "$day")")
	done
	echo "== Views of a history, $(du -sm "$day" | cut -f 1) MB"
	table "${rows[@]}"
	rm -rf "$day"
}

always() {
	history_cost
	history_views
}
