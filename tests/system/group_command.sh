# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The command line: the command's own life under the profiler, signals, and what is refused.

test_exit_statuses() {
	expect_status 0 "$PROSPECT" record -o "$T/prof" true
	expect_status 7 "$PROSPECT" record -o "$T/prof" sh -c 'exit 7'
	# shellcheck disable=SC2016
	expect_status 137 "$PROSPECT" record -o "$T/prof" sh -c 'kill -9 $$'
	expect_status 7 "$PROSPECT" sh -c 'exit 7'
	expect_status 3 "$PROSPECT" run -- sh -c 'exit 3'
}

# Nothing of this records anything, and each is one line.
test_commands_that_cannot_run() {
	expect_status 127 "$PROSPECT" record -o "$T/prof" no-such-command-anywhere
	expect_line no-such-command-anywhere
	expect_status 127 "$PROSPECT" no-such-command-anywhere
	expect_line no-such-command-anywhere
	echo text > "$T/plain"
	expect_status 126 "$PROSPECT" record -o "$T/prof" "$T/plain"
	expect_line "$T/plain"
	expect_status 126 "$PROSPECT" record -o "$T/prof" "$T"
	expect_line directory
	printf '#!/no/such/interpreter\n' > "$T/script"
	chmod +x "$T/script"
	expect_status 127 "$PROSPECT" record -o "$T/prof" "$T/script"
	expect_line interpreter
	[ ! -e "$T/prof" ] || fail "a profile of nothing was left behind"
}

test_wrong_command_lines() {
	expect_status 2 "$PROSPECT" record --durration 1 true
	expect_told '\-\-duration'
	expect_status 2 "$PROSPECT" record -H fast true
	expect_told '\-H'
	expect_status 2 "$PROSPECT" record -H
	expect_status 2 "$PROSPECT" --no-such-option true
	expect_status 2 "$PROSPECT" report --by colour
	expect_told colour
	expect_status 2 "$PROSPECT" report --format xml
	expect_status 2 "$PROSPECT" -g true
	expect_told stack
	expect_status 2 "$PROSPECT" record
	expect_status 127 "$PROSPECT" repotr
	expect_told "report"
}

test_rate_above_the_limit() {
	local limit
	limit=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
	"$PROSPECT" record -o "$T/prof" -H $((limit + 1)) touch "$T/mark" 2> "$T/stderr" &&
		fail "a rate above the limit was accepted"
	expect_line perf_event_max_sample_rate
	expect_told "$limit"
	[ ! -e "$T/mark" ] || fail "the command ran"
}

test_no_such_process() {
	expect_status 1 "$PROSPECT" record -o "$T/prof" -p 4194304 --duration 1 # above all that there can be
	expect_line 4194304
	expect_status 2 "$PROSPECT" record -o "$T/prof" -p nonsense --duration 1
}

# Nothing of a recording that never began is looked at.
test_wrong_options_of_recordings() {
	local command options
	for command in run record; do
		for options in '-e nosuchevent' '-e ,' '--stacks some' '--rate 0' '--output'; do
			# shellcheck disable=SC2086 # words
			expect_status 2 "$PROSPECT" "$command" $options -- true
			expect_line '^prospect'
		done
	done
}

