# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Files on a file system that does not answer: nothing that looks at a machine may wait for them.

# serve FILE...: a file system at $T/far that has copies of the files. $server is its process; when
# that ends, and be it with the test, nothing waits for it any more. $PROSPECT becomes a name of its own.
serve() {
	need_root
	[ -w /dev/fuse ] || skip "needs /dev/fuse"
	ln "$BIN/prospect" "$T/prospect" && PROSPECT=$T/prospect
	${CC:-cc} -O1 -o "$T/hung_fs" "$HERE/programs/hung_fs.c" || fail "could not build hung_fs"
	mkdir "$T/far"
	"$T/hung_fs" "$T/far" "$@" > "$T/said" 2> "$T/fuse" &
	server=$!
	trap 'kill -KILL $(jobs -p); wait; umount -l "$T/far"' EXIT
	until_true has_spoken $server "$T/said"
	grep -qx serves "$T/said" || skip "no FUSE file system can be mounted: $(cat "$T/fuse")"
}

hang() {
	kill -USR1 $server
	until_true grep -qx hangs "$T/said"
}

# A program whose function is "burn" for ever, half of the time at most: others test beside it. $T/$1.
make_burner() {
	cat > "$T/burner.c" <<- 'END'
		#include <unistd.h>
		__attribute__((noipa)) unsigned long burn(unsigned long n)
		{ unsigned long s = 0; while (n--) s += n * n ^ s >> 3; return s; }
		int main(void) { unsigned long s = 0; for (;;) { usleep(2000); s += burn(1000000); } return s == 1; }
	END
	${CC:-cc} -g -O1 -Wl,--build-id -Wl,-z,now -o "$T/$1" "$T/burner.c" || fail "could not build $1"
}

# A far program and a near one that run: $far and $near.
run_both() {
	make_burner distant
	make_burner nearby
	serve "$T/distant"
	"$T/far/distant" &
	far=$!
	"$T/nearby" &
	near=$!
	until_true runs $far "$T/far/distant"
	until_true runs $near "$T/nearby"
}

# The same, and the far one's file system hangs from now on.
run_both_and_hang() {
	run_both
	hang
}

# What is known is there, what is not known is counted and named, and nothing of ours remains.
far_is_named() {
	[ "$(rows "$T/prof" symbol --select "image=$T/nearby" --select symbol=burn | sum 3)" -ge 10 ] ||
		fail "the near program has no names:" "$(rows "$T/prof" image,symbol | head)"
	[ "$(rows "$T/prof" image --select "image=$T/far/distant" | sum 3)" -ge 10 ] ||
		fail "the far program is not there:" "$(rows "$T/prof" image | head)"
	[ "$(rows "$T/prof" symbol --select "image=$T/far/distant" | cut -f 1)" = "[no symbols: late]" ] ||
		fail "the far program has names:" "$(rows "$T/prof" symbol --select "image=$T/far/distant")"
	[ "$(header "$T/prof" not_read)" -ge 1 ] || fail "nothing is counted"
	"$PROSPECT" report -V2 "$T/prof" > "$T/report" || fail "no report"
	tr -s '\n ' ' ' < "$T/report" |
		grep -o 'Not read .*: the file system did not answer in time' |
		grep -Fq "$T/far/distant" || # maybe beside another test's
		fail "it is not named:" "$(grep -A 9 Lost "$T/report")"
	until_true nothing_remains
}

# has_image NAME: there is something of that program.
has_image() {
	"$PROSPECT" report --by image --select "image=$T/$1" --format csv "$T/prof" 2> /dev/null |
		awk -F , 'NR > 1 && $3 >= 20 { found = 1 } END { exit !found }'
}

# No process has this test's program any more.
nothing_remains() {
	local process
	for process in /proc/[0-9]*; do
		[ "$(readlink "$process/exe" 2> /dev/null)" != "$PROSPECT" ] || return 1
	done
}

