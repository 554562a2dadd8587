# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Programs that are profiled from inside: they do what they do alone, and their time is where they spend it.

# preload STATUS FILE [OPTION...] [--] COMMAND...: must end with that status. $as, if set, is put before it.
preload() {
	local wanted=$1 file=$2 status=0
	shift 2
	# shellcheck disable=SC2086 # several words, or none
	${as:-} "$PROSPECT" preload -q -o "$file" "$@" > "$T/stdout" 2> "$T/stderr" || status=$?
	[ $status = "$wanted" ] || fail "preload ended with $status: $*" "$(tail -n 5 "$T/stderr")"
	[ -s "$file" ] || fail "preload made no $file: $*" "$(tail -n 5 "$T/stderr")"
	[ ! -s "$T/stderr" ] || fail "it said:" "$(cat "$T/stderr")"
	[ "$(header "$file" malformed)" = 0 ] || fail "malformed records: $*"
	LOST=$(lost_samples "$file")
}

# As an ordinary user, whose folder for profiles is $T/user.
as_user() {
	need setpriv
	[ -d "$T/user" ] || user_folder
	as=as_plain_user
}

# ways WAY FILE [OPTION...]: programs/ways.c, which may execute itself.
ways() {
	local way=$1 file=$2 status=0
	shift 2
	case $way in
	_exit) status=3 ;;
	quick_exit) status=4 ;;
	exit-in-thread) status=5 ;;
	abort) status=134 ;;
	kill) status=137 ;;
	esac
	preload $status "$file" "$@" -- "$BIN/ways" "$way" "${seconds:-0.3}" "$BIN/ways" alone "${seconds:-0.3}"
	grep -qx 'rusage [0-9.]* [0-9.]*' "$T/stdout" && ! grep -qv '^rusage ' "$T/stdout" ||
		fail "$way printed:" "$(cat "$T/stdout")"
}

# preloaded_stacks FILE: "FRAME;...;FRAME SAMPLES", without lines that only an inlined function adds.
preloaded_stacks() {
	"$PROSPECT" export --format collapsed --value samples --command --by none --no-inlines "$1" 2> "$T/.err" ||
		fail "export:" "$(cat "$T/.err")"
}

# spent_in FILE FUNCTION: "SAMPLES WEIGHT" of all stacks that lead through the function.
spent_in() {
	paste -d ' ' <(preloaded_stacks "$1") \
		<("$PROSPECT" export --format collapsed --command --by none --no-inlines "$1" 2> /dev/null) |
		awk -v name="$2" '{ samples = $0; sub(/^.* /, "", samples) }
			index($0, ";" name ";") || index($0, ";" name " ") { n += $2; w += samples } END { printf "%d %.0f\n", n, w }'
}

# expect_samples FILE FUNCTION LEAST
expect_samples() {
	local samples
	read -r samples _ <<< "$(spent_in "$1" "$2")"
	[ "$samples" -ge "$3" ] || fail "hardly a sample of $2:" "$(preloaded_stacks "$1")"
}

