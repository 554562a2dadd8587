#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The finished tool on real programs. Usage: run.sh PROSPECT [NAME...]
# Prints "ok NAME", "not ok NAME" (with lines of "# reason" before it), "skip NAME: reason" and, last,
# "N passed, N failed, N skipped". Without names: all tests. Works without a terminal; what needs root
# is skipped without it.
set -u
export LC_ALL=C
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# -lt 1 ] || ! [ -x "$1" ]; then
	echo "usage: $0 PROSPECT [NAME...]" >&2
	exit 2
fi

# Everybody may go there: some tests run as another user.
TOP=$(mktemp -d /tmp/prospect-system.XXXXXX)
trap 'rm -rf "$TOP"' EXIT
chmod 755 "$TOP"
BIN=$TOP/bin
mkdir "$BIN"
cp "$1" "$BIN/prospect"
export PROSPECT=$BIN/prospect
shift
# No test may touch the user's own profiles.
export XDG_STATE_HOME=$TOP/state
held=$TOP/held
mkdir "$held"
unset SUDO_UID SUDO_GID SUDO_USER SUDO_COMMAND

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$HERE/lib.sh"
compile_programs || exit 2
for group in "$HERE"/group_*.sh; do
	# shellcheck source=/dev/null
	. "$group"
done

# shellcheck source-path=SCRIPTDIR source=../runner.sh
. "$HERE/../runner.sh"

# run_test NAME: in a folder of its own, so that two may run at a time.
run_test() {
	local name=$1 status=0 output=$TOP/output-$1
	if ! declare -F "test_$name" > /dev/null; then
		printf '%s\n' "# there is no such test" "not ok $name"
		return
	fi
	TEST=$name T=$TOP/test-$name
	mkdir -m 755 "$T"
	timed "system/$name" in_subshell "test_$name" > "$output" 2>&1 < /dev/null || status=$?
	if [ $status = 77 ] && [ -e "$T/.skip" ]; then
		echo "skip $name: $(cat "$T/.skip")"
	elif [ $status = 0 ]; then
		echo "ok $name"
	else
		sed '/^#/!s/^/# /' "$output"
		echo "not ok $name"
	fi
	rm -rf "$T"
}

# A test ends by "exit".
in_subshell() {
	("$@")
}

names=("$@")
if [ ${#names[@]} = 0 ]; then
	# In the order of the files, as written.
	mapfile -t names < <(sed -n 's/^test_\([a-z0-9_]*\)() .*/\1/p' "$HERE"/group_*.sh)
fi
declare -A beside
while read -r _ tests; do
	for name in $tests; do
		declare -F "test_$name" > /dev/null || { echo "beside: there is no test $name" >&2; exit 2; }
		beside[$name]=1
	done
done < <(grep -v '^#' "$HERE/beside")

# Those that may run beside others first.
run_tests() {
	local name alone=()
	for name in "$@"; do
		if [ -n "${beside[$name]:-}" ]; then begin run_test "$name"; else alone+=("$name"); fi
	done
	finish
	for name in "${alone[@]}"; do
		run_test "$name"
	done
}

run_tests "${names[@]}" | tee "$TOP/lines"
sum_up "$TOP/lines"
