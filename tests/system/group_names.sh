# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Does every sample get the right process, thread, file and function?

# expect_functions FILE PROGRAM PREFIX: at least 90 % of PROGRAM's user samples are in functions of
# PREFIX (the rest is the program's start and the clock), and nothing of it is without a name.
expect_functions() {
	local all own
	own_rows "$1" symbol --select "program=$2 mode=user" > "$T/.functions"
	all=$(sum 3 < "$T/.functions")
	own=$(grep "^$3" "$T/.functions" | sum 3)
	[ "$all" -ge 30 ] || fail "only $all user samples of $2"
	holds "$own >= 0.9 * $all" || fail "of $all samples of $2 only $own in $3*:" \
		"$(head -n 8 "$T/.functions")"
	! grep '^\[' "$T/.functions" || fail "samples of $2 without a name"
}

# shares_of BINARY: a build of shares.c against its own clock.
shares_of() {
	record "$T/prof" "${MEASURING[@]}" -- "$BIN/$1" 1.2
	own_rows "$T/prof" symbol --select "program=$1 mode=user" > "$T/rows"
	check_shares "$1" "$T/stdout" "$T/rows"
	expect_functions "$T/prof" "$1" burn_
}

test_shares_pie() { shares_of shares; }
test_shares_nopie() { shares_of shares-nopie; }
test_shares_static() { shares_of shares-static; }
test_shares_static_pie() { shares_of shares-static-pie; }

# lost_records FILE: what full rings took, samples and all else; each may have been the only one of its
# process.
lost_records() {
	calc "$(lost_samples "$1") + $(header "$1" tracking)"
}

test_short_children() {
	need_root
	local seen
	cp "$BIN/short" "$T/shortly" # a name that nobody else runs meanwhile
	record "$T/prof" "${MEASURING[@]}" -- "$BIN/children" 300 "$T/shortly" 5
	own_rows "$T/prof" process --select program=shortly > "$T/rows"
	seen=$(awk -F '\t' '$1 ~ /^shortly#[0-9]+$/' "$T/rows" | wc -l)
	[ "$seen" -le 300 ] && [ "$seen" -ge $((300 - $(lost_records "$T/prof"))) ] ||
		fail "$seen of 300 children have a row of their own" "$(head -n 3 "$T/rows")"
	own_rows "$T/prof" mode --select 'program=shortly,children' > "$T/rows"
	check_time "300 children" "$(rusage "$T/stdout")" "$(sum 4 < "$T/rows")" \
		"$(sum 3 < "$T/rows")" 0.06
}

# Programs that live for a millisecond: all that they run in user mode has its right name.
test_two_thousand_true() {
	need_root
	local n samples
	cp /bin/true "$T/atrue"
	cp /bin/bash "$T/ashell"
	# shellcheck disable=SC2016
	record "$T/prof" -H 4000 -- "$T/ashell" -c '"$0" & echo $!; wait
		for i in $(seq 2000); do "$0"; done' "$T/atrue"
	knows_every_process "$T/prof"
	rows "$T/prof" program,image,symbol --select mode=user > "$T/rows"
	n=$(awk -F '\t' '$1 == "atrue"' "$T/rows" | sum 5)
	[ "$n" -ge 300 ] || fail "only $n user samples of true"
	# Debian's true has no symbol at all, so its own few instructions have no name to get.
	awk -F '\t' '$1 == "atrue" || $1 == "ashell" {
		stripped = $2 ~ /\/atrue$/ ? "[unknown]" : ""
		image = $2
		sub(".*/", "", image)
		if (image !~ /^(atrue|ashell|libc[.-].*|ld-.*|libtinfo.*|libc-.*|\[vdso\])$/ ||
		    ($3 ~ /^\[/ && $3 !~ /^\[\.[a-z.]+\]$/ && $3 != stripped)) { print "# " $0; bad = 1 }
	} END { exit bad }' "$T/rows" || fail "these are not of true, its shell, libc or ld.so"
	# What the rest of the machine did before is not our business: a process that was there before
	# us and ended before /proc was read.
	rows "$T/prof" program,pid,image --select mode=user |
		awk -F '\t' -v first="$(cat "$T/stdout")" '$1 ~ /^\[(unknown|exec)/ && $2 >= first' \
			> "$T/unowned"
	[ ! -s "$T/unowned" ] || fail "of no process:" "$(cat "$T/unowned")"
	# one is seen when a sample hit it: as many as balls fall into boxes, or more, for each lasts
	# about as long; but for those whose samples were lost
	own_rows "$T/prof" process --select program=atrue > "$T/processes"
	n=$(wc -l < "$T/processes")
	samples=$(sum 3 < "$T/processes")
	holds "$n >= 0.9 * 2000 * (1 - exp(-$samples / 2000)) - $(lost_records "$T/prof") &&
		$n <= 2001" ||
		fail "$n processes of true were seen in $samples samples"
}