test_far_files_are_read_while_they_answer() {
	local server recorder
	make_burner distant
	serve "$T/distant"
	"$T/far/distant" &
	until_true runs $! "$T/far/distant"
	env --default-signal=INT "$PROSPECT" record -H 1000 -a -M 20 -o "$T/prof" 2> "$T/stderr" &
	recorder=$!
	until_true has_image far/distant
	kill -INT $recorder
	wait $recorder || fail "it ended with $?" "$(cat "$T/stderr")"
	[ "$(rows "$T/prof" symbol --select "image=$T/far/distant" --select symbol=burn | sum 3)" -ge 10 ] ||
		fail "no names:" "$(rows "$T/prof" image,symbol | head)"
	# Of the whole machine, others may be late when it is busy.
	"$PROSPECT" report "$T/prof" --by mode --format json | tr -d '\n' |
		sed -n 's/.*"not_read": \[\([^]]*\)\].*/\1/p' > "$T/late"
	! grep -F "$T" "$T/late" || fail "it was not read"
	until_true nothing_remains
}

test_hung_files_do_not_hold_up_a_recording() {
	local server far near
	run_both_and_hang
	record "$T/prof" -H 1000 -a --duration 1
	far_is_named
	rm "$T/prof"
	record "$T/prof" -H 1000 -p $far,$near --duration 1
	far_is_named
}

test_signals_end_a_recording_of_hung_files() {
	local server far near signal status
	run_both_and_hang
	for signal in INT:0 TERM:0; do
		rm -f "$T/prof"
		env --default-signal=INT "$PROSPECT" record -H 1000 -a -M 20 -o "$T/prof" 2> "$T/stderr" &
		until_true has_image nearby
		kill -"${signal%:*}" $!
		status=0
		wait $! || status=$?
		[ $status = "${signal#*:}" ] || fail "$signal: exit status $status" "$(cat "$T/stderr")"
		far_is_named
	done
}

# A command that cannot be looked at is not run; one that another program runs is not waited for.
test_commands_on_a_hung_file_system() {
	local server status=0
	make_burner distant
	serve "$T/distant"
	hang
	expect_status 126 "$PROSPECT" record -o "$T/prof" "$T/far/distant"
	expect_line "cannot run '$T/far/distant': its file system does not answer"
	[ ! -e "$T/prof" ] || fail "there is a profile of nothing"
	ln -s far/distant "$T/link"
	expect_status 126 "$PROSPECT" record -o "$T/prof" "$T/link"
	"$PROSPECT" record -M 20 -o "$T/prof" sh -c '"$1" 1; exec "$2"' - "$BIN/loop" "$T/far/distant" \
		2> "$T/stderr" &
	until_true is_kept "$T/prof"
	kill -TERM $!
	wait $! || status=$?
	[ $status = 143 ] || fail "exit status $status instead of 143" "$(cat "$T/stderr")"
	[ "$(rows "$T/prof" program --select program=loop | sum 3)" -ge 10 ] || fail "hardly a sample"
	until_true nothing_remains
}

# It answered when the recording began, so there are names; what is asked of it later is not waited for.
test_a_file_system_that_stops_answering() {
	local server far near recorder
	run_both
	env --default-signal=INT "$PROSPECT" record -H 1000 -a -M 20 -o "$T/prof" 2> "$T/stderr" &
	recorder=$!
	until_true has_image nearby
	hang
	# the same file again, in a process of its own, and a name of nothing
	cp "$T/nearby" "$T/third"
	"$T/third" &
	"$T/far/distant" &
	"$T/far/nothing" &
	until_true has_image third
	kill -INT $recorder
	wait $recorder || fail "it ended with $?" "$(cat "$T/stderr")"
	[ "$(rows "$T/prof" symbol --select "image=$T/far/distant" --select symbol=burn | sum 3)" -ge 10 ] ||
		fail "what was read is not there:" "$(rows "$T/prof" image,symbol | head)"
	until_true nothing_remains
}

