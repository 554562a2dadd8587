# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What it costs to be profiled without privilege: the CPU time of a command and of its profiler above the
# command alone, and how much longer "true" takes. Beside it gperftools' libprofiler (CPUPROFILE), which
# writes addresses and leaves the names to others. Runs of the ways are paired, in random order.
# shellcheck disable=SC2154 # scratch, prospect, here: of run.sh

# The profiler of gperftools, where Debian puts it. Empty: not there.
libprofiler() {
	[ -n "${BENCH_ALONE:-}" ] || ldconfig -p | sed -n 's/^.*libprofiler\.so.* => //p' | head -n 1
}

# preloaded WAY COMMAND...: the measures go to $scratch/measures.
preloaded() {
	local way=$1
	shift
	case $way in
	none) "$scratch/measure" "$scratch/measures" "$@" ;;
	prospect) "$scratch/measure" "$scratch/measures" "$prospect" preload -q -F 100 \
		-o "$scratch/preload.prof" "$@" ;;
	libprofiler) "$scratch/measure" "$scratch/measures" env LD_PRELOAD="$(libprofiler)" \
		CPUPROFILE="$scratch/cpu.prof" CPUPROFILE_FREQUENCY=100 "$@" ;;
	esac >/dev/null 2>&1
}

# CPU ms of one run of "btree", or elapsed ms of "true".
preload_once() {
	if [ "$2" = true ]; then
		preloaded "$1" true && awk '{ printf "%.2f\n", $1 * 1000 }' "$scratch/measures"
	else
		preloaded "$1" "$scratch/work" btree "$2" &&
			awk '{ printf "%.1f\n", ($2 + $3) * 1000 }' "$scratch/measures"
	fi
}

preload() {
	local pairs=${BENCH_PAIRS:-11} rounds ways=(none prospect) way i job line rows
	[ -z "$(libprofiler)" ] || ways+=(libprofiler)
	for rounds in 1000000 2000000 4000000 8000000 16000000 32000000; do
		preloaded none "$scratch/work" btree $rounds || return 1
		awk '{ exit !($2 + $3 > 4) }' "$scratch/measures" && break
	done
	rm -f "$scratch"/preload-*
	for ((i = 0; i < pairs; i++)); do
		for job in "$rounds" true; do
			for way in $(shuffled "${ways[@]}"); do
				line=$(preload_once "$way" "$job") || line=-
				echo "$line" >>"$scratch/preload-$way-$([ "$job" = true ] || echo work)"
			done
		done
	done
	rows=("profiled by|CPU of a busy command and its profiler, % more|elapsed of true, ms more")
	for way in "${ways[@]:1}"; do
		rows+=("$way, 100 Hz|$(paste -d' ' "$scratch/preload-none-work" "$scratch/preload-$way-work" |
			awk '$1 == "-" || $2 == "-" { print "-"; next } { print ($2 - $1) / $1 * 100 }' |
			median %.2f)|$(paste -d' ' "$scratch/preload-none-" "$scratch/preload-$way-" |
			awk '$1 == "-" || $2 == "-" { print "-"; next } { print $2 - $1 }' | median %.1f)")
	done
	echo "== Without privilege: a library in the command"
	table "${rows[@]}"
}