test_thread_names() {
	record "$T/prof" "${MEASURING[@]}" -- "$BIN/threads" 1.2
	own_rows "$T/prof" thread --select program=threads > "$T/rows"
	check_shares threads "$T/stdout" "$T/rows"
	[ "$(own_rows "$T/prof" process --select program=threads | wc -l)" = 1 ] ||
		fail "threads are no processes"
}

test_fork_without_exec() {
	record "$T/prof" -- "$BIN/forker" 3 200
	rows "$T/prof" program,process,thread > "$T/rows"
	awk -F '\t' '$1 == "forker" && $3 ~ /^worker-[012]$/ && $5 > 50 { print $2, $3 }' "$T/rows" |
		sort -u > "$T/workers"
	[ "$(wc -l < "$T/workers")" = 3 ] ||
		fail "not three workers of forker:" "$(grep -E 'forker|worker' "$T/rows")"
	[ "$(cut -d ' ' -f 1 "$T/workers" | sort -u | wc -l)" = 3 ] || fail "not three processes"
	! awk -F '\t' '$1 ~ /^worker/' "$T/rows" | grep . || fail "prctl changed the program's name"
}

# knows_every_process FILE: records of births are there, too.
knows_every_process() {
	[ "$(header "$1" tracking)" = 0 ] ||
		skip "the machine is too busy: records of the kernel found a ring full"
}

# expect_births FILE COUNT [PROGRAM]: as many programs as births makes by construction: itself, a fork, two that
# exec, the chain; instances are numbered without a gap.
expect_births() {
	local wanted=$((6 * $2 + 3)) program=${3:-births} numbers
	knows_every_process "$1"
	"$PROSPECT" query --format csv \
		"SELECT DISTINCT process, pid FROM processes WHERE program = '$program'" "$1" > "$T/births" ||
		fail "query"
	numbers=$(sed -n "s/^$program#\([0-9]*\),.*/\1/p" "$T/births" | sort -n | tr '\n' ' ')
	[ "$numbers" = "$(seq $wanted | tr '\n' ' ')" ] ||
		fail "not $wanted programs, each with a number: $numbers"
	[ "$(sed 1d "$T/births" | cut -d , -f 2 | sort -u | wc -l)" = $((3 * $2 + 2)) ] ||
		fail "not $((3 * $2 + 2)) processes:" "$(cat "$T/births")"
}

test_births_are_counted_once() {
	local cpu
	cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
	record "$T/prof" -- "$BIN/births" 10
	expect_births "$T/prof" 10
	record "$T/prof" -- taskset -c "$cpu" "$BIN/births" 10
	expect_births "$T/prof" 10
	record "$T/prof" --stacks fp -- "$BIN/births" 10
	expect_births "$T/prof" 10
	[ "$(id -u)" != 0 ] || {
		record "$T/prof" --off-cpu -- "$BIN/births" 10
		expect_births "$T/prof" 10
	}
}

# has_begun FILE: the recorder has written to it.
has_begun() {
	[ "$("$PROSPECT" query --format csv "SELECT value >= 1 FROM header WHERE name = 'flushes'" \
		"$1" 2> /dev/null | tail -n 1)" = 1 ]
}

