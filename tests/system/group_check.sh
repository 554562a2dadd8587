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

# Some kernels have no names at all.
test_check_as_root_sees_everything() {
	local hidden=:
	need_root
	[ -e /proc/kallsyms ] || hidden="kernel names"
	said 0 "$PROSPECT" check --quick --format json
	json_points missing | grep -vxF "$hidden" && fail "missing as root"
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
		grep -Eq 'sysctl -w kernel.perf_event_paranoid=1|check --fix' "$T/text" || fail "no fix is given"
	fi
}

# A container that refuses perf_event_open, in both ways that are seen: a recording fails with the
# reason, and a plain command falls back on the preloaded library, whose first screen says so.
test_check_without_perf_event_open() {
	local refusal
	for refusal in 1 38; do # EPERM, ENOSYS
		said 1 "$BIN/refuse" $refusal "$PROSPECT" check
		grep -Eq '^permission +missing' "$T/text" || fail "$refusal:" "$(cat "$T/text")"
		grep -Eq '^seccomp +limited' "$T/text" || fail "the filter was not seen"
		grep -q '^No calibration' "$T/text" || fail "calibrated without events?"
		expect_status 1 "$BIN/refuse" $refusal "$PROSPECT" record -o "$T/prof" -- true
		expect_line 'perf_event|permit|lets only root'
		[ ! -e "$T/prof" ] || fail "$refusal: a profile without events?"
		expect_status 0 "$BIN/refuse" $refusal "$PROSPECT" true
		grep -q 'Not visible: the kernel' "$T/stderr" || fail "$refusal:" "$(cat "$T/stderr")"
	done
}

# without_bpf ERRNO: what a report says of stacks when bpf(2) fails so, on one line.
without_bpf() {
	expect_status 0 "$BIN/refuse" "bpf:$1" "$PROSPECT" record -q -o "$T/prof" -- "$BIN/loop" 0.1
	"$PROSPECT" report --quality "$T/prof" | tr -s '\n ' ' '
}

# The message never tells root to become root, whatever refuses.
test_record_without_bpf() {
	need_root
	need_unwinding
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

# capable LIST: the words before a command that run it as a user who has nothing else.
capable() {
	echo "setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all,$1 --ambient-caps -all,$1"
}

# What the manual says of capabilities: with two of them the whole machine and stacks from the
# interrupt, with a third the names of the kernel.
test_capabilities_are_enough() {
	need_root
	need setpriv
	local name who
	$(capable +perfmon,+bpf) true 2> "$T/stderr" || skip "$(cat "$T/stderr")"
	said 0 "$PROSPECT" check --quick --format json
	json_points ok > "$T/root"
	said 0 $(capable +perfmon,+bpf,+syslog) "$PROSPECT" check --quick --format json
	json_points ok > "$T/user"
	for name in permission stacks "kernel names"; do
		! grep -qx "$name" "$T/root" || grep -qx "$name" "$T/user" ||
			fail "$name:" "$(cat "$T/text")"
	done
	said 0 $(capable +perfmon,+bpf,+sys_ptrace) "$PROSPECT" check --quick --format json
	json_points ok | grep -qx "other users" || fail "$(cat "$T/text")"
	# Waits, and stacks from the interrupt, are as good as root's.
	mkdir -m 777 "$T/user.d"
	expect_status 0 $(capable +perfmon,+bpf) "$PROSPECT" record --off-cpu \
		-o "$T/user.d/user" "$BIN/loop" 0.3
	expect_status 0 "$PROSPECT" record --off-cpu -o "$T/user.d/root" "$BIN/loop" 0.3
	for who in root user; do
		"$PROSPECT" report "$T/user.d/$who" --by mode --format json | tr '[],' '\n' |
			grep -o '.*BPF.*' > "$T/$who"
	done
	diff "$T/root" "$T/user" > "$T/diff" || fail "the user lacks BPF:" "$(cat "$T/diff")"
}

# A file with capabilities, which a group may execute, obeys no variable of its users.
test_file_with_capabilities() {
	need_root
	need setpriv
	need setcap
	cp "$PROSPECT" "$T/prospect"
	chgrp 65534 "$T/prospect"
	chmod 0750 "$T/prospect"
	setcap cap_perfmon,cap_bpf,cap_syslog+ep "$T/prospect" 2> "$T/stderr" || skip "$(cat "$T/stderr")"
	mkdir -m 777 "$T/state"
	set -- setpriv --reuid 65534 --regid 65534 --clear-groups env XDG_STATE_HOME="$T/state"
	"$@" "$T/prospect" --version > /dev/null 2>&1 || skip "capabilities of files do not count here"
	said 0 "$@" "$T/prospect" check --quick --format json
	json_points ok | grep -qx permission || fail "$(cat "$T/text")"
	# its home folder, by the password database, may not exist
	"$@" "$T/prospect" record "$BIN/loop" 0.1 2> "$T/stderr"
	[ ! -e "$T/state/prospect" ] || fail "it wrote where a variable says"
	# its command has none of them
	expect_status 0 "$@" "$T/prospect" record -o "$T/state/prof" grep CapEff /proc/self/status > "$T/status"
	grep -q '0000000000000000' "$T/status" || fail "the command has capabilities: $(cat "$T/status")"
}

# The one command: never level 0, and capabilities only for a file that a group may execute.
test_check_names_one_fix() {
	need_root
	need setpriv
	local paranoid
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
	said 0 setpriv --reuid 65534 --regid 65534 --clear-groups "$PROSPECT" check --fix
	[ "$(wc -l < "$T/text")" -le 1 ] || fail "more than one line:" "$(cat "$T/text")"
	! grep -q 'paranoid=0' "$T/text" || fail "more than needed: $(cat "$T/text")"
	if [ "$paranoid" -gt 1 ]; then
		grep -q '^sudo sysctl -w kernel.perf_event_paranoid=1' "$T/text" || fail "$(cat "$T/text")"
	elif [ "$paranoid" = 1 ]; then
		grep -q "chmod 0750 .* && sudo setcap [a-z_,]*+ep .*/prospect$" "$T/text" || fail "$(cat "$T/text")"
	fi
	said 0 "$PROSPECT" check --fix
	! grep -q 'setcap\|paranoid' "$T/text" || fail "root needs none: $(cat "$T/text")"
	expect_status 2 "$PROSPECT" check --fix --format json
	expect_line 'no other option'
}
