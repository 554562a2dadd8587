# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the runners share: tests beside each other, and how long each took.

LANES=2

# begin COMMAND...: runs it beside others, LANES at a time. What it prints is kept in the folder $held.
# The caller makes that folder. COMMAND ignores SIGINT, as all that bash runs beside others.
begin() {
	while [ "$(jobs -rp | wc -l)" -ge $LANES ]; do
		wait -n
	done
	begun=$((${begun:-0} + 1))
	# shellcheck disable=SC2154 # the caller's
	"$@" > "$held/$begun" 2>&1 < /dev/null &
}

# finish: waits for all that was begun, and prints what it printed, in the order of the beginnings. What
# ended without a word has failed. Not in a pipeline: a subshell has none of the jobs to wait for.
finish() {
	local number
	wait
	for ((number = 1; number <= ${begun:-0}; number++)); do
		cat "$held/$number"
		[ -s "$held/$number" ] || echo "not ok what was begun as number $number: it said nothing"
	done
	begun=0
}

# timed NAME COMMAND...: adds "SECONDS NAME" to the file $TEST_TIMES, if that is set.
timed() {
	local name=$1 start=${EPOCHREALTIME/./} status us
	shift
	"$@"
	status=$?
	us=$((${EPOCHREALTIME/./} - start))
	[ -z "${TEST_TIMES:-}" ] ||
		printf '%d.%d %s\n' $((us / 1000000)) $((us / 100000 % 10)) "$name" >> "$TEST_TIMES"
	return $status
}

# run_unit_tests [NAME...]: runs those of build-check, which has been built; without names all. Prints a
# line for each of their functions.
run_unit_tests() {
	rm -f build-check/meson-logs/testlog.json
	CMOCKA_MESSAGE_OUTPUT=TAP meson test -C build-check --no-rebuild --quiet "$@" > /dev/null 2>&1
	tools/unit-results build-check/meson-logs/testlog.json
}

# sum_up FILE: how many tests passed, failed and were skipped by the lines of a runner in FILE. Fails
# when one failed.
sum_up() {
	awk '/^ok / { ok++ } /^not ok / { bad++ } /^skip / { skip++ }
		END { printf "%d passed, %d failed, %d skipped\n", ok, bad, skip; exit bad > 0 }' "$1"
}
