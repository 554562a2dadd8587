#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The finished tool on real programs.
# Usage: run.sh PROSPECT [--unjudged | --list] [NAME... | --only FILE | --except FILE]
# Prints "ok NAME", "not ok NAME" (with lines of "# reason" before it), "skip NAME: reason" and, last,
# "N passed, N failed, N skipped". Without names: all tests, only those in FILE, or all but those; its
# lines begin with a name. --unjudged is for a program with sanitizers or coverage, which is too slow to
# pass some tests: more tests run at a time, and one fails only when a sanitizer reports something.
# --list only prints the names.
# Works without a terminal; what needs root is skipped without it.
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
mkdir "$TOP/lib"
find "$(dirname "$1")/src/preload" -maxdepth 1 -name 'libprospect*.so*' ! -type d -exec cp -P {} "$TOP/lib" \;
export PROSPECT=$BIN/prospect
shift
# No test may touch the user's own profiles.
export XDG_STATE_HOME=$TOP/state
held=$TOP/held
mkdir "$held"
unset SUDO_UID SUDO_GID SUDO_USER SUDO_COMMAND
# On terminals of tests nobody leaves a pager.
export PROSPECT_HISTORY=$TOP/no-history
export PROSPECT_PAGER=

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$HERE/lib.sh"
for group in "$HERE"/group_*.sh; do
	# shellcheck source=/dev/null
	. "$group"
done

# shellcheck source-path=SCRIPTDIR source=../runner.sh
. "$HERE/../runner.sh"
# More than there are processors in small machines: tests wait a good deal.
LANES=4
[ "$(nproc)" -gt 1 ] || LANES=1

# run_once: the test $TEST, in the new folder $T.
run_once() {
	rm -rf "$T"
	mkdir -m 755 "$T"
	in_subshell "test_$TEST"
}

# run_test NAME: in a folder of its own, so that several may run at a time.
run_test() {
	local name=$1 status=0 output=$TOP/output-$1
	if ! declare -F "test_$name" > /dev/null; then
		printf '%s\n' "# there is no such test" "not ok $name"
		return
	fi
	TEST=$name T=$TOP/test-$name MEASURED=$TOP/measured-$name
	timed "system/$name" $rounds run_once > "$output" 2>&1 < /dev/null || status=$?
	[ -z "$unjudged" ] || only_reports "$name" "$output"
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
	[ -z "$unjudged" ] || report_to "$TOP/reports/$TEST"
	("$@")
}

# report_to FILE: makes the sanitizers write to FILE.PID. A trap is undefined behaviour (tools/build).
report_to() {
	export ASAN_OPTIONS=detect_leaks=1:handle_abort=1:handle_sigill=1:handle_sigtrap=1:log_path=$1
}

# only_reports TEST OUTPUT: sets $status by the sanitizers' reports alone. Their warnings, as of a thread that
# ended during the search for leaks, do not count.
only_reports() {
	[ "$status" = 77 ] || status=0
	if grep -q '^==[0-9]*==ERROR: ' "$TOP/reports/$1".* 2> /dev/null; then
		cat "$TOP/reports/$1".* > "$2"
		status=1
	fi
}

# The tests of the lines NAME... of a file, but for comments.
named_in() {
	local name
	while read -r name _; do
		[[ "$name" != \#* ]] || continue
		declare -F "test_$name" > /dev/null || { echo "$1: there is no test $name" >&2; exit 2; }
		echo "$name"
	done < "$1"
}

except='' unjudged='' rounds=in_rounds list=
if [ "${1:-}" = --list ]; then
	list=1
	shift
elif [ "${1:-}" = --unjudged ]; then
	unjudged=1 rounds='' LANES=$((2 * $(nproc)))
	mkdir -m 1777 "$TOP/reports"
	shift
fi
case ${1:-} in
--only)
	only=$(named_in "$2") || exit 2
	[ -n "$only" ] || { echo "$2 names no test" >&2; exit 2; } # none given would be all
	# shellcheck disable=SC2086 # several names
	set -- $only
	;;
--except)
	except=$(named_in "$2") || exit 2
	shift 2
	;;
esac
names=("$@")
if [ ${#names[@]} = 0 ]; then
	# In the order of the files, as written.
	mapfile -t names < <(sed -n 's/^test_\([a-z0-9_]*\)() .*/\1/p' "$HERE"/group_*.sh |
		grep -vxF "$except")
fi
if [ -n "$list" ]; then
	printf '%s\n' "${names[@]}"
	exit
fi
declare -A wanted
for name in "${names[@]}"; do
	wanted[$name]=1
done

# run_group GROUP TEST...: one after another, on the CPU that the group is called after.
run_group() {
	local name group=$1
	shift
	[[ "$group" != cpu* ]] || taskset -pc "${group#cpu}" $BASHPID > /dev/null 2>&1
	for name in "$@"; do
		run_test "$name"
	done
}

# run_section: runs the groups of $groups, in $order, beside each other, and forgets them.
declare -A groups
declare -A beside
run_section() {
	local group
	for group in "${order[@]}"; do
		# shellcheck disable=SC2086 # several names
		begin run_group $group ${groups[$group]}
	done
	finish
	groups=() order=()
}

# Those that run alone come first: what else the gate does keeps the other CPUs busy then. After them what
# "beside" lists.
run_tests() {
	local group tests name order=()
	while read -r group tests; do
		[[ "$group" != [#-]* ]] || continue
		for name in $tests; do
			beside[$name]=1
		done
	done < "$HERE/beside"
	for name in "${names[@]}"; do
		[ -n "${beside[$name]:-}" ] || ${unjudged:+begin} run_test "$name"
	done
	finish
	while read -r group tests; do
		case $group in
		\#*) continue ;;
		-*)
			run_section
			continue
			;;
		esac
		[[ "$group" != cpu* || -z "$unjudged" ]] || continue
		for name in $tests; do
			declare -F "test_$name" > /dev/null || { echo "beside: there is no test $name" >&2; exit 2; }
			[ -n "${wanted[$name]:-}" ] || continue
			[ -n "${groups[$group]:-}" ] || order+=("$group")
			groups[$group]+=" $name"
		done
	done < "$HERE/beside"
	run_section
}

compile_programs || exit 2
run_tests | tee "$TOP/lines"
[ "${PIPESTATUS[0]}" = 0 ] || exit 2
sum_up "$TOP/lines"