test_births_of_a_chosen_process() {
	local births recorder
	mkfifo "$T/gate"
	cp "$BIN/births" "$T/chosen"
	"$T/chosen" 10 wait < "$T/gate" &
	births=$!
	exec 3> "$T/gate"
	"$PROSPECT" record -q -o "$T/prof" -M 20 -p $births 2> "$T/stderr" &
	recorder=$!
	until_true has_begun "$T/prof"
	echo >&3
	wait $births || fail "births"
	wait $recorder || fail "record -p:" "$(cat "$T/stderr")"
	exec 3>&-
	expect_births "$T/prof" 10 chosen
}

test_dlopen_at_one_address() {
	record "$T/prof" "${MEASURING[@]}" -- "$BIN/loader" 1 "$BIN/liba.so" a_first "$BIN/libb.so" b_first
	[ "$(awk '$1 == "address" { print $3 }' "$T/stdout" | sort -u | wc -l)" = 1 ] ||
		skip "the libraries were not loaded at one address"
	own_rows "$T/prof" symbol --select 'program=loader mode=user' > "$T/rows"
	check_shares loader "$T/stdout" "$T/rows"
	expect_functions "$T/prof" loader '[ab]_first'
	own_rows "$T/prof" image,symbol --select 'program=loader mode=user' |
		awk -F '\t' '$2 ~ /_first$/ && $1 !~ "lib" substr($2, 1, 1) ".so$"' > "$T/wrong"
	[ ! -s "$T/wrong" ] || fail "a function in the wrong library:" "$(cat "$T/wrong")"
}

# has_open PID FILE: a recorder keeps the files of what it samples open, until it has their names.
has_open() {
	[ -n "$(find "/proc/$1/fd" -lname "$2" 2> /dev/null)" ]
}

test_deleted_while_running() {
	local recorder status=0
	cp "$BIN/shares" "$T/gone"
	"$PROSPECT" record -o "$T/prof" -- "$HERE/programs/announced.sh" "$T/pid" "$T/gone" 600 2> "$T/stderr" &
	recorder=$!
	trap 'kill $(jobs -p) $(cat "$T/pid") 2> /dev/null' EXIT
	until_true has_run "$T/pid" 0.2
	until_true has_open $recorder "$T/gone"
	rm "$T/gone"
	until_true has_run "$T/pid" "$(calc "$(used "$(cat "$T/pid")") + 0.5")"
	kill "$(cat "$T/pid")"
	wait $recorder || status=$?
	[ $status = 143 ] || fail "record ended with $status:" "$(cat "$T/stderr")"
	expect_functions "$T/prof" gone burn_
}

test_deleted_at_once() {
	need_root
	# shellcheck disable=SC2016
	record "$T/prof" -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do
		cp "$0" "$1/brief" && "$1/brief" 0.04 && rm "$1/brief"; done' "$BIN/shares" "$T"
	expect_functions "$T/prof" brief burn_
}

