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

passed=0 failed=0 skipped=0

# told STATUS NAME: the outcome of what wrote $TOP/output
told() {
	local status=$1 name=$2
	if [ "$status" = 77 ]; then
		echo "skip $name: $(tail -n 1 "$TOP/output")"
		skipped=$((skipped + 1))
	elif [ "$status" = 0 ]; then
		echo "ok $name"
		passed=$((passed + 1))
	else
		sed '/^#/!s/^/# /' "$TOP/output" | tail -n 40
		echo "not ok $name"
		failed=$((failed + 1))
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

# The guest of a group, then the tests of what it left there.
run_group() {
	local group=$1 status name SUITE=$SUITE # a group may choose another
	EXCHANGE=$TOP/$group
	mkdir "$EXCHANGE"
	. "$HERE/group_$group.sh"
	( set -e; "boot_$group" ) > "$TOP/output" 2>&1 < /dev/null
	status=$?
	told $status "$group"
	# Not when there was no guest: that is said already.
	if [ -e "$EXCHANGE/vm.console" ]; then
		for name in $(sed -n 's/^test_\([a-z0-9_]*\)() .*/\1/p' "$HERE/group_$group.sh"); do
			run_test "$name"
		done
	fi
	[ -z "${KEEP:-}" ] || cp -r "$EXCHANGE" "$KEEP/"
	rm -rf "$EXCHANGE"
}

groups=("$@")
if [ ${#groups[@]} = 0 ]; then
	mapfile -t groups < <(sed -n 's/^boot_\([a-z0-9_]*\)() .*/\1/p' "$HERE"/group_*.sh)
fi
for group in "${groups[@]}"; do
	[ -e "$HERE/group_$group.sh" ] || { echo "there is no group $group" >&2 && exit 2; }
	run_group "$group"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
