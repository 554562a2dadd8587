#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bench/run.sh PROSPECT [PART...]: what prospect costs, side by side with its peers, all of them in turn
# in one run. Every figure is a median with its quartiles; compare ratios, not seconds. Without parts:
# all of them. Takes about ten minutes. BENCH_ALL=1: also what takes the peers minutes.
set -u
here=$(cd "$(dirname "$0")" && pwd)
every="overhead writing slope start loss report views always page lines waiting watch preload stacks"
parts="$every stack_cost compile short paths" # the last four are parts of `stacks`

refuse() {
	echo "bench/run.sh: $1; usage: bench/run.sh PROSPECT [PART...], parts: $parts" >&2
	exit 2
}

[ $# -gt 0 ] || refuse "no program to measure"
prospect=$(readlink -f "$1")
{ [ -f "$prospect" ] && [ -x "$prospect" ]; } || refuse "'$1' is no program"
shift
for part in "$@"; do
	case " $parts " in *" $part "*) ;; *) refuse "'$part' is no part" ;; esac
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=bench/lib.sh
. "$here/lib.sh"
# shellcheck source=bench/stacks.sh
. "$here/stacks.sh"
# shellcheck source=bench/waiting.sh
. "$here/waiting.sh"
# shellcheck source=bench/preload.sh
. "$here/preload.sh"
# shellcheck source=bench/watch.sh
. "$here/watch.sh"
# shellcheck source=bench/lines.sh
. "$here/lines.sh"
# shellcheck source=bench/views.sh
. "$here/views.sh"
# shellcheck source=bench/history.sh
. "$here/history.sh"
# shellcheck source=bench/page.sh
. "$here/page.sh"
cc -O2 -o "$scratch/work" "$here/work.c" && cc -O2 -o "$scratch/measure" "$here/measure.c" || exit 1

tools=()
for tool in prospect perf bpftrace; do
	if have $tool; then tools+=("$tool"); else echo "$tool is left out"; fi
done

# Rounds of work that take about $2 seconds of program $1.
rounds_for() {
	local seconds rounds=200000
	seconds=$("$scratch/work" "$1" $rounds)
	awk -v s="$seconds" -v r=$rounds -v want="$2" 'BEGIN { printf "%d\n", r * want / (s > 0.001 ? s : 0.001) }'
}

# What sampling costs the sampled: two fixed programs, one per CPU, their own CPU time, each run paired
# with one without a profiler.
overhead() {
	local rounds pairs=${BENCH_PAIRS:-3} rows=("tool|Hz|slowdown of the work, %|profiler's own CPU, s|lost") hz tool pair
	rounds=$(rounds_for call 0.7)
	cat >"$scratch/both" <<-BOTH
		#!/bin/sh
		taskset -c 0 $scratch/work call $rounds >$scratch/one & $scratch/work call $rounds >$scratch/two
		wait
		cat $scratch/one $scratch/two >$scratch/times
	BOTH
	chmod +x "$scratch/both"
	for ((pair = 0; pair < pairs; pair++)); do
		for hz in $(shuffled 100 1000 10000); do
			for tool in $(shuffled "${tools[@]}"); do
				local base own cpu
				under none 0 - "$scratch/both" >/dev/null
				base=$(awk '{ s += $1 } END { print s }' "$scratch/times")
				rm -f "$scratch/data"
				under "$tool" "$hz" "$scratch/data" "$scratch/both" >/dev/null
				own=$(awk '{ s += $1 } END { print s }' "$scratch/times")
				cpu=$(awk '{ print $2 + $3 }' "$scratch/measures")
				awk -v a="$own" -v b="$base" 'BEGIN { print 100 * (a / b - 1) }' \
					>>"$scratch/slow-$tool-$hz"
				awk -v c="$cpu" -v a="$own" 'BEGIN { print c - a }' >>"$scratch/cpu-$tool-$hz"
				lost_of "$tool" "$scratch/data" >>"$scratch/lost-$tool-$hz"
			done
		done
	done
	for hz in 100 1000 10000; do
		for tool in "${tools[@]}"; do
			rows+=("$tool|$hz|$(median %.2f <"$scratch/slow-$tool-$hz")|$(median %.3f \
				<"$scratch/cpu-$tool-$hz")|$(median %.0f <"$scratch/lost-$tool-$hz")")
		done
	done
	echo "== Overhead: two busy CPUs, $pairs pairs each"
	table "${rows[@]}"
}