# kinds_of FILE PROGRAM: which of the two programs' functions each process has, to $T/kinds; what
# has no name is "[".
kinds_of() {
	own_rows "$1" process,symbol --select "program=$2 mode=user image=*$2" > "$T/rows"
	awk -F '\t' '$2 ~ /^(burn|other)_/ { kind[$1 " " substr($2, 1, index($2, "_") - 1)] }
		$2 ~ /^\[no/ { kind[$1 " ["] } END { for (k in kind) print k }' "$T/rows" |
		sort > "$T/kinds"
}

test_replaced_by_rename() {
	local recorder
	cp "$BIN/shares" "$T/swap"
	cp "$BIN/other" "$T/swap.new"
	# shellcheck disable=SC2016
	"$PROSPECT" record -o "$T/prof" -- sh -c '"$0" 600 & echo $! > "$1.new"; mv "$1.new" "$1"
		until [ -e "$2" ]; do sleep 0.05; done; "$0" 0.3; kill $!; wait' "$T/swap" "$T/pid" "$T/go" \
		> "$T/stdout" 2> "$T/stderr" &
	recorder=$!
	trap 'kill $(jobs -p) $(cat "$T/pid") 2> /dev/null' EXIT
	until_true has_run "$T/pid" 0.2
	until_true has_open $recorder "$T/swap"
	mv "$T/swap.new" "$T/swap"
	: > "$T/go"
	wait $recorder || fail "record ended with $?:" "$(cat "$T/stderr")"
	kinds_of "$T/prof" swap
	printf 'swap#%s\n' '1 burn' '2 other' | cmp -s - "$T/kinds" ||
		fail "expected burn in the first, other in the second:" "$(cat "$T/rows")"
}

# The bytes that ran first are gone when the file is rewritten in place: the first process may lose
# its names, but neither gets the other's.
test_rewritten_in_place() {
	cp "$BIN/shares" "$T/again"
	# shellcheck disable=SC2016
	record "$T/prof" -M 20 -- sh -c '"$0" 0.5; cat "$1" > "$0"; "$0" 0.3' "$T/again" \
		"$BIN/other"
	kinds_of "$T/prof" again
	grep -v '^again#1 \[$' "$T/kinds" | grep -v '^again#1 burn$' > "$T/second"
	echo 'again#2 other' | cmp -s - "$T/second" || fail "wrong names:" "$(cat "$T/rows")"
	grep -q '^again#1' "$T/kinds" || fail "the first process is missing:" "$(cat "$T/rows")"
}

# Another file is mounted over the program's path, for the program alone: its names are the mounted
# file's, or none; never those of the file that we see under the path.
test_private_mount() {
	need_root
	need unshare
	unshare -m true 2> /dev/null || skip "mount namespaces are not allowed here"
	cp "$BIN/shares" "$T/covered"
	# shellcheck disable=SC2016
	record "$T/prof" -- unshare -m sh -c 'mount --bind "$1" "$0" && exec "$0" 0.6' \
		"$T/covered" "$BIN/other"
	own_rows "$T/prof" symbol --select 'mode=user program=covered,other' > "$T/rows"
	[ "$(sum 3 < "$T/rows")" -ge 100 ] || fail "the program was not sampled"
	! grep '^burn_' "$T/rows" || fail "names of the wrong file"
	grep -q '^other_\|^\[' "$T/rows" || fail "neither the right names nor an honest bucket:" \
		"$(head -n 5 "$T/rows")"
	expect_functions "$T/prof" covered other_
}

test_target_in_pid_namespace() {
	need_root
	need unshare
	unshare -pf --mount-proc true 2> /dev/null || skip "PID namespaces are not allowed here"
	record "$T/prof" "${MEASURING[@]}" -- unshare -pf --mount-proc "$BIN/shares" 0.8
	own_rows "$T/prof" symbol --select 'program=shares mode=user' > "$T/rows"
	check_shares "in a PID namespace" "$T/stdout" "$T/rows"
}

# From inside, processes of other namespaces have no pid: they are shown as such.
test_recorder_in_pid_namespace() {
	need_root
	need unshare
	unshare -pf --mount-proc true 2> /dev/null || skip "PID namespaces are not allowed here"
	local outside
	"$BIN/loop" 30 &
	outside=$!
	unshare -pf --mount-proc "$PROSPECT" record -o "$T/prof" -- "$BIN/shares" 1 \
		> "$T/stdout" 2> "$T/stderr" || { kill $outside; fail "record:" "$(cat "$T/stderr")"; }
	kill $outside
	expect_functions "$T/prof" shares burn_
	rows "$T/prof" program > "$T/rows"
	[ "$(awk -F '\t' '$1 == "[other namespace]"' "$T/rows" | sum 3)" -ge 100 ] ||
		fail "no samples of [other namespace]:" "$(head -n 5 "$T/rows")"
}

# Without a symbol table, a function that is not exported lies between two that are.
test_stripped_library() {
	record "$T/prof" -- "$BIN/loader" 0.6 "$BIN/libstripped.so" '*library_hidden'
	expect_functions "$T/prof" loader 'a_first->a_last'
}

# counting_script FILE TURNS: a shell script that counts, to its argument if it has one.
counting_script() {
	cat > "$1" <<-EOT
		#!/bin/sh
		i=0
		while [ \$i -lt \${1:-$2} ]; do i=\$((i + 1)); done
	EOT
	chmod +x "$1"
}

test_script_is_its_own_program() {
	counting_script "$T/counting-script" 300000
	record "$T/prof" -- "$T/counting-script"
	rows "$T/prof" program --select 'program=counting-script*' > "$T/rows"
	[ "$(sum 3 < "$T/rows")" -ge 30 ] || fail "the script is no program:" \
		"$(rows "$T/prof" program | head -n 5)"
}

# A script that is there before us is found in /proc, one that starts later in the records: one name.
test_script_before_and_after() {
	need_root
	local before
	counting_script "$T/a-counting-script" 600000
	"$T/a-counting-script" 1000000000 &
	before=$!
	record "$T/prof" -- "$T/a-counting-script"
	kill $before
	rows "$T/prof" program --select 'program=a-counting*' > "$T/rows"
	[ "$(wc -l < "$T/rows")" = 1 ] || fail "one script has several names:" "$(cat "$T/rows")"
	[ "$(rows "$T/prof" process --select 'program=a-counting*' | wc -l)" = 2 ] ||
		fail "not two processes of it"
}

# A pid that is used again and again, by turns by two programs.
test_pid_used_again() {
	need_root
	need unshare
	unshare -pf --mount-proc sh -c 'echo 700 > /proc/sys/kernel/ns_last_pid' 2> /dev/null ||
		skip "the next pid cannot be chosen here"
	cat > "$T/again.sh" <<-'EOT'
		for i in 1 2 3 4; do
			echo 700 > /proc/sys/kernel/ns_last_pid
			"$1" 0.1
			echo 700 > /proc/sys/kernel/ns_last_pid
			"$2" 0.1
		done
	EOT
	unshare -pf --mount-proc "$PROSPECT" record -o "$T/prof" -H 2000 -- sh "$T/again.sh" \
		"$BIN/shares" "$BIN/other" > "$T/stdout" 2> "$T/stderr" ||
		fail "record:" "$(cat "$T/stderr")"
	own_rows "$T/prof" pid,process,symbol --select 'program=shares,other mode=user' > "$T/rows"
	[ "$(cut -f 1 "$T/rows" | sort -u)" = 701 ] || fail "more pids than one:" "$(cat "$T/rows")"
	[ "$(cut -f 2 "$T/rows" | sort -u | wc -l)" = 8 ] || fail "not eight processes:" \
		"$(cut -f 2 "$T/rows" | sort -u)"
	expect_functions "$T/prof" shares burn_
	expect_functions "$T/prof" other other_
}

# One process that becomes another program: each has its own time.
test_exec_of_another_program() {
	# shellcheck disable=SC2016
	record "$T/prof" -- bash -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; exec "$0" 0.4' \
		"$BIN/shares"
	own_rows "$T/prof" program,pid --select 'program=bash,shares' > "$T/rows"
	awk -F '\t' '$4 > 30 { n[$2]++ } END {
		for (pid in n) if (n[pid] == 2) good = 1
		exit !good }' "$T/rows" || fail "not two programs of one pid:" "$(cat "$T/rows")"
	expect_functions "$T/prof" shares burn_
	! own_rows "$T/prof" symbol --select program=bash | grep '^burn_' || fail "bash has the wrong names"
}

