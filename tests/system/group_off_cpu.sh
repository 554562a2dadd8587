# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Where threads wait (--off-cpu): against the clocks of the threads themselves.

# waits FILE KEYS EVENT [REPORT OPTION...]: as rows, of one event.
waits() {
	local file=$1 keys=$2 event=$3
	shift 3
	"$PROSPECT" report "$file" --by "$keys" --select "event=$event" "$@" --format csv \
		2> "$T/.csv.err" > "$T/.csv" || fail "report --by $keys:" "$(cat "$T/.csv.err")" >&2
	csv_to_tabs < "$T/.csv"
}

# How often a thread of the program waits.
WAITS=60

# check_sampled_wait WHAT TRUE_S WAITS PATTERN FILE [PART]: the recorded waits of the rows that match are TRUE_S
# but for PART of it (0.15): WAITS of about one length, or 0 for any lengths. A wait that is shorter than
# the threshold T is kept with a chance of length / T and counts as T. Where all are kept, one of them may
# yet have been recorded wrongly.
check_sampled_wait() {
	# shellcheck disable=SC2046 # several words
	measured "$1" $(grep -E "$4" "$5" | awk -F '\t' -v truth="$2" -v waits="$3" -v part="${6:-0.15}" '{
		n += $(NF - 4)
		sum += $(NF - 3) / 1e9
	} END {
		one = waits ? truth / waits : 0
		kept = n > 0 && sum / n > one ? sum / n : n > 0 ? one : truth
		variance = n > 0 ? sum * (kept - one) + one * one : truth * truth
		printf "%.9g %.9g %.9g %.9g %.9g %.9g 0", truth, sum, (1 - part) * truth,
			(1 + part) * truth, variance, kept
	}')
}

# check_wait WHAT TRUE_S NS [PART]: within 2 % of the truth, or PART of it.
check_wait() {
	awk -v what="$1" -v truth="$2" -v ns="$3" -v part="${4:-0.02}" 'BEGIN {
		got = ns / 1e9
		if (got < truth * (1 - part) || got > truth * (1 + part)) {
			printf "# %s: %.4f s, true is %.4f s\n", what, got, truth
			exit 1
		}
	}' || fail "$(cat "$T/rows")"
}

# Others may run the same program at this moment.
own() {
	awk -F '\t' '$1 == "pid" { print "pid=" $2 }' "$T/stdout"
}

truth() {
	awk -F '\t' -v name="$1" '$1 == "wait" && $2 == name { print $3 }' "$T/stdout"
}

# Waits whose record was lost.
lost_waits() {
	"$PROSPECT" report "$T/prof" --by mode --format json | tr '{' '\n' |
		sed -n 's/.*"name": "off-cpu".*"lost": \([0-9]*\).*/\1/p'
}

need_waits() {
	need_root
	record "$T/prof" --off-cpu --ring 4096 "$@" -- "$BIN/waits"
	waits "$T/prof" thread,wait off-cpu --select "$(own)" > "$T/rows" 2> /dev/null
	[ -s "$T/rows" ] || skip "$(grep -o 'where threads wait.*' "$T/stderr" || echo 'no BPF')"
	[ "$(lost_waits)" = 0 ] || skip "the machine is too busy: waits found a ring full"
	need_known_ends
}

# Where the program's threads cannot come first they wait once more when they have told how long.
need_known_ends() {
	! grep -q '^late' "$T/stdout" || skip "threads may not be put before others here"
}

test_waits_last_as_long_as_the_clocks_say() {
	local name
	need_waits
	waits "$T/prof" thread,wait thread-time --select "$(own)" > "$T/times"
	for name in sleeper locker reader; do
		check_wait $name "$(truth $name)" \
			"$(grep -E "^$name	(blocked|runnable)	" "$T/times" | sum 5)"
	done
}

# Waits have the right name. On a busy machine some may not be among those that are chosen, or stand for
# more than themselves.
test_waits_are_told_apart() {
	local name wait
	need_waits
	while read -r name wait; do
		check_sampled_wait "$name for $wait" "$(truth "$name")" $WAITS "^$name	($wait|runnable)	" "$T/rows"
		grep -Eq "^$name	${wait%|*}	" "$T/rows" || fail "$name waits for no $wait"
	done <<- END
		sleeper sleep
		locker lock|sleep
		reader pipe
	END
}

# Threads that want one CPU: how long they were without is in the exact times, and, sampled, among
# the waits.
test_waiting_for_a_processor() {
	local name
	need_waits
	waits "$T/prof" thread,wait thread-time --select "$(own)" > "$T/times"
	for name in first second; do
		# taking to its CPU is a wait for the thread that moves it
		check_wait $name "$(truth $name)" \
			"$(grep -E "^$name	(runnable|blocked)" "$T/times" | sum 5)"
		check_sampled_wait "$name, sampled" "$(truth $name)" 0 "^$name	runnable" "$T/rows" 0.25
	done
}

# Everything a thread did is its time from birth to death, and so it is for all threads.
test_times_of_threads_add_up() {
	local wall begin end
	need_waits
	waits "$T/prof" tid,wait thread-time --select "$(own)" --select thread=waits > "$T/times"
	begin=$("$PROSPECT" report "$T/prof" --format json --by mode | tr ',{}' '\n\n\n' |
		awk -F '[ :]+' '/"duration_s"/ { print $NF }' | head -n 1)
	wall=$(sum 5 < "$T/times")
	end=$(awk '$1 == "wait" && $2 == "first" { print $3 }' "$T/stdout")
	[ -n "$end" ] && [ -n "$begin" ] || fail "no times"
	holds "$wall / 1e9 <= $begin + 0.05 && $wall / 1e9 > 1.5" ||
		fail "the main thread has $wall ns of $begin s"
}