# Samples that did not arrive: of prospect's own account, of perf's LOST records; bpftrace does not say.
lost_of() {
	case $1 in
	prospect) "$prospect" report --format json --limit 1 "$2" |
		sed -n 's/.*"lost": {"ring_full": \([0-9]*\).*/\1/p;q' ;;
	perf) perf report -i "$2" --stats 2>/dev/null | awk '/LOST_SAMPLES|LOST events/ { n += $NF } END { print n + 0 }' ;;
	*) echo - ;;
	esac
}

# Paper 004's method: control, sampling, sampling and writing; median of three; percent over control.
writing() {
	local rows=("program|control, s|sampling, %|sampling and writing every 0.1 s, %") program rounds mode i
	for program in loop call btree; do
		rounds=$(rounds_for $program 1)
		rm -f "$scratch"/w-*
		for i in 1 2 3; do
			for mode in $(shuffled control sampling writing); do
				rm -f "$scratch/data"
				case $mode in
				control) "$scratch/work" $program "$rounds" >>"$scratch/w-control" ;;
				sampling) "$prospect" record -q -M 10000 -F 1000 -o "$scratch/data" "$scratch/work" \
					$program "$rounds" >>"$scratch/w-sampling" ;;
				writing) "$prospect" record -q -M 10 -F 1000 -o "$scratch/data" "$scratch/work" \
					$program "$rounds" >>"$scratch/w-writing" ;;
				esac
			done
		done
		rows+=("$program|$(median %.3f <"$scratch/w-control")|$(over sampling)|$(over writing)")
	done
	echo "== Paper 004: control, sampling, sampling with writing; 1000 Hz, median of three"
	table "${rows[@]}"
}

# over MODE: its runs as percent over the median of the controls
over() {
	local control
	control=$(sort -g "$scratch/w-control" | sed -n 2p)
	awk -v c="$control" '{ print 100 * ($1 / c - 1) }' "$scratch/w-$1" | median %.2f
}

# The profiler's own CPU in steady state: the slope between a short and a long recording of two busy CPUs.
slope() {
	local short=${BENCH_SHORT:-5} long=${BENCH_LONG:-20} rows=("tool|own CPU per second, s|start and end, s|memory, MB|file, KB per second") tool
	local a b rss
	for tool in $(shuffled "${tools[@]}"); do
		for span in $short "$long"; do
			timeout "$span" taskset -c 0 sh -c 'while :; do :; done' &
			timeout "$span" taskset -c 1 sh -c 'while :; do :; done' &
			rm -f "$scratch/data"
			under "$tool" 1000 "$scratch/data" sleep "$span" >/dev/null
			awk '{ print $2 + $3 }' "$scratch/measures" >"$scratch/slope-$tool-$span"
			stat -c %s "$scratch/data" >"$scratch/size-$tool-$span"
			rss=$(measured 4)
			wait
		done
		a=$(cat "$scratch/slope-$tool-$short") b=$(cat "$scratch/slope-$tool-$long")
		rows+=("$(awk -v t="$tool" -v a="$a" -v b="$b" -v s="$short" -v l="$long" -v r="$rss" \
			-v x="$(cat "$scratch/size-$tool-$short")" -v y="$(cat "$scratch/size-$tool-$long")" 'BEGIN {
			slope = (b - a) / (l - s)
			printf "%s|%.4f|%.3f|%.1f|%.1f", t, slope, a - slope * s, r / 1024, (y - x) / (l - s) / 1024 }')")
	done
	echo "== Own CPU: slope between $short s and $long s, 1000 Hz, two busy CPUs (one run each)"
	table "${rows[@]}"
}