# expect_program NAME PROFILE LEAST: the program of that name executes given-name, in so many samples.
expect_program() {
	rows "$2" program,exe --select exe=given-name > "$T/rows"
	! awk -F '\t' -v name="$1" -v exe="$T/given-name" '$1 != name || $2 != exe' "$T/rows" | grep . ||
		fail "the program is not called $1"
	[ "$(sum 4 < "$T/rows")" -ge "$3" ] || fail "too few samples of $1:" "$(cat "$T/rows")"
}

# A program has the name that was executed; the kernel cuts long ones.
test_program_behind_a_link() {
	local name
	cp "$BIN/shares" "$T/given-name"
	for name in nickname a-nickname-of-many-letters; do
		ln -s given-name "$T/$name"
		record "$T/prof" -- "$T/$name" 0.4
		expect_program $name "$T/prof" 100
	done
	"$PROSPECT" query "SELECT DISTINCT program FROM processes WHERE exe = '$T/given-name'" "$T/prof" \
		--format csv > "$T/csv" || fail "query"
	grep -qx a-nickname-of-many-letters "$T/csv" || fail "the view lacks it:" "$(cat "$T/csv")"
}

# expect_running NAME ARGV0 PATH: records a program that already runs.
expect_running() {
	bash -c 'exec -a "$0" "$1" 60' "$2" "$3" & # until it is stopped
	echo $! > "$T/pid"
	until_true has_run "$T/pid" 0.05
	record "$T/prof" -p "$(cat "$T/pid")" --duration 0.5
	kill "$(cat "$T/pid")"
	wait
	expect_program "$1" "$T/prof" 1
}

