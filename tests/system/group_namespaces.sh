# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Processes whose clock, files or numbers are not ours.

# The offset of the time namespaces here, in seconds.
SHIFT=500000

need_time_namespaces() {
	need_root
	need unshare
	unshare -T --monotonic $SHIFT --boottime 700000 true 2> /dev/null ||
		skip "time namespaces are not allowed here"
}

# samples_of NAME: "FIRST,LAST,COUNT" of the command's samples of a function in the profile $T/prof.
samples_of() {
	"$PROSPECT" query --format csv "SELECT min(time_ns), max(time_ns), count(*) FROM sample_row
		WHERE event = 0 AND stack_has(stack, '$1') AND task IN (SELECT task.id FROM task
			JOIN process ON process.id = task.process WHERE in_command)" "$T/prof" \
		2> "$T/.csv.err" | tail -n 1
}

# check_spans WHAT SHIFT FILE: each sample of a function in the profile $T/prof is of the time that the
# "span" lines in FILE give for it, by a clock that is SHIFT seconds ahead.
check_spans() {
	local name start end first last count
	while read -r _ name start end; do
		[ "$name" != sleep ] || continue
		IFS=, read -r first last count <<< "$(samples_of "$name")"
		[ "$count" -gt 0 ] || fail "$1: no samples of $name"
		[ "$first" -ge $((start - $2 * 1000000000)) ] &&
			[ "$last" -le $((end - $2 * 1000000000)) ] ||
			fail "$1: $name has samples from $first to $last, it ran from $start to $end"
	done < <(grep '^span' "$3")
}

# The kernel stamps samples with a clock that time namespaces do not shift.
test_times_in_a_time_namespace() {
	need_time_namespaces
	local shift inside
	for shift in $SHIFT -1; do
		inside="unshare -T --monotonic $shift --boottime 700000"
		# shellcheck disable=SC2086 # several words
		$inside "$PROSPECT" record -o "$T/prof" -- "$BIN/moments" \
			> "$T/stdout" 2> "$T/stderr" || fail "record inside:" "$(cat "$T/stderr")"
		check_spans "inside $shift" $shift "$T/stdout"
		# shellcheck disable=SC2086
		record "$T/prof" -- $inside "$BIN/moments"
		check_spans "outside $shift" $shift "$T/stdout"
	done
}

# /proc shows when a process began by a clock that the reader's namespace shifts.
test_starts_in_a_time_namespace() {
	need_time_namespaces
	local shift before after start
	for shift in $SHIFT -1; do
		# shellcheck disable=SC2016
		unshare -T --monotonic $shift --boottime 700000 sh -c '
			"$0/moments" now && { "$0/loop" 30 & } && "$0/moments" now
			"$0/prospect" record -o "$1" --duration 0.1 -p $! 2> "$1.err"
			status=$?
			kill $!
			exit $status' "$BIN" "$T/prof" > "$T/now" ||
			fail "record:" "$(cat "$T/prof.err")"
		{ read -r before && read -r after; } < "$T/now"
		start=$("$PROSPECT" query --format csv "SELECT start_ns FROM process
			WHERE in_command AND program = 'loop' ORDER BY exec_count LIMIT 1" "$T/prof" |
			tail -n 1)
		start=$((start + shift * 1000000000))
		# /proc has whole ticks of 10 ms
		[ "$start" -ge $((before - 10000000)) ] && [ "$start" -le "$after" ] ||
			fail "a process began at $start, not between $before and $after"
	done
}

# has_samples_of NAME: the profile that is being recorded has one.
has_samples_of() {
	samples_of "$1" | grep -q ',[1-9][0-9]*$'
}

# record_jitdump OURS ITS: the program jit until a sample of each function has its name. The words
# come before our command and before its own.
record_jitdump() {
	local recorder name
	rm -f "$T/prof"
	# shellcheck disable=SC2016,SC2086 # several words
	$1 "$PROSPECT" record -o "$T/prof" -M 20 -- $2 sh -c 'cd "$1" && exec "$0" dump 0 wait' \
		"$BIN/jit" "$T" > "$T/stdout" 2> "$T/stderr" &
	recorder=$!
	trap 'kill $(jobs -p) 2> /dev/null' EXIT
	for name in first second third; do
		until_true has_samples_of $name
		: > "$T/$name"
	done
	wait $recorder || fail "record ended with $?:" "$(cat "$T/stderr")"
	rm "$T/first" "$T/second" "$T/third"
}

# A jitdump has times by the clock of its writer. Its functions are at one address, so that only the time
# tells them apart.
test_jitdump_in_a_time_namespace() {
	need_time_namespaces
	record_jitdump "unshare -T --monotonic $SHIFT" ""
	check_spans "inside" $SHIFT "$T/stdout"
	record_jitdump "" "unshare -T --monotonic $SHIFT"
	check_spans "outside" $SHIFT "$T/stdout"
}

# main_has_ended PID: of its threads, the first one is gone.
main_has_ended() {
	grep -q '^State:	Z' "/proc/$1/status" 2> /dev/null
}

# expect_ended WHAT FUNCTION: most of the user samples of process $pid in $T/prof are of that function.
expect_ended() {
	rows "$T/prof" symbol --select "pid=$pid mode=user" > "$T/rows"
	awk -F '\t' -v name="$2" '{ all += $3 } $1 == name { n += $3 } END { exit !(n > 0 && 2 * n >= all) }' \
		"$T/rows" || fail "$1: hardly any $2:" "$(cat "$T/rows")"
}

