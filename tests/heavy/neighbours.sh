#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/neighbours.sh PROSPECT: perf, bpftrace and a second prospect work beside a recording as
# they do alone, and it beside them, whichever began first.
set -u
prospect=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
[ "$(id -u)" = 0 ] || { echo "skip neighbours: needs root" && exit 0; }

# perf trace needs tracefs, which a mount namespace of its own may have without touching the machine's.
if [ ! -e /sys/kernel/tracing/events ] && [ -z "${NEIGHBOURS_MOUNTED:-}" ]; then
	NEIGHBOURS_MOUNTED=1 exec unshare -m sh -c \
		'mount -t tracefs none /sys/kernel/tracing 2> /dev/null; exec "$0" "$@"' "$0" "$prospect"
fi

scratch=$(mktemp -d /tmp/prospect-neighbours.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
export XDG_STATE_HOME=$scratch/state
${CC:-cc} -O2 -g -I "$here/../system/programs" -o loop "$here/../system/programs/loop.c" || exit 2
echo "exec '$scratch/loop' 0.5" > work

# Each neighbour: "run_NAME COMMAND..." observes a command, "saw_NAME" tells whether it saw the loop.
run_perf_record() {
	perf record -q -g -e cpu-clock -o perf.data -- "$@" > perf.out 2>&1
}

saw_perf_record() {
	[ "$(perf script -i perf.data -F comm 2> /dev/null | grep -c loop)" -ge 100 ]
}

run_perf_trace() {
	perf trace -o trace.out -- "$@" > perf.out 2>&1
}

saw_perf_trace() {
	grep -q 'loop/.*exit_group(' trace.out
}

# -c takes words without quotes, and the first as a path.
run_bpftrace() {
	local program
	program=$(command -v "$1")
	shift
	set -- "$(realpath "$program")" "$@"
	bpftrace -q -e 'profile:hz:997 /comm == "loop"/ { @hits[ustack] = count(); }' -c "$*" > bpftrace.out 2>&1
}

saw_bpftrace() {
	[ "$(sed -n 's/^.*]: \([0-9]*\)$/\1/p' bpftrace.out | awk '{ n += $1 } END { print n + 0 }')" -ge 100 ]
}

run_prospect() {
	"$prospect" record -q -o second.prof "$@" > prospect.out 2>&1
}

saw_prospect() {
	sees_loop second.prof
}

# sees_loop PROFILE: with the names of its functions, and with whole stacks.
sees_loop() {
	"$prospect" report --command --by symbol --select program=loop --format csv "$1" 2> /dev/null |
		awk -F , '$1 == "main" || $1 ~ /spin|work|loop/ { n += $3 } END { exit n < 100 }'
}

# check NAME WHAT COMMAND...: the command observes the loop, and both observers saw it.
check() {
	local name=$1 what=$2 status=0
	shift 2
	rm -f first.prof second.prof perf.data ./*.out
	"$@" > both.out 2>&1 || status=$?
	if [ $status != 0 ]; then
		sed 's/^/# /' both.out perf.out bpftrace.out prospect.out 2> /dev/null | tail -n 20
		echo "# status $status"
	elif ! "saw_$name"; then
		echo "# $name did not see the loop"
	elif ! sees_loop first.prof; then
		echo "# the recording did not see the loop"
	else
		echo "ok ${name}_$what"
		return
	fi
	echo "not ok ${name}_$what"
}

within() {
	export -f "run_$1"
	export prospect
	"$prospect" record -q -o first.prof bash -c "run_$1 sh work"
}

around() {
	"run_$1" "$prospect" record -q -o first.prof sh work
}

for name in perf_record perf_trace bpftrace prospect; do
	rm -f ./*.out
	if ! "run_$name" sh work || ! "saw_$name"; then
		echo "skip $name: it does not work alone here: $(cat ./*.out 2> /dev/null | tail -n 1)"
		continue
	fi
	check $name began_later within $name
	check $name began_first around $name
done