# What a process says of itself counts if it is a link to what it executes.
test_running_program_behind_a_link() {
	cp "$BIN/shares" "$T/given-name"
	ln -s given-name "$T/nickname"
	ln -s /bin/true "$T/true"
	expect_running nickname "$T/nickname" "$T/nickname"
	expect_running nickname sshd "$T/nickname"
	expect_running given-name sshd "$T/given-name"
	expect_running given-name "$T/true" "$T/given-name"
}

# Anyone who makes a file chooses its name: they command no terminal and break no table.
test_hostile_names() {
	local name
	name=$(printf 'we,ird "\033[31m\nname')
	cp "$BIN/shares" "$T/$name"
	record "$T/prof" -- "$T/$name" 0.4
	"$PROSPECT" report "$T/prof" -V4 > "$T/text" || fail "report failed"
	! grep -q "$(printf '\033')" "$T/text" || fail "the text has control characters"
	grep -q 'we,ird' "$T/text" || fail "the program is missing"
	"$PROSPECT" report "$T/prof" --by program,symbol --select 'program=we,ird*' --format csv \
		> "$T/csv" 2> /dev/null ||
		"$PROSPECT" report "$T/prof" --by program,symbol --format csv > "$T/csv"
	grep -q '^"we,ird ""' "$T/csv" || fail "not quoted as RFC 4180 says:" "$(cat "$T/csv")"
}

# has_run_or_ended PID SECONDS of processor time
has_run_or_ended() {
	echo "$1" > "$T/.pid"
	has_run "$T/.pid" "$2" || ended "$1"
}

# The records of an exec are lost while the recorder is stopped; what runs afterwards is read from
# /proc, and is not taken for the program that was there before.
test_exec_that_was_lost() {
	need_root
	local pid command status=0
	# The rings are full long before the exec: busy are the command's own children.
	# shellcheck disable=SC2016
	"$PROSPECT" record -o "$T/prof" -H 4000 --ring 16 -- sh -c \
		'for cpu in $(seq $(nproc)); do "$0" 3 & echo $!; done > "$2.new"
		mv "$2.new" "$2"; echo $$ > "$3.new"; mv "$3.new" "$3"
		until [ -e "$4" ]; do sleep 0.1; done; exec "$1" 600' \
		"$BIN/btree" "$BIN/loop" "$T/busy" "$T/pid" "$T/go" 2> "$T/stderr" &
	pid=$!
	until_true [ -e "$T/pid" ]
	command=$(cat "$T/pid")
	kill -STOP $pid
	every_one_has_run() {
		local one
		for one in $(cat "$T/busy"); do
			has_run_or_ended "$one" 1 || return 1
		done
	}
	until_true every_one_has_run
	: > "$T/go"
	until_true runs "$command" "$BIN/loop"
	until_true has_run "$T/pid" 0.3
	kill -CONT $pid
	until_true has_run "$T/pid" 1.5
	# shellcheck disable=SC2046 # numbers
	kill "$command" $(cat "$T/busy") 2> "$T/kill"
	wait $pid || status=$?
	[ $status = 143 ] || fail "record ended with $status:" "$(cat "$T/stderr")"
	[ "$(header "$T/prof" tracking)" -gt 0 ] || skip "no record of the kernel was lost"
	rows "$T/prof" program,image --select 'image=*/loop' > "$T/rows"
	[ "$(sum 4 < "$T/rows")" -ge 300 ] || fail "the program was not sampled"
	! awk -F '\t' '$1 != "loop" && $1 !~ /^\[/' "$T/rows" | grep . || fail "a wrong name"
}