# What looks at a profile, or at a file, comes to an end as well and says what it could not read.
test_views_do_not_wait_for_hung_files() {
	local server
	need zstd
	make_burner distant
	cp "$T/burner.c" "$T/far.c"
	sed -i "1s,^,#line 1 \"$T/far/far.c\"\n," "$T/burner.c"
	${CC:-cc} -g -O1 -Wl,--build-id -o "$T/distant" "$T/burner.c" || fail "could not build it"
	serve "$T/distant" "$T/far.c"
	"$T/far/distant" &
	until_true runs $! "$T/far/distant"
	record "$T/prof" -H 1000 --duration 0.5 -p $!
	"$PROSPECT" annotate --source burn "$T/prof" > "$T/shown" || fail "not annotated"
	grep -q 'while (n--)' "$T/shown" || fail "the source of a far file is not shown:" "$(cat "$T/shown")"
	hang
	"$PROSPECT" annotate burn "$T/prof" > "$T/shown" 2> "$T/stderr" || fail "annotate failed:" "$(cat "$T/stderr")"
	"$PROSPECT" report --by line "$T/prof" > "$T/shown" 2> "$T/stderr" || fail "report failed:" "$(cat "$T/stderr")"
	"$PROSPECT" annotate --source burn "$T/prof" > "$T/shown" 2> "$T/stderr" || fail "annotate failed:" "$(cat "$T/stderr")"
	grep -q 'not answer' "$T/shown" || fail "it does not say why:" "$(cat "$T/shown")"
	"$PROSPECT" archive -o "$T/x.tar.zst" "$T/prof" > "$T/shown" 2> "$T/stderr" || fail "archive failed:" "$(cat "$T/stderr")"
	grep -q "^$T/far/distant: .*not answer" "$T/shown" || fail "not listed:" "$(cat "$T/shown")"
	expect_status 1 "$PROSPECT" symbolize -e "$T/far/distant" 0x1000
	expect_line "$T/far/distant: its file system does not answer"
	until_true nothing_remains
}

# ends STATUS COMMAND...: it ends by itself, with that status, although nothing answers. What it says
# is in $T/stdout and $T/stderr.
ends() {
	local wanted=$1 status=0
	shift
	env --default-signal=INT "$@" > "$T/stdout" 2> "$T/stderr" &
	until_true is_no_more $!
	wait $! || status=$?
	[ $status = "$wanted" ] ||
		fail "exit status $status instead of $wanted: $*" "$(tail -n 5 "$T/stderr")"
}

# is_no_more PID: it has ended; its parent may not know yet.
is_no_more() {
	local state
	state=$(sed 's/.*) //' "/proc/$1/stat" 2> /dev/null) || return 0
	[ "${state%% *}" = Z ]
}

has_tick() {
	grep -qs "$1" "$T/stdout"
}

# A program whose function "burn" is in $T/far/libdistant.so: $T/caller.
make_caller() {
	sed '/int main/d' "$T/burner.c" > "$T/library.c"
	echo 'unsigned long burn(unsigned long n); int main(void) { for (;;) burn(1000000); }' > "$T/main.c"
	${CC:-cc} -g -O1 -shared -fPIC -o "$T/libdistant.so" "$T/library.c" || fail "could not build the library"
	${CC:-cc} -g -O1 -o "$T/caller" "$T/main.c" -L"$T" -ldistant -Wl,-rpath,"$T/far" ||
		fail "could not build its caller"
}

# Counting the machine by its programs.
need_counts_of_the_machine() {
	need_root
	"$PROSPECT" count -e task-clock -a --by program --duration 0.01 --format csv > "$T/can" 2>&1 ||
		! grep -q 'BPF\|PID namespace' "$T/can" || skip "needs BPF"
}

test_counting_does_not_wait_for_hung_files() {
	local server far near rows signal
	need_counts_of_the_machine
	run_both_and_hang
	ends 126 "$PROSPECT" count -e task-clock "$T/far/distant"
	expect_line "cannot run '$T/far/distant': its file system does not answer"
	for rows in program process thread; do
		ends 0 "$PROSPECT" count -e task-clock -a --by $rows --duration 0.5 --format csv
		grep -q "$T/far/distant" "$T/stdout" || fail "the far program is not counted:" "$(cat "$T/stdout")"
		grep -q "$T/nearby" "$T/stdout" || fail "the near program is not counted:" "$(cat "$T/stdout")"
		ends 0 "$PROSPECT" count -e task-clock -p $far,$near --by $rows --duration 0.5 --format csv
		grep -q "$T/far/distant" "$T/stdout" || fail "the far program is not counted:" "$(cat "$T/stdout")"
	done
	for signal in INT TERM; do
		rm "$T/stdout" # what is there is of the run before
		"$PROSPECT" count -e task-clock -a --by process -I 100 > "$T/stdout" 2> "$T/stderr" &
		until_true has_tick nearby
		kill -$signal $!
		until_true is_no_more $!
	done
	until_true nothing_remains
}

