# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the benches share: tools by name, numbers with medians and spread, rounds in changing order.

# Numbers on stdin, one a line: "median [first quartile-third quartile]" with a printf format; "-" for
# what is not known.
median() {
	grep -v '^-$' | sort -g | awk -v f="${1:-%.3f}" '{ v[NR] = $1 } END {
		if (!NR) { print "-"; exit }
		printf f " [" f "-" f "]\n", q(0.5), q(0.25), q(0.75) }
		function q(p,   at, low) { at = p * (NR - 1) + 1; low = int(at)
			return v[low] + (at - low) * (v[low < NR ? low + 1 : low] - v[low]) }'
}

# The words in random order, one a line.
shuffled() {
	printf '%s\n' "$@" | shuf
}

# have TOOL: can it be measured here? BENCH_ALONE=1 leaves the peers out.
have() {
	case $1 in
	none | prospect* | timer) true ;;
	perf | perf-* | bpftrace*) [ -z "${BENCH_ALONE:-}" ] && command -v "${1%%-*}" >/dev/null ;;
	*addr2line) [ -z "${BENCH_ALONE:-}" ] && command -v "$1" >/dev/null ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# perf reads no build ids at the end (-B): it dies of some that others on the machine may have.
# under TOOL HZ DATA COMMAND...: runs COMMAND with the whole machine sampled at HZ by TOOL; the
# measures of the profiler's process (with COMMAND's where it is its child) go to $scratch/measures.
under() {
	local tool=$1 hz=$2 data=$3
	shift 3
	case $tool in
	none) "$scratch/measure" "$scratch/measures" "$@" ;;
	timer) "$scratch/measure" "$scratch/measures" "$scratch/timer" "$hz" "$@" ;;
	prospect) "$scratch/measure" "$scratch/measures" "$prospect" record -q -F "$hz" -o "$data" "$@" ;;
	prospect-none) "$scratch/measure" "$scratch/measures" "$prospect" record -q --stacks none -F "$hz" \
		-o "$data" "$@" ;;
	perf) "$scratch/measure" "$scratch/measures" perf record -q -B -a -g -e cpu-clock -F "$hz" -o "$data" \
		"$@" 2>/dev/null ;;
	perf-dwarf) "$scratch/measure" "$scratch/measures" perf record -q -B -a --call-graph dwarf,16384 -e cpu-clock \
		-F "$hz" -o "$data" "$@" 2>/dev/null ;;
	bpftrace) # its -c takes the path of a binary, and words without quotes
		printf 'exec %s\n' "$*" >"$scratch/command"
		"$scratch/measure" "$scratch/measures" bpftrace -q -o "$data" -e \
			"profile:hz:$hz { @[pid, comm, kstack, ustack] = count(); } END { clear(@); }" \
			-c "/bin/bash $scratch/command" 2>"$scratch/bpftrace.err" ;;
	bpftrace-user) # what it has is printed at the end
		printf 'exec %s\n' "$*" >"$scratch/command"
		BPFTRACE_MAX_MAP_KEYS=200000 "$scratch/measure" "$scratch/measures" bpftrace -q -o "$data" -e \
			"profile:hz:$hz { @[ustack(127), comm] = count(); }" \
			-c "/bin/bash $scratch/command" 2>"$scratch/bpftrace.err" ;;
	esac
}

# column N of the last measures
measured() {
	awk -v n="$1" '{ print $n }' "$scratch/measures"
}

# view_row VIEW FILE: a row of "view|wall, s|CPU, s|memory, MB", of five times.
view_row() {
	local i
	rm -f "$scratch"/v-*
	for ((i = 0; i < 5; i++)); do
		# shellcheck disable=SC2086 # the words of a command
		"$scratch/measure" "$scratch/measures" "$prospect" $1 "$2" >"$scratch/view"
		measured 1 >>"$scratch/v-wall"
		awk '{ print $2 + $3 }' "$scratch/measures" >>"$scratch/v-cpu"
		measured 4 >"$scratch/v-memory"
	done
	echo "$1|$(median %.2f <"$scratch/v-wall")|$(median %.2f <"$scratch/v-cpu")|$(awk \
		'{ printf "%.0f", $1 / 1024 }' "$scratch/v-memory")"
}

# table ROW...: rows of "|"-separated cells, the titles first, aligned. They are also added as they are,
# and an empty line, to the file BENCH_ROWS, if that is set.
table() {
	[ -z "${BENCH_ROWS:-}" ] || printf '%s\n' "$@" '' >>"$BENCH_ROWS"
	printf '%s\n' "$@" | column -t -s '|' -o '  '
}
