#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The finished tool on kernels and machines that this one is not. Usage: run.sh PROSPECT [GROUP...]
# Prints "ok NAME", "not ok NAME" (with lines of "# reason" before it), "skip NAME: reason" and,
# last, "N passed, N failed, N skipped". Without names: all groups, which are the group_*.sh beside
# this file. Needs neither root nor KVM. KEEP=FOLDER keeps what the guests left.
set -u
export LC_ALL=C
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SYSTEM=$HERE/../system
[ $# -ge 1 ] && [ -x "$1" ] || { echo "usage: $0 PROSPECT [GROUP...]" >&2; exit 2; }
PROSPECT=$(realpath "$1")
shift

TOP=$(mktemp -d /tmp/prospect-vm.XXXXXX)
trap 'rm -rf "$TOP"' EXIT
export XDG_STATE_HOME=$TOP/state
. "$SYSTEM/lib.sh"
. "$HERE/lib.sh"

# shellcheck source=../runner.sh
. "$HERE/../runner.sh"
held=$TOP/held
export ALL=$TOP # TOP is the group's
mkdir "$held"

# Groups that run alone: they use several host threads, or test a time limit. The others use one thread
# and run two at a time.
ALONE=" rig eight_cpus "

# told STATUS NAME: the outcome of what wrote $TOP/output
told() {
	local status=$1 name=$2
	if [ "$status" = 77 ]; then
		echo "skip $name: $(tail -n 1 "$TOP/output")"
	elif [ "$status" = 0 ]; then
		echo "ok $name"
	else
		sed '/^#/!s/^/# /' "$TOP/output" | tail -n 40
		echo "not ok $name"
	fi
}

run_test() {
	local name=$1 status
	T=$TOP/test
	mkdir "$T"
	# Not in a condition, where set -e would be off: fail at the end of a pipe ends that alone.
	( set -e; "test_$name" ) > "$TOP/output" 2>&1 < /dev/null
	status=$?
	[ ! -e "$T/.skip" ] || cp "$T/.skip" "$TOP/output"
	told $status "$name"
	rm -rf "$T"
}

# boot_group GROUP: its guest, the outcome of which is in $TOP/output
boot_group() {
	( set -e; "boot_$1" ) > "$TOP/output" 2>&1 < /dev/null
}

# The guest of a group, then the tests of what it left there, in a folder of their own.
run_group() {
	local group=$1 name TOP=$TOP/$1 SUITE=$SUITE # a group may choose another
	EXCHANGE=$TOP/$group
	mkdir -p "$EXCHANGE"
	. "$HERE/group_$group.sh"
	timed "vm/$group" boot_group "$group"
	told $? "$group"
	# Not when there was no guest: that is said already.
	if [ -e "$EXCHANGE/vm.console" ]; then
		for name in $(sed -n 's/^test_\([a-z0-9_]*\)() .*/\1/p' "$HERE/group_$group.sh"); do
			run_test "$name"
		done
	fi
	[ -z "${KEEP:-}" ] || cp -r "$EXCHANGE" "$KEEP/"
	rm -rf "$TOP"
}

groups=("$@")
if [ ${#groups[@]} = 0 ]; then
	mapfile -t groups < <(sed -n 's/^boot_\([a-z0-9_]*\)() .*/\1/p' "$HERE"/group_*.sh)
fi

run_groups() {
	local group
	for group in "${groups[@]}"; do
		[[ "$ALONE" == *" $group "* ]] || begin run_group "$group"
	done
	finish
	for group in "${groups[@]}"; do
		[[ "$ALONE" != *" $group "* ]] || run_group "$group"
	done
}

for group in "${groups[@]}"; do
	[ -e "$HERE/group_$group.sh" ] || { echo "there is no group $group" >&2 && exit 2; }
done
run_groups | tee "$TOP/lines"
sum_up "$TOP/lines"