# without_names DEBUG-FILE [FLAG...]: $T/prof is a recording of $T/program, a stripped copy of shares.c built
# with the flags as $T/whole; its debug information is in DEBUG-FILE.
without_names() {
	local debug=$1
	shift
	need objcopy
	${CC:-cc} -std=gnu11 -O2 -g -D_GNU_SOURCE -Wl,--build-id=sha1 -o "$T/whole" "$HERE/programs/shares.c" "$@" ||
		fail "shares.c does not compile"
	mkdir -p "$(dirname "$debug")"
	objcopy --only-keep-debug "$T/whole" "$debug"
	strip --strip-all -o "$T/program" "$T/whole"
	record "$T/prof" "${MEASURING[@]}" -- "$T/program" 0.6
	own_rows "$T/prof" symbol --select 'program=program' > "$T/rows"
	! grep '^burn_' "$T/rows" || fail "the stripped program has names"
}

# tables FILE: what names leave alone.
tables() {
	local table
	for table in stack total second event loss process task 'block'; do
		"$PROSPECT" query --format csv "SELECT * FROM $table" "$1" || fail "query $table" >&2
	done
	"$PROSPECT" query --format csv 'SELECT id, image, offset, kind FROM frame' "$1" || fail "query" >&2
}

# The functions are those that nm finds, their shares those that the program measured.
test_names_added_later() {
	local id inode
	without_names "$T/debug/first" # where nothing looks for it
	id=$(readelf -n "$T/whole" | sed -n 's/.*Build ID: //p')
	mkdir -p "$T/debug/.build-id/${id:0:2}"
	mv "$T/debug/first" "$T/debug/.build-id/${id:0:2}/${id:2}.debug"
	cp "$T/stdout" "$T/truth"
	chmod 640 "$T/prof"
	cp -p "$T/prof" "$T/old"
	tables "$T/prof" > "$T/before"
	"$PROSPECT" report "$T/prof" --debug-dir "$T/debug" --by symbol --format csv --select program=program \
		> "$T/seen.csv" || fail "report"
	cmp "$T/prof" "$T/old" || fail "the report changed the profile"
	expect_status 0 "$PROSPECT" names --debug-dir "$T/debug" "$T/prof" > "$T/stdout"
	grep -q "^$T/program: .* frames named from $T/debug/.build-id" "$T/stdout" ||
		fail "it does not say which file it named:" "$(cat "$T/stdout")"
	own_rows "$T/prof" symbol --select 'program=program mode=user' > "$T/rows"
	check_shares program "$T/truth" "$T/rows"
	expect_functions "$T/prof" program burn_
	"$PROSPECT" report "$T/prof" --by symbol --format csv --select program=program | cmp - "$T/seen.csv" ||
		fail "a report that adds names shows others than the profile"
	tables "$T/prof" | cmp - "$T/before" || fail "more than names changed"
	[ "$(stat -c '%a %u' "$T/prof")" = "$(stat -c '%a %u' "$T/old")" ] || fail "the owner or mode changed"
	[ "$("$PROSPECT" query --format csv "SELECT value FROM header WHERE name = 'file_inode'" "$T/prof" |
		tail -n 1)" = "$(stat -c %i "$T/prof")" ] || fail "it is not the file of its recording any more"
	"$PROSPECT" query --format csv "SELECT DISTINCT printf('%016x', s.start), s.name FROM frame f
		JOIN symbol s ON s.id = f.symbol JOIN image i ON i.id = f.image
		WHERE i.path = '$T/program'" "$T/prof" | sed 1d | tr -d '"' | tr , ' ' | grep -v '@plt$' | sort > "$T/named"
	nm "$T/whole" | awk '{ print $1, $3 }' | sort > "$T/nm"
	[ "$(wc -l < "$T/named")" -ge 3 ] || fail "only these have names:" "$(cat "$T/named")"
	[ -z "$(comm -23 "$T/named" "$T/nm")" ] ||
		fail "nm has no such functions:" "$(comm -23 "$T/named" "$T/nm")"
	"$PROSPECT" report "$T/prof" -V2 | grep -q '^Names added *20.*frames of' || fail "the head does not tell"
	# nothing new
	inode=$(stat -c '%i %Y' "$T/prof")
	expect_status 0 "$PROSPECT" names --debug-dir "$T/debug" "$T/prof" > "$T/stdout"
	grep -q '^nothing new: .* was not changed$' "$T/stdout" || fail "it does not say so:" "$(cat "$T/stdout")"
	[ "$(stat -c '%i %Y' "$T/prof")" = "$inode" ] || fail "it wrote with nothing to write"
	expect_status 0 "$PROSPECT" names --debug-dir "$T/debug" -o "$T/new" "$T/old" > "$T/stdout"
	tables "$T/new" | cmp - "$T/before" || fail "more than names differs in the new file"
	own_rows "$T/old" symbol --select program=program | grep '^burn_' && fail "-o changed the old file"
	own_rows "$T/new" symbol --select program=program | grep -q '^burn_' || fail "-o wrote no names"
}

