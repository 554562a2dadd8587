# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What prospect says about itself, and a standard output that cannot take it.

# heading_of COMMAND HEADING: the list of subcommands has it below that heading.
heading_of() {
	local got
	got=$(awk -v command="$1" '/:$/ { heading = $0 } $1 == command { print heading }' "$T/help")
	[ "$got" = "$2" ] || fail "'prospect help' has $1 below '$got', not below '$2'"
}

test_version_and_help() {
	"$PROSPECT" --version | grep -Eqx 'prospect [0-9]+\.[0-9]+\.[0-9]+' || fail "--version"
	expect_status 2 "$PROSPECT"
	expect_told '^usage: prospect'
	for command in $("$PROSPECT" help --commands); do
		"$PROSPECT" help "$command" > "$T/help" || fail "help $command"
		"$PROSPECT" "$command" --help | cmp - "$T/help" || fail "$command --help"
		grep -q "^Usage: prospect $command" "$T/help" || fail "no usage of $command"
		"$PROSPECT" --help | grep -q "^  $command " || fail "--help does not list $command"
	done
	"$PROSPECT" help > "$T/help"
	! grep -n '.\{81\}' "$T/help" || fail "prospect help: lines are wider than 80 columns"
	heading_of report 'Look at a profile:'
	heading_of record 'Record:'
	heading_of export 'Exchange with other tools and machines:'
	expect_status 2 "$PROSPECT" help repotr
	expect_line "'report'"
	expect_status 2 "$PROSPECT" help run record
	expect_line 'one subcommand'
}

test_the_first_word() {
	local line
	mkdir "$T/path"
	printf '#!/bin/sh\necho mine "$@"\n' > "$T/path/report"
	chmod +x "$T/path/report"
	for line in 'run -- report -V9' 'run report -V9' '-- report -V9' '-V2 run -- report -V9'; do
		# shellcheck disable=SC2086
		PATH=$T/path:$PATH "$PROSPECT" $line > "$T/stdout" 2> "$T/stderr" ||
			fail "$line:" "$(cat "$T/stderr")"
		[ "$(cat "$T/stdout")" = "mine -V9" ] || fail "$line ran something else"
	done
	expect_status 2 "$PROSPECT" -V2 report
	expect_line 'prospect report -V2'
}

test_full_stdout() {
	"$PROSPECT" help > /dev/full 2> "$T/stderr" && fail "a full disk went unnoticed"
	expect_line 'standard output.*no space'
	expect_status 1 bash -c '"$1" watch --help-metric all > /dev/full' - "$PROSPECT"
	expect_line 'standard output: no space'
	expect_status 1 bash -c '"$1" help >&-' - "$PROSPECT"
	expect_line 'standard output'
}

# A reader that goes away ends the writer in silence, whether SIGPIPE kills or is ignored.
test_stdout_nobody_reads() {
	local status
	for trap in 'trap "" PIPE' 'trap - PIPE'; do
		bash -c "$trap; exec \"\$1\" help" - "$PROSPECT" 2> "$T/stderr" > >(exec <&-)
		status=$?
		[ $status = 0 ] || [ $status = 141 ] || fail "$trap: status $status"
		[ -s "$T/stderr" ] && fail "$trap:" "$(cat "$T/stderr")"
	done
	true
}

# Without descriptors 0 to 2 the profile is still whole, has nothing of what is printed in it, and
# the command finds them closed.
test_closed_standard_descriptors() {
	cat > "$T/command" <<- 'END'
		#!/bin/sh
		exec 3> "$1"
		for fd in 0 1 2; do [ -e /proc/$$/fd/$fd ] && echo "$fd is open" >&3; done
		true
	END
	chmod +x "$T/command"
	bash -c '"$@" <&- >&- 2>&-' - "$PROSPECT" record -o "$T/prof" \
		bash "$T/command" "$T/open" || fail "status $?"
	[ -s "$T/open" ] && fail "$(cat "$T/open")"
	"$PROSPECT" report "$T/prof" > "$T/report" || fail "the profile is damaged"
}

# A FIFO is opened once: its reader gets the whole report, or leaves early, and neither changes what
# the command ended with. Opened twice, it would wait for a second reader.
test_report_to_fifo() {
	mkfifo "$T/fifo"
	cat "$T/fifo" > "$T/report" &
	expect_status 7 timeout 120 "$PROSPECT" -V4 -f "$T/fifo" -o "$T/x.prof" sh -c 'exit 7'
	wait
	grep -q '^Profile of' "$T/report" || fail "no report:" "$(head -n 5 "$T/report")"
	head -c 1 "$T/fifo" > /dev/null &
	expect_status 7 timeout 120 "$PROSPECT" -V4 -f "$T/fifo" -o "$T/x.prof" sh -c 'exit 7'
	wait
	for command in report graph; do
		cat "$T/fifo" > "$T/$command" &
		expect_status 0 timeout 120 "$PROSPECT" $command -f "$T/fifo" "$T/x.prof"
		wait
		grep -q '^Quality ' "$T/$command" || fail "$command:" "$(head -n 5 "$T/$command")"
	done
}

# A ring that cannot have the size that was asked for is not changed without a word.
test_ring_size() {
	record "$T/prof" --ring 100 true
	expect_told '^prospect: --ring 100: the size must be a power of two; using 128$'
	"$PROSPECT" report -V4 "$T/prof" | grep -q '^Ring buffers of 128 KiB per CPU' || fail "the ring has another size"
	record "$T/prof" --ring 128 true
	! grep -e '--ring' "$T/stderr" || fail "128 is a power of two"
}