test_wakers_are_named() {
	local name wait
	need_waits
	waits "$T/prof" thread,wait,waker off-cpu --select "$(own)" > "$T/wakers"
	for name in reader:pipe locker:lock; do
		wait=${name#*:}
		name=${name%:*}
		check_sampled_wait "$name, woken by its own program" "$(truth "$name")" $WAITS \
			"^$name	($wait	waits#[0-9]+|runnable	|sleep	)" "$T/wakers"
	done
	! grep -q "^sleeper	sleep	.*#" "$T/wakers" || fail "a timer is somebody:" "$(cat "$T/wakers")"
}

stacks_of_waits() {
	need_waits --stacks "$1"
	waits "$T/prof" thread,stack off-cpu --select "$(own)" > "$T/stacks"
	grep -q "^sleeper	.*nanosleep.*;\[sleep\]" "$T/stacks" || fail "no sleep in the stacks"
	grep -q "^reader	.*read.*pipe_read;\[pipe\]" "$T/stacks" || fail "no pipe in the stacks"
	grep -q "^locker	.*futex_wait.*;\[lock\]" "$T/stacks" || fail "no lock in the stacks"
	[ "${1:-full}" = full ] || return 0
	grep -q "^sleeper	.*;start_thread;run;sleep_often;.*nanosleep;.*;\[sleep\]" "$T/stacks" &&
		grep -q "^reader	.*;start_thread;run;read_often;.*pipe_read;\[pipe\]" "$T/stacks" &&
		grep -q "^locker	.*;start_thread;run;lock_often;.*futex_wait.*;\[lock\]" "$T/stacks" ||
		fail "stacks are not complete:" "$(cat "$T/stacks")"
}

test_stacks_of_waits_lead_to_the_functions() {
	stacks_of_waits full
}

test_stacks_of_waits_by_frame_pointers() {
	stacks_of_waits fp
}

# What waits from the beginning to the end is in no event of the scheduler, and yet there.
test_waits_open_at_both_ends() {
	local ns pid whole
	need_root
	sleep 600 &
	pid=$!
	record "$T/prof" --off-cpu -- sleep 0.5
	kill $pid
	waits "$T/prof" wait off-cpu --select pid=$pid > "$T/rows" 2> /dev/null
	[ -s "$T/rows" ] || skip "no BPF"
	ns=$(grep "^sleep	" "$T/rows" | sum 4)
	whole=$(header "$T/prof" duration_s)
	holds "$ns / 1e9 > 0.5 && $ns / 1e9 <= $whole + 0.05" || fail "sleep 600 has $ns ns of $whole s"
}

# A child that was born while the recording began may be [unknown].
test_off_cpu_of_a_process() {
	local pid
	need_root
	bash -c 'while :; do sleep 0.05; done' &
	pid=$!
	"$PROSPECT" record -o "$T/prof" --off-cpu -p $pid --duration 1 2> "$T/stderr" ||
		fail "record -p:" "$(cat "$T/stderr")"
	kill $pid
	wait $pid
	waits "$T/prof" program,wait off-cpu > "$T/rows" 2> /dev/null
	[ -s "$T/rows" ] || skip "no BPF"
	grep -q "^bash	child	" "$T/rows" || fail "the shell does not wait:" "$(cat "$T/rows")"
	grep -q "^sleep	sleep	" "$T/rows" || fail "its child does not sleep:" "$(cat "$T/rows")"
	! grep -Evq '^(bash|sleep|\[unknown\])	' "$T/rows" || fail "others:" "$(cat "$T/rows")"
}

# Without BPF there are times all the same, and what is missing is said.
test_waits_without_bpf() {
	local name
	need_root
	need setpriv
	setpriv --bounding-set -bpf,-sys_admin --inh-caps -bpf,-sys_admin "$PROSPECT" record \
		-o "$T/prof" --off-cpu --ring 4096 -- "$BIN/waits" > "$T/stdout" 2> "$T/stderr" ||
		skip "no events without CAP_SYS_ADMIN (kernel.perf_event_paranoid): $(cat "$T/stderr")"
	need_known_ends
	"$PROSPECT" report "$T/prof" > "$T/report"
	tr -s ' \n' '  ' < "$T/report" | grep -q 'Not visible.*stacks of waits.*CAP_BPF' ||
		fail "what is not visible is not said:" "$(cat "$T/report")"
	waits "$T/prof" thread,wait thread-time --select "$(own)" > "$T/rows"
	for name in sleeper locker reader; do
		check_wait $name "$(truth $name)" "$(grep -E "^$name	(blocked|runnable)" "$T/rows" | sum 5)"
	done
	for name in first second; do
		check_wait $name "$(truth $name)" \
			"$(grep -E "^$name	(blocked|runnable)" "$T/rows" | sum 5)" 0.05
	done
	waits "$T/prof" thread,wait off-cpu --select "$(own)" > "$T/rows"
	grep -q "^sleeper	blocked" "$T/rows" || fail "no wait of the sleeper:" "$(cat "$T/rows")"
}