# Once the main thread has ended, /proc/PID has neither mappings nor files, but those of the other threads
# have. The map that announces code has addresses of 20 digits.
test_main_thread_has_ended() {
	local pid name how
	cd "$T" || fail cd
	trap 'kill $(jobs -p) 2> /dev/null' EXIT
	for how in plain map; do
		name=ended_inner
		[ $how = plain ] || name=announced_code
		rm -f enough
		"$BIN/ended" $how &
		pid=$!
		until_true main_has_ended $pid
		record "$T/prof" --duration 0.5 -p $pid
		expect_ended "$how, -p" $name
		[ "$(rows "$T/prof" exe --select "pid=$pid" | cut -f 1)" = "$BIN/ended" ] ||
			fail "exe: $(rows "$T/prof" exe --select "pid=$pid")"
		record "$T/prof" --duration 0.5 -a
		expect_ended "$how, -a" $name
		: > enough
		wait $pid || fail "the program failed"
	done
	rm enough "$T/prof"
	"$PROSPECT" record -o "$T/prof" -M 20 -- "$BIN/ended" map > "$T/stdout" 2> "$T/stderr" &
	pid=$!
	until_true has_samples_of announced_code
	: > enough
	wait $pid || fail "record ended with $?:" "$(cat "$T/stderr")"
}

# make_stripped FOLDER HOW: FOLDER/prog, stripped, of programs/loop.c. Its debug file is at the place below
# FOLDER that HOW says: by its build id, or by its link.
make_stripped() {
	local id
	mkdir -p "$1/usr/lib/debug/.build-id" "$1/.debug"
	${CC:-cc} -O1 -g -static -Wl,--build-id -o "$T/whole" "$HERE/programs/loop.c" ||
		fail "loop.c does not compile"
	id=$(readelf -n "$T/whole" | sed -n 's/.*Build ID: //p')
	objcopy --only-keep-debug "$T/whole" "$T/prog.debug"
	if [ "$2" = build-id ]; then
		strip -o "$1/prog" "$T/whole"
		mkdir -p "$1/usr/lib/debug/.build-id/${id:0:2}"
		mv "$T/prog.debug" "$1/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	else
		(cd "$T" && strip -o "$1/prog" --remove-section=.note.gnu.build-id whole &&
			objcopy --remove-section=.note.gnu.build-id prog.debug &&
			objcopy --add-gnu-debuglink=prog.debug "$1/prog") || fail "no link"
		mv "$T/prog.debug" "$1/.debug/prog.debug"
	fi
}

# has_main_of PROGRAM: the profile that is being recorded has samples of a function main in it.
has_main_of() {
	"$PROSPECT" report "$T/prof" --by symbol --select "program=$1 symbol=main" --format csv 2> /dev/null |
		grep -q '^main,'
}

# record_until_named WHAT COMMAND...: a program "prog" runs until its main has a name.
record_until_named() {
	local what=$1 recorder end=$((SECONDS + 60))
	shift
	rm -f "$T/prof"
	"$PROSPECT" record -o "$T/prof" -M 20 -- "$@" > "$T/stdout" 2> "$T/stderr" &
	recorder=$!
	trap 'kill $(jobs -p) 2> /dev/null' EXIT
	until has_main_of prog; do
		[ $SECONDS -lt $end ] && ! ended $recorder ||
			fail "$what:" "$(cat "$T/stderr")" "$("$PROSPECT" report "$T/prof" 2>&1 | head -n 30)"
		sleep 0.2
	done
	pkill -P $recorder -x prog # its own child: the recording ends with it
	wait $recorder || [ $? = 143 ] || fail "$what: record:" "$(cat "$T/stderr")"
}

# What lies only in the root of the process names its functions.
test_debug_file_in_another_root() {
	need_root
	need chroot
	need objcopy
	local how
	for how in build-id link; do
		make_stripped "$T/$how" $how
		record_until_named "chroot, $how" chroot "$T/$how" /prog 60
		unshare -m true 2> /dev/null || continue
		# shellcheck disable=SC2016
		record_until_named "private mount, $how" unshare -m sh -c '
			mount -t tmpfs none /mnt && cp -r "$0"/. /mnt && mkdir /mnt/old &&
			pivot_root /mnt /mnt/old && exec /prog 60' "$T/$how"
	done
}

# A path longer than PATH_MAX can only be reached step by step. The kernel reports neither name nor inode
# for it, so that only the build id proves the file.
test_program_in_a_deep_folder() {
	local part i
	part=$(printf 'd%.0s' {1..200})
	cd "$T" || fail cd
	for i in {1..22}; do
		mkdir "$part" && cd -P "$part" || fail "cannot make folder $i"
	done 2> /dev/null
	compile deep moments.c -Wl,--build-id && cp "$BIN/deep" prog || fail "cannot make the program"
	record "$T/prof" -- ./prog
	record "$T/by-id" --build-ids -- ./prog
	cd "$T" || fail cd
	grep -q '^span' "$T/stdout" || fail "the program did not run:" "$(cat "$T/stdout")"
	[ "$(rows "$T/prof" process --select 'program=prog mode=user' | sum 3)" -gt 0 ] ||
		fail "no samples of it"
	[ "$(rows "$T/by-id" symbol --select 'program=prog symbol=work' | sum 3)" -gt 0 ] ||
		fail "no names with --build-ids:" "$(rows "$T/by-id" symbol --select 'program=prog mode=user')"
}
