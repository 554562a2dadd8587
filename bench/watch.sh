# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What exact counts cost (watch): the programs alone, and a call of a program's function that is
# watched beside bpftrace and perf. Sourced by run.sh.
# shellcheck disable=SC2154 # scratch, prospect, here: of run.sh

# The bodies of the programs, as the kernel counts their time; promised are 40 ns for an entry, 250 ns
# for a timed pair above empty programs, and of pairs 1.9 times the speed on two CPUs, where a loop that
# shares nothing has twice.
watch_programs() {
	local bpftool
	bpftool=$(command -v bpftool || echo /usr/sbin/bpftool)
	clang -target bpf -std=gnu11 -g -O2 -mcpu=v3 -I"$here/../src" \
		-idirafter "/usr/include/$(cc -print-multiarch)" \
		-D__TARGET_ARCH_"$(uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')" \
		-c "$here/probes.bpf.c" -o "$scratch/probes.bpf.o" &&
		"$bpftool" gen skeleton "$scratch/probes.bpf.o" name probes_bench_bpf \
			> "$scratch/probes.skel.h" &&
		cc -O2 -D_GNU_SOURCE -I"$scratch" -I"$here/../src" -o "$scratch/probes" \
			"$here/probes.c" -lbpf -lpthread || return 1
	for _ in 1 2 3; do "$scratch/probes"; done >"$scratch/probe_costs" || return 1
	local what rows=("program|ns above an empty one, or speedup")
	for what in empty entry pair histogram speedup_of_a_loop speedup_of_empty speedup_of_pairs; do
		rows+=("$what|$(awk -v what="$what" '$1 == what { print $2 }' "$scratch/probe_costs" |
			median %.2f)")
	done
	echo "== Programs alone (speedup: two CPUs against one)"
	table "${rows[@]}"
	echo
}

# A call of a function that does nothing, in ns, with its probes.
watch_calls_once() {
	local way=$1 calls=$2
	case $way in
	none) "$scratch/called" "$calls" ;;
	prospect-entries) "$prospect" watch -i 0 --budget 0 -m entries "$scratch/called:work" -- \
		"$scratch/called" "$calls" ;;
	prospect-times) "$prospect" watch -i 0 --budget 0 -m walltime "$scratch/called:work" -- \
		"$scratch/called" "$calls" ;;
	bpftrace-entries) bpftrace -q -e "uprobe:$scratch/called:work { @ = count(); }" \
		-c "$scratch/called $calls" ;;
	bpftrace-times) bpftrace -q -e "uprobe:$scratch/called:work { @t[tid] = nsecs; }
		uretprobe:$scratch/called:work /@t[tid]/ { @s = sum(nsecs - @t[tid]); delete(@t[tid]); }" \
		-c "$scratch/called $calls" ;;
	perf-entries) perf stat -e probe_prospect:work -x, -o "$scratch/stat" \
		"$scratch/called" "$calls" ;;
	esac 2>/dev/null | awk '$1 == "call" { print $2 }'
}

watch() {
	local way i calls=20000 ways=(none prospect-entries prospect-times)
	watch_programs
	cc -O2 -o "$scratch/called" "$here/called.c" || return 1
	have bpftrace && ways+=(bpftrace-entries bpftrace-times)
	if have perf && perf probe -q -x "$scratch/called" prospect:work=work 2>/dev/null; then
		ways+=(perf-entries)
	fi
	rm -f "$scratch"/calls-*
	for ((i = 0; i < 9; i++)); do
		for way in $(shuffled "${ways[@]}"); do
			watch_calls_once "$way" $calls >>"$scratch/calls-$way"
		done
	done
	have perf && perf probe -q -d 'prospect:*' 2>/dev/null
	local rows=("call|of a function that is watched, ns")
	for way in "${ways[@]}"; do
		rows+=("$way|$(median %.0f <"$scratch/calls-$way")")
	done
	echo "== A call of a program's function that is watched"
	table "${rows[@]}"
}