# TERM says what a terminal understands, NO_COLOR what is liked.
test_terminals_without_sequences() {
	need script
	local answer escape=$'\033'
	record "$T/prof" -p $$ --duration 0.1
	for answer in 'TERM=xterm 1' 'TERM=dumb 0' 'TERM= 0' 'NO_COLOR=1 0'; do
		env -u NO_COLOR SHELL=/bin/bash TERM=xterm "${answer% *}" \
			script -qec "'$PROSPECT' report -V2 '$T/prof'" /dev/null \
			< /dev/null > "$T/terminal" || fail "$answer: no report"
		grep -q "$escape" "$T/terminal"
		[ $? = $((1 - ${answer#* })) ] || fail "$answer:" "$(cat -v "$T/terminal")"
	done
}

# open_terminal COMMAND: runs it in a terminal, whose other side stays open until close_terminal.
open_terminal() {
	mkfifo "$T/keys"
	set -m # without job control, and in jobs of shells without it, all in it would ignore Ctrl-C
	SHELL=/bin/bash env --default-signal=INT,QUIT script -qec "$1" /dev/null < "$T/keys" > "$T/terminal" 2>&1 &
	terminal=$!
	set +m
	exec 7> "$T/keys"
}

press_ctrl_c() {
	printf '\003' >&7
}

# Waits for the command; $status is its exit status.
close_terminal() {
	status=0
	wait $terminal || status=$?
	exec 7>&-
}

test_ctrl_c_goes_to_the_command() {
	local terminal status
	need script
	cat > "$T/command" <<-'EOT'
		#!/bin/sh
		trap 'echo caught; kill $!; exit 5' INT
		"$@" &
		wait
	EOT
	chmod +x "$T/command"
	open_terminal "$PROSPECT record -o $T/prof $T/command $HERE/programs/announced.sh $T/pid $BIN/loop 60"
	until_true has_run "$T/pid" 0.5
	press_ctrl_c
	close_terminal
	[ $status = 5 ] || fail "exit status $status instead of the command's 5" \
		"$(tail -n 5 "$T/terminal")"
	grep -q caught "$T/terminal" || fail "the command did not get the signal"
	[ "$(rows "$T/prof" program --select program=loop | sum 3)" -ge 100 ] ||
		fail "the profile has not what ran before Ctrl-C"
}

test_second_ctrl_c_stops_waiting() {
	local terminal status recorder
	need script
	printf '#!/bin/sh\ntrap "" INT\nexec "$@"\n' > "$T/command"
	chmod +x "$T/command"
	open_terminal "$HERE/programs/announced.sh $T/recorder $PROSPECT record -o $T/prof \
		$T/command $HERE/programs/announced.sh $T/pid sleep 600"
	until_true [ -s "$T/pid" ]
	recorder=$(cat "$T/recorder")
	press_ctrl_c
	sleep 1
	! ended "$recorder" || fail "the first one ended it:" "$(tail -n 5 "$T/terminal")"
	# Two that come at once are one to the receiver. The terminal may be gone when it has ended.
	trap '' PIPE
	pressed_again() {
		press_ctrl_c 2> /dev/null
		sleep 0.3
		ended "$recorder"
	}
	until_true pressed_again
	kill "$(cat "$T/pid")"
	close_terminal
	[ $status = 130 ] || fail "status $status instead of 130:" "$(tail -n 5 "$T/terminal")"
	rows "$T/prof" mode > /dev/null
}

test_terminate_keeps_what_there_is() {
	local pid status=0
	"$PROSPECT" record -o "$T/prof" "$HERE/programs/announced.sh" "$T/pid" "$BIN/loop" 60 \
		2> "$T/stderr" &
	pid=$!
	until_true has_run "$T/pid" 0.5
	kill -TERM $pid
	wait $pid || status=$?
	[ $status = 143 ] || fail "exit status $status instead of 143"
	[ "$(rows "$T/prof" program --select program=loop | sum 3)" -ge 100 ] ||
		fail "what was sampled before is not in the profile"
	! pgrep -f "$BIN/loop 60" > /dev/null || fail "the command still runs"
}

# start_in_background COMMAND...: as a script starts a background job, so with SIGINT ignored. Its
# number is in $T/recorder, its exit status in $T/ended when it has ended.
start_in_background() {
	rm -f "$T/recorder" "$T/ended"
	# shellcheck disable=SC2016 # the words are for sh
	sh -c 'folder=$1; shift
		"$@" > "$folder/stdout" 2> "$folder/stderr" &
		echo $! > "$folder/recorder"
		wait $!; echo $? > "$folder/status"; mv "$folder/status" "$folder/ended"' \
		sh "$T" "$@" &
	until_true [ -s "$T/recorder" ]
}

# interrupt_in_background COMMAND...: SIGINT ends it with 130, once loop has run under it; loop goes on.
interrupt_in_background() {
	local pid
	rm -f "$T/pid"
	start_in_background "$@" "$HERE/programs/announced.sh" "$T/pid" "$BIN/loop" 600
	until_true has_run "$T/pid" 0.3
	pid=$(cat "$T/pid")
	# shellcheck disable=SC2064 # this process
	trap "kill $pid 2> /dev/null" EXIT
	kill -INT "$(cat "$T/recorder")"
	until_true [ -s "$T/ended" ]
	[ "$(cat "$T/ended")" = 130 ] || fail "status $(cat "$T/ended") instead of 130: $*" \
		"$(tail -n 5 "$T/stderr")"
	runs "$pid" "$BIN/loop" || fail "the command does not run any more: $*"
	# Bit 1 is SIGINT's: the command inherited what it would have without us.
	[ $((0x$(awk '/^SigIgn/ { print $2 }' "/proc/$pid/status") & 2)) = 2 ] ||
		fail "the command does not ignore SIGINT: $*"
	kill "$pid"
}

test_interrupt_of_a_background_job() {
	interrupt_in_background "$PROSPECT" record -o "$T/prof"
	is_recorded "$T/prof" || fail "the recording is not over:" "$(cat "$T/head")"
	[ "$(rows "$T/prof" program --select program=loop | sum 3)" -ge 50 ] ||
		fail "what was sampled before is not in the profile"
	interrupt_in_background "$PROSPECT" --stacks none -f "$T/report"
	grep -qi samples "$T/report" || fail "no report:" "$(cat "$T/report")"
	interrupt_in_background "$PROSPECT" count -e task-clock --format csv -f "$T/counts"
	awk -F, '/task-clock/ && $2 > 0 { found = 1 } END { exit !found }' "$T/counts" ||
		fail "nothing was counted:" "$(cat "$T/counts")"
	interrupt_in_background "$PROSPECT" count --by process -e task-clock -f "$T/counts"
	grep -q loop "$T/counts" || fail "nothing was counted:" "$(cat "$T/counts")"
}

# Under nohup nothing ends at a SIGHUP, nor at a second one.
test_hangup_under_nohup() {
	start_in_background nohup "$PROSPECT" record -o "$T/prof" \
		"$HERE/programs/announced.sh" "$T/pid" "$BIN/loop" 600
	until_true has_run "$T/pid" 0.2
	kill -HUP "$(cat "$T/recorder")"
	until_true has_run "$T/pid" 0.6
	kill -HUP "$(cat "$T/recorder")"
	until_true has_run "$T/pid" 1
	[ ! -e "$T/ended" ] || fail "SIGHUP ended it with $(cat "$T/ended")"
	kill "$(cat "$T/pid")"
	until_true [ -s "$T/ended" ]
	[ "$(cat "$T/ended")" = 143 ] || fail "status $(cat "$T/ended"), not the command's 143"
	is_recorded "$T/prof" || fail "the recording is not over:" "$(cat "$T/head")"
}

# What the command reads and writes is not touched; prospect's own words go to stderr or -f.
test_streams() {
	printf 'one\ntwo\n' > "$T/in"
	"$PROSPECT" -f "$T/report" sh -c 'cat; echo warning >&2' < "$T/in" > "$T/out" 2> "$T/stderr" ||
		fail "it failed:" "$(cat "$T/stderr")"
	cmp -s "$T/in" "$T/out" || fail "stdout is not the command's:" "$(cat "$T/out")"
	printf 'warning\n' | cmp -s - "$T/stderr" || fail "stderr is not the command's:" \
		"$(cat "$T/stderr")"
	grep -q '^Quality ' "$T/report" || fail "no report in the file of -f"
	"$PROSPECT" cat < "$T/in" > "$T/out" 2> "$T/stderr" || fail "it failed"
	cmp -s "$T/in" "$T/out" || fail "stdout is not the command's:" "$(cat "$T/out")"
	grep -q '^Quality ' "$T/stderr" || fail "no report on stderr"
}

# The line of the paper.
test_the_papers_line() {
	local part
	printf '#!/bin/sh\n"%s" 0.5\ncat /dev/zero | head -c 100000000 | wc -c\n' "$BIN/shares" \
		> "$T/netperf4.sh"
	chmod +x "$T/netperf4.sh"
	( cd "$T" && "$PROSPECT" -V4 -H1000 -f prospect.out ./netperf4.sh > out 2> stderr ) ||
		fail "it failed:" "$(cat "$T/stderr")"
	for part in 'Statistics of Run' 'Summary of Processes' 'USER' 'KERNEL' burn_fifty; do
		grep -q "$part" "$T/prospect.out" || fail "the report has no '$part'"
	done
}

# is_recorded FILE: the recording is over.
is_recorded() {
	"$PROSPECT" report "$1" > "$T/head" 2> /dev/null &&
		! tr -s '\n ' ' ' < "$T/head" | grep -q 'still recording'
}

# The command goes on until the recording was over.
test_duration() {
	local pid status=0
	mkfifo "$T/in"
	"$PROSPECT" record -o "$T/prof" --duration 500ms cat < "$T/in" 2> "$T/stderr" &
	pid=$!
	exec 7> "$T/in"
	until_true is_recorded "$T/prof"
	! ended $pid || fail "it did not wait for the command:" "$(cat "$T/stderr")"
	exec 7>&-
	wait $pid || status=$?
	[ $status = 0 ] || fail "status $status:" "$(cat "$T/stderr")"
	holds "$(header "$T/prof" duration_s) >= 0.45" ||
		fail "it lasted $(header "$T/prof" duration_s) s"
	need_root
	expect_status 0 "$PROSPECT" record -o "$T/prof" -a --duration 0.5
	holds "$(header "$T/prof" duration_s) >= 0.45" || fail "-a --duration 0.5 was shorter"
}

test_chosen_process() {
	local beside
	"$BIN/loop" 600 &
	beside=$!
	record_running_for 0.5 "$BIN/shares" 600
	kill $beside
	rows "$T/prof" program > "$T/rows"
	[ "$(cut -f 1 "$T/rows" | tr '\n' ' ')" = "shares " ] ||
		fail "not only the chosen process:" "$(cat "$T/rows")"
	[ "$(sum 3 < "$T/rows")" -ge 50 ] || fail "it was not sampled:" "$(cat "$T/rows")"
	rows "$T/prof" symbol --select 'mode=user' | grep -q '^burn_fifty' || fail "it has no names"
}

# Of the chosen CPUs alone there are samples, and the account is about them. What a process maps on
# another CPU has names all the same.
test_chosen_cpus() {
	need_root
	taskset -c 1 true || skip "this needs two CPUs"
	taskset -c 1 "$BIN/loop" 60 &
	echo $! > "$T/other"
	expect_status 0 "$PROSPECT" record -o "$T/prof" -C 0 -H 2000 -- sh -c "
		taskset -p -c 1 \$\$ > /dev/null
		taskset -c 0 '$BIN/shares' 1 > '$T/out'"
	kill "$(cat "$T/other")"
	[ "$("$PROSPECT" query --format csv 'SELECT DISTINCT cpu FROM sample' "$T/prof" |
		tail -n +2)" = 0 ] || fail "other CPUs were sampled"
	[ "$(header "$T/prof" cpus)" = 1 ] || fail "the account has $(header "$T/prof" cpus) CPUs"
	holds "$(header "$T/prof" residue_percent) < 10" || fail "the account has a gap"
	rows "$T/prof" symbol --command --select 'mode=user' | grep -q '^burn_fifty' ||
		fail "its functions have no names"
	expect_status 0 "$PROSPECT" report "$T/prof" > "$T/screen"
	grep -q '^Machine *1 CPU (0), ' "$T/screen" ||
		fail "the screen does not say which CPU:" "$(cat "$T/screen")"
}

test_chosen_cpus_are_wrong() {
	local list
	for list in '' x 0- 1-0 0,,1 99999; do
		expect_status 2 "$PROSPECT" record -o "$T/prof" -C "$list" true
		expect_line "list of CPUs '$list'"
	done
	expect_status 2 "$PROSPECT" -C 8191 true
	expect_line '-C: CPU 8191 is not online'
	expect_status 2 "$PROSPECT" record -o "$T/prof" -C 0 --off-cpu true
	expect_line '--off-cpu cannot be used with -C'
	[ ! -e "$T/prof" ] || fail "there is a profile"
}

# tid_of PID COMM: the thread of that name.
tid_of() {
	grep -lx -- "$2" "/proc/$1/task/"*/comm 2> /dev/null | cut -d / -f 5 | grep .
}

# Of chosen threads alone there are samples, waits and the time of the command.
test_chosen_threads() {
	need_root
	local pid tid
	"$BIN/threads" 60 > "$T/out" &
	pid=$!
	until_true tid_of $pid gamma > /dev/null
	tid=$(tid_of $pid gamma)
	expect_status 0 "$PROSPECT" record -o "$T/prof" -H 2000 -t "$tid" --duration 1
	[ "$(rows "$T/prof" thread --command | cut -f 1)" = gamma ] ||
		fail "not only the chosen thread:" "$(rows "$T/prof" thread --command)"
	[ "$("$PROSPECT" query --format csv 'SELECT DISTINCT tid FROM sample' \
		"$T/prof" | tail -n +2)" = "$tid" ] || fail "it is another thread"
	rows "$T/prof" symbol --select mode=user | grep -q '^work' || fail "it has no names"
	expect_status 0 "$PROSPECT" report "$T/prof" > "$T/screen"
	tr '\n' ' ' < "$T/screen" | tr -s ' ' | grep -q '^the chosen threads: .* 1 process; waited 0 %' ||
		fail "the time of the first thread, which waits, is there:" "$(cat "$T/screen")"
	expect_status 0 "$PROSPECT" record -o "$T/prof" -t $pid --duration 1
	expect_status 0 "$PROSPECT" report "$T/prof" > "$T/screen"
	tr '\n' ' ' < "$T/screen" | tr -s ' ' | grep -q '; waited .* (100 %): lock 100 %' ||
		fail "the first thread waits for the others:" "$(cat "$T/screen")"
	expect_status 0 "$PROSPECT" record -o "$T/prof" --off-cpu -t $pid --duration 1
	"$PROSPECT" query --format csv 'SELECT DISTINCT event, tid FROM sample ORDER BY event' \
		"$T/prof" | tail -n +2 > "$T/rows"
	printf 'off-cpu,%s\nthread-time,%s\n' $pid $pid | cmp -s - "$T/rows" ||
		fail "not its waits alone:" "$(cat "$T/rows")"
	kill $pid
}

# With -p the whole process is chosen besides.
test_chosen_threads_and_processes() {
	local pid tid
	"$BIN/threads" 60 > "$T/out" &
	pid=$!
	until_true tid_of $pid gamma > /dev/null
	tid=$(tid_of $pid gamma)
	"$BIN/loop" 60 &
	until_true runs $! "$BIN/loop"
	expect_status 0 "$PROSPECT" record -o "$T/prof" -H 1000 -t "$tid" -p $! --duration 1
	[ "$(rows "$T/prof" thread | cut -f 1 | sort | tr '\n' ' ')" = "gamma loop " ] ||
		fail "not the thread and the process:" "$(rows "$T/prof" thread)"
	expect_status 0 "$PROSPECT" record -o "$T/prof" -H 1000 -t "$tid" -p $pid --duration 1
	[ "$(rows "$T/prof" thread | cut -f 1 | grep -c .)" -ge 3 ] ||
		fail "not the whole process:" "$(rows "$T/prof" thread)"
	kill $! $pid
}

# A recording of threads ends with them.
test_chosen_thread_ends() {
	local pid recorder
	"$BIN/threads" 600 "$T/end" > "$T/out" &
	pid=$!
	# shellcheck disable=SC2064 # this process
	trap "kill $pid 2> /dev/null" EXIT
	until_true tid_of $pid gamma > /dev/null
	"$PROSPECT" record -M 20 -o "$T/prof" -t "$(tid_of $pid gamma)" 2> "$T/stderr" &
	recorder=$!
	until_true has_begun "$T/prof"
	! ended $recorder || fail "it ended before them:" "$(cat "$T/stderr")"
	: > "$T/end"
	until_true ended $pid
	wait $recorder || fail "it ended with $?:" "$(cat "$T/stderr")"
	expect_status 1 "$PROSPECT" record -o "$T/none" -t 4194304 --duration 1
	expect_line 'thread 4194304: no such thread'
	expect_status 2 "$PROSPECT" record -o "$T/none" -t loop --duration 1
	expect_line "invalid -t 'loop': expected ids of threads"
	expect_status 2 "$PROSPECT" -t $$ --user root --duration 1
	expect_line '-t cannot be used with names or groups'
	expect_status 2 "$PROSPECT" record -t $$ true
	expect_line '-t cannot be used with a command'
	expect_status 2 "$PROSPECT" record -a -t $$
	expect_line '-t cannot be used with -a'
	[ ! -e "$T/none" ] || fail "there is a profile"
}

# has_samples FILE PROGRAM: of it, in the profile that is being recorded.
has_samples() {
	"$PROSPECT" report --by program --format csv "$1" 2> /dev/null | grep -q "^$2,"
}

# Processes of a name: those that run, those that start later, and what they start.
test_chosen_name() {
	need_root
	local recorder
	cp "$BIN/shares" "$T/chosen-one"
	cat > "$T/later" <<- 'END'
		#!/bin/sh
		"$1" 60 > /dev/null & echo $! > "$2"
		wait
	END
	chmod +x "$T/later"
	"$T/chosen-one" 60 > "$T/out" &
	echo $! > "$T/first"
	"$BIN/loop" 60 &
	echo $! > "$T/other"
	"$PROSPECT" record -q -o "$T/prof" -H 1000 -M 20 --wait -p chosen-one,later &
	recorder=$!
	until_true has_samples "$T/prof" chosen-one
	"$T/chosen-one" 60 > "$T/out" &
	echo $! > "$T/second"
	"$T/later" "$BIN/systime" "$T/child" &
	until_true has_run "$T/second" 0.3
	until_true has_run "$T/child" 0.3
	kill -INT $recorder
	wait $recorder || fail "it ended with $?"
	kill "$(cat "$T/first")" "$(cat "$T/second")" "$(cat "$T/child")" "$(cat "$T/other")"
	rows "$T/prof" process > "$T/rows"
	[ "$(grep -c '^chosen-one#' "$T/rows")" -ge 2 ] ||
		fail "the first or the later one is missing:" "$(cat "$T/rows")"
	grep -q '^systime#' "$T/rows" || fail "what it starts is missing:" "$(cat "$T/rows")"
	! grep -q '^loop#' "$T/rows" || fail "another process is there:" "$(cat "$T/rows")"
	[ "$("$PROSPECT" query --format csv 'SELECT count(*) FROM process WHERE in_command' "$T/prof" |
		tail -n 1)" -ge 3 ] || fail "they are not marked"
}

# How long the processes of a name waited is known if all of them are followed from the start.
test_chosen_name_waits() {
	need_root
	local recorder
	cp "$(command -v sleep)" "$T/sleepy"
	"$T/sleepy" 60 &
	echo $! > "$T/first"
	until_true runs $! "$T/sleepy"
	expect_status 0 "$PROSPECT" record -o "$T/prof" -p sleepy --duration 0.5
	expect_status 0 "$PROSPECT" report "$T/prof" > "$T/screen"
	grep -q '; waited .* (100 %)' "$T/screen" || fail "it waits all the time:" "$(cat "$T/screen")"
	"$PROSPECT" record -q -o "$T/later" -M 20 -p sleepy &
	recorder=$!
	until_true knows "$T/later" "$(cat "$T/first")"
	"$T/sleepy" 60 &
	echo $! > "$T/second"
	until_true knows "$T/later" $!
	kill -INT $recorder
	wait $recorder || fail "it ended with $?"
	kill "$(cat "$T/first")" "$(cat "$T/second")"
	expect_status 0 "$PROSPECT" report "$T/later" | tr '\n' ' ' | tr -s ' ' > "$T/screen"
	grep -q 'waited is not known' "$T/screen" && grep -q 'some of them started later' "$T/screen" ||
		fail "the later one was not followed:" "$(cat "$T/screen")"
}

# knows FILE PID: the recording has that process, and it is chosen.
knows() {
	[ "$("$PROSPECT" query --format csv \
		"SELECT count(*) > 0 FROM process WHERE pid = $2 AND in_command" "$1" 2> /dev/null |
		tail -n 1)" = 1 ]
}

# Counting and watching take names, too: of the processes that run.
test_names_for_counts() {
	"$BIN/loop" 60 &
	until_true runs $! "$BIN/loop"
	expect_status 0 "$PROSPECT" count -p loop -e task-clock --duration 0.3 --format csv > "$T/csv"
	awk -F , '/task-clock/ && $2 > 0 { found = 1 } END { exit !found }' "$T/csv" ||
		fail "nothing was counted:" "$(cat "$T/csv")"
	kill $!
	expect_status 2 "$PROSPECT" count -p no-such-name
	expect_line "no process is named 'no-such-name' \\(-p\\)$"
	expect_status 2 "$PROSPECT" watch -p no-such-name vfs_read
	expect_line "no process is named 'no-such-name' \\(-p\\)$"
}

# only_loop OPTION...: the processes that are chosen so are those of loop, and are sampled.
only_loop() {
	record "$T/prof" "$@" --duration 1
	rows "$T/prof" program > "$T/rows"
	[ "$(cut -f 1 "$T/rows" | tr '\n' ' ')" = "loop " ] ||
		fail "$*: not only what was chosen:" "$(cat "$T/rows")"
}

# only_counts_loop WHAT OPTION...: the processes that are chosen so are those of loop, which takes a CPU.
only_counts_loop() {
	local what=$1
	shift
	expect_status 0 "$PROSPECT" count "$@" -e task-clock --by process --duration 0.5 --format json > "$T/json"
	grep -q "\"$what\"" "$T/json" || fail "$*: it does not say what it counts:" "$(cat "$T/json")"
	[ "$(grep -c '"program": *"[^"]*/loop"' "$T/json")" = 1 ] &&
		[ "$(grep -c '"pid"' "$T/json")" = 1 ] ||
		fail "$*: not only what was chosen:" "$(cat "$T/json")"
}

# in_groups COMMAND: where all control groups are at $T/groups, for the command alone.
in_groups() {
	# shellcheck disable=SC2016 # for the other shell
	unshare -m sh -c 'mount -t cgroup2 none "$0" && eval "$1"' "$T/groups" "$1" 2> /dev/null
}

test_chosen_group() {
	need_root
	need unshare
	local group=prospect-test-$$.service pid
	mkdir "$T/groups"
	in_groups "mkdir '$T/groups/$group'" || skip "control groups cannot be made"
	in_groups "echo \$\$ > '$T/groups/$group/cgroup.procs'; echo \$\$ > '$T/pid'; exec '$BIN/loop' 60" &
	until_true has_run "$T/pid" 0.01
	pid=$(cat "$T/pid")
	"$BIN/shares" 60 > /dev/null &
	only_loop --cgroup "/$group"
	only_loop --unit "prospect-test-$$"
	only_counts_loop "control group /$group" --cgroup "/$group"
	only_counts_loop "unit prospect-test-$$" --unit "prospect-test-$$"
	expect_status 2 "$PROSPECT" record -o "$T/prof" --unit no-such-unit --duration 1
	expect_line "unit 'no-such-unit.service' \(--unit\)"
	kill "$pid" $!
	until_true ended "$pid"
	in_groups "rmdir '$T/groups/$group'"
}

test_chosen_user() {
	need_root
	need setpriv
	setpriv --reuid 54321 --clear-groups "$BIN/loop" 60 &
	until_true runs $! "$BIN/loop"
	only_loop --user 54321
	only_counts_loop "user 54321" --user 54321
	expect_status 2 "$PROSPECT" count --user 54321 true
	expect_line '--user and a command cannot be used together'
	expect_status 2 "$PROSPECT" watch --user 54321 vfs_read -- true
	expect_line '--user cannot be used with a command'
	expect_status 2 "$PROSPECT" watch --user no-such-user vfs_read
	expect_line "invalid --user 'no-such-user'"
	kill $!
	expect_status 2 "$PROSPECT" record -o "$T/prof" --user no-such-user --duration 1
	expect_line "invalid --user 'no-such-user'"
	expect_status 2 "$PROSPECT" record -o "$T/prof" --container no-such-container --duration 1
	expect_line "no process runs in the container 'no-such-container' \(--container\)"
}

test_chosen_name_is_wrong() {
	expect_status 2 "$PROSPECT" record -f "$T/prof" true
	expect_line '-o FILE names the profile'
	expect_status 2 "$PROSPECT" -p no-such-name --duration 1
	expect_line "no process is named 'no-such-name'"
	"$BIN/loop" 60 &
	until_true runs $! "$BIN/loop"
	expect_status 2 "$PROSPECT" record -p lopo --duration 1
	expect_line "did you mean 'loop'"
	kill $!
	expect_status 2 "$PROSPECT" record -p $$ sleep 1
	expect_line '--duration 1 instead'
	expect_status 2 "$PROSPECT" record -p $$ true
	expect_line '--duration S'
	expect_status 2 "$PROSPECT" record -a -p $$
	expect_line '-p cannot be used with -a'
	expect_status 2 "$PROSPECT" -V1
	expect_line '-p NAME'
}

# Someone who knows perf means perf's subcommand, not a program of that name.
test_verbs_of_perf() {
	local verb
	for verb in stat top script 'trace -p 1' version; do
		# shellcheck disable=SC2086 # words
		XDG_STATE_HOME=$T/state expect_status 2 "$PROSPECT" $verb
		expect_line "subcommand of perf: use 'prospect .*'prospect run -- ${verb%% *}'"
	done
	[ ! -e "$T/state" ] || fail "something was recorded"
	# perf top shows the machine, a command only itself
	expect_status 2 "$PROSPECT" top
	expect_line "use 'prospect record -a --duration 5', then 'prospect report'"
	expect_status 2 "$PROSPECT" help stat
	expect_line "use 'prospect count COMMAND'"
	expect_status 0 "$PROSPECT" run -o "$T/prof" -- stat /
}

# A System.map of another kernel gives wrong names, so it is refused, before anything runs.
test_system_map() {
	need_root
	printf 'ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81001000 T schedule\n' \
		> "$T/wrong.map"
	expect_status 1 "$PROSPECT" record -K "$T/wrong.map" -o "$T/prof" touch "$T/mark"
	expect_line "$T/wrong.map|System.map"
	[ ! -e "$T/mark" ] || fail "the command ran"
	expect_status 1 "$PROSPECT" record -K "$T/none" -o "$T/prof" touch "$T/mark"
	expect_line "$T/none"
	grep -v '\[' /proc/kallsyms > "$T/right.map"
	expect_status 0 "$PROSPECT" record -K "$T/right.map" -o "$T/prof" "$BIN/systime" 0.3
	own_rows "$T/prof" symbol --select 'program=systime mode=kernel image=[kernel]' | cut -f 1 |
		grep -v '^\[' | sed 's/ (end of interrupts-off section.*//' | sort -u > "$T/names"
	[ -s "$T/names" ] || fail "no names of the kernel"
	# Some have a part beside them, of the same name.
	awk '{ print $3 }' "$T/right.map" | sort -u | comm -23 "$T/names" - > "$T/unknown"
	[ ! -s "$T/unknown" ] || fail "the map has no such names:" "$(cat "$T/unknown")"
}

# Options that no one can act on are refused before anything runs.
test_as_user_without_a_user() {
	need_root
	expect_status 2 "$PROSPECT" --as-user true
	expect_line 'as-user needs sudo'
}

test_record_without_a_home() {
	need_root
	need setpriv
	expect_status 1 env -u XDG_STATE_HOME HOME=/nonexistent setpriv --reuid 65534 --regid 65534 \
		--clear-groups "$PROSPECT" record touch "$T/ran"
	expect_line '-o'
	[ ! -e "$T/ran" ] || fail "it ran the command"
}

more_threads_than_one() {
	[ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 2> /dev/null | wc -l)" -gt 1 ]
}

# The id of a thread that is no process is not taken for a process.
test_pid_of_a_thread() {
	local pid tid task
	"$BIN/threads" 60 > "$T/out" &
	pid=$!
	until_true more_threads_than_one $pid
	for task in "/proc/$pid/task"/*; do
		[ "${task##*/}" = $pid ] || tid=${task##*/}
	done
	expect_status 1 "$PROSPECT" record -o "$T/prof" -p "$tid"
	kill $pid
	expect_line "thread of process $pid"
}

# When the processes of -p have ended there is nothing more to wait for.
test_processes_that_end() {
	local loop recorder
	"$BIN/loop" 600 &
	loop=$!
	"$PROSPECT" record -q -o "$T/prof" -M 20 -p $loop &
	recorder=$!
	until_true is_kept "$T/prof"
	kill $loop
	until_true ended $recorder
	wait $recorder || fail "it ended with $?"
	[ -s "$T/prof" ] || fail "no profile"
}

# With the time over the command goes on, and a first Ctrl-C is still the command's.
test_interrupt_after_the_time() {
	local pid status=0
	mkfifo "$T/in"
	env --default-signal=INT "$PROSPECT" record -q -o "$T/prof" --duration 0.3 \
		sh -c 'trap "" INT; : > "$1"; read -r _; exit 5' sh "$T/ignores" < "$T/in" &
	pid=$!
	exec 7> "$T/in"
	until_true is_recorded "$T/prof"
	until_true test -e "$T/ignores"
	kill -INT $pid
	sleep 0.5
	! ended $pid || fail "it did not wait for the command"
	exec 7>&-
	wait $pid || status=$?
	[ $status = 5 ] || fail "status $status instead of the command's 5"
}

# A script that lets perf record a command and writes to the file it is called with how it ended.
perf_script() {
	cat > "$T/perf.sh" <<- END
		perf record -q -o "$T/perf.data" -e cpu-clock -- "$BIN/loop" 0.3 > /dev/null 2>&1
		echo \$? > "\$1"
	END
	chmod 755 "$T/perf.sh"
}

# Not asked for build ids, the kernel says of no other profiler's records that they have some.
test_another_profiler_beside() {
	need perf
	need sqlite3
	need_root
	perf_script
	record "$T/prof" -- "$T/perf.sh" "$T/beside"
	if [ "$(cat "$T/beside")" != 0 ]; then
		"$T/perf.sh" "$T/alone"
		[ "$(cat "$T/alone")" = 0 ] || skip "perf record cannot be used here"
		fail "perf record beside ended with $(cat "$T/beside")"
	fi
	[ "$(sqlite3 "$T/prof" "SELECT length(build_id) FROM image WHERE path = '$BIN/loop'")" = 20 ] ||
		fail "the file's own build id is not told:" "$(sqlite3 "$T/prof" 'SELECT path, hex(build_id) FROM image')"
}