# expect_ways FILE ROOT WHAT: all stacks with way_inner in it have ROOT (extended) below, and there are such. MAIN and
# THREAD stand for what the C library puts there. A busy machine has fewer ticks, at which alone samples are taken.
expect_ways() {
	local root=${2//MAIN/_start;__libc_start_main;__libc_start_call_main;main}
	root=${root//THREAD/(__)?clone3?;start_thread}
	preloaded_stacks "$1" | grep ';way_inner[; ]' > "$T/.stacks"
	[ "$(awk '{ n += $NF } END { print n + 0 }' "$T/.stacks")" -ge 5 ] ||
		fail "$3: hardly a sample of it" "$(preloaded_stacks "$1")"
	grep -vE "^($root);way_outer;way_inner(;(__)?clock_gettime(@plt)?)?(;__vdso_clock_gettime)? [0-9]+\$" "$T/.stacks" \
		> "$T/.wrong"
	[ ! -s "$T/.wrong" ] || fail "$3: stacks that are not right:" "$(cat "$T/.wrong")"
}

# try_ways [OPTION...]: those in $list, each with the functions that lead to its work.
try_ways() {
	local way root
	while read -r way root; do
		ways "$way" "$profile" "$@"
		expect_ways "$profile" "$root" "$way"
	done <<< "$list"
}

test_preload_threads() {
	local profile=$T/prof list="pthread THREAD;run_thread
thrd THREAD;run_c11
clone (__)?clone;run_clone
blocked THREAD;run_blocked
orphans THREAD;run_thread"
	try_ways
}

# Where the stack of a coroutine ends is not described by the C library.
test_preload_other_stacks() {
	local profile=$T/prof list="same-stack MAIN;by_handler;raise;(__)?pthread_kill(_implementation)?;__restore_rt;handle
signal-stack \[cut:[a-z ]*\];(__)?pthread_kill(_implementation)?;__restore_rt;handle
fibers (\[cut:[a-z ]*\];)?[^;]*;run_fiber"
	try_ways
}

test_preload_processes() {
	local profile=$T/prof list="fork MAIN;by_fork
raw-fork MAIN;by_raw_fork
raw-fork-thread THREAD;run_blocked
server MAIN;by_server
fork-of-thread THREAD;run_fork(;by_fork)?
daemon MAIN;by_daemon"
	try_ways
}

test_preload_executed_programs() {
	local profile=$T/prof way list=
	for way in vfork vfork-bare spawn spawnp execle execv-bare fexecve raw-fork-exec; do
		list+="$way MAIN;alone"$'\n'
	done
	list+="failed-exec MAIN;by_failed_exec"
	try_ways
	! header_has "$T/prof" not_visible nonexistent || fail "what was not executed is reported"
}

test_preload_ends() {
	local profile=$T/prof list="closefrom MAIN;close_all
close MAIN;close_each
_exit MAIN;end_at_once
abort MAIN;abort_itself
kill MAIN;kill_itself
quick_exit MAIN;exit_quickly
exit-in-thread (MAIN;end_in_thread|THREAD;end_all)"
	try_ways
	preloaded_stacks "$T/prof" | grep -q end_in_thread && preloaded_stacks "$T/prof" | grep -q end_all ||
		fail "one of the threads is missing:" "$(preloaded_stacks "$T/prof")"
}

# header_has FILE NAME TEXT: a list of the JSON header has an entry with the text.
header_has() {
	"$PROSPECT" report "$1" --by mode --format json > "$T/.json" 2> /dev/null ||
		"$PROSPECT" report "$1" --by process --format json > "$T/.json"
	sed -n "s/.*\"$2\": \[\([^]]*\)\].*/\1/p" "$T/.json" | grep -qF -- "$3"
}

test_preload_as_plain_user() {
	local as profile list="pthread THREAD;run_thread
fork MAIN;by_fork
execle MAIN;alone
kill MAIN;kill_itself"
	as_user
	profile=$T/user/prof
	try_ways
	[ "$(stat -c %a "$profile")" = 600 ] || fail "others may read it"
}

test_preload_counts_births_once() {
	preload 0 "$T/prof" -- "$BIN/births" 10
	expect_births "$T/prof" 10
}

# Each of them has its program, and none is there twice.
expect_children() {
	"$PROSPECT" query --format csv "SELECT program, count(*), count(DISTINCT pid) FROM process
		WHERE in_command AND program != 'prospect' GROUP BY program, exec_count ORDER BY program" \
		"$1" > "$T/programs" || fail "query"
	# main, and each child before and after it has executed its program
	printf '%s\n' "children,$2,$2" "children,1,1" "short,$2,$2" | LC_ALL=C sort > "$T/wanted"
	sed 1d "$T/programs" | LC_ALL=C sort | cmp -s - "$T/wanted" ||
		fail "not $2 children:" "$(cat "$T/programs")"
}

test_preload_short_processes() {
	preload 0 "$T/prof" -- "$BIN/children" 60 "$BIN/short" 2
	expect_children "$T/prof" 60
	! header_has "$T/prof" not_visible 'not profiled' || fail "one was missed"
}

test_preload_many_short_processes() {
	preload 0 "$T/prof" -- "$BIN/children" 1500 "$BIN/short" 1
	expect_children "$T/prof" 1500
	! header_has "$T/prof" not_visible 'not profiled' || fail "one was missed"
}

# ---- signals ----

# same_as_alone COMMAND...: it prints the same, on both outputs, and ends the same way.
same_as_alone() {
	local alone=0 status=0
	"$@" > "$T/alone" 2> "$T/alone.err" || alone=$?
	${as:-} "$PROSPECT" preload -q -o "$T/prof" -F 1000 "$@" > "$T/stdout" 2> "$T/stderr" || status=$?
	[ $status = $alone ] || fail "status $status, alone $alone: $*" "$(cat "$T/stderr")"
	cmp -s "$T/alone" "$T/stdout" && cmp -s "$T/alone.err" "$T/stderr" ||
		fail "prints something else: $*" "$(diff "$T/alone" "$T/stdout")" "$(diff "$T/alone.err" "$T/stderr")"
}

test_preload_signals_are_as_alone() {
	local part
	for part in masks actions setters old own once death waiting descriptor used profiler; do
		same_as_alone "$BIN/signals" $part
	done 2> /dev/null
}

# Its samples come all the same: a program that blocks or catches everything is not lost.
test_preload_samples_in_spite_of_signals() {
	local part
	for part in masks actions own waiting descriptor profiler; do
		preload 0 "$T/prof" -F 1000 -- "$BIN/signals" $part
		expect_samples "$T/prof" work 3
	done
}

# The stack for signals is used where its own is at its end.
test_preload_at_the_end_of_a_stack() {
	preload 0 "$T/prof" -F 1000 -- "$BIN/overflows" 1
	grep -qx '0 faults at other places' "$T/stdout" || fail "$(cat "$T/stdout")"
	expect_samples "$T/prof" overflow 10
}

# What waits is not woken; neither is what works between.
test_preload_interrupts_no_call() {
	local how
	for how in waits both; do
		preload 0 "$T/prof" -F 1000 -- "$BIN/interrupted" $how 1
		[ "$(grep -c ' waits, 0 EINTR$' "$T/stdout")" = 10 ] || fail "$how:" "$(cat "$T/stdout")"
		! grep -q ': 0 waits' "$T/stdout" || fail "$how: one did not wait:" "$(cat "$T/stdout")"
	done
}

# A program that restricts its own system calls would not survive ours.
test_preload_restricted_programs() {
	local how
	for how in prctl seccomp strict; do
		"$BIN/restricts" $how 0.1 > "$T/stdout" || skip "filters are not allowed here"
		preload 0 "$T/prof" -F 1000 -- "$BIN/restricts" $how 0.1
		grep -qx done "$T/stdout" || fail "$how: it did not end"
		header_has "$T/prof" not_visible 'restricts (only until it restricted its own system calls' ||
			fail "$how: that is not reported:" "$(cat "$T/.json")"
		expect_samples "$T/prof" before 3
	done
}

# ---- programs without the library ----

expect_not_profiled() {
	header_has "$T/prof" not_visible "$1" || fail "nothing of '$1':" "$(cat "$T/.json")"
}

# Beside others, and as the command.
test_preload_static_programs() {
	preload 0 "$T/prof" -- sh -c "'$BIN/shares-static' 0.1 && '$BIN/short' 100"
	expect_not_profiled "$BIN/shares-static (it is linked statically)"
	grep -q '^share' "$T/stdout" || fail "it did not run"
	expect_samples "$T/prof" short_work 3
	preload 0 "$T/prof" -- "$BIN/shares-static-pie" 0.1
	expect_not_profiled "$BIN/shares-static-pie (it is linked statically)"
	preload 0 "$T/prof" -- env PATH="$BIN" shares-static 0.1
	expect_not_profiled "$BIN/shares-static (it is linked statically)"
	PATH=$BIN:$PATH preload 0 "$T/prof" -- shares-static 0.1
	expect_not_profiled "$BIN/shares-static (it is linked statically)"
}

test_preload_programs_of_other_users() {
	need_root
	local as
	! findmnt -nT "$T" -o OPTIONS | grep -q nosuid || skip "a file system without such programs"
	as_user
	cp "$BIN/short" "$T/gains"
	chmod 4755 "$T/gains"
	as_plain_user "$PROSPECT" preload -q -o "$T/user/prof" sh -c "'$T/gains' 50; '$BIN/short' 100" \
		2> "$T/stderr" || fail "status $?"
	[ ! -s "$T/stderr" ] || fail "it said:" "$(cat "$T/stderr")"
	cp "$T/user/prof" "$T/prof"
	expect_not_profiled "$T/gains (it runs with the rights of another user"
	as_plain_user "$PROSPECT" preload -q -o "$T/user/prof" "$T/gains" 50 || fail "status $?"
	cp -f "$T/user/prof" "$T/prof"
	expect_not_profiled "$T/gains (it runs with the rights of another user"
	# to root it gives nothing
	as=
	preload 0 "$T/prof" -- sh -c "'$T/gains' 100"
	! header_has "$T/prof" not_visible gains || fail "root's is reported"
}

# narrow: a 32-bit program, for the loader of such programs if there is one.
test_preload_32_bit_programs() {
	local flags=(-w -m32 -nostdlib -ffreestanding -fno-stack-protector -fcf-protection=none -O1)
	"${CC:-cc}" "${flags[@]}" -Wl,-dynamic-linker,/lib/ld-linux.so.2 -no-pie -o "$T/narrow" \
		"$HERE/programs/narrow.c" -L/lib32 -l:libc.so.6 2> "$T/cc" ||
		skip "cc cannot make 32-bit programs with a loader"
	"$T/narrow" 2> /dev/null || skip "32-bit programs do not run here"
	preload 0 "$T/prof" -- sh -c "'$T/narrow'; '$BIN/short' 50"
	expect_not_profiled "$T/narrow (it is a program for another machine or of another word size)"
	preload 0 "$T/prof" -- "$T/narrow"
	expect_not_profiled "$T/narrow (it is a program for another machine or of another word size)"
}

# other_root: $T/root has the program short and what it needs, but not the library.
other_root() {
	local file
	mkdir -p "$T/root/bin"
	cp "$BIN/short" "$T/root/bin"
	while read -r file; do
		mkdir -p "$T/root$(dirname "$file")"
		cp "$file" "$T/root$file"
	done < <(ldd "$BIN/short" | sed -n 's|.*[[:space:]]\(/[^ ]*\) .*|\1|p')
	chroot "$T/root" /bin/short 1 || skip "a chroot is not possible here"
}

test_preload_in_another_root() {
	need_root
	other_root
	preload 0 "$T/prof" -- sh -c "chroot '$T/root' /bin/short 50; '$BIN/short' 100"
	expect_not_profiled "/bin/short (the library or its memory is not there"
	expect_samples "$T/prof" short_work 3
}

test_preload_scripts() {
	printf '#!/bin/sh\n"%s/ways" alone 0.3\n' "$BIN" > "$T/script"
	printf '#!%s alone\n' "$BIN/ways" > "$T/0.3"
	chmod 755 "$T/script" "$T/0.3"
	preload 0 "$T/prof" -- "$T/script"
	expect_ways "$T/prof" "MAIN;alone" "a script"
	preload 0 "$T/prof" -- env -i "$T/script"
	expect_ways "$T/prof" "MAIN;alone" "a script without variables"
	# its last word is that file, of which atof reads nothing
	preload 0 "$T/prof" -- sh -c "'$T/0.3'"
	! header_has "$T/prof" not_visible 'not profiled' || fail "its interpreter was missed"
}

# ---- code that comes and goes ----

# A function is in its own library.
expect_libraries() {
	own_rows "$T/prof" image,symbol --select 'program=loader' > "$T/rows"
	awk -F '\t' '$2 ~ /_first$/ && $1 !~ "lib" substr($2, 1, 1) "\\.so$"' "$T/rows" > "$T/wrong"
	[ ! -s "$T/wrong" ] || fail "a function in the wrong library:" "$(cat "$T/wrong")"
	awk -F '\t' '$2 ~ /^\[anon\]|^\[unknown|\+0x/' "$T/rows" > "$T/wrong"
	[ ! -s "$T/wrong" ] || fail "code without a name:" "$(cat "$T/wrong")"
}

# One that is there for 40 ms in all, in ten parts.
test_preload_libraries_that_are_unloaded() {
	preload 0 "$T/prof" -F 1000 -- "$BIN/loader" 0.04 "$BIN/liba.so" a_first
	expect_libraries
	[ "$(sum 4 < <(grep -w a_first "$T/rows"))" -ge 1 ] || fail "no name:" "$(cat "$T/rows")"
	preloaded_stacks "$T/prof" | grep -w a_first | grep -vE ';main;a_first [0-9]+$' > "$T/wrong"
	[ ! -s "$T/wrong" ] || fail "not a whole stack:" "$(cat "$T/wrong")"
}

test_preload_libraries_in_one_place() {
	preload 0 "$T/prof" -F 1000 -- "$BIN/loader" 1 "$BIN/liba.so" a_first "$BIN/libb.so" b_first
	[ "$(awk '$1 == "address" { print $3 }' "$T/stdout" | sort -u | wc -l)" = 1 ] ||
		skip "the libraries were not loaded at one address"
	expect_libraries
	expect_samples "$T/prof" a_first 10
	expect_samples "$T/prof" b_first 10
}

# Libraries by turns, code in memory, and children in the middle of it: each stack says whether it is right.
test_preload_beside_mappings_that_change() {
	preload 0 "$T/prof" -F 1000 -- "$BIN/storm" 1 "$BIN/liba.so" "$BIN/libb.so" code fork
	preloaded_stacks "$T/prof" > "$T/stacks"
	grep -E ';in_a;' "$T/stacks" | grep -vE ';in_a;a_first [0-9]+$' > "$T/wrong"
	grep -E ';in_b;' "$T/stacks" | grep -vE ';in_b;b_first [0-9]+$' >> "$T/wrong"
	grep -E ';leaf ' "$T/stacks" | grep -vE ';main;(down;){31}([^;]*;)+compare;leaf [0-9]+$' >> "$T/wrong"
	[ "$(awk '/;leaf / { n += $NF } END { print n + 0 }' "$T/stacks")" -ge 10 ] || fail "hardly a sample of leaf"
	[ ! -s "$T/wrong" ] || fail "stacks that are not right:" "$(head -n 5 "$T/wrong")"
}

# ---- namespaces, filters, folders ----

test_preload_in_namespaces() {
	need_time_namespaces
	local seconds=0.2
	preload 0 "$T/prof" -- unshare -T --monotonic $SHIFT --boottime 700000 "$BIN/moments"
	check_spans "a time namespace" $SHIFT "$T/stdout"
	unshare -T --monotonic $SHIFT --boottime 700000 "$PROSPECT" preload -q -o "$T/prof" "$BIN/moments" \
		> "$T/stdout" || fail "inside: $?"
	check_spans "inside a time namespace" $SHIFT "$T/stdout"
	unshare -pf true 2> /dev/null || skip "PID namespaces are not allowed here"
	preload 0 "$T/prof" -- sh -c "unshare -pf '$BIN/ways' fork 0.2 && unshare -pf --mount-proc '$BIN/ways' pthread 0.2 &&
		'$BIN/ways' alone 0.2"
	expect_ways "$T/prof" "MAIN;by_fork|THREAD;run_thread|MAIN;alone" "PID namespaces"
	# the same numbers in each, which are not those of other processes
	"$PROSPECT" query --format csv "SELECT DISTINCT pid FROM process WHERE in_command AND program = 'ways'
		AND pid > 4194304 ORDER BY pid" "$T/prof" | sed 1d > "$T/pids"
	[ "$(tr '\n' ' ' < "$T/pids")" = "10000001 10000002 20000001 " ] || fail "the processes are:" "$(cat "$T/pids")"
	! header_has "$T/prof" not_visible 'no timer' || fail "threads of others were looked for"
	unshare -pf --mount-proc "$PROSPECT" preload -q -o "$T/prof" "$BIN/ways" fork 0.2 > "$T/stdout" ||
		fail "inside: $?"
	expect_ways "$T/prof" "MAIN;by_fork" "inside a PID namespace"
}

# What needs neither perf nor BPF may not even try them.
test_preload_where_perf_kills() {
	compile kills kills.c || fail "kills.c"
	"$BIN/kills" true || skip "filters are not allowed here"
	"$BIN/kills" "$PROSPECT" preload -q -o "$T/prof" "$BIN/ways" pthread 0.3 > "$T/stdout" 2> "$T/stderr" ||
		fail "status $?:" "$(cat "$T/stderr")"
	expect_ways "$T/prof" "THREAD;run_thread" "under the filter"
	"$BIN/kills" "$PROSPECT" report "$T/prof" > "$T/report" || fail "no report"
	grep -q way_inner "$T/report" || fail "no names"
}

# Where there is no folder in memory, another one.
test_preload_without_shared_memory() {
	need_root
	need setpriv
	local as
	[ -n "${began_anew:-}" ] || unshare -m mount -t tmpfs -o mode=755 none /dev/shm 2> /dev/null ||
		skip "mount namespaces are not allowed here"
	[ -n "${began_anew:-}" ] || begin_anew 'mount -t tmpfs -o mode=755 none /dev/shm'
	as_user
	mkdir "$T/folder"
	chown 65534:65534 "$T/folder"
	# shellcheck disable=SC2016 # for the command
	TMPDIR=$T/folder preload 0 "$T/user/prof" -- sh -c 'echo $PROSPECT_PRELOAD; exec "$0" alone 0.3' "$BIN/ways"
	grep -q "^$T/folder/prospect-preload-" "$T/stdout" || fail "its memory is $(cat "$T/stdout")"
	expect_ways "$T/user/prof" "MAIN;alone" "in another folder"
	[ -z "$(ls -A "$T/folder")" ] || fail "left behind: $(ls "$T/folder")"
}

# ---- what the user sees ----

test_preload_statuses() {
	local status
	expect_status 127 "$PROSPECT" preload -o "$T/prof" "$T/nothing"
	expect_line 'nothing'
	expect_status 127 "$PROSPECT" preload -o "$T/prof" no-such-command
	expect_line 'no-such-command'
	echo text > "$T/text"
	expect_status 126 "$PROSPECT" preload -o "$T/prof" "$T/text"
	expect_line 'permission denied'
	[ ! -e "$T/prof" ] || fail "a profile of nothing"
	for status in 0 1 42 255; do
		preload $status "$T/prof" -- sh -c "echo out; exit $status"
		[ "$(cat "$T/stdout")" = out ] || fail "prints $(cat "$T/stdout")"
	done
	for status in 1 2 11 15; do
		# shellcheck disable=SC2016 # for the command
		preload $((128 + status)) "$T/prof" -- sh -c 'kill -"$0" $$' $status
	done
	# shellcheck disable=SC2016 # for the command
	preload 0 "$T/prof" -- sh -c 'echo "$PROSPECT_PRELOAD"; [ -e "$PROSPECT_PRELOAD" ]'
	[ -s "$T/stdout" ] && [ ! -e "$(cat "$T/stdout")" ] || fail "left behind: $(cat "$T/stdout")"
}

# Ctrl-C goes to all of the foreground: the command decides what it means.
test_preload_ctrl_c() {
	local pid status=0
	env --default-signal=INT setsid "$PROSPECT" preload -q -o "$T/prof" \
		sh -c "trap 'echo caught; exit 9' INT; '$BIN/ways' alone 0.3; echo \$\$ > '$T/pid'; while :; do sleep 0.1; done" \
		> "$T/stdout" 2> "$T/stderr" &
	pid=$!
	until_true test -s "$T/pid"
	kill -INT -- -$pid
	wait $pid || status=$?
	[ $status = 9 ] && grep -qx caught "$T/stdout" || fail "status $status:" "$(cat "$T/stdout" "$T/stderr")"
	expect_ways "$T/prof" "MAIN;alone" "what there was"
}

# The command goes on if its profiler is killed.
test_preload_killed_itself() {
	local pid command
	"$PROSPECT" preload -q -o "$T/prof" sh -c "echo \$PROSPECT_PRELOAD > '$T/memory'; echo \$\$ > '$T/pid'; until [ -e '$T/go' ]; do sleep 0.05; done
		'$BIN/ways' fork 0.2 > '$T/ways' && '$BIN/ways' spawn 0.2 '$BIN/ways' alone 0.2 && : > '$T/done'" &
	pid=$!
	until_true test -s "$T/pid"
	command=$(cat "$T/pid")
	kill -KILL $pid
	wait $pid 2> /dev/null
	: > "$T/go"
	until_true ended "$command"
	[ -e "$T/done" ] || fail "the command did not go on"
	rm -f "$(cat "$T/memory")"
}

test_preload_beside_another_library() {
	echo '#include <unistd.h>
		__attribute__((constructor)) static void say(void) { (void)!write(1, "other\n", 6); }' > "$T/other.c"
	"${CC:-cc}" -shared -fPIC -o "$T/other.so" "$T/other.c" || fail cc
	LD_PRELOAD=$T/other.so "$PROSPECT" preload -q -o "$T/prof" "$BIN/ways" execle 0.3 "$BIN/ways" alone 0.3 \
		> "$T/stdout" || fail "status $?"
	expect_ways "$T/prof" "MAIN;alone" "beside another library"
	# the environment of execle is empty; before, it is there for prospect, its children and the command
	preload 0 "$T/prof" -- env LD_PRELOAD="$T/other.so" "$BIN/ways" alone 0.3
	grep -qx other "$T/stdout" || fail "the other library is not loaded"
	expect_ways "$T/prof" "MAIN;alone" "another library in its place"
	# shellcheck disable=SC2016 # for the command
	LD_PRELOAD=$T/other.so "$PROSPECT" preload -q -o "$T/prof" sh -c 'echo "is $LD_PRELOAD"' > "$T/stdout"
	grep -q "^is [^:]*/libprospect-preload.so:$T/other.so\$" "$T/stdout" || fail "$(cat "$T/stdout")"
}

test_preload_without_standard_input() {
	"$PROSPECT" preload -q -o "$T/prof" sh -c 'ls -l /proc/self/fd 2>&1; exec "$0" alone 0.3' "$BIN/ways" \
		<&- > "$T/stdout" 2> "$T/stderr" || fail "status $?:" "$(cat "$T/stderr")"
	sh -c 'ls -l /proc/self/fd 2>&1' <&- > "$T/alone"
	expect_ways "$T/prof" "MAIN;alone" "without standard input"
	# the same descriptors: nothing of ours is open in the command
	[ "$(grep -c ' -> ' "$T/stdout")" = "$(grep -c ' -> ' "$T/alone")" ] ||
		fail "descriptors:" "$(cat "$T/stdout")" "alone:" "$(cat "$T/alone")"
}

# ---- what it measures ----

# check_own_time WHAT SECONDS WEIGHT_NS THREADS TOLERANCE [PERIOD]: the samples of a thread stand for all of its time,
# but for what it used before the first one and after the last, each between nothing and a period (of 10.3 ms), less
# than two ticks more. What it used before is known on average.
check_own_time() {
	# shellcheck disable=SC2046 # several words
	measured "$1" $(awk -v truth="$2" -v weight="$3" -v threads="$4" -v tolerance="$5" -v period="${6:-0.0103}" 'BEGIN {
		printf "%.9g %.9g %.9g %.9g %.9g %.9g 0", truth, weight / 1e9, truth * (1 - tolerance),
			truth * (1 + tolerance), threads * (period + 0.004) ^ 2 / 3, 2 * (period + 0.004)
	}')
}

# All ways to make a thread or a process: they worked as long by their own clocks.
test_preload_times() {
	local seconds=1 way sum=0 weight
	for way in pthread clone orphans fork raw-fork server execle fexecve fibers kill; do
		ways $way "$T/prof"
		read -r _ weight <<< "$(spent_in "$T/prof" way_outer)"
		check_own_time "$way" $seconds "$weight" 4 0.2
		sum=$((sum + weight))
	done
	check_own_time "all of them" 10 "$sum" 40 0.03
}

# total FILE: the weight of all samples of the command.
total() {
	own_rows "$1" mode | sum 4
}

# All of a program is what the kernel says of it, but for the moment before the library is there. At a higher rate than
# that of the ticks, each tick has a sample.
test_preload_time_of_a_process() {
	local rate
	for rate in 97 1000; do
		preload 0 "$T/prof" -F $rate -- "$BIN/ways" pthread 2
		check_own_time "-F $rate" "$(rusage "$T/stdout")" "$(total "$T/prof")" 3 0.05
	done
}

test_preload_shares() {
	preload 0 "$T/prof" -F 1000 -- "$BIN/shares" 4
	own_rows "$T/prof" symbol --select 'program=shares' > "$T/rows"
	check_shares "shares" "$T/stdout" "$T/rows"
}

test_preload_time_as_plain_user() {
	local as
	as_user
	preload 0 "$T/user/prof" -- "$BIN/ways" fork 2
	check_own_time "plain user" "$(rusage "$T/stdout")" "$(total "$T/user/prof")" 2 0.05
}

# Threads of a few ticks have the samples that are theirs, none too few.
test_preload_short_threads() {
	local rate
	for rate in 97 1000; do
		preload 0 "$T/prof" -F $rate -- "$BIN/brief" 100 30
		check_own_time "-F $rate" "$(rusage "$T/stdout")" "$(total "$T/prof")" 101 0.08
	done
}

# In user mode only: a part of the time of systime is the kernel's.
test_preload_clock_user() {
	preload 0 "$T/prof" --clock user -- "$BIN/systime" 2
	"$PROSPECT" report "$T/prof" --by mode --format csv > "$T/csv"
	csv_to_tabs < "$T/csv" > "$T/rows"
	grep -q '	user-time	' "$T/rows" || fail "not that clock:" "$(cat "$T/rows")"
	check_own_time "user" "$(awk '$1 == "rusage" { print $2 }' "$T/stdout")" "$(sum 4 < "$T/rows")" 20 0.1
}

test_preload_shares_of_libraries() {
	preload 0 "$T/prof" -F 1000 -- "$BIN/loader" 4 "$BIN/liba.so" a_first "$BIN/libb.so" b_first
	expect_libraries
	own_rows "$T/prof" symbol --select 'program=loader' > "$T/rows"
	check_shares loader "$T/stdout" "$T/rows"
}