test_names_of_another_build() {
	without_names "$T/none/debug"
	mkdir "$T/debug"
	${CC:-cc} -std=gnu11 -O2 -g -D_GNU_SOURCE -Wl,--build-id=uuid -o "$T/other" "$HERE/programs/shares.c"
	objcopy --only-keep-debug "$T/other" "$T/debug/program.debug"
	cp "$T/prof" "$T/old"
	expect_status 0 "$PROSPECT" names --debug-dir "$T/debug" "$T/prof" > "$T/stdout"
	grep -q "^$T/program: .*without a name: .*its build id does not match; build id [0-9a-f]\{40\}$" \
		"$T/stdout" || fail "it does not say why:" "$(cat "$T/stdout")"
	cmp "$T/prof" "$T/old" || fail "the profile was changed"
	"$PROSPECT" report "$T/prof" --debug-dir "$T/debug" --by symbol --format csv --select program=program \
		> "$T/rows"
	! grep burn_ "$T/rows" || fail "a report took the names of another build"
	expect_status 0 "$PROSPECT" names --debug-dir "$T/debug" --force "$T/prof" > "$T/stdout"
	expect_functions "$T/prof" program burn_
	"$PROSPECT" query --format csv "SELECT value FROM header WHERE name = 'names_added'" "$T/prof" |
		grep -q 'by --force: nothing proves' || fail "the profile does not say that it was forced"
	# symbols that are none: the file is refused or names nothing
	for bytes in 64 1000 4000; do
		head -c "$bytes" "$T/whole" > "$T/debug/program.debug"
		cp "$T/old" "$T/prof"
		expect_status 0 "$PROSPECT" names --debug-dir "$T/debug" --force "$T/prof" > "$T/stdout"
		cmp "$T/prof" "$T/old" || fail "$bytes bytes of a file gave names"
	done
}

# Whatever goes wrong, the old profile is as it was, and nothing is left beside it.
test_names_fail_whole() {
	local pid
	without_names "$T/debug/program.debug"
	mkdir "$T/apart"
	mv "$T/prof" "$T/apart/prof"
	cp "$T/apart/prof" "$T/old"
	(ulimit -f 64 && "$PROSPECT" names --debug-dir "$T/debug" "$T/apart/prof") > "$T/stdout" 2>&1 &&
		fail "it wrote beyond the limit of file sizes"
	cmp "$T/apart/prof" "$T/old" || fail "the old file was changed"
	[ "$(ls "$T/apart")" = prof ] || fail "something was left:" "$(ls "$T/apart")"
	ln "$T/apart/prof" "$T/apart/link"
	expect_status 1 "$PROSPECT" names --debug-dir "$T/debug" "$T/apart/prof" > "$T/stdout"
	cmp "$T/apart/prof" "$T/old" || fail "a file with two names was changed"
	echo text > "$T/text"
	expect_status 1 "$PROSPECT" names --debug-dir "$T/debug" -o "$T/text" "$T/apart/prof" > "$T/stdout"
	[ "$(cat "$T/text")" = text ] || fail "-o replaced what is no profile"
	"$PROSPECT" record -o "$T/live" -- "$BIN/loop" 600 2> "$T/stderr.record" &
	pid=$!
	until_true has_begun "$T/live"
	expect_status 1 "$PROSPECT" names --debug-dir "$T/debug" "$T/live" > "$T/stdout"
	kill $pid
	wait $pid || :
	grep -q 'live is being recorded: stop that recording first' "$T/stderr" ||
		fail "it does not say why:" "$(cat "$T/stderr")"
}