test_watching_does_not_wait_for_hung_files() {
	local server far near watcher
	need_counts_of_calls
	run_both_and_hang
	ends 126 "$PROSPECT" watch "$T/nearby:burn" -- "$T/far/distant"
	expect_line "cannot run '$T/far/distant': its file system does not answer"
	ends 1 "$PROSPECT" watch "$T/far/distant:burn"
	expect_line "distant: its file system does not answer"
	ends 1 "$PROSPECT" watch -p $far burn
	expect_line "distant: its file system does not answer"
	ends 1 "$PROSPECT" watch -p $far --list 'burn*'
	expect_line "distant: its file system does not answer"
	ends 1 "$PROSPECT" watch -p $far --disassemble burn
	expect_line "distant: its file system does not answer"
	ends 0 "$PROSPECT" watch --budget 0 -i 0 --duration 0.5 --format csv "$T/nearby:burn"
	grep -q burn "$T/stdout" || fail "the near program is not watched:" "$(cat "$T/stdout")"
	until_true nothing_remains
}

test_watching_does_not_wait_for_hung_libraries() {
	local server caller
	need_counts_of_calls
	make_burner unused
	make_caller
	serve "$T/libdistant.so"
	"$T/caller" &
	caller=$!
	until_true has_mapped $caller "$T/far/libdistant.so"
	ends 0 "$PROSPECT" watch --budget 0 -i 0 --duration 0.5 --format csv -p $caller libdistant.so:burn
	grep -q burn "$T/stdout" || fail "the far library is not watched:" "$(cat "$T/stdout")"
	hang
	ends 1 "$PROSPECT" watch -p $caller libdistant.so:burn
	expect_line "libdistant.so: its file system does not answer"
	ends 1 "$PROSPECT" watch "$T/far/libdistant.so:burn"
	expect_line "libdistant.so: its file system does not answer"
	# what the library has is looked for, as it may be where calls end
	ends 0 "$PROSPECT" watch --budget 0 -i 0 --duration 0.5 -p $caller main
	ends 0 "$PROSPECT" watch --budget 0 -i 0 --duration 0.5 "$T/caller:main"
	until_true nothing_remains
}

# has_mapped PID FILE
has_mapped() {
	grep -q " $2\$" "/proc/$1/maps" 2> /dev/null
}

test_folders_that_do_not_answer() {
	local server option
	serve "$BIN/loop"
	record "$T/prof" --duration 0.1 -a
	hang
	for option in --symfs --debug-dir; do
		ends 2 "$PROSPECT" report $option "$T/far/x" --by line "$T/prof"
		expect_line "$option '$T/far/x': its file system does not answer"
	done
	until_true nothing_remains
}

# A program that computes, and whose memory can be locked for everybody: $locked. More arguments are
# the program's.
run_lockable() {
	${CC:-cc} -g -O1 -Wl,--build-id -o "$T/locked" "$HERE/programs/locked_memory.c" -lpthread ||
		fail "could not build locked"
	echo data > "$T/data"
	serve "$T/data"
	"$T/locked" "$T/far/data" "$@" > "$T/ready" &
	locked=$!
	until_true grep -q ready "$T/ready"
}

lock_memory() {
	run_lockable
	lock_it
}

lock_it() {
	hang
	kill -USR1 $locked
	until_true is_locked_or_free $locked
	! grep -q free "$T/ready" || skip "this kernel does not wait for a file with memory locked"
}

# is_locked_or_free PID: a reader of its arguments waits for what no signal but SIGKILL ends, however often
# one looks, or it says that it is free.
is_locked_or_free() {
	local reader looks
	! grep -q free "$T/ready" || return 0
	cat "/proc/$1/cmdline" > "$T/arguments" 2> /dev/null &
	reader=$!
	for looks in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.05
		! is_no_more $reader && [[ "$(sed 's/.*) //' "/proc/$reader/stat" 2> /dev/null)" = D* ]] || break
	done
	kill -KILL $reader 2> /dev/null
	wait $reader
	[ $? = 137 ] && [ $looks = 10 ]
}

# Files that were not read in time are counted together with processes, but only they are listed.
late_processes() {
	local files
	files=$("$PROSPECT" report "$1" --by mode --format json | tr -d '\n' |
		sed -n 's/.*"not_read": \[\([^]]*\)\].*/\1/p' | grep -o '"[^"]*"' | wc -l)
	calc "$(header "$1" not_read) - $files"
}

