# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Whether the command waited, and for what, against its own clocks (programs/pauses.c).

REASONS='disk sleep lock pipe network poll terminal child signal stopped other'

need_reasons() {
	need_root
	record "$T/prof" -- true
	[ -n "$(header "$T/prof" sleep)" ] || skip "$("$PROSPECT" report "$T/prof" -V2 |
		grep -A 2 'what the command waited for' || echo 'no BPF')"
}

own_clocks() {
	sed -n "s/^$1	//p" "$T/stdout"
}

# check_waited NAME: it lies between what the program said, and is within the command's time.
check_waited() {
	local got least most
	got=$(header "$T/prof" "$1") least=$(own_clocks least) most=$(own_clocks most)
	holds "$got >= $least && $got <= $most && $got <= $(header "$T/prof" elapsed_s)" ||
		fail "$1: $got s, by the clocks from $least to $most s" \
			"$("$PROSPECT" report "$T/prof" -V2 | head -n 4)"
}

# check_only REASON: no other one is longer.
check_only() {
	local reason
	for reason in $REASONS; do
		holds "$(header "$T/prof" "$reason") <= $(header "$T/prof" "$1")" ||
			fail "$reason is longer than $1" "$("$PROSPECT" report "$T/prof" -V2 | head -n 4)"
	done
}

# waits_as WAY REASON [ARGUMENT...]: what it says, and what is recorded.
waits_as() {
	local way=$1 reason=$2
	shift 2
	record "$T/prof" -- "$BIN/pauses" "$way" "$@"
	check_waited "$reason"
	check_only "$reason"
}

test_waited_for_a_timer() {
	need_reasons
	waits_as sleep sleep
	waits_as limit sleep
	"$PROSPECT" report "$T/prof" -V2 | tr -s '\n ' ' ' |
		grep -Eq 'waited [0-9.]+ s \([0-9]+ %\): sleep [0-9]+ %' ||
		fail "the report does not say so:" "$("$PROSPECT" report "$T/prof" -V2 | head -n 4)"
}

# The child's wait is the reason, and that of the thread that outlives the first one.
test_waited_for_what_the_child_waits() {
	need_reasons
	waits_as child sleep
	waits_as thread sleep
}

test_waited_for_nothing() {
	need_reasons
	record "$T/prof" -- "$BIN/pauses" busy
	holds "$(header "$T/prof" waited_percent) < 25" ||
		fail "a busy command waited" "$("$PROSPECT" report "$T/prof" -V2 | head -n 4)"
}

test_waited_for_a_lock() {
	need_reasons
	record "$T/prof" -- "$BIN/pauses" lock
	check_waited locks_s
	holds "$(header "$T/prof" lock) < $(header "$T/prof" locks_s) / 2" ||
		fail "the command waited although the owner of the lock was busy"
	"$PROSPECT" report "$T/prof" -V2 | tr -s '\n ' ' ' | grep -q 'threads blocked on locks' ||
		fail "the report does not say so:" "$("$PROSPECT" report "$T/prof" -V2 | head -n 4)"
}

test_waited_for_a_disk() {
	local status=0
	need_reasons
	head -c 8192000 /dev/urandom > "$T/data"
	sync "$T/data"
	"$BIN/pauses" disk "$T/data" > /dev/null || status=$?
	[ $status != 77 ] || skip "this file system has no O_DIRECT"
	waits_as disk disk "$T/data"
	holds "$(header "$T/prof" disk) > 0" || fail "it did not wait for the disk"
}

# is_asleep FILE: the process whose number is in FILE waits, and has become the program.
is_asleep() {
	[ -s "$1" ] && runs "$(cat "$1")" "$BIN/pauses" &&
		grep -q ') S ' "/proc/$(cat "$1")/stat" 2> /dev/null
}

