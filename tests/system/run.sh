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
unset SUDO_UID SUDO_GID SUDO_USER SUDO_COMMAND

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$HERE/lib.sh"
compile_programs || exit 2
for group in "$HERE"/group_*.sh; do
	# shellcheck source=/dev/null
	. "$group"
done

passed=0 failed=0 skipped=0

run_test() {
	local name=$1 status=0
	T=$TOP/test
	mkdir -m 755 "$T"
	( "test_$name" ) > "$TOP/output" 2>&1 < /dev/null || status=$?
	if [ $status = 77 ] && [ -e "$T/.skip" ]; then
		echo "skip $name: $(cat "$T/.skip")"
		skipped=$((skipped + 1))
	elif [ $status = 0 ]; then
		echo "ok $name"
		passed=$((passed + 1))
	else
		sed '/^#/!s/^/# /' "$TOP/output"
		echo "not ok $name"
		failed=$((failed + 1))
	fi
	rm -rf "$T"
}

names=("$@")
if [ ${#names[@]} = 0 ]; then
	# In the order of the files, as written.
	mapfile -t names < <(sed -n 's/^test_\([a-z0-9_]*\)() .*/\1/p' "$HERE"/group_*.sh)
fi
for name in "${names[@]}"; do
	if declare -F "test_$name" > /dev/null; then
		run_test "$name"
	else
		echo "# there is no such test"
		echo "not ok $name"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