test_locked_memory_does_not_hold_up_a_recording() {
	local server locked options late
	lock_memory
	for options in -a "-p $locked"; do
		rm -f "$T/prof"
		# shellcheck disable=SC2086 # a number and what it is for
		ends 0 "$PROSPECT" record -H 1000 -o "$T/prof" $options --duration 1
		[ "$(rows "$T/prof" process --select "pid=$locked" | sum 3)" -ge 10 ] ||
			fail "the program is not there:" "$(rows "$T/prof" process | head)"
		late=$(late_processes "$T/prof")
		# Of the whole machine, others may be late when it is busy.
		holds "$late == 1 || ($late > 1 && \"$options\" == \"-a\")" ||
			fail "$late processes are counted as not read, with $options"
	done
	until_true nothing_remains
}

# has_more_than NUMBER: samples of the program have been written.
has_more_than() {
	"$PROSPECT" report --by process --select "pid=$locked" --format csv "$T/prof" 2> /dev/null |
		awk -F , -v least="$1" 'NR > 1 && $3 > least { found = 1 } END { exit !found }'
}

# The lock is taken while code that the program makes is read for its stacks: without BPF these come
# as copies.
test_memory_locked_later_does_not_hold_up_a_recording() {
	local server locked recorder before status=0
	need setpriv
	run_lockable made
	setpriv --bounding-set -bpf,-sys_admin --inh-caps -bpf,-sys_admin "$PROSPECT" record -H 1000 \
		-p $locked -o "$T/prof" 2> "$T/stderr" &
	recorder=$!
	until_true has_more_than 10
	lock_it
	before=$(rows "$T/prof" process --select "pid=$locked" | sum 3)
	until_true has_more_than "$before"
	kill -INT $recorder
	wait $recorder || status=$?
	[ $status = 0 ] || fail "ended with $status:" "$(cat "$T/stderr")"
	[ "$(header "$T/prof" not_read)" = 1 ] || fail "counted as not read: $(header "$T/prof" not_read)"
	until_true nothing_remains
}

test_locked_memory_does_not_hold_up_counting() {
	local server locked rows
	need_counts_of_the_machine
	lock_memory
	for rows in program process thread; do
		ends 0 "$PROSPECT" count -e task-clock -a --by $rows --duration 0.5 --format csv
		grep -q "$T/locked" "$T/stdout" || fail "the program is not counted:" "$(cat "$T/stdout")"
		ends 0 "$PROSPECT" count -e task-clock -p $locked --by $rows --duration 0.5 --format csv
		grep -q "$T/locked" "$T/stdout" || fail "the program is not counted:" "$(cat "$T/stdout")"
	done
	until_true nothing_remains
}

# A probe in a file that such a process has mapped would stop the machine.
test_locked_memory_does_not_hold_up_watching() {
	local server locked
	need_counts_of_calls
	make_burner nearby
	lock_memory
	"$T/nearby" &
	ends 0 "$PROSPECT" watch --budget 0 -i 0 --duration 0.5 --format csv "$T/nearby:burn"
	grep -q burn "$T/stdout" || fail "the near program is not watched:" "$(cat "$T/stdout")"
	ends 1 "$PROSPECT" watch -i 0 --duration 0.5 "$T/locked:burn"
	expect_line "process $locked \(locked\) holds its memory lock while.* end that process first"
	ends 1 "$PROSPECT" watch -i 0 --duration 0.5 -p $locked burn
	expect_line "process $locked \(locked\) holds its memory lock while.* end that process first"
	ends 1 "$PROSPECT" watch -i 0 --duration 0.5 libc.so.6:malloc
	expect_line "process $locked \(locked\) holds its memory lock while.* end that process first"
	ends 1 "$PROSPECT" watch -p $locked --disassemble burn
	expect_line "cannot read the memory of process $locked"
	ends 1 "$PROSPECT" watch -p $locked libc:malloc
	expect_line "cannot read the mappings of process $locked"
	until_true nothing_remains
}

# What a program announces of the code it makes lies where nothing may answer: it is counted.
test_announcements_on_hung_files_are_counted() {
	need_root
	need unshare
	make_burner distant
	cp "$BIN/jit" "$T/jit"
	serve "$T/distant"
	hang
	record "$T/prof" -H 1000 -- unshare -m sh -c \
		'cd "$1" && mount --bind far /tmp && exec ./jit dump 0.5' sh "$T"
	[ "$(rows "$T/prof" image --select program=jit | awk -F '\t' '$1 ~ /anon|jit/' | sum 3)" -ge 10 ] ||
		fail "no code was made:" "$(rows "$T/prof" image --select program=jit)"
	[ "$(header "$T/prof" not_read)" -ge 1 ] || fail "nothing is counted"
}