# ended_from_outside REASON WAY END...: END ends the command's wait after half a second.
ended_from_outside() {
	local reason=$1 way=$2 recorder
	shift 2
	rm -f "$T/pid"
	"$PROSPECT" record -o "$T/prof" -- sh -c 'echo $$ > "$1" && exec "$2" "$3"' sh "$T/pid" \
		"$BIN/pauses" "$way" < "$T/input" > "$T/stdout" 2> "$T/stderr" &
	recorder=$!
	until_true is_asleep "$T/pid"
	sleep 0.5 # the wait itself
	"$@"
	wait "$recorder" || fail "record ended with $?" "$(tail -n 5 "$T/stderr")"
	holds "$(header "$T/prof" "$reason") >= 0.4 && $(header "$T/prof" "$reason") <= $(own_clocks most)" ||
		fail "$reason: $(header "$T/prof" "$reason") s, at least 0.4 and at most $(own_clocks most) s" \
			"$("$PROSPECT" report "$T/prof" -V2 | head -n 4)"
	check_only "$reason"
}

send_byte() {
	echo >&9
}

send_signal() {
	kill -USR1 "$(cat "$T/pid")"
}

stop_and_go_on() {
	kill -STOP "$(cat "$T/pid")"
	sleep 1 # the stop itself
	kill -CONT "$(cat "$T/pid")"
	sleep 0.1
	send_byte
}

test_waited_for_somebody_outside() {
	need_reasons
	mkfifo "$T/input"
	exec 9<> "$T/input"
	ended_from_outside pipe input send_byte
	ended_from_outside signal signal send_signal
	ended_from_outside stopped input stop_and_go_on
	exec 9>&-
}

# A wait that neither begins nor ends while it is recorded.
test_waited_all_the_time() {
	local pid
	need_reasons
	mkfifo "$T/input"
	exec 9<> "$T/input"
	"$BIN/pauses" input < "$T/input" > "$T/stdout" &
	pid=$!
	echo $pid > "$T/pid"
	until_true is_asleep "$T/pid"
	record "$T/prof" -p $pid --duration 0.5
	send_byte
	wait $pid
	exec 9>&-
	check_only pipe
	holds "$(header "$T/prof" pipe) >= $(header "$T/prof" elapsed_s) * 0.99" ||
		fail "pipe: $(header "$T/prof" pipe) of $(header "$T/prof" elapsed_s) s"
}

test_waited_in_a_command_that_ends_at_once() {
	need_reasons
	record "$T/prof" -- true
	holds "$(header "$T/prof" waited_s) <= $(header "$T/prof" elapsed_s)" ||
		fail "it waited longer than it ran"
	# The launcher, which waits at a socket until the recording is ready, is not the command.
	holds "$(header "$T/prof" network) == 0" ||
		fail "it waited for a network" "$("$PROSPECT" report "$T/prof" -V2 | head -n 4)"
	expect_status 127 "$PROSPECT" record -o "$T/none" -- "$T/missing"
}

# Without BPF the kernel's records of switches say how long, and the report says what is missing.
test_waited_without_bpf() {
	need setpriv
	user_folder
	as_plain_user "$PROSPECT" record -o "$T/user/prof" -- "$BIN/pauses" child > "$T/stdout" \
		2> "$T/stderr" || skip "nothing is permitted here: $(tail -n 1 "$T/stderr")"
	cp "$T/user/prof" "$T/prof"
	[ -z "$(header "$T/prof" sleep)" ] || skip "BPF is permitted here"
	holds "$(header "$T/prof" waited_s) >= $(own_clocks least)" ||
		fail "waited $(header "$T/prof" waited_s) s, at least $(own_clocks least)"
	"$PROSPECT" report "$T/prof" -V2 | tr -s '\n ' ' ' > "$T/text"
	grep -q 'reason not known' "$T/text" || fail "it has reasons:" "$(head -c 500 "$T/text")"
	grep -q 'what the command waited for (.*CAP_BPF' "$T/text" ||
		fail "the report does not say what is missing:" "$(head -c 1500 "$T/text")"
}