# From the start of the profiler to the start of the command, and to the end of a command that does nothing.
start() {
	local rows=("tool|until the command starts, ms|a run of true, ms") tool i
	rm -f "$scratch"/start-* "$scratch"/whole-*
	for ((i = 0; i < 9; i++)); do
		for tool in $(shuffled "${tools[@]}"); do
			[ "$tool" = bpftrace ] && [ $i -gt 2 ] && continue
			rm -f "$scratch/data"
			local before
			before=$(date +%s%N)
			under "$tool" 1000 "$scratch/data" date +%s%N >"$scratch/then" 2>/dev/null
			grep -Eo '^[0-9]{19}' "$scratch/then" | awk -v b="$before" '{ print ($1 - b) / 1e6 }' >>"$scratch/start-$tool"
			awk '{ print $1 * 1000 }' "$scratch/measures" >>"$scratch/whole-$tool"
		done
	done
	for tool in "${tools[@]}"; do
		rows+=("$tool|$(median %.1f <"$scratch/start-$tool")|$(median %.1f <"$scratch/whole-$tool")")
	done
	echo "== Start"
	table "${rows[@]}"
}

# 10 kHz on two busy CPUs for ten seconds: what is lost.
loss() {
	local rows=("tool|samples|lost|file, MB") tool samples
	for tool in $(shuffled prospect perf); do
		have "$tool" || continue
		rm -f "$scratch/data"
		timeout 10 "$scratch/work" call 100000000000 >/dev/null &
		timeout 10 "$scratch/work" call 100000000000 >/dev/null &
		under "$tool" 10000 "$scratch/data" sleep 10 >/dev/null
		wait
		case $tool in
		prospect) samples=$("$prospect" report --format json --limit 1 "$scratch/data" |
			sed -n 's/.*"samples": \([0-9]*\), "user".*/\1/p;q') ;;
		perf) samples=$(perf report -i "$scratch/data" --stats 2>/dev/null | awk '/SAMPLE events/ { print $3; exit }') ;;
		esac
		rows+=("$tool|$samples|$(lost_of "$tool" "$scratch/data")|$(stat -c %s "$scratch/data" |
			awk '{ printf "%.2f", $1 / 1e6 }')")
	done
	echo "== Loss: 10 kHz, two busy CPUs, 10 s"
	table "${rows[@]}"
}

# A flat report of many distinct addresses: a compiler at work, recorded by each tool itself.
report() {
	local rows=("tool|report, CPU s|memory, MB") tool i
	cp "$here/work.c" "$scratch/many.c"
	cat >"$scratch/compile" <<-COMPILE
		#!/bin/sh
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			cc -O3 -c -o $scratch/many.o $scratch/many.c
		done
	COMPILE
	chmod +x "$scratch/compile"
	"$prospect" record -q -F 10000 -o "$scratch/many.prof" "$scratch/compile"
	have perf && perf record -q -a -e cpu-clock -F 10000 -o "$scratch/many.data" "$scratch/compile" 2>/dev/null
	rm -f "$scratch"/r-*
	for ((i = 0; i < 7; i++)); do
		"$scratch/measure" "$scratch/measures" "$prospect" report --by process,symbol "$scratch/many.prof" \
			>"$scratch/prospect-report"
		awk '{ print $2 + $3 }' "$scratch/measures" >>"$scratch/r-prospect"
		measured 4 >"$scratch/m-prospect"
		have perf || continue
		"$scratch/measure" "$scratch/measures" perf report --stdio -i "$scratch/many.data" >/dev/null 2>&1
		awk '{ print $2 + $3 }' "$scratch/measures" >>"$scratch/r-perf"
		measured 4 >"$scratch/m-perf"
	done
	for tool in prospect perf; do
		[ -f "$scratch/r-$tool" ] && rows+=("$tool|$(median %.3f <"$scratch/r-$tool")|$(awk \
			'{ printf "%.1f", $1 / 1024 }' "$scratch/m-$tool")")
	done
	echo "== Report: $("$prospect" report --by image,address --format csv "$scratch/many.prof" | wc -l) distinct addresses"
	table "${rows[@]}"
}

echo "prospect $("$prospect" --version | cut -d' ' -f2), kernel $(uname -r), $(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg)"
# shellcheck disable=SC2086 # a word each
[ $# -gt 0 ] || set -- $every
for part in "$@"; do
	echo
	$part
done
