# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# prospect check: what is permitted, and known truths found again.

# said WANTED COMMAND...: expect_status with the command's stdout in $T/text.
said() {
	local wanted=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	T_TEXT=$T/text expect_status "$wanted" sh -c 'exec "$@" > "$T_TEXT"' - "$@"
}

# json_points STATE: the names of the points that are in this state.
json_points() {
	awk -F '"' -v wanted="$1" '$2 == "name" { name = $4 } $2 == "state" && $4 == wanted { print name }' \
		"$T/text"
}

test_check_finds_its_truths() {
	need_root
	said 0 "$PROSPECT" check
	grep -q '^All results are right' "$T/text" || fail "the calibration:" "$(cat "$T/text")"
	grep -Eq 'interrupt costs [0-9.]+ us' "$T/text" || fail "no cost of an interrupt"
	[ "$(grep -c 'right$' "$T/text")" -ge 12 ] || fail "too few comparisons" "$(cat "$T/text")"
	# The cost is kept, and a recording uses it.
	[ -s "$XDG_STATE_HOME/prospect/interrupt-cost" ] || fail "the cost was not kept"
	record "$T/prof" -- "$BIN/loop" 0.3
	holds "$(header "$T/prof" interrupt_s) > 0" || fail "the header has no interrupt_s"
	# One of another boot is not.
	echo "0000-another-boot 9000 9000 9000" > "$XDG_STATE_HOME/prospect/interrupt-cost"
	record "$T/prof" -- "$BIN/loop" 0.1
	"$PROSPECT" report --format json "$T/prof" | grep -q '"interrupt_s": null' ||
		fail "the cost of another boot was believed"
	rm "$XDG_STATE_HOME/prospect/interrupt-cost"
}

# part_of PID NAME: the calibration that the process runs has come to this part, or to its end: parts
# may be over before somebody looks.
part_of() {
	local program
	for program in $(pgrep -P "$1"); do
		! pgrep -P "$program" -x "$2" > /dev/null || return 0
		! grep -q '^State:[[:space:]]*Z' "/proc/$program/status" 2> /dev/null || return 0
	done
	ended "$1"
}

# While it is stopped its rings run over: what was lost is no reason to distrust the machine.
test_check_tells_what_was_lost() {
	need_root
	need pgrep
	local pid status=0
	"$PROSPECT" check -F 4000 --format json > "$T/text" 2> "$T/stderr" &
	pid=$!
	until_true part_of $pid check-shares
	kill -STOP $pid
	until_true part_of $pid check-asleep
	kill -CONT $pid
	wait $pid || status=$?
	grep -Eq '"lost": [1-9]' "$T/text" || skip "no ring ran over"
	[ $status = 0 ] || fail "what was lost is called wrong:" "$(cat "$T/text" "$T/stderr")"
}

test_check_as_root_sees_everything() {
	need_root
	said 0 "$PROSPECT" check --quick --format json
	json_points missing | grep . && fail "missing as root"
	json_points ok | grep -qx permission || fail "root may not see the whole machine:" "$(cat "$T/text")"
	grep -q '"calibration": null' "$T/text" || fail "--quick calibrated"
}

test_check_as_plain_user() {
	need_root
	need setpriv
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "nothing is permitted to plain users here"
	export XDG_STATE_HOME=$T/state
	mkdir -m 777 "$XDG_STATE_HOME"
	chmod 777 "$T"
	said 0 setpriv --reuid 65534 --regid 65534 --clear-groups "$PROSPECT" check
	grep -q '^All results are right' "$T/text" || fail "the calibration:" "$(cat "$T/text")"
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ]; then
		grep -Eq '^permission +limited' "$T/text" || fail "a plain user sees all?" "$(cat "$T/text")"
		grep -q 'sysctl -w kernel.perf_event_paranoid=0' "$T/text" || fail "no mend is told"
	fi
}

# A container that refuses perf_event_open, in both ways that are seen.
test_check_without_perf_event_open() {
	local refusal
	for refusal in 1 38; do # EPERM, ENOSYS
		said 1 "$BIN/refuse" $refusal "$PROSPECT" check
		grep -Eq '^permission +missing' "$T/text" || fail "$refusal:" "$(cat "$T/text")"
		grep -Eq '^seccomp +limited' "$T/text" || fail "the filter was not seen"
		grep -q '^No calibration' "$T/text" || fail "calibrated without events?"
		expect_status 1 "$BIN/refuse" $refusal "$PROSPECT" true
		expect_line 'perf_event|permit|lets only root'
	done
}

# without_bpf ERRNO: what a report says of stacks when bpf(2) fails so, on one line.
without_bpf() {
	expect_status 0 "$BIN/refuse" "bpf:$1" "$PROSPECT" record -q -o "$T/prof" -- "$BIN/loop" 0.1
	"$PROSPECT" report "$T/prof" | tr -s '\n ' ' '
}

# Root is not told to become root, whoever refuses.
test_record_without_bpf() {
	need_root
	without_bpf 13 > "$T/text" # EACCES
	grep -Eq "security module rejected the BPF program: Permission denied|locked down" "$T/text" ||
		fail "$(cat "$T/text")"
	without_bpf 1 > "$T/text" # EPERM
	grep -Eq 'a BPF program: root lacks CAP_BPF|locked down' "$T/text" ||
		fail "$(cat "$T/text")"
}

test_check_wrong_command_lines() {
	expect_status 2 "$PROSPECT" check now
	expect_line 'unexpected argument'
	expect_status 2 "$PROSPECT" check --format csv
	expect_line 'text or json'
	expect_status 2 "$PROSPECT" check --quik
	expect_line 'quick'
	expect_status 1 "$PROSPECT" check --program /nowhere/file
	expect_line 'cannot write'
}
