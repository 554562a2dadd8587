# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What it costs to know whether the command waits, as every recording of a command does, and where
# threads wait (--off-cpu), at about 100,000 switches a second on one CPU: the work's own CPU time, where
# the programs at each switch run, and the profiler's, both above a recording without. Whether it waits
# is not looked at if the work is not the command ("machine"). Runs of the ways are paired, in random
# order.
# shellcheck disable=SC2154 # scratch, prospect, here: of run.sh

# under_way WAY ROUNDS AMOUNT: switches, CPU seconds of the work, and of the profiler.
under_way() {
	local way=$1 rounds=$2 amount=$3 status=0
	rm -f "$scratch/waits.data" "$scratch/switched"
	cat >"$scratch/switches" <<-RUN
		#!/bin/sh
		$scratch/switch $rounds $amount >$scratch/switched
	RUN
	chmod +x "$scratch/switches"
	case $way in
	machine) "$scratch/measure" "$scratch/measures" sh -c '
		"$1" record -q -a -F 100 -o "$2" & recorder=$!
		until [ -s "$2" ]; do sleep 0.1; done
		sleep 1 # from then until it records: more than it takes
		"$3" && kill -TERM $recorder && wait $recorder
		' sh "$prospect" "$scratch/waits.data" "$scratch/switches" ;;
	clock) "$scratch/measure" "$scratch/measures" "$prospect" record -q -F 100 \
		-o "$scratch/waits.data" "$scratch/switches" ;;
	off-cpu) "$scratch/measure" "$scratch/measures" "$prospect" record -q -F 100 --off-cpu \
		-o "$scratch/waits.data" "$scratch/switches" ;;
	perf) "$scratch/measure" "$scratch/measures" perf record -q -B -a -g -e sched:sched_switch \
		-o "$scratch/waits.data" "$scratch/switches" 2>/dev/null || status=$? ;;
	bpftrace) "$scratch/measure" "$scratch/measures" bpftrace -q -o "$scratch/waits.data" -e '
		tracepoint:sched:sched_switch {
			@stack[args->prev_pid] = kstack;
			@left[args->prev_pid] = nsecs;
			$left = @left[args->next_pid];
			if ($left) { @ns[@stack[args->next_pid]] = sum(nsecs - $left); }
		}
		END { clear(@stack); clear(@left); clear(@ns); }' -c "/bin/sh $scratch/switches" \
		2>/dev/null || status=$? ;;
	esac
	[ $status = 0 ] && [ -s "$scratch/switched" ] || return 1
	awk -v all="$(awk '{ print $2 + $3 }' "$scratch/measures")" \
		'{ printf "%d %.6f %.6f\n", $1, $3, all - $3 }' "$scratch/switched"
}

# The same, of a long run above a short one: starting and ending cost nothing then. CPU ns a switch of
# the work, and of the profiler.
waits_once() {
	local long short
	long=$(under_way "$1" 200000 "$2") && short=$(under_way "$1" 10000 "$2") || return 1
	echo "$long $short" | awk '{ n = $1 - $4; if (n <= 0) print "- -"; else printf "%.1f %.1f\n", ($2 - $5) / n * 1e9, ($3 - $6) / n * 1e9 }'
}

waiting() {
	local amount pairs=${BENCH_PAIRS:-5} ways=(machine clock off-cpu) way i line rows
	cc -O2 -D_GNU_SOURCE -o "$scratch/switch" "$here/switch.c" || return 1
	have perf && perf record -q -e sched:sched_switch -o "$scratch/waits.data" true 2>/dev/null && ways+=(perf)
	have bpftrace && ways+=(bpftrace)
	# as much work in between as makes 10 us a switch
	for amount in 1000 2000 4000 8000 16000 32000; do
		"$scratch/switch" 20000 $amount | awk '{ exit !($3 / $1 > 9.5e-6) }' && break
	done
	rm -f "$scratch"/waits-*
	for ((i = 0; i < pairs; i++)); do
		for way in $(shuffled "${ways[@]}"); do
			line=$(waits_once "$way" "$amount") || line='- -'
			echo "$line" >>"$scratch/waits-$way"
		done
	done
	rows=("recording|CPU of the work, ns a switch|of the profiler, ns a switch")
	for way in "${ways[@]}"; do
		rows+=("$way|$(cut -d' ' -f1 "$scratch/waits-$way" | median %.0f)|$(cut -d' ' -f2 \
			"$scratch/waits-$way" | median %.0f)")
	done
	echo "== Waits: two processes that wake each other, on one CPU"
	table "${rows[@]}"
	paste -d' ' "$scratch/waits-machine" "$scratch/waits-clock" |
		awk '$1 == "-" || $3 == "-" { print "-"; next } { print $3 - $1 }' |
		median %.0f | sed "s/^/whether the command waits: CPU of the work, ns a switch: /"
	for way in "${ways[@]:2}"; do
		paste -d' ' "$scratch/waits-clock" "$scratch/waits-$way" |
			awk '$3 == "-" { print "-"; next } { print ($3 - $1 + $4 - $2) * 1e5 / 1e9 * 100 }' |
			median %.1f | sed "s/^/$way: % of one CPU, at 100,000 switches a second: /"
	done
}
